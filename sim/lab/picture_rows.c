/*
 * Which rows a histogram has. There are two scales, and of each the finest rows
 * that are few enough are tried:
 *
 *	linear	steps of 1, 2, 2.5, 5, 10, ... ns
 *	log	24, 12, 6, 3 or 1 round numbers in a decade; all below 10 ns is
 *		one row
 *
 * The one whose fullest row holds less shows more of the shape, and is taken.
 */
#include <string.h>

#include "sim/lab/picture_impl.h"

#define MAX_EMPTY 2   /* more empty rows than this are one line ... */
#define MAX_GAPS 3    /* ... of so many: few requests are no comb */
#define FINEST_STEP 8 /* buckets in a row, at least: rows compare */
#define LOG_LEAST 10  /* ns */
#define MAX_SERIES 24

/* Where rows begin. */
struct scale {
	int64_t sc_step; /* 0: log */
	int sc_n;	 /* log: in a decade */
	const int *sc_tenths;
};

static bool linear_find(struct picture_rows *, const struct hist *);
static void log_find(struct picture_rows *, const struct hist *);
static bool rows_make(
    struct picture_rows *, const struct hist *, const struct scale *);
static struct picture_row *row_after(
    struct picture_rows *, int64_t skipped, const struct scale *);
static int64_t place(const struct scale *, int64_t value);
static int64_t from(const struct scale *, int64_t place);
static int64_t value_of(const struct hist *, int index);

const double picture_marks[PICTURE_NMARKS] = { 50, 90, 99 };

void
picture_rows(struct picture_rows *rw, const struct hist *h)
{
	struct picture_rows linear;
	bool is_linear = linear_find(&linear, h);

	log_find(rw, h);
	if (is_linear && linear.rw_most <= rw->rw_most)
		*rw = linear;
}

/*
 * A row holds the buckets whose value is in it. Where it is not much wider than
 * they are, some rows would hold one more than others.
 */
static bool
linear_find(struct picture_rows *rw, const struct hist *h)
{
	static const int tenths[] = { 10, 20, 25, 50 };
	int last = hist_index(h, hist_max(h));
	int64_t width =
	    hist_index_highest(h, last) - hist_index_lowest(h, last) + 1;
	int64_t finest = width > 1 ? FINEST_STEP * width : 1;
	struct scale sc = { 0 };

	for (int64_t power = 1; power <= INT64_MAX / 100; power *= 10) {
		for (int i = 0; i < 4; i++) {
			/* 2.5 ns is not a whole number. */
			if (tenths[i] * power % 10 != 0)
				continue;
			sc.sc_step = tenths[i] * power / 10;
			if (sc.sc_step >= finest && rows_make(rw, h, &sc))
				return true;
		}
	}
	return false;
}

/* One in a decade is always few enough. */
static void
log_find(struct picture_rows *rw, const struct hist *h)
{
	static const int series[][MAX_SERIES + 1] = {
		{ 24, 10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36,
		    39, 43, 47, 51, 56, 62, 68, 75, 82, 91 },
		{ 12, 10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82 },
		{ 6, 10, 15, 20, 30, 50, 70 },
		{ 3, 10, 20, 50 },
		{ 1, 10 },
	};
	struct scale sc = { 0 };

	for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++) {
		sc.sc_n = series[i][0];
		sc.sc_tenths = &series[i][1];
		if (rows_make(rw, h, &sc))
			return;
	}
}

/* Returns: false when they are too many. */
static bool
rows_make(struct picture_rows *rw, const struct hist *h, const struct scale *sc)
{
	int64_t before = -1;
	struct picture_row *row = NULL;

	*rw = (struct picture_rows){ .rw_step = sc->sc_step };
	for (int i = 0; i < h->h_counts_len; i++) {
		int64_t here;

		if (h->h_counts[i] == 0)
			continue;
		here = place(sc, value_of(h, i));
		if (row == NULL || here != before) {
			row = row_after(
			    rw, row == NULL ? 0 : here - before - 1, sc);
			if (row == NULL)
				return false;
			row->ro_from = from(sc, here);
			before = here;
		}
		row->ro_count += h->h_counts[i];
		if (row->ro_count > rw->rw_most)
			rw->rw_most = row->ro_count;
	}
	for (int m = 0; m < PICTURE_NMARKS; m++) {
		int64_t at =
		    from(sc, place(sc, hist_percentile(h, picture_marks[m])));

		for (int i = 0; i < rw->rw_n; i++) {
			row = &rw->rw_rows[i];
			row->ro_marks[m] = !row->ro_gap && row->ro_from == at;
		}
	}
	return true;
}

/* One more, after so many empty ones. Returns: NULL when they are too many. */
static struct picture_row *
row_after(struct picture_rows *rw, int64_t skipped, const struct scale *sc)
{
	bool gap = skipped > MAX_EMPTY && rw->rw_ngaps < MAX_GAPS;
	int64_t more = gap ? 1 : skipped;
	int64_t last =
	    rw->rw_n > 0 ? place(sc, rw->rw_rows[rw->rw_n - 1].ro_from) : 0;

	if (more >= PICTURE_MAX_ROWS - rw->rw_n)
		return NULL;
	rw->rw_ngaps += gap;
	for (int64_t i = 1; i <= more; i++)
		rw->rw_rows[rw->rw_n++] = (struct picture_row){
			.ro_gap = gap,
			.ro_from = from(sc, last + i),
		};
	return &rw->rw_rows[rw->rw_n++];
}

/* The number of the row that a value is in. */
static int64_t
place(const struct scale *sc, int64_t value)
{
	int64_t power = LOG_LEAST, decade = 0;
	int i = sc->sc_n - 1;

	if (sc->sc_step > 0)
		return value / sc->sc_step;
	if (value < LOG_LEAST)
		return 0;
	for (; value / power >= 10; power *= 10)
		decade++;
	while (power / 10 * sc->sc_tenths[i] > value)
		i--;
	return 1 + decade * sc->sc_n + i;
}

/* Where the row of that number begins. */
static int64_t
from(const struct scale *sc, int64_t place)
{
	int64_t power = LOG_LEAST;

	if (sc->sc_step > 0)
		return place * sc->sc_step;
	if (place == 0)
		return 0;
	for (int64_t d = (place - 1) / sc->sc_n; d > 0; d--)
		power *= 10;
	return power / 10 * sc->sc_tenths[(place - 1) % sc->sc_n];
}

/* As hist_percentile() says it. */
static int64_t
value_of(const struct hist *h, int index)
{
	int64_t value = hist_index_highest(h, index);

	return value < hist_max(h) ? value : hist_max(h);
}
