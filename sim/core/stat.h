#ifndef SIM_CORE_STAT_H
#define SIM_CORE_STAT_H

/*
 * Statistics over a few doubles: replications and slices.
 *
 * Context: anywhere; pure functions. Time: none.
 */

/* Mean of the values, and half the width of its confidence interval. */
struct stat_ci {
	double mean;
	double half; /* INFINITY when n < 2: one value says nothing */
};

double stat_mean(const double *x, int n);  /* 0 when n == 0 */
double stat_stdev(const double *x, int n); /* n-1; 0 when n < 2 */

/*
 * The t with P(|T| <= t) = level for Student's t with df degrees of freedom
 * (df > 0, need not be whole), e.g. stat_t_quantile(0.95, 9) = 2.262157.
 */
double stat_t_quantile(double level, double df);

/* P(|T| > t) for t >= 0: what a test against 0 calls its p-value. */
double stat_t_tail(double t, double df);

/* Student-t interval for the mean of n replications. */
struct stat_ci stat_t_interval(const double *x, int n, double level);

/*
 * MSER-5: how many leading observations to cut as warm-up, a multiple of 5.
 * The cut is the one that makes the standard error of what remains smallest;
 * at least a quarter of the run remains. Take 200 observations or more: a
 * steady run of 60 to 150 has a cut in its second half by chance one time in
 * ten, one of 200 one time in fifty, one of 400 next to never.
 *
 * *batch (may be NULL) receives the cut in batches of 5.
 *
 * Returns: the cut; its negative when it lies in the second half (the run is
 *	    too short, or has no steady state); -n, with *batch = 0, when there
 *	    are under 60 observations, too few to tell.
 */
int stat_mser5(const double *x, int n, int *batch);

#endif
