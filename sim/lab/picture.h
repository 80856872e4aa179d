#ifndef SIM_LAB_PICTURE_H
#define SIM_LAB_PICTURE_H

/*
 * Pictures of a result for a terminal: latencies as a histogram, and the
 * stages of a cycle as stacked bars. Pure: the same result, width and
 * characters give the same text.
 *
 * Bars tell the truth:
 *
 *	latency		A row's length is its share over the largest row's,
 *			rounded to the nearest eighth of a column (ASCII: a
 *			column), so that equal rows are equally long.
 *	stages		The parts of a cycle are columns of one bar, shared out
 *			by largest remainder: they add up to its whole length.
 *			Each stage is on a line of its own and begins where the
 *			one before it ends.
 *	nothing		has no bar,
 *	too little	for a column is a thin mark of its own, never nothing.
 *It takes no column from others.
 *
 * A request is in the row of the value that percentiles would say of it (the
 * highest of its bucket: up to 0.1 % more), so p50, p90 and p99 are marked in
 * the rows that they are in.
 *
 * Context: anywhere. Time: none.
 */
#include <stdio.h>

#include "sim/lab/result.h"

#define PICTURE_WIDTH 80     /* at most, and where there is no terminal */
#define PICTURE_MAX_LINES 40 /* of both, with the empty lines before them */

struct picture {
	int pi_width;	/* columns; a picture that has no room is left out */
	bool pi_utf8;	/* block characters; else ASCII */
	bool pi_colour; /* escape sequences of a terminal */
};

/* Both, each after an empty line; nothing of what is empty. */
void picture_result(FILE *, const struct result *, const struct picture *);

/*
 * Rows of equal width or of equal ratio, whichever shows more of the shape; 19
 * at most. Three and more empty rows are a line of dots. Returns: whether there
 * was something, and room.
 */
bool picture_latency(FILE *, const struct hist *, const struct picture *);

/* Of all requests, and of the slowest 1 % by latency. Returns: likewise. */
bool picture_stages(FILE *, const struct result *, const struct picture *);

#endif
