#ifndef SIM_LAB_SWEEP_SLURM_IMPL_H
#define SIM_LAB_SWEEP_SLURM_IMPL_H

/*
 * Private to sweep_slurm.c and slurm_collect.c.
 */
#include "sim/lab/slurm_script.h"
#include "sim/lab/sweep.h"
#include "sim/lab/sweep_slurm.h"

/* A sweep and how far it is. */
struct submission {
	struct slurm_jobs sb_jobs;
	struct scenario *sb_sc;
	struct trial *sb_trials;
	int sb_n, sb_reps;
	char sb_sweep[STORE_KEY_SIZE]; /* tells it from others */
	bool sb_exists;		       /* the folder does */
	int sb_done, sb_failed, sb_missing;
	int sb_unread;	 /* stores of tasks */
	int64_t sb_odd;	 /* runs with two results */
	char *sb_ids[2]; /* of the jobs; NULL: not submitted */
};

/*
 * Put into the store what the tasks have done. repair: task stores may be
 * written. What cannot be read is counted. Returns: false after other errors.
 */
bool submission_collect(struct submission *, struct store *, bool repair);

/*
 * Put all points in, in their order, and count what is there; which tasks have
 * anything to do. Returns: false after an error of the store.
 */
bool submission_look(struct submission *, struct store *);

/* Print the table, and what is missing in it. Returns: the exit status. */
int submission_report(struct submission *, struct store *);

/* --collect. Returns: the exit status. */
int submission_collect_now(struct submission *);

#endif
