#include "sim/lab/records.h"

#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/hist.h"

static double per_kib(struct record *const *, int n, const char *metric);
static double pooled(struct record *const *, int n, enum metric);
static double weighted_mean(
    struct record *const *, int n, const char *metric, const char *hist);
static double pooled_stdev(struct record *const *, int n);
static double pooled_percentile(struct record *const *, int n, double p);
static const struct record_hist *hist_of(
    const struct record *, const char *name);

struct stat_ci
records_metric(struct record *const *rds, int n, enum metric m)
{
	double *x = sim_calloc((size_t)n + 1, sizeof(*x));
	struct stat_ci ci;

	for (int i = 0; i < n; i++)
		x[i] = record_metric(rds[i], key_metrics[m].km_json);
	ci = stat_t_interval(x, n, 0.95);
	if (n > 0)
		ci.mean = pooled(rds, n, m);
	sim_free(x);
	return ci;
}

static double
pooled(struct record *const *rds, int n, enum metric m)
{
	const char *name = key_metrics[m].km_json;
	double sum = 0, max = -INFINITY;

	switch (m) {
	case METRIC_LATENCY_MEAN:
		return weighted_mean(rds, n, name, "latency");
	case METRIC_CYCLE_MEAN:
		return weighted_mean(rds, n, name, "cycle");
	case METRIC_LATENCY_STDEV:
		return pooled_stdev(rds, n);
	case METRIC_LATENCY_P50:
		return pooled_percentile(rds, n, 50);
	case METRIC_LATENCY_P90:
		return pooled_percentile(rds, n, 90);
	case METRIC_LATENCY_P99:
		return pooled_percentile(rds, n, 99);
	case METRIC_LATENCY_P999:
		return pooled_percentile(rds, n, 99.9);
	case METRIC_LATENCY_MAX:
		for (int i = 0; i < n; i++)
			max = fmax(max, record_metric(rds[i], name));
		return isfinite(max) ? max : (double)NAN;
	case METRIC_RECEIVER_DEMAND:
	case METRIC_SENDER_DEMAND:
		return per_kib(rds, n, name);
	case METRIC_THROUGHPUT:
	case METRIC_REQUESTS:
	case METRIC_CLOCKED:
	case METRIC_REQUEST_RATE:
	case METRIC_LITTLES_LAW_ERROR:
	case METRIC_GOODPUT:
	case METRIC_RECEIVER_CPU:
	case METRIC_SENDER_CPU:
	case METRIC_RECEIVER_CPU_SAMPLED:
	case METRIC_N:
		break;
	}
	for (int i = 0; i < n; i++)
		sum += record_metric(rds[i], name);
	return sum / n;
}

/* By what was received, as replications take the same time. */
static double
per_kib(struct record *const *rds, int n, const char *metric)
{
	double sum = 0, weight = 0;

	for (int i = 0; i < n; i++) {
		double w = record_metric(rds[i], "goodput_bps");

		if (w > 0) {
			sum += w * record_metric(rds[i], metric);
			weight += w;
		}
	}
	return weight > 0 ? sum / weight : (double)NAN;
}

static double
weighted_mean(
    struct record *const *rds, int n, const char *metric, const char *hist)
{
	double sum = 0, count = 0;

	for (int i = 0; i < n; i++) {
		const struct record_hist *rh = hist_of(rds[i], hist);
		double w = rh != NULL ? (double)rh->rh_samples : 0;

		if (w > 0)
			sum += w * record_metric(rds[i], metric);
		count += w;
	}
	return count > 0 ? sum / count : (double)NAN;
}

/* Within the replications and between them. */
static double
pooled_stdev(struct record *const *rds, int n)
{
	double mean = weighted_mean(rds, n, "latency_mean_ns", "latency");
	double ss = 0, count = 0;

	for (int i = 0; i < n; i++) {
		const struct record_hist *rh = hist_of(rds[i], "latency");
		double w = rh != NULL ? (double)rh->rh_samples : 0;
		double s = record_metric(rds[i], "latency_stdev_ns");
		double d = record_metric(rds[i], "latency_mean_ns") - mean;

		if (w > 0)
			ss += (w - 1) * s * s + w * d * d;
		count += w;
	}
	if (count <= 0)
		return NAN;
	return count > 1 ? sqrt(ss / (count - 1)) : 0;
}

static double
pooled_percentile(struct record *const *rds, int n, double p)
{
	struct hist all;
	double value;

	if (!records_hist(rds, n, "latency", &all))
		return NAN;
	value = hist_count(&all) > 0 ? (double)hist_percentile(&all, p) : NAN;
	hist_fini(&all);
	return value;
}

bool
records_hist(
    struct record *const *rds, int n, const char *name, struct hist *all)
{
	const struct record_hist *rh;
	struct hist one;

	for (int i = 0; i < n; i++) {
		rh = hist_of(rds[i], name);
		if (rh == NULL || hist_decode_compressed(i == 0 ? all : &one,
				      rh->rh_bytes, rh->rh_size) != 0) {
			if (i > 0)
				hist_fini(all);
			return false;
		}
		if (i > 0) {
			hist_merge(all, &one);
			hist_fini(&one);
		}
	}
	return n > 0;
}

static const struct record_hist *
hist_of(const struct record *rd, const char *name)
{
	for (int i = 0; i < rd->rd_nhists; i++) {
		if (strcmp(rd->rd_hists[i].rh_name, name) == 0)
			return &rd->rd_hists[i];
	}
	return NULL;
}

int64_t
records_samples(struct record *const *rds, int n)
{
	int64_t samples = 0;

	for (int i = 0; i < n; i++) {
		const struct record_hist *rh = hist_of(rds[i], "latency");

		/* A store may hold anything. */
		if (rh != NULL &&
		    __builtin_add_overflow(samples, rh->rh_samples, &samples))
			return INT64_MAX;
	}
	return samples;
}

double
records_per_request(struct record *const *rds, int n, const char *counter)
{
	double count = 0, requests = 0;

	for (int i = 0; i < n; i++) {
		requests += record_metric(rds[i], "requests");
		for (int k = 0; k < rds[i]->rd_ncounters; k++) {
			if (strcmp(rds[i]->rd_counters[k].rn_name, counter) ==
			    0)
				count +=
				    (double)rds[i]->rd_counters[k].rn_value;
		}
	}
	return requests > 0 ? count / requests : 0;
}

bool
records_steady(struct record *const *rds, int n)
{
	for (int i = 0; i < n; i++) {
		if (strcmp(rds[i]->rd_steady, "no-steady-state") == 0 ||
		    strcmp(rds[i]->rd_steady, "warmup-short") == 0)
			return false;
	}
	return true;
}
