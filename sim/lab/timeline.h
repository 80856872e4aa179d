#ifndef SIM_LAB_TIMELINE_H
#define SIM_LAB_TIMELINE_H

/*
 * A trace as spans of time: who has each CPU, in which system call, what it
 * does; messages from their senders to their handlers; what happens at an
 * instant; lengths of queues.
 *
 * On one CPU spans of one sort never overlap, and nest: a call's within those
 * of its thread, a cost's within both. So a call that blocks, or is
 * interrupted, is several spans; likewise a cost. Where a CPU is a peer's,
 * its tool has it whenever it does something.
 */
#include <stdio.h>

#include "model/model.h"
#include "model/trace.h"

enum timeline_what {
	TIMELINE_WHO,
	TIMELINE_CALL,
	TIMELINE_COST,
	/*
	 * At an instant: a listener's queue has a new length. At the window's
	 * start: it may have it already; the last one at an instant counts.
	 */
	TIMELINE_QLEN,
	TIMELINE_MARK, /* at an instant: something happens */
	TIMELINE_MESSAGE,
};

/* Who: "idle", "user", "netisr", "intr", "ithread". */
enum timeline_who {
	TIMELINE_IDLE,
	TIMELINE_USER,
	TIMELINE_NETISR,
	TIMELINE_INTR,
	TIMELINE_ITHREAD,
	TIMELINE_NWHO
};

struct timeline_item {
	sim_ns ti_start, ti_end; /* of a message: sent, taken */
	enum timeline_what ti_what;
	uint16_t ti_cpu;  /* of a message: where it is taken */
	uint16_t ti_from; /* message: its sender's CPU */
	uint32_t ti_id;	  /* connection, or 0 */
	/*
	 * WHO: enum timeline_who. CALL: enum trace_call. COST and MESSAGE:
	 * enum cost_id, of a message the first that its handler is charged,
	 * or -1. QLEN: the listener.
	 */
	int32_t ti_n;
	int64_t ti_value;    /* CALL: descriptor, or -1. QLEN: connections */
	const char *ti_name; /* WHO: thread or interrupt, or "" */
	const struct sim_trace_rec *ti_rec; /* MARK, QLEN */
};

struct timeline {
	const struct model *tl_model; /* borrowed, as are its names */
	sim_ns tl_from, tl_to;
	bool tl_whole; /* not of one connection only */
	struct timeline_item *tl_items;
	uint64_t tl_n, tl_cap;
	char **tl_names; /* of which items borrow */
	int tl_nnames;
};

/*
 * Make it of all records of a trace, which is sorted; those of kinds that are
 * not there are missing in it. Records of places past the model's CPUs are
 * skipped. The trace is borrowed until timeline_fini().
 */
void timeline_init(struct timeline *, struct sim_trace *, const struct model *);
void timeline_fini(struct timeline *);

/*
 * Sort by time; at one time, what holds others comes first. Or by CPU, what
 * it is, and time.
 */
void timeline_sort(struct timeline *, bool by_cpu);

/* "idle", ... */
extern const char *const timeline_who_names[TIMELINE_NWHO];

/*
 * What sort of mark a kind of record is: "drop", "reset", "accept", "wakeup",
 * "token" (a wait for one), "packet", "tcp", "event"; NULL: none.
 */
const char *timeline_mark(const struct sim_trace_rec *);

/*
 * The form that the report's page draws: a run_trace_writer (sim/lab/run.h),
 * and the kinds that it wants. One JSON object, times from the window's start.
 */
extern const uint64_t timeline_kinds;
bool timeline_json(
    FILE *, const char *name, struct sim_trace *, const struct model *);

#endif
