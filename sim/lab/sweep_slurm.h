#ifndef SIM_LAB_SWEEP_SLURM_H
#define SIM_LAB_SWEEP_SLURM_H

/*
 * A sweep that Slurm runs (docs/clusters.md). The store DB is what counts; what
 * is not in it is submitted, as an array of tasks, and a job after them puts
 * their stores into it. The folder DB.slurm belongs to one sweep: scripts, the
 * manifest, a store and an output a task. The same command again collects what
 * is there and submits what is missing.
 */
#include "sim/lab/cli.h"
#include "sim/lab/scenario.h"

/* Are --executor and its options as they must be? Says what is wrong. */
bool sweep_slurm_options(const struct cli_args *);

/*
 * Submit the sweep; or print what would be submitted (--dry-run); or put what
 * its tasks have done into the store (--collect), which is what the last job
 * does. Progress and errors are said on stderr.
 *
 * Returns: the exit status. EXIT_FAILED: there is no Slurm, it refused, or (of
 * --collect) runs are missing.
 */
int sweep_slurm(const struct cli_args *, struct scenario *);

#endif
