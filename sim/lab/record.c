#include "sim/lab/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/metric.h"
#include "sim/lab/series.h"

/* A record while it is made, and from what. */
struct maker {
	struct record *mk_rd;
	const struct setup *mk_su;
	const struct result *mk_rs;
};

static void params_take(struct record *, const struct scenario *, int point);
static void metrics_take(struct maker *);
static void stages_take(struct maker *);
static void counters_take(struct maker *);
static void cpus_take(struct maker *);
static void costs_take(struct maker *);
static void tokens_take(struct maker *);
static void listeners_take(struct maker *);
static void series_take(struct maker *);
static void hist_take(struct maker *, const char *name, const struct hist *,
    struct record_hist *);
static void *room(struct maker *, int n, size_t size);
static const char *host_name(struct maker *, int host);

struct record *
record_of(const struct scenario *sc, int point, const struct setup *su, int rep,
    const struct result *rs)
{
	struct record *rd = sim_calloc(1, sizeof(*rd));
	struct maker mk = { rd, su, rs };

	rd->rd_scenario = ypool_strdup(&rd->rd_pool, sc->sc_name);
	params_take(rd, sc, point);
	rd->rd_rep = (uint32_t)rep;
	rd->rd_seed = su->su_run.sr_seed;
	rd->rd_warmup_ns = rs->rs_warmup_ns;
	rd->rd_measure_ns = su->su_run.sr_measure;
	rd->rd_slice_ns = rs->rs_slice_ns;
	rd->rd_steady = result_steady_name(rs);
	metrics_take(&mk);
	stages_take(&mk);
	counters_take(&mk);
	cpus_take(&mk);
	costs_take(&mk);
	tokens_take(&mk);
	listeners_take(&mk);
	series_take(&mk);
	rd->rd_nhists = 2;
	rd->rd_hists = room(&mk, 2, sizeof(*rd->rd_hists));
	hist_take(&mk, "cycle", &rs->rs_cycle, &rd->rd_hists[0]);
	hist_take(&mk, "latency", &rs->rs_latency, &rd->rd_hists[1]);
	rd->rd_simulated_ns = rs->rs_simulated_ns;
	rd->rd_wall_ns = rs->rs_wall_ns;
	rd->rd_engine_calls = (int64_t)rs->rs_engine_calls;
	rd->rd_events = (int64_t)rs->rs_events;
	rd->rd_peak_bytes = rs->rs_peak_bytes;
	return rd;
}

void
record_destroy(struct record *rd)
{
	if (rd == NULL)
		return;
	ypool_fini(&rd->rd_pool);
	sim_free(rd);
}

/* The seed has a place of its own; what is left out is no property of a run. */
static void
params_take(struct record *rd, const struct scenario *sc, int point)
{
	struct scenario_param params[SCENARIO_MAX_AXES];
	int n = scenario_params(sc, point, params);

	rd->rd_params =
	    ypool_alloc(&rd->rd_pool, (n + 1) * sizeof(*rd->rd_params));
	for (int i = 0; i < n; i++) {
		if (strcmp(params[i].pa_path, "run.seed") == 0 ||
		    strcmp(params[i].pa_path, "run.replications") == 0)
			continue;
		rd->rd_params[rd->rd_nparams++] = (struct scenario_param){
			ypool_strdup(&rd->rd_pool, params[i].pa_path),
			ypool_strdup(&rd->rd_pool, params[i].pa_short),
			ypool_strdup(&rd->rd_pool, params[i].pa_value),
			params[i].pa_bare,
		};
	}
}

static void *
room(struct maker *mk, int n, size_t size)
{
	return ypool_alloc(&mk->mk_rd->rd_pool, ((size_t)n + 1) * size);
}

static const char *
host_name(struct maker *mk, int host)
{
	const struct setup *su = mk->mk_su;

	return ypool_strdup(&mk->mk_rd->rd_pool,
	    host < su->su_nmachines
		? su->su_machines[host].sm_name
		: su->su_peers[host - su->su_nmachines].pe_name);
}

static void
metrics_take(struct maker *mk)
{
	struct record *rd = mk->mk_rd;

	rd->rd_metrics = room(mk, METRIC_N, sizeof(*rd->rd_metrics));
	for (int m = 0; m < METRIC_N; m++)
		rd->rd_metrics[rd->rd_nmetrics++] = (struct record_metric){
			key_metrics[m].km_json,
			metric_value(m, mk->mk_rs),
		};
}

static void
stages_take(struct maker *mk)
{
	struct record *rd = mk->mk_rd;
	struct result_stages all, slow;

	result_stages(mk->mk_rs, 1, &all);
	result_stages(mk->mk_rs, 0.01, &slow);
	rd->rd_stages = room(mk, 2 * STAGE_N, sizeof(*rd->rd_stages));
	for (int s = 0; s < STAGE_N; s++)
		for (int k = 0; k < 2; k++)
			rd->rd_stages[rd->rd_nstages++] = (struct record_stage){
				stage_names[s],
				k == 1,
				all.rg_ns[s][k],
				slow.rg_ns[s][k],
			};
}

static void
counters_take(struct maker *mk)
{
	struct record *rd = mk->mk_rd;

	rd->rd_counters = room(mk, COUNTER_N, sizeof(*rd->rd_counters));
	for (int i = 0; i < COUNTER_N; i++)
		rd->rd_counters[rd->rd_ncounters++] = (struct record_count){
			counter_infos[i].cn_name,
			mk->mk_rs->rs_counters[i],
		};
}

static void
cpus_take(struct maker *mk)
{
	const struct result *rs = mk->mk_rs;
	struct record *rd = mk->mk_rd;

	rd->rd_cpus = room(mk, rs->rs_ncpus, sizeof(*rd->rd_cpus));
	for (int i = 0; i < rs->rs_ncpus; i++) {
		const struct result_cpu *rc = &rs->rs_cpus[i];
		double all = (double)rs->rs_measure_ns;

		rd->rd_cpus[rd->rd_ncpus++] = (struct record_cpu){
			host_name(mk, rc->rc_host),
			rc->rc_cpu,
			1 - (double)rc->rc_idle_ns / all,
			(double)rc->rc_netisr_ns / all,
			(double)rc->rc_intr_ns / all,
		};
	}
}

/* Those that something was charged to. */
static void
costs_take(struct maker *mk)
{
	int nhosts = mk->mk_su->su_nmachines + mk->mk_su->su_npeers;
	struct record *rd = mk->mk_rd;

	rd->rd_costs = room(mk, nhosts * COST_N, sizeof(*rd->rd_costs));
	for (int h = 0; h < nhosts; h++)
		for (int c = 0; c < COST_N; c++) {
			int64_t ns = mk->mk_rs->rs_cost_ns[h][c];

			if (ns > 0)
				rd->rd_costs[rd->rd_ncosts++] =
				    (struct record_cost){ host_name(mk, h),
					    cost_infos[c].ci_name, ns };
		}
}

static void
tokens_take(struct maker *mk)
{
	const struct result *rs = mk->mk_rs;
	struct record *rd = mk->mk_rd;

	rd->rd_tokens = room(mk, rs->rs_ntokens, sizeof(*rd->rd_tokens));
	for (int i = 0; i < rs->rs_ntokens; i++) {
		const struct result_token *rt = &rs->rs_tokens[i];
		struct result_token_means rm = result_token_means(rs, rt);

		rd->rd_tokens[rd->rd_ntokens++] = (struct record_token){
			.rk_machine = host_name(mk, rt->rt_machine),
			.rk_name = ypool_strdup(&rd->rd_pool, rt->rt_name),
			.rk_count = rt->rt_count,
			.rk_gets = (int64_t)rt->rt_gets,
			.rk_waits = (int64_t)rt->rt_waits,
			.rk_collisions = (int64_t)rt->rt_collisions,
			.rk_hold_mean_ns = rm.rm_hold_ns,
			.rk_wait_mean_ns = rm.rm_wait_ns,
			.rk_busiest_pct = rm.rm_busiest_pct,
			.rk_hold_max_ns = rt->rt_hold_max,
			.rk_wait_max_ns = rt->rt_wait_max,
		};
	}
}

static void
listeners_take(struct maker *mk)
{
	const struct result *rs = mk->mk_rs;
	struct record *rd = mk->mk_rd;

	rd->rd_listeners =
	    room(mk, rs->rs_nlisteners, sizeof(*rd->rd_listeners));
	for (int i = 0; i < rs->rs_nlisteners; i++) {
		const struct result_listener *rl = &rs->rs_listeners[i];

		rd->rd_listeners[rd->rd_nlisteners++] =
		    (struct record_listener){
			    .rl_machine = host_name(mk, rl->rl_machine),
			    .rl_index = rl->rl_index,
			    .rl_cpu = rl->rl_cpu,
			    .rl_qlen_end = rl->rl_qlen,
			    .rl_qlen_max = rl->rl_qmax,
			    .rl_qlimit = rl->rl_qlimit,
			    .rl_qlen_mean =
				(double)rl->rl_qsum / (double)rs->rs_measure_ns,
			    .rl_syn_drops = (int64_t)rl->rl_syn_drops,
			    .rl_refused = (int64_t)rl->rl_refused,
			    .rl_accepted = (int64_t)rl->rl_accepted,
		    };
	}
}

static void
series_take(struct maker *mk)
{
	const struct result *rs = mk->mk_rs;
	struct record *rd = mk->mk_rd;

	rd->rd_series = room(mk, SERIES_N, sizeof(*rd->rd_series));
	for (int s = 0; s < SERIES_N; s++) {
		double *values;

		if (!series_has(s, rs))
			continue;
		values = room(mk, rs->rs_nslices, sizeof(*values));
		for (int i = 0; i < rs->rs_nslices; i++)
			values[i] = series_value(s, rs, i);
		rd->rd_series[rd->rd_nseries++] =
		    (struct record_series){ series_infos[s].si_name, values,
			    rs->rs_nslices };
	}
}

static void
hist_take(struct maker *mk, const char *name, const struct hist *h,
    struct record_hist *rh)
{
	uint8_t *bytes;

	rh->rh_name = name;
	rh->rh_size = hist_encode_compressed(h, &bytes);
	rh->rh_bytes = room(mk, 1, rh->rh_size);
	memcpy(rh->rh_bytes, bytes, rh->rh_size);
	free(bytes);
	rh->rh_samples = hist_count(h);
	rh->rh_over = h->h_over;
}

double
record_metric(const struct record *rd, const char *name)
{
	for (int i = 0; i < rd->rd_nmetrics; i++) {
		if (strcmp(rd->rd_metrics[i].rm_name, name) == 0)
			return rd->rd_metrics[i].rm_value;
	}
	return NAN;
}

const struct record_series *
record_series(const struct record *rd, const char *name)
{
	for (int i = 0; i < rd->rd_nseries; i++) {
		if (strcmp(rd->rd_series[i].rs_name, name) == 0)
			return &rd->rd_series[i];
	}
	return NULL;
}

double
record_stage_ns(const struct record *rd, const char *name)
{
	double sum = 0;
	bool found = false;

	for (int i = 0; i < rd->rd_nstages; i++) {
		if (strcmp(rd->rd_stages[i].re_name, name) != 0)
			continue;
		sum += rd->rd_stages[i].re_mean_ns;
		found = true;
	}
	return found ? sum : NAN;
}
