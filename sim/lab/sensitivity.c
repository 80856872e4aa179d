#include "sim/lab/sensitivity.h"

#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

#define LEVEL 0.95
#define LEVELS 4 /* of Morris' grid */

/*
 * A point of the plan: its wants are one, or two of a ratio. Its values and
 * results are the plan's.
 */
struct point {
	double *pt_values;
	int pt_first;		  /* replication of the first result */
	int pt_from, pt_to;	  /* those wanted now */
	double (*pt_y)[METRIC_N]; /* metrics, or quotients */
	double (*pt_raw[2])[METRIC_N];
};

struct analysis {
	const struct sensitivity_problem *an_sp;
	struct sensitivity *an_sy;
	int an_n;		       /* factors */
	struct point an_base;	       /* all replications */
	struct point *an_up, *an_down; /* of every factor */
	double *an_each; /* elasticities [(factor * metrics + m) * reps + r] */
};

static bool differences(struct analysis *);
static bool effects(struct analysis *);
static void effects_take(struct analysis *, const struct morris *,
    const int *moved, const struct point *);
static void ends_plan(struct analysis *, int factor, struct point **, int *n);
static void elasticities_take(struct analysis *, int factor);
static void sums_take(struct analysis *);
static bool has_failed(const struct analysis *, const struct point *);
static bool is_used(const struct analysis *, int factor);
static void point_plan(
    const struct analysis *, struct point *, int from, int to);
static void point_fini(struct point *);
static bool points_run(struct analysis *, struct point **, int n);
static void quotients(const struct analysis *, struct point *);
static void column(const struct point *, enum metric, int n, double *out);

void
sensitivity_solve(const struct sensitivity_problem *sp, struct sensitivity *sy)
{
	const int n = sp->sp_factors->fs_n;
	struct analysis an = {
		.an_sp = sp,
		.an_sy = sy,
		.an_n = n,
		.an_up = sim_calloc((size_t)n + 1, sizeof(struct point)),
		.an_down = sim_calloc((size_t)n + 1, sizeof(struct point)),
		.an_each =
		    sim_calloc((size_t)n * sp->sp_nmetrics * sp->sp_reps + 1,
			sizeof(double)),
	};

	SIM_ASSERT(sp->sp_reps >= 2 && sp->sp_nmetrics > 0);
	*sy = (struct sensitivity){
		.sy_effects =
		    sim_calloc((size_t)n + 1, sizeof(*sy->sy_effects)),
	};
	sy->sy_stopped =
	    !differences(&an) || (sp->sp_trajectories > 0 && !effects(&an));
	for (int i = 0; i < n; i++) {
		point_fini(&an.an_up[i]);
		point_fini(&an.an_down[i]);
	}
	point_fini(&an.an_base);
	sim_free(an.an_up);
	sim_free(an.an_down);
	sim_free(an.an_each);
}

void
sensitivity_fini(struct sensitivity *sy)
{
	sim_free(sy->sy_effects);
	sy->sy_effects = NULL;
}

/* The base and one run of each factor tell which are used at all. */
static bool
differences(struct analysis *an)
{
	const struct sensitivity_problem *sp = an->an_sp;
	struct point **wanted =
	    sim_calloc((size_t)2 * an->an_n + 1, sizeof(struct point *));
	int n = 0;
	bool going;

	point_plan(an, &an->an_base, 0, sp->sp_reps);
	wanted[n++] = &an->an_base;
	for (int i = 0; i < an->an_n; i++) {
		const struct factor *fa = &sp->sp_factors->fs_list[i];

		if (!fa->fa_moves)
			continue;
		point_plan(an, &an->an_up[i], 0, 1);
		an->an_up[i].pt_values[i] = fa->fa_up;
		wanted[n++] = &an->an_up[i];
	}
	/* To a base that failed nothing can be compared. */
	going = points_run(an, wanted, n) && !has_failed(an, &an->an_base);
	n = 0;
	for (int i = 0; going && i < an->an_n; i++)
		ends_plan(an, i, wanted, &n);
	going = going && points_run(an, wanted, n);
	sim_free(wanted);
	if (!going)
		return false;
	for (int m = 0; m < sp->sp_nmetrics; m++) {
		double *y = sim_calloc(sp->sp_reps, sizeof(*y));

		column(&an->an_base, sp->sp_metrics[m], sp->sp_reps, y);
		an->an_sy->sy_base[m] = stat_t_interval(y, sp->sp_reps, LEVEL);
		sim_free(y);
	}
	for (int i = 0; i < an->an_n; i++)
		elasticities_take(an, i);
	sums_take(an);
	return true;
}

/* The rest of a factor that is used: replications up, and all down. */
static void
ends_plan(struct analysis *an, int i, struct point **wanted, int *n)
{
	const struct factor *fa = &an->an_sp->sp_factors->fs_list[i];
	struct sensitivity_effect *sf = &an->an_sy->sy_effects[i];

	sf->sf_used = fa->fa_moves ? is_used(an, i) : fa->fa_low < fa->fa_high;
	if (!fa->fa_moves || !sf->sf_used)
		return;
	an->an_up[i].pt_from = 1;
	an->an_up[i].pt_to = an->an_sp->sp_reps;
	wanted[(*n)++] = &an->an_up[i];
	point_plan(an, &an->an_down[i], 0, an->an_sp->sp_reps);
	an->an_down[i].pt_values[i] = fa->fa_down;
	wanted[(*n)++] = &an->an_down[i];
}

/* Whether one of the replications wanted last has. */
static bool
has_failed(const struct analysis *an, const struct point *pt)
{
	for (int r = pt->pt_from - pt->pt_first; r < pt->pt_to - pt->pt_first;
	     r++) {
		if (isnan(pt->pt_raw[0][r][METRIC_REQUESTS]) ||
		    (an->an_sp->sp_ratio &&
			isnan(pt->pt_raw[1][r][METRIC_REQUESTS])))
			return true;
	}
	return false;
}

/* By bits. What failed may be used. */
static bool
is_used(const struct analysis *an, int i)
{
	if (has_failed(an, &an->an_up[i]))
		return true;
	for (int side = 0; side < (an->an_sp->sp_ratio ? 2 : 1); side++) {
		if (memcmp(an->an_base.pt_raw[side][0],
			an->an_up[i].pt_raw[side][0],
			sizeof(double[METRIC_N])) != 0)
			return true;
	}
	return false;
}

static void
elasticities_take(struct analysis *an, int i)
{
	const struct sensitivity_problem *sp = an->an_sp;
	const struct factor *fa = &sp->sp_factors->fs_list[i];
	struct sensitivity_effect *sf = &an->an_sy->sy_effects[i];
	const int reps = sp->sp_reps;
	const double x[3] = { fa->fa_down, fa->fa_base, fa->fa_up };
	double *all = sim_calloc((size_t)3 * reps, sizeof(double));
	double *y[3] = { all, all + reps, all + 2L * reps };

	for (int m = 0; m < sp->sp_nmetrics; m++) {
		const size_t place = (size_t)i * sp->sp_nmetrics + m;

		sf->sf_elasticity[m] = (struct stat_ci){ 0, 0 };
		if (!fa->fa_moves)
			sf->sf_elasticity[m] = (struct stat_ci){ NAN, NAN };
		if (!fa->fa_moves || !sf->sf_used)
			continue;
		column(&an->an_down[i], sp->sp_metrics[m], reps, y[0]);
		column(&an->an_base, sp->sp_metrics[m], reps, y[1]);
		column(&an->an_up[i], sp->sp_metrics[m], reps, y[2]);
		sf->sf_elasticity[m] = elasticity(
		    x[0], x[2], y[0], y[2], reps, an->an_each + place * reps);
		sf->sf_bends[m] =
		    elasticity_bends(x, (const double *const *)y, reps);
	}
	sim_free(all);
}

/* Times alone: a speed, a size or a parameter is no part of them. */
static void
sums_take(struct analysis *an)
{
	const struct sensitivity_problem *sp = an->an_sp;
	double *sum = sim_calloc(sp->sp_reps, sizeof(*sum));

	for (int m = 0; m < sp->sp_nmetrics; m++) {
		for (int r = 0; r < sp->sp_reps; r++) {
			sum[r] = 0;
			for (int i = 0; i < an->an_n; i++) {
				if (!factor_is_time(
					&sp->sp_factors->fs_list[i]))
					continue;
				sum[r] +=
				    an->an_each[((size_t)i * sp->sp_nmetrics +
						    m) *
						    sp->sp_reps +
						r];
			}
		}
		an->an_sy->sy_sum[m] = stat_t_interval(sum, sp->sp_reps, LEVEL);
	}
	sim_free(sum);
}

/* Morris' design over the factors that are used and have a range. */
static bool
effects(struct analysis *an)
{
	const struct sensitivity_problem *sp = an->an_sp;
	int *moved = sim_calloc((size_t)an->an_n + 1, sizeof(*moved)), k = 0;
	struct point *points, **wanted;
	struct morris mo;
	int n;
	bool going;

	for (int i = 0; i < an->an_n; i++) {
		const struct factor *fa = &sp->sp_factors->fs_list[i];

		if (an->an_sy->sy_effects[i].sf_used &&
		    fa->fa_low < fa->fa_high)
			moved[k++] = i;
	}
	if (k == 0) {
		sim_free(moved);
		return true;
	}
	morris_init(&mo, k, sp->sp_trajectories, LEVELS, sp->sp_seed);
	n = sp->sp_trajectories * (k + 1);
	points = sim_calloc(n, sizeof(*points));
	wanted = sim_calloc(n, sizeof(struct point *));
	for (int p = 0; p < n; p++) {
		const int t = p / (k + 1);
		const double *x = morris_point(&mo, t, p % (k + 1));

		point_plan(an, &points[p], t, t + 1);
		for (int f = 0; f < k; f++)
			points[p].pt_values[moved[f]] =
			    factor_at(&sp->sp_factors->fs_list[moved[f]], x[f]);
		wanted[p] = &points[p];
	}
	going = points_run(an, wanted, n);
	if (going)
		effects_take(an, &mo, moved, points);
	for (int p = 0; p < n; p++)
		point_fini(&points[p]);
	sim_free(points);
	sim_free(wanted);
	sim_free(moved);
	morris_fini(&mo);
	return going;
}

static void
effects_take(struct analysis *an, const struct morris *mo, const int *moved,
    const struct point *points)
{
	const struct sensitivity_problem *sp = an->an_sp;
	const int n = mo->mo_r * (mo->mo_k + 1);
	struct morris_effect *me = sim_calloc(mo->mo_k, sizeof(*me));
	double *y = sim_calloc(n, sizeof(*y));

	for (int m = 0; m < sp->sp_nmetrics; m++) {
		for (int p = 0; p < n; p++) {
			const double v = points[p].pt_y[0][sp->sp_metrics[m]];

			y[p] = v > 0 ? log(v) : NAN;
		}
		morris_effects(mo, y, me);
		for (int f = 0; f < mo->mo_k; f++)
			an->an_sy->sy_effects[moved[f]].sf_morris[m] = me[f];
	}
	sim_free(me);
	sim_free(y);
}

static void
point_plan(const struct analysis *an, struct point *pt, int from, int to)
{
	const int reps =
	    an->an_sp->sp_reps > to - from ? an->an_sp->sp_reps : to - from;

	pt->pt_first = pt->pt_from = from;
	pt->pt_to = to;
	pt->pt_values = sim_calloc((size_t)an->an_n + 1, sizeof(double));
	for (int i = 0; i < an->an_n; i++)
		pt->pt_values[i] = NAN;
	pt->pt_y = sim_calloc(reps, sizeof(*pt->pt_y));
	for (int side = 0; side < 2; side++)
		pt->pt_raw[side] = sim_calloc(reps, sizeof(*pt->pt_y));
}

static void
point_fini(struct point *pt)
{
	sim_free(pt->pt_values);
	sim_free(pt->pt_y);
	sim_free(pt->pt_raw[0]);
	sim_free(pt->pt_raw[1]);
}

static bool
points_run(struct analysis *an, struct point **points, int n)
{
	const int sides = an->an_sp->sp_ratio ? 2 : 1;
	struct sensitivity_want *sw =
	    sim_calloc((size_t)n * sides + 1, sizeof(*sw));
	bool going = true;

	for (int i = 0; i < n * sides; i++) {
		const struct point *pt = points[i / sides];

		sw[i] = (struct sensitivity_want){
			.sw_values = pt->pt_values,
			.sw_other = i % sides == 1,
			.sw_from = pt->pt_from,
			.sw_to = pt->pt_to,
			.sw_y =
			    pt->pt_raw[i % sides] + pt->pt_from - pt->pt_first,
		};
		an->an_sy->sy_runs += pt->pt_to - pt->pt_from;
	}
	if (n > 0)
		going =
		    an->an_sp->sp_evaluate(an->an_sp->sp_arg, sw, n * sides);
	for (int i = 0; going && i < n; i++)
		quotients(an, points[i]);
	sim_free(sw);
	return going;
}

static void
quotients(const struct analysis *an, struct point *pt)
{
	an->an_sy->sy_failed |= has_failed(an, pt);
	for (int r = pt->pt_from - pt->pt_first; r < pt->pt_to - pt->pt_first;
	     r++) {
		const double *y = pt->pt_raw[0][r], *other = pt->pt_raw[1][r];

		for (int m = 0; m < METRIC_N; m++)
			pt->pt_y[r][m] =
			    an->an_sp->sp_ratio ? other[m] / y[m] : y[m];
	}
}

static void
column(const struct point *pt, enum metric m, int n, double *out)
{
	for (int r = 0; r < n; r++)
		out[r] = pt->pt_y[r][m];
}

double
sensitivity_rank(
    const struct sensitivity_problem *sp, const struct sensitivity_effect *sf)
{
	double most = 0;

	for (int m = 0; m < sp->sp_nmetrics; m++)
		most = fmax(most, fabs(sf->sf_elasticity[m].mean));
	return most;
}

bool
sensitivity_proven(
    const struct sensitivity_problem *sp, const struct sensitivity_effect *sf)
{
	for (int m = 0; m < sp->sp_nmetrics; m++) {
		const struct stat_ci *ci = &sf->sf_elasticity[m];

		if (fabs(ci->mean) > ci->half)
			return true;
	}
	return false;
}
