#include "sim/core/stat_precision.h"

#include <math.h>

int64_t
stat_percentile_wants(double p)
{
	/* 1 - 0.9999 is a little more than 0.0001: no sample more for that. */
	return (int64_t)ceil(100 / (1 - p) * (1 - 1e-9));
}

bool
stat_percentile_ok(double p, int64_t samples)
{
	return samples >= stat_percentile_wants(p);
}

double
stat_precision(const double *x, int n)
{
	const struct stat_ci ci = stat_t_interval(x, n, 0.95);

	if (ci.half == 0)
		return 0;
	return ci.mean != 0 ? ci.half / fabs(ci.mean) : INFINITY;
}

int
stat_precision_more(const double *x, int n, double target, int cap)
{
	const double now = stat_precision(x, n);
	double want;

	if (n < STAT_PRECISION_MIN)
		want = STAT_PRECISION_MIN;
	else if (n < STAT_PRECISION_FIRST)
		want = STAT_PRECISION_EARLY * now <= target
			   ? n
			   : STAT_PRECISION_FIRST;
	else if (now <= target)
		want = n;
	else
		want =
		    fmax(n + 1, fmin(ceil(n * (now / target) * (now / target)),
				    floor(1.5 * n)));
	want = fmin(want, cap);
	return want > n ? (int)want - n : 0;
}
