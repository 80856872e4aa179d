#ifndef SIM_CORE_STAT_STEADY_H
#define SIM_CORE_STAT_STEADY_H

/*
 * Did a measurement begin too early, or has what it measured no steady state?
 * Asked of the slices of a run.
 *
 * Context: anywhere; pure functions. Time: none.
 */
#include "sim/core/stat.h"

#define STAT_MIN_SLICES 60 /* MSER-5 asks for so many */

enum stat_steady {
	STAT_STEADY,
	STAT_WARMUP_SHORT,    /* what MSER-5 cuts differs from the rest */
	STAT_NO_STEADY_STATE, /* it drifts, whatever is cut */
	STAT_FEW_SLICES,      /* under 60: too few to tell */
};

struct stat_steadiness {
	enum stat_steady ss_verdict;
	int ss_cut;	/* slices to cut; 0 unless the warm-up is short */
	double ss_bias; /* mean of all / mean of the rest - 1; as ss_cut */
};

/*
 * MSER-5 always has a cut, and cuts something of every third steady series. So
 * it is believed only where the series bears it out, by t tests over up to 10
 * batches of 5 slices or more:
 *
 * - cut in the second half: no steady state, if the series has a slope
 *   (p < 0.01);
 * - cut in the first half: no steady state, if what remains still has a slope
 *   (p < 0.0005); warm-up too short, if the mean of what is cut differs from
 *   that of the rest (p < 0.0005).
 *
 * False alarms, measured over 20,000 steady series each, in percent, as "short
 * + no steady state"; AR(r): r is the correlation of neighbouring slices.
 *
 *	slices	iid		exponential	AR(0.5)		AR(0.8)
 *	60	0.14 + 0.15	0.49 + 0.15	0.37 + 0.23	1.35 + 1.26
 *	100	0.19 + 0.20	0.50 + 0.18	0.27 + 0.30	1.42 + 1.01
 *	200	0.12 + 0.11	0.55 + 0.12	0.23 + 0.12	0.66 + 0.23
 *	400	0.14 + 0.04	0.43 + 0.07	0.14 + 0.07	0.23 + 0.07
 *	1000	0.15 + 0.10	0.45 + 0.05	0.18 + 0.04	0.08 + 0.08
 *	4000	0.12 + 0.06	0.36 + 0.07	0.13 + 0.06	0.06 + 0.02
 *
 * What is found, of AR(0.5) series of 100 / 400 / 1000 slices, in percent: a
 * bias that begins at 4 deviations and decays over a tenth of the run, 37 / 96
 * / 99 as a short warm-up; a drift of 5 deviations over the run, 74 / 92 / 100
 * as no steady state. Under 200 slices little is certain.
 */
struct stat_steadiness stat_steadiness(const double *x, int n);

#endif
