#ifndef SIM_LAB_TRIAL_H
#define SIM_LAB_TRIAL_H

/*
 * A scenario's base point with some parameters set otherwise, and what its
 * replications yield: what seek and sensitivity evaluate.
 */
#include "sim/lab/cli.h"
#include "sim/lab/metric.h"
#include "sim/lab/record.h"
#include "sim/lab/run.h"

struct trial {
	char **tl_sets; /* borrowed: PATH=VALUE, after those of --set */
	int tl_nsets;
	int tl_from, tl_to; /* tl_from <= replication < tl_to */
	/* Out: a record for each, NULL for one that failed; trials_fini(). */
	struct record **tl_records;
};

/*
 * Have all replications of n trials: those that the store has are read, the
 * others are run in parallel and put into it. What goes wrong is said on
 * stderr. A run that fails does not stop the others.
 *
 * Context: a process that has not opened the engine. Time: real.
 * Returns: RUN_FAILED when nothing can be run: a value that the scenario
 *	    refuses, a store that cannot be written.
 */
enum run_status trials_run(
    const struct cli_args *, struct trial *, int n);
void trials_fini(struct trial *, int n);

/*
 * A metric of a trial. NAN: the run failed (NULL). INFINITY: a time, but
 * nothing was answered.
 */
double trial_metric(const struct record *, enum metric);

#endif
