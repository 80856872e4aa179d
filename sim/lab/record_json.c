#include <math.h>
#include <string.h>

#include "sim/core/hist.h"
#include "sim/lab/metric.h"
#include "sim/lab/output.h"
#include "sim/lab/record.h"
#include "sim/lab/series.h"

static void json_metrics(FILE *, const struct record *);
static void json_metric(FILE *, const struct record_metric *);
static void json_stages(FILE *, const struct record *);
static void json_counters(FILE *, const struct record *);
static void json_cpus(FILE *, const struct record *, bool full);
static void json_tokens(FILE *, const struct record *);
static void json_more(FILE *, const struct record *);
static void json_parameters(FILE *, const struct record *);
static void json_listeners(FILE *, const struct record *);
static void json_costs(FILE *, const struct record *);
static void json_series(FILE *, const struct record *);
static void json_hists(FILE *, const struct record *);
static void json_run(FILE *, const struct record *);

void
record_json(FILE *fp, const struct record *rd, bool full)
{
	fputs("{\"scenario\": ", fp);
	output_json_string(fp, rd->rd_scenario);
	fputs(", \"point\": ", fp);
	output_json_params(fp, rd->rd_params, rd->rd_nparams);
	fprintf(fp, ", \"rep\": %u, \"seed\": %u", (unsigned)rd->rd_rep,
	    (unsigned)rd->rd_seed);
	fprintf(fp, ", \"warmup_ns\": %lld, \"measure_ns\": %lld, \"steady\": ",
	    (long long)rd->rd_warmup_ns, (long long)rd->rd_measure_ns);
	output_json_string(fp, rd->rd_steady);
	json_metrics(fp, rd);
	json_stages(fp, rd);
	json_counters(fp, rd);
	json_cpus(fp, rd, full);
	json_tokens(fp, rd);
	if (full)
		json_more(fp, rd);
	json_run(fp, rd);
	fputs("}\n", fp);
}

static void
json_metrics(FILE *fp, const struct record *rd)
{
	fputs(", \"metrics\": {", fp);
	for (int i = 0; i < rd->rd_nmetrics; i++) {
		fprintf(fp, "%s\"%s\": ", i > 0 ? ", " : "",
		    rd->rd_metrics[i].rm_name);
		json_metric(fp, &rd->rd_metrics[i]);
	}
	fputc('}', fp);
}

/* One that this version does not know is printed with all its digits. */
static void
json_metric(FILE *fp, const struct record_metric *rm)
{
	for (int m = 0; m < METRIC_N; m++) {
		if (strcmp(key_metrics[m].km_json, rm->rm_name) != 0)
			continue;
		metric_json(m, rm->rm_value, fp);
		return;
	}
	if (isfinite(rm->rm_value))
		fprintf(fp, "%.17g", rm->rm_value);
	else
		fputs("null", fp);
}

static void
json_stages(FILE *fp, const struct record *rd)
{
	fputs(", \"stages\": [", fp);
	for (int i = 0; i < rd->rd_nstages; i++)
		fprintf(fp,
		    "%s{\"name\": \"%s\", \"mean_ns\": %.0f, \"counted\": %s}",
		    i > 0 ? ", " : "", rd->rd_stages[i].re_name,
		    rd->rd_stages[i].re_mean_ns,
		    rd->rd_stages[i].re_counted ? "true" : "false");
	fputc(']', fp);
}

static void
json_counters(FILE *fp, const struct record *rd)
{
	fputs(", \"counters\": {", fp);
	for (int i = 0; i < rd->rd_ncounters; i++)
		fprintf(fp, "%s\"%s\": %lld", i > 0 ? ", " : "",
		    rd->rd_counters[i].rn_name,
		    (long long)rd->rd_counters[i].rn_value);
	fputc('}', fp);
}

static void
json_cpus(FILE *fp, const struct record *rd, bool full)
{
	fputs(", \"cpus\": [", fp);
	for (int i = 0; i < rd->rd_ncpus; i++) {
		fprintf(fp, "%s{\"machine\": ", i > 0 ? ", " : "");
		output_json_string(fp, rd->rd_cpus[i].ru_machine);
		fprintf(fp, ", \"cpu\": %d, \"busy\": %.6f",
		    rd->rd_cpus[i].ru_cpu, rd->rd_cpus[i].ru_busy);
		/* An older version has neither here. */
		if (full && isfinite(rd->rd_cpus[i].ru_interrupt))
			fprintf(fp, ", \"netisr\": %.6f, \"interrupt\": %.6f",
			    rd->rd_cpus[i].ru_netisr,
			    rd->rd_cpus[i].ru_interrupt);
		fputc('}', fp);
	}
	fputc(']', fp);
}

static void
json_tokens(FILE *fp, const struct record *rd)
{
	fputs(", \"tokens\": [", fp);
	for (int i = 0; i < rd->rd_ntokens; i++) {
		const struct record_token *rk = &rd->rd_tokens[i];

		fprintf(fp, "%s{\"machine\": ", i > 0 ? ", " : "");
		output_json_string(fp, rk->rk_machine);
		fputs(", \"token\": ", fp);
		output_json_string(fp, rk->rk_name);
		fprintf(fp,
		    ", \"count\": %lld, \"gets\": %lld, \"waits\": %lld, "
		    "\"collisions\": %lld, \"hold_mean_ns\": %.0f, "
		    "\"hold_max_ns\": %lld, \"wait_mean_ns\": %.0f, "
		    "\"wait_max_ns\": %lld, \"busiest_pct\": %.4f}",
		    (long long)rk->rk_count, (long long)rk->rk_gets,
		    (long long)rk->rk_waits, (long long)rk->rk_collisions,
		    rk->rk_hold_mean_ns, (long long)rk->rk_hold_max_ns,
		    rk->rk_wait_mean_ns, (long long)rk->rk_wait_max_ns,
		    rk->rk_busiest_pct);
	}
	fputc(']', fp);
}

/* What `solab run --json` leaves out. */
static void
json_more(FILE *fp, const struct record *rd)
{
	if (rd->rd_key != NULL)
		fprintf(fp, ", \"key\": \"%s\", \"model\": \"%s\"", rd->rd_key,
		    rd->rd_model);
	json_parameters(fp, rd);
	fputs(", \"slowest\": [", fp);
	for (int i = 0; i < rd->rd_nstages; i++)
		fprintf(fp,
		    "%s{\"name\": \"%s\", \"mean_ns\": %.0f, \"counted\": %s}",
		    i > 0 ? ", " : "", rd->rd_stages[i].re_name,
		    rd->rd_stages[i].re_slow_ns,
		    rd->rd_stages[i].re_counted ? "true" : "false");
	fputc(']', fp);
	json_listeners(fp, rd);
	json_costs(fp, rd);
	json_series(fp, rd);
	json_hists(fp, rd);
}

static void
json_parameters(FILE *fp, const struct record *rd)
{
	fputs(", \"parameters\": {", fp);
	for (int i = 0; i < rd->rd_nparameters; i++) {
		fputs(i > 0 ? ", " : "", fp);
		output_json_string(fp, rd->rd_parameters[i].rp_path);
		fputs(": ", fp);
		output_json_string(fp, rd->rd_parameters[i].rp_value);
	}
	fputc('}', fp);
}

static void
json_listeners(FILE *fp, const struct record *rd)
{
	fputs(", \"listeners\": [", fp);
	for (int i = 0; i < rd->rd_nlisteners; i++) {
		const struct record_listener *rl = &rd->rd_listeners[i];

		fprintf(fp, "%s{\"machine\": ", i > 0 ? ", " : "");
		output_json_string(fp, rl->rl_machine);
		fprintf(fp,
		    ", \"listener\": %d, \"cpu\": %d, \"qlen_end\": %lld, "
		    "\"qlen_mean\": %.6f, \"qlen_max\": %lld, "
		    "\"qlimit\": %lld, \"syn_drops\": %lld, "
		    "\"refused\": %lld, \"accepted\": %lld}",
		    rl->rl_index, rl->rl_cpu, (long long)rl->rl_qlen_end,
		    rl->rl_qlen_mean, (long long)rl->rl_qlen_max,
		    (long long)rl->rl_qlimit, (long long)rl->rl_syn_drops,
		    (long long)rl->rl_refused, (long long)rl->rl_accepted);
	}
	fputc(']', fp);
}

static void
json_costs(FILE *fp, const struct record *rd)
{
	fputs(", \"costs\": [", fp);
	for (int i = 0; i < rd->rd_ncosts; i++) {
		fprintf(fp, "%s{\"machine\": ", i > 0 ? ", " : "");
		output_json_string(fp, rd->rd_costs[i].ro_machine);
		fprintf(fp, ", \"cost\": \"%s\", \"ns\": %lld}",
		    rd->rd_costs[i].ro_name, (long long)rd->rd_costs[i].ro_ns);
	}
	fputc(']', fp);
}

static void
json_series(FILE *fp, const struct record *rd)
{
	fprintf(fp, ", \"slice_ns\": %lld, \"series\": {",
	    (long long)rd->rd_slice_ns);
	for (int i = 0; i < rd->rd_nseries; i++) {
		const struct record_series *rs = &rd->rd_series[i];

		fprintf(fp, "%s\"%s\": [", i > 0 ? ", " : "", rs->rs_name);
		for (int k = 0; k < rs->rs_n; k++) {
			fputs(k > 0 ? ", " : "", fp);
			series_value_json(rs->rs_name, rs->rs_values[k], fp);
		}
		fputc(']', fp);
	}
	fputc('}', fp);
}

/* HdrHistogram V2, compressed, base64, as its tools read it. */
static void
json_hists(FILE *fp, const struct record *rd)
{
	fputs(", \"histograms\": {", fp);
	for (int i = 0; i < rd->rd_nhists; i++) {
		const struct record_hist *rh = &rd->rd_hists[i];

		fprintf(fp,
		    "%s\"%s\": {\"samples\": %lld, \"over\": %lld, "
		    "\"v2\": \"",
		    i > 0 ? ", " : "", rh->rh_name, (long long)rh->rh_samples,
		    (long long)rh->rh_over);
		hist_base64(fp, rh->rh_bytes, rh->rh_size);
		fputs("\"}", fp);
	}
	fputc('}', fp);
}

static void
json_run(FILE *fp, const struct record *rd)
{
	fprintf(fp,
	    ", \"run\": {\"simulated_ns\": %lld, \"wall_ns\": %lld, "
	    "\"engine_calls\": %lld, \"events\": %lld, "
	    "\"peak_rss_bytes\": %lld}",
	    (long long)rd->rd_simulated_ns, (long long)rd->rd_wall_ns,
	    (long long)rd->rd_engine_calls, (long long)rd->rd_events,
	    (long long)rd->rd_peak_bytes);
}
