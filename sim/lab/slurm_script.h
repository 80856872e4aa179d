#ifndef SIM_LAB_SLURM_SCRIPT_H
#define SIM_LAB_SLURM_SCRIPT_H

/*
 * The texts of a sweep that Slurm runs: job scripts and sbatch commands. Pure:
 * nothing is asked of Slurm here.
 *
 * A task of the array is a shard with its own store, and may be started again
 * at any time. Tasks run in the folder of the submission with the same
 * arguments, so that their stores name the scenario's files as a sweep there
 * would.
 */
#include "sim/lab/cli.h"
#include "sim/lab/yaml.h"

struct slurm_jobs {
	const struct cli_args *sj_ca;
	struct ypool sj_pool;	/* has all texts */
	const char *sj_program; /* these are absolute paths */
	const char *sj_cwd, *sj_db, *sj_folder;
	const char *sj_name; /* of both jobs; others have other names */
	int sj_ntasks;	     /* from 1 on, as in --shard */
	bool *sj_wanted;     /* by task - 1: has it anything to do? */
};

#define SLURM_MAX_ARGS (CLI_MAX_LIST + 16)

/* How many tasks for so many runs, `chunk` a task (0: a good number). */
int slurm_ntasks(int64_t runs, int chunk);

/* Texts are the pool's. */
const char *slurm_task_script(struct slurm_jobs *);
const char *slurm_merge_script(struct slurm_jobs *);

/*
 * sbatch with its options, NULL at the end; argv has room for SLURM_MAX_ARGS.
 * after: the id of the array job.
 */
void slurm_task_command(struct slurm_jobs *, const char **argv);
void slurm_merge_command(
    struct slurm_jobs *, const char *after, const char **argv);

#endif
