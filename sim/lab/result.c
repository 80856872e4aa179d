#include "sim/lab/result.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "model/kern/sched.h"
#include "model/kern/socket.h"
#include "model/kern/token.h"
#include "sim/core/alloc.h"

static void hist_open(struct hist *, int64_t *counts);
static void extract_peers(struct result *, struct model *);
static void extract_bins(struct result *, const struct peer_result *);
static void extract_cpus(struct result *, const struct model *);
static void extract_listeners(struct result *, struct model *);
static void extract_tokens(struct result *, struct model *);
static struct result_token *token_group(
    struct result *, int machine, const char *desc);
static void bin_add(struct peer_bin *, const struct peer_bin *);
static void merge_listeners(struct result *, const struct result *);
static void merge_tokens(struct result *, const struct result *);

struct result *
result_create(void)
{
	struct result *rs = sim_calloc(1, sizeof(*rs));

	hist_open(&rs->rs_latency, rs->rs_counts[0]);
	hist_open(&rs->rs_cycle, rs->rs_counts[1]);
	return rs;
}

/* The same geometry as struct peer_result, over memory of ours. */
static void
hist_open(struct hist *h, int64_t *counts)
{
	int64_t *own;

	hist_init(h, 1, sim_s(3600), 3);
	SIM_ASSERT(h->h_counts_len <= RESULT_COUNTS);
	own = h->h_counts;
	h->h_counts = counts;
	sim_free(own);
}

size_t
result_size(const struct result *rs)
{
	return offsetof(struct result, rs_slices) +
	       (size_t)rs->rs_nslices * sizeof(*rs->rs_slices);
}

void
result_relocate(struct result *rs)
{
	rs->rs_latency.h_counts = rs->rs_counts[0];
	rs->rs_cycle.h_counts = rs->rs_counts[1];
}

void
result_extract(struct result *rs, struct model *md, int64_t wall_ns)
{
	struct rusage ru;

	rs->rs_reps = 1;
	rs->rs_measure_ns = md->md_setup->su_run.sr_measure;
	rs->rs_netserver =
	    md->md_setup->su_machines[0].sm_procs[0].sp_program ==
	    PROGRAM_NETSERVER;
	extract_peers(rs, md);
	result_slices(rs, md);
	for (int i = 0; i < COUNTER_N; i++)
		rs->rs_counters[i] = model_counter(md, i);
	extract_cpus(rs, md);
	extract_listeners(rs, md);
	extract_tokens(rs, md);
	rs->rs_simulated_ns = md->md_end;
	rs->rs_wall_ns = wall_ns;
	rs->rs_engine_calls = engine_statistics()->es_calls;
	rs->rs_events = md->md_runs;
	getrusage(RUSAGE_SELF, &ru);
	rs->rs_peak_bytes = (int64_t)ru.ru_maxrss * 1024;
}

static void
extract_peers(struct result *rs, struct model *md)
{
	for (int i = 0; i < md->md_setup->su_npeers; i++) {
		const struct peer_result *pr = &md->md_peers[i]->pp_result;
		struct result_peer *rp = &rs->rs_peers[i];

		rp->rp_completed = pr->pr_completed;
		rp->rp_late = pr->pr_timeouts;
		for (int e = 0; e < TCP_NENDS; e++)
			rp->rp_failed += pr->pr_failed[e];
		rp->rp_latency_ns = hist_mean(&pr->pr_latency) *
				    (double)hist_count(&pr->pr_latency);
		rp->rp_cycle_ns = hist_mean(&pr->pr_cycle) *
				  (double)hist_count(&pr->pr_cycle);
		rp->rp_p50_ns = hist_percentile(&pr->pr_latency, 50);
		rp->rp_p99_ns = hist_percentile(&pr->pr_latency, 99);
		rp->rp_max_ns = hist_max(&pr->pr_latency);
		hist_merge(&rs->rs_latency, &pr->pr_latency);
		hist_merge(&rs->rs_cycle, &pr->pr_cycle);
		rs->rs_completed += pr->pr_completed;
		rs->rs_slot_ns += pr->pr_slot_ns;
		rs->rs_request_rate += peer_request_rate(md->md_peers[i]);
		extract_bins(rs, pr);
	}
}

static void
extract_bins(struct result *rs, const struct peer_result *pr)
{
	SIM_ASSERT(pr->pr_nbins <= RESULT_BINS);
	for (int i = 0; i < pr->pr_nbins; i++)
		bin_add(&rs->rs_bins[i], &pr->pr_bins[i]);
}

static void
bin_add(struct peer_bin *dst, const struct peer_bin *src)
{
	dst->pb_n += src->pb_n;
	dst->pb_latency += src->pb_latency;
	for (int s = 0; s < STAGE_N; s++) {
		dst->pb_stage[s] += src->pb_stage[s];
		dst->pb_counted[s] += src->pb_counted[s];
	}
}

static void
extract_cpus(struct result *rs, const struct model *md)
{
	SIM_ASSERT(md->md_ncpus <= RESULT_MAX_CPUS);
	rs->rs_ncpus = md->md_ncpus;
	rs->rs_nserver_cpus = md->md_nserver_cpus;
	for (int i = 0; i < md->md_ncpus; i++) {
		const struct model_cpu *mc = &md->md_cpus[i];
		struct result_cpu *rc = &rs->rs_cpus[i];

		rc->rc_host = (int16_t)mc->mc_machine;
		rc->rc_cpu = (int16_t)mc->mc_cpu->c_id;
		rc->rc_idle_ns = mc->mc_cpu->c_idle;
		rc->rc_intr_ns = mc->mc_intr;
		if (i < md->md_nserver_cpus)
			rc->rc_netisr_ns =
			    netisr_ns((const struct globaldata *)mc->mc_cpu);
		for (int c = 0; c < COST_N; c++)
			rs->rs_cost_ns[mc->mc_machine][c] +=
			    mc->mc_cpu->c_spent[c];
	}
}

static void
extract_listeners(struct result *rs, struct model *md)
{
	for (int i = 0; i < md->md_setup->su_nmachines; i++) {
		const struct machine_procs *mp = md->md_machines[i].m_procs;

		for (int k = 0; k < mp->mp_nlisteners; k++) {
			struct so_listen *sl = mp->mp_listeners[k];

			SIM_ASSERT(rs->rs_nlisteners < RESULT_MAX_LISTENERS);
			so_qlen_integrate(sl, md->md_end);
			rs->rs_listeners[rs->rs_nlisteners++] =
			    (struct result_listener){
				    .rl_machine = (int16_t)i,
				    .rl_index = (int16_t)sl->sl_index,
				    .rl_cpu = (int16_t)sl->sl_cpu,
				    .rl_qlen = sl->so_qlen,
				    .rl_qmax = sl->sl_qmax,
				    .rl_qlimit = sl->so_qlimit,
				    .rl_qsum = sl->sl_qsum,
				    .rl_syn_drops =
					sl->sl_syn_drops - sl->sl_syn_drops0,
				    .rl_refused =
					sl->sl_refused - sl->sl_refused0,
				    .rl_accepted =
					sl->sl_accepted - sl->sl_accepted0,
			    };
		}
	}
}

static void
extract_tokens(struct result *rs, struct model *md)
{
	for (int i = 0; i < md->md_setup->su_nmachines; i++) {
		const struct machine *m = &md->md_machines[i];

		if (!m->m_shares)
			continue;
		for (int k = 0; k < m->m_ntoks; k++) {
			const struct tok *tok = m->m_toks[k];
			struct result_token *rt =
			    token_group(rs, i, tok->t_desc);
			int64_t hold = tok->t_hold_ns;

			/* Still held. */
			if (tok->t_owner != NULL && tok->t_since < md->md_end)
				hold += md->md_end - tok->t_since;
			rt->rt_count++;
			rt->rt_gets += tok->t_gets;
			rt->rt_waits += tok->t_waits;
			rt->rt_collisions += tok->t_collisions;
			rt->rt_hold_ns += hold;
			rt->rt_hold_max =
			    sim_max(rt->rt_hold_max, tok->t_hold_max);
			rt->rt_wait_ns += tok->t_wait_ns;
			rt->rt_wait_max =
			    sim_max(rt->rt_wait_max, tok->t_wait_max);
			rt->rt_busiest_ns = sim_max(rt->rt_busiest_ns, hold);
		}
	}
}

/* The group of a token, made when it is the first. */
static struct result_token *
token_group(struct result *rs, int machine, const char *desc)
{
	struct result_token *rt;

	for (int i = 0; i < rs->rs_ntokens; i++) {
		rt = &rs->rs_tokens[i];
		if (rt->rt_machine == machine && strcmp(rt->rt_name, desc) == 0)
			return rt;
	}
	SIM_ASSERT(rs->rs_ntokens < RESULT_MAX_TOKENS);
	SIM_ASSERT(strlen(desc) < RESULT_TOKEN_NAME);
	rt = &rs->rs_tokens[rs->rs_ntokens++];
	rt->rt_machine = (int16_t)machine;
	snprintf(rt->rt_name, sizeof(rt->rt_name), "%s", desc);
	return rt;
}

void
result_merge(struct result *dst, const struct result *src)
{
	bool first = dst->rs_reps == 0;

	if (first) {
		*dst = *src;
		result_relocate(dst);
		return;
	}
	SIM_ASSERT(dst->rs_ncpus == src->rs_ncpus);
	dst->rs_reps += src->rs_reps;
	dst->rs_measure_ns += src->rs_measure_ns;
	dst->rs_completed += src->rs_completed;
	dst->rs_slot_ns += src->rs_slot_ns;
	dst->rs_request_rate += src->rs_request_rate;
	hist_merge(&dst->rs_latency, &src->rs_latency);
	hist_merge(&dst->rs_cycle, &src->rs_cycle);
	for (int i = 0; i < RESULT_BINS; i++)
		bin_add(&dst->rs_bins[i], &src->rs_bins[i]);
	for (int i = 0; i < SETUP_MAX_PEERS; i++) {
		dst->rs_peers[i].rp_completed += src->rs_peers[i].rp_completed;
		dst->rs_peers[i].rp_late += src->rs_peers[i].rp_late;
		dst->rs_peers[i].rp_failed += src->rs_peers[i].rp_failed;
		dst->rs_peers[i].rp_latency_ns +=
		    src->rs_peers[i].rp_latency_ns;
		dst->rs_peers[i].rp_cycle_ns += src->rs_peers[i].rp_cycle_ns;
	}
	for (int i = 0; i < COUNTER_N; i++)
		dst->rs_counters[i] += src->rs_counters[i];
	for (int i = 0; i < dst->rs_ncpus; i++) {
		dst->rs_cpus[i].rc_idle_ns += src->rs_cpus[i].rc_idle_ns;
		dst->rs_cpus[i].rc_netisr_ns += src->rs_cpus[i].rc_netisr_ns;
		dst->rs_cpus[i].rc_intr_ns += src->rs_cpus[i].rc_intr_ns;
	}
	for (int i = 0; i < RESULT_MAX_HOSTS; i++)
		for (int c = 0; c < COST_N; c++)
			dst->rs_cost_ns[i][c] += src->rs_cost_ns[i][c];
	merge_listeners(dst, src);
	merge_tokens(dst, src);
	result_slices_merge(dst, src);
	dst->rs_simulated_ns += src->rs_simulated_ns;
	dst->rs_wall_ns += src->rs_wall_ns;
	dst->rs_engine_calls += src->rs_engine_calls;
	dst->rs_events += src->rs_events;
	if (src->rs_peak_bytes > dst->rs_peak_bytes)
		dst->rs_peak_bytes = src->rs_peak_bytes;
}

static void
merge_listeners(struct result *dst, const struct result *src)
{
	SIM_ASSERT(dst->rs_nlisteners == src->rs_nlisteners);
	for (int i = 0; i < dst->rs_nlisteners; i++) {
		const struct result_listener *from = &src->rs_listeners[i];
		struct result_listener *to = &dst->rs_listeners[i];

		to->rl_qlen += from->rl_qlen;
		if (from->rl_qmax > to->rl_qmax)
			to->rl_qmax = from->rl_qmax;
		to->rl_qsum += from->rl_qsum;
		to->rl_syn_drops += from->rl_syn_drops;
		to->rl_refused += from->rl_refused;
		to->rl_accepted += from->rl_accepted;
	}
}

static void
merge_tokens(struct result *dst, const struct result *src)
{
	SIM_ASSERT(dst->rs_ntokens == src->rs_ntokens);
	for (int i = 0; i < dst->rs_ntokens; i++) {
		const struct result_token *from = &src->rs_tokens[i];
		struct result_token *to = &dst->rs_tokens[i];

		SIM_ASSERT(to->rt_count == from->rt_count);
		to->rt_gets += from->rt_gets;
		to->rt_waits += from->rt_waits;
		to->rt_collisions += from->rt_collisions;
		to->rt_hold_ns += from->rt_hold_ns;
		to->rt_hold_max = sim_max(to->rt_hold_max, from->rt_hold_max);
		to->rt_wait_ns += from->rt_wait_ns;
		to->rt_wait_max = sim_max(to->rt_wait_max, from->rt_wait_max);
		to->rt_busiest_ns += from->rt_busiest_ns;
	}
}

struct result_token_means
result_token_means(const struct result *rs, const struct result_token *rt)
{
	struct result_token_means rm = { 0 };

	if (rt->rt_gets > 0)
		rm.rm_hold_ns = (double)rt->rt_hold_ns / (double)rt->rt_gets;
	if (rt->rt_waits > 0)
		rm.rm_wait_ns = (double)rt->rt_wait_ns / (double)rt->rt_waits;
	if (rs->rs_measure_ns > 0)
		rm.rm_busiest_pct =
		    100 * (double)rt->rt_busiest_ns / (double)rs->rs_measure_ns;
	return rm;
}

void
result_stages(const struct result *rs, double share, struct result_stages *rg)
{
	double left = 0;

	*rg = (struct result_stages){ 0 };
	for (int i = 0; i < RESULT_BINS; i++)
		left += (double)rs->rs_bins[i].pb_n;
	left *= share;
	for (int i = RESULT_BINS - 1; i >= 0 && left > 0; i--) {
		const struct peer_bin *pb = &rs->rs_bins[i];
		double n = (double)pb->pb_n, part;

		if (n <= 0)
			continue;
		part = n <= left ? 1 : left / n;
		left -= n * part;
		rg->rg_n += n * part;
		for (int s = 0; s < STAGE_N; s++) {
			rg->rg_ns[s][0] += part * (double)pb->pb_stage[s];
			rg->rg_ns[s][1] += part * (double)pb->pb_counted[s];
		}
	}
	for (int s = 0; s < STAGE_N && rg->rg_n > 0; s++) {
		for (int k = 0; k < 2; k++) {
			rg->rg_ns[s][k] /= rg->rg_n;
			rg->rg_total_ns[k] += rg->rg_ns[s][k];
		}
	}
}

struct result_little
result_little(const struct result *rs)
{
	struct result_little rl = { 0 };

	if (rs->rs_measure_ns == 0)
		return rl;
	rl.rl_n = (double)rs->rs_slot_ns / (double)rs->rs_measure_ns;
	rl.rl_x = (double)hist_count(&rs->rs_cycle) /
		  ((double)rs->rs_measure_ns * 1e-9);
	rl.rl_w_ns = hist_mean(&rs->rs_cycle);
	if (rl.rl_n > 0)
		rl.rl_error =
		    fabs(rl.rl_n - rl.rl_x * rl.rl_w_ns * 1e-9) / rl.rl_n;
	return rl;
}
