#include <math.h>

#include "sim/lab/output.h"
#include "sim/lab/sensitivity_output.h"

static void factor_json(FILE *, const struct sensitivity_question *,
    const struct sensitivity *, int factor);
static void cis_json(FILE *, const struct sensitivity_problem *,
    const char *name, const struct stat_ci *);
static void morris_json(FILE *, const struct sensitivity_problem *,
    const struct sensitivity_effect *);
static void number_json(FILE *, const char *name, double value);

void
sensitivity_print_json(FILE *fp, const struct sensitivity_question *sq,
    const struct sensitivity *sy)
{
	const struct sensitivity_problem *sp = &sq->sq_problem;

	for (int i = 0; i < sq->sq_factors.fs_n; i++)
		factor_json(fp, sq, sy, i);
	fputs("{\"scenario\": ", fp);
	output_json_string(fp, sq->sq_scenario->sc_name);
	fputs(", \"ratio\": [", fp);
	for (int i = 0; i < sq->sq_ratio->cl_n; i++) {
		fputs(i > 0 ? ", " : "", fp);
		output_json_string(fp, sq->sq_ratio->cl_texts[i]);
	}
	fprintf(fp, "], \"reps\": %d, \"trajectories\": %d", sp->sp_reps,
	    sp->sp_trajectories);
	number_json(fp, "step_pct", 100 * sq->sq_options.fo_step);
	cis_json(fp, sp, "base", sy->sy_base);
	cis_json(fp, sp, "sum", sy->sy_sum);
	fprintf(fp, ", \"failed\": %s, \"runs\": %d}\n",
	    sy->sy_failed ? "true" : "false", sy->sy_runs);
}

/* Values in base units. */
static void
factor_json(FILE *fp, const struct sensitivity_question *sq,
    const struct sensitivity *sy, int i)
{
	const struct factor *fa = &sq->sq_factors.fs_list[i];
	const struct sensitivity_effect *sf = &sy->sy_effects[i];

	fputs("{\"factor\": ", fp);
	output_json_string(fp, fa->fa_name);
	fputs(", \"profile\": ", fp);
	if (fa->fa_profile != NULL)
		output_json_string(fp, fa->fa_profile);
	else
		fputs("null", fp);
	fputs(", \"paths\": [", fp);
	for (int p = 0; p < fa->fa_npaths; p++) {
		fputs(p > 0 ? ", " : "", fp);
		output_json_string(fp, fa->fa_paths[p]);
	}
	fprintf(fp, "], \"kind\": \"%s\", \"source\": ", factor_kind(fa));
	if (fa->fa_entry != NULL)
		output_json_string(fp, fa->fa_entry->he_source);
	else
		fputs("null", fp);
	number_json(fp, "value", fa->fa_base);
	number_json(fp, "low", fa->fa_low);
	number_json(fp, "high", fa->fa_high);
	fprintf(fp, ", \"ranged\": %s, \"used\": %s",
	    fa->fa_ranged ? "true" : "false", sf->sf_used ? "true" : "false");
	cis_json(fp, &sq->sq_problem, "elasticity", sf->sf_elasticity);
	fputs(", \"bends\": {", fp);
	for (int m = 0; m < sq->sq_problem.sp_nmetrics; m++)
		fprintf(fp, "%s\"%s\": %s", m > 0 ? ", " : "",
		    key_metrics[sq->sq_problem.sp_metrics[m]].km_name,
		    sf->sf_bends[m] ? "true" : "false");
	fputc('}', fp);
	morris_json(fp, &sq->sq_problem, sf);
	fputs("}\n", fp);
}

static void
cis_json(FILE *fp, const struct sensitivity_problem *sp, const char *name,
    const struct stat_ci *ci)
{
	fprintf(fp, ", \"%s\": {", name);
	for (int m = 0; m < sp->sp_nmetrics; m++) {
		fprintf(fp, "%s\"%s\": {\"ci95\": ", m > 0 ? ", " : "",
		    key_metrics[sp->sp_metrics[m]].km_name);
		if (isfinite(ci[m].half))
			fprintf(fp, "%.10g", ci[m].half);
		else
			fputs("null", fp);
		number_json(fp, "mean", ci[m].mean);
		fputc('}', fp);
	}
	fputc('}', fp);
}

/* Logarithms, per whole range. */
static void
morris_json(FILE *fp, const struct sensitivity_problem *sp,
    const struct sensitivity_effect *sf)
{
	if (sf->sf_morris[0].me_n == 0) {
		fputs(", \"morris\": null", fp);
		return;
	}
	fputs(", \"morris\": {", fp);
	for (int m = 0; m < sp->sp_nmetrics; m++) {
		const struct morris_effect *me = &sf->sf_morris[m];

		fprintf(fp, "%s\"%s\": {\"n\": %d", m > 0 ? ", " : "",
		    key_metrics[sp->sp_metrics[m]].km_name, me->me_n);
		number_json(fp, "mu", me->me_mu);
		number_json(fp, "mu_star", me->me_mu_star);
		number_json(fp, "sigma", me->me_sigma);
		fputc('}', fp);
	}
	fputc('}', fp);
}

static void
number_json(FILE *fp, const char *name, double value)
{
	if (isfinite(value))
		fprintf(fp, ", \"%s\": %.10g", name, value);
	else
		fprintf(fp, ", \"%s\": null", name);
}
