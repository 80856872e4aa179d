#ifndef SIM_LAB_VARIANT_H
#define SIM_LAB_VARIANT_H

/*
 * A scenario's base point with some parameters set otherwise, and what its
 * replications yield: what seek and sensitivity evaluate, through a store.
 */
#include "sim/lab/cli.h"
#include "sim/lab/experiment.h"
#include "sim/lab/metric.h"

struct variant {
	char **va_sets; /* borrowed: PATH=VALUE, after those of --set */
	int va_nsets;
	int va_from, va_to; /* va_from <= replication < va_to */
	/* Out: a record for each, NULL for one that failed; variants_fini(). */
	struct record **va_records;
};

struct variants {
	const struct cli_args *vs_args;
	struct experiment vs_experiment;
	bool vs_refused; /* out: the scenario does not take a value */
};

/*
 * Open the store that --db names, or one in memory.
 * Returns: false after an error, which was said.
 */
bool variants_open(struct variants *, const struct cli_args *);
void variants_close(struct variants *);

/*
 * Have all replications of n variants: those that the store has are read, the
 * others are run in parallel and put into it. A run that fails is said on
 * stderr, and does not stop the others.
 *
 * Context: a process that has not opened the engine. Time: real.
 * Returns: RUN_FAILED when it cannot go on (said on stderr): a value that the
 *	    scenario refuses, a store that cannot be written.
 */
enum run_status variants_run(struct variants *, struct variant *, int n);
void variants_fini(struct variant *, int n);

/*
 * A metric of a variant's run. NAN: the run failed (NULL). INFINITY: a time,
 * but nothing was answered.
 */
double variant_metric(const struct record *, enum metric);

/* Returns: the exit status that goes with a run that cannot go on. */
int variants_exit(const struct variants *, enum run_status);

#endif
