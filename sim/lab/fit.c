#include "sim/lab/fit.h"

#include <float.h>
#include <math.h>
#include <nlopt.h>
#include <string.h>

#define FIRST_STEP 0.15	  /* a slope well above the noise */
#define TRUST_FIRST 0.35  /* largest change of a parameter in one step */
#define TRUST_LARGEST 0.7 /* a factor of two */
#define TRUST_SMALLEST 0.01
#define LEARN_SMALLEST 0.02 /* shorter steps say nothing of the slopes */

struct solver {
	const struct fit_problem *fp;
	struct fit_solution *fs;
	double slope[FIT_MAX][FIT_MAX];
	double best;   /* sum of squares of fs_r */
	nlopt_opt opt; /* while BOBYQA runs */
};

static bool start(struct solver *);
static void walk(struct solver *);
static double step(struct solver *, double trust, double *dx);
static bool damped(const struct solver *, double damping, double *dx);
static bool linear_solve(int n, double (*a)[FIT_MAX], double *b);
static void slope_update(
    struct solver *, const double *dx, const double *r, const double *r0);
static void bobyqa(struct solver *);
static bool evaluate(
    struct solver *, int m, double (*x)[FIT_MAX], double (*r)[FIT_MAX]);
static double squares(const struct fit_problem *, const double *r);

void
fit_solve(const struct fit_problem *fp, struct fit_solution *fs)
{
	struct solver so = { .fp = fp, .fs = fs };

	fs->fs_met = fs->fs_stopped = false;
	fs->fs_evaluations = 0;
	so.best = DBL_MAX;
	if (!start(&so))
		return;
	if (!fs->fs_met)
		walk(&so);
	if (!fs->fs_met && !fs->fs_stopped)
		bobyqa(&so);
}

/* The start and a step of each parameter, away from the nearer bound. */
static bool
start(struct solver *so)
{
	const struct fit_problem *fp = so->fp;
	double x[FIT_MAX + 1][FIT_MAX], r[FIT_MAX + 1][FIT_MAX], h[FIT_MAX];
	double *x0 = x[0];
	int n = fp->fp_n;

	memcpy(x0, so->fs->fs_x, sizeof(x[0]));
	for (int k = 0; k < n; k++)
		x0[k] = fmin(fmax(x0[k], fp->fp_low[k]), fp->fp_high[k]);
	for (int k = 0; k < n; k++) {
		memcpy(x[k + 1], x0, sizeof(x[0]));
		h[k] = x0[k] + FIRST_STEP <= fp->fp_high[k] ? FIRST_STEP
							    : -FIRST_STEP;
		x[k + 1][k] += h[k];
	}
	if (!evaluate(so, n + 1, x, r))
		return false;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			so->slope[i][k] = (r[k + 1][i] - r[0][i]) / h[k];
	memcpy(so->fs->fs_slope, so->slope, sizeof(so->slope));
	return true;
}

/* Steps from the best point, shorter after one that made it worse. */
static void
walk(struct solver *so)
{
	struct fit_solution *fs = so->fs;
	double dx[FIT_MAX], x[1][FIT_MAX], r[1][FIT_MAX], r0[FIT_MAX];
	double trust = TRUST_FIRST, length, before;
	int n = so->fp->fp_n;

	while (!fs->fs_met && trust >= TRUST_SMALLEST &&
	       fs->fs_evaluations < so->fp->fp_max_evaluations) {
		length = step(so, trust, dx);
		if (length < TRUST_SMALLEST / 10)
			return;
		memcpy(r0, fs->fs_r, sizeof(r0));
		for (int k = 0; k < n; k++)
			x[0][k] = fs->fs_x[k] + dx[k];
		before = so->best;
		if (!evaluate(so, 1, x, r))
			return;
		if (length >= LEARN_SMALLEST)
			slope_update(so, dx, r[0], r0);
		if (so->best < before)
			trust = fmin(2 * trust, TRUST_LARGEST);
		else
			trust = length / 2;
	}
}

/*
 * The step that the slopes promise most of, no parameter changed by more than
 * `trust`. Returns: the largest change.
 */
static double
step(struct solver *so, double trust, double *dx)
{
	const struct fit_problem *fp = so->fp;
	double damping = 1e-6, largest, to;
	int n = fp->fp_n;

	for (;; damping *= 2) {
		largest = 0;
		if (!damped(so, damping, dx))
			continue;
		for (int k = 0; k < n; k++) {
			to = fmin(fmax(so->fs->fs_x[k] + dx[k], fp->fp_low[k]),
			    fp->fp_high[k]);
			dx[k] = to - so->fs->fs_x[k];
			largest = fmax(largest, fabs(dx[k]));
		}
		if (largest <= trust)
			return largest;
	}
}

/* Least squares with Levenberg's damping, residuals in units of fp_enough. */
static bool
damped(const struct solver *so, double damping, double *dx)
{
	double a[FIT_MAX][FIT_MAX] = { 0 }, scale = 0, w;
	int n = so->fp->fp_n;

	for (int k = 0; k < n; k++)
		dx[k] = 0;
	for (int i = 0; i < n; i++) {
		w = 1 / (so->fp->fp_enough[i] * so->fp->fp_enough[i]);
		for (int k = 0; k < n; k++) {
			for (int l = 0; l < n; l++)
				a[k][l] +=
				    w * so->slope[i][k] * so->slope[i][l];
			dx[k] -= w * so->slope[i][k] * so->fs->fs_r[i];
		}
	}
	for (int k = 0; k < n; k++)
		scale = fmax(scale, a[k][k]);
	for (int k = 0; k < n; k++)
		a[k][k] += damping * (scale > 0 ? scale : 1);
	return linear_solve(n, a, dx);
}

/* Gauss with pivots; b becomes the solution. Returns: false when singular. */
static bool
linear_solve(int n, double (*a)[FIT_MAX], double *b)
{
	for (int c = 0; c < n; c++) {
		int p = c;

		for (int i = c + 1; i < n; i++)
			p = fabs(a[i][c]) > fabs(a[p][c]) ? i : p;
		if (fabs(a[p][c]) < DBL_MIN * 1e10)
			return false;
		for (int k = 0; k < n; k++) {
			double t = a[c][k];

			a[c][k] = a[p][k];
			a[p][k] = t;
		}
		if (p != c) {
			double t = b[c];

			b[c] = b[p];
			b[p] = t;
		}
		for (int i = c + 1; i < n; i++) {
			double f = a[i][c] / a[c][c];

			for (int k = c; k < n; k++)
				a[i][k] -= f * a[c][k];
			b[i] -= f * b[c];
		}
	}
	for (int i = n - 1; i >= 0; i--) {
		for (int k = i + 1; k < n; k++)
			b[i] -= a[i][k] * b[k];
		b[i] /= a[i][i];
	}
	return true;
}

/* The smallest change of the slopes that explains what was seen. */
static void
slope_update(
    struct solver *so, const double *dx, const double *r, const double *r0)
{
	double length = 0;
	int n = so->fp->fp_n;

	for (int k = 0; k < n; k++)
		length += dx[k] * dx[k];
	for (int i = 0; i < n; i++) {
		double miss = r[i] - r0[i];

		for (int k = 0; k < n; k++)
			miss -= so->slope[i][k] * dx[k];
		for (int k = 0; k < n; k++)
			so->slope[i][k] += miss * dx[k] / length;
	}
}

static double
bobyqa_objective(unsigned n, const double *x, double *gradient, void *arg)
{
	struct solver *so = arg;
	double xs[1][FIT_MAX], r[1][FIT_MAX];

	(void)gradient;
	memcpy(xs[0], x, n * sizeof(*x));
	if (!evaluate(so, 1, xs, r) || so->fs->fs_met) {
		nlopt_force_stop(so->opt);
		return so->best;
	}
	return squares(so->fp, r[0]);
}

static void
bobyqa(struct solver *so)
{
	const struct fit_problem *fp = so->fp;
	int left = fp->fp_max_evaluations - so->fs->fs_evaluations;
	double x[FIT_MAX], smallest;

	if (left <= 0)
		return;
	/* BOBYQA wants two dimensions. */
	so->opt = nlopt_create(
	    fp->fp_n > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_COBYLA, fp->fp_n);
	nlopt_set_min_objective(so->opt, bobyqa_objective, so);
	nlopt_set_lower_bounds(so->opt, fp->fp_low);
	nlopt_set_upper_bounds(so->opt, fp->fp_high);
	nlopt_set_initial_step1(so->opt, FIRST_STEP);
	nlopt_set_maxeval(so->opt, left);
	nlopt_set_ftol_rel(so->opt, 0.02);
	nlopt_set_xtol_abs1(so->opt, TRUST_SMALLEST / 2);
	memcpy(x, so->fs->fs_x, sizeof(x));
	nlopt_optimize(so->opt, x, &smallest);
	nlopt_destroy(so->opt);
	so->opt = NULL;
}

/* Also keeps the best. Returns: false to give up. */
static bool
evaluate(struct solver *so, int m, double (*x)[FIT_MAX], double (*r)[FIT_MAX])
{
	const struct fit_problem *fp = so->fp;
	struct fit_solution *fs = so->fs;

	if (!fp->fp_evaluate(fp->fp_arg, m, x, r)) {
		fs->fs_stopped = true;
		return false;
	}
	fs->fs_evaluations += m;
	/* Of the first batch only the start counts: the slopes are of there. */
	if (squares(fp, r[0]) >= so->best)
		return true;
	so->best = squares(fp, r[0]);
	memcpy(fs->fs_x, x[0], sizeof(fs->fs_x));
	memcpy(fs->fs_r, r[0], sizeof(fs->fs_r));
	fs->fs_met = true;
	for (int i = 0; i < fp->fp_n; i++)
		fs->fs_met = fs->fs_met && fabs(r[0][i]) <= fp->fp_enough[i];
	return true;
}

static double
squares(const struct fit_problem *fp, const double *r)
{
	double sum = 0;

	for (int i = 0; i < fp->fp_n; i++)
		sum += r[i] * r[i] / (fp->fp_enough[i] * fp->fp_enough[i]);
	return sum;
}
