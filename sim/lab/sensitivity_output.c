#include "sim/lab/sensitivity_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/output.h"
#include "sim/lab/text.h"

#define TEXT_MAX 300
#define CELL 20 /* characters of "-0.123 +- 0.001" and two blanks */

/* A table while it is printed. */
struct page {
	FILE *pg_fp;
	const struct sensitivity_question *pg_sq;
	const struct sensitivity_problem *pg_sp;
	const struct sensitivity *pg_sy;
	int *pg_order;	  /* factors, those with most effect first */
	int pg_width;	  /* of names */
	bool pg_profiles; /* there are several: name them */
};

static void order_make(struct page *, double (*rank)(const struct page *, int));
static double elasticity_rank(const struct page *, int factor);
static double morris_rank(const struct page *, int factor);
static void base_print(const struct page *);
static void elasticities_print(const struct page *);
static void elasticity_row(const struct page *, int factor);
static void cells_print(
    const struct page *, const struct stat_ci *, const bool *bends);
static void rest_print(const struct page *);
static void list_print(const struct page *, const char *what,
    bool (*is)(const struct page *, int factor));
static bool is_unproven(const struct page *, int factor);
static bool is_unused(const struct page *, int factor);
static bool is_still(const struct page *, int factor);
static void morris_print(const struct page *);
static void morris_row(const struct page *, int factor);
static void sources_print(const struct page *);
static void headings_print(const struct page *, int width);

static const struct factor *
factor_nth(const struct page *pg, int i)
{
	return &pg->pg_sq->sq_factors.fs_list[i];
}

static const struct sensitivity_effect *
effect_nth(const struct page *pg, int i)
{
	return &pg->pg_sy->sy_effects[i];
}

static bool
has_morris(const struct page *pg, int i)
{
	return effect_nth(pg, i)->sf_morris[0].me_n > 0;
}

/* "ngx_request", or with several profiles "token e5-2620v2-2way". */
static char *
name_text(const struct page *pg, int i, char *buf)
{
	const struct factor *fa = factor_nth(pg, i);

	snprintf(buf, TEXT_MAX, "%s%s%s", fa->fa_name,
	    pg->pg_profiles && fa->fa_profile != NULL ? " " : "",
	    pg->pg_profiles && fa->fa_profile != NULL ? fa->fa_profile : "");
	return buf;
}

void
sensitivity_print_question(FILE *fp, const struct sensitivity_question *sq)
{
	const struct sensitivity_problem *sp = &sq->sq_problem;
	char label[TEXT_MAX], t[UNIT_TEXT_MAX];
	int costs = 0;

	for (int i = 0; i < sq->sq_factors.fs_n; i++)
		costs += sq->sq_factors.fs_list[i].fa_entry != NULL;
	text_print(fp, sq->sq_scenario->sc_name);
	fputs(", ", fp);
	text_print(fp, scenario_point_label(sq->sq_scenario, SCENARIO_BASE,
			   label, sizeof(label)));
	fputc('\n', fp);
	if (sp->sp_ratio)
		fputs("of the ratio of metrics: with", fp);
	for (int i = 0; i < sq->sq_ratio->cl_n; i++)
		fprintf(fp, " %s", sq->sq_ratio->cl_texts[i]);
	if (sp->sp_ratio)
		fputs(", over without\n", fp);
	fprintf(fp, "%d costs guessed or fitted, %d parameters; ", costs,
	    sq->sq_factors.fs_n - costs);
	fprintf(fp,
	    "%d replications of %s, each moved by a factor of %g both ways\n",
	    sp->sp_reps,
	    unit_print(
		UNIT_TIME, sq->sq_scenario->sc_setup.su_run.sr_measure, t),
	    1 + sq->sq_options.fo_step);
	fflush(fp);
}

void
sensitivity_print_text(FILE *fp, const struct sensitivity_question *sq,
    const struct sensitivity *sy)
{
	const int n = sq->sq_factors.fs_n;
	struct page pg = {
		.pg_fp = fp,
		.pg_sq = sq,
		.pg_sp = &sq->sq_problem,
		.pg_sy = sy,
		.pg_order = sim_calloc((size_t)n + 1, sizeof(int)),
		.pg_width = 10,
	};
	const char *first = NULL;
	char buf[TEXT_MAX];

	for (int i = 0; i < n; i++) {
		const char *profile = factor_nth(&pg, i)->fa_profile;

		if (first == NULL)
			first = profile;
		pg.pg_profiles |= profile != NULL && profile != first;
	}
	for (int i = 0; i < n; i++) {
		const int width = (int)strlen(name_text(&pg, i, buf));

		pg.pg_width = width > pg.pg_width ? width : pg.pg_width;
	}
	base_print(&pg);
	elasticities_print(&pg);
	rest_print(&pg);
	if (sq->sq_problem.sp_trajectories > 0)
		morris_print(&pg);
	sources_print(&pg);
	fprintf(fp, "\n%d runs%s\n", sy->sy_runs,
	    sy->sy_failed ? ", some of which failed" : "");
	sim_free(pg.pg_order);
}

/* By insertion: there are a few dozen. */
static void
order_make(struct page *pg, double (*rank)(const struct page *, int))
{
	for (int i = 0; i < pg->pg_sq->sq_factors.fs_n; i++) {
		int at = i;

		while (at > 0 && rank(pg, pg->pg_order[at - 1]) < rank(pg, i)) {
			pg->pg_order[at] = pg->pg_order[at - 1];
			at--;
		}
		pg->pg_order[at] = i;
	}
}

static double
elasticity_rank(const struct page *pg, int i)
{
	return sensitivity_rank(pg->pg_sp, effect_nth(pg, i));
}

static double
morris_rank(const struct page *pg, int i)
{
	double most = 0;

	for (int m = 0; m < pg->pg_sp->sp_nmetrics; m++)
		most = fmax(most, effect_nth(pg, i)->sf_morris[m].me_mu_star);
	return most;
}

static void
base_print(const struct page *pg)
{
	const struct sensitivity_problem *sp = pg->pg_sp;
	char buf[METRIC_CI_MAX];

	for (int m = 0; m < sp->sp_nmetrics; m++) {
		const struct stat_ci ci = pg->pg_sy->sy_base[m];

		if (sp->sp_ratio)
			snprintf(
			    buf, sizeof(buf), "%.4f +- %.4f", ci.mean, ci.half);
		else
			metric_ci_text(sp->sp_metrics[m], ci, buf);
		fprintf(pg->pg_fp, "  %s %s\n",
		    key_metrics[sp->sp_metrics[m]].km_name, buf);
	}
}

static void
headings_print(const struct page *pg, int width)
{
	for (int m = 0; m < pg->pg_sp->sp_nmetrics; m++)
		fprintf(pg->pg_fp, "  %-*s",
		    m + 1 < pg->pg_sp->sp_nmetrics ? width - 2 : 0,
		    key_metrics[pg->pg_sp->sp_metrics[m]].km_name);
	fputc('\n', pg->pg_fp);
}

static void
elasticities_print(const struct page *pg)
{
	const int n = pg->pg_sq->sq_factors.fs_n;
	bool bends = false;
	int costs = 0;

	order_make((struct page *)pg, elasticity_rank);
	fprintf(pg->pg_fp,
	    "\n%% of a metric for 1 %% of a cost (elasticity, 95 %%)\n");
	fprintf(
	    pg->pg_fp, "%-*s %10s  %-6s", pg->pg_width, "", "value", "kind");
	headings_print(pg, CELL);
	for (int i = 0; i < n; i++) {
		const int at = pg->pg_order[i];

		costs += factor_is_time(factor_nth(pg, at)) &&
			 effect_nth(pg, at)->sf_used;
		if (!sensitivity_proven(pg->pg_sp, effect_nth(pg, at)))
			continue;
		elasticity_row(pg, at);
		for (int m = 0; m < pg->pg_sp->sp_nmetrics; m++)
			bends |= effect_nth(pg, at)->sf_bends[m];
	}
	if (costs == 0)
		return;
	fprintf(
	    pg->pg_fp, "%-*s %10s  %-6s", pg->pg_width, "all times", "", "");
	cells_print(pg, pg->pg_sy->sy_sum, NULL);
}

static void
elasticity_row(const struct page *pg, int i)
{
	const struct factor *fa = factor_nth(pg, i);
	char name[TEXT_MAX], value[TEXT_MAX];

	fprintf(pg->pg_fp, "%-*s %10s  %-6s", pg->pg_width,
	    name_text(pg, i, name),
	    parameter_text(fa->fa_key, fa->fa_base, value, sizeof(value)),
	    factor_kind(fa));
	cells_print(
	    pg, effect_nth(pg, i)->sf_elasticity, effect_nth(pg, i)->sf_bends);
}

static void
cells_print(const struct page *pg, const struct stat_ci *ci, const bool *bends)
{
	const int decimals = pg->pg_sp->sp_ratio ? 4 : 3;
	char buf[80];

	for (int m = 0; m < pg->pg_sp->sp_nmetrics; m++) {
		snprintf(buf, sizeof(buf), "-");
		if (isfinite(ci[m].mean))
			snprintf(buf, sizeof(buf), "%+.*f +- %.*f%s", decimals,
			    ci[m].mean, decimals, ci[m].half,
			    bends != NULL && bends[m] ? "^" : "");
		fprintf(pg->pg_fp, "  %-*s",
		    m + 1 < pg->pg_sp->sp_nmetrics ? CELL - 2 : 0, buf);
	}
	fputc('\n', pg->pg_fp);
}

/* What has no line in the table. */
static void
rest_print(const struct page *pg)
{
	const struct factors *fs = &pg->pg_sq->sq_factors;

	list_print(pg, "no effect proven", is_unproven);
	list_print(pg, "not used here (exactly 0)", is_unused);
	list_print(pg, "0 or at a limit, so no elasticity", is_still);
	for (int i = 0; i < fs->fs_nset; i++)
		fprintf(pg->pg_fp, "%s%s",
		    i == 0 ? "set by the scenario, so no guess: " : ", ",
		    fs->fs_set[i]);
	if (fs->fs_nset > 0)
		fputc('\n', pg->pg_fp);
}

static void
list_print(const struct page *pg, const char *what,
    bool (*is)(const struct page *, int factor))
{
	char buf[TEXT_MAX];
	int n = 0, column = 0;

	for (int i = 0; i < pg->pg_sq->sq_factors.fs_n; i++) {
		if (!is(pg, pg->pg_order[i]))
			continue;
		name_text(pg, pg->pg_order[i], buf);
		if (n++ == 0) {
			column = fprintf(pg->pg_fp, "%s: ", what);
		} else if (column + (int)strlen(buf) > 76) {
			fputs(",\n", pg->pg_fp);
			column = fprintf(pg->pg_fp, "    ");
		} else {
			column += fprintf(pg->pg_fp, ", ");
		}
		column += fprintf(pg->pg_fp, "%s", buf);
	}
	if (n > 0)
		fputc('\n', pg->pg_fp);
}

static bool
is_unproven(const struct page *pg, int i)
{
	return factor_nth(pg, i)->fa_moves && effect_nth(pg, i)->sf_used &&
	       !sensitivity_proven(pg->pg_sp, effect_nth(pg, i));
}

static bool
is_unused(const struct page *pg, int i)
{
	return factor_nth(pg, i)->fa_moves && !effect_nth(pg, i)->sf_used;
}

static bool
is_still(const struct page *pg, int i)
{
	return !factor_nth(pg, i)->fa_moves;
}

static void
morris_print(const struct page *pg)
{
	const int n = pg->pg_sq->sq_factors.fs_n;
	const int width = 2 + 3 * 8 + 1;
	bool guessed = false;

	order_make((struct page *)pg, morris_rank);
	fprintf(pg->pg_fp,
	    "\nMorris, %d trajectories: %% of a metric for a whole range\n",
	    pg->pg_sp->sp_trajectories);
	fprintf(pg->pg_fp, "%-*s %-19s", pg->pg_width, "", "range");
	headings_print(pg, width);
	fprintf(pg->pg_fp, "%-*s %-19s", pg->pg_width, "", "");
	for (int m = 0; m < pg->pg_sp->sp_nmetrics; m++)
		fprintf(pg->pg_fp, "  %7s %7s %7s%s", "mu*", "mu", "sigma",
		    m + 1 < pg->pg_sp->sp_nmetrics ? "  " : "");
	fputc('\n', pg->pg_fp);
	for (int i = 0; i < n; i++) {
		if (!has_morris(pg, pg->pg_order[i]))
			continue;
		morris_row(pg, pg->pg_order[i]);
		guessed |= !factor_nth(pg, pg->pg_order[i])->fa_ranged;
	}
	if (!guessed)
		return;
	fprintf(pg->pg_fp,
	    "~ nobody gave a range: between 1/%g and %g times the value\n",
	    pg->pg_sq->sq_options.fo_spread, pg->pg_sq->sq_options.fo_spread);
}

static void
morris_row(const struct page *pg, int i)
{
	const struct factor *fa = factor_nth(pg, i);
	char name[TEXT_MAX], low[TEXT_MAX], high[TEXT_MAX], both[2 * TEXT_MAX];

	snprintf(both, sizeof(both), "%s%s..%s", fa->fa_ranged ? "" : "~",
	    parameter_text(fa->fa_key, factor_at(fa, 0), low, sizeof(low)),
	    parameter_text(fa->fa_key, factor_at(fa, 1), high, sizeof(high)));
	fprintf(pg->pg_fp, "%-*s %-19s", pg->pg_width, name_text(pg, i, name),
	    both);
	for (int m = 0; m < pg->pg_sp->sp_nmetrics; m++) {
		const struct morris_effect *me =
		    &effect_nth(pg, i)->sf_morris[m];

		fprintf(pg->pg_fp, "  %7.2f %+7.2f %7.2f%s",
		    100 * me->me_mu_star, 100 * me->me_mu, 100 * me->me_sigma,
		    m + 1 < pg->pg_sp->sp_nmetrics ? "  " : "");
	}
	fputc('\n', pg->pg_fp);
}

/* Of what has a line in the table, in its order. */
static void
sources_print(const struct page *pg)
{
	char buf[TEXT_MAX];
	int n = 0;

	order_make((struct page *)pg, elasticity_rank);
	for (int i = 0; i < pg->pg_sq->sq_factors.fs_n; i++) {
		const int at = pg->pg_order[i];
		const struct hardware_entry *he = factor_nth(pg, at)->fa_entry;

		if (he == NULL ||
		    !sensitivity_proven(pg->pg_sp, effect_nth(pg, at)))
			continue;
		fprintf(pg->pg_fp, "%s  %-*s  %s",
		    n++ == 0 ? "\nsources\n" : "", pg->pg_width,
		    name_text(pg, at, buf), he->he_source);
		for (size_t c = 0; c < he->he_ncells; c++)
			fprintf(pg->pg_fp, "%s%s", c == 0 ? "; to " : ", ",
			    he->he_cells[c]);
		fputc('\n', pg->pg_fp);
	}
}
