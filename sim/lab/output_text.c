#include "sim/lab/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/stat_precision.h"
#include "sim/lab/text.h"

#define FULLEST 3	/* listeners shown one by one */
#define FEW_LISTENERS 6 /* so many are all shown */
#define TOP_COSTS 8
#define STEADY 0.02 /* what Little's law may be off */

static void heading(FILE *, const struct scenario *, const struct point *);
static void metrics(FILE *, const struct point *);
static void latency(FILE *, const struct result *, struct stat_ci mean);
static void percentiles(FILE *, const char *pad, const struct hist *, int n);
static bool percentile_ok(const struct hist *, double percent);
static void warnings(FILE *, const struct result *);
static void wrapped(FILE *, const char *first, char *text);
static void stages(FILE *, const struct result *);
static void little(FILE *, const struct result *);
static void peers(FILE *, const struct setup *, const struct result *);
static void listeners(
    FILE *, const struct setup *, const struct result *, bool all);
static void tokens(FILE *, const struct setup *, const struct result *);
static void sharing(FILE *, const struct result *);
static void counters(FILE *, const struct result *, bool all);
static void counters_netstat(FILE *, const struct result *);
static void cpus(FILE *, const struct setup *, const struct result *);
static void costs(FILE *, const struct setup *, const struct result *);

void
output_text(
    FILE *fp, const struct scenario *sc, const struct point *po, bool all)
{
	const struct result *rs = po->po_merged;

	heading(fp, sc, po);
	if (rs->rs_netserver) {
		output_receive(fp, po);
		counters_netstat(fp, rs);
		cpus(fp, &po->po_setup, rs);
		return;
	}
	metrics(fp, po);
	stages(fp, rs);
	little(fp, rs);
	if (all)
		peers(fp, &po->po_setup, rs);
	listeners(fp, &po->po_setup, rs, all);
	tokens(fp, &po->po_setup, rs);
	if (rs->rs_ntokens > 0 && !all)
		sharing(fp, rs);
	counters(fp, rs, all);
	counters_netstat(fp, rs);
	cpus(fp, &po->po_setup, rs);
	costs(fp, &po->po_setup, rs);
}

static void
heading(FILE *fp, const struct scenario *sc, const struct point *po)
{
	const struct setup_run *sr = &po->po_setup.su_run;
	int64_t least = po->po_merged->rs_warmup_ns, most = least;
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];

	for (int r = 0; r < po->po_reps; r++)
		least = sim_min(least, po->po_results[r]->rs_warmup_ns);
	text_print(fp, sc->sc_name);
	fputs(": ", fp);
	text_print(fp, po->po_setup.su_title);
	fputc('\n', fp);
	text_print(fp, po->po_label);
	fprintf(fp, "; seed %u, %s measured after %s", (unsigned)sr->sr_seed,
	    unit_print(UNIT_TIME, sr->sr_measure, a),
	    unit_print(UNIT_TIME, least, b));
	if (least != most)
		fprintf(fp, " to %s", unit_print(UNIT_TIME, most, b));
	if (sr->sr_warmup_auto)
		fputs(" (auto)", fp);
	if (po->po_reps > 1)
		fprintf(fp, ", %d replications", po->po_reps);
	fputs("\n\n", fp);
}

/* As a tool prints it that counts from its own start to its own end. */
static void
request_rate(FILE *fp, const struct point *po)
{
	const struct setup *su = &po->po_setup;

	for (int i = 0; i < su->su_npeers; i++) {
		if (su->su_peers[i].pe_tool != TOOL_HTTPERF)
			continue;
		fprintf(fp,
		    "request rate %.1f /s   (each process from its start to "
		    "its end, summed: request_rate)\n",
		    point_metric(po, METRIC_REQUEST_RATE).mean);
		return;
	}
}

static void
metrics(FILE *fp, const struct point *po)
{
	const struct result *rs = po->po_merged;
	struct stat_ci tp = point_metric(po, METRIC_THROUGHPUT);
	struct stat_ci mean = point_metric(po, METRIC_LATENCY_MEAN);

	fprintf(fp, "throughput   %.1f /s", tp.mean);
	if (isfinite(tp.half))
		fprintf(fp, " +- %.1f", tp.half);
	fprintf(
	    fp, "   (%llu responses)\n", (unsigned long long)rs->rs_completed);
	request_rate(fp, po);
	if (hist_count(&rs->rs_latency) == 0)
		fputs("latency, ms  none\n", fp);
	else
		latency(fp, rs, mean);
	fprintf(fp, "cycle, ms    mean %.3f", hist_mean(&rs->rs_cycle) * 1e-6);
	percentiles(fp, "", &rs->rs_cycle, 3);
	warnings(fp, rs);
	fputs("\n", fp);
}

static void
latency(FILE *fp, const struct result *rs, struct stat_ci mean)
{
	fprintf(fp, "latency, ms  mean %.3f", mean.mean * 1e-6);
	if (isfinite(mean.half))
		fprintf(fp, " +- %.3f", mean.half * 1e-6);
	fprintf(fp, "  stdev %.3f  min %.3f  max %.3f\n",
	    hist_stdev(&rs->rs_latency) * 1e-6,
	    (double)hist_min(&rs->rs_latency) * 1e-6,
	    (double)hist_max(&rs->rs_latency) * 1e-6);
	percentiles(fp, "           ", &rs->rs_latency, 5);
}

static const double percents[] = { 50, 90, 99, 99.9, 99.99 };

/* The first n, in ms; a * where there are too few samples. */
static void
percentiles(FILE *fp, const char *pad, const struct hist *h, int n)
{
	fputs(pad, fp);
	for (int i = 0; i < n; i++)
		fprintf(fp, "  p%g %.3f%s", percents[i],
		    (double)hist_percentile(h, percents[i]) * 1e-6,
		    percentile_ok(h, percents[i]) ? "" : "*");
	fputs("\n", fp);
}

static bool
percentile_ok(const struct hist *h, double percent)
{
	return stat_percentile_ok(percent / 100, hist_count(h));
}

/* What makes these numbers worth less than they look. */
static void
warnings(FILE *fp, const struct result *rs)
{
	char text[400];
	double first = 0;

	for (int i = 4; i >= 0; i--)
		if (!percentile_ok(&rs->rs_latency, percents[i]))
			first = percents[i];
	if (first > 0 && hist_count(&rs->rs_latency) > 0)
		fprintf(fp,
		    "* too few samples: p%g wants %lld, there are %lld\n",
		    first, (long long)stat_percentile_wants(first / 100),
		    (long long)hist_count(&rs->rs_latency));
	if (rs->rs_latency.h_over + rs->rs_cycle.h_over > 0)
		fprintf(fp,
		    "warning: %lld latencies and %lld cycles were longer than "
		    "%.0f s: they are in none of the numbers above\n",
		    (long long)rs->rs_latency.h_over,
		    (long long)rs->rs_cycle.h_over,
		    (double)rs->rs_latency.h_highest * 1e-9);
	if (fabs(result_little(rs).rl_error) > STEADY)
		fprintf(fp,
		    "not steady: Little's law is %.1f %% off; measure for "
		    "longer, if slots are not stuck\n",
		    100 * result_little(rs).rl_error);
	if (rs->rs_steady != STAT_STEADY)
		wrapped(fp, rs->rs_steady == STAT_FEW_SLICES ? "" : "warning:",
		    result_steady_text(rs, text, sizeof(text)));
}

/* Words in lines of up to 80 columns; cuts text. */
static void
wrapped(FILE *fp, const char *first, char *text)
{
	size_t column = (size_t)fprintf(fp, "%s", first);
	char *rest = NULL;

	for (char *word = strtok_r(text, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		const char *gap = column == 0 ? "" : " ";

		if (column + 1 + strlen(word) > 80) {
			gap = "\n  ";
			column = 1;
		}
		fprintf(fp, "%s%s", gap, word);
		column += strlen(word) + 1;
	}
	fputs("\n", fp);
}

static void
stages(FILE *fp, const struct result *rs)
{
	struct result_stages all, slow;

	result_stages(rs, 1, &all);
	result_stages(rs, 0.01, &slow);
	fprintf(fp, "%-18s %23s   %23s\n", "", "all requests, ms",
	    "slowest 1 % by latency");
	fprintf(fp, "%-18s %11s %11s   %11s %11s\n", "stage, tool's clock",
	    "off", "on", "off", "on");
	for (int s = 0; s < STAGE_N; s++)
		fprintf(fp, "%-19s %10.3f  %10.3f   %11.3f %11.3f\n",
		    stage_names[s], all.rg_ns[s][0] * 1e-6,
		    all.rg_ns[s][1] * 1e-6, slow.rg_ns[s][0] * 1e-6,
		    slow.rg_ns[s][1] * 1e-6);
	fprintf(fp, "%-19s %10.3f +%10.3f   %11.3f +%10.3f\n", "sum",
	    all.rg_total_ns[0] * 1e-6, all.rg_total_ns[1] * 1e-6,
	    slow.rg_total_ns[0] * 1e-6, slow.rg_total_ns[1] * 1e-6);
	fprintf(fp, "%-19s %22.3f   %23.3f\n", "= cycle",
	    (all.rg_total_ns[0] + all.rg_total_ns[1]) * 1e-6,
	    (slow.rg_total_ns[0] + slow.rg_total_ns[1]) * 1e-6);
}

static void
little(FILE *fp, const struct result *rs)
{
	struct result_little rl = result_little(rs);

	fprintf(fp,
	    "Little's law: %.1f in a cycle, %.1f /s x %.3f ms = %.1f "
	    "(%.3f %% off)\n\n",
	    rl.rl_n, rl.rl_x, rl.rl_w_ns * 1e-6, rl.rl_x * rl.rl_w_ns * 1e-9,
	    100 * rl.rl_error);
}

static void
peers(FILE *fp, const struct setup *su, const struct result *rs)
{
	fprintf(fp, "%-12s %12s %10s %10s %10s %8s %8s\n", "peer", "/s",
	    "mean, ms", "p99, ms", "cycle, ms", "late", "failed");
	for (int i = 0; i < su->su_npeers; i++) {
		const struct result_peer *rp = &rs->rs_peers[i];
		double done = (double)rp->rp_completed;
		double intime = done - (double)rp->rp_late;

		fprintf(fp, "%-12s %12.1f %10.3f %10.3f %10.3f %8llu %8llu\n",
		    su->su_peers[i].pe_name,
		    done * 1e9 / (double)rs->rs_measure_ns,
		    intime > 0 ? rp->rp_latency_ns * 1e-6 / intime : 0,
		    (double)rp->rp_p99_ns * 1e-6,
		    done > 0 ? rp->rp_cycle_ns * 1e-6 / done : 0,
		    (unsigned long long)rp->rp_late,
		    (unsigned long long)rp->rp_failed);
	}
	fputs("\n", fp);
}

static void
listener_row(FILE *fp, const struct setup *su, const struct result *rs,
    const struct result_listener *rl)
{
	char name[80];

	snprintf(name, sizeof(name), "%s #%d cpu %d",
	    su->su_machines[rl->rl_machine].sm_name, rl->rl_index, rl->rl_cpu);
	fprintf(fp, "%-20s %5d %8.1f %5d %6d %12llu %8llu\n", name,
	    rl->rl_qlen / rs->rs_reps,
	    (double)rl->rl_qsum / (double)rs->rs_measure_ns, rl->rl_qmax,
	    rl->rl_qlimit, (unsigned long long)rl->rl_syn_drops,
	    (unsigned long long)rl->rl_refused);
}

static int
fuller(const void *a, const void *b)
{
	const struct result_listener *x = *(struct result_listener *const *)a;
	const struct result_listener *y = *(struct result_listener *const *)b;

	if (x->rl_qsum != y->rl_qsum)
		return x->rl_qsum > y->rl_qsum ? -1 : 1;
	return (x > y) - (x < y);
}

/* The table of netstat -Lan, with means and maxima beside. */
static void
listeners(FILE *fp, const struct setup *su, const struct result *rs, bool all)
{
	const struct result_listener **by, mean = { 0 };
	struct result_listener sum = mean;
	int n = rs->rs_nlisteners;

	fprintf(fp, "%-20s %5s %8s %5s %6s %12s %8s\n", "listener", "qlen",
	    "mean", "max", "limit", "SYN dropped", "refused");
	by = sim_calloc(n > 0 ? n : 1, sizeof(*by));
	for (int i = 0; i < n; i++) {
		const struct result_listener *rl = &rs->rs_listeners[i];

		by[i] = rl;
		sum.rl_qlen += rl->rl_qlen;
		sum.rl_qsum += rl->rl_qsum;
		sum.rl_syn_drops += rl->rl_syn_drops;
		sum.rl_refused += rl->rl_refused;
	}
	if (all || n <= FEW_LISTENERS) {
		for (int i = 0; i < n; i++)
			listener_row(fp, su, rs, by[i]);
	} else {
		qsort(by, n, sizeof(*by), fuller);
		for (int i = 0; i < FULLEST; i++)
			listener_row(fp, su, rs, by[i]);
		fputs("...\n", fp);
		listener_row(fp, su, rs, by[n - 1]);
		fprintf(fp, "%-20s %5.1f %8.1f %5s %6s %12.1f %8.1f\n", "mean",
		    (double)sum.rl_qlen / n / rs->rs_reps,
		    (double)sum.rl_qsum / n / (double)rs->rs_measure_ns, "", "",
		    (double)sum.rl_syn_drops / n, (double)sum.rl_refused / n);
	}
	fputs("\n", fp);
	sim_free(by);
}

/* Where CPUs share: what the tokens that were taken cost. */
static void
tokens(FILE *fp, const struct setup *su, const struct result *rs)
{
	bool any = false;
	char name[80];

	for (int i = 0; i < rs->rs_ntokens; i++) {
		const struct result_token *rt = &rs->rs_tokens[i];
		struct result_token_means rm = result_token_means(rs, rt);

		if (rt->rt_gets == 0)
			continue;
		if (!any)
			fprintf(fp,
			    "%-18s %4s %9s %8s %8s %16s %16s %8s\n"
			    "%-18s %4s %9s %8s %8s %7s %8s %7s %8s %8s\n",
			    "", "", "", "", "gave up", "hold, us", "wait, us",
			    "busiest", "token", "n", "taken", "waited",
			    "the CPU", "mean", "max", "mean", "max", "held");
		any = true;
		snprintf(name, sizeof(name), "%s%s%s",
		    su->su_nmachines > 1
			? su->su_machines[rt->rt_machine].sm_name
			: "",
		    su->su_nmachines > 1 ? " " : "", rt->rt_name);
		fprintf(fp,
		    "%-18s %4d %9llu %8llu %8llu %7.2f %8.1f %7.2f %8.1f "
		    "%6.1f %%\n",
		    name, rt->rt_count, (unsigned long long)rt->rt_gets,
		    (unsigned long long)rt->rt_waits,
		    (unsigned long long)rt->rt_collisions, rm.rm_hold_ns * 1e-3,
		    (double)rt->rt_hold_max * 1e-3, rm.rm_wait_ns * 1e-3,
		    (double)rt->rt_wait_max * 1e-3, rm.rm_busiest_pct);
	}
	if (any)
		fputs("\n", fp);
}

/* What CPUs do because of each other, four in a line. */
static void
sharing(FILE *fp, const struct result *rs)
{
	static const struct {
		enum counter counter;
		const char *text;
	} rows[] = {
		{ COUNTER_netisr_messages, "netisr messages" },
		{ COUNTER_domsgs, "domsgs" },
		{ COUNTER_ipis, "IPIs" },
		{ COUNTER_ipis_avoided, "IPIs avoided" },
		{ COUNTER_switches, "switches" },
		{ COUNTER_wakeups, "wakeups" },
		{ COUNTER_token_collisions, "token collisions" },
	};
	double n = rs->rs_completed > 0 ? (double)rs->rs_completed : 1;

	fputs("a request:", fp);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(fp, "%s%.2f %s",
		    i == 0	 ? " "
		    : i % 4 == 0 ? ",\n  "
				 : ", ",
		    (double)rs->rs_counters[rows[i].counter] / n, rows[i].text);
	fputs("\n\n", fp);
}

/* Losses, always; with `all`, what else was counted, per request. */
static void
counters(FILE *fp, const struct result *rs, bool all)
{
	static const char *const losses[] = { "drop_", "rst_",
		"client_syn_retries", "client_connect_errors", "client_resets",
		"client_timeouts", "client_late" };
	double n = rs->rs_completed > 0 ? (double)rs->rs_completed : 1;
	bool loss, any = false;

	for (int i = 0; i < COUNTER_N; i++) {
		const struct counter_info *cn = &counter_infos[i];

		loss = false;
		for (size_t k = 0; k < sizeof(losses) / sizeof(*losses); k++)
			loss = loss || strncmp(cn->cn_name, losses[k],
					   strlen(losses[k])) == 0;
		if (cn->cn_netstat || rs->rs_counters[i] == 0 ||
		    (!loss && !all))
			continue;
		fprintf(fp, "%-23s %12lld %9.4f a request  %s\n", cn->cn_name,
		    (long long)rs->rs_counters[i],
		    (double)rs->rs_counters[i] / n, cn->cn_help);
		any = true;
	}
	if (any)
		fputs("\n", fp);
}

/* Two in a line. */
static void
counters_netstat(FILE *fp, const struct result *rs)
{
	char cell[80];
	int n = 0;

	fputs("netstat -s -p tcp, the server's kernel:\n", fp);
	for (int i = 0; i < COUNTER_N; i++) {
		if (!counter_infos[i].cn_netstat || rs->rs_counters[i] == 0)
			continue;
		snprintf(cell, sizeof(cell), "%lld %s",
		    (long long)rs->rs_counters[i], counter_infos[i].cn_help);
		if (n++ % 2 == 0)
			fprintf(fp, "  %-40s", cell);
		else
			fprintf(fp, "%s\n", cell);
	}
	fputs(n % 2 ? "\n\n" : "\n", fp);
}

static const char *
host_name(const struct setup *su, int host)
{
	return host < su->su_nmachines
		   ? su->su_machines[host].sm_name
		   : su->su_peers[host - su->su_nmachines].pe_name;
}

/* Protocol threads, interrupts and the rest are all that is busy. */
static void
cpus(FILE *fp, const struct setup *su, const struct result *rs)
{
	const double all = (double)rs->rs_measure_ns / 100;

	fprintf(fp, "%-16s %4s %7s %7s %7s %8s %10s %14s\n", "CPU time, %",
	    "CPUs", "busy", "least", "most", "netisrs", "interrupts",
	    "processes etc.");
	for (int h = 0; h < su->su_nmachines + su->su_npeers; h++) {
		double busy = 0, netisr = 0, intr = 0, least = 100, most = 0;
		int n = 0;

		for (int i = 0; i < rs->rs_ncpus; i++) {
			const struct result_cpu *rc = &rs->rs_cpus[i];
			double b = 100 - (double)rc->rc_idle_ns / all;

			if (rc->rc_host != h)
				continue;
			least = b < least ? b : least;
			most = b > most ? b : most;
			busy += b;
			netisr += (double)rc->rc_netisr_ns / all;
			intr += (double)rc->rc_intr_ns / all;
			n++;
		}
		fprintf(fp, "%-16s %4d %7.1f %7.1f %7.1f", host_name(su, h), n,
		    busy / n, least, most);
		if (h < su->su_nmachines)
			fprintf(fp, " %8.1f %10.1f %14.1f", netisr / n,
			    intr / n, (busy - netisr - intr) / n);
		fputs("\n", fp);
	}
}

/* Where the time of a request goes, dearest first. */
static void
costs(FILE *fp, const struct setup *su, const struct result *rs)
{
	double n = rs->rs_completed > 0 ? (double)rs->rs_completed : 1;

	for (int h = 0; h < su->su_nmachines; h++) {
		bool shown[COST_N] = { false };
		double total = 0;

		for (int c = 0; c < COST_N; c++)
			total += (double)rs->rs_cost_ns[h][c] * 1e-3 / n;
		fprintf(fp, "\n%s, us a request: %.2f in all", host_name(su, h),
		    total);
		for (int k = 0; k < TOP_COSTS; k++) {
			int top = -1;

			for (int c = 0; c < COST_N; c++) {
				if (!shown[c] && rs->rs_cost_ns[h][c] > 0 &&
				    (top < 0 || rs->rs_cost_ns[h][c] >
						    rs->rs_cost_ns[h][top]))
					top = c;
			}
			if (top < 0)
				break;
			shown[top] = true;
			fprintf(fp, "%s%s %.2f", k % 4 == 0 ? "\n  " : ", ",
			    cost_infos[top].ci_name,
			    (double)rs->rs_cost_ns[h][top] * 1e-3 / n);
		}
		fputs("\n", fp);
	}
}

void
output_speed(FILE *fp, const struct result *rs)
{
	double wall = (double)rs->rs_wall_ns * 1e-9;

	fprintf(fp,
	    "solab: %.2f s simulated in %.2f s (%.2f s/s), %llu events, %.3f "
	    "engine "
	    "calls a request, %.0f MB\n",
	    (double)rs->rs_simulated_ns * 1e-9, wall,
	    (double)rs->rs_simulated_ns / (double)rs->rs_wall_ns,
	    (unsigned long long)rs->rs_events,
	    (double)rs->rs_engine_calls / (double)(rs->rs_completed + 1),
	    (double)rs->rs_peak_bytes * 1e-6);
}
