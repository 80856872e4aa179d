#include "model/dev/em.h"

#include <string.h>

#include "model/net/netisr.h"
#include "model/trace.h"

#define EM_RXD 256 /* descriptors: EM_DEFAULT_RXD, EM_DEFAULT_TXD */
#define EM_TXD 256

struct em_mbuf {
	struct netmsg em_msg; /* to the protocol thread; first */
	STAILQ_ENTRY(em_mbuf) em_link;
	struct ifnet *em_ifp;
	struct pkt em_pkt;
};

STAILQ_HEAD(mbuf_chain, em_mbuf);

/* What goes to one CPU from one interrupt. */
struct em_chain {
	struct ipimsg ec_ipi; /* first */
	struct em_softc *ec_softc;
	struct mbuf_chain ec_mbufs;
};

struct em_softc {
	struct nic_port em_port;
	struct nic_vector em_vector;
	struct ifsubq *em_subq; /* of CPU 0, used by all */
	struct sim_pool em_mbufs, em_chains;
};

static void em_intr(struct nic_vector *);
static void em_rxeof(struct globaldata *, struct ifnet *, sim_ns);
static void em_start(struct globaldata *, struct ifnet *, struct pkt *);
static void ether_input_dispatch(struct globaldata *, struct em_chain **);
static void ether_input_ipifunc(struct globaldata *, struct ipimsg *);
static void ether_input_handler(struct globaldata *, struct netmsg *);
static uint64_t em_interrupts(const struct ifnet *, int cpu);
static void em_detach(struct machine *, struct ifnet *);

struct ifnet *
em_attach(struct machine *m, const struct setup_nic *sn, int index,
    struct wire *rx, struct wire *tx)
{
	struct em_softc *em = sim_calloc(1, sizeof(*em));
	struct ifnet *ifp = sim_calloc(1, sizeof(*ifp));

	ifp->if_index = index;
	ifp->if_name = sn->sn_name;
	ifp->if_softc = em;
	ifp->if_port = &em->em_port;
	ifp->if_start = em_start;
	ifp->if_interrupts = em_interrupts;
	ifp->if_detach = em_detach;
	ifp->if_addr = 10u << 24 | (uint32_t)(index + 1) << 8 | 1;
	ifp->if_nrxr = ifp->if_ntxr = 1;
	nic_port_init(&em->em_port, 1, EM_RXD, 1);
	em->em_port.np_rx = rx;
	em->em_port.np_tx = tx;
	em->em_subq = &m->m_gd[0]->gd_ifsubq[index];
	ifsubq_init(em->em_subq, tx, EM_TXD);
	sim_pool_init(&em->em_mbufs, sizeof(struct em_mbuf), 64);
	sim_pool_init(&em->em_chains, sizeof(struct em_chain), 64);
	nic_vector_init(&em->em_vector, &m->m_gd[sn->sn_intr_cpu]->gd_cpu,
	    &em->em_port.np_rxr[0].rr_q, rx, 1000000000 / sn->sn_intr_rate,
	    em_intr, ifp);
	return ifp;
}

static void
em_detach(struct machine *m, struct ifnet *ifp)
{
	struct em_softc *em = ifp->if_softc;

	(void)m;
	ifsubq_fini(em->em_subq);
	nic_port_fini(&em->em_port);
	sim_pool_fini(&em->em_mbufs, 1);
	sim_pool_fini(&em->em_chains, 1);
	sim_free(em);
	sim_free(ifp);
}

static uint64_t
em_interrupts(const struct ifnet *ifp, int cpu)
{
	const struct em_softc *em = ifp->if_softc;

	return cpu == 0 ? em->em_vector.nv_count : 0;
}

static void
em_start(struct globaldata *gd, struct ifnet *ifp, struct pkt *p)
{
	const struct em_softc *em = ifp->if_softc;

	ifsubq_start(gd, em->em_subq, p);
}

/* The interrupt thread: all that has arrived, then transmit reclaim. */
static void
em_intr(struct nic_vector *nv)
{
	struct globaldata *gd = cpu_gd(nv->nv_cpu);
	struct ifnet *ifp = nv->nv_arg;
	const struct em_softc *em = ifp->if_softc;
	sim_ns now = gd->gd_cpu.c_now;

	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_INTR, 0,
	    gd->gd_cpu.c_id, ifp->if_index);
	intr_enter(gd);
	gd_run(gd, COST_lwkt_switch);
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_ITHREAD, 0, 0, 0);
	em_rxeof(gd, ifp, now);
	ifsubq_reclaim(gd, em->em_subq, now);
	gd_run(gd, COST_lwkt_switch);
}

static void
em_rxeof(struct globaldata *gd, struct ifnet *ifp, sim_ns upto)
{
	struct em_softc *em = ifp->if_softc;
	struct rxring *rr = &em->em_port.np_rxr[0];
	struct em_chain *chains[SETUP_MAX_CPUS] = { NULL };
	uint32_t n = nic_rx_pending(rr, upto);

	gd_run(gd, COST_poll_round);
	while (n-- > 0) {
		struct em_mbuf *mb = sim_pool_get(&em->em_mbufs);
		int cpu;

		memset(mb, 0, sizeof(*mb));
		mb->em_msg.nm_dispatch = ether_input_handler;
		mb->em_ifp = ifp;
		mb->em_pkt = *nic_rx_take(rr);
		SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_RX,
		    mb->em_pkt.p_flow, mb->em_pkt.p_flags, mb->em_pkt.p_len);
		gd_run(gd, COST_rx_frame);
		gd_run(gd, COST_soft_hash);
		cpu = netisr_hashcpu(gd->gd_machine, mb->em_pkt.p_rss);
		if (chains[cpu] == NULL) {
			struct em_chain *ec = sim_pool_get(&em->em_chains);

			memset(ec, 0, sizeof(*ec));
			ec->ec_ipi.im_func = ether_input_ipifunc;
			ec->ec_softc = em;
			STAILQ_INIT(&ec->ec_mbufs);
			chains[cpu] = ec;
		}
		STAILQ_INSERT_TAIL(&chains[cpu]->ec_mbufs, mb, em_link);
	}
	ether_input_dispatch(gd, chains);
}

/* A message to one's own CPU is a call. */
static void
ether_input_dispatch(struct globaldata *gd, struct em_chain **chains)
{
	const struct machine *m = gd->gd_machine;

	for (int i = 0; i < m->m_netisr_ncpus; i++) {
		if (chains[i] == NULL)
			continue;
		if (m->m_gd[i] == gd)
			ether_input_ipifunc(gd, &chains[i]->ec_ipi);
		else
			lwkt_send_ipiq(gd, m->m_gd[i], &chains[i]->ec_ipi);
	}
}

static void
ether_input_ipifunc(struct globaldata *gd, struct ipimsg *im)
{
	struct em_chain *ec = msg_owner(im, struct em_chain, ec_ipi);
	struct em_mbuf *mb;

	while ((mb = STAILQ_FIRST(&ec->ec_mbufs)) != NULL) {
		STAILQ_REMOVE_HEAD(&ec->ec_mbufs, em_link);
		lwkt_sendmsg(gd, gd, &mb->em_msg);
	}
	sim_pool_put(&ec->ec_softc->em_chains, ec);
}

static void
ether_input_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct em_mbuf *mb = msg_owner(nm, struct em_mbuf, em_msg);
	struct ifnet *ifp = mb->em_ifp;
	struct em_softc *em = ifp->if_softc;

	ifp->if_input(gd, ifp, &mb->em_pkt);
	sim_pool_put(&em->em_mbufs, mb);
}
