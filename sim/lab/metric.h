#ifndef SIM_LAB_METRIC_H
#define SIM_LAB_METRIC_H

/*
 * The values behind the table of metrics (key_metrics, sim/lab/keys.h): one
 * place that says what each metric is.
 */
#include <stdio.h>

#include "sim/core/stat.h"
#include "sim/lab/keys.h"
#include "sim/lab/result.h"

#define METRIC_TEXT_MAX 40
#define METRIC_CI_MAX 80

/*
 * In the unit of the metric's JSON name. NAN: a latency without requests,
 * and what netserver yields where there is none.
 */
double metric_value(enum metric, const struct result *);

/* Whether it is one of netserver's, which load generators do not yield. */
bool metric_of_netserver(enum metric);

static inline enum metric
metric_of(const struct key_metric *km)
{
	return (enum metric)(km - key_metrics);
}

/* How far a value is from a published one: percent, or points of percent. */
double metric_error_pct(enum metric, double value, double published);

/*
 * For people: "210279.9 /s", "59.19 ms", "2472.08 Mbps". Returns: buf, of
 * METRIC_TEXT_MAX bytes.
 */
char *metric_text(enum metric, double value, char *buf);

/*
 * With half the width of its interval: "210279.9 +- 12.0 /s", "59.19 +- 0.03
 * ms". Returns: buf, of METRIC_CI_MAX bytes.
 */
char *metric_ci_text(enum metric, struct stat_ci, char *buf);

/* As a JSON number: whole for counts, and times but those of a KiB. */
void metric_json(enum metric, double value, FILE *);

/* A time in ms or us, two decimals. Returns: buf, of METRIC_TEXT_MAX bytes. */
char *metric_time_text(double ns, char *buf);

#endif
