#include "sim/core/stat_compare.h"

#include <math.h>
#include <stdbool.h>

#include "sim/core/alloc.h"

#define SAME 1e-12 /* differences alike but for rounding, of the values */

/* Variances and covariance (n-1). */
struct moments {
	double aa, bb, ab;
};

static struct moments moments(
    const double *a, const double *b, const struct stat_pairs *);
static enum stat_pairs_kind kind(const double *a, const double *b, int n);
static void fieller(struct stat_pairs *, const struct moments *, double t);
static double welch(const struct moments *, int n);

struct stat_pairs
stat_pairs(const double *a, const double *b, int n)
{
	struct stat_pairs sp = { .sp_kind = kind(a, b, n), .sp_n = n };
	struct moments mo;
	double *d;

	sp.sp_a = stat_mean(a, n);
	sp.sp_b = stat_mean(b, n);
	sp.sp_ratio = sp.sp_a != 0 ? sp.sp_b / sp.sp_a : NAN;
	sp.sp_low = -INFINITY;
	sp.sp_high = INFINITY;
	sp.sp_p = sp.sp_corr = NAN;
	sp.sp_unpaired = INFINITY;
	d = sim_calloc(n > 0 ? n : 1, sizeof(*d));
	for (int i = 0; i < n; i++)
		d[i] = b[i] - a[i];
	sp.sp_diff = stat_t_interval(d, n, STAT_LEVEL);
	if (sp.sp_kind != STAT_TOO_FEW) {
		mo = moments(a, b, &sp);
		if (mo.aa > 0 && mo.bb > 0)
			sp.sp_corr = mo.ab / sqrt(mo.aa * mo.bb);
		sp.sp_unpaired = welch(&mo, n);
		fieller(&sp, &mo, stat_t_quantile(STAT_LEVEL, n - 1));
	}
	if (sp.sp_kind == STAT_IDENTICAL)
		sp.sp_p = 1;
	if (sp.sp_kind == STAT_CONSTANT) {
		sp.sp_diff.half = 0;
		sp.sp_p = 0;
	}
	if (sp.sp_kind == STAT_VARYING)
		sp.sp_p = stat_t_tail(
		    fabs(sp.sp_diff.mean) / (stat_stdev(d, n) / sqrt(n)),
		    n - 1);
	sim_free(d);
	return sp;
}

static enum stat_pairs_kind
kind(const double *a, const double *b, int n)
{
	bool zero = true, constant = true;

	if (n < STAT_MIN_PAIRS)
		return STAT_TOO_FEW;
	for (int i = 0; i < n; i++) {
		const double size = fmax(
		    fmax(fabs(a[i]), fabs(b[i])), fmax(fabs(a[0]), fabs(b[0])));

		zero = zero && a[i] == b[i];
		constant = constant &&
			   fabs((b[i] - a[i]) - (b[0] - a[0])) <= SAME * size;
	}
	if (zero)
		return STAT_IDENTICAL;
	return constant ? STAT_CONSTANT : STAT_VARYING;
}

static struct moments
moments(const double *a, const double *b, const struct stat_pairs *sp)
{
	struct moments mo = { 0 };

	for (int i = 0; i < sp->sp_n; i++) {
		const double u = a[i] - sp->sp_a, v = b[i] - sp->sp_b;

		mo.aa += u * u;
		mo.bb += v * v;
		mo.ab += u * v;
	}
	mo.aa /= sp->sp_n - 1;
	mo.bb /= sp->sp_n - 1;
	mo.ab /= sp->sp_n - 1;
	/* The mean of values all alike may be off by a rounding. */
	if (sqrt(mo.aa) <= SAME * fabs(sp->sp_a))
		mo.aa = mo.ab = 0;
	if (sqrt(mo.bb) <= SAME * fabs(sp->sp_b))
		mo.bb = mo.ab = 0;
	return mo;
}

/*
 * Between the roots of (b - r a)^2 = t^2 var(b - r a) / n, a and b being the
 * means: a quadratic in r, open upwards where A differs from 0.
 */
static void
fieller(struct stat_pairs *sp, const struct moments *mo, double t)
{
	const double k = t * t / sp->sp_n;
	const double two = sp->sp_a * sp->sp_a - k * mo->aa;
	const double one = sp->sp_a * sp->sp_b - k * mo->ab;
	const double zero = sp->sp_b * sp->sp_b - k * mo->bb;
	double root;

	if (sp->sp_kind == STAT_IDENTICAL && sp->sp_a != 0) {
		sp->sp_low = sp->sp_high = 1;
	} else if (two > 0) {
		root = sqrt(fmax(one * one - two * zero, 0));
		sp->sp_low = (one - root) / two;
		sp->sp_high = (one + root) / two;
	}
}

static double
welch(const struct moments *mo, int n)
{
	const double sum = mo->aa + mo->bb;

	if (sum == 0)
		return 0;
	/* Welch and Satterthwaite, for samples of one size. */
	return stat_t_quantile(STAT_LEVEL,
		   (n - 1) * sum * sum / (mo->aa * mo->aa + mo->bb * mo->bb)) *
	       sqrt(sum / n);
}

/* Step down: the k-th smallest of m times (m - k + 1), never falling. */
void
stat_holm(const double *p, double *adjusted, int n)
{
	double last = 0;
	int left = 0;

	for (int i = 0; i < n; i++) {
		adjusted[i] = NAN;
		left += !isnan(p[i]);
	}
	for (; left > 0; left--) {
		int least = -1;

		for (int i = 0; i < n; i++) {
			if (!isnan(p[i]) && isnan(adjusted[i]) &&
			    (least < 0 || p[i] < p[least]))
				least = i;
		}
		last = fmax(last, fmin(1, left * p[least]));
		adjusted[least] = last;
	}
}
