#include <math.h>
#include <string.h>

#include "sim/lab/compare.h"
#include "sim/lab/output.h"

#define CELL 64
#define FEW_NS 1e5 /* up to here in us */

static const char *const headings[] = {
	[COMPARE_DIFFERENT] = "Difference at 95.0% confidence",
	[COMPARE_NOT_PROVEN] = "No difference proven at 95.0% confidence",
	[COMPARE_CONSTANT] =
	    "Constant difference: the same in all replications",
	[COMPARE_IDENTICAL] = "Identical in all replications",
	[COMPARE_MISSING] = "Not compared: a replication has no such value",
};

static void section(FILE *, const struct comparison *, enum compare_verdict);
static bool is_shown(const struct compare_row *);
static bool is_alone(const struct compare_row *);
static void row_print(FILE *, const struct compare_row *);
static void ratio_print(const struct stat_pairs *, char *buf, size_t size);
static double scale(const struct compare_row *, const char **unit);
static void name_print(
    const struct compare_row *, const char *unit, char *buf, size_t size);
static void shape_print(FILE *, const struct comparison *);
static void notes_print(FILE *, const struct comparison *);
static void json_number(FILE *, const char *name, double);

void
compare_text(FILE *fp, const struct comparison *cm)
{
	fprintf(fp, "%-27s %10s %10s  %-21s %-20s %5s\n", "", "A", "B", "B - A",
	    "B / A", "corr");
	for (int v = COMPARE_DIFFERENT; v <= COMPARE_MISSING; v++)
		section(fp, cm, (enum compare_verdict)v);
	shape_print(fp, cm);
	notes_print(fp, cm);
}

/* The rows of this verdict that are worth a line. */
static void
section(FILE *fp, const struct comparison *cm, enum compare_verdict v)
{
	int n = 0;

	for (int i = 0; i < cm->cm_n; i++) {
		const struct compare_row *cr = &cm->cm_rows[i];

		if (cr->cr_verdict != v || !is_shown(cr))
			continue;
		if (n++ == 0)
			fprintf(fp, "%s\n", headings[v]);
		row_print(fp, cr);
	}
}

/* A stage that takes no time in either is not there. */
static bool
is_shown(const struct compare_row *cr)
{
	return cr->cr_kind != COMPARE_STAGE ||
	       cr->cr_verdict != COMPARE_IDENTICAL || cr->cr_pairs.sp_a != 0;
}

/* Different if it had been the only question. */
static bool
is_alone(const struct compare_row *cr)
{
	return cr->cr_verdict == COMPARE_NOT_PROVEN &&
	       cr->cr_pairs.sp_p < 1 - STAT_LEVEL;
}

/* Five digits or so, and no more after the point than before is worth. */
static const char *
digits(double of)
{
	of = fabs(of);
	return of >= 1e5 ? "%.0f" : of >= 100 ? "%.1f" : "%.3f";
}

static void
row_print(FILE *fp, const struct compare_row *cr)
{
	const struct stat_pairs *sp = &cr->cr_pairs;
	char name[CELL], a[CELL], b[CELL], diff[CELL], ratio[CELL];
	const char *unit;
	double by = scale(cr, &unit);
	const char *form = digits(fmax(fabs(sp->sp_a), fabs(sp->sp_b)) * by);
	size_t n;

	name_print(cr, unit, name, sizeof(name));
	if (cr->cr_verdict == COMPARE_MISSING) {
		fprintf(fp, "  %s\n", name);
		return;
	}
	snprintf(a, sizeof(a), form, sp->sp_a * by);
	snprintf(b, sizeof(b), form, sp->sp_b * by);
	if (cr->cr_verdict == COMPARE_IDENTICAL) {
		fprintf(fp, "  %-25s %10s %10s\n", name, a, b);
		return;
	}
	n = (size_t)snprintf(
	    diff, sizeof(diff), sp->sp_diff.mean > 0 ? "+" : "");
	n += (size_t)snprintf(
	    diff + n, sizeof(diff) - n, form, sp->sp_diff.mean * by);
	n += (size_t)snprintf(diff + n, sizeof(diff) - n, " +- ");
	snprintf(diff + n, sizeof(diff) - n, form, sp->sp_diff.half * by);
	ratio_print(sp, ratio, sizeof(ratio));
	fprintf(fp, "  %-25s %10s %10s  %-21s %-20s", name, a, b, diff, ratio);
	if (isfinite(sp->sp_corr))
		fprintf(fp, " %5.2f", sp->sp_corr);
	fputs("\n", fp);
}

static void
ratio_print(const struct stat_pairs *sp, char *buf, size_t size)
{
	char low[CELL], high[CELL];
	const char *one = fabs(sp->sp_ratio) < 10 ? "%.3f" : "%.4g";

	buf[0] = '\0';
	if (!isfinite(sp->sp_ratio))
		return;
	snprintf(low, sizeof(low), one, sp->sp_low);
	snprintf(high, sizeof(high), one, sp->sp_high);
	snprintf(buf, size, one, sp->sp_ratio);
	snprintf(buf + strlen(buf), size - strlen(buf),
	    isfinite(sp->sp_low) ? " (%s..%s)" : " (any)", low, high);
}

static bool
ends_with(const char *s, const char *end)
{
	const size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* Returns: what a value is multiplied by for people, who read *unit. */
static double
scale(const struct compare_row *cr, const char **unit)
{
	*unit = "";
	if (cr->cr_kind == COMPARE_SHAPE)
		return 1;
	if (cr->cr_kind == COMPARE_STAGE || ends_with(cr->cr_name, "_ns")) {
		const double size =
		    fmax(fabs(cr->cr_pairs.sp_a), fabs(cr->cr_pairs.sp_b));

		*unit = size < FEW_NS ? ", us" : ", ms";
		return size < FEW_NS ? 1e-3 : 1e-6;
	}
	if (ends_with(cr->cr_name, "_rps"))
		*unit = ", /s";
	else if (ends_with(cr->cr_name, "_pct"))
		*unit = ", %";
	return 1;
}

/* latency_p99, ms* | p99 / mean | completion-queue on, ms */
static void
name_print(
    const struct compare_row *cr, const char *unit, char *buf, size_t size)
{
	const char *few = cr->cr_wants > 0 ? "*" : "";
	const char *alone = is_alone(cr) ? "~" : "";
	const char *name = cr->cr_name, *end = strrchr(name, '_');
	int n = (int)strlen(name);

	if (cr->cr_kind == COMPARE_STAGE) {
		snprintf(buf, size, "%s %s%s%s", name,
		    cr->cr_counted ? "on" : "off", unit, alone);
		return;
	}
	if (end != NULL && (unit[0] != '\0' || cr->cr_kind == COMPARE_SHAPE))
		n = (int)(end - name);
	if (cr->cr_kind == COMPARE_SHAPE)
		snprintf(
		    buf, size, "%.*s / mean%s%s", n - 8, name + 8, few, alone);
	else
		snprintf(buf, size, "%.*s%s%s%s", n, name, unit, few, alone);
}

static void
shape_print(FILE *fp, const struct comparison *cm)
{
	static const char *const words[] = {
		[COMPARE_SHAPE_ALIKE] =
		    "no change of p50, p90 or p99 proven at 95.0% confidence",
		[COMPARE_SHAPE_MOVED] =
		    "percentiles go with the mean; no change of their "
		    "proportions proven",
		[COMPARE_SHAPE_CHANGED] = "changed:",
	};
	const struct compare_row *mean =
	    compare_row(cm, COMPARE_METRIC, "latency_mean_ns", false);

	fprintf(fp, "Shape of the latency: %s", words[cm->cm_shape]);
	for (int i = 0; i < cm->cm_n && cm->cm_shape == COMPARE_SHAPE_CHANGED;
	     i++) {
		const struct compare_row *cr = &cm->cm_rows[i];
		const struct compare_row *shape =
		    compare_row(cm, COMPARE_SHAPE, cr->cr_name, cr->cr_counted);

		if (cr->cr_kind != COMPARE_METRIC || shape == NULL ||
		    (!compare_differs(cr) && !compare_differs(shape)))
			continue;
		fprintf(fp, " %.3s %+.1f %%,", cr->cr_name + 8,
		    100 * (cr->cr_pairs.sp_ratio - 1));
	}
	if (cm->cm_shape == COMPARE_SHAPE_CHANGED && mean != NULL)
		fprintf(fp, " mean %+.1f %%%s",
		    100 * (mean->cr_pairs.sp_ratio - 1),
		    compare_differs(mean) ? "" : " (not proven)");
	fputs("\n", fp);
}

static void
notes_print(FILE *fp, const struct comparison *cm)
{
	double narrower = 0, wants = 0;
	int paired = 0, alone = 0;

	for (int i = 0; i < cm->cm_n; i++) {
		const struct compare_row *cr = &cm->cm_rows[i];
		const struct stat_pairs *sp = &cr->cr_pairs;

		alone += is_alone(cr);
		if (cr->cr_wants > 0 && (wants == 0 || cr->cr_wants < wants))
			wants = cr->cr_wants;
		if (cr->cr_kind == COMPARE_METRIC && sp->sp_diff.half > 0 &&
		    isfinite(sp->sp_corr)) {
			narrower += log(sp->sp_unpaired / sp->sp_diff.half);
			paired++;
		}
	}
	fputs("Stages: with the load generator's clock on, or off.\n", fp);
	if (paired > 0)
		fprintf(fp,
		    "Pairs: without them the intervals of the metrics would be "
		    "%.2g times as wide.\n",
		    exp(narrower / paired));
	if (wants > 0)
		fprintf(fp,
		    "* too few samples: of %.0f that it wants, a replication "
		    "has less.\n",
		    wants);
	if (alone > 0)
		fprintf(fp,
		    "~ alone it would be a difference; of %d questions judged "
		    "together it is not proven.\n",
		    cm->cm_judged);
}

void
compare_row_json(FILE *fp, const struct compare_row *cr)
{
	const struct stat_pairs *sp = &cr->cr_pairs;

	fprintf(
	    fp, "\"kind\": \"%s\", \"name\": ", compare_kind_name(cr->cr_kind));
	output_json_string(fp, cr->cr_name);
	if (cr->cr_kind == COMPARE_STAGE)
		fprintf(
		    fp, ", \"counted\": %s", cr->cr_counted ? "true" : "false");
	fprintf(
	    fp, ", \"verdict\": \"%s\"", compare_verdict_name(cr->cr_verdict));
	if (cr->cr_verdict == COMPARE_MISSING)
		return;
	json_number(fp, "a_mean", sp->sp_a);
	json_number(fp, "b_mean", sp->sp_b);
	json_number(fp, "difference", sp->sp_diff.mean);
	json_number(fp, "difference_ci95", sp->sp_diff.half);
	json_number(fp, "ratio", sp->sp_ratio);
	json_number(fp, "ratio_low", sp->sp_low);
	json_number(fp, "ratio_high", sp->sp_high);
	json_number(fp, "p", sp->sp_p);
	json_number(fp, "p_holm", cr->cr_holm);
	json_number(fp, "correlation", sp->sp_corr);
	json_number(fp, "unpaired_ci95", sp->sp_unpaired);
	fprintf(
	    fp, ", \"few_samples\": %s", cr->cr_wants > 0 ? "true" : "false");
}

static void
json_number(FILE *fp, const char *name, double x)
{
	if (isfinite(x))
		fprintf(fp, ", \"%s\": %.9g", name, x);
	else
		fprintf(fp, ", \"%s\": null", name);
}
