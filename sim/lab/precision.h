#ifndef SIM_LAB_PRECISION_H
#define SIM_LAB_PRECISION_H

/* --precision M:P%[,M:P%...]: how narrow the intervals must become. */
#include "sim/lab/experiment.h"
#include "sim/lab/keys.h"

#define PRECISION_MAX 8

struct precision {
	int pn_n; /* 0: nothing is wanted */
	struct precision_want {
		enum metric pw_metric;
		double pw_part; /* half the interval over the mean: 0.02 */
	} pn_wants[PRECISION_MAX];
};

/* Returns: false after an error, which was said for this command. */
bool precision_parse(const char *command, const char *text, struct precision *);

/*
 * How many more replications of a trial to run, all metrics considered.
 * Returns: 0 when it is precise enough or has `cap`, -1 after an error.
 */
int precision_more(
    const struct precision *, struct store *, const struct trial *, int cap);

/* Returns: the widest of the wanted intervals over what it should be; 0: none
 * is wanted. Over 1: not precise enough. */
double precision_missed(
    const struct precision *, struct record *const *, int n);

#endif
