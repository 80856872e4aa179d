#include "model/hw/nic.h"

#include <string.h>

#include "model/trace.h"

static void nic_vector_fire(struct cpu *, struct cpu_source *);
static void nic_vector_arm(struct nic_vector *);

void
nic_port_init(struct nic_port *np, int nrxr, int rxd, int ncpus)
{
	SIM_ASSERT(nrxr > 0 && nrxr <= NIC_MAX_RINGS);
	memset(np, 0, sizeof(*np));
	np->np_nrxr = nrxr;
	for (int i = 0; i < nrxr; i++)
		np->np_rxr[i].rr_rxd = rxd;
	for (int i = 0; i < NIC_RSS_VALUES; i++)
		np->np_rdr[i] = i % ncpus % nrxr;
}

void
nic_port_fini(struct nic_port *np)
{
	for (int i = 0; i < np->np_nrxr; i++)
		pktq_fini(&np->np_rxr[i].rr_q);
}

void
nic_rx_arrive(void *port, const struct pkt *p)
{
	struct nic_port *np = port;

	pktq_push(&np->np_rxr[np->np_rdr[p->p_rss & 127]].rr_q, p);
}

uint32_t
nic_rx_pending(struct rxring *rr, sim_ns now)
{
	struct pktq *q = &rr->rr_q;
	uint32_t len = pktq_len(q), n = 0, excess;

	while (
	    n < len && q->pq_buf[(q->pq_head + n) & q->pq_mask].p_time <= now)
		n++;
	if (SIM_LIKELY(n <= rr->rr_rxd))
		return n;
	/* The oldest rr_rxd found room; close the gap that the rest leaves. */
	excess = n - rr->rr_rxd;
	for (uint32_t i = rr->rr_rxd; i < n; i++) {
		const struct pkt *p = &q->pq_buf[(q->pq_head + i) & q->pq_mask];

		rr->rr_drops += p->p_nseg;
		SIM_TRACE(p->p_time, rr->rr_where, TRACE_RING_DROP, p->p_flow,
		    rr->rr_rxd, rr->rr_rxd);
	}
	for (uint32_t i = rr->rr_rxd; i-- > 0;)
		q->pq_buf[(q->pq_head + i + excess) & q->pq_mask] =
		    q->pq_buf[(q->pq_head + i) & q->pq_mask];
	q->pq_head += excess;
	return rr->rr_rxd;
}

void
nic_vector_init(struct nic_vector *nv, struct cpu *c, struct pktq *q,
    struct wire *w, sim_ns gap, void (*intr)(struct nic_vector *), void *arg)
{
	memset(nv, 0, sizeof(*nv));
	nv->nv_cpu = c;
	nv->nv_q = q;
	nv->nv_wire = w;
	nv->nv_gap = gap;
	nv->nv_last = -gap;
	nv->nv_intr = intr;
	nv->nv_arg = arg;
	nv->nv_source.cs_fire = nic_vector_fire;
	nv->nv_source.cs_arg = nv;
	cpu_source_add(c, &nv->nv_source);
	nic_vector_arm(nv);
}

/* The earliest time at which the vector can be raised, or must look again. */
static void
nic_vector_arm(struct nic_vector *nv)
{
	sim_ns next = nv->nv_last + nv->nv_gap;

	if (pktq_len(nv->nv_q) != 0)
		next = sim_max(next, pktq_first(nv->nv_q)->p_time);
	else
		next = sim_max(next, wire_known(nv->nv_wire));
	cpu_source_arm(nv->nv_cpu, &nv->nv_source, next);
}

/*
 * The time of a vector may have been only that of a look: then it is set anew,
 * so that of several sources that are late (interrupts were masked) each comes
 * when it is really due, whatever was known when.
 */
static void
nic_vector_fire(struct cpu *c, struct cpu_source *cs)
{
	struct nic_vector *nv = cs->cs_arg;
	sim_ns due = cs->cs_next;

	cpu_sync(c);
	wire_advance(nv->nv_wire, c->c_now);
	nic_vector_arm(nv);
	if (pktq_len(nv->nv_q) == 0 || cs->cs_next != due)
		return;
	nv->nv_last = c->c_now;
	nv->nv_count++;
	nv->nv_intr(nv);
	nic_vector_arm(nv);
}
