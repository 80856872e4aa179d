#ifndef SIM_LAB_REPORT_H
#define SIM_LAB_REPORT_H

/*
 * The page of `solab report`: one HTML file with everything in it. What is in a
 * store goes into it as JSON (docs/results.md), and the scripts of
 * sim/lab/report/ draw it. The page asks the network for nothing, and its
 * Content-Security-Policy allows only the scripts and the style that are in it,
 * by their hashes. It depends on nothing but the store and the program: the
 * same ones give the same bytes.
 *
 * Names and texts of a store may hold anything. In the page they are JSON, in
 * which `<` is written \u003c, so that none of them ends the script's element;
 * the scripts show them as text only.
 *
 * Context: a process that has not opened the engine. Time: real.
 */
#include <stdio.h>

#include "sim/lab/store.h"

/* Points that have more than their metrics: the page must stay small. */
#define REPORT_MAX_DETAILED 400

/* A run again, from a store, to see what its CPUs do in a window. */
struct report_timeline {
	int64_t rm_point;
	FILE *rm_json; /* as timeline_json() wrote it */
};

struct report {
	struct store *rp_store; /* borrowed */
	const char *rp_name;	/* its file's, as shown */
	int64_t *rp_only;	/* ids of points; NULL: all */
	int rp_nonly;
	struct report_timeline *rp_timelines;
	int rp_ntimelines;
};

/*
 * Returns: false after an error of the store, which was said. Errors of the
 * file are for the caller to look at.
 */
bool report_write(FILE *, const struct report *);

#endif
