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

/* Who has a CPU from a TRACE_THREAD record on: its a. */
enum trace_thread {
	TRACE_TD_IDLE,
	TRACE_TD_USER,
	TRACE_TD_NETISR,
	TRACE_TD_ITHREAD /* until the interrupt ends */
};

/* A reader's idea of who has a CPU, all zero at first. */
struct trace_who {
	int tw_thread; /* enum trace_thread */
	bool tw_intr, tw_ithread;
};

/* Take a CPU's next record. Returns: whether it said who has the CPU. */
bool trace_who_next(struct trace_who *, const struct sim_trace_rec *);

/* "idle", "user", "netisr", "intr", "ithread". */
const char *trace_who_name(const struct trace_who *);

extern const struct sim_trace_kind trace_kinds[TRACE_N];

#endif
