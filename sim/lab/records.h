#ifndef SIM_LAB_RECORDS_H
#define SIM_LAB_RECORDS_H

/*
 * The replications of a point together: each metric as of one long run, with
 * an interval from the replications. Percentiles are those of the merged
 * histograms; they are never averaged.
 *
 * Context: anywhere; pure functions. Time: none.
 */
#include "sim/core/hist.h"
#include "sim/core/stat.h"
#include "sim/lab/metric.h"
#include "sim/lab/record.h"

/*
 * The value, and half the width of its 95 % interval (INFINITY for one
 * replication). Counts are a replication's. NAN: it is not there.
 */
struct stat_ci records_metric(struct record *const *, int n, enum metric);

/*
 * The histograms of this name merged ("latency", "cycle"); hist_fini() it.
 * Returns: false when one of them is not there or cannot be read; nothing is to
 * be freed then.
 */
bool records_hist(
    struct record *const *, int n, const char *name, struct hist *);

/* Requests with a latency, of all replications. */
int64_t records_samples(struct record *const *, int n);

/* A counter per request, over all replications; 0 without requests. */
double records_per_request(struct record *const *, int n, const char *counter);

/* Whether each of them reached a steady state, as far as can be told. */
bool records_steady(struct record *const *, int n);

#endif
