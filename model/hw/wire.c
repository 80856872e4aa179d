#include "model/hw/wire.h"

#include <string.h>

#include "model/trace.h"
#include "sim/core/alloc.h"
#include "sim/core/assert.h"

static void wire_send(struct wire *, int ring, sim_ns start);
static int wire_choose(struct wire *, sim_ns start);
static void wire_arrive(struct wire *, struct pkt *);
static void wire_arrive_split(
    struct wire *, const struct pkt *, sim_ns start, int64_t rem);

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
	for (;;) {
		sim_ns start = w->w_free;

		if (w->w_neligible == 0) {
			if (w->w_nwaiting == 0)
				return;
			/* An idle wire starts with the earliest packet. */
			start = sim_max(
			    start, w->w_waiting[w->w_nwaiting - 1].wh_time);
		}
		if (start >= upto)
			return;
		wire_send(w, wire_choose(w, start), start);
	}
}

static bool
head_before(const struct wire_head *a, const struct wire_head *b)
{
	return a->wh_time < b->wh_time ||
	       (a->wh_time == b->wh_time && a->wh_ring < b->wh_ring);
}

/*
 * Few rings wait at a time, so a sorted list, the earliest last, takes fewer
 * steps than a heap, and steps that the processor can foresee.
 */
void
wire_pending(struct wire *w, int ring, sim_ns time)
{
	struct wire_head head = { time, ring };
	int i = w->w_nwaiting++;

	while (i > 0 && head_before(&w->w_waiting[i - 1], &head)) {
		w->w_waiting[i] = w->w_waiting[i - 1];
		i--;
	}
	w->w_waiting[i] = head;
}

/*
 * Who goes at `start`, when the wire is free: of the rings whose packet is
 * there by then, the next in turn after the last one served.
 */
static int
wire_choose(struct wire *w, sim_ns start)
{
	int from = w->w_last + 1, words = (w->w_nrings + 63) / 64, word;
	uint64_t bits;

	while (w->w_nwaiting > 0 &&
	       w->w_waiting[w->w_nwaiting - 1].wh_time <= start) {
		int ring = w->w_waiting[--w->w_nwaiting].wh_ring;

		w->w_eligible[ring / 64] |= 1ull << ring % 64;
		w->w_neligible++;
	}
	word = from / 64 % words;
	bits = from < w->w_nrings ? w->w_eligible[word] & ~0ull << from % 64
				  : w->w_eligible[word = 0];
	while (bits == 0) {
		word = (word + 1) % words;
		bits = w->w_eligible[word];
	}
	return word * 64 + __builtin_ctzll(bits);
}

static bool
wire_loses(struct wire *w)
{
	return SIM_UNLIKELY(w->w_loss > 0) &&
	       rng_uniform(&w->w_rng) < w->w_loss;
}

static void
wire_send(struct wire *w, int ring, sim_ns start)
{
	struct txring *tr = w->w_rings[ring];
	struct pktq *q = &tr->tr_q;
	struct pkt *p = &q->pq_buf[tr->tr_next & q->pq_mask], arrived;
	int64_t bytes = pkt_wire_bytes(p), bits;
	sim_ns took;
	int64_t rem;

	if (start > w->w_free)
		w->w_rem = 0;
	rem = w->w_rem;
	bits = bytes * 8 * 1000000000 + rem;
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
	if (tr->tr_next == q->pq_tail ||
	    q->pq_buf[tr->tr_next & q->pq_mask].p_time > w->w_free) {
		w->w_eligible[ring / 64] &= ~(1ull << ring % 64);
		w->w_neligible--;
		if (tr->tr_next != q->pq_tail)
			wire_pending(w, ring,
			    q->pq_buf[tr->tr_next & q->pq_mask].p_time);
	}
	if (SIM_UNLIKELY(w->w_split && arrived.p_nseg > 1))
		wire_arrive_split(w, &arrived, start, rem);
	else
		wire_arrive(w, &arrived);
}

static void
wire_arrive(struct wire *w, struct pkt *p)
{
	bool lost = wire_loses(w);

	SIM_TRACE(p->p_time - w->w_latency + w->w_tap, w->w_where, TRACE_FRAME,
	    p->p_flow, trace_frame_numbers(p), trace_frame_rest(p, lost));
	if (lost) {
		w->w_lost_packets++;
		w->w_lost_frames += p->p_nseg;
		return;
	}
	w->w_deliver(w->w_arg, p);
}

/* The card cuts it into frames of one size, the last one perhaps shorter. */
static void
wire_arrive_split(
    struct wire *w, const struct pkt *whole, sim_ns start, int64_t rem)
{
	int n = whole->p_nseg, size = (whole->p_len + n - 1) / n;
	int64_t bits = rem;

	for (int i = 0; i < n; i++) {
		struct pkt p = *whole;

		p.p_nseg = 1;
		p.p_seq += (uint32_t)(i * size);
		if (i < n - 1) {
			p.p_len = (uint16_t)size;
			p.p_flags &= (uint8_t) ~(TH_PUSH | TH_FIN);
		} else {
			p.p_len = (uint16_t)(whole->p_len - i * size);
		}
		bits += pkt_wire_bytes(&p) * 8 * 1000000000;
		p.p_time = start + bits / w->w_bps + w->w_latency;
		wire_arrive(w, &p);
	}
}
