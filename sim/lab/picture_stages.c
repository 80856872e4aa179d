#include "sim/lab/picture_impl.h"

#include <math.h>
#include <string.h>

#define INDENT 2
#define THIN 2	      /* columns behind a bar, for thin marks */
#define LONG_TITLE 56 /* columns of the title with all its words */
#define NAME 16	      /* columns of a stage's name */
#define SHARE 9	      /* "100.00 %", with a gap */
#define TEXT_MAX 80
#define PARTS (2 * STAGE_N)

/* A group of requests: their bar, in columns by stage and clock. */
struct bar {
	struct result_stages br_stages;
	int br_columns[STAGE_N][2];
	double br_total_ns;
};

/* Columns; 0: left out. */
struct layout {
	int la_bar, la_value, la_share;
};

/* By clock: off, on. */
struct ink {
	const char *in_column, *in_thin, *in_colour;
};

static const struct ink inks[2][2] = {
	{ { "-", ":", PICTURE_UNCOUNTED }, { "#", "|", PICTURE_COUNTED } },
	{ { "░", "┊", PICTURE_UNCOUNTED }, { "█", "▏", PICTURE_COUNTED } },
};

static bool layout_make(
    struct layout *, const struct bar *, int nbars, const struct picture *);
static void share_out(struct bar *, int columns);
static void bar_print(FILE *, const char *name, const struct bar *,
    const struct layout *, const struct picture *);
static int row_print(
    FILE *, const struct bar *, int stage, const struct picture *);

bool
picture_stages(FILE *fp, const struct result *rs, const struct picture *pi)
{
	const struct ink *ink = inks[pi->pi_utf8];
	struct bar bars[2] = { 0 };
	struct layout la;

	result_stages(rs, 1, &bars[0].br_stages);
	result_stages(rs, 0.01, &bars[1].br_stages);
	for (int b = 0; b < 2; b++) {
		const double *total = bars[b].br_stages.rg_total_ns;

		bars[b].br_total_ns = total[0] + total[1];
		if (bars[b].br_total_ns <= 0)
			return false;
	}
	if (!layout_make(&la, bars, 2, pi))
		return false;
	fprintf(fp, "\n%stool's clock: ",
	    pi->pi_width >= LONG_TITLE ? "where a cycle's time goes; the "
				       : "");
	for (int on = 0; on < 2; on++) {
		picture_colour(fp, pi, ink[on].in_colour);
		fputs(ink[on].in_column, fp);
		picture_colour(fp, pi, NULL);
		fputs(on ? " on\n" : " off, ", fp);
	}
	bar_print(fp, "all requests", &bars[0], &la, pi);
	bar_print(fp, "slowest 1 %", &bars[1], &la, pi);
	return true;
}

/* Numbers are in the table too, so they go first where there is no room. */
static bool
layout_make(struct layout *la, const struct bar *bars, int nbars,
    const struct picture *pi)
{
	int room = pi->pi_width - INDENT - NAME - 1 - THIN;

	*la = (struct layout){ .la_share = SHARE };
	for (int b = 0; b < nbars; b++) {
		int len =
		    snprintf(NULL, 0, " %.3f", bars[b].br_total_ns * 1e-6);

		la->la_value = len > la->la_value ? len : la->la_value;
	}
	if (room - la->la_value - la->la_share < PICTURE_MIN_BAR)
		la->la_value = 0;
	if (room - la->la_value - la->la_share < PICTURE_MIN_BAR)
		la->la_share = 0;
	la->la_bar = room - la->la_value - la->la_share;
	return la->la_bar >= PICTURE_MIN_BAR;
}

/*
 * Largest remainder: each part has the whole columns that it is worth, and the
 * columns that are left go to the largest rests, of equal ones to the first.
 */
static void
share_out(struct bar *br, int columns)
{
	double rests[PARTS];
	int left = columns;

	for (int p = 0; p < PARTS; p++) {
		double worth = br->br_stages.rg_ns[p / 2][p % 2] /
			       br->br_total_ns * columns;
		int whole = (int)fmin(worth, left);

		br->br_columns[p / 2][p % 2] = whole;
		rests[p] = worth > 0 ? worth - whole : -1;
		left -= whole;
	}
	for (; left > 0; left--) {
		int most = 0;

		for (int p = 1; p < PARTS; p++)
			most = rests[p] > rests[most] ? p : most;
		br->br_columns[most / 2][most % 2]++;
		rests[most] = 0;
	}
}

static void
bar_print(FILE *fp, const char *name, const struct bar *from,
    const struct layout *la, const struct picture *pi)
{
	char text[TEXT_MAX], share[PICTURE_SHARE_MAX];
	struct bar br = *from;
	int at = 0;

	share_out(&br, la->la_bar);
	snprintf(
	    text, sizeof(text), "%s: %.3f ms", name, br.br_total_ns * 1e-6);
	fprintf(fp, "%.*s\n", pi->pi_width, text);
	for (int s = 0; s < STAGE_N; s++) {
		const double *ns = br.br_stages.rg_ns[s];
		int used, gap;

		used = fprintf(fp, "%*s%s", INDENT, "", stage_names[s]);
		if (ns[0] + ns[1] > 0) {
			used += fprintf(
			    fp, "%*s", INDENT + NAME + 1 + at - used, "");
			used += row_print(fp, &br, s, pi);
		}
		at += br.br_columns[s][0] + br.br_columns[s][1];
		gap = INDENT + NAME + 1 + la->la_bar + THIN - used;
		if (la->la_value > 0) {
			fprintf(fp, "%*.3f", gap + la->la_value,
			    (ns[0] + ns[1]) * 1e-6);
			gap = 0;
		}
		if (la->la_share > 0)
			fprintf(fp, "%*s", gap + la->la_share,
			    picture_share(
				ns[0] + ns[1], br.br_total_ns, share));
		fputc('\n', fp);
	}
}

/* Returns: columns drawn. */
static int
row_print(FILE *fp, const struct bar *br, int stage, const struct picture *pi)
{
	int used = 0;

	for (int on = 0; on < 2; on++) {
		const struct ink *ink = &inks[pi->pi_utf8][on];
		int columns = br->br_columns[stage][on];

		if (br->br_stages.rg_ns[stage][on] <= 0)
			continue;
		picture_colour(fp, pi, ink->in_colour);
		picture_repeat(fp, ink->in_column, columns);
		if (columns == 0)
			fputs(ink->in_thin, fp);
		picture_colour(fp, pi, NULL);
		used += columns > 0 ? columns : 1;
	}
	return used;
}
