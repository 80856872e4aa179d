#ifndef SIM_LAB_EXPERIMENT_H
#define SIM_LAB_EXPERIMENT_H

/*
 * Runs through a store: what is there is not run again, what is new is put
 * there at once, and a run that fails is put there with its message while the
 * others go on. Replications are the outermost loop, so that all points have
 * one before any has two, and more can be added later.
 *
 * Several processes may do so with one store: each takes what the others have
 * not, and waits in the end for what they still run.
 */
#include "sim/lab/run.h"
#include "sim/lab/store.h"

/* A point and how many replications of it are wanted. */
struct trial {
	struct scenario *tr_sc; /* borrowed */
	int tr_point;		/* of its sweep, or SCENARIO_BASE */
	int tr_reps;		/* replications 0 .. tr_reps - 1; may be raised
				   and experiment_run() be called again */
	int64_t tr_id;		/* out: of the point in the store */
	uint32_t tr_seed;	/* out */
	int tr_done;		/* out: of tr_reps, those in the store */
	int tr_failed;		/* out: of tr_reps, likewise */
	char *tr_states;	/* private: see experiment.c */
	int tr_nstates, tr_told;
};

struct experiment {
	struct store *ex_store; /* borrowed; its session is open */
	struct run_options ex_options;
	int ex_shard, ex_nshards; /* run only each ex_nshards-th; 0 of 0: all */
	struct store *ex_except;  /* borrowed: nor what is done in this one;
				     may be NULL */

	/* out, since experiment_init() */
	int ex_ran;    /* done by us */
	int ex_reused; /* were there, or were done by others */
	int ex_failed;
	bool ex_broken; /* the store cannot be used, or no run be started */

	/* When a run is in the store, in the order of replications and trials
	 * (failed ones are passed over); may be NULL. Returns: false to stop.
	 */
	bool (*ex_each)(void *arg, struct trial *, uint32_t rep);
	void *ex_arg;
};

/*
 * Run what is missing. Trials keep what they were, and can be given again.
 *
 * Context: a process that has not opened the engine. Time: real.
 * Returns: RUN_DONE; RUN_FAILED when a run failed, now or before, or the store
 *          could not be written or no run started (said on stderr);
 *          RUN_INTERRUPTED.
 */
enum run_status experiment_run(struct experiment *, struct trial *, int n);

void trial_fini(struct trial *);

#endif
