#ifndef SIM_LAB_POINTS_H
#define SIM_LAB_POINTS_H

/*
 * Points of a scenario with their replications: what run, reproduce and fit
 * have in common.
 */
#include "sim/core/stat.h"
#include "sim/lab/metric.h"
#include "sim/lab/record.h"
#include "sim/lab/run.h"
#include "sim/lab/scenario.h"

struct point {
	int po_point;	/* of the sweep, or SCENARIO_BASE */
	int po_variant; /* the caller's: what it changed in po_setup */
	struct setup po_setup;
	char po_label[256];
	int po_reps;
	struct result **po_results; /* by replication */
	struct result *po_merged;   /* all of them */
};

/* Resolve one; its replications are those of its setup. fini frees results. */
void point_init(struct point *, struct scenario *, int point);
void point_fini(struct point *);

/*
 * Run all replications of n points as one batch. `trace` (or NULL) is of the
 * first replication of the first point.
 */
enum run_status points_run(struct point *, int n, const struct run_trace *,
    const struct run_options *);

/*
 * A metric of a point that has run: that of the pooled replications, with the
 * half-width of the 95 % interval of their mean (INFINITY for one).
 */
struct stat_ci point_metric(const struct point *, enum metric);

/*
 * The gain of one point over another, 100 * (a / b - 1) in percent: that of the
 * pooled replications; the interval is of the gains of replication r of both,
 * which have the same random numbers. Not finite when b is 0.
 */
struct stat_ci point_gain(
    const struct point *a, const struct point *b, enum metric);

/* What record_json() prints of a replication. */
void point_json(FILE *, const struct scenario *, const struct point *, int rep);

#endif
