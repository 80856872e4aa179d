#ifndef SIM_LAB_FIT_H
#define SIM_LAB_FIT_H

/*
 * Solve for n parameters that n residuals hang on, each evaluation being dear.
 * Parameters are logarithms, residuals are logarithms of simulated/published.
 *
 * First Gauss-Newton within a trusted step: n + 1 evaluations at once give the
 * sensitivities (which also tell a user which cost moves which cell), and then
 * every evaluation is a step that uses and corrects all of them (Broyden's
 * update). With as many cells as costs and next to straight lines in logarithms
 * that ends in a few steps, where NLopt's BOBYQA needs 2n + 1 evaluations, one
 * after another, for its first model alone, and 30 to 50 in all. BOBYQA goes on
 * from the best point when the steps end before all is met: costs that only
 * appear as a sum, a bound in the way, a cell that cannot be met.
 *
 * All evaluations have the same seed; what remains of the noise is why the
 * first step is wide.
 */
#include <stdbool.h>

#define FIT_MAX 16

struct fit_problem {
	int fp_n;
	double fp_low[FIT_MAX], fp_high[FIT_MAX]; /* of x */
	double fp_enough[FIT_MAX]; /* a residual within this is met */
	int fp_max_evaluations;
	/*
	 * Evaluate m points (m * FIT_MAX values in and out). Returns: false to
	 * give up at once.
	 */
	bool (*fp_evaluate)(
	    void *arg, int m, double (*x)[FIT_MAX], double (*r)[FIT_MAX]);
	void *fp_arg;
};

struct fit_solution {
	double fs_x[FIT_MAX], fs_r[FIT_MAX]; /* in: where to start; out: best */
	double fs_slope[FIT_MAX][FIT_MAX];   /* of r by x, at the start */
	int fs_evaluations;
	bool fs_met;	 /* every residual is within fp_enough */
	bool fs_stopped; /* fp_evaluate gave up */
};

void fit_solve(const struct fit_problem *, struct fit_solution *);

/* A value for a profile. */
struct fit_value {
	const char *fv_name;   /* ngx_request, cache.knee */
	const char *fv_text;   /* 15200ns */
	const char *fv_source; /* what fitted it */
	const char *fv_cell;   /* what it was fitted to */
	const char *fv_range;  /* 9us..20us; NULL: none is written */
};

/*
 * Write values into a hardware profile, in place of what stands there; all
 * other bytes stay (but a byte order mark). The file is replaced at once or not
 * at all. Returns: false after an error, which was said on stderr.
 */
bool fit_write(const char *file, const struct fit_value *, int n);

#endif
