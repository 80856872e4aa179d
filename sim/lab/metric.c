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
	if (key_metrics[m].km_unit == UNIT_TIME)
		return metric_time_text(value, buf);
	if (key_metrics[m].km_unit == UNIT_FREQUENCY)
		snprintf(buf, METRIC_TEXT_MAX, "%.1f /s", value);
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

	if (unit == UNIT_TIME)
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
	else if (key_metrics[m].km_unit == UNIT_TIME ||
		 key_metrics[m].km_unit == UNIT_NONE)
		fprintf(fp, "%.0f", value);
	else
		fprintf(fp, "%.6f", value);
}
