#ifndef MODEL_HW_WIRE_H
#define MODEL_HW_WIRE_H

/*
 * One direction of a link, and the transmit rings that feed it.
 *
 * CPUs post packets on rings of their own, at their own clocks. The wire is
 * worked out when somebody reads it: wire_advance(S) decides every start of
 * transmission before S. At engine time S all that was posted before S is
 * there, so the outcome does not depend on who reads first. A free wire takes
 * the next ring in turn that has a packet; a packet that starts at f and needs
 * d arrives at f + d + latency.
 *
 * Differs: the frames of one segmented (TSO) packet stay together, and (without
 * w_split) arrive as one when the last is there.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/net/pkt.h"
#include "sim/core/rng.h"

#define WIRE_MAX_RINGS 256

/* A queue of packets that grows: power-of-two ring buffer. */
struct pktq {
	struct pkt *pq_buf;
	uint32_t pq_mask, pq_head, pq_tail;
};

void pktq_grow(struct pktq *);
void pktq_fini(struct pktq *);

static inline uint32_t
pktq_len(const struct pktq *q)
{
	return q->pq_tail - q->pq_head;
}

static inline struct pkt *
pktq_first(const struct pktq *q)
{
	return &q->pq_buf[q->pq_head & q->pq_mask];
}

static inline void
pktq_push(struct pktq *q, const struct pkt *p)
{
	if (q->pq_head == q->pq_tail)
		q->pq_head = q->pq_tail = 0; /* stay in the same few lines */
	if (q->pq_buf == NULL || pktq_len(q) > q->pq_mask)
		pktq_grow(q);
	q->pq_buf[q->pq_tail++ & q->pq_mask] = *p;
}

struct wire;

/*
 * A transmit ring. pq_head is the oldest packet whose descriptors are still
 * taken; tr_next the first that the wire has not started. A started packet's
 * p_time is when its last bit left.
 */
struct txring {
	struct pktq tr_q;
	uint32_t tr_next;
	uint64_t tr_posted; /* packets since the start */
	int tr_index;	    /* [I] on its wire */
	struct wire *tr_wire;
};

struct wire {
	int64_t w_bps;	  /* [I] */
	sim_ns w_latency; /* [I] */
	sim_ns w_upto;	  /* starts before this are decided */
	sim_ns w_free;	  /* when the last decided packet has left */
	int64_t w_rem;	  /* fraction of a ns of w_free, in bits * 1e9 / bps */
	int w_nrings, w_last;
	/*
	 * Rings with something to send: those whose packet was there when the
	 * wire was last free (a bit each), the others in a list by (post time
	 * of the next packet, ring), the earliest last.
	 */
	uint64_t w_eligible[WIRE_MAX_RINGS / 64];
	int w_neligible, w_nwaiting;
	struct wire_head {
		sim_ns wh_time;
		int wh_ring;
	} w_waiting[WIRE_MAX_RINGS];
	struct txring *w_rings[WIRE_MAX_RINGS];
	void (*w_deliver)(void *, const struct pkt *);
	void *w_arg;
	int w_where;   /* [I] place in traces */
	sim_ns w_tap;  /* [I] from the last bit's leaving to where one looks */
	double w_loss; /* [I] probability */
	bool w_split;  /* [I] each frame of a segmented packet comes alone */
	struct rng w_rng;
	uint64_t w_frames, w_bytes, w_packets; /* sent since the start */
	uint64_t w_lost_frames, w_lost_packets;
	sim_ns w_busy;
};

void wire_init(struct wire *, int64_t bps, sim_ns latency,
    void (*deliver)(void *, const struct pkt *), void *arg);
void wire_set_loss(struct wire *, double loss, struct rng_run, int index);
void wire_fini(struct wire *);

void txring_init(struct txring *, struct wire *);
void txring_fini(struct txring *);

/* A ring has something to send from `time` on. */
void wire_pending(struct wire *, int ring, sim_ns time);

/*
 * Post a packet at p->p_time, the poster's clock. Context: the ring's CPU.
 * Time: none.
 */
static inline void
wire_post(struct txring *tr, const struct pkt *p)
{
	struct wire *w = tr->tr_wire;

	if (tr->tr_q.pq_head == tr->tr_q.pq_tail)
		tr->tr_next = 0; /* as pktq_push() does with the others */
	if (tr->tr_q.pq_head == tr->tr_q.pq_tail ||
	    tr->tr_next == tr->tr_q.pq_tail)
		wire_pending(w, tr->tr_index, p->p_time);
	tr->tr_posted++;
	pktq_push(&tr->tr_q, p);
}

/*
 * Decide all starts before `upto`. Context: a CPU that is in step with the
 * engine at `upto` (cpu_sync). Time: none. Calls w_deliver with p_time the
 * time of arrival, in order.
 */
void wire_advance_slow(struct wire *, sim_ns upto);

static inline void
wire_advance(struct wire *w, sim_ns upto)
{
	if (upto <= w->w_upto)
		return;
	if (w->w_nwaiting + w->w_neligible != 0)
		wire_advance_slow(w, upto);
	w->w_upto = upto;
}

/* All arrivals up to this time are known. */
static inline sim_ns
wire_known(const struct wire *w)
{
	return w->w_upto + w->w_latency;
}

/*
 * Take the oldest packet off the ring if it had left by t (its descriptors are
 * free then); NULL when there is none. Borrowed until the next wire_post().
 *
 * Context: the ring's CPU; the wire must be decided up to t.
 */
static inline const struct pkt *
txring_reclaim(struct txring *tr, sim_ns t)
{
	struct pktq *q = &tr->tr_q;

	if (q->pq_head == tr->tr_next || pktq_first(q)->p_time > t)
		return NULL;
	return &q->pq_buf[q->pq_head++ & q->pq_mask];
}

#endif
