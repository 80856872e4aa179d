#ifndef MODEL_HW_NIC_H
#define MODEL_HW_NIC_H

/*
 * A network card: what happens without a CPU. Ports with receive rings, the
 * redirect table that spreads packets over them by their RSS hash, and
 * moderated interrupt vectors.
 *
 * Kernel: if_ringmap_rdrtable(), sys/net/if_ringmap.c
 * Differs: 128 redirect entries on every card; descriptors that a poll has
 *          emptied are back in the ring when the poll ends.
 */
#include "model/hw/cpu.h"
#include "model/hw/wire.h"

#define NIC_RSS_VALUES 128
#define NIC_MAX_RINGS 64

/* A receive ring: packets that have arrived, or will at their p_time. */
struct rxring {
	struct pktq rr_q;
	uint32_t rr_rxd;    /* [I] descriptors */
	int rr_where;	    /* [I] its wire's place in traces */
	uint64_t rr_drops;  /* frames that found no descriptor */
	uint64_t rr_frames; /* frames taken */
};

struct nic_port {
	struct wire *np_rx; /* [I] towards us; owned by the model */
	struct wire *np_tx; /* [I] away from us */
	int np_nrxr;	    /* [I] */
	struct rxring np_rxr[NIC_MAX_RINGS];
	uint8_t np_rdr[NIC_RSS_VALUES]; /* [I] ring by hash value */
};

/*
 * nrxr rings of rxd descriptors; hash value i goes to the ring of CPU
 * i % ncpus, or (fewer rings than that) of CPU i % ncpus % nrxr.
 */
void nic_port_init(struct nic_port *, int nrxr, int rxd, int ncpus);
void nic_port_fini(struct nic_port *);

/* A wire's w_deliver; arg is the port. The hash picks the ring. */
void nic_rx_arrive(void *port, const struct pkt *);

/*
 * How many packets of a ring have arrived by now; those that found it full are
 * dropped (and counted) first.
 *
 * Context: the ring's CPU, in step with the engine or within wire_known().
 */
uint32_t nic_rx_pending(struct rxring *, sim_ns now);

/* Take the first pending packet. Borrowed until the next call on this ring. */
static inline const struct pkt *
nic_rx_take(struct rxring *rr)
{
	struct pkt *p = pktq_first(&rr->rr_q);

	rr->rr_frames += p->p_nseg;
	rr->rr_q.pq_head++;
	return p;
}

/* The i-th packet still in the ring. */
static inline const struct pkt *
nic_rx_peek(const struct rxring *rr, uint32_t i)
{
	return &rr->rr_q.pq_buf[(rr->rr_q.pq_head + i) & rr->rr_q.pq_mask];
}

/*
 * Make sure that everything which arrives by c->c_now is in the rings of this
 * wire. Time: may wait in the engine.
 */
static inline void
nic_rx_sync(struct cpu *c, struct wire *w)
{
	if (wire_known(w) >= c->c_now && !c->c_exact)
		return;
	cpu_sync(c);
	wire_advance(w, c->c_now);
}

/*
 * An interrupt vector: raised when a packet is there, at least nv_gap after
 * the last time. While nothing is known to come the CPU looks again each time
 * that the wire's latency has passed.
 */
struct nic_vector {
	struct cpu_source nv_source;
	struct cpu *nv_cpu;
	struct pktq *nv_q;
	struct wire *nv_wire;
	sim_ns nv_gap, nv_last;
	void (*nv_intr)(struct nic_vector *); /* masked; may cpu_run() */
	void *nv_arg;
	uint64_t nv_count; /* interrupts taken */
};

void nic_vector_init(struct nic_vector *, struct cpu *, struct pktq *,
    struct wire *, sim_ns gap, void (*intr)(struct nic_vector *), void *arg);

#endif
