#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

/*
 * Kinds of trace records that the model makes (model/trace.def), and how to
 * print them. Kind 0 is a cost, charged from tr_time on: a = cost_id, b = ns.
 */
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

/* Take a CPU's next record. Returns: whether it said who has the CPU. */
bool trace_who_next(struct trace_who *, const struct sim_trace_rec *);

/* "idle", "user", "netisr", "intr", "ithread". */
const char *trace_who_name(const struct trace_who *);

extern const struct sim_trace_kind trace_kinds[TRACE_N];
extern const char *const trace_calls[TRACE_CALL_N];

#endif
