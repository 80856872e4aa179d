#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/metric.h"
#include "sim/lab/records.h"
#include "sim/lab/report_impl.h"

/* Scenarios whose cells are done: the same texts, model and sets. */
struct published {
	FILE *pu_fp;
	const struct report_data *pu_rd;
	char **pu_done;
	int pu_ndone, pu_n;	 /* cells printed */
	struct scenario *pu_own; /* of pu_about, with its own sweep */
	int64_t pu_about;
	struct ypool pu_pool;
};

static bool scenario_cells(struct published *, const struct report_point *);
static int sets_beside(struct published *, const struct scenario *,
    const struct report_point *, const char **sets);
static bool is_done(struct published *, const struct store_point *,
    const char *const *sets, int n);
static bool cells_json(
    struct published *, struct scenario *, const char *model);
static bool cell_json(struct published *, struct scenario *,
    const struct scenario_cell *, const struct report_point *);
static double value_of(struct published *, struct scenario *,
    const struct scenario_cell *, const struct report_point *, double *half);
static double gain_of(struct record *const *, int n, struct record *const *,
    int nb, enum metric, double *half);
static const struct report_point *point_at(const struct report_data *,
    struct scenario *, int point, const char *model);

/*
 * What is published of the store's points. The scenario's own sweep is made
 * again, with what was set beside it (a shorter measurement, say), and the
 * cells are those of the points that it and the store have in common.
 */
bool
report_published_json(FILE *fp, const struct report_data *rd)
{
	struct published pu = { .pu_fp = fp, .pu_rd = rd };
	bool ok = true;

	fputs(",\n\"published\":[", fp);
	for (int i = 0; i < rd->rd_npoints && ok; i++)
		ok = scenario_cells(&pu, &rd->rd_points[i]);
	fputc(']', fp);
	scenario_destroy(pu.pu_own);
	sim_free(pu.pu_done);
	ypool_fini(&pu.pu_pool);
	return ok;
}

static bool
scenario_cells(struct published *pu, const struct report_point *rt)
{
	struct store *st = pu->pu_rd->rd_store;
	const char *sets[SCENARIO_MAX_AXES];
	struct scenario *sc;
	bool ok = true;
	int n;

	if (pu->pu_about != rt->rt_point->sp_about) {
		scenario_destroy(pu->pu_own);
		pu->pu_own =
		    store_scenario_with(st, rt->rt_point->sp_id, NULL, 0);
		pu->pu_about = rt->rt_point->sp_about;
	}
	if (pu->pu_own == NULL || pu->pu_own->sc_ncells == 0)
		return true; /* nothing to compare with; an error was said */
	n = sets_beside(pu, pu->pu_own, rt, sets);
	if (is_done(pu, rt->rt_point, sets, n))
		return true;
	sc = store_scenario_with(st, rt->rt_point->sp_id, sets, n);
	if (sc != NULL)
		ok = cells_json(pu, sc, rt->rt_point->sp_model);
	scenario_destroy(sc);
	return ok;
}

/* What the point has set that is no axis of the scenario's own sweep. */
static int
sets_beside(struct published *pu, const struct scenario *sc,
    const struct report_point *rt, const char **sets)
{
	const struct record *about = rt->rt_about;
	int n = 0;

	for (int i = 0; i < about->rd_nparams && n < SCENARIO_MAX_AXES; i++) {
		const struct scenario_param *pa = &about->rd_params[i];
		int k = 0;

		while (k < sc->sc_naxes &&
		       strcmp(sc->sc_axes[k].ax_name, pa->pa_path) != 0)
			k++;
		if (k == sc->sc_naxes && strcmp(pa->pa_value, "null") != 0)
			sets[n++] = ypool_printf(
			    &pu->pu_pool, "%s=%s", pa->pa_path, pa->pa_value);
	}
	return n;
}

static bool
is_done(struct published *pu, const struct store_point *sp,
    const char *const *sets, int n)
{
	char *all = ypool_printf(
	    &pu->pu_pool, "%lld %s", (long long)sp->sp_about, sp->sp_model);

	for (int i = 0; i < n; i++)
		all = ypool_printf(&pu->pu_pool, "%s\n%s", all, sets[i]);
	for (int i = 0; i < pu->pu_ndone; i++)
		if (strcmp(pu->pu_done[i], all) == 0)
			return true;
	pu->pu_done = sim_realloc(
	    pu->pu_done, (size_t)pu->pu_ndone + 1, sizeof(*pu->pu_done));
	pu->pu_done[pu->pu_ndone++] = all;
	return false;
}

static bool
cells_json(struct published *pu, struct scenario *sc, const char *model)
{
	bool ok = true;

	for (int i = 0; i < sc->sc_ncells && ok; i++) {
		const struct scenario_cell *ce = &sc->sc_cells[i];
		const struct report_point *rt;

		if (ce->ce_point < 0)
			continue;
		rt = point_at(pu->pu_rd, sc, ce->ce_point, model);
		if (rt != NULL)
			ok = cell_json(pu, sc, ce, rt);
	}
	return ok;
}

/* Of whatever version of the model: that of the point tells its key. */
static const struct report_point *
point_at(const struct report_data *rd, struct scenario *sc, int point,
    const char *model)
{
	char key[STORE_KEY_SIZE];

	store_point_key_of(sc, point, model, key);
	return report_point_keyed(rd, key);
}

static bool
cell_json(struct published *pu, struct scenario *sc,
    const struct scenario_cell *ce, const struct report_point *rt)
{
	FILE *fp = pu->pu_fp;
	enum metric m = metric_of(ce->ce_metric);
	double half = INFINITY, value = value_of(pu, sc, ce, rt, &half), error;
	bool known = ce->ce_unpublished || ce->ce_by_ranges;

	if (isnan(value))
		return true;
	error = ce->ce_ratio != NULL ? value - ce->ce_value
				     : metric_error_pct(m, value, ce->ce_value);
	fprintf(fp, "%s{\"point\":%lld,\"metric\":\"%s\",\"where\":",
	    pu->pu_n++ > 0 ? ",\n" : "", (long long)rt->rt_point->sp_id,
	    ce->ce_metric->km_json);
	report_string(fp, ce->ce_where);
	fputs(",\"ratio_to\":", fp);
	if (ce->ce_ratio != NULL)
		report_string(fp, ce->ce_ratio);
	else
		fputs("null", fp);
	fputs(",\"value\":", fp);
	report_number(fp, ce->ce_unpublished ? (double)NAN : ce->ce_value, 12);
	fputs(",\"simulated\":", fp);
	report_number(fp, value, 12);
	fputs(",\"half\":", fp);
	report_number(fp, half, 4);
	fputs(",\"error_pct\":", fp);
	report_number(fp, ce->ce_unpublished ? (double)NAN : error, 6);
	fputs(",\"tolerance_pct\":", fp);
	report_number(fp, known ? (double)NAN : ce->ce_tolerance_pct, 6);
	fprintf(fp, ",\"role\":\"%s\",\"ok\":%s,\"missed\":",
	    ce->ce_unpublished ? "variant"
	    : ce->ce_fitted    ? "fitted"
			       : "predicted",
	    known				  ? "null"
	    : fabs(error) <= ce->ce_tolerance_pct ? "true"
						  : "false");
	if (ce->ce_missed != NULL)
		report_string(fp, ce->ce_missed);
	else
		fputs("null", fp);
	fputc('}', fp);
	return true;
}

/* NAN: the store lacks a point of it, or its runs. */
static double
value_of(struct published *pu, struct scenario *sc,
    const struct scenario_cell *ce, const struct report_point *rt, double *half)
{
	struct store *st = pu->pu_rd->rd_store;
	const struct report_point *other = NULL;
	enum metric m = metric_of(ce->ce_metric);
	struct record **rds, **others = NULL;
	double value = NAN;
	int n, nothers = 0;

	if (ce->ce_ratio != NULL) {
		other = point_at(
		    pu->pu_rd, sc, ce->ce_ratio_point, rt->rt_point->sp_model);
		if (other == NULL)
			return NAN;
	}
	n = store_records(st, rt->rt_point->sp_id, &rds);
	if (other != NULL)
		nothers = store_records(st, other->rt_point->sp_id, &others);
	if (n > 0 && other == NULL) {
		struct stat_ci ci = records_metric(rds, n, m);

		value = ci.mean;
		*half = ci.half;
	} else if (n > 0 && nothers > 0) {
		value = gain_of(rds, n, others, nothers, m, half);
	}
	if (n >= 0)
		store_records_free(rds, n);
	if (other != NULL && nothers >= 0)
		store_records_free(others, nothers);
	return value;
}

/* As point_gain(): percent; replications of one number are compared. */
static double
gain_of(struct record *const *a, int na, struct record *const *b, int nb,
    enum metric m, double *half)
{
	const char *name = key_metrics[m].km_json;
	int n = na < nb ? na : nb;
	double *x = sim_calloc((size_t)n, sizeof(*x));

	for (int r = 0; r < n; r++)
		x[r] =
		    100 *
		    (record_metric(a[r], name) / record_metric(b[r], name) - 1);
	*half = stat_t_interval(x, n, 0.95).half;
	sim_free(x);
	return 100 *
	       (records_metric(a, na, m).mean / records_metric(b, nb, m).mean -
		   1);
}
