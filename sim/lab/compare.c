#include "sim/lab/compare.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/core/stat_precision.h"

#define NSHAPES 3

static const char *const shapes[NSHAPES] = { "latency_p50_ns", "latency_p90_ns",
	"latency_p99_ns" };
static const char mean_name[] = "latency_mean_ns";

/* The pairs: records of A and B that belong together. */
struct pairs {
	struct record **pa_a, **pa_b;
	double *pa_x, *pa_y; /* a value of each, while a row is made */
	int pa_n;
};

static void pairs_find(struct pairs *, struct record *const *a, int na,
    struct record *const *b, int nb);
static void pairs_fini(struct pairs *);
static void rows_make(struct comparison *, struct pairs *);
static void row_add(
    struct comparison *, struct pairs *, const struct compare_row *);
static double value(const struct record *, const struct compare_row *);
static double samples_wanted(const struct pairs *, const char *metric);
static void judge(struct comparison *);
static const struct compare_row *same_question(
    const struct comparison *, int row);
static enum compare_verdict verdict(const struct compare_row *);
static enum compare_shape shape(const struct comparison *);

void
compare_init(struct comparison *cm, struct record *const *a, int na,
    struct record *const *b, int nb)
{
	struct pairs pa;

	*cm = (struct comparison){ .cm_na = na, .cm_nb = nb };
	pairs_find(&pa, a, na, b, nb);
	cm->cm_pairs = pa.pa_n;
	if (pa.pa_n >= STAT_MIN_PAIRS) {
		rows_make(cm, &pa);
		judge(cm);
		cm->cm_shape = shape(cm);
	}
	pairs_fini(&pa);
}

void
compare_fini(struct comparison *cm)
{
	sim_free(cm->cm_rows);
}

static void
pairs_find(struct pairs *pa, struct record *const *a, int na,
    struct record *const *b, int nb)
{
	const size_t room = (size_t)na + 1;

	pa->pa_n = 0;
	pa->pa_a = sim_calloc(room, sizeof(*pa->pa_a));
	pa->pa_b = sim_calloc(room, sizeof(*pa->pa_b));
	pa->pa_x = sim_calloc(room, sizeof(*pa->pa_x));
	pa->pa_y = sim_calloc(room, sizeof(*pa->pa_y));
	for (int i = 0; i < na; i++) {
		for (int k = 0; k < nb; k++) {
			if (a[i]->rd_seed != b[k]->rd_seed ||
			    a[i]->rd_rep != b[k]->rd_rep)
				continue;
			pa->pa_a[pa->pa_n] = a[i];
			pa->pa_b[pa->pa_n++] = b[k];
			break;
		}
	}
}

static void
pairs_fini(struct pairs *pa)
{
	sim_free(pa->pa_a);
	sim_free(pa->pa_b);
	sim_free(pa->pa_x);
	sim_free(pa->pa_y);
}

/* What the first replication of A has. */
static void
rows_make(struct comparison *cm, struct pairs *pa)
{
	const struct record *rd = pa->pa_a[0];

	cm->cm_rows =
	    sim_calloc((size_t)rd->rd_nmetrics + rd->rd_nstages + NSHAPES,
		sizeof(*cm->cm_rows));
	for (int i = 0; i < rd->rd_nmetrics; i++) {
		const char *name = rd->rd_metrics[i].rm_name;
		const struct compare_row cr = {
			.cr_name = name,
			.cr_wants = samples_wanted(pa, name),
		};

		row_add(cm, pa, &cr);
	}
	for (int i = 0; i < rd->rd_nstages; i++) {
		const struct compare_row cr = {
			.cr_name = rd->rd_stages[i].re_name,
			.cr_kind = COMPARE_STAGE,
			.cr_counted = rd->rd_stages[i].re_counted,
		};

		row_add(cm, pa, &cr);
	}
	for (int i = 0; i < NSHAPES; i++) {
		const struct compare_row cr = {
			.cr_name = shapes[i],
			.cr_kind = COMPARE_SHAPE,
			.cr_wants = samples_wanted(pa, shapes[i]),
		};

		row_add(cm, pa, &cr);
	}
}

static void
row_add(
    struct comparison *cm, struct pairs *pa, const struct compare_row *question)
{
	struct compare_row *cr = &cm->cm_rows[cm->cm_n++];
	bool missing = false;

	*cr = *question;
	for (int i = 0; i < pa->pa_n; i++) {
		pa->pa_x[i] = value(pa->pa_a[i], cr);
		pa->pa_y[i] = value(pa->pa_b[i], cr);
		missing =
		    missing || !isfinite(pa->pa_x[i]) || !isfinite(pa->pa_y[i]);
	}
	if (missing)
		cr->cr_verdict = COMPARE_MISSING;
	else
		cr->cr_pairs = stat_pairs(pa->pa_x, pa->pa_y, pa->pa_n);
}

static double
value(const struct record *rd, const struct compare_row *cr)
{
	if (cr->cr_kind == COMPARE_METRIC)
		return record_metric(rd, cr->cr_name);
	if (cr->cr_kind == COMPARE_SHAPE)
		return record_metric(rd, cr->cr_name) /
		       record_metric(rd, mean_name);
	for (int i = 0; i < rd->rd_nstages; i++) {
		if (rd->rd_stages[i].re_counted == cr->cr_counted &&
		    strcmp(rd->rd_stages[i].re_name, cr->cr_name) == 0)
			return rd->rd_stages[i].re_mean_ns;
	}
	return NAN;
}

static int64_t
samples(const struct record *rd)
{
	for (int i = 0; i < rd->rd_nhists; i++) {
		if (strcmp(rd->rd_hists[i].rh_name, "latency") == 0)
			return rd->rd_hists[i].rh_samples;
	}
	return 0;
}

/* Returns: of latency_p999_ns 100000, if a replication has fewer; else 0. */
static double
samples_wanted(const struct pairs *pa, const char *metric)
{
	static const char prefix[] = "latency_p";
	const char *digit = metric + sizeof(prefix) - 1;
	double part = 0, place = 0.1;

	if (strncmp(metric, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	for (; isdigit((unsigned char)*digit); digit++, place /= 10)
		part += place * (*digit - '0');
	for (int i = 0; i < pa->pa_n; i++) {
		if (!stat_percentile_ok(part, samples(pa->pa_a[i])) ||
		    !stat_percentile_ok(part, samples(pa->pa_b[i])))
			return (double)stat_percentile_wants(part);
	}
	return 0;
}

/*
 * Only what varies is a test; the rest is known without. What says the same as
 * a row before it, as requests and throughput do, is no further question.
 */
static void
judge(struct comparison *cm)
{
	double *p = sim_calloc((size_t)cm->cm_n + 1, sizeof(*p));
	double *holm = sim_calloc((size_t)cm->cm_n + 1, sizeof(*holm));

	for (int i = 0; i < cm->cm_n; i++) {
		const struct compare_row *cr = &cm->cm_rows[i];
		const bool test = cr->cr_verdict != COMPARE_MISSING &&
				  cr->cr_pairs.sp_kind == STAT_VARYING &&
				  same_question(cm, i) == NULL;

		p[i] = test ? cr->cr_pairs.sp_p : NAN;
		cm->cm_judged += test;
	}
	stat_holm(p, holm, cm->cm_n);
	for (int i = 0; i < cm->cm_n; i++) {
		struct compare_row *cr = &cm->cm_rows[i];
		const struct compare_row *same = same_question(cm, i);

		cr->cr_holm = same != NULL ? same->cr_holm : holm[i];
		if (cr->cr_verdict != COMPARE_MISSING)
			cr->cr_verdict = verdict(cr);
	}
	sim_free(p);
	sim_free(holm);
}

static bool
near(double x, double y)
{
	return fabs(x - y) <= 1e-9 * fabs(x);
}

/* Returns: a row before it whose values are in proportion; NULL: none. */
static const struct compare_row *
same_question(const struct comparison *cm, int row)
{
	const struct stat_pairs *sp = &cm->cm_rows[row].cr_pairs;

	for (int i = 0; i < row; i++) {
		const struct compare_row *cr = &cm->cm_rows[i];

		if (cr->cr_verdict != COMPARE_MISSING &&
		    cr->cr_pairs.sp_kind == STAT_VARYING &&
		    sp->sp_kind == STAT_VARYING &&
		    near(sp->sp_ratio, cr->cr_pairs.sp_ratio) &&
		    near(sp->sp_p, cr->cr_pairs.sp_p) &&
		    near(sp->sp_corr, cr->cr_pairs.sp_corr))
			return cr;
	}
	return NULL;
}

static enum compare_verdict
verdict(const struct compare_row *cr)
{
	switch (cr->cr_pairs.sp_kind) {
	case STAT_IDENTICAL:
		return COMPARE_IDENTICAL;
	case STAT_CONSTANT:
		return COMPARE_CONSTANT;
	case STAT_VARYING:
		return cr->cr_holm < 1 - STAT_LEVEL ? COMPARE_DIFFERENT
						    : COMPARE_NOT_PROVEN;
	case STAT_TOO_FEW:
		break;
	}
	SIM_BUG("a row of too few pairs");
}

/* Returns: 1 or -1 for a difference, 0 for none. */
static int
direction(const struct comparison *cm, const char *metric)
{
	const struct compare_row *cr =
	    compare_row(cm, COMPARE_METRIC, metric, false);

	if (cr == NULL || !compare_differs(cr))
		return 0;
	return cr->cr_pairs.sp_diff.mean > 0 ? 1 : -1;
}

static enum compare_shape
shape(const struct comparison *cm)
{
	const int mean = direction(cm, mean_name);
	bool any = false, changed = false;

	for (int i = 0; i < NSHAPES; i++) {
		const struct compare_row *cr =
		    compare_row(cm, COMPARE_SHAPE, shapes[i], false);
		const int way = direction(cm, shapes[i]);

		any = any || way != 0;
		changed =
		    changed || (way != 0 && way != mean) || compare_differs(cr);
	}
	if (changed)
		return COMPARE_SHAPE_CHANGED;
	return any ? COMPARE_SHAPE_MOVED : COMPARE_SHAPE_ALIKE;
}

const struct compare_row *
compare_row(const struct comparison *cm, enum compare_kind kind,
    const char *name, bool counted)
{
	for (int i = 0; i < cm->cm_n; i++) {
		const struct compare_row *cr = &cm->cm_rows[i];

		if (cr->cr_kind == kind && cr->cr_counted == counted &&
		    strcmp(cr->cr_name, name) == 0)
			return cr;
	}
	return NULL;
}

const char *
compare_verdict_name(enum compare_verdict v)
{
	static const char *const names[] = {
		[COMPARE_DIFFERENT] = "difference",
		[COMPARE_NOT_PROVEN] = "no difference proven",
		[COMPARE_CONSTANT] = "constant difference",
		[COMPARE_IDENTICAL] = "identical",
		[COMPARE_MISSING] = "missing",
	};

	return names[v];
}

const char *
compare_kind_name(enum compare_kind k)
{
	static const char *const names[] = {
		[COMPARE_METRIC] = "metric",
		[COMPARE_STAGE] = "stage",
		[COMPARE_SHAPE] = "shape",
	};

	return names[k];
}

const char *
compare_shape_name(enum compare_shape s)
{
	static const char *const names[] = {
		[COMPARE_SHAPE_ALIKE] = "no change proven",
		[COMPARE_SHAPE_MOVED] = "moved with the mean",
		[COMPARE_SHAPE_CHANGED] = "changed",
	};

	return names[s];
}
