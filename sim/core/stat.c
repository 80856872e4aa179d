#include "sim/core/stat.h"

#include <math.h>
#include <stddef.h>

#include "sim/core/assert.h"

#define MSER_BATCH 5
#define MSER_MIN_BATCHES 12
#define MSER_MIN_KEPT 5

/* Above this df the expansion below is good to 12 digits. */
#define T_EXPAND_DF 1000

static double normal_two_sided(double level);
static double beta_incomplete(double x, double a, double b);
static double beta_fraction(double x, double a, double b);
static double batch_mean(const double *x, int batch);

double
stat_mean(const double *x, int n)
{
	long double sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[i];
	return n > 0 ? (double)(sum / n) : 0;
}

double
stat_stdev(const double *x, int n)
{
	const double mean = stat_mean(x, n);
	long double ss = 0, rest = 0;

	if (n < 2)
		return 0;
	for (int i = 0; i < n; i++) {
		const long double d = (long double)x[i] - mean;

		ss += d * d;
		rest += d;
	}
	ss -= rest * rest / n;
	return ss > 0 ? (double)sqrtl(ss / (n - 1)) : 0;
}

struct stat_ci
stat_t_interval(const double *x, int n, double level)
{
	struct stat_ci ci = { .mean = stat_mean(x, n), .half = INFINITY };

	if (n >= 2)
		ci.half =
		    stat_t_quantile(level, n - 1) * stat_stdev(x, n) / sqrt(n);
	return ci;
}

double
stat_t_quantile(double level, double df)
{
	double low = 0, high = 1;

	SIM_ASSERT(level > 0 && level < 1 && df > 0);
	if (df > T_EXPAND_DF) {
		/* Cornish-Fisher; Abramowitz and Stegun 26.7.5 */
		const double z = normal_two_sided(level), q = z * z;

		return z + z * (q + 1) / (4 * df) +
		       z * ((5 * q + 16) * q + 3) / (96 * df * df) +
		       z * (((3 * q + 19) * q + 17) * q - 15) /
			   (384 * df * df * df);
	}
	while (stat_t_tail(high, df) > 1 - level)
		high *= 2;
	for (;;) {
		const double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return middle;
		if (stat_t_tail(middle, df) > 1 - level)
			low = middle;
		else
			high = middle;
	}
}

/* The z with P(|Z| <= z) = level for a standard normal Z. */
static double
normal_two_sided(double level)
{
	double low = 0, high = 40;

	for (;;) {
		const double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return middle;
		if (erfc(middle * M_SQRT1_2) > 1 - level)
			low = middle;
		else
			high = middle;
	}
}

/* P(|T| > t); Abramowitz and Stegun 26.5.27. */
double
stat_t_tail(double t, double df)
{
	const double x = df / (df + t * t);

	SIM_ASSERT(t >= 0 && df > 0);
	if (isinf(t))
		return 0;
	/* Near t = 0 the digits are in 1 - x. */
	if (x > 0.5)
		return 1 - beta_incomplete(t * t / (df + t * t), 0.5, df / 2);
	return beta_incomplete(x, df / 2, 0.5);
}

/* The regularised incomplete beta function I_x(a, b). */
static double
beta_incomplete(double x, double a, double b)
{
	double log_front;
	int sign;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	log_front = lgamma_r(a + b, &sign) - lgamma_r(a, &sign) -
		    lgamma_r(b, &sign) + a * log(x) + b * log1p(-x);
	/* The fraction converges fast only below the mean. */
	if (x < (a + 1) / (a + b + 2))
		return exp(log_front) / a * beta_fraction(x, a, b);
	return 1 - exp(log_front) / b * beta_fraction(1 - x, b, a);
}

/*
 * 1 / (1 + d1 / (1 + d2 / (1 + ...))), Abramowitz and Stegun 26.5.8: the
 * convergents' numerators and denominators as products of their ratios to the
 * ones before (Lentz).
 */
static double
beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double up = 1, down = 0, value = 1;

	for (int i = 1; i < 10000; i++) {
		const int m = i / 2;
		double d;

		if (i % 2 == 0)
			d = m * (b - m) * x;
		else
			d = -(a + m) * (a + b + m) * x;
		d /= (a + i - 1) * (a + i);
		up = 1 + d / up;
		if (fabs(up) < tiny)
			up = tiny;
		down = 1 + d * down;
		if (fabs(down) < tiny)
			down = tiny;
		down = 1 / down;
		value *= up * down;
		if (fabs(up * down - 1) < 1e-15)
			break;
	}
	return 1 / value;
}

/*
 * From the end backwards, so that mean and squares of what remains are updated
 * (Welford) and never subtracted. On a tie the shortest cut wins. A quarter is
 * always kept: of a handful of batches some are alike by chance, and the rule
 * is known to fall for them.
 */
int
stat_mser5(const double *x, int n, int *batch)
{
	const int k = n / MSER_BATCH;
	const int keep = k / 4 > MSER_MIN_KEPT ? k / 4 : MSER_MIN_KEPT;
	double mean = 0, ss = 0, best = INFINITY;
	int cut = 0;

	if (batch != NULL)
		*batch = 0;
	if (k < MSER_MIN_BATCHES)
		return -n;
	for (int i = k - 1; i >= 0; i--) {
		const double y = batch_mean(x, i), d = y - mean, m = k - i;

		mean += d / m;
		ss += d * (y - mean);
		if (m >= keep && ss / (m * m) <= best) {
			best = ss / (m * m);
			cut = i;
		}
	}
	if (batch != NULL)
		*batch = cut;
	return 2 * cut > k ? -cut * MSER_BATCH : cut * MSER_BATCH;
}

static double
batch_mean(const double *x, int batch)
{
	return stat_mean(x + (size_t)batch * MSER_BATCH, MSER_BATCH);
}
