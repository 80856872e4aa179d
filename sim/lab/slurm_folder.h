#ifndef SIM_LAB_SLURM_FOLDER_H
#define SIM_LAB_SLURM_FOLDER_H

/*
 * The folder of a sweep that Slurm runs. The first line of its manifest names
 * the sweep that it belongs to. Errors are said on stderr.
 */
#include <stdbool.h>

/*
 * Is it this sweep's, or not there yet (*exists)? Writes nothing. db: to which
 * its results belong, for what is said of another sweep's.
 */
bool slurm_folder_ours(
    const char *folder, const char *sweep, const char *db, bool *exists);

/*
 * Make it, if it is not there, and keep other submissions out.
 * Returns: a descriptor, to be closed to let them in; -1 after an error.
 */
int slurm_folder_lock(const char *folder);

/* Write a file of it, whole or not at all. */
bool slurm_folder_write(const char *folder, const char *name, const char *text);

/* The start of a manifest. */
#define SLURM_MANIFEST "solab sweep "

/*
 * The stores of tasks, paths in order. Returns: how many, -1 after an error;
 * *paths and each of them is for sim_free().
 */
int slurm_folder_stores(const char *folder, char ***paths);

#endif
