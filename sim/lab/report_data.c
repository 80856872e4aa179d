#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/report_impl.h"
#include "sim/lab/units.h"

static bool points_load(struct report_data *);
static bool is_wanted(const struct report *, int64_t point);
static void failures(struct report_data *, struct report_point *);
static void origins(struct report_data *);
static void axes_find(struct report_data *);
static struct report_axis *axis_of(
    struct report_data *, const struct scenario_param *);
static int axis_value(
    struct report_data *, struct report_axis *, const char *text);
static void axis_numbers(struct report_data *, struct report_axis *);
static void axis_sort(struct report_axis *);
static void points_place(struct report_data *);

bool
report_data_init(struct report_data *rd, const struct report *rp)
{
	*rd = (struct report_data){
		.rd_report = rp,
		.rd_store = rp->rp_store,
	};
	if (!points_load(rd))
		return false;
	axes_find(rd);
	points_place(rd);
	return true;
}

void
report_data_fini(struct report_data *rd)
{
	for (int i = 0; i < rd->rd_npoints; i++)
		record_destroy(rd->rd_points[i].rt_about);
	for (int i = 0; i < rd->rd_naxes; i++)
		sim_free(rd->rd_axes[i].ra_values);
	sim_free(rd->rd_axes);
	sim_free(rd->rd_points);
	sim_free(rd->rd_all);
	sim_free(rd->rd_runs);
	sim_free(rd->rd_abouts);
	sim_free(rd->rd_models);
	ypool_fini(&rd->rd_pool);
}

static bool
points_load(struct report_data *rd)
{
	int n = store_points(rd->rd_store, &rd->rd_all, &rd->rd_pool);

	if (n < 0)
		return false;
	rd->rd_nruns = store_runs(rd->rd_store, &rd->rd_runs, &rd->rd_pool);
	rd->rd_nabouts =
	    store_abouts(rd->rd_store, &rd->rd_abouts, &rd->rd_pool);
	if (rd->rd_nruns < 0 || rd->rd_nabouts < 0)
		return false;
	rd->rd_points = sim_calloc((size_t)n + 1, sizeof(*rd->rd_points));
	for (int i = 0; i < n; i++) {
		struct report_point *rt = &rd->rd_points[rd->rd_npoints];

		if (!is_wanted(rd->rd_report, rd->rd_all[i].sp_id))
			continue;
		rt->rt_point = &rd->rd_all[i];
		rt->rt_about =
		    store_get_point(rd->rd_store, rt->rt_point->sp_id);
		if (rt->rt_about == NULL)
			return false;
		rd->rd_npoints++;
	}
	for (int i = 0; i < rd->rd_npoints; i++)
		failures(rd, &rd->rd_points[i]);
	origins(rd);
	return true;
}

/* Which scenario and which model each point is of. */
static void
origins(struct report_data *rd)
{
	rd->rd_models =
	    sim_calloc((size_t)rd->rd_npoints + 1, sizeof(*rd->rd_models));
	for (int i = 0; i < rd->rd_npoints; i++) {
		struct report_point *rt = &rd->rd_points[i];
		const struct store_point *sp = rt->rt_point;
		int m = 0;

		while (m < rd->rd_nmodels &&
		       strcmp(rd->rd_models[m], sp->sp_model) != 0)
			m++;
		if (m == rd->rd_nmodels)
			rd->rd_models[rd->rd_nmodels++] = sp->sp_model;
		rt->rt_model_index = m;
		while (rt->rt_about_index + 1 < rd->rd_nabouts &&
		       rd->rd_abouts[rt->rt_about_index].sb_id != sp->sp_about)
			rt->rt_about_index++;
	}
}

static bool
is_wanted(const struct report *rp, int64_t point)
{
	for (int i = 0; i < rp->rp_nonly; i++)
		if (rp->rp_only[i] == point)
			return true;
	return rp->rp_only == NULL;
}

static int
run_of(const void *key, const void *member)
{
	const struct store_run *sn = member;
	int64_t id = *(const int64_t *)key;

	return (id > sn->sn_point) - (id < sn->sn_point);
}

/* Runs are in the order of points. */
static void
failures(struct report_data *rd, struct report_point *rt)
{
	const struct store_run *end = rd->rd_runs + rd->rd_nruns;
	const struct store_run *sn = NULL;

	if (rd->rd_nruns > 0)
		sn = bsearch(&rt->rt_point->sp_id, rd->rd_runs,
		    (size_t)rd->rd_nruns, sizeof(*sn), run_of);
	while (sn != NULL && sn > rd->rd_runs &&
	       sn[-1].sn_point == rt->rt_point->sp_id)
		sn--;
	for (; sn != NULL && sn < end && sn->sn_point == rt->rt_point->sp_id;
	     sn++) {
		if (sn->sn_state != STORE_FAILED)
			continue;
		if (rt->rt_failed++ == 0)
			rt->rt_message = sn->sn_message;
	}
}

/* Parameters in the order in which points have them. */
static void
axes_find(struct report_data *rd)
{
	for (int i = 0; i < rd->rd_npoints; i++) {
		const struct record *about = rd->rd_points[i].rt_about;

		for (int k = 0; k < about->rd_nparams; k++) {
			const struct scenario_param *pa = &about->rd_params[k];

			axis_value(rd, axis_of(rd, pa), pa->pa_value);
		}
	}
	for (int i = 0; i < rd->rd_naxes; i++) {
		axis_numbers(rd, &rd->rd_axes[i]);
		axis_sort(&rd->rd_axes[i]);
	}
}

static struct report_axis *
axis_of(struct report_data *rd, const struct scenario_param *pa)
{
	for (int i = 0; i < rd->rd_naxes; i++)
		if (strcmp(rd->rd_axes[i].ra_path, pa->pa_path) == 0)
			return &rd->rd_axes[i];
	rd->rd_axes = sim_realloc(
	    rd->rd_axes, (size_t)rd->rd_naxes + 1, sizeof(*rd->rd_axes));
	rd->rd_axes[rd->rd_naxes] = (struct report_axis){
		.ra_path = pa->pa_path,
		.ra_short = pa->pa_short,
	};
	return &rd->rd_axes[rd->rd_naxes++];
}

/* The index of a value, made when it is the first such. */
static int
axis_value(struct report_data *rd, struct report_axis *ra, const char *text)
{
	(void)rd;
	for (int i = 0; i < ra->ra_n; i++)
		if (strcmp(ra->ra_values[i], text) == 0)
			return i;
	if ((ra->ra_n & (ra->ra_n - 1)) == 0)
		ra->ra_values = sim_realloc(ra->ra_values,
		    ra->ra_n > 0 ? 2 * (size_t)ra->ra_n : 1,
		    sizeof(*ra->ra_values));
	ra->ra_values[ra->ra_n] = text;
	return ra->ra_n++;
}

static void
axis_numbers(struct report_data *rd, struct report_axis *ra)
{
	double *numbers =
	    ypool_alloc(&rd->rd_pool, (size_t)ra->ra_n * sizeof(*numbers));
	struct unit_error ue;
	struct quantity q;

	for (int unit = 0; unit < UNIT_NKINDS; unit++) {
		int n = 0;

		while (n < ra->ra_n && unit_parse((enum unit_kind)unit,
					   ra->ra_values[n], &q, &ue))
			numbers[n++] = q.q_real;
		if (n == ra->ra_n) {
			ra->ra_numbers = numbers;
			return;
		}
	}
}

static void
axis_sort(struct report_axis *ra)
{
	for (int i = 1; i < ra->ra_n && ra->ra_numbers != NULL; i++) {
		const char *value = ra->ra_values[i];
		double number = ra->ra_numbers[i];
		int k = i;

		for (; k > 0 && ra->ra_numbers[k - 1] > number; k--) {
			ra->ra_numbers[k] = ra->ra_numbers[k - 1];
			ra->ra_values[k] = ra->ra_values[k - 1];
		}
		ra->ra_numbers[k] = number;
		ra->ra_values[k] = value;
	}
}

static void
points_place(struct report_data *rd)
{
	for (int i = 0; i < rd->rd_npoints; i++) {
		struct report_point *rt = &rd->rd_points[i];
		const struct record *about = rt->rt_about;

		rt->rt_at = ypool_alloc(&rd->rd_pool,
		    ((size_t)rd->rd_naxes + 1) * sizeof(*rt->rt_at));
		for (int k = 0; k < rd->rd_naxes; k++)
			rt->rt_at[k] = -1;
		for (int k = 0; k < about->rd_nparams; k++) {
			const struct scenario_param *pa = &about->rd_params[k];
			struct report_axis *ra = axis_of(rd, pa);

			rt->rt_at[ra - rd->rd_axes] =
			    axis_value(rd, ra, pa->pa_value);
		}
	}
}

const struct report_point *
report_point_of(const struct report_data *rd, int64_t id)
{
	for (int i = 0; i < rd->rd_npoints; i++)
		if (rd->rd_points[i].rt_point->sp_id == id)
			return &rd->rd_points[i];
	return NULL;
}

const struct report_point *
report_point_keyed(const struct report_data *rd, const char *key)
{
	for (int i = 0; i < rd->rd_npoints; i++)
		if (strcmp(rd->rd_points[i].rt_point->sp_key, key) == 0)
			return &rd->rd_points[i];
	return NULL;
}
