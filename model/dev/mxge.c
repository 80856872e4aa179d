#include "model/dev/mxge.h"

#include "model/trace.h"

#define MXGE_HEADERS 66 /* Ethernet, IP, TCP with timestamps */
#define MXGE_PAD 2
#define MXGE_CLUSTER 2048
#define MXGE_PAGE 4096
#define LRO_MAX 65535 /* bytes of a merged segment */

struct mxge_softc {
	struct nic_port mx_port;
	struct machine *mx_machine;
	struct globaldata *mx_gd; /* CPU of its interrupt */
	struct cpu_source mx_irq;
	sim_ns mx_last;	 /* interrupt */
	bool mx_waking;	 /* it has come, and the CPU leaves hlt */
	bool mx_claimed; /* the thread has it */
	uint64_t mx_interrupts;
	struct thread *mx_ithread, *mx_netisr;
	struct txring mx_tx;
	uint64_t mx_tx_frames, mx_lro_merged;
	struct pktq mx_isrq; /* net.isr.direct=0: for the netisr's thread */
	struct tcp_bsd *mx_tcp;
	int64_t mx_frame_size; /* bytes of mbufs of a full frame */
	int mx_nbufs;	       /* of these */
};

static void mxge_irq(struct cpu *, struct cpu_source *);
static void mxge_arm(struct mxge_softc *);
static void mxge_intr(struct thread *);
static void mxge_clean_rx(struct thread *, struct mxge_softc *, uint32_t n);
static void mxge_rx_done(
    struct thread *, struct mxge_softc *, const struct pkt *, uint32_t left);
static void mxge_input(
    struct thread *, struct mxge_softc *, const struct pkt *);
static void swi_net(struct thread *);
static bool lro_merge(struct pkt *, const struct pkt *);
static void mxge_start(struct ifnet *, struct pkt *);
static uint64_t mxge_interrupts(const struct ifnet *, int cpu);
static void mxge_detach(struct machine *, struct ifnet *);

uint32_t
mxge_bigsize(int64_t mtu)
{
	return mtu + 14 + MXGE_PAD <= MXGE_CLUSTER ? MXGE_CLUSTER : MXGE_PAGE;
}

struct ifnet *
mxge_attach(struct machine *m, const struct setup_nic *sn, struct wire *rx,
    struct wire *tx)
{
	struct mxge_softc *mx = sim_calloc(1, sizeof(*mx));
	struct ifnet *ifp = sim_calloc(1, sizeof(*ifp));
	uint32_t big = mxge_bigsize(sn->sn_mtu);
	int64_t frames;

	ifp->if_name = sn->sn_name;
	ifp->if_softc = mx;
	ifp->if_port = &mx->mx_port;
	ifp->if_interrupts = mxge_interrupts;
	ifp->if_detach = mxge_detach;
	ifp->if_addr = 10u << 24 | 1u << 8 | 1;
	ifp->if_nrxr = ifp->if_ntxr = 1;
	mx->mx_nbufs = (int)((sn->sn_mtu + 14 + MXGE_PAD + big - 1) / big);
	mx->mx_frame_size = mx->mx_nbufs * (SB_MSIZE + (int64_t)big);
	frames = m->m_sysctl->mxge_rxd / mx->mx_nbufs;
	nic_port_init(&mx->mx_port, 1, (int)sim_max(frames, 1), 1);
	mx->mx_port.np_rx = rx;
	mx->mx_port.np_tx = tx;
	mx->mx_machine = m;
	mx->mx_gd = m->m_gd[sn->sn_intr_cpu];
	mx->mx_last = -m->m_sysctl->intr_coal_delay * 1000;
	txring_init(&mx->mx_tx, tx);
	mx->mx_ithread = bsd_thread_create(
	    m, "irq: mxge0", PI_NET, sn->sn_ithread, false, mxge_intr, mx);
	mx->mx_netisr = bsd_thread_create(
	    m, "swi1: net", PI_SOFT, CPU_ANY, false, swi_net, mx);
	mx->mx_irq.cs_fire = mxge_irq;
	mx->mx_irq.cs_arg = mx;
	cpu_source_add(&mx->mx_gd->gd_cpu, &mx->mx_irq);
	mxge_arm(mx);
	return ifp;
}

void
mxge_set_tcp(struct ifnet *ifp, struct tcp_bsd *tb)
{
	struct mxge_softc *mx = ifp->if_softc;

	mx->mx_tcp = tb;
	tb->tb_start = mxge_start;
}

static void
mxge_detach(struct machine *m, struct ifnet *ifp)
{
	struct mxge_softc *mx = ifp->if_softc;

	(void)m;
	nic_port_fini(&mx->mx_port);
	txring_fini(&mx->mx_tx);
	pktq_fini(&mx->mx_isrq);
	sim_free(mx);
	sim_free(ifp);
}

static uint64_t
mxge_interrupts(const struct ifnet *ifp, int cpu)
{
	const struct mxge_softc *mx = ifp->if_softc;

	return cpu == 0 ? mx->mx_interrupts : 0;
}

uint64_t
mxge_lro_merged(const struct ifnet *ifp)
{
	return ((const struct mxge_softc *)ifp->if_softc)->mx_lro_merged;
}

uint64_t
mxge_tx_frames(const struct ifnet *ifp)
{
	return ((const struct mxge_softc *)ifp->if_softc)->mx_tx_frames;
}

/*
 * When the interrupt can be raised, or must be looked at again: for what is
 * known to come, or when more is known.
 */
static void
mxge_arm(struct mxge_softc *mx)
{
	const struct pktq *q = &mx->mx_port.np_rxr[0].rr_q;
	sim_ns next =
	    mx->mx_last + mx->mx_machine->m_sysctl->intr_coal_delay * 1000;

	if (pktq_len(q) != 0)
		next = sim_max(next, pktq_first(q)->p_time);
	else
		next = sim_max(next, wire_known(mx->mx_port.np_rx));
	cpu_source_arm_remote(
	    &mx->mx_gd->gd_cpu, &mx->mx_irq, sim_max(next, engine_now() + 1));
}

static void
mxge_irq(struct cpu *c, struct cpu_source *cs)
{
	struct mxge_softc *mx = cs->cs_arg;
	const struct pktq *q = &mx->mx_port.np_rxr[0].rr_q;

	wire_advance(mx->mx_port.np_rx, c->c_now);
	if (pktq_len(q) == 0 || pktq_first(q)->p_time > c->c_now) {
		mxge_arm(mx);
		return;
	}
	if (!mx->mx_waking && bsd_hlt_exit(mx->mx_gd) > 0) {
		mx->mx_waking = true;
		cpu_source_arm(c, cs, c->c_now + bsd_hlt_exit(mx->mx_gd));
		return;
	}
	mx->mx_waking = false;
	cpu_source_arm(c, cs, SIM_NEVER);
	mx->mx_claimed = true;
	mx->mx_last = c->c_now;
	mx->mx_interrupts++;
	SIM_TRACE(c->c_now, c->c_where, TRACE_INTR, 0, c->c_id, 0);
	bsd_intr_enter(mx->mx_gd);
	gd_run(mx->mx_gd, COST_intr_execute);
	bsd_sched_ithread(mx->mx_gd, mx->mx_ithread);
}

/* The interrupt thread: until a look at the ring finds nothing. */
static void
mxge_intr(struct thread *td)
{
	struct mxge_softc *mx = td->td_arg;
	uint32_t n;

	for (;;) {
		do {
			td_run(td, COST_mxge_pass);
			wire_advance(mx->mx_tx.tr_wire, engine_now());
			while (txring_reclaim(&mx->mx_tx, engine_now()) != NULL)
				;
			wire_advance(mx->mx_port.np_rx, engine_now());
			n = nic_rx_pending(
			    &mx->mx_port.np_rxr[0], engine_now());
			mxge_clean_rx(td, mx, n);
		} while (n > 0);
		mx->mx_claimed = false;
		mxge_arm(mx);
		bsd_msleep(td, NULL, PI_NET);
	}
}

static void
mxge_clean_rx(struct thread *td, struct mxge_softc *mx, uint32_t n)
{
	struct rxring *rr = &mx->mx_port.np_rxr[0];
	struct pkt merged = { 0 };
	bool lro = mx->mx_machine->m_sysctl->mxge_lro;

	while (n-- > 0) {
		struct pkt p = *nic_rx_take(rr);

		SIM_TRACE(engine_now(), td_cpu(td)->c_where, TRACE_RX, p.p_flow,
		    p.p_flags, p.p_len);
		mxge_rx_done(td, mx, &p, n);
		if (!lro) {
			mxge_input(td, mx, &p);
			continue;
		}
		if (merged.p_nseg > 0 && lro_merge(&merged, &p)) {
			mx->mx_lro_merged++;
			continue;
		}
		if (merged.p_nseg > 0)
			mxge_input(td, mx, &merged);
		merged = p;
	}
	if (merged.p_nseg > 0)
		mxge_input(td, mx, &merged);
}

/*
 * New buffers for the frame's, and the frame to ether_input(). What has arrived
 * and is not yet with the process has pushed out the buffers and their headers:
 * `left` frames of the ring, the socket buffer, and what the reader copies.
 */
static void
mxge_rx_done(struct thread *td, struct mxge_softc *mx, const struct pkt *p,
    uint32_t left)
{
	const struct cpu *c = td_cpu(td);
	struct bsd_inpcb *inp = mx->mx_tcp->tb_inpcbs;
	uint32_t first = mbuf_data(mx->mx_tcp, true);
	uint32_t next = mbuf_data(mx->mx_tcp, false);
	int nbufs = 1;
	uint64_t unread = (uint64_t)(left * mx->mx_frame_size);

	if (p->p_len > first)
		nbufs += (int)((p->p_len - first + next - 1) / next);
	if (inp != NULL)
		unread += inp->inp_so.so_rcv.sb_mbcnt + inp->inp_so.so_inhand;
	td_run_ns(td, COST_mxge_get_buf, c->c_cost[COST_mxge_get_buf] * nbufs);
	td_run_ns(
	    td, COST_rx_refetch, cache_cost(&mx->mx_machine->m_cache, unread));
	td_run(td, COST_mxge_rx_done);
}

static void
mxge_input(struct thread *td, struct mxge_softc *mx, const struct pkt *p)
{
	if (mx->mx_machine->m_sysctl->isr_direct) {
		tcp_bsd_input(td, mx->mx_tcp, p);
		return;
	}
	td_run(td, COST_netisr_queue);
	pktq_push(&mx->mx_isrq, p);
	if (mx->mx_netisr->td_state == TD_SLEEP)
		bsd_wakeup(td, mx->mx_netisr);
}

/* The netisr's thread. */
static void
swi_net(struct thread *td)
{
	struct mxge_softc *mx = td->td_arg;

	for (;;) {
		while (pktq_len(&mx->mx_isrq) > 0) {
			struct pkt p = *pktq_first(&mx->mx_isrq);

			mx->mx_isrq.pq_head++;
			tcp_bsd_input(td, mx->mx_tcp, &p);
		}
		bsd_msleep(td, NULL, PI_SOFT);
	}
}

/* p continues `to`: in order, data only, the same window. */
static bool
lro_merge(struct pkt *to, const struct pkt *p)
{
	if (p->p_flow != to->p_flow || p->p_len == 0 || to->p_len == 0 ||
	    p->p_seq != to->p_seq + to->p_len || p->p_ack != to->p_ack ||
	    p->p_win != to->p_win || to->p_len + p->p_len > LRO_MAX ||
	    to->p_nseg + p->p_nseg > UINT8_MAX ||
	    ((p->p_flags | to->p_flags) & (TH_SYN | TH_FIN | TH_RST)) != 0)
		return false;
	to->p_len = (uint16_t)(to->p_len + p->p_len);
	to->p_nseg = (uint8_t)(to->p_nseg + p->p_nseg);
	to->p_flags |= p->p_flags;
	return true;
}

static void
mxge_start(struct ifnet *ifp, struct pkt *p)
{
	struct mxge_softc *mx = ifp->if_softc;

	mx->mx_tx_frames += p->p_nseg;
	SIM_TRACE(p->p_time, mx->mx_gd->gd_cpu.c_where, TRACE_TX, p->p_flow,
	    p->p_flags, p->p_len);
	wire_post(&mx->mx_tx, p);
}
