#include "sim/lab/seek_output.h"

#include <math.h>
#include <string.h>

#include "sim/lab/output.h"
#include "sim/lab/text.h"

#define TEXT_MAX 100

static void others_print(FILE *, const struct seek_question *);
static void probe_print(
    FILE *, const struct seek_question *, const struct seek_probe *, int width);
static void remarks_print(
    FILE *, const struct seek_question *, const struct seek_result *);
static void contradictions_print(
    FILE *, const struct seek_question *, const struct seek_result *);
static void answer_print(
    FILE *, const struct seek_question *, const struct seek_result *);
static void undecided_print(
    FILE *, const struct seek_question *, const struct seek_result *);
static void probe_json(
    FILE *, const struct seek_question *, const struct seek_probe *);
static void number_json(FILE *, const char *name, double value);
static const char *verdict_name(const struct seek_probe *);

/* A value of the parameter. */
static char *
value_text(const struct seek_question *sq, int64_t value, char *buf)
{
	return parameter_text(
	    sq->sq_parameter.pm_key, (double)value, buf, TEXT_MAX);
}

static bool
by_best(const struct seek_question *sq)
{
	return sq->sq_problem.sk_condition.sn_relation == SEEK_NEAR_BEST;
}

void
seek_print_question(FILE *fp, const struct seek_question *sq)
{
	const struct seek_problem *sk = &sq->sq_problem;
	char low[TEXT_MAX], high[TEXT_MAX], condition[TEXT_MAX];

	text_print(fp, sq->sq_scenario->sc_name);
	others_print(fp, sq);
	fprintf(fp, "\n%s %s in %s..%s that keeps %s\n",
	    sk->sk_largest ? "largest" : "smallest", sq->sq_parameter.pm_short,
	    value_text(sq, sk->sk_low, low), value_text(sq, sk->sk_high, high),
	    seek_condition_print(
		&sk->sk_condition, condition, sizeof(condition)));
	if (sk->sk_min_reps == sk->sk_max_reps)
		fprintf(fp, "%d replications of a value (95 %%)\n",
		    sk->sk_min_reps);
	else
		fprintf(fp,
		    "%d to %d replications of a value, until it is sure (95 "
		    "%%, all looks together)\n",
		    sk->sk_min_reps, sk->sk_max_reps);
	fflush(fp);
}

/* What else is swept or set. */
static void
others_print(FILE *fp, const struct seek_question *sq)
{
	struct scenario_param params[SCENARIO_MAX_AXES];
	const int n = scenario_params(sq->sq_scenario, SCENARIO_BASE, params);

	for (int i = 0; i < n; i++) {
		if (strcmp(params[i].pa_path, sq->sq_parameter.pm_path) == 0)
			continue;
		fprintf(fp, " %s=", params[i].pa_short);
		text_print(fp, params[i].pa_value);
	}
}

void
seek_print_text(
    FILE *fp, const struct seek_question *sq, const struct seek_result *se)
{
	const enum metric m = sq->sq_problem.sk_condition.sn_metric;
	int width = (int)strlen(sq->sq_parameter.pm_short);
	char buf[TEXT_MAX];

	for (int i = 0; i < se->se_n; i++) {
		const int n =
		    (int)strlen(value_text(sq, se->se_probes[i].sb_value, buf));

		width = n > width ? n : width;
	}
	fprintf(fp, "\n%*s  runs  %-24s", width, sq->sq_parameter.pm_short,
	    key_metrics[m].km_name);
	if (by_best(sq))
		fprintf(fp, "  %-20s", "% of the best");
	fputs("  verdict\n", fp);
	for (int i = 0; i < se->se_n; i++)
		probe_print(fp, sq, &se->se_probes[i], width);
	remarks_print(fp, sq, se);
	answer_print(fp, sq, se);
}

static void
probe_print(FILE *fp, const struct seek_question *sq,
    const struct seek_probe *sb, int width)
{
	const enum metric m = sq->sq_problem.sk_condition.sn_metric;
	char value[TEXT_MAX], both[METRIC_CI_MAX] = "-";

	if (isfinite(sb->sb_metric.mean))
		metric_ci_text(m, sb->sb_metric, both);
	else if (!sb->sb_broken)
		snprintf(both, sizeof(both), "nothing answered");
	fprintf(fp, "%*s  %4d  %-24s", width,
	    value_text(sq, sb->sb_value, value), sb->sb_reps, both);
	if (by_best(sq)) {
		snprintf(both, sizeof(both), "-");
		if (isfinite(sb->sb_ratio.mean))
			snprintf(both, sizeof(both), "%.2f +- %.2f",
			    100 * sb->sb_ratio.mean, 100 * sb->sb_ratio.half);
		fprintf(fp, "  %-20s", both);
	}
	fprintf(fp, "  %s%s%s\n", verdict_name(sb),
	    sb->sb_contradicts ? ", contradicts" : "",
	    sb->sb_unsteady ? " !" : "");
}

static const char *
verdict_name(const struct seek_probe *sb)
{
	if (sb->sb_broken)
		return "a run failed";
	switch (sb->sb_verdict) {
	case SEEK_KEEPS:
		return "keeps";
	case SEEK_FAILS:
		return "fails";
	case SEEK_UNDECIDED:
		break;
	}
	return "undecided";
}

static void
remarks_print(
    FILE *fp, const struct seek_question *sq, const struct seek_result *se)
{
	bool unsteady = false;
	char buf[TEXT_MAX];

	for (int i = 0; i < se->se_n && !unsteady; i++)
		unsteady = se->se_probes[i].sb_unsteady;
	if (unsteady)
		fputs("!  no steady state, or the warm-up is too short\n", fp);
	fprintf(fp, "\n%d values, %d runs", se->se_n, se->se_runs);
	if (by_best(sq))
		fprintf(
		    fp, "; the best is %s", value_text(sq, se->se_best, buf));
	fputc('\n', fp);
	if (se->se_reversed)
		fprintf(fp,
		    "kept from this end on, and not at the other: '%s' asks "
		    "for how far\n",
		    sq->sq_problem.sk_largest ? "smallest" : "largest");
	else if (se->se_contradicted)
		contradictions_print(fp, sq, se);
	if (se->se_restless)
		fputs(
		    "the best went on moving: more --reps would hold it\n", fp);
	if (se->se_broken)
		fputs("runs failed: their values are undecided\n", fp);
}

static void
contradictions_print(
    FILE *fp, const struct seek_question *sq, const struct seek_result *se)
{
	char buf[TEXT_MAX];
	bool first = true;

	fputs("not monotone: ", fp);
	for (int i = 0; i < se->se_n; i++) {
		if (!se->se_probes[i].sb_contradicts)
			continue;
		fprintf(fp, "%s%s", first ? "" : ", ",
		    value_text(sq, se->se_probes[i].sb_value, buf));
		first = false;
	}
	fprintf(fp,
	    " beyond the answer fail again; it is the first crossing from "
	    "%s\n",
	    sq->sq_problem.sk_largest ? "above" : "below");
}

static void
answer_print(
    FILE *fp, const struct seek_question *sq, const struct seek_result *se)
{
	const struct seek_problem *sk = &sq->sq_problem;
	const char *name = sq->sq_parameter.pm_short;
	char a[TEXT_MAX], b[TEXT_MAX], condition[TEXT_MAX];

	seek_condition_print(&sk->sk_condition, condition, sizeof(condition));
	if (se->se_end == SEEK_NOWHERE) {
		fprintf(fp, "no %s in %s..%s keeps %s\n", name,
		    value_text(sq, sk->sk_low, a),
		    value_text(sq, sk->sk_high, b), condition);
		return;
	}
	if (se->se_end == SEEK_UNSURE) {
		fprintf(fp,
		    "undecided: no %s surely keeps %s, %d of %d values may\n",
		    name, condition, se->se_undecided, se->se_n);
		return;
	}
	fprintf(fp, "%s %s that keeps %s: %s",
	    sk->sk_largest ? "largest" : "smallest", name, condition,
	    value_text(sq, se->se_keeps, a));
	if (se->se_failing)
		fprintf(fp, " (%s does not", value_text(sq, se->se_fails, b));
	else
		fputs(se->se_undecided > 0 ? " (none surely does not"
					   : " (the end of the range",
		    fp);
	if (se->se_undecided > 0)
		fprintf(fp, "; undecided: ");
	undecided_print(fp, sq, se);
	fputs(")\n", fp);
}

/* On the asked side of the answer. */
static void
undecided_print(
    FILE *fp, const struct seek_question *sq, const struct seek_result *se)
{
	char buf[TEXT_MAX];
	int n = 0;

	for (int i = 0; i < se->se_n; i++) {
		const struct seek_probe *sb = &se->se_probes[i];

		if (sb->sb_verdict != SEEK_UNDECIDED ||
		    (sq->sq_problem.sk_largest ? sb->sb_value < se->se_keeps
					       : sb->sb_value > se->se_keeps))
			continue;
		fprintf(fp, "%s%s", n++ > 0 ? ", " : "",
		    value_text(sq, sb->sb_value, buf));
	}
}

void
seek_print_json(
    FILE *fp, const struct seek_question *sq, const struct seek_result *se)
{
	static const char *const ends[] = {
		[SEEK_FOUND] = "found",
		[SEEK_NOWHERE] = "nowhere",
		[SEEK_UNSURE] = "unsure",
		[SEEK_STOPPED] = "stopped",
	};
	const struct seek_problem *sk = &sq->sq_problem;
	char buf[TEXT_MAX];

	for (int i = 0; i < se->se_n; i++)
		probe_json(fp, sq, &se->se_probes[i]);
	fputs("{\"scenario\": ", fp);
	output_json_string(fp, sq->sq_scenario->sc_name);
	fputs(", \"parameter\": ", fp);
	output_json_string(fp, sq->sq_parameter.pm_path);
	fprintf(fp, ", \"side\": \"%s\", \"condition\": ",
	    sk->sk_largest ? "largest" : "smallest");
	output_json_string(
	    fp, seek_condition_print(&sk->sk_condition, buf, sizeof(buf)));
	fprintf(fp, ", \"end\": \"%s\"", ends[se->se_end]);
	number_json(
	    fp, "keeps", se->se_end == SEEK_FOUND ? (double)se->se_keeps : NAN);
	number_json(fp, "fails", se->se_failing ? (double)se->se_fails : NAN);
	number_json(fp, "best",
	    by_best(sq) && se->se_end == SEEK_FOUND ? (double)se->se_best
						    : NAN);
	fprintf(fp,
	    ", \"undecided\": %d, \"monotone\": %s, \"failed\": %s, "
	    "\"runs\": %d}\n",
	    se->se_undecided,
	    se->se_contradicted && !se->se_reversed ? "false" : "true",
	    se->se_broken ? "true" : "false", se->se_runs);
}

/* Values in base units, metrics as their JSON names say. */
static void
probe_json(
    FILE *fp, const struct seek_question *sq, const struct seek_probe *sb)
{
	const enum metric m = sq->sq_problem.sk_condition.sn_metric;

	fprintf(fp, "{\"value\": %lld, \"reps\": %d, \"metric\": \"%s\"",
	    (long long)sb->sb_value, sb->sb_reps, key_metrics[m].km_json);
	number_json(fp, "mean", sb->sb_metric.mean);
	number_json(fp, "ci95", sb->sb_metric.half);
	number_json(fp, "ratio", sb->sb_ratio.mean);
	number_json(fp, "ratio_ci95", sb->sb_ratio.half);
	fprintf(fp,
	    ", \"verdict\": \"%s\", \"contradicts\": %s, \"steady\": %s}\n",
	    sb->sb_broken ? "failed" : verdict_name(sb),
	    sb->sb_contradicts ? "true" : "false",
	    sb->sb_unsteady ? "false" : "true");
}

static void
number_json(FILE *fp, const char *name, double value)
{
	if (isfinite(value))
		fprintf(fp, ", \"%s\": %.10g", name, value);
	else
		fprintf(fp, ", \"%s\": null", name);
}
