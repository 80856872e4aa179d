/*
 * FreeBSD 7-CURRENT of March 2007, as far as a stream of data meets it: how a
 * machine is put together.
 */
#include <string.h>

#include "model/counter.h"
#include "model/dev/mxge.h"
#include "model/kernel/kernel.h"
#include "model/user/netserver.h"

/* All that is its own. */
struct freebsd {
	struct bsd_machine fb_bsd; /* first: m_bsd */
	struct tcp_bsd fb_tcp;
	struct netserver fb_netserver;
};

static struct freebsd *
machine_freebsd(const struct machine *m)
{
	return (struct freebsd *)m->m_bsd;
}

static int
netserver_cpu(const struct setup_machine *sm)
{
	int cpu = sm->sm_procs[0].sp_cpu, intr = sm->sm_nics[0].sn_intr_cpu;

	if (cpu == CPU_SAME_CORE)
		return intr;
	if (cpu == CPU_OTHER_CORE)
		return (intr + 1) % sm->sm_hw.hw_ncpus;
	return cpu;
}

static void
boot_cpus(
    struct machine *m, int where, const struct cpu_marks *marks, bool exact)
{
	m->m_gd = sim_calloc(m->m_ncpus, sizeof(*m->m_gd));
	for (int i = 0; i < m->m_ncpus; i++) {
		struct globaldata *gd = sim_arena(1, sizeof(*gd));

		m->m_gd[i] = gd;
		gd->gd_machine = m;
		cpu_init(&gd->gd_cpu, i, where + i, m->m_setup->sm_hw.hw_cost,
		    marks, exact);
	}
}

static void
freebsd_boot(struct machine *m, const struct port_wires *wires, int where,
    const struct cpu_marks *marks, bool exact)
{
	const struct setup_machine *sm = m->m_setup;
	const struct setup_nic *sn = &sm->sm_nics[0];
	const struct setup_process *sp = &sm->sm_procs[0];
	struct freebsd *fb = sim_calloc(1, sizeof(*fb));

	m->m_bsd = &fb->fb_bsd;
	m->m_ncpus = sm->sm_hw.hw_ncpus;
	m->m_netisr_ncpus = 1;
	cache_init(&m->m_cache, sm->sm_hw.hw_cache_knee,
	    sm->sm_hw.hw_cache_touch, sm->sm_hw.hw_cost[COST_rx_refetch]);
	lru_init(&m->m_lru, sm->sm_hw.hw_cache_size, sm->sm_hw.hw_cache_way);
	m->m_procs = sim_calloc(1, sizeof(*m->m_procs));
	boot_cpus(m, where, marks, exact);
	sched_4bsd_init(m, tcp_bsd_timers);
	m->m_nifnets = 1;
	m->m_ifnets = sim_calloc(1, sizeof(*m->m_ifnets));
	m->m_ifnets[0] = mxge_attach(m, sn, wires[0].pw_rx, wires[0].pw_tx);
	wires[0].pw_rx->w_split = true;
	tcp_bsd_init(&fb->fb_tcp, m, m->m_ifnets[0], (uint32_t)sp->sp_rcvbuf,
	    (uint32_t)(sn->sn_mtu - 52), mxge_bigsize(sn->sn_mtu));
	fb->fb_bsd.bm_tcp = &fb->fb_tcp;
	mxge_set_tcp(m->m_ifnets[0], &fb->fb_tcp);
	netserver_init(&fb->fb_netserver, m, &fb->fb_tcp, sp->sp_name,
	    (uint32_t)sp->sp_rcvbuf, netserver_cpu(sm));
	if (sp->sp_pause > 0)
		netserver_pause(
		    &fb->fb_netserver, m, sp->sp_pause_at, sp->sp_pause);
}

static void
freebsd_shutdown(struct machine *m)
{
	struct freebsd *fb = machine_freebsd(m);

	netserver_fini(&fb->fb_netserver);
	tcp_bsd_fini(&fb->fb_tcp);
	m->m_ifnets[0]->if_detach(m, m->m_ifnets[0]);
	sched_4bsd_fini(m);
	sim_free(m->m_ifnets);
	sim_free(m->m_gd);
	sim_free(m->m_procs);
	sim_free(fb);
}

static void
counters_machine(
    const struct freebsd *fb, const struct ifnet *ifp, int64_t *out)
{
	const struct tcp_stats *ts = &fb->fb_tcp.tb_tcpstat;
	const struct rxring *rr = &ifp->if_port->np_rxr[0];

	out[COUNTER_drop_rx_ring] = rr->rr_drops;
	out[COUNTER_rx_frames] = rr->rr_frames;
	out[COUNTER_tx_frames] = mxge_tx_frames(ifp);
	out[COUNTER_interrupts] = ifp->if_interrupts(ifp, 0);
	out[COUNTER_lro_merged] = mxge_lro_merged(ifp);
	out[COUNTER_netserver_bytes] = fb->fb_netserver.ns_bytes;
	out[COUNTER_recv_calls] = fb->fb_netserver.ns_calls;
	out[COUNTER_window_updates] = fb->fb_tcp.tb_stats.tb_window_updates;
	out[COUNTER_drop_stray] = fb->fb_tcp.tb_stats.tb_stray;
	out[COUNTER_rst_sent] = fb->fb_tcp.tb_stats.tb_rst_sent;
	out[COUNTER_syns] = fb->fb_tcp.tb_stats.tb_syns;
	out[COUNTER_sockets_accepted] = fb->fb_tcp.tb_stats.tb_accepted;
	out[COUNTER_tcps_accepts] = ts->tcps_accepts;
	out[COUNTER_tcps_connects] = ts->tcps_connects;
	out[COUNTER_tcps_closed] = ts->tcps_closed;
	out[COUNTER_tcps_sndtotal] = ts->tcps_sndtotal;
	out[COUNTER_tcps_sndacks] = ts->tcps_sndacks;
	out[COUNTER_tcps_delack] = ts->tcps_delack;
	out[COUNTER_tcps_rcvtotal] = ts->tcps_rcvtotal;
	out[COUNTER_tcps_rcvpack] = ts->tcps_rcvpack;
	out[COUNTER_tcps_rcvduppack] = ts->tcps_rcvduppack;
	out[COUNTER_tcps_rcvoopack] = ts->tcps_rcvoopack;
}

static void
freebsd_counters(const struct globaldata *gd, int64_t *out)
{
	const struct machine *m = gd->gd_machine;
	const struct bsd_stats *bs = &m->m_bsd->bm_stats[gd->gd_cpu.c_id];

	memset(out, 0, COUNTER_N * sizeof(*out));
	if (gd->gd_cpu.c_id == 0)
		counters_machine(machine_freebsd(m), m->m_ifnets[0], out);
	out[COUNTER_switches] = gd->gd_switches;
	out[COUNTER_wakeups] = gd->gd_wakeups;
	out[COUNTER_syscalls] = gd->gd_syscalls;
	out[COUNTER_ipis] = gd->gd_ipis;
	out[COUNTER_preemptions] = bs->bs_preemptions;
	out[COUNTER_mtx_spins] = bs->bs_mtx_spins;
	out[COUNTER_mtx_blocks] = bs->bs_mtx_blocks;
	out[COUNTER_statclock_ticks] = bs->bs_stat_ticks;
	out[COUNTER_statclock_busy] = bs->bs_stat_busy;
}

/* A running thread starts again at its own CPU's mark. */
static void
freebsd_mark(struct globaldata *gd)
{
	sched_account(gd);
	gd->gd_curthread->td_ns = 0;
	if (gd->gd_cpu.c_id != 0)
		return;
	for (struct thread *td = gd->gd_machine->m_threads; td != NULL;
	     td = td->td_next)
		if (!td->td_bsd.bt_oncpu)
			td->td_ns = 0;
}

static void
freebsd_slice(const struct globaldata *gd, struct slice *sc)
{
	(void)gd;
	(void)sc;
}

static void
freebsd_slice_listeners(
    struct machine *m, int cpu, sim_ns edge, struct slice *sc)
{
	(void)m;
	(void)cpu;
	(void)edge;
	(void)sc;
}

static int64_t
freebsd_token_wait(const struct machine *m)
{
	(void)m;
	return 0;
}

/* What is in a socket buffer is what its mbufs hold. */
static void
freebsd_check(const struct machine *m)
{
	const struct freebsd *fb = machine_freebsd(m);

	for (const struct bsd_inpcb *inp = fb->fb_tcp.tb_inpcbs; inp != NULL;
	     inp = inp->inp_next) {
		const struct sockbuf *sb = &inp->inp_so.so_rcv;
		uint32_t cc = 0, mbcnt = 0;

		for (uint32_t i = sb->sb_head; i != sb->sb_tail; i++) {
			cc += sb->sb_chain[i & sb->sb_mask].m_len;
			mbcnt += sb->sb_chain[i & sb->sb_mask].m_size;
		}
		SIM_ASSERT(cc == sb->sb_cc && mbcnt == sb->sb_mbcnt);
		SIM_ASSERT(sb->sb_cc <= sb->sb_hiwat);
	}
}

static const struct kernel_rules rules;

const struct kernel_ops kernel_freebsd_2007 = {
	.ko_name = "freebsd-2007",
	.ko_rules = &rules,
	.ko_boot = freebsd_boot,
	.ko_shutdown = freebsd_shutdown,
	.ko_counters = freebsd_counters,
	.ko_mark = freebsd_mark,
	.ko_slice = freebsd_slice,
	.ko_slice_listeners = freebsd_slice_listeners,
	.ko_token_wait = freebsd_token_wait,
	.ko_check = freebsd_check,
};
