#ifndef SIM_LAB_RANGES_H
#define SIM_LAB_RANGES_H

/*
 * What a result that was computed from uncertain costs is worth. Costs are
 * moved in groups: each to the low and the high end of its range while the
 * others stay at their values, and all of them together.
 *
 * The 5-95 % range takes each group for uniform between its ends, and their
 * effects for straight lines that add up: the variance is the sum of
 * (high - low)^2 / 12, the half-width 1.645 standard deviations. It lies about
 * the centre. (About the mean of all ends it would be more right for a cost
 * that is not in the middle of its range; but where a result is not quite
 * smooth each group would add its own error to the place.)
 *
 * Context: anywhere; pure functions. Time: none.
 */
#include <stdbool.h>

#define RANGES_MAX 16

struct ranges_group {
	double rx_low, rx_high; /* in: the result with the group at its ends */
	double rx_share;	/* out: of the variance, 0..1 */
};

struct ranges {
	int rn_n;
	struct ranges_group rn_groups[RANGES_MAX];
	double rn_centre;		/* in: all costs at their values */
	double rn_all_low, rn_all_high; /* in: all groups at one end */
	double rn_p5, rn_p95;		/* out */
	int rn_dominant; /* out: group with most of the variance; -1: none */
};

/* Compute what is marked `out`. */
void ranges_add_up(struct ranges *);

/* Whether a value lies inside the 5-95 % range. */
bool ranges_likely(const struct ranges *, double value);

/*
 * Whether it lies between the ends (all groups low, all high) or inside the
 * 5-95 % range: groups that work against each other make the ends narrow.
 */
bool ranges_possible(const struct ranges *, double value);

#endif
