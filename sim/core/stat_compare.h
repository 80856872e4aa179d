#ifndef SIM_CORE_STAT_COMPARE_H
#define SIM_CORE_STAT_COMPARE_H

/*
 * Is B different from A? Asked of pairs: replication i of both has the same
 * random numbers (common random numbers), so what they have in common falls out
 * of the difference.
 *
 * Context: anywhere; pure functions. Time: none.
 */
#include "sim/core/stat.h"

#define STAT_MIN_PAIRS 3
#define STAT_LEVEL 0.95

enum stat_pairs_kind {
	STAT_TOO_FEW,	/* under STAT_MIN_PAIRS pairs: nothing is claimed */
	STAT_IDENTICAL, /* every difference is exactly 0 */
	STAT_CONSTANT,	/* every difference is the same (to 1e-12 of the
			   values), and not 0: no variance to judge it by */
	STAT_VARYING,	/* there is an interval and a p-value */
};

struct stat_pairs {
	enum stat_pairs_kind sp_kind;
	int sp_n;
	double sp_a, sp_b;	/* means */
	struct stat_ci sp_diff; /* B - A */
	double sp_ratio;	/* mean of B / mean of A; NAN when that is 0 */
	double sp_low, sp_high; /* interval of the ratio; see below */
	double sp_p;		/* of the difference being 0; NAN: too few */
	double sp_corr;		/* of the pairs; NAN when one does not vary */
	double sp_unpaired;	/* half the width that the interval of the
				   difference would have without the pairs */
};

/*
 * Compare n pairs at STAT_LEVEL.
 *
 * The ratio's interval is Fieller's: all r for which a paired t test of
 * b - r * a finds nothing. It is exact for normal values, needs no logarithms
 * (a stage may take no time), and always agrees with the difference: it holds 1
 * exactly when the difference's holds 0. It has no end (-INFINITY, INFINITY)
 * where A itself cannot be told from 0. The loser, a t interval of log(b / a),
 * is of a ratio of geometric means, for which two runs of the same mean and
 * different spread differ.
 *
 * What pairing bought is sp_unpaired against sp_diff.half: the former is
 * Welch's, of two independent samples.
 */
struct stat_pairs stat_pairs(const double *a, const double *b, int n);

/*
 * Holm: adjust p-values that are judged together, so that with those under 0.05
 * called differences, the chance of even one false call is at most 5 %,
 * whatever their dependence. NAN is no test: it stays, and does not count.
 */
void stat_holm(const double *p, double *adjusted, int n);

#endif
