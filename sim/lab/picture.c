#include <math.h>
#include <string.h>

#include "sim/lab/picture_impl.h"

#define LABEL_MIN 8 /* "from, ms" */
#define LABEL_MAX 32
#define TITLE_MAX 100
#define NS_PER_MS 1000000
#define MS_DECIMALS 6

/* Columns of the histogram; 0: left out. */
struct layout {
	int la_label, la_bar, la_share, la_marks;
	int la_decimals; /* of labels; -1: as many as each needs */
};

static const char *const mark_names[PICTURE_NMARKS] = { "p50", "p90", "p99" };

static void title_print(FILE *, const struct picture_rows *,
    const struct hist *, const struct layout *, const struct picture *);
static const char *label_text(int64_t ns, int decimals, char buf[LABEL_MAX]);
static int decimals_of(int64_t ns);
static bool layout_make(
    struct layout *, const struct picture_rows *, const struct picture *);
static int decimals_choose(const struct picture_rows *);
static void row_print(FILE *, const struct picture_row *, double most,
    const struct hist *, const struct layout *, const struct picture *);
static int bar_print(FILE *, double part, int columns, const struct picture *);
static void marks_print(
    FILE *, const struct picture_row *, int gap, const struct picture *);

void
picture_result(FILE *fp, const struct result *rs, const struct picture *pi)
{
	picture_latency(fp, &rs->rs_latency, pi);
	picture_stages(fp, rs, pi);
}

bool
picture_latency(FILE *fp, const struct hist *h, const struct picture *pi)
{
	struct picture_rows rw;
	struct layout la;
	char text[TITLE_MAX];

	if (hist_count(h) == 0)
		return false;
	picture_rows(&rw, h);
	if (!layout_make(&la, &rw, pi))
		return false;
	title_print(fp, &rw, h, &la, pi);
	for (int i = 0; i < rw.rw_n; i++)
		row_print(fp, &rw.rw_rows[i], (double)rw.rw_most, h, &la, pi);
	snprintf(text, sizeof(text), "%lld longer than %.0f s",
	    (long long)h->h_over, (double)h->h_highest * 1e-9);
	if (h->h_over > 0)
		fprintf(fp, "%*s  %.*s\n", la.la_label, "more",
		    pi->pi_width - la.la_label - 2, text);
	return true;
}

/* The longest that has room. */
static void
title_print(FILE *fp, const struct picture_rows *rw, const struct hist *h,
    const struct layout *la, const struct picture *pi)
{
	char titles[3][TITLE_MAX], step[LABEL_MAX];
	int t = 0;

	snprintf(titles[1], TITLE_MAX, "latency of %lld request%s",
	    (long long)hist_count(h), hist_count(h) == 1 ? "" : "s");
	if (rw->rw_step > 0)
		snprintf(titles[0], TITLE_MAX, "%.*s, in steps of %s ms", 60,
		    titles[1], label_text(rw->rw_step, -1, step));
	else
		snprintf(titles[0], TITLE_MAX, "%.*s, on a log scale", 60,
		    titles[1]);
	snprintf(titles[2], TITLE_MAX, "latency");
	while (
	    t < 2 && (int)strlen(titles[t]) > pi->pi_width - la->la_label - 2)
		t++;
	fprintf(fp, "\n%*s  %s\n", la->la_label, "from, ms", titles[t]);
}

/* Nanoseconds as milliseconds, exactly. */
static const char *
label_text(int64_t ns, int decimals, char buf[LABEL_MAX])
{
	int length = snprintf(buf, LABEL_MAX, "%lld.%06lld",
	    (long long)(ns / NS_PER_MS), (long long)(ns % NS_PER_MS));

	if (decimals < 0)
		decimals = decimals_of(ns);
	/* The point goes too when nothing follows it. */
	buf[length - MS_DECIMALS + decimals - (decimals == 0)] = '\0';
	return buf;
}

static int
decimals_of(int64_t ns)
{
	int decimals = MS_DECIMALS;

	while (decimals > 0 && ns % 10 == 0) {
		ns /= 10;
		decimals--;
	}
	return decimals;
}

/*
 * What is not needed goes first where there is little room: bars tell the
 * shares too.
 */
static bool
layout_make(
    struct layout *la, const struct picture_rows *rw, const struct picture *pi)
{
	char text[LABEL_MAX];

	*la = (struct layout){
		.la_label = LABEL_MIN,
		.la_share = 9,
		.la_decimals = decimals_choose(rw),
	};
	for (int i = 0; i < rw->rw_n; i++) {
		const struct picture_row *row = &rw->rw_rows[i];
		int len = (int)strlen(
		    label_text(row->ro_from, la->la_decimals, text));
		int marks = 0;

		la->la_label = len > la->la_label ? len : la->la_label;
		for (int m = 0; m < PICTURE_NMARKS; m++)
			marks += row->ro_marks[m] ? 4 : 0;
		la->la_marks = marks > la->la_marks ? marks : la->la_marks;
	}
	la->la_bar = pi->pi_width - la->la_label - 2;
	if (la->la_bar - la->la_marks - la->la_share < PICTURE_MIN_BAR)
		la->la_share = 0;
	if (la->la_bar - la->la_marks < PICTURE_MIN_BAR)
		la->la_marks = 0;
	la->la_bar -= la->la_share + la->la_marks;
	return la->la_bar >= PICTURE_MIN_BAR;
}

/* As many for all rows; but where the numbers differ much, that is long. */
static int
decimals_choose(const struct picture_rows *rw)
{
	char text[LABEL_MAX];
	int most = 0;

	for (int i = 0; i < rw->rw_n; i++) {
		int decimals = decimals_of(rw->rw_rows[i].ro_from);

		if (!rw->rw_rows[i].ro_gap && decimals > most)
			most = decimals;
	}
	label_text(rw->rw_rows[rw->rw_n - 1].ro_from, most, text);
	return rw->rw_step == 0 && strlen(text) > LABEL_MIN ? -1 : most;
}

static void
row_print(FILE *fp, const struct picture_row *row, double most,
    const struct hist *h, const struct layout *la, const struct picture *pi)
{
	double count = (double)row->ro_count;
	char text[LABEL_MAX], share[PICTURE_SHARE_MAX];
	int used = 0, gap;

	if (row->ro_gap) {
		fprintf(fp, "%*s\n", la->la_label, "...");
		return;
	}
	fprintf(fp, "%*s", la->la_label,
	    label_text(row->ro_from, la->la_decimals, text));
	if (count > 0) {
		fputs("  ", fp);
		used = 2 + bar_print(fp, count / most, la->la_bar, pi);
	}
	gap = la->la_bar + 2 - used;
	if (la->la_share > 0) {
		fprintf(fp, "%*s", gap + la->la_share,
		    picture_share(count, (double)hist_count(h), share));
		gap = 0;
	}
	if (la->la_marks > 0)
		marks_print(fp, row, gap, pi);
	fputc('\n', fp);
}

/* A part, above 0 and up to 1, of so many columns. Returns: columns drawn. */
static int
bar_print(FILE *fp, double part, int columns, const struct picture *pi)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊",
		"▉" };
	int unit = pi->pi_utf8 ? 8 : 1;
	int length = (int)lround(part * columns * unit);
	int whole = length / unit, rest = length % unit;

	if (length == 0 && pi->pi_utf8)
		rest = 1;
	picture_colour(fp, pi, PICTURE_COUNTED);
	picture_repeat(fp, pi->pi_utf8 ? "█" : "#", whole);
	fputs(length == 0 && !pi->pi_utf8 ? "." : eighths[rest], fp);
	picture_colour(fp, pi, NULL);
	return whole + (rest > 0 || length == 0 ? 1 : 0);
}

static void
marks_print(
    FILE *fp, const struct picture_row *row, int gap, const struct picture *pi)
{
	for (int m = 0; m < PICTURE_NMARKS; m++) {
		if (!row->ro_marks[m])
			continue;
		fprintf(fp, "%*s", gap + 1, "");
		gap = 0;
		picture_colour(fp, pi, PICTURE_STRONG);
		fputs(mark_names[m], fp);
		picture_colour(fp, pi, NULL);
	}
}

void
picture_colour(FILE *fp, const struct picture *pi, const char *colour)
{
	if (pi->pi_colour)
		fputs(colour != NULL ? colour : "\033[0m", fp);
}

void
picture_repeat(FILE *fp, const char *text, int n)
{
	for (int i = 0; i < n; i++)
		fputs(text, fp);
}

const char *
picture_share(double part, double whole, char buf[PICTURE_SHARE_MAX])
{
	double percent = 100 * part / whole;

	if (part <= 0)
		return "0 %";
	if (percent < 0.005)
		return "<0.01 %";
	if (percent >= 99.995 && part < whole)
		return ">99.99 %";
	snprintf(buf, PICTURE_SHARE_MAX, "%.2f %%", percent);
	return buf;
}
