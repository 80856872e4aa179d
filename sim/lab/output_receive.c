/* What `solab run` prints of netperf and netserver. */
#include <math.h>

#include "sim/lab/metric.h"
#include "sim/lab/output.h"

#define TOP_COSTS 12

static void metrics(FILE *, const struct point *);
static void value(
    FILE *, const struct point *, const char *, enum metric, double scale);
static void counters(FILE *, const struct result *);
static void costs(FILE *, const struct point *, int host);

void
output_receive(FILE *fp, const struct point *po)
{
	const struct setup *su = &po->po_setup;

	metrics(fp, po);
	counters(fp, po->po_merged);
	for (int h = 0; h < su->su_nmachines + su->su_npeers; h++)
		costs(fp, po, h);
	fputs("\n", fp);
}

static void
metrics(FILE *fp, const struct point *po)
{
	double bps = point_metric(po, METRIC_GOODPUT).mean;
	bool giga = bps >= 10e9;

	value(fp, po, giga ? "goodput, Gbit/s" : "goodput, Mbit/s",
	    METRIC_GOODPUT, giga ? 1e-9 : 1e-6);
	value(fp, po, "receiver CPU, %", METRIC_RECEIVER_CPU, 1);
	value(fp, po, "  as sampled, %", METRIC_RECEIVER_CPU_SAMPLED, 1);
	value(fp, po, "sender CPU, %", METRIC_SENDER_CPU, 1);
	value(fp, po, "receiver, us/KB", METRIC_RECEIVER_DEMAND, 1e-3);
	value(fp, po, "sender, us/KB", METRIC_SENDER_DEMAND, 1e-3);
	fputs("\n", fp);
}

static void
value(FILE *fp, const struct point *po, const char *name, enum metric m,
    double scale)
{
	struct stat_ci ci = point_metric(po, m);
	int decimals = key_metrics[m].km_unit == UNIT_TIME ? 3 : 2;

	if (!isfinite(ci.mean))
		fprintf(fp, "%-16s %10s\n", name, "none");
	else if (isfinite(ci.half))
		fprintf(fp, "%-16s %10.*f +- %.*f\n", name, decimals,
		    ci.mean * scale, decimals, ci.half * scale);
	else
		fprintf(fp, "%-16s %10.*f\n", name, decimals, ci.mean * scale);
}

/* A second, and per recv(2). */
static void
counters(FILE *fp, const struct result *rs)
{
	double seconds = (double)rs->rs_measure_ns * 1e-9;
	double calls = (double)rs->rs_counters[COUNTER_recv_calls];

	fprintf(fp, "%-19s %12s %12s %12s\n", "counter", "in all", "a second",
	    "a recv(2)");
	for (int i = 0; i < COUNTER_N; i++) {
		const struct counter_info *cn = &counter_infos[i];
		double n = (double)rs->rs_counters[i];

		if (cn->cn_netstat || n <= 0)
			continue;
		fprintf(
		    fp, "%-19s %12.0f %12.1f ", cn->cn_name, n, n / seconds);
		if (calls > 0)
			fprintf(fp, "%12.3f", n / calls);
		else
			fprintf(fp, "%12s", "-");
		fprintf(fp, "  %s\n", cn->cn_help);
	}
}

/* Where the CPU time of a KiB goes, dearest first. */
static void
costs(FILE *fp, const struct point *po, int host)
{
	const struct setup *su = &po->po_setup;
	const int64_t *ns = po->po_merged->rs_cost_ns[host];
	const int64_t *cn = po->po_merged->rs_counters;
	double kib = (double)cn[COUNTER_netserver_bytes] / 1024;
	bool shown[COST_N] = { false };
	double total = 0;

	for (int c = 0; c < COST_N && kib > 0; c++)
		total += (double)ns[c] / kib;
	fprintf(fp, "\n%s, ns a KiB: %.1f in all",
	    host < su->su_nmachines
		? su->su_machines[host].sm_name
		: su->su_peers[host - su->su_nmachines].pe_name,
	    total);
	for (int k = 0; k < TOP_COSTS && kib > 0; k++) {
		int top = -1;

		for (int c = 0; c < COST_N; c++) {
			if (!shown[c] && ns[c] > 0 &&
			    (top < 0 || ns[c] > ns[top]))
				top = c;
		}
		if (top < 0)
			break;
		shown[top] = true;
		fprintf(fp, "%s%s %.1f", k % 4 == 0 ? "\n  " : ", ",
		    cost_infos[top].ci_name, (double)ns[top] / kib);
	}
	fputs("\n", fp);
}
