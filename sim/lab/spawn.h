#ifndef SIM_LAB_SPAWN_H
#define SIM_LAB_SPAWN_H

/*
 * Other programs, found as a shell finds them.
 */
#include <stdbool.h>

/* Is there such a program in PATH? */
bool spawn_known(const char *program);

/*
 * Run a program with nothing to read and wait for it. What it says on stderr
 * goes to ours.
 *
 * Time:    real.
 * Owns:    gives *out, what it printed, without the last newline; for
 *          sim_free(), also after an error.
 * Returns: its exit status, -1 when it was not started or a signal ended it
 *          (said on stderr).
 */
int spawn_read(char *const argv[], char **out);

#endif
