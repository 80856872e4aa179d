#include <string.h>

#include "model/counter.h"
#include "model/dev/ix.h"
#include "model/kern/ipiq.h"
#include "model/kernel/kernel.h"
#include "model/net/ifpoll.h"
#include "model/net/netisr.h"
#include "model/netinet/tcp_kern.h"
#include "model/netinet/tcp_syncache.h"

/*
 * DragonFly BSD of 5 October 2017, around the commit that limits what kevent
 * reports of a listening socket.
 */

static bool machine_shares(const struct machine *);
static void boot_cpu(
    struct machine *, int i, int where, const struct cpu_marks *, bool exact);
static void boot_interfaces(struct machine *, const struct port_wires *);
static void boot_nginx(struct machine *, const struct setup_process *);

static void
boot(struct machine *m, const struct port_wires *wires, int where,
    const struct cpu_marks *marks, bool exact)
{
	const struct setup_machine *sm = m->m_setup;

	m->m_ncpus = sm->sm_hw.hw_ncpus;
	m->m_netisr_ncpus = machine_netisr_ncpus(sm);
	cache_init(&m->m_cache, sm->sm_hw.hw_cache_knee,
	    sm->sm_hw.hw_cache_touch, sm->sm_hw.hw_cost[COST_cache_miss]);
	for (int n = 0; n < sm->sm_nnics; n++)
		m->m_nifnets += sm->sm_nics[n].sn_ports;
	m->m_ifnets = sim_calloc(m->m_nifnets, sizeof(*m->m_ifnets));
	m->m_gd = sim_calloc(m->m_ncpus, sizeof(*m->m_gd));
	m->m_pcbinfo = sim_calloc(1, sizeof(*m->m_pcbinfo));
	m->m_procs = sim_calloc(1, sizeof(*m->m_procs));
	for (int i = 0; i < m->m_ncpus; i++)
		boot_cpu(m, i, where + i, marks, exact);
	/* Siblings are half the machine apart, as the BIOS numbers them. */
	if (sm->sm_hw.hw_threads_per_core == 2)
		for (int i = 0; i < m->m_ncpus; i++)
			m->m_gd[i]->gd_sibling =
			    m->m_gd[(i + m->m_ncpus / 2) % m->m_ncpus];
	if (machine_shares(m))
		for (int i = 0; i < m->m_ncpus; i++)
			ipiq_init(m->m_gd[i]);
	boot_interfaces(m, wires);
	for (int i = 0; i < sm->sm_nprocs; i++)
		boot_nginx(m, &sm->sm_procs[i]);
}

/* Do CPUs exchange messages? Where a card has fewer rings than netisrs. */
static bool
machine_shares(const struct machine *m)
{
	const struct setup_machine *sm = m->m_setup;

	for (int n = 0; n < sm->sm_nnics; n++)
		if (ix_ring_count(sm->sm_nics[n].sn_model, m->m_sysctl->ix_rxr,
			m->m_netisr_ncpus) < m->m_netisr_ncpus)
			return true;
	return false;
}

static void
boot_cpu(struct machine *m, int i, int where, const struct cpu_marks *marks,
    bool exact)
{
	struct globaldata *gd = sim_arena(1, sizeof(*gd));
	bool polling = false;

	m->m_gd[i] = gd;
	gd->gd_machine = m;
	cpu_init(
	    &gd->gd_cpu, i, where, m->m_setup->sm_hw.hw_cost, marks, exact);
	netisr_init(gd);
	sched_init(gd);
	gd->gd_ifsubq = sim_calloc(m->m_nifnets, sizeof(*gd->gd_ifsubq));
	tcp_kern_init(gd, m->m_rng);
	for (int n = 0; n < m->m_setup->sm_nnics; n++)
		polling |= m->m_setup->sm_nics[n].sn_polling;
	if (polling && i < m->m_netisr_ncpus)
		ifpoll_init(gd, m->m_sysctl->pollhz);
}

static void
boot_interfaces(struct machine *m, const struct port_wires *wires)
{
	int index = 0;

	for (int n = 0; n < m->m_setup->sm_nnics; n++) {
		const struct setup_nic *sn = &m->m_setup->sm_nics[n];

		for (int port = 0; port < sn->sn_ports; port++, index++) {
			m->m_ifnets[index] = ix_attach(m, sn, port, index,
			    wires[index].pw_rx, wires[index].pw_tx);
			m->m_ifnets[index]->if_input = ip_input;
			m->m_ifnets[index]->if_prefetch = ip_prefetch;
		}
	}
}

/*
 * listen(2) with backlog -1 takes kern.ipc.somaxconn. Each worker has a
 * listening socket of its own in the SO_REUSEPORT group.
 */
static void
boot_nginx(struct machine *m, const struct setup_process *sp)
{
	struct machine_procs *mp = m->m_procs;
	struct inpcbinfo *ipi = m->m_pcbinfo;

	mp->mp_nworkers = sp->sp_workers;
	mp->mp_workers = sim_calloc(sp->sp_workers, sizeof(*mp->mp_workers));
	mp->mp_listeners =
	    sim_calloc(sp->sp_workers, sizeof(*mp->mp_listeners));
	for (int i = 0; i < sp->sp_workers; i++) {
		int cpu = sp->sp_affinity == AFFINITY_CPUHINT
			      ? i % m->m_netisr_ncpus
			      : i % m->m_ncpus;
		struct globaldata *gd = m->m_gd[cpu];
		struct so_listen *head = sim_calloc(1, sizeof(*head));

		solisten(head, gd, (int)m->m_sysctl->somaxconn, i);
		mp->mp_listeners[i] = head;
		mp->mp_workers[i] =
		    ngx_worker_create(m, gd, sp, head, i, m->m_rng);
	}
	ipi->ipi_group = mp->mp_listeners;
	ipi->ipi_ngroup = sp->sp_workers;
}

static void
halt(struct machine *m)
{
	struct machine_procs *mp = m->m_procs;

	for (int i = 0; i < mp->mp_nworkers; i++) {
		ngx_worker_destroy(mp->mp_workers[i]);
		sim_free(mp->mp_listeners[i]);
	}
	sim_free(mp->mp_workers);
	sim_free(mp->mp_listeners);
	sim_free(mp);
	for (int i = 0; i < m->m_nifnets; i++)
		ix_detach(m, m->m_ifnets[i]);
	for (int i = 0; i < m->m_ncpus; i++) {
		struct globaldata *gd = m->m_gd[i];

		ifpoll_fini(gd);
		sim_free(gd->gd_ipiq);
		tcp_kern_fini(gd);
		sched_fini(gd);
		sim_free(gd->gd_ifsubq);
	}
	sim_free(m->m_ifnets);
	sim_free(m->m_gd);
	sim_free(m->m_pcbinfo);
}

static void
counters_tcp(const struct globaldata *gd, int64_t *out)
{
	const struct tcp_kern_stats *tk = &gd->gd_tcp->tc_stats;
	const struct tcp_stats *ts = &gd->gd_tcp->tc_tcpstat;
	const struct syncache_stats *sc = &gd->gd_syncache->sca_stats;

	out[COUNTER_drop_syncache_bucket] = sc->tcps_sc_bucketoverflow;
	out[COUNTER_drop_syncache_full] = sc->tcps_sc_cacheoverflow;
	out[COUNTER_drop_syncache_stale] = sc->tcps_sc_stale;
	out[COUNTER_drop_syncache_reset] = sc->tcps_sc_reset;
	out[COUNTER_drop_stray] = tk->stray;
	out[COUNTER_rst_sent] = tk->rst_sent;
	out[COUNTER_rst_limited] = tk->rst_limited;
	out[COUNTER_syns] = tk->syns;
	out[COUNTER_tcps_accepts] = ts->tcps_accepts;
	out[COUNTER_tcps_connects] = ts->tcps_connects;
	out[COUNTER_tcps_closed] = ts->tcps_closed;
	out[COUNTER_tcps_listendrop] = tk->tcps_listendrop;
	out[COUNTER_tcps_badsyn] = tk->tcps_badsyn;
	out[COUNTER_tcps_sc_added] = sc->tcps_sc_added;
	out[COUNTER_tcps_sc_completed] = sc->tcps_sc_completed;
	out[COUNTER_tcps_sc_retransmitted] = sc->tcps_sc_retransmitted;
	out[COUNTER_tcps_sc_dupsyn] = sc->tcps_sc_dupsyn;
	out[COUNTER_tcps_sc_aborted] = sc->tcps_sc_aborted;
	out[COUNTER_tcps_sndtotal] = ts->tcps_sndtotal;
	out[COUNTER_tcps_sndpack] = ts->tcps_sndpack;
	out[COUNTER_tcps_sndbyte] = ts->tcps_sndbyte;
	out[COUNTER_tcps_sndrexmitpack] = ts->tcps_sndrexmitpack;
	out[COUNTER_tcps_sndacks] = ts->tcps_sndacks;
	out[COUNTER_tcps_delack] = ts->tcps_delack;
	out[COUNTER_tcps_rcvtotal] = ts->tcps_rcvtotal;
	out[COUNTER_tcps_rcvackpack] = ts->tcps_rcvackpack;
	out[COUNTER_tcps_rcvdupack] = ts->tcps_rcvdupack;
	out[COUNTER_tcps_rcvpack] = ts->tcps_rcvpack;
	out[COUNTER_tcps_rcvduppack] = ts->tcps_rcvduppack;
	out[COUNTER_tcps_rcvoopack] = ts->tcps_rcvoopack;
	out[COUNTER_tcps_rexmttimeo] = ts->tcps_rexmttimeo;
}

static void
counters_interfaces(const struct globaldata *gd, int64_t *out)
{
	const struct machine *m = gd->gd_machine;
	const struct iopoll_ctx *io = gd->gd_iopoll;
	int cpu = gd->gd_cpu.c_id;

	for (int i = 0; i < m->m_nifnets; i++) {
		const struct ifnet *ifp = m->m_ifnets[i];

		if (cpu >= ifp->if_ntxr)
			continue;
		if (cpu < ifp->if_nrxr) {
			const struct rxring *rr = &ifp->if_port->np_rxr[cpu];

			out[COUNTER_drop_rx_ring] += rr->rr_drops;
			out[COUNTER_rx_frames] += rr->rr_frames;
		}
		out[COUNTER_drop_tx_queue] += gd->gd_ifsubq[i].ifs_drops;
		out[COUNTER_tx_frames] += gd->gd_ifsubq[i].ifs_frames;
		out[COUNTER_interrupts] += ix_interrupts(ifp, cpu);
	}
	if (io != NULL) {
		out[COUNTER_polls] = io->io_polls;
		out[COUNTER_poll_rounds] = io->io_rounds;
		out[COUNTER_polls_lost] = io->io_lost;
	}
}

static void
counters_processes(const struct globaldata *gd, int64_t *out)
{
	const struct machine_procs *mp = gd->gd_machine->m_procs;

	for (int i = 0; i < mp->mp_nworkers; i++) {
		const struct so_listen *head = mp->mp_listeners[i];
		const struct ngx_stats *ng;
		const struct kqueue *kq;

		if (head->sl_so.so_gd != gd)
			continue;
		ng = ngx_worker_stats(mp->mp_workers[i]);
		kq = ngx_worker_kqueue(mp->mp_workers[i]);
		out[COUNTER_drop_syn_queue_full] += head->sl_syn_drops;
		out[COUNTER_drop_ack_queue_full] += head->sl_refused;
		out[COUNTER_sockets_completed] += head->sl_completed;
		out[COUNTER_sockets_accepted] += head->sl_accepted;
		out[COUNTER_sockets_closed_queued] += head->sl_closed;
		out[COUNTER_nginx_requests] += ng->ng_requests;
		out[COUNTER_nginx_eagain] += ng->ng_eagain;
		out[COUNTER_kevent_calls] += kq->kq_calls;
		out[COUNTER_kevent_events] += kq->kq_events;
		out[COUNTER_kevent_changes] += kq->kq_changes;
	}
}

static void
counters(const struct globaldata *gd, int64_t *out)
{
	memset(out, 0, COUNTER_N * sizeof(*out));
	counters_tcp(gd, out);
	counters_interfaces(gd, out);
	counters_processes(gd, out);
	out[COUNTER_netisr_messages] = gd->gd_netisr.ni_messages;
	out[COUNTER_netisr_runs] = gd->gd_netisr.ni_runs;
	out[COUNTER_switches] = gd->gd_switches;
	out[COUNTER_wakeups] = gd->gd_wakeups;
	out[COUNTER_syscalls] = gd->gd_syscalls;
	out[COUNTER_ipis] = gd->gd_ipis;
	out[COUNTER_ipis_avoided] = gd->gd_ipis_avoided;
}

static void
mark(struct globaldata *gd)
{
	struct machine_procs *mp = gd->gd_machine->m_procs;

	sched_account(gd);
	gd->gd_netisr.ni_ns = 0;
	gd->gd_idle->td_ns = 0;
	for (int i = 0; i < mp->mp_nworkers; i++) {
		struct so_listen *head = mp->mp_listeners[i];

		if (head->sl_so.so_gd != gd)
			continue;
		ngx_worker_thread(mp->mp_workers[i])->td_ns = 0;
		head->sl_qmax = head->so_qlen;
		head->sl_qsum = 0;
		head->sl_syn_drops0 = head->sl_syn_drops;
		head->sl_refused0 = head->sl_refused;
		head->sl_qsince = gd->gd_cpu.c_now;
	}
}

/*
 * Handshakes and sockets: what came in is somewhere, or was counted out. A CPU
 * stops wherever its clock reaches the end, so one of each may be between two
 * of its counts.
 */
static void
check(const struct machine *m)
{
	const struct machine_procs *mp = m->m_procs;

	for (int i = 0; i < m->m_ncpus; i++) {
		const struct globaldata *gd = m->m_gd[i];
		const struct syncache *sca = gd->gd_syncache;
		const struct syncache_stats *sc = &sca->sca_stats;

		uint64_t out = sc->tcps_sc_completed + sc->tcps_sc_aborted +
			       sc->tcps_sc_stale + sc->tcps_sc_reset +
			       sc->tcps_sc_bucketoverflow +
			       sc->tcps_sc_cacheoverflow +
			       (uint64_t)sca->sca_count;

		SIM_ASSERT(out - sc->tcps_sc_added <= 1);
	}
	for (int i = 0; i < mp->mp_nworkers; i++) {
		const struct so_listen *head = mp->mp_listeners[i];
		const struct ngx_stats *ng =
		    ngx_worker_stats(mp->mp_workers[i]);
		const struct so *so;
		int n = 0;

		TAILQ_FOREACH (so, &head->so_comp, so_list)
			n++;
		SIM_ASSERT(n == head->so_qlen);
		SIM_ASSERT(
		    head->sl_completed == head->sl_accepted + (uint64_t)n);
		/* One may be between accept(2) and nginx. */
		SIM_ASSERT(head->sl_accepted - ng->ng_accepted <= 1);
		SIM_ASSERT(
		    ng->ng_accepted == ng->ng_closed + (uint64_t)ng->ng_open);
	}
}

const struct kernel_ops kernel_dragonfly_2017 = {
	.ko_name = "dragonfly-2017",
	.ko_boot = boot,
	.ko_shutdown = halt,
	.ko_counters = counters,
	.ko_mark = mark,
	.ko_check = check,
};

const struct kernel_ops *
kernel_find(enum setup_kernel kernel)
{
	static const struct kernel_ops *const kernels[] = {
		[KERNEL_DRAGONFLY_2017] = &kernel_dragonfly_2017,
	};

	return kernels[kernel];
}
