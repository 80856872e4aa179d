#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/hist.h"
#include "sim/lab/metric.h"
#include "sim/lab/records.h"
#include "sim/lab/report_impl.h"

#define GRID_MAX 160
#define GRID_TICKS 5	 /* steps each time that the rest halves */
#define GRID_SAMPLES 1e8 /* as far as percentiles go */
#define BINS_A_DECADE 40

static int grid(double *percentiles);
static void head_json(
    FILE *, const struct report_data *, const struct report_point *);
static void run_json(FILE *, const struct record *);
static void metrics_json(FILE *, struct record *const *, int n);
static void details_json(FILE *, struct record *const *, int n);
static void hist_json(FILE *, struct record *const *, int n, const char *name);
static void quantiles_json(FILE *, const struct hist *);
static void bins_json(FILE *, const struct hist *);
static void stages_json(FILE *, struct record *const *, int n);
static void counters_json(FILE *, struct record *const *, int n);
static void cpus_json(FILE *, struct record *const *, int n);
static void costs_json(FILE *, struct record *const *, int n);
static void tokens_json(FILE *, const struct record *);
static void listeners_json(FILE *, struct record *const *, int n);
static void series_json(FILE *, const struct record *);
static double requests(const struct record *);

/*
 * The percentiles that HdrHistogram's own files have, five for each halving of
 * what is above. Returns: how many.
 */
static int
grid(double *percentiles)
{
	double level = 0;
	int n = 0;

	while (100 / (100 - level) < GRID_SAMPLES && n < GRID_MAX) {
		percentiles[n++] = level;
		level += 100 / (GRID_TICKS *
				   exp2(floor(log2(100 / (100 - level))) + 1));
	}
	return n;
}

void
report_percentiles_json(FILE *fp)
{
	double percentiles[GRID_MAX];
	int n = grid(percentiles);

	fputs("\"percentiles\":[", fp);
	for (int i = 0; i < n; i++) {
		fputs(i > 0 ? "," : "", fp);
		report_number(fp, percentiles[i], 12);
	}
	fputc(']', fp);
}

bool
report_point_json(FILE *fp, const struct report_data *rd,
    const struct report_point *rt, bool detailed)
{
	struct record **rds;
	int n = store_records(rd->rd_store, rt->rt_point->sp_id, &rds);

	if (n < 0)
		return false;
	head_json(fp, rd, rt);
	fprintf(fp, ",\"reps\":%d", n);
	if (n > 0)
		run_json(fp, rds[0]);
	metrics_json(fp, rds, n);
	if (n > 0 && detailed)
		details_json(fp, rds, n);
	fputc('}', fp);
	store_records_free(rds, n);
	return true;
}

static void
head_json(FILE *fp, const struct report_data *rd, const struct report_point *rt)
{
	const struct store_point *sp = rt->rt_point;

	fprintf(fp,
	    "{\"id\":%lld,\"scenario\":%d,\"label\":", (long long)sp->sp_id,
	    rt->rt_about_index);
	report_string(fp, sp->sp_label);
	fputs(",\"at\":[", fp);
	for (int i = 0; i < rd->rd_naxes; i++)
		fprintf(fp, "%s%d", i > 0 ? "," : "", rt->rt_at[i]);
	fputs("],\"key\":", fp);
	report_string(fp, sp->sp_key);
	fprintf(fp,
	    ",\"model\":%d,\"failed\":%d,\"message\":", rt->rt_model_index,
	    rt->rt_failed);
	if (rt->rt_message != NULL)
		report_string(fp, rt->rt_message);
	else
		fputs("null", fp);
}

static void
run_json(FILE *fp, const struct record *rd)
{
	fprintf(fp,
	    ",\"seed\":%u,\"warmup_ns\":%lld,\"measure_ns\":%lld,"
	    "\"slice_ns\":%lld,\"steady\":",
	    (unsigned)rd->rd_seed, (long long)rd->rd_warmup_ns,
	    (long long)rd->rd_measure_ns, (long long)rd->rd_slice_ns);
	report_string(fp, rd->rd_steady);
}

/* Value and half-width of its interval; none without runs. */
static void
metrics_json(FILE *fp, struct record *const *rds, int n)
{
	fprintf(fp, ",\"samples\":%lld,\"metrics\":{",
	    (long long)records_samples(rds, n));
	for (int m = 0; m < METRIC_N && n > 0; m++) {
		struct stat_ci ci = records_metric(rds, n, (enum metric)m);

		fprintf(
		    fp, "%s\"%s\":[", m > 0 ? "," : "", key_metrics[m].km_json);
		metric_json((enum metric)m, ci.mean, fp);
		fputc(',', fp);
		report_number(fp, ci.half, 4);
		fputc(']', fp);
	}
	fputc('}', fp);
}

static void
details_json(FILE *fp, struct record *const *rds, int n)
{
	hist_json(fp, rds, n, "latency");
	hist_json(fp, rds, n, "cycle");
	stages_json(fp, rds, n);
	counters_json(fp, rds, n);
	cpus_json(fp, rds, n);
	costs_json(fp, rds, n);
	tokens_json(fp, rds[0]);
	listeners_json(fp, rds, n);
	series_json(fp, rds[0]);
}

static void
hist_json(FILE *fp, struct record *const *rds, int n, const char *name)
{
	struct hist h;

	if (!records_hist(rds, n, name, &h))
		return;
	fprintf(fp, ",\n\"%s\":{\"q\":[", name);
	quantiles_json(fp, &h);
	fputs("],\"bins\":[", fp);
	bins_json(fp, &h);
	fputs("]}", fp);
	hist_fini(&h);
}

/* As far as there are samples above. */
static void
quantiles_json(FILE *fp, const struct hist *h)
{
	double percentiles[GRID_MAX], count = (double)hist_count(h);
	int n = grid(percentiles);

	for (int i = 0; i < n && 1 - percentiles[i] / 100 >= 1 / count; i++)
		fprintf(fp, "%s%lld", i > 0 ? "," : "",
		    (long long)hist_percentile(h, percentiles[i]));
}

/* Bins of equal width on a logarithmic scale; what is 0 has one of its own. */
static void
bins_json(FILE *fp, const struct hist *h)
{
	int64_t sum = 0;
	int bin = -1, next, n = 0;

	for (int i = 0; i <= h->h_counts_len; i++) {
		int64_t low = i < h->h_counts_len ? hist_index_lowest(h, i) : 0;

		next = i < h->h_counts_len && low > 0
			   ? 1 + (int)floor(BINS_A_DECADE * log10((double)low))
			   : 0;
		if ((next != bin || i == h->h_counts_len) && sum > 0) {
			fprintf(fp, "%s[%.0f,%.0f,%lld]", n++ > 0 ? "," : "",
			    bin > 0 ? pow(10, (bin - 1.0) / BINS_A_DECADE) : 0,
			    pow(10, (double)bin / BINS_A_DECADE),
			    (long long)sum);
			sum = 0;
		}
		bin = next;
		if (i < h->h_counts_len)
			sum += h->h_counts[i];
	}
}

static double
requests(const struct record *rd)
{
	double n = record_metric(rd, "requests");

	return isfinite(n) ? n : 0;
}

/*
 * All requests of all replications together; of the slowest 1 % too, each
 * replication having its own.
 */
static void
stages_json(FILE *fp, struct record *const *rds, int n)
{
	fputs(",\n\"stages\":[", fp);
	for (int i = 0; i < rds[0]->rd_nstages; i++) {
		const struct record_stage *re = &rds[0]->rd_stages[i];
		double mean = 0, slow = 0, count = 0;

		for (int r = 0; r < n; r++) {
			double w = requests(rds[r]);

			if (rds[r]->rd_nstages <= i || w <= 0)
				continue;
			mean += w * rds[r]->rd_stages[i].re_mean_ns;
			slow += w * rds[r]->rd_stages[i].re_slow_ns;
			count += w;
		}
		fputs(i > 0 ? ",[" : "[", fp);
		report_string(fp, re->re_name);
		fprintf(fp, ",%s,", re->re_counted ? "true" : "false");
		report_number(fp, round(mean / count), 12);
		fputc(',', fp);
		report_number(fp, round(slow / count), 12);
		fputc(']', fp);
	}
	fputc(']', fp);
}

static void
counters_json(FILE *fp, struct record *const *rds, int n)
{
	int printed = 0;

	fputs(",\n\"counters\":{", fp);
	for (int i = 0; i < rds[0]->rd_ncounters; i++) {
		const char *name = rds[0]->rd_counters[i].rn_name;
		double sum = 0;

		for (int r = 0; r < n; r++)
			if (i < rds[r]->rd_ncounters)
				sum += (double)rds[r]->rd_counters[i].rn_value;
		if (sum == 0)
			continue;
		fputs(printed++ > 0 ? "," : "", fp);
		report_string(fp, name);
		fprintf(fp, ":[%.0f,", sum);
		report_number(fp, records_per_request(rds, n, name), 5);
		fputc(']', fp);
	}
	fputc('}', fp);
}

static void
cpus_json(FILE *fp, struct record *const *rds, int n)
{
	fputs(",\n\"cpus\":[", fp);
	for (int i = 0; i < rds[0]->rd_ncpus; i++) {
		const struct record_cpu *ru = &rds[0]->rd_cpus[i];
		double busy = 0, netisr = 0, interrupt = 0;
		int count = 0;

		for (int r = 0; r < n; r++) {
			if (i >= rds[r]->rd_ncpus)
				continue;
			busy += rds[r]->rd_cpus[i].ru_busy;
			netisr += rds[r]->rd_cpus[i].ru_netisr;
			interrupt += rds[r]->rd_cpus[i].ru_interrupt;
			count++;
		}
		fputs(i > 0 ? ",[" : "[", fp);
		report_string(fp, ru->ru_machine);
		fprintf(fp, ",%d,", ru->ru_cpu);
		report_number(fp, busy / count, 5);
		fputc(',', fp);
		report_number(fp, netisr / count, 5);
		fputc(',', fp);
		report_number(fp, interrupt / count, 5);
		fputc(']', fp);
	}
	fputc(']', fp);
}

/* A cost of the first replication, of all of them together. */
struct cost_sum {
	const struct record_cost *cs_cost;
	double cs_ns;
};

static int
cost_compare(const void *va, const void *vb)
{
	const struct cost_sum *a = va, *b = vb;

	if (a->cs_ns != b->cs_ns)
		return a->cs_ns > b->cs_ns ? -1 : 1;
	return a->cs_cost < b->cs_cost ? -1 : 1;
}

static double
cost_sum(struct record *const *rds, int n, const struct record_cost *of)
{
	double sum = 0;

	for (int r = 0; r < n; r++)
		for (int i = 0; i < rds[r]->rd_ncosts; i++) {
			const struct record_cost *ro = &rds[r]->rd_costs[i];

			if (strcmp(ro->ro_name, of->ro_name) == 0 &&
			    strcmp(ro->ro_machine, of->ro_machine) == 0)
				sum += (double)ro->ro_ns;
		}
	return sum;
}

/* ns a request, the largest first. */
static void
costs_json(FILE *fp, struct record *const *rds, int n)
{
	int ncosts = rds[0]->rd_ncosts;
	struct cost_sum *sums = sim_calloc((size_t)ncosts + 1, sizeof(*sums));
	double count = 0;

	for (int r = 0; r < n; r++)
		count += requests(rds[r]);
	for (int i = 0; i < ncosts; i++) {
		sums[i].cs_cost = &rds[0]->rd_costs[i];
		sums[i].cs_ns = cost_sum(rds, n, sums[i].cs_cost);
	}
	qsort(sums, (size_t)ncosts, sizeof(*sums), cost_compare);
	fputs(",\n\"costs\":[", fp);
	for (int i = 0; i < ncosts; i++) {
		fputs(i > 0 ? ",[" : "[", fp);
		report_string(fp, sums[i].cs_cost->ro_machine);
		fputc(',', fp);
		report_string(fp, sums[i].cs_cost->ro_name);
		fputc(',', fp);
		report_number(fp, sums[i].cs_ns / count, 5);
		fputc(']', fp);
	}
	fputc(']', fp);
	sim_free(sums);
}

/* Of the first replication: maxima and shares do not add up. */
static void
tokens_json(FILE *fp, const struct record *rd)
{
	fputs(",\n\"tokens\":[", fp);
	for (int i = 0; i < rd->rd_ntokens; i++) {
		const struct record_token *rk = &rd->rd_tokens[i];

		fputs(i > 0 ? ",{\"machine\":" : "{\"machine\":", fp);
		report_string(fp, rk->rk_machine);
		fputs(",\"name\":", fp);
		report_string(fp, rk->rk_name);
		fprintf(fp,
		    ",\"count\":%lld,\"gets\":%lld,\"waits\":%lld,"
		    "\"collisions\":%lld,\"hold_mean_ns\":",
		    (long long)rk->rk_count, (long long)rk->rk_gets,
		    (long long)rk->rk_waits, (long long)rk->rk_collisions);
		report_number(fp, rk->rk_hold_mean_ns, 8);
		fprintf(fp, ",\"hold_max_ns\":%lld,\"wait_mean_ns\":",
		    (long long)rk->rk_hold_max_ns);
		report_number(fp, rk->rk_wait_mean_ns, 8);
		fprintf(fp, ",\"wait_max_ns\":%lld,\"busiest_pct\":",
		    (long long)rk->rk_wait_max_ns);
		report_number(fp, rk->rk_busiest_pct, 5);
		fputc('}', fp);
	}
	fputc(']', fp);
}

static void
listeners_json(FILE *fp, struct record *const *rds, int n)
{
	fputs(",\n\"listeners\":[", fp);
	for (int i = 0; i < rds[0]->rd_nlisteners; i++) {
		const struct record_listener *rl = &rds[0]->rd_listeners[i];
		double mean = 0, drops = 0, refused = 0, accepted = 0;
		int64_t max = 0;

		for (int r = 0; r < n; r++) {
			const struct record_listener *one;

			if (i >= rds[r]->rd_nlisteners)
				continue;
			one = &rds[r]->rd_listeners[i];
			mean += one->rl_qlen_mean / n;
			max = one->rl_qlen_max > max ? one->rl_qlen_max : max;
			drops += (double)one->rl_syn_drops;
			refused += (double)one->rl_refused;
			accepted += (double)one->rl_accepted;
		}
		fputs(i > 0 ? ",[" : "[", fp);
		report_string(fp, rl->rl_machine);
		fprintf(fp, ",%d,%d,", rl->rl_index, rl->rl_cpu);
		report_number(fp, mean, 5);
		fprintf(fp, ",%lld,%lld,%.0f,%.0f,%.0f]", (long long)max,
		    (long long)rl->rl_qlimit, drops, refused, accepted);
	}
	fputc(']', fp);
}

static void
series_json(FILE *fp, const struct record *rd)
{
	fputs(",\n\"series\":{", fp);
	for (int i = 0; i < rd->rd_nseries; i++) {
		const struct record_series *rs = &rd->rd_series[i];

		fputs(i > 0 ? "," : "", fp);
		report_string(fp, rs->rs_name);
		fputs(":[", fp);
		for (int k = 0; k < rs->rs_n; k++) {
			fputs(k > 0 ? "," : "", fp);
			report_number(fp, rs->rs_values[k], 6);
		}
		fputc(']', fp);
	}
	fputc('}', fp);
}
