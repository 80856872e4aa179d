#include "model/peer/peer.h"

#include <stdio.h>
#include <string.h>

#include "model/peer/httperf.h"
#include "model/peer/netperf.h"
#include "model/peer/wrk.h"

#define PEER_BIN_SHIFT 4 /* latency buckets a stage bin */

static void account_stages(
    struct peer_bin *, const struct stages *, sim_ns done);

static const struct peer_ops *const peer_tools[] = {
	[TOOL_WRK] = &wrk_ops,
	[TOOL_OPEN] = &wrk_ops,
	[TOOL_HTTPERF] = &httperf_ops,
	[TOOL_NETPERF] = &netperf_ops,
};

struct peer *
peer_create(const struct setup_peer *pe, const struct setup_run *sr,
    const struct host_place *hp, int64_t response)
{
	return peer_tools[pe->pe_tool]->po_create(pe, sr, hp, response);
}

void
peer_destroy(struct peer *pp)
{
	if (pp != NULL)
		pp->pp_ops->po_destroy(pp);
}

double
peer_request_rate(const struct peer *pp)
{
	return pp->pp_ops->po_request_rate(pp);
}

uint64_t
peer_in_progress(const struct peer *pp)
{
	uint64_t n = 0;

	for (int i = 0; i < pp->pp_host->h_ncpus; i++)
		n += peer_conns(pp->pp_host->h_cpus[i]);
	return n;
}

uint32_t
peer_conns(const struct host_cpu *ho)
{
	const struct peer_thread *pt = ho->ho_tool;

	return pt->pt_conns;
}

void
peer_mark(struct host_cpu *ho, sim_ns now, bool end)
{
	struct peer_thread *pt = ho->ho_tool;
	struct peer_result *pr = &pt->pt_peer->pp_result;

	if (end)
		pr->pr_slot_ns += pt->pt_busy_slots * (now - pt->pt_busy_since);
	pt->pt_busy_since = now;
	pt->pt_measuring = !end;
}

void
peer_init(struct peer *pp, const struct peer_ops *ops,
    const struct host_tool_ops *tool, const struct setup_peer *pe,
    const struct setup_run *sr, const struct host_place *hp, int64_t response)
{
	struct peer_result *pr = &pp->pp_result;

	pp->pp_ops = ops;
	pp->pp_setup = pe;
	pp->pp_run = sr;
	pp->pp_response = response;
	pp->pp_timeout = SIM_NEVER;
	pp->pp_host = host_create(pe, tool, hp);
	hist_init(&pr->pr_latency, 1, SIM_HOUR, 3);
	hist_init(&pr->pr_cycle, 1, SIM_HOUR, 3);
	pr->pr_nbins = (pr->pr_latency.h_counts_len >> PEER_BIN_SHIFT) + 1;
	pr->pr_bins = sim_calloc(pr->pr_nbins, sizeof(*pr->pr_bins));
	pr->pr_nslices = (int)setup_nslices(sr);
	pr->pr_slices = sim_calloc(pr->pr_nslices, sizeof(*pr->pr_slices));
}

void
peer_fini(struct peer *pp)
{
	host_destroy(pp->pp_host);
	hist_fini(&pp->pp_result.pr_latency);
	hist_fini(&pp->pp_result.pr_cycle);
	sim_free(pp->pp_result.pr_bins);
	sim_free(pp->pp_result.pr_slices);
}

void
peer_thread_init(struct peer_thread *pt, struct peer *pp, int i)
{
	pt->pt_peer = pp;
	pt->pt_ho = pp->pp_host->h_cpus[i];
	pt->pt_ho->ho_tool = pt;
	snprintf(pt->pt_name, sizeof(pt->pt_name), "%s %d",
	    pp->pp_setup->pe_name, i);
}

sim_ns
peer_slot_start(const struct peer_thread *pt, int64_t i, int64_t total)
{
	const struct setup_run *sr = pt->pt_peer->pp_run;
	int64_t k = i * pt->pt_peer->pp_host->h_ncpus + pt->pt_ho->ho_index;

	if (sr->sr_start == START_BURST)
		return 1;
	return 1 + sr->sr_ramp * k / total;
}

void
peer_busy(struct peer_thread *pt, int change)
{
	sim_ns now = pt->pt_ho->ho_cpu.c_now;

	if (pt->pt_measuring)
		pt->pt_peer->pp_result.pr_slot_ns +=
		    pt->pt_busy_slots * (now - pt->pt_busy_since);
	pt->pt_busy_since = now;
	pt->pt_busy_slots += change;
}

void
peer_stages_start(const struct peer_thread *pt, struct stages *sg, sim_ns start)
{
	uint32_t gen = sg->sg_gen + 1;

	memset(sg, 0, sizeof(*sg));
	sg->sg_gen = gen;
	sg->sg_request = (uint32_t)pt->pt_peer->pp_setup->pe_request;
	sg->sg_at[STAMP_START] = start;
}

void
peer_opened(struct peer_thread *pt)
{
	pt->pt_peer->pp_result.pr_opened++;
	pt->pt_conns++;
}

void
peer_closed(struct peer_thread *pt)
{
	pt->pt_peer->pp_result.pr_closed++;
	pt->pt_conns--;
}

void
peer_ended(struct peer_thread *pt, enum tcp_end end)
{
	struct peer_result *pr = &pt->pt_peer->pp_result;

	pt->pt_conns--;
	pr->pr_ended++;
	if (pt->pt_measuring)
		pr->pr_failed[end]++;
}

void
peer_account(struct peer_thread *pt, const struct host_conn *hc,
    struct stages *sg, sim_ns done)
{
	const struct setup_run *sr = pt->pt_peer->pp_run;
	struct peer_result *pr = &pt->pt_peer->pp_result;
	sim_ns latency = done - sg->sg_clock;
	struct peer_bin *pb;
	int64_t slice;

	if (!pt->pt_measuring)
		return;
	sg->sg_at[STAMP_TX] =
	    hc->hc_last_data - pt->pt_ho->ho_vector.nv_wire->w_latency;
	sg->sg_at[STAMP_DONE] = done;
	pr->pr_completed++;
	slice = (done - sr->sr_warmup) / sr->sr_slice;
	SIM_ASSERT(slice >= 0 && slice < pr->pr_nslices);
	pr->pr_slices[slice].ps_n++;
	pr->pr_slices[slice].ps_latency += latency;
	hist_record(&pr->pr_cycle, done - sg->sg_at[STAMP_START]);
	if (latency > pt->pt_peer->pp_timeout)
		pr->pr_timeouts++;
	else
		hist_record(&pr->pr_latency, latency);
	pb = &pr->pr_bins[hist_index(&pr->pr_latency, latency) >>
			  PEER_BIN_SHIFT];
	pb->pb_n++;
	pb->pb_latency += latency;
	account_stages(pb, sg, done);
}

/*
 * A stamp that was never set (on a connection used again) takes the one before
 * it; one that lies after a later one (accepted before the request was sent)
 * gives way.
 */
static void
account_stages(struct peer_bin *pb, const struct stages *sg, sim_ns done)
{
	sim_ns from = sg->sg_at[STAMP_START];

	for (int i = 0; i < STAGE_N; i++) {
		sim_ns to = sg->sg_at[i + 1];

		if (to < from)
			to = from;
		if (to > done)
			to = done;
		if (sg->sg_clock > from) {
			sim_ns off = sim_min(to, sg->sg_clock) - from;

			pb->pb_stage[i] += off;
			pb->pb_counted[i] += to - from - off;
		} else {
			pb->pb_counted[i] += to - from;
		}
		from = to;
	}
}
