#ifndef SIM_LAB_TIMELINE_CPU_H
#define SIM_LAB_TIMELINE_CPU_H

/*
 * Part of timeline.c: what one CPU does, followed through its records.
 *
 * A record says that a cost begins and how long it takes. An interrupt in
 * between puts the rest off, and may end with another thread on the CPU: so
 * each of a CPU's threads has a stack of what it still has to run, and goes on
 * with the topmost while it has the CPU.
 */
#include "sim/lab/timeline.h"

#define TIMELINE_DEPTH 8 /* costs that put off each other */

struct timeline_rest {
	int tr_cost;
	sim_ns tr_ns;	  /* still to run */
	uint64_t tr_item; /* its last span, from 1 */
};

/* A thread of a CPU; a CPU's interrupts, likewise. */
struct timeline_thread {
	int tt_key;
	int tt_call; /* enum trace_call; -1: in none */
	int64_t tt_fd;
	uint32_t tt_id;
	uint64_t tt_item; /* last span of the call, from 1 */
	int tt_n;
	struct timeline_rest tt_rest[TIMELINE_DEPTH];
};

/* Messages that wait, by number: a port is a FIFO. */
struct timeline_sends {
	const struct sim_trace_rec **ts_recs;
	uint64_t ts_head, ts_n, ts_cap;
};

struct timeline_cpu {
	uint16_t tc_where;
	bool tc_peer;
	const char *tc_tool;   /* peer */
	const char *tc_netisr; /* name of its protocol thread */
	/* By port, made when seen: names of its interrupt, of the thread. */
	const char *(*tc_vector)[2];
	int tc_nvectors;
	struct trace_who tc_who;
	/* Names of the interrupt and its thread; NULL: not known yet. */
	const char *tc_intr, *tc_ithread;
	sim_ns tc_now;	      /* all before is told */
	sim_ns tc_since;      /* who has it, has it since */
	sim_ns tc_call_since; /* ... is in its call since */
	uint64_t tc_last;     /* item of who had it last, from 1 */
	uint64_t tc_message;  /* item of a message to be named, from 1 */
	struct timeline_thread *tc_threads;
	int tc_nthreads, tc_thread;
	struct timeline_sends tc_sends[2]; /* to its port; IPI messages */
};

void timeline_cpu_init(struct timeline_cpu *, struct timeline *, uint16_t);

/* Tell all up to t. */
void timeline_cpu_pass(struct timeline_cpu *, struct timeline *, sim_ns t);

/*
 * A thread goes on on another CPU: what it had left to run here is recorded
 * there.
 */
void timeline_cpu_leave(struct timeline_cpu *, int thread);

/* And then: a record. */
bool timeline_cpu_who(struct timeline_cpu *, struct timeline *,
    const struct sim_trace_rec *); /* returns: as trace_who_next() */
void timeline_cpu_cost(
    struct timeline_cpu *, struct timeline *, int cost, sim_ns);
void timeline_cpu_call(
    struct timeline_cpu *, int call, int64_t fd, uint32_t id);
void timeline_cpu_return(
    struct timeline_cpu *, struct timeline *, int call, uint32_t id);
void timeline_cpu_vector(
    struct timeline_cpu *, struct timeline *, const struct sim_trace_rec *);

/* The window ends. Frees what the CPU owns. */
void timeline_cpu_end(struct timeline_cpu *, struct timeline *);

/* Of timeline.c. The name is taken. */
struct timeline_item *timeline_add(
    struct timeline *, const struct timeline_item *);
const char *timeline_keep(struct timeline *, char *name);

#endif
