#include "model/model.h"

#include <string.h>

#include "model/netinet/tcp_kern.h"

static const enum counter slice_counters[SLICE_NCOUNTERS] = {
#define SLICE_COUNTER(name) COUNTER_##name,
#include "model/slice.def"
#undef SLICE_COUNTER
};

static void model_number(struct model *);
static void model_engine(struct model *);
static void model_machine(struct model *, int i, int *where);
static void model_trace_wires(struct model *, int link, struct nic_port *);
static void model_peer(struct model *, int i, int *where);
static sim_ns model_pass(struct cpu *, sim_ns mark, void *);
static void model_begin(struct model *, struct cpu *, const int64_t *now);
static void model_slice(
    struct model *, struct cpu *, sim_ns edge, const int64_t *now);
static void model_slice_server(
    struct model *, struct model_cpu *, sim_ns edge, struct slice *);
static void model_slice_tokens(struct model *, int machine, struct slice *);
static void model_slice_last(struct model *);
static void model_cpu_counters(struct model *, struct cpu *, int64_t *);
static void model_check(struct model *);
static void model_check_wire(const struct wire *, uint64_t received);
static void progress_actor(void *);

static const struct kernel_ops *
cpu_kernel(struct cpu *c)
{
	return cpu_gd(c)->gd_machine->m_kernel;
}

struct model *
model_create(const struct setup *su, const struct model_options *mo)
{
	struct model *md = sim_calloc(1, sizeof(*md));
	int where = 0;

	md->md_setup = su;
	md->md_options = *mo;
	md->md_rng = (struct rng_run){ su->su_run.sr_seed, mo->mo_rep };
	md->md_end = su->su_run.sr_warmup + su->su_run.sr_measure;
	md->md_marks = (struct cpu_marks){
		.cm_first = su->su_run.sr_warmup > 0 ? su->su_run.sr_warmup : 1,
		.cm_end = md->md_end,
		.cm_pass = model_pass,
		.cm_arg = md,
	};
	md->md_slices =
	    sim_calloc(setup_nslices(&su->su_run), sizeof(*md->md_slices));
	md->md_token_waits =
	    sim_calloc(su->su_nmachines, sizeof(*md->md_token_waits));
	toeplitz_init(&md->md_toeplitz);
	model_number(md);
	model_engine(md);
	for (int i = 0; i < su->su_nmachines; i++)
		model_machine(md, i, &where);
	SIM_ASSERT(where == md->md_nserver_cpus);
	for (int i = 0; i < su->su_npeers; i++)
		model_peer(md, i, &where);
	SIM_ASSERT(where == md->md_ncpus);
	return md;
}

/* How many CPUs, addresses and wires there are. */
static void
model_number(struct model *md)
{
	const struct setup *su = md->md_setup;

	for (int i = 0; i < su->su_nmachines; i++) {
		md->md_ncpus += su->su_machines[i].sm_hw.hw_ncpus;
		for (int n = 0; n < su->su_machines[i].sm_nnics; n++)
			md->md_nwires +=
			    2 * su->su_machines[i].sm_nics[n].sn_ports;
	}
	md->md_nserver_cpus = md->md_ncpus;
	for (int i = 0; i < su->su_npeers; i++) {
		md->md_ncpus += su->su_peers[i].pe_threads;
		md->md_naddrs += su->su_peers[i].pe_addresses;
	}
	md->md_cpus = sim_calloc(md->md_ncpus, sizeof(*md->md_cpus));
	md->md_flows = sim_calloc(md->md_naddrs, sizeof(*md->md_flows));
	for (int i = 0; i < md->md_naddrs; i++)
		md->md_flows[i] = sim_arena(65536, sizeof(**md->md_flows));
	md->md_machines =
	    sim_calloc(su->su_nmachines, sizeof(*md->md_machines));
	md->md_peers = sim_calloc(su->su_npeers, sizeof(*md->md_peers));
	md->md_wires = sim_calloc(md->md_nwires, sizeof(*md->md_wires));
	for (int i = 0; i < md->md_nwires; i++)
		md->md_wires[i] = sim_calloc(1, sizeof(struct wire));
}

/* Hosts are machines, then peers; links are ports, in order. */
static void
model_engine(struct model *md)
{
	const struct setup *su = md->md_setup;
	struct engine_link *links =
	    sim_calloc(md->md_nwires / 2, sizeof(*links));
	int n = 0;

	for (int i = 0; i < su->su_nmachines; i++)
		for (int j = 0; j < su->su_machines[i].sm_nnics; j++) {
			const struct setup_nic *sn =
			    &su->su_machines[i].sm_nics[j];

			for (int k = 0; k < sn->sn_ports; k++)
				links[n++] = (struct engine_link){ sn->sn_bps,
					sn->sn_latency };
		}
	engine_open(&(struct engine_platform){
	    .ep_nhosts = su->su_nmachines + su->su_npeers,
	    .ep_links = links,
	    .ep_nlinks = n,
	});
	sim_free(links);
}

/* First link of a machine's first port. */
static int
machine_link(const struct setup *su, int machine, int nic, int port)
{
	int link = port;

	for (int i = 0; i <= machine; i++)
		for (int j = 0; j < su->su_machines[i].sm_nnics; j++)
			if (i < machine || j < nic)
				link += su->su_machines[i].sm_nics[j].sn_ports;
	return link;
}

static void
model_machine(struct model *md, int i, int *where)
{
	const struct setup_machine *sm = &md->md_setup->su_machines[i];
	struct machine *m = &md->md_machines[i];
	struct port_wires wires[SETUP_MAX_NICS * SETUP_MAX_PORTS];
	int link = machine_link(md->md_setup, i, 0, 0), n = 0;

	for (int j = 0; j < sm->sm_nnics; j++)
		n += sm->sm_nics[j].sn_ports;
	for (int k = 0; k < n; k++) {
		wires[k].pw_rx = md->md_wires[2 * (link + k)];
		wires[k].pw_tx = md->md_wires[2 * (link + k) + 1];
		/* The ends are set when they exist. */
		wire_init(wires[k].pw_rx, engine_route_bps(link + k, false),
		    engine_route_latency(link + k, false), NULL, NULL);
		wire_init(wires[k].pw_tx, engine_route_bps(link + k, true),
		    engine_route_latency(link + k, true), NULL, NULL);
	}
	m->m_setup = sm;
	m->m_sysctl = &sm->sm_sysctl;
	m->m_index = i;
	m->m_rng = md->md_rng;
	m->m_flows = md->md_flows;
	m->m_naddrs = md->md_naddrs;
	m->m_kernel = kernel_find(sm->sm_kernel);
	m->m_rules = m->m_kernel->ko_rules;
	m->m_kernel->ko_boot(
	    m, wires, *where, &md->md_marks, md->md_options.mo_exact);
	for (int k = 0; k < m->m_nifnets; k++) {
		model_trace_wires(md, link + k, m->m_ifnets[k]->if_port);
		wires[k].pw_rx->w_deliver = nic_rx_arrive;
		wires[k].pw_rx->w_arg = m->m_ifnets[k]->if_port;
	}
	for (int k = 0; k < m->m_ncpus; k++) {
		md->md_cpus[*where].mc_cpu = &m->m_gd[k]->gd_cpu;
		md->md_cpus[(*where)++].mc_machine = i;
	}
}

/* One looks at frames at the server's port. */
static void
model_trace_wires(struct model *md, int link, struct nic_port *np)
{
	struct wire *rx = md->md_wires[2 * link];

	rx->w_where = md->md_ncpus + 2 * link;
	rx->w_tap = rx->w_latency;
	md->md_wires[2 * link + 1]->w_where = rx->w_where + 1;
	for (int i = 0; i < np->np_nrxr; i++)
		np->np_rxr[i].rr_where = rx->w_where;
}

static void
model_peer(struct model *md, int i, int *where)
{
	const struct setup *su = md->md_setup;
	const struct setup_peer *pe = &su->su_peers[i];
	const struct setup_process *sp =
	    &su->su_machines[pe->pe_machine].sm_procs[0];
	int link = machine_link(su, pe->pe_machine, pe->pe_nic, pe->pe_port);
	int index = link - machine_link(su, pe->pe_machine, 0, 0);
	const struct ifnet *ifp =
	    md->md_machines[pe->pe_machine].m_ifnets[index];
	struct wire *to_us = md->md_wires[2 * link];
	struct wire *from_us = md->md_wires[2 * link + 1];
	struct host *h;
	int addr0 = 0;

	for (int k = 0; k < i; k++)
		addr0 += su->su_peers[k].pe_addresses;
	md->md_peers[i] = peer_create(pe, &su->su_run,
	    &(struct host_place){
		.hp_toeplitz = &md->md_toeplitz,
		.hp_flows = md->md_flows,
		.hp_tx = to_us,
		.hp_addr0 = addr0,
		.hp_ip0 = ifp->if_addr + 1,
		.hp_server = ifp->if_addr,
		.hp_mss = (uint32_t)su->su_machines[pe->pe_machine]
			      .sm_nics[pe->pe_nic]
			      .sn_mtu -
			  52,
		.hp_engine_host = su->su_nmachines + i,
		.hp_where = *where,
		.hp_marks = &md->md_marks,
		.hp_exact = md->md_options.mo_exact,
		.hp_run = md->md_rng,
	    },
	    sp->sp_header + sp->sp_object);
	h = md->md_peers[i]->pp_host;
	from_us->w_deliver = host_rx_arrive;
	from_us->w_arg = h;
	if (pe->pe_loss > 0) {
		wire_set_loss(to_us, pe->pe_loss, md->md_rng, 2 * link);
		wire_set_loss(from_us, pe->pe_loss, md->md_rng, 2 * link + 1);
	}
	host_set_rx(h, from_us);
	for (int k = 0; k < h->h_ncpus; k++) {
		md->md_cpus[*where].mc_cpu = &h->h_cpus[k]->ho_cpu;
		md->md_cpus[(*where)++].mc_machine = su->su_nmachines + i;
	}
}

/* A CPU passes the start of the measurement, the end of a slice, or the end. */
static sim_ns
model_pass(struct cpu *c, sim_ns mark, void *arg)
{
	struct model *md = arg;
	const struct setup_run *sr = &md->md_setup->su_run;
	struct model_cpu *mc = &md->md_cpus[c->c_where];
	bool begin = mark == md->md_marks.cm_first, end = mark >= md->md_end;
	int64_t now[COUNTER_N];

	model_cpu_counters(md, c, now);
	if (c->c_where < md->md_nserver_cpus)
		sched_account(cpu_gd(c));
	if (begin)
		model_begin(md, c, now);
	else
		model_slice(md, c, mark, now);
	if (end) {
		for (int i = 0; i < COUNTER_N; i++)
			mc->mc_counters[i] = now[i] - mc->mc_counters[i];
		mc->mc_intr = c->c_intr - mc->mc_intr;
	}
	if (c->c_where >= md->md_nserver_cpus && (begin || end))
		peer_mark(cpu_host(c), mark, end);
	return sim_min(md->md_end,
	    mark + sr->sr_slice - (mark - sr->sr_warmup) % sr->sr_slice);
}

static void
model_begin(struct model *md, struct cpu *c, const int64_t *now)
{
	struct model_cpu *mc = &md->md_cpus[c->c_where];
	struct model_edge *me = &mc->mc_edge;

	cpu_account_reset(c);
	if (c->c_where < md->md_nserver_cpus)
		cpu_kernel(c)->ko_mark(cpu_gd(c));
	for (int i = 0; i < COUNTER_N; i++)
		mc->mc_counters[i] = now[i];
	for (int i = 0; i < SLICE_NCOUNTERS; i++)
		me->me_counters[i] = now[slice_counters[i]];
	mc->mc_intr = me->me_intr = c->c_intr;
	me->me_at = c->c_now;
}

static void
model_slice(struct model *md, struct cpu *c, sim_ns edge, const int64_t *now)
{
	const struct setup_run *sr = &md->md_setup->su_run;
	struct model_cpu *mc = &md->md_cpus[c->c_where];
	struct model_edge *me = &mc->mc_edge;
	struct slice *sc =
	    &md->md_slices[(edge - 1 - sr->sr_warmup) / sr->sr_slice];

	for (int i = 0; i < SLICE_NCOUNTERS; i++) {
		int64_t n = now[slice_counters[i]];

		sc->sc_counters[i] += n - me->me_counters[i];
		me->me_counters[i] = n;
	}
	if (c->c_where < md->md_nserver_cpus)
		model_slice_server(md, mc, edge, sc);
	else
		sc->sc_conns += peer_conns(cpu_host(c));
	me->me_at = edge;
}

/*
 * Listeners and tokens of a machine whose CPUs share may still change at the
 * instant of the end: their last slice is model_slice_last()'s.
 */
static void
model_slice_server(
    struct model *md, struct model_cpu *mc, sim_ns edge, struct slice *sc)
{
	struct model_edge *me = &mc->mc_edge;
	const struct cpu *c = mc->mc_cpu;
	const struct globaldata *gd = (const struct globaldata *)c;
	int64_t busy = edge - me->me_at - (c->c_idle - me->me_idle);
	int64_t netisr = netisr_ns(gd);

	sc->sc_busy_ns += busy;
	sc->sc_busiest_ns = sim_max(sc->sc_busiest_ns, busy);
	sc->sc_netisr_ns += netisr - me->me_netisr;
	sc->sc_intr_ns += c->c_intr - me->me_intr;
	me->me_idle = c->c_idle;
	me->me_netisr = netisr;
	me->me_intr = c->c_intr;
	gd->gd_machine->m_kernel->ko_slice(gd, sc);
	if (edge >= md->md_end)
		return;
	gd->gd_machine->m_kernel->ko_slice_listeners(
	    gd->gd_machine, c->c_id, edge, sc);
	if (c->c_id == 0)
		model_slice_tokens(md, mc->mc_machine, sc);
}

static void
model_slice_tokens(struct model *md, int machine, struct slice *sc)
{
	const struct machine *m = &md->md_machines[machine];
	int64_t wait = m->m_kernel->ko_token_wait(m);

	sc->sc_token_wait_ns += wait - md->md_token_waits[machine];
	md->md_token_waits[machine] = wait;
}

static void
model_slice_last(struct model *md)
{
	const struct setup *su = md->md_setup;
	struct slice *sc = &md->md_slices[setup_nslices(&su->su_run) - 1];

	for (int i = 0; i < su->su_nmachines; i++) {
		struct machine *m = &md->md_machines[i];

		for (int k = 0; k < m->m_ncpus; k++)
			m->m_kernel->ko_slice_listeners(m, k, md->md_end, sc);
		model_slice_tokens(md, i, sc);
	}
}

static void
model_cpu_counters(struct model *md, struct cpu *c, int64_t *out)
{
	memset(out, 0, COUNTER_N * sizeof(*out));
	if (c->c_where >= md->md_nserver_cpus) {
		const struct host_stats *hs = &cpu_host(c)->ho_stats;

		out[COUNTER_client_connects] = hs->hs_connects;
		out[COUNTER_client_syn_retries] = hs->hs_syn_retries;
		out[COUNTER_client_connect_errors] = hs->hs_connect_errors;
		out[COUNTER_client_resets] = hs->hs_ended[TCP_END_RESET];
		out[COUNTER_client_timeouts] = hs->hs_ended[TCP_END_TIMEOUT];
	} else {
		cpu_kernel(c)->ko_counters(cpu_gd(c), out);
	}
}

int64_t
model_counter(const struct model *md, enum counter counter)
{
	int64_t sum = 0;

	for (int i = 0; i < md->md_ncpus; i++)
		sum += md->md_cpus[i].mc_counters[counter];
	if (counter == COUNTER_client_late)
		for (int i = 0; i < md->md_setup->su_npeers; i++)
			sum += (int64_t)md->md_peers[i]->pp_result.pr_timeouts;
	if (counter == COUNTER_drop_wire)
		for (int i = 0; i < md->md_nwires; i++)
			sum += (int64_t)md->md_wires[i]->w_lost_frames;
	return sum;
}

void
model_run(struct model *md)
{
	if (md->md_options.mo_progress != NULL)
		engine_actor_create("progress", 0, progress_actor, md);
	engine_run(md->md_end + 1);
	model_slice_last(md);
	for (int i = 0; i < md->md_ncpus; i++)
		md->md_runs += md->md_cpus[i].mc_cpu->c_runs;
	model_check(md);
}

static void
progress_actor(void *arg)
{
	struct model *md = arg;

	for (sim_ns t = 0; t < md->md_end; t += md->md_end / 200 + 1) {
		engine_wait_until(t);
		md->md_options.mo_progress(
		    t, md->md_end, md->md_options.mo_progress_arg);
	}
}

static void
model_check(struct model *md)
{
	const struct setup *su = md->md_setup;

	for (int i = 0; i < md->md_ncpus; i++) {
		const struct cpu *c = md->md_cpus[i].mc_cpu;

		SIM_ASSERT(c->c_now == md->md_end);
		SIM_ASSERT(cpu_account_total(c) == c->c_now - c->c_since);
	}
	for (int i = 0; i < su->su_nmachines; i++)
		md->md_machines[i].m_kernel->ko_check(&md->md_machines[i]);
	for (int i = 0; i < su->su_npeers; i++) {
		const struct peer *pp = md->md_peers[i];
		const struct peer_result *pr = &pp->pp_result;

		SIM_ASSERT(pr->pr_opened ==
			   pr->pr_closed + pr->pr_ended + peer_in_progress(pp));
	}
	for (int i = 0; i < md->md_nwires; i++)
		wire_advance(md->md_wires[i], md->md_end);
	for (int i = 0, n = 0; i < su->su_nmachines; i++) {
		const struct machine *m = &md->md_machines[i];

		for (int k = 0; k < m->m_nifnets; k++, n++) {
			const struct nic_port *np = m->m_ifnets[k]->if_port;
			uint64_t received = 0;

			for (int r = 0; r < np->np_nrxr; r++) {
				const struct rxring *rr = &np->np_rxr[r];

				received += rr->rr_frames + rr->rr_drops +
					    pktq_len(&rr->rr_q);
			}
			model_check_wire(np->np_rx, received);
		}
	}
}

/*
 * Frames: posted = sent + still on the rings; sent = received + dropped +
 * lost. (Towards a server each packet is one frame.)
 */
static void
model_check_wire(const struct wire *w, uint64_t received)
{
	uint64_t waiting = 0, posted = 0;

	for (int i = 0; i < w->w_nrings; i++) {
		waiting += w->w_rings[i]->tr_q.pq_tail - w->w_rings[i]->tr_next;
		posted += w->w_rings[i]->tr_posted;
	}
	SIM_ASSERT(posted == w->w_packets + waiting);
	SIM_ASSERT(w->w_frames == received + w->w_lost_frames);
}

void
model_destroy(struct model *md)
{
	const struct setup *su = md->md_setup;

	for (int i = 0; i < su->su_npeers; i++)
		peer_destroy(md->md_peers[i]);
	for (int i = 0; i < su->su_nmachines; i++)
		md->md_machines[i].m_kernel->ko_shutdown(&md->md_machines[i]);
	for (int i = 0; i < md->md_nwires; i++)
		sim_free(md->md_wires[i]);
	sim_free(md->md_wires);
	sim_free(md->md_flows);
	sim_free(md->md_peers);
	sim_free(md->md_machines);
	sim_free(md->md_cpus);
	sim_free(md->md_slices);
	sim_free(md->md_token_waits);
	engine_close();
	sim_free(md);
}
