#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

/*
 * Kinds of trace records that the model makes (model/trace.def), and how to
 * print them. Kind 0 is a cost, charged from tr_time on: a = cost_id, b = ns.
 */
#include "model/net/pkt.h"
#include "sim/core/trace.h"

enum trace_kind {
#define TRACE(NAME, name, format) TRACE_##NAME,
#include "model/trace.def"
#undef TRACE
	TRACE_N
};

/*
 * Who has a CPU from a TRACE_THREAD record on: its a. Of user threads, b is the
 * td_index. (After a TRACE_ITHREAD record: the interrupt's thread, until
 * TRACE_INTR_LEAVE.)
 */
enum trace_thread {
	TRACE_TD_IDLE,
	TRACE_TD_USER,
	TRACE_TD_NETISR,
};

/* A reader's idea of who has a CPU, all zero at first. */
struct trace_who {
	int tw_thread; /* enum trace_thread */
	int tw_index;  /* of TRACE_TD_USER */
	bool tw_intr, tw_ithread;
};

/*
 * Kinds of which a reader must know the last before its window, to tell who
 * has a CPU.
 */
#define TRACE_STATES                                       \
	(1ull << TRACE_THREAD | 1ull << TRACE_INTR_ENTER | \
	    1ull << TRACE_ITHREAD | 1ull << TRACE_INTR_LEAVE)

/* System calls: a of TRACE_SYSCALL and TRACE_SYSRET. */
enum trace_call {
#define TRACE_CALL(name) TRACE_CALL_##name,
#include "model/trace_call.def"
#undef TRACE_CALL
	TRACE_CALL_N
};

/*
 * A TRACE_FRAME record is a packet on a wire when it is at the server's port:
 * the time of its arrival, or that at which its last bit left. Its place is the
 * number of CPUs in the model plus that of the wire (two a port, the one
 * towards the server first). TRACE_RING_DROP has the same time, place and
 * connection.
 */
#define TRACE_FRAME_LOST 0x80 /* beside TH_*: the link loses it */

static inline int64_t
trace_frame_numbers(const struct pkt *p)
{
	return (int64_t)((uint64_t)p->p_seq << 32 | p->p_ack);
}

static inline int64_t
trace_frame_rest(const struct pkt *p, bool lost)
{
	return (int64_t)((uint64_t)p->p_win << 32 | (uint64_t)p->p_len << 16 |
			 (uint64_t)(p->p_flags | (lost ? TRACE_FRAME_LOST : 0))
			     << 8 |
			 p->p_nseg);
}

/* The packet of such a record; p_rss and p_prio are not in it. */
static inline struct pkt
trace_frame_pkt(const struct sim_trace_rec *tr)
{
	uint64_t rest = (uint64_t)tr->tr_b;

	return (struct pkt){
		.p_time = tr->tr_time,
		.p_flow = tr->tr_id,
		.p_seq = (uint32_t)((uint64_t)tr->tr_a >> 32),
		.p_ack = (uint32_t)tr->tr_a,
		.p_win = (uint32_t)(rest >> 32),
		.p_len = (uint16_t)(rest >> 16),
		.p_flags = (uint8_t)(rest >> 8) & (uint8_t)~TRACE_FRAME_LOST,
		.p_nseg = (uint8_t)rest,
	};
}

static inline bool
trace_frame_lost(const struct sim_trace_rec *tr)
{
	return (tr->tr_b >> 8 & TRACE_FRAME_LOST) != 0;
}

/* Take a CPU's next record. Returns: whether it said who has the CPU. */
bool trace_who_next(struct trace_who *, const struct sim_trace_rec *);

/* "idle", "user", "netisr", "intr", "ithread". */
const char *trace_who_name(const struct trace_who *);

extern const struct sim_trace_kind trace_kinds[TRACE_N];
extern const char *const trace_calls[TRACE_CALL_N];

#endif
