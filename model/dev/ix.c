#include "model/dev/ix.h"

#include <string.h>

#include "model/net/ifpoll.h"
#include "model/net/netisr.h"
#include "model/trace.h"

#define IX_PREFETCH 12 /* packets; more would push each other out */

struct ix_mbuf {
	struct netmsg im_msg; /* to the protocol thread; first */
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
static uint64_t ix_interrupts(const struct ifnet *, int cpu);
static void ix_detach(struct machine *, struct ifnet *);
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
	ifp->if_interrupts = ix_interrupts;
	ifp->if_detach = ix_detach;
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

	ifsubq_init(
	    ifs, ix->ix_port.np_tx, (int)gd->gd_machine->m_sysctl->ix_txd);
	sim_pool_init(&ix->ix_mbufs[i], sizeof(struct ix_mbuf), 64);
	if (ix->ix_polling)
		ifpoll_register(gd, ifp, &ix_poll_ops);
	else if (i < ifp->if_nrxr)
		nic_vector_init(&ix->ix_vectors[i], &gd->gd_cpu,
		    &ix->ix_port.np_rxr[i].rr_q, ix->ix_port.np_rx,
		    1000000000 / sn->sn_intr_rate, ix_intr, ifp);
}

static void
ix_detach(struct machine *m, struct ifnet *ifp)
{
	struct ix_softc *ix = ifp->if_softc;

	for (int i = 0; i < ifp->if_ntxr; i++) {
		ifsubq_fini(&m->m_gd[i]->gd_ifsubq[ifp->if_index]);
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
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_ITHREAD, 0, 0, 0);
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
	im->im_msg.nm_dispatch = ether_input_handler;
	im->im_ifp = ifp;
	im->im_cpu = gd->gd_cpu.c_id;
	im->im_pkt = *p;
	if (to == gd)
		lwkt_sendmsg_oncpu(gd, &im->im_msg);
	else
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
	struct ix_mbuf *im = msg_owner(nm, struct ix_mbuf, im_msg);
	struct ifnet *ifp = im->im_ifp;
	struct ix_softc *ix = ifp->if_softc;

	ifp->if_input(gd, ifp, &im->im_pkt);
	sim_pool_put(&ix->ix_mbufs[im->im_cpu], im);
}

static void
ix_start(struct globaldata *gd, struct ifnet *ifp, struct pkt *p)
{
	ifsubq_start(gd, &gd->gd_ifsubq[ifp->if_index], p);
}

static void
ix_txeof(struct globaldata *gd, struct ifnet *ifp, sim_ns upto)
{
	ifsubq_reclaim(gd, &gd->gd_ifsubq[ifp->if_index], upto);
}

static uint64_t
ix_interrupts(const struct ifnet *ifp, int cpu)
{
	const struct ix_softc *ix = ifp->if_softc;

	return ix->ix_vectors[cpu].nv_count;
}
