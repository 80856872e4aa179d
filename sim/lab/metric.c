#include "sim/lab/metric.h"

#include <math.h>

#include "sim/core/assert.h"

/* Nothing has no mean and no percentile. */
static double
of_any(const struct hist *h, double value)
{
	return hist_count(h) > 0 ? value : (double)NAN;
}

static double
percentile(const struct hist *h, double p)
{
	return of_any(h, (double)hist_percentile(h, p));
}

/* Busy time of the receiver's CPUs, or of the sender's; *n: how many. */
static double
busy_ns(const struct result *rs, bool sender, int *n)
{
	double busy = 0;

	*n = 0;
	for (int i = 0; i < rs->rs_ncpus; i++) {
		const struct result_cpu *rc = &rs->rs_cpus[i];

		if (sender != (i >= rs->rs_nserver_cpus) ||
		    (!sender && rc->rc_host != 0))
			continue;
		busy += (double)(rs->rs_measure_ns - rc->rc_idle_ns);
		++*n;
	}
	return busy;
}

static double
cpu_pct(const struct result *rs, bool sender)
{
	int n;
	double busy = busy_ns(rs, sender, &n);

	return n > 0 ? 100 * busy / (n * (double)rs->rs_measure_ns)
		     : (double)NAN;
}

/* Netperf's us/KB, in ns. */
static double
demand_ns(const struct result *rs, bool sender)
{
	double bytes = (double)rs->rs_counters[COUNTER_netserver_bytes];
	int n;

	return bytes > 0 ? busy_ns(rs, sender, &n) / (bytes / 1024)
			 : (double)NAN;
}

static double
netserver_value(enum metric m, const struct result *rs)
{
	const int64_t *cn = rs->rs_counters;

	if (m == METRIC_GOODPUT)
		return (double)cn[COUNTER_netserver_bytes] * 8 /
		       ((double)rs->rs_measure_ns * 1e-9);
	if (m == METRIC_RECEIVER_CPU || m == METRIC_SENDER_CPU)
		return cpu_pct(rs, m == METRIC_SENDER_CPU);
	if (m == METRIC_RECEIVER_DEMAND || m == METRIC_SENDER_DEMAND)
		return demand_ns(rs, m == METRIC_SENDER_DEMAND);
	return cn[COUNTER_statclock_ticks] > 0
		   ? 100 * (double)cn[COUNTER_statclock_busy] /
			 (double)cn[COUNTER_statclock_ticks]
		   : (double)NAN;
}

bool
metric_of_netserver(enum metric m)
{
	return m >= METRIC_GOODPUT && m <= METRIC_RECEIVER_CPU_SAMPLED;
}

static bool
is_demand(enum metric m)
{
	return m == METRIC_RECEIVER_DEMAND || m == METRIC_SENDER_DEMAND;
}

double
metric_value(enum metric m, const struct result *rs)
{
	const struct hist *h = &rs->rs_latency;
	double seconds = (double)rs->rs_measure_ns * 1e-9;

	switch (m) {
	case METRIC_THROUGHPUT:
		return (double)rs->rs_completed / seconds;
	case METRIC_LATENCY_MEAN:
		return of_any(h, hist_mean(h));
	case METRIC_LATENCY_STDEV:
		return of_any(h, hist_stdev(h));
	case METRIC_LATENCY_P50:
		return percentile(h, 50);
	case METRIC_LATENCY_P90:
		return percentile(h, 90);
	case METRIC_LATENCY_P99:
		return percentile(h, 99);
	case METRIC_LATENCY_P999:
		return percentile(h, 99.9);
	case METRIC_LATENCY_MAX:
		return of_any(h, (double)hist_max(h));
	case METRIC_CYCLE_MEAN:
		return of_any(&rs->rs_cycle, hist_mean(&rs->rs_cycle));
	case METRIC_REQUESTS:
		return (double)rs->rs_completed;
	case METRIC_CLOCKED:
		return hist_mean(h) * (double)hist_count(h) /
		       (double)rs->rs_measure_ns;
	case METRIC_REQUEST_RATE:
		return rs->rs_request_rate / rs->rs_reps;
	case METRIC_LITTLES_LAW_ERROR:
		return 100 * result_little(rs).rl_error;
	case METRIC_GOODPUT:
	case METRIC_RECEIVER_CPU:
	case METRIC_SENDER_CPU:
	case METRIC_RECEIVER_DEMAND:
	case METRIC_SENDER_DEMAND:
	case METRIC_RECEIVER_CPU_SAMPLED:
		return rs->rs_netserver ? netserver_value(m, rs) : (double)NAN;
	case METRIC_N:
		break;
	}
	SIM_BUG("no metric %d", (int)m);
}

double
metric_error_pct(enum metric m, double value, double published)
{
	if (key_metrics[m].km_unit == UNIT_PERCENT)
		return value - published;
	return 100 * (value / published - 1);
}

char *
metric_time_text(double ns, char *buf)
{
	if (fabs(ns) >= 1e6)
		snprintf(buf, METRIC_TEXT_MAX, "%.2f ms", ns * 1e-6);
	else
		snprintf(buf, METRIC_TEXT_MAX, "%.2f us", ns * 1e-3);
	return buf;
}

char *
metric_text(enum metric m, double value, char *buf)
{
	if (isnan(value)) {
		snprintf(buf, METRIC_TEXT_MAX, "none");
		return buf;
	}
	if (is_demand(m)) {
		snprintf(buf, METRIC_TEXT_MAX, "%.3f us", value * 1e-3);
		return buf;
	}
	if (key_metrics[m].km_unit == UNIT_TIME)
		return metric_time_text(value, buf);
	if (key_metrics[m].km_unit == UNIT_FREQUENCY)
		snprintf(buf, METRIC_TEXT_MAX, "%.1f /s", value);
	else if (key_metrics[m].km_unit == UNIT_RATE)
		snprintf(buf, METRIC_TEXT_MAX, "%.2f Mbps", value * 1e-6);
	else if (metric_of_netserver(m))
		snprintf(buf, METRIC_TEXT_MAX, "%.2f %%", value);
	else if (key_metrics[m].km_unit == UNIT_PERCENT)
		snprintf(buf, METRIC_TEXT_MAX, "%.4f %%", value);
	else
		snprintf(buf, METRIC_TEXT_MAX, "%.0f", value);
	return buf;
}

char *
metric_ci_text(enum metric m, struct stat_ci ci, char *buf)
{
	const enum unit_kind unit = key_metrics[m].km_unit;
	const bool ms = fabs(ci.mean) >= 1e6;

	if (is_demand(m))
		snprintf(buf, METRIC_CI_MAX, "%.3f +- %.3f us", ci.mean * 1e-3,
		    ci.half * 1e-3);
	else if (unit == UNIT_RATE)
		snprintf(buf, METRIC_CI_MAX, "%.2f +- %.2f Mbps",
		    ci.mean * 1e-6, ci.half * 1e-6);
	else if (unit == UNIT_TIME)
		snprintf(buf, METRIC_CI_MAX, "%.2f +- %.2f %s",
		    ci.mean * (ms ? 1e-6 : 1e-3), ci.half * (ms ? 1e-6 : 1e-3),
		    ms ? "ms" : "us");
	else
		snprintf(buf, METRIC_CI_MAX, "%.1f +- %.1f%s", ci.mean, ci.half,
		    unit == UNIT_FREQUENCY ? " /s"
		    : unit == UNIT_PERCENT ? " %"
					   : "");
	return buf;
}

void
metric_json(enum metric m, double value, FILE *fp)
{
	if (!isfinite(value))
		fputs("null", fp);
	else if (is_demand(m))
		fprintf(fp, "%.3f", value);
	else if (key_metrics[m].km_unit == UNIT_TIME ||
		 key_metrics[m].km_unit == UNIT_NONE)
		fprintf(fp, "%.0f", value);
	else
		fprintf(fp, "%.6f", value);
}
