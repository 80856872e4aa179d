#include "model/net/if.h"

#include "model/trace.h"

#define IFSUBQ_PAGE 4096 /* a descriptor reaches no further */

static void ifsubq_encap(
    struct globaldata *, struct ifsubq *, const struct pkt *);

void
ifsubq_init(struct ifsubq *ifs, struct wire *tx, int txd)
{
	txring_init(&ifs->ifs_ring, tx);
	ifs->ifs_free = ifs->ifs_txd = txd;
}

void
ifsubq_fini(struct ifsubq *ifs)
{
	txring_fini(&ifs->ifs_ring);
	pktq_fini(&ifs->ifs_prio);
	pktq_fini(&ifs->ifs_normal);
}

static int
ifsubq_descriptors(const struct pkt *p)
{
	return 1 + (p->p_nseg > 1) + (p->p_len + IFSUBQ_PAGE - 1) / IFSUBQ_PAGE;
}

void
ifsubq_start(struct globaldata *gd, struct ifsubq *ifs, struct pkt *p)
{
	bool prio = p->p_prio && gd->gd_machine->m_sysctl->prio_synack;
	struct pktq *q = prio ? &ifs->ifs_prio : &ifs->ifs_normal;

	if (pktq_len(&ifs->ifs_prio) + pktq_len(&ifs->ifs_normal) == 0 &&
	    ifs->ifs_free >= ifsubq_descriptors(p)) {
		ifsubq_encap(gd, ifs, p);
		return;
	}
	if (pktq_len(q) >= (uint32_t)ifs->ifs_txd) {
		ifs->ifs_drops++;
		ifs->ifs_drop_frames += p->p_nseg;
		return;
	}
	pktq_push(q, p);
}

/*
 * The descriptors are taken before their time is spent: where CPUs share a
 * ring, another one may come meanwhile. The packet is posted after it.
 */
static void
ifsubq_encap(struct globaldata *gd, struct ifsubq *ifs, const struct pkt *p)
{
	struct pkt out = *p;
	uint32_t len;

	ifs->ifs_free -= ifsubq_descriptors(p);
	gd_run(gd, COST_tx_encap);
	if (out.p_nseg > 1)
		cpu_run_ns(&gd->gd_cpu, COST_tx_frame,
		    gd->gd_cpu.c_cost[COST_tx_frame] * (out.p_nseg - 1));
	ifs->ifs_packets++;
	ifs->ifs_frames += out.p_nseg;
	out.p_time = gd->gd_cpu.c_now;
	wire_post(&ifs->ifs_ring, &out);
	len = pktq_len(&ifs->ifs_ring.tr_q) + pktq_len(&ifs->ifs_prio) +
	      pktq_len(&ifs->ifs_normal);
	if (len > ifs->ifs_backlog_max)
		ifs->ifs_backlog_max = len;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_TX, out.p_flow,
	    out.p_flags, out.p_len);
}

void
ifsubq_reclaim(struct globaldata *gd, struct ifsubq *ifs, sim_ns upto)
{
	const struct pkt *done;

	wire_advance(ifs->ifs_ring.tr_wire, upto);
	gd_run(gd, COST_poll_round);
	while ((done = txring_reclaim(&ifs->ifs_ring, upto)) != NULL) {
		ifs->ifs_free += ifsubq_descriptors(done);
		gd_run(gd, COST_tx_reclaim);
	}
	for (;;) {
		struct pktq *q = pktq_len(&ifs->ifs_prio) != 0
				     ? &ifs->ifs_prio
				     : &ifs->ifs_normal;
		struct pkt p;

		if (pktq_len(q) == 0 ||
		    ifs->ifs_free < ifsubq_descriptors(pktq_first(q)))
			break;
		p = *pktq_first(q);
		q->pq_head++;
		ifsubq_encap(gd, ifs, &p);
	}
}
