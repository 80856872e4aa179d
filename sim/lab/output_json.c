#include "sim/lab/output.h"

#include <string.h>

static void json_metrics(FILE *, const struct result *);
static void json_stages(FILE *, const struct result *);
static void json_counters(FILE *, const struct result *);
static void json_cpus(FILE *, const struct setup *, const struct result *);
static void json_tokens(FILE *, const struct setup *, const struct result *);
static void json_run(FILE *, const struct result *);

void
output_json(
    FILE *fp, const struct scenario *sc, const struct point *po, int rep)
{
	struct scenario_param params[SCENARIO_MAX_AXES];
	const struct result *rs = po->po_results[rep];
	int n = scenario_params(sc, po->po_point, params), kept = 0;

	/* The seed has a place of its own. */
	for (int i = 0; i < n; i++) {
		if (strcmp(params[i].pa_path, "run.seed") != 0 &&
		    strcmp(params[i].pa_path, "run.replications") != 0)
			params[kept++] = params[i];
	}
	fputs("{\"scenario\": ", fp);
	output_json_string(fp, sc->sc_name);
	fputs(", \"point\": ", fp);
	output_json_params(fp, params, kept);
	fprintf(fp, ", \"rep\": %d, \"seed\": %u", rep,
	    (unsigned)po->po_setup.su_run.sr_seed);
	json_metrics(fp, rs);
	json_stages(fp, rs);
	json_counters(fp, rs);
	json_cpus(fp, &po->po_setup, rs);
	json_tokens(fp, &po->po_setup, rs);
	json_run(fp, rs);
	fputs("}\n", fp);
}

static void
json_metrics(FILE *fp, const struct result *rs)
{
	fputs(", \"metrics\": {", fp);
	for (int m = 0; m < METRIC_N; m++) {
		fprintf(fp, "%s\"%s\": ", m > 0 ? ", " : "",
		    key_metrics[m].km_json);
		metric_json(m, metric_value(m, rs), fp);
	}
	fputc('}', fp);
}

static void
json_stages(FILE *fp, const struct result *rs)
{
	struct result_stages rg;

	result_stages(rs, 1, &rg);
	fputs(", \"stages\": [", fp);
	for (int s = 0; s < STAGE_N; s++)
		for (int k = 0; k < 2; k++)
			fprintf(fp,
			    "%s{\"name\": \"%s\", \"mean_ns\": %.0f, "
			    "\"counted\": %s}",
			    s + k > 0 ? ", " : "", stage_names[s],
			    rg.rg_ns[s][k], k ? "true" : "false");
	fputc(']', fp);
}

static void
json_counters(FILE *fp, const struct result *rs)
{
	fputs(", \"counters\": {", fp);
	for (int i = 0; i < COUNTER_N; i++)
		fprintf(fp, "%s\"%s\": %lld", i > 0 ? ", " : "",
		    counter_infos[i].cn_name, (long long)rs->rs_counters[i]);
	fputc('}', fp);
}

static void
json_cpus(FILE *fp, const struct setup *su, const struct result *rs)
{
	fputs(", \"cpus\": [", fp);
	for (int i = 0; i < rs->rs_ncpus; i++) {
		const struct result_cpu *rc = &rs->rs_cpus[i];
		const char *name =
		    rc->rc_host < su->su_nmachines
			? su->su_machines[rc->rc_host].sm_name
			: su->su_peers[rc->rc_host - su->su_nmachines].pe_name;

		fprintf(fp, "%s{\"machine\": ", i > 0 ? ", " : "");
		output_json_string(fp, name);
		fprintf(fp, ", \"cpu\": %d, \"busy\": %.6f}", rc->rc_cpu,
		    1 - (double)rc->rc_idle_ns / (double)rs->rs_measure_ns);
	}
	fputc(']', fp);
}

static void
json_tokens(FILE *fp, const struct setup *su, const struct result *rs)
{
	fputs(", \"tokens\": [", fp);
	for (int i = 0; i < rs->rs_ntokens; i++) {
		const struct result_token *rt = &rs->rs_tokens[i];
		struct result_token_means rm = result_token_means(rs, rt);

		fprintf(fp, "%s{\"machine\": ", i > 0 ? ", " : "");
		output_json_string(fp, su->su_machines[rt->rt_machine].sm_name);
		fputs(", \"token\": ", fp);
		output_json_string(fp, rt->rt_name);
		fprintf(fp,
		    ", \"count\": %d, \"gets\": %llu, \"waits\": %llu, "
		    "\"collisions\": %llu, \"hold_mean_ns\": %.0f, "
		    "\"hold_max_ns\": %lld, \"wait_mean_ns\": %.0f, "
		    "\"wait_max_ns\": %lld, \"busiest_pct\": %.4f}",
		    rt->rt_count, (unsigned long long)rt->rt_gets,
		    (unsigned long long)rt->rt_waits,
		    (unsigned long long)rt->rt_collisions, rm.rm_hold_ns,
		    (long long)rt->rt_hold_max, rm.rm_wait_ns,
		    (long long)rt->rt_wait_max, rm.rm_busiest_pct);
	}
	fputc(']', fp);
}

static void
json_run(FILE *fp, const struct result *rs)
{
	fprintf(fp,
	    ", \"run\": {\"simulated_ns\": %lld, \"wall_ns\": %lld, "
	    "\"engine_calls\": %llu, \"events\": %llu, "
	    "\"peak_rss_bytes\": %lld}",
	    (long long)rs->rs_simulated_ns, (long long)rs->rs_wall_ns,
	    (unsigned long long)rs->rs_engine_calls,
	    (unsigned long long)rs->rs_events, (long long)rs->rs_peak_bytes);
}

void
output_json_params(FILE *fp, const struct scenario_param *params, int n)
{
	fputc('{', fp);
	for (int i = 0; i < n; i++) {
		fputs(i > 0 ? ", " : "", fp);
		output_json_string(fp, params[i].pa_path);
		fputs(": ", fp);
		if (params[i].pa_bare)
			fputs(params[i].pa_value, fp);
		else
			output_json_string(fp, params[i].pa_value);
	}
	fputc('}', fp);
}

void
output_json_string(FILE *fp, const char *s)
{
	fputc('"', fp);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(fp, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			fprintf(fp, "\\u%04x", (unsigned)*s);
		else
			fputc(*s, fp);
	}
	fputc('"', fp);
}
