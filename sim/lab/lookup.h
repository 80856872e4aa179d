#ifndef SIM_LAB_LOOKUP_H
#define SIM_LAB_LOOKUP_H

/*
 * Where scenarios and hardware profiles are found: what is named as a file is
 * that file; a bare name is looked for in ./scenarios, then among those that
 * were installed.
 */
#include "sim/lab/cli.h"
#include "sim/lab/scenario.h"

/* Returns: a path, from sim_calloc(); the name itself when nothing is found. */
char *lookup_scenario(const char *name);

/* Returns: the folder of profiles that is looked in last. */
const char *lookup_hardware_dir(void);

/* Folders of scenarios and profiles, NULL at the end. */
extern const char *const lookup_scenario_dirs[];
extern const char *const lookup_hardware_dirs[];

/*
 * Find and load a scenario with the overrides of the command line. Prints what
 * is wrong.
 */
struct scenario *lookup_load(const char *name, const struct cli_args *);

/*
 * Paths of the scenarios of a folder, in order of their names. Returns: how
 * many; *paths and each of them is for sim_free().
 */
int lookup_all(const char *dir, char ***paths);

#endif
