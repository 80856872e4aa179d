#ifndef SIM_LAB_PICTURE_IMPL_H
#define SIM_LAB_PICTURE_IMPL_H

/*
 * What the pictures are made of and drawn with.
 */
#include "sim/lab/picture.h"

#define PICTURE_MAX_ROWS 19
#define PICTURE_NMARKS 3  /* percentiles that are marked */
#define PICTURE_MIN_BAR 8 /* columns; with less there is nothing to see */
#define PICTURE_SHARE_MAX 12

#define PICTURE_COUNTED "\033[36m"   /* cyan */
#define PICTURE_UNCOUNTED "\033[33m" /* yellow */
#define PICTURE_STRONG "\033[1m"

extern const double picture_marks[PICTURE_NMARKS]; /* percent */

/* A line of the histogram. */
struct picture_row {
	bool ro_gap;	  /* stands for three or more rows of nothing */
	int64_t ro_from;  /* ns; up to where the next one begins */
	int64_t ro_count; /* requests */
	bool ro_marks[PICTURE_NMARKS];
};

struct picture_rows {
	int rw_n, rw_ngaps;
	int64_t rw_step; /* ns, of each row; 0: log scale */
	struct picture_row rw_rows[PICTURE_MAX_ROWS];
	int64_t rw_most; /* the largest count */
};

/* picture_rows.c: the rows of a histogram that is not empty. */
void picture_rows(struct picture_rows *, const struct hist *);

/* picture.c */

/* Begin a colour, or with NULL end it, where there are colours. */
void picture_colour(FILE *, const struct picture *, const char *colour);

/* The same text n times. */
void picture_repeat(FILE *, const char *text, int n);

/*
 * "12.34 %", at most 8 columns. What is not nothing is not 0.00 %, and what is
 * not all is not 100.00 %.
 */
const char *picture_share(
    double part, double whole, char buf[PICTURE_SHARE_MAX]);

#endif
