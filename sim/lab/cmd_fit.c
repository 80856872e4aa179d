/*
 * solab fit: the only origin of fitted costs.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/fit.h"
#include "sim/lab/lookup.h"
#include "sim/lab/points.h"

#define DEFAULT_EVALUATIONS 40
#define ENOUGH 0.02 /* of a cell whose tolerance is wide */

struct fitting {
	struct scenario *fg_sc;
	struct run_options fg_ro;
	int fg_points[FIT_MAX]; /* of the sweep: those with a fitted cell */
	int fg_npoints;
	int fg_evaluations;
	enum run_status fg_status;
};

static bool check(const struct scenario *);
static void points_needed(struct fitting *);
static void problem_init(
    struct fitting *, const struct cli_args *, struct fit_problem *);
static void solution_init(struct fitting *, struct fit_solution *);
static bool evaluate(
    void *arg, int m, double (*x)[FIT_MAX], double (*r)[FIT_MAX]);
static void print_evaluation(
    struct fitting *, const double *x, const double *r);
static void print_solution(struct fitting *, const struct fit_problem *,
    const struct fit_solution *, const struct fit_solution *begin);
static bool write_profiles(struct fitting *, const struct fit_solution *);
static int64_t cost_of(double x);
static char *cost_text(const struct scenario_fit *, double x, char *buf);

int
cmd_fit(const struct cli_args *ca)
{
	struct scenario *sc = lookup_load(ca->ca_files[0], ca);
	struct fitting fg = { .fg_sc = sc, .fg_status = RUN_DONE };
	struct fit_problem fp;
	struct fit_solution fs, begin;
	int status = EXIT_OK;

	if (sc == NULL)
		return EXIT_USAGE;
	if (!check(sc)) {
		scenario_destroy(sc);
		return EXIT_USAGE;
	}
	fg.fg_ro.ro_scenario = sc->sc_name;
	fg.fg_ro.ro_jobs = ca->ca_jobs;
	points_needed(&fg);
	problem_init(&fg, ca, &fp);
	solution_init(&fg, &fs);
	begin = fs;
	fit_solve(&fp, &fs);
	if (fs.fs_stopped) {
		status = fg.fg_status == RUN_INTERRUPTED ? EXIT_INTERRUPTED
							 : EXIT_FAILED;
	} else {
		print_solution(&fg, &fp, &fs, &begin);
		if ((!ca->ca_dry_run && !write_profiles(&fg, &fs)) ||
		    !fs.fs_met)
			status = EXIT_FAILED;
	}
	scenario_destroy(sc);
	return status;
}

static bool
check(const struct scenario *sc)
{
	if (sc->sc_nfits == 0 || sc->sc_nfits > FIT_MAX) {
		fprintf(stderr,
		    "solab: %s: `fit:` names %d costs, want 1..%d\n",
		    sc->sc_file, sc->sc_nfits, FIT_MAX);
		return false;
	}
	for (int i = 0; i < sc->sc_nfits; i++) {
		const struct scenario_cell *ce =
		    &sc->sc_cells[sc->sc_fits[i].fi_cell];

		if (ce->ce_point >= 0)
			continue;
		fprintf(stderr, "solab: %s: --set leaves no point for %s\n",
		    sc->sc_file, ce->ce_where);
		return false;
	}
	return true;
}

static const struct scenario_cell *
cell_of(const struct fitting *fg, int fit)
{
	return &fg->fg_sc->sc_cells[fg->fg_sc->sc_fits[fit].fi_cell];
}

static int
point_index(const struct fitting *fg, int fit)
{
	for (int i = 0; i < fg->fg_npoints; i++) {
		if (fg->fg_points[i] == cell_of(fg, fit)->ce_point)
			return i;
	}
	return -1;
}

static void
points_needed(struct fitting *fg)
{
	for (int i = 0; i < fg->fg_sc->sc_nfits; i++) {
		if (point_index(fg, i) < 0)
			fg->fg_points[fg->fg_npoints++] =
			    cell_of(fg, i)->ce_point;
	}
}

/* Met: well inside the tolerance, and never worse than half a percent. */
static void
problem_init(
    struct fitting *fg, const struct cli_args *ca, struct fit_problem *fp)
{
	const struct scenario *sc = fg->fg_sc;

	*fp = (struct fit_problem){
		.fp_n = sc->sc_nfits,
		.fp_max_evaluations = ca->ca_evaluations > 0
					  ? ca->ca_evaluations
					  : DEFAULT_EVALUATIONS,
		.fp_evaluate = evaluate,
		.fp_arg = fg,
	};
	for (int i = 0; i < sc->sc_nfits; i++) {
		fp->fp_low[i] = log((double)sc->sc_fits[i].fi_min);
		fp->fp_high[i] = log((double)sc->sc_fits[i].fi_max);
		fp->fp_enough[i] =
		    fmin(ENOUGH, cell_of(fg, i)->ce_tolerance_pct / 100 / 2);
	}
}

static void
solution_init(struct fitting *fg, struct fit_solution *fs)
{
	const struct scenario *sc = fg->fg_sc;

	*fs = (struct fit_solution){ 0 };
	for (int i = 0; i < sc->sc_nfits; i++) {
		int64_t now = scenario_fit_get(sc, i, &sc->sc_setup);

		fs->fs_x[i] = log(now > 0 ? (double)now : 1);
	}
}

static int64_t
cost_of(double x)
{
	return llround(exp(x));
}

static char *
cost_text(const struct scenario_fit *fi, double x, char *buf)
{
	if (fi->fi_key->k_unit == UNIT_TIME)
		snprintf(buf, UNIT_TEXT_MAX, "%lldns", (long long)cost_of(x));
	else
		unit_print(fi->fi_key->k_unit, cost_of(x), buf);
	return buf;
}

/* All points of all candidates are one batch. */
static bool
evaluate(void *arg, int m, double (*x)[FIT_MAX], double (*r)[FIT_MAX])
{
	struct fitting *fg = arg;
	struct scenario *sc = fg->fg_sc;
	int np = fg->fg_npoints;
	struct point *po = sim_calloc((size_t)m * np, sizeof(*po));

	for (int k = 0; k < m; k++)
		for (int p = 0; p < np; p++) {
			point_init(&po[k * np + p], sc, fg->fg_points[p]);
			for (int i = 0; i < sc->sc_nfits; i++)
				scenario_fit_set(sc, i,
				    &po[k * np + p].po_setup, cost_of(x[k][i]));
		}
	/* After the first batch a line an evaluation is progress enough. */
	fg->fg_ro.ro_quiet = fg->fg_evaluations > 0 && !isatty(STDERR_FILENO);
	fg->fg_status = points_run(po, m * np, NULL, &fg->fg_ro);
	for (int k = 0; k < m && fg->fg_status == RUN_DONE; k++) {
		for (int i = 0; i < sc->sc_nfits; i++) {
			const struct scenario_cell *ce = cell_of(fg, i);
			double v =
			    point_metric(&po[k * np + point_index(fg, i)],
				metric_of(ce->ce_metric))
				.mean;

			r[k][i] = v > 0 ? log(v / ce->ce_value) : -10;
		}
		print_evaluation(fg, x[k], r[k]);
	}
	for (int k = 0; k < m * np; k++)
		point_fini(&po[k]);
	sim_free(po);
	return fg->fg_status == RUN_DONE;
}

static void
print_evaluation(struct fitting *fg, const double *x, const double *r)
{
	char buf[UNIT_TEXT_MAX];

	fprintf(stderr, "evaluation %d:", ++fg->fg_evaluations);
	for (int i = 0; i < fg->fg_sc->sc_nfits; i++)
		fprintf(stderr, " %s=%s", fg->fg_sc->sc_fits[i].fi_cost,
		    cost_text(&fg->fg_sc->sc_fits[i], x[i], buf));
	fputs("; error", stderr);
	for (int i = 0; i < fg->fg_sc->sc_nfits; i++)
		fprintf(stderr, " %+.3f%%", 100 * expm1(r[i]));
	fputc('\n', stderr);
	fflush(stderr);
}

static void
print_solution(struct fitting *fg, const struct fit_problem *fp,
    const struct fit_solution *fs, const struct fit_solution *begin)
{
	const struct scenario *sc = fg->fg_sc;
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];

	printf("%-18s %12s %12s %10s  %s\n", "cost", "before", "fitted",
	    "error", "cell");
	for (int i = 0; i < fp->fp_n; i++) {
		const struct scenario_fit *fi = &sc->sc_fits[i];
		bool bound = fs->fs_x[i] <= fp->fp_low[i] + 1e-6 ||
			     fs->fs_x[i] >= fp->fp_high[i] - 1e-6;

		printf("%-18s %12s %12s %+9.3f%%  %s at %s%s\n", fi->fi_cost,
		    cost_text(fi, begin->fs_x[i], a),
		    cost_text(fi, fs->fs_x[i], b), 100 * expm1(fs->fs_r[i]),
		    cell_of(fg, i)->ce_metric->km_name,
		    cell_of(fg, i)->ce_where,
		    bound ? " (at the end of its range)" : "");
	}
	printf("\n%% of each cell for 1 %% of a cost:\n%-18s", "");
	for (int i = 0; i < fp->fp_n; i++)
		printf(" %16.16s", sc->sc_fits[i].fi_cost);
	printf("\n");
	for (int i = 0; i < fp->fp_n; i++) {
		printf("%-18s", cell_of(fg, i)->ce_metric->km_name);
		for (int k = 0; k < fp->fp_n; k++)
			printf(" %16.3f", fs->fs_slope[i][k]);
		printf("  %s\n", cell_of(fg, i)->ce_where);
	}
	printf("\n%s after %d evaluations\n",
	    fs->fs_met ? "every cell is met" : "NOT every cell is met",
	    fs->fs_evaluations);
}

static const struct hardware *
profile_of(const struct scenario *sc, const struct scenario_fit *fi)
{
	const struct hardware *ha = sc->sc_hardware;

	while (ha != NULL && strcmp(ha->ha_name, fi->fi_profile) != 0)
		ha = ha->ha_next;
	return ha;
}

/* The plausible range, as long as the fitted value is in it. */
static const char *
range_kept(const struct hardware *ha, const struct scenario_fit *fi, double x,
    char *buf, size_t size)
{
	const struct hardware_entry *he = hardware_entry(ha, fi->fi_key);
	char low[UNIT_TEXT_MAX], high[UNIT_TEXT_MAX];

	if (!he->he_ranged || cost_of(x) < he->he_low.kv_int ||
	    cost_of(x) > he->he_high.kv_int)
		return NULL;
	key_print(fi->fi_key, &he->he_low, low, sizeof(low));
	key_print(fi->fi_key, &he->he_high, high, sizeof(high));
	snprintf(buf, size, "%s..%s", low, high);
	return buf;
}

/* Each profile once, with all its values. */
static bool
write_profiles(struct fitting *fg, const struct fit_solution *fs)
{
	const struct scenario *sc = fg->fg_sc;
	const struct setup_run *sr = &sc->sc_setup.su_run;
	char texts[FIT_MAX][UNIT_TEXT_MAX], cells[FIT_MAX][400], source[400];
	char ranges[FIT_MAX][2 * UNIT_TEXT_MAX + 2];
	char t[UNIT_TEXT_MAX];

	snprintf(source, sizeof(source),
	    "solab fit %s, seed %u, %d x %s measured", sc->sc_name,
	    (unsigned)sr->sr_seed, sr->sr_replications,
	    unit_print(UNIT_TIME, sr->sr_measure, t));
	for (const struct hardware *ha = sc->sc_hardware; ha != NULL;
	     ha = ha->ha_next) {
		struct fit_value fv[FIT_MAX];
		int n = 0;

		for (int i = 0; i < sc->sc_nfits; i++) {
			const struct scenario_fit *fi = &sc->sc_fits[i];

			if (profile_of(sc, fi) != ha)
				continue;
			snprintf(cells[i], sizeof(cells[i]), "%s at %s",
			    cell_of(fg, i)->ce_metric->km_name,
			    cell_of(fg, i)->ce_where);
			fv[n++] = (struct fit_value){
				.fv_name = fi->fi_cost,
				.fv_text = cost_text(fi, fs->fs_x[i], texts[i]),
				.fv_source = source,
				.fv_cell = cells[i],
				.fv_range = range_kept(ha, fi, fs->fs_x[i],
				    ranges[i], sizeof(ranges[i])),
			};
		}
		if (n == 0)
			continue;
		if (!fit_write(ha->ha_file, fv, n))
			return false;
		printf("written to %s\n", ha->ha_file);
	}
	return true;
}
