#include "model/dev/ix.h"

#include <string.h>

#include "model/kern/ipiq.h"
#include "model/net/ifpoll.h"
#include "model/net/netisr.h"
#include "model/trace.h"

#define IX_PAGE 4096
#define IX_PREFETCH 12 /* packets; more would push each other out */

struct ix_mbuf {
	struct netmsg_remote im_msg; /* to the protocol thread; first */
	struct ifnet *im_ifp;
	int im_cpu; /* whose pool it is from */
	struct pkt im_pkt;
};

struct ix_softc {
	bool ix_polling;
	bool ix_direct; /* polling calls the protocols itself */
	struct nic_port ix_port;
	struct nic_vector *ix_vectors; /* by CPU, in interrupt mode */
	struct sim_pool *ix_mbufs;     /* by CPU */
};

static void ix_attach_cpu(
    struct ifnet *, struct globaldata *, const struct setup_nic *);
static void ix_rxeof(struct globaldata *, struct ifnet *, int, sim_ns);
static void ix_input(struct globaldata *, struct ifnet *, const struct pkt *);
static bool ix_rxready(struct globaldata *, struct ifnet *, sim_ns);
static void ix_txeof(struct globaldata *, struct ifnet *, sim_ns);
static void ix_intr(struct nic_vector *);
static void ix_start(struct globaldata *, struct ifnet *, struct pkt *);
static void ix_encap(struct globaldata *, struct ifsubq *, const struct pkt *);
static void ether_input_handler(struct globaldata *, struct netmsg *);

static const struct ifpoll_ops ix_poll_ops = { ix_rxeof, ix_rxready, ix_txeof };

int
ix_ring_count(enum setup_nic_model model, int64_t tunable, int netisr_ncpus)
{
	int n = model == NIC_X550 ? IX_MAX_RXR_X550 : IX_MAX_RXR_82599;

	if (tunable > 0 && tunable < n)
		n = (int)tunable;
	return n < netisr_ncpus ? n : netisr_ncpus;
}

struct ifnet *
ix_attach(struct machine *m, const struct setup_nic *sn, int port, int index,
    struct wire *rx, struct wire *tx)
{
	const struct setup_sysctl *sc = m->m_sysctl;
	struct ix_softc *ix = sim_calloc(1, sizeof(*ix));
	struct ifnet *ifp = sim_calloc(1, sizeof(*ifp));

	ifp->if_index = index;
	ifp->if_name = sn->sn_name;
	ifp->if_softc = ix;
	ifp->if_port = &ix->ix_port;
	ifp->if_start = ix_start;
	ifp->if_txd = (int)sc->ix_txd;
	ifp->if_addr = 10u << 24 | (uint32_t)(index + 1) << 8 | 1;
	ifp->if_nrxr =
	    ix_ring_count(sn->sn_model, sc->ix_rxr, m->m_netisr_ncpus);
	(void)port;
	ifp->if_ntxr = m->m_netisr_ncpus;
	nic_port_init(
	    &ix->ix_port, ifp->if_nrxr, (int)sc->ix_rxd, m->m_netisr_ncpus);
	ix->ix_port.np_rx = rx;
	ix->ix_port.np_tx = tx;
	ix->ix_polling = sn->sn_polling;
	ix->ix_direct = sn->sn_polling && sc->ix_direct_input;
	ix->ix_vectors = sim_calloc(ifp->if_ntxr, sizeof(*ix->ix_vectors));
	ix->ix_mbufs = sim_calloc(ifp->if_ntxr, sizeof(*ix->ix_mbufs));
	for (int i = 0; i < ifp->if_ntxr; i++)
		ix_attach_cpu(ifp, m->m_gd[i], sn);
	return ifp;
}

static void
ix_attach_cpu(
    struct ifnet *ifp, struct globaldata *gd, const struct setup_nic *sn)
{
	struct ix_softc *ix = ifp->if_softc;
	struct ifsubq *ifs = &gd->gd_ifsubq[ifp->if_index];
	int i = gd->gd_cpu.c_id;

	txring_init(&ifs->ifs_ring, ix->ix_port.np_tx);
	ifs->ifs_free = ifp->if_txd;
	sim_pool_init(&ix->ix_mbufs[i], sizeof(struct ix_mbuf), 64);
	if (ix->ix_polling)
		ifpoll_register(gd, ifp, &ix_poll_ops);
	else if (i < ifp->if_nrxr)
		nic_vector_init(&ix->ix_vectors[i], &gd->gd_cpu,
		    &ix->ix_port.np_rxr[i].rr_q, ix->ix_port.np_rx,
		    1000000000 / sn->sn_intr_rate, ix_intr, ifp);
}

void
ix_detach(struct machine *m, struct ifnet *ifp)
{
	struct ix_softc *ix = ifp->if_softc;

	for (int i = 0; i < ifp->if_ntxr; i++) {
		struct ifsubq *ifs = &m->m_gd[i]->gd_ifsubq[ifp->if_index];

		txring_fini(&ifs->ifs_ring);
		pktq_fini(&ifs->ifs_prio);
		pktq_fini(&ifs->ifs_normal);
		sim_pool_fini(&ix->ix_mbufs[i], 1);
	}
	nic_port_fini(&ix->ix_port);
	sim_free(ix->ix_vectors);
	sim_free(ix->ix_mbufs);
	sim_free(ix);
	sim_free(ifp);
}

/* A vector's interrupt: all that has arrived, then transmit reclaim. */
static void
ix_intr(struct nic_vector *nv)
{
	struct globaldata *gd = cpu_gd(nv->nv_cpu);
	struct ifnet *ifp = nv->nv_arg;
	sim_ns now = gd->gd_cpu.c_now;

	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_INTR, 0,
	    gd->gd_cpu.c_id, ifp->if_index);
	intr_enter(gd);
	gd_run(gd, COST_lwkt_switch);
	sched_trace(gd, TRACE_TD_ITHREAD);
	ix_rxeof(gd, ifp, INT32_MAX, now);
	ix_txeof(gd, ifp, now);
	gd_run(gd, COST_lwkt_switch);
}

/*
 * Up to count packets that had arrived in this CPU's ring, to the protocols.
 */
static void
ix_rxeof(struct globaldata *gd, struct ifnet *ifp, int count, sim_ns upto)
{
	struct rxring *rr = &ifp->if_port->np_rxr[gd->gd_cpu.c_id];
	uint32_t n;

	if (gd->gd_cpu.c_id >= ifp->if_nrxr)
		return;
	n = nic_rx_pending(rr, upto);
	gd_run(gd, COST_poll_round);
	if (n > (uint32_t)count)
		n = count;
	ifp->if_prefetch(gd, rr, n < IX_PREFETCH ? n : IX_PREFETCH);
	while (n-- > 0) {
		struct pkt copy = *nic_rx_take(rr);

		SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_RX,
		    copy.p_flow, copy.p_flags, copy.p_len);
		gd_run(gd, COST_rx_frame);
		ix_input(gd, ifp, &copy);
	}
}

/*
 * To the protocols at once (direct input), or by a message to the protocol
 * thread that the hash names, which may be another CPU's.
 */
static void
ix_input(struct globaldata *gd, struct ifnet *ifp, const struct pkt *p)
{
	struct ix_softc *ix = ifp->if_softc;
	struct machine *m = gd->gd_machine;
	struct globaldata *to = m->m_gd[netisr_hashcpu(m, p->p_rss)];
	struct ix_mbuf *im;

	if (ix->ix_direct && to == gd) {
		ifp->if_input(gd, ifp, p);
		return;
	}
	im = sim_pool_get(&ix->ix_mbufs[gd->gd_cpu.c_id]);
	memset(&im->im_msg, 0, sizeof(im->im_msg));
	im->im_msg.nr_msg.nm_dispatch = ether_input_handler;
	im->im_ifp = ifp;
	im->im_cpu = gd->gd_cpu.c_id;
	im->im_pkt = *p;
	lwkt_sendmsg(gd, to, &im->im_msg);
}

static bool
ix_rxready(struct globaldata *gd, struct ifnet *ifp, sim_ns upto)
{
	const struct rxring *rr = &ifp->if_port->np_rxr[gd->gd_cpu.c_id];

	if (gd->gd_cpu.c_id >= ifp->if_nrxr)
		return false;
	return pktq_len(&rr->rr_q) != 0 && nic_rx_peek(rr, 0)->p_time <= upto;
}

static void
ether_input_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct ix_mbuf *im = msg_owner(nm, struct ix_mbuf, im_msg.nr_msg);
	struct ifnet *ifp = im->im_ifp;
	struct ix_softc *ix = ifp->if_softc;

	ifp->if_input(gd, ifp, &im->im_pkt);
	sim_pool_put(&ix->ix_mbufs[im->im_cpu], im);
}

static int
ix_descriptors(const struct pkt *p)
{
	return 1 + (p->p_nseg > 1) + (p->p_len + IX_PAGE - 1) / IX_PAGE;
}

/* Give a packet to the ring if it has room and nobody waits before it. */
static void
ix_start(struct globaldata *gd, struct ifnet *ifp, struct pkt *p)
{
	struct ifsubq *ifs = &gd->gd_ifsubq[ifp->if_index];
	bool prio = p->p_prio && gd->gd_machine->m_sysctl->prio_synack;
	struct pktq *q = prio ? &ifs->ifs_prio : &ifs->ifs_normal;

	if (pktq_len(&ifs->ifs_prio) + pktq_len(&ifs->ifs_normal) == 0 &&
	    ifs->ifs_free >= ix_descriptors(p)) {
		ix_encap(gd, ifs, p);
		return;
	}
	if (pktq_len(q) >= (uint32_t)ifp->if_txd) {
		ifs->ifs_drops++;
		ifs->ifs_drop_frames += p->p_nseg;
		return;
	}
	pktq_push(q, p);
}

static void
ix_encap(struct globaldata *gd, struct ifsubq *ifs, const struct pkt *p)
{
	struct pkt out = *p;
	uint32_t len;

	gd_run(gd, COST_tx_encap);
	if (out.p_nseg > 1)
		cpu_run_ns(&gd->gd_cpu, COST_tx_frame,
		    gd->gd_cpu.c_cost[COST_tx_frame] * (out.p_nseg - 1));
	ifs->ifs_free -= ix_descriptors(p);
	ifs->ifs_packets++;
	ifs->ifs_frames += p->p_nseg;
	out.p_time = gd->gd_cpu.c_now;
	wire_post(&ifs->ifs_ring, &out);
	len = pktq_len(&ifs->ifs_ring.tr_q) + pktq_len(&ifs->ifs_prio) +
	      pktq_len(&ifs->ifs_normal);
	if (len > ifs->ifs_backlog_max)
		ifs->ifs_backlog_max = len;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_TX, out.p_flow,
	    out.p_flags, out.p_len);
}

/*
 * Free what had left by `upto`, and refill the ring: what overtakes first.
 */
static void
ix_txeof(struct globaldata *gd, struct ifnet *ifp, sim_ns upto)
{
	struct ifsubq *ifs = &gd->gd_ifsubq[ifp->if_index];
	const struct pkt *done;

	wire_advance(ifp->if_port->np_tx, upto);
	gd_run(gd, COST_poll_round);
	while ((done = txring_reclaim(&ifs->ifs_ring, upto)) != NULL) {
		ifs->ifs_free += ix_descriptors(done);
		gd_run(gd, COST_tx_reclaim);
	}
	for (;;) {
		struct pktq *q = pktq_len(&ifs->ifs_prio) != 0
				     ? &ifs->ifs_prio
				     : &ifs->ifs_normal;

		if (pktq_len(q) == 0 ||
		    ifs->ifs_free < ix_descriptors(pktq_first(q)))
			break;
		ix_encap(gd, ifs, pktq_first(q));
		q->pq_head++;
	}
}

uint64_t
ix_interrupts(const struct ifnet *ifp, int cpu)
{
	const struct ix_softc *ix = ifp->if_softc;

	return ix->ix_vectors[cpu].nv_count;
}
