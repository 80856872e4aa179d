#ifndef SIM_LAB_MORRIS_H
#define SIM_LAB_MORRIS_H

/*
 * Which of many factors matter, and which act on each other: Morris'
 * elementary effects (Technometrics 33, 1991), with mu* of Campolongo et al.
 * (2007), and elasticities, one factor at a time.
 *
 * A trajectory begins at a random place of a grid over the unit cube and moves
 * each factor once, in random order, by `jump` of its range: k + 1 points for k
 * effects. Each trajectory is a function of the seed and its number: more of
 * them leave the first ones as they were.
 *
 * Context: anywhere; pure functions. Time: none.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sim/core/stat.h"

struct morris {
	int mo_k, mo_r; /* factors; trajectories */
	double mo_jump; /* p / (2 (p - 1)) of the range, with p levels */
	double *mo_x;	/* morris_point() */
	int *mo_moved;	/* morris_moved() */
};

/* Of a factor, over its r effects, per whole range. */
struct morris_effect {
	double me_mu;	   /* mean */
	double me_mu_star; /* mean of the absolute values */
	double me_sigma;   /* standard deviation: bends, and acts on others */
	int me_n;	   /* effects that are known */
};

/* levels: even. Gives it: morris_fini(). */
void morris_init(struct morris *, int k, int r, int levels, uint32_t seed);
void morris_fini(struct morris *);

/* Returns: k coordinates in 0..1; step 0..k. */
static inline const double *
morris_point(const struct morris *mo, int trajectory, int step)
{
	const int point = trajectory * (mo->mo_k + 1) + step;

	return mo->mo_x + (long)point * mo->mo_k;
}

/* Returns: the factor that differs between points step and step + 1. */
static inline int
morris_moved(const struct morris *mo, int trajectory, int step)
{
	return mo->mo_moved[trajectory * mo->mo_k + step];
}

/*
 * y: of every point, those of a trajectory together; NAN is not known, as are
 * the effects beside it. effects: of every factor.
 */
void morris_effects(
    const struct morris *, const double *y, struct morris_effect *effects);

/*
 * The ends of a central difference: value / (1 + share) and value * (1 + share)
 * in whole numbers, at least 1 off it, within min..max and above 0.
 * Returns: false when there is nothing between which to move.
 */
bool elasticity_ends(int64_t value, double share, int64_t min, int64_t max,
    int64_t *low, int64_t *high);

/*
 * d ln y / d ln x of n replications, each at both ends with the same random
 * numbers. each: n elasticities; NAN where a y is not above 0.
 * Returns: their mean and 95 % interval; NAN when one is not known.
 */
struct stat_ci elasticity(double low_x, double high_x, const double *low_y,
    const double *high_y, int n, double *each);

/*
 * Whether y bends so much that its one elasticity between the ends misleads:
 * those below and above the middle surely differ, and by more than it is.
 */
bool elasticity_bends(const double x[3], const double *const y[3], int n);

#endif
