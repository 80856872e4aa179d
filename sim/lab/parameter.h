#ifndef SIM_LAB_PARAMETER_H
#define SIM_LAB_PARAMETER_H

/*
 * A parameter that a command moves: PATH=LOW..HIGH on the command line, its
 * base value, and any value of it as --set takes it.
 *
 * Context: anywhere. Time: none.
 */
#include "sim/lab/scenario.h"

/* Numbers and quantities only. All [I]; texts are the scenario's. */
struct parameter {
	const struct key *pm_key;
	const char *pm_path;  /* server.sysctl.kern.ipc.soavailconn */
	const char *pm_short; /* soavailconn */
	bool pm_whole;	      /* whole numbers of its base unit */
	double pm_base;	      /* in its base unit, at the base point */
	double pm_low, pm_high;
};

/*
 * Read PATH=LOW..HIGH, LOW below HIGH. `option` goes before it in messages:
 * "--param ", or "".
 * Returns: false after an error, which diag has.
 */
bool parameter_parse(struct scenario *, const char *option, const char *text,
    struct parameter *, struct diag *);

/* Returns: "PATH=VALUE" with its unit, for sim_free(). */
char *parameter_set(const struct key *, const char *path, double value);

/* The value alone: "8KiB". Returns: buf, cut to size. */
char *parameter_text(const struct key *, double value, char *buf, size_t size);

/* Whether its values are whole numbers of its base unit. */
bool parameter_is_whole(const struct key *);

#endif
