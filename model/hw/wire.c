#include "model/hw/wire.h"

#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

static void wire_send(struct wire *, int ring, sim_ns start);
static int wire_choose(const struct wire *, sim_ns *start);

void
pktq_grow(struct pktq *q)
{
	uint32_t cap = q->pq_buf == NULL ? 64 : (q->pq_mask + 1) * 2;
	struct pkt *buf = sim_calloc(cap, sizeof(*buf));

	for (uint32_t i = q->pq_head; i != q->pq_tail; i++)
		buf[i & (cap - 1)] = q->pq_buf[i & q->pq_mask];
	sim_free(q->pq_buf);
	q->pq_buf = buf;
	q->pq_mask = cap - 1;
}

void
pktq_fini(struct pktq *q)
{
	sim_free(q->pq_buf);
	memset(q, 0, sizeof(*q));
}

void
wire_init(struct wire *w, int64_t bps, sim_ns latency,
    void (*deliver)(void *, const struct pkt *), void *arg)
{
	SIM_ASSERT(bps > 0 && latency > 0);
	memset(w, 0, sizeof(*w));
	w->w_bps = bps;
	w->w_latency = latency;
	w->w_deliver = deliver;
	w->w_arg = arg;
}

void
wire_set_loss(struct wire *w, double loss, struct rng_run run, int index)
{
	w->w_loss = loss;
	rng_init(&w->w_rng, run, "wire.loss", index);
}

void
wire_fini(struct wire *w)
{
	w->w_nrings = 0;
}

void
txring_init(struct txring *tr, struct wire *w)
{
	SIM_ASSERT(w->w_nrings < WIRE_MAX_RINGS);
	memset(tr, 0, sizeof(*tr));
	tr->tr_wire = w;
	tr->tr_index = w->w_nrings;
	w->w_rings[w->w_nrings] = tr;
	w->w_first[w->w_nrings] = SIM_NEVER;
	w->w_nrings++;
}

void
txring_fini(struct txring *tr)
{
	pktq_fini(&tr->tr_q);
}

void
wire_advance_slow(struct wire *w, sim_ns upto)
{
	while (w->w_npending != 0) {
		sim_ns start;
		int ring = wire_choose(w, &start);

		if (start >= upto)
			return;
		wire_send(w, ring, start);
	}
}

/*
 * Who goes next, and when. A free wire starts with the earliest packet (ties:
 * lowest ring); a busy one serves the rings in turn.
 */
static int
wire_choose(const struct wire *w, sim_ns *start)
{
	int n = w->w_nrings, first = 0;

	for (int k = 1; k <= n; k++) {
		int i = w->w_last + k;

		if (i >= n)
			i -= n;
		if (w->w_first[i] <= w->w_free) {
			*start = w->w_free;
			return i;
		}
	}
	for (int i = 1; i < n; i++)
		if (w->w_first[i] < w->w_first[first])
			first = i;
	*start = w->w_first[first];
	return first;
}

static void
wire_send(struct wire *w, int ring, sim_ns start)
{
	struct txring *tr = w->w_rings[ring];
	struct pktq *q = &tr->tr_q;
	struct pkt *p = &q->pq_buf[tr->tr_next & q->pq_mask], arrived;
	int64_t bytes = pkt_wire_bytes(p), bits;
	sim_ns took;

	if (start > w->w_free)
		w->w_rem = 0;
	bits = bytes * 8 * 1000000000 + w->w_rem;
	took = bits / w->w_bps;
	w->w_rem = bits % w->w_bps;
	w->w_free = start + took;
	w->w_busy += took;
	w->w_last = ring;
	w->w_packets++;
	w->w_frames += p->p_nseg;
	w->w_bytes += bytes;

	p->p_time = w->w_free;
	arrived = *p;
	arrived.p_time += w->w_latency;
	tr->tr_next++;
	if (tr->tr_next == q->pq_tail) {
		w->w_first[ring] = SIM_NEVER;
		w->w_npending--;
	} else {
		w->w_first[ring] = q->pq_buf[tr->tr_next & q->pq_mask].p_time;
	}
	if (SIM_UNLIKELY(w->w_loss > 0) &&
	    rng_uniform(&w->w_rng) < w->w_loss) {
		w->w_lost_packets++;
		w->w_lost_frames += arrived.p_nseg;
		return;
	}
	w->w_deliver(w->w_arg, &arrived);
}
