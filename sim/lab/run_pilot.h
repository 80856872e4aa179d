#ifndef SIM_LAB_RUN_PILOT_H
#define SIM_LAB_RUN_PILOT_H

/*
 * `warmup: auto`: a run before the run, which says what is to be cut. It is as
 * long as the measurement and measured from its start. MSER-5 looks at the mean
 * latencies and at the throughputs of its slices, and the later cut of both is
 * the warm-up of the real run, for all of its metrics.
 *
 * The pilot has other random numbers than the run that it is for: a cut that is
 * chosen on the run itself prefers what happens to be quiet there, and so does
 * what is then measured (tests/theory/lindley-warmup.c). It is a function of
 * scenario, seed and replication, as everything else.
 */
#include "sim/lab/run.h"

#define PILOT_REP 0x80000000u /* or-ed to the replication */

/* What it found and what it took. */
struct pilot_report {
	sim_ns pr_cut;
	int64_t pr_simulated_ns, pr_wall_ns;
	uint64_t pr_engine_calls, pr_events;
	int64_t pr_peak_bytes;
};

struct pilot {
	struct setup pi_setup; /* of the real run: with its warm-up */
	struct pilot_report pi_report;
};

/*
 * Run the pilot of a job, in a process of its own (the engine can be opened
 * once a process).
 *
 * Context: a process that has not opened the engine. Time: real.
 * Owns:    gives the pilot: sim_free().
 * Returns: NULL when it failed, which has been said on stderr.
 */
struct pilot *pilot_run(const struct run_job *, const struct run_options *,
    void (*progress)(sim_ns now, sim_ns end, void *), void *arg);

/* Add what the pilot took to the `run` object of the real run. */
void pilot_account(const struct pilot *, struct result *);

/*
 * The warm-up that a result measured from its start asks for: an edge of its
 * slices, at most the middle. A series of under 60 values has no say.
 */
sim_ns pilot_cut(const struct result *);

#endif
