#ifndef SIM_LAB_GRAPH_H
#define SIM_LAB_GRAPH_H

/*
 * A scenario as a picture: load generators, ports, rings, CPUs with their
 * protocol threads, listening sockets, workers, and which belongs to which.
 * With the records of a run it carries what the run put on them.
 *
 * CPUs that do the same are many: of more than GRAPH_MAX_LANES the first two,
 * the last, those with extremes and those that take frames for one of these are
 * drawn, and notes say which are left out. Likewise workers: of many on one CPU
 * the first.
 *
 * Context: anywhere. Time: none, but graph_svg(): real.
 */
#include <stdbool.h>
#include <stdio.h>

#include "model/setup.h"
#include "sim/lab/record.h"

#define GRAPH_MAX_LANES 8

/*
 * DOT, for Graphviz. `records` are the replications of one point; n = 0: no
 * loads. The same arguments give the same bytes.
 */
void graph_dot(
    FILE *, const struct setup *, struct record *const *records, int n);

/* Is there a program to draw it with? */
bool graph_can_draw(void);

/*
 * Draw it: `dot -Tsvg`, started as a program.
 *
 * Owns:    gives the SVG, for sim_free().
 * Returns: NULL when there is no dot, it failed or took too long (said on
 *	    stderr).
 */
char *graph_svg(const char *dot);

/*
 * A text as a DOT string, in quotes, whatever is in it: no escape, entity or
 * HTML of it has a meaning. At most `most` characters of it, with an ellipsis
 * for the rest; 0: all.
 */
void graph_quote(FILE *, const char *text, int most);

/* The same without the quotes, to be put in a string. */
void graph_text(FILE *, const char *text, int most);

/* `tooltip="..."`: all of a text that is not longer than dot can take. */
void graph_tooltip(FILE *, const char *text);

#endif
