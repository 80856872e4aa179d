/*
 * solab sensitivity: which cost and which parameter moves which metric.
 */
#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/lookup.h"
#include "sim/lab/sensitivity_output.h"

#define REPS 3
#define STEP 0.1
#define SPREAD 2
#define BATCH 64 /* scenarios that are loaded at once */

static bool ask(const struct cli_args *, struct sensitivity_question *);
static bool reps_take(const struct cli_args *, struct sensitivity_question *);
static bool numbers_take(const struct cli_args *, struct factor_options *);
static bool metrics_take(const struct cli_list *, struct sensitivity_problem *);
static bool ratio_take(const struct cli_args *, struct scenario *base);
static bool is_same(struct scenario *, struct scenario *);
static int answer(const struct cli_args *, struct sensitivity_question *);
static bool evaluate(void *arg, struct sensitivity_want *, int n);
static bool batch_run(
    struct sensitivity_question *, struct sensitivity_want *, int n);
static void want_take(const struct variant *, const struct sensitivity_want *);

int
cmd_sensitivity(const struct cli_args *ca)
{
	struct sensitivity_question sq = { .sq_ratio = &ca->ca_ratios };
	int status = EXIT_USAGE;

	if (!reps_take(ca, &sq) || !numbers_take(ca, &sq.sq_options) ||
	    !metrics_take(&ca->ca_metrics, &sq.sq_problem))
		return EXIT_USAGE;
	sq.sq_scenario = lookup_load(ca->ca_files[0], ca);
	if (sq.sq_scenario == NULL)
		return EXIT_USAGE;
	if (ask(ca, &sq)) {
		status = EXIT_FAILED;
		if (variants_open(&sq.sq_variants, ca)) {
			status = answer(ca, &sq);
			variants_close(&sq.sq_variants);
		}
	}
	factors_fini(&sq.sq_factors);
	scenario_destroy(sq.sq_scenario);
	return status;
}

static bool
ask(const struct cli_args *ca, struct sensitivity_question *sq)
{
	struct factor_options *fo = &sq->sq_options;
	struct sensitivity_problem *sp = &sq->sq_problem;
	struct diag d;
	bool good;

	fo->fo_params = ca->ca_params.cl_texts;
	fo->fo_nparams = ca->ca_params.cl_n;
	fo->fo_peers = ca->ca_peers;
	diag_init(&d);
	good = factors_make(sq->sq_scenario, fo, &sq->sq_factors, &d);
	diag_print(&d, stderr);
	diag_fini(&d);
	sp->sp_factors = &sq->sq_factors;
	sp->sp_ratio = ca->ca_ratios.cl_n > 0;
	sp->sp_trajectories = ca->ca_morris;
	sp->sp_seed = sq->sq_scenario->sc_setup.su_run.sr_seed;
	sp->sp_evaluate = evaluate;
	sp->sp_arg = sq;
	return good && ratio_take(ca, sq->sq_scenario);
}

static bool
reps_take(const struct cli_args *ca, struct sensitivity_question *sq)
{
	sq->sq_problem.sp_reps = ca->ca_reps > 0 ? ca->ca_reps : REPS;
	if (sq->sq_problem.sp_reps >= 2)
		return true;
	cli_usage("sensitivity", "--reps: one run has no interval, want 2");
	return false;
}

static bool
numbers_take(const struct cli_args *ca, struct factor_options *fo)
{
	struct unit_error ue;
	struct quantity q;

	fo->fo_step = STEP;
	fo->fo_spread = SPREAD;
	if (ca->ca_step != NULL) {
		if (!unit_parse(UNIT_PERCENT, ca->ca_step, &q, &ue)) {
			cli_usage("sensitivity", "--step: %s", ue.ue_text);
			return false;
		}
		if (q.q_real <= 0 || q.q_real > 100) {
			cli_usage("sensitivity",
			    "--step: '%s', want more than 0%%, up to 100%%",
			    ca->ca_step);
			return false;
		}
		fo->fo_step = q.q_real / 100;
	}
	if (ca->ca_factor == NULL)
		return true;
	if (!unit_parse(UNIT_NONE, ca->ca_factor, &q, &ue) || q.q_real <= 1 ||
	    q.q_real > 100) {
		cli_usage("sensitivity",
		    "--factor: '%s', want a number above 1, up to 100",
		    ca->ca_factor);
		return false;
	}
	fo->fo_spread = q.q_real;
	return true;
}

static bool
metrics_take(const struct cli_list *cl, struct sensitivity_problem *sp)
{
	static const enum metric usual[] = { METRIC_THROUGHPUT,
		METRIC_LATENCY_MEAN, METRIC_LATENCY_P99, METRIC_CYCLE_MEAN };
	const char *names[METRIC_N], *near;

	for (size_t m = 0; m < key_metrics_n; m++)
		names[m] = key_metrics[m].km_name;
	for (int i = 0; i < cl->cl_n; i++) {
		const char *word = cl->cl_texts[i];
		size_t m = 0;

		while (m < key_metrics_n && strcmp(names[m], word) != 0)
			m++;
		if (m == key_metrics_n) {
			near = diag_nearest(word, names, key_metrics_n);
			cli_usage("sensitivity",
			    "--metric: unknown metric '%s'%s%s%s", word,
			    near ? ", did you mean '" : "", near ? near : "",
			    near ? "'?" : "");
			return false;
		}
		if (sp->sp_nmetrics < METRIC_N)
			sp->sp_metrics[sp->sp_nmetrics++] = (enum metric)m;
	}
	for (int i = 0; i < 4 && cl->cl_n == 0; i++)
		sp->sp_metrics[sp->sp_nmetrics++] = usual[i];
	return true;
}

/* The scenario must take the other setting: said before anything runs. */
static bool
ratio_take(const struct cli_args *ca, struct scenario *base)
{
	struct cli_args with = *ca;
	struct scenario *sc;
	bool good;

	if (ca->ca_ratios.cl_n + ca->ca_nsets > CLI_MAX_SETS) {
		cli_usage(
		    "sensitivity", "more than %d parameters set", CLI_MAX_SETS);
		return false;
	}
	for (int i = 0; i < ca->ca_ratios.cl_n; i++)
		with.ca_sets[with.ca_nsets++] =
		    (char *)ca->ca_ratios.cl_texts[i];
	if (ca->ca_ratios.cl_n == 0)
		return true;
	sc = lookup_load(ca->ca_files[0], &with);
	if (sc == NULL)
		return false;
	good = !is_same(base, sc);
	scenario_destroy(sc);
	if (!good)
		cli_usage("sensitivity",
		    "--ratio: the base point is the same: set it otherwise");
	return good;
}

static bool
is_same(struct scenario *a, struct scenario *b)
{
	struct ypool yp = { NULL };
	struct scenario_resolved *x, *y;
	const int n = scenario_resolved(a, SCENARIO_BASE, &yp, &x);
	bool same = n == scenario_resolved(b, SCENARIO_BASE, &yp, &y);

	for (int i = 0; same && i < n; i++)
		same = strcmp(x[i].sv_path, y[i].sv_path) == 0 &&
		       strcmp(x[i].sv_value, y[i].sv_value) == 0;
	ypool_fini(&yp);
	return same;
}

static int
answer(const struct cli_args *ca, struct sensitivity_question *sq)
{
	struct sensitivity sy;
	int status;

	if (!ca->ca_json)
		sensitivity_print_question(stdout, sq);
	sensitivity_solve(&sq->sq_problem, &sy);
	status = sy.sy_failed ? EXIT_FAILED : EXIT_OK;
	if (sy.sy_stopped)
		status = variants_exit(&sq->sq_variants, sq->sq_status);
	else if (ca->ca_json)
		sensitivity_print_json(stdout, sq, &sy);
	else
		sensitivity_print_text(stdout, sq, &sy);
	sensitivity_fini(&sy);
	return status;
}

static bool
evaluate(void *arg, struct sensitivity_want *sw, int n)
{
	struct sensitivity_question *sq = arg;

	for (int i = 0; i < n; i += BATCH) {
		if (!batch_run(sq, sw + i, n - i < BATCH ? n - i : BATCH))
			return false;
	}
	return true;
}

static bool
batch_run(struct sensitivity_question *sq, struct sensitivity_want *sw, int n)
{
	const struct factors *fs = &sq->sq_factors;
	struct variant *va = sim_calloc(n, sizeof(*va));
	int nratio = sq->sq_ratio->cl_n, room = nratio;

	for (int f = 0; f < fs->fs_n; f++)
		room += fs->fs_list[f].fa_npaths;
	for (int i = 0; i < n; i++) {
		char **sets = sim_calloc((size_t)room + 1, sizeof(char *));
		int k = 0;

		for (int f = 0; f < fs->fs_n; f++) {
			if (!isnan(sw[i].sw_values[f]))
				k += factor_sets(&fs->fs_list[f],
				    sw[i].sw_values[f], sets + k);
		}
		for (int r = 0; sw[i].sw_other && r < nratio; r++)
			sets[k++] = sim_strdup(sq->sq_ratio->cl_texts[r]);
		va[i] = (struct variant){
			.va_sets = sets,
			.va_nsets = k,
			.va_from = sw[i].sw_from,
			.va_to = sw[i].sw_to,
		};
	}
	sq->sq_status = variants_run(&sq->sq_variants, va, n);
	for (int i = 0; i < n && sq->sq_status == RUN_DONE; i++)
		want_take(&va[i], &sw[i]);
	variants_fini(va, n);
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < va[i].va_nsets; k++)
			sim_free(va[i].va_sets[k]);
		sim_free(va[i].va_sets);
	}
	sim_free(va);
	return sq->sq_status == RUN_DONE;
}

static void
want_take(const struct variant *va, const struct sensitivity_want *sw)
{
	for (int r = 0; r < sw->sw_to - sw->sw_from; r++) {
		for (int m = 0; m < METRIC_N; m++)
			sw->sw_y[r][m] =
			    variant_metric(va->va_records[r], (enum metric)m);
	}
}
