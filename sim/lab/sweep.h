#ifndef SIM_LAB_SWEEP_H
#define SIM_LAB_SWEEP_H

/*
 * What the commands that run points through a store have in common, and the
 * table of a sweep.
 */
#include "sim/lab/cli.h"
#include "sim/lab/experiment.h"
#include "sim/lab/precision.h"

/*
 * The store of --db, or one in memory, with a session for this command.
 * Returns: NULL after an error. `existing`: it must be there.
 */
struct store *experiment_store(const struct cli_args *, bool existing);

/* Options of the command line, limits with their defaults. */
struct run_options experiment_options(
    const struct cli_args *, const char *scenario);

/* All points of a sweep with its replications. Returns: for trials_destroy().
 */
struct trial *trials_create(struct scenario *, int *n);
void trials_destroy(struct trial *, int n);

/*
 * The replications of a trial that are done. Returns: how many, -1 after an
 * error; store_records_free() them.
 */
int trial_records(struct store *, const struct trial *, struct record ***);

/* A line a point. Returns: false after an error of the store. */
bool sweep_table(FILE *, struct store *, const struct trial *, int n,
    const struct precision *);

/*
 * A half-width in percent, "+-1.2%": two digits, as far as the seven columns of
 * the table have room for them; empty when it is not finite. Returns: buf, or a
 * text of its own.
 */
const char *sweep_interval(double percent, char *buf, size_t size);

#endif
