#ifndef SIM_CORE_TRACE_H
#define SIM_CORE_TRACE_H

/*
 * The one trace record. Everything that can be looked at later (golden text,
 * trace-event JSON, pcapng, timeline) is written from these.
 *
 * A trace that is off costs one predictable branch. Records are kept in memory
 * and sorted by (time, cpu, order) before they are read: CPUs run ahead of one
 * another, so they are not made in order of time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/assert.h"
#include "sim/core/time.h"

/* Names of kinds and what a and b mean, e.g. {"so_comp", "qlen %lld of %lld"}
 */
struct sim_trace_kind {
	const char *tk_name;
	const char *tk_format; /* printf format of a and b, both long long */
};

struct sim_trace_rec {
	sim_ns tr_time;
	uint64_t tr_order; /* how manieth record of the run */
	uint16_t tr_kind;
	uint16_t tr_where; /* index of the place (a CPU) */
	uint32_t tr_id;	   /* connection, or 0 */
	int64_t tr_a, tr_b;
};

struct sim_trace {
	const struct sim_trace_kind *st_kinds; /* borrowed */
	struct sim_trace_rec *st_recs;
	uint64_t st_n, st_cap, st_limit; /* records */
	uint64_t st_lost;		 /* past st_limit */
	sim_ns st_from, st_to;		 /* window */
	uint64_t st_wanted;		 /* bits by kind */
};

/* NULL when off. */
extern struct sim_trace *sim_trace_on;

/*
 * Start recording times from <= t < to, at most `limit` records (st_lost
 * counts the rest), and make this the trace that is on. All kinds are wanted
 * until st_wanted says otherwise; there are 64 at most. sim_trace_close() turns
 * it off and frees the records.
 */
void sim_trace_open(struct sim_trace *, const struct sim_trace_kind *,
    sim_ns from, sim_ns to, uint64_t limit);
void sim_trace_close(struct sim_trace *);

/* Sort what was recorded; idempotent. */
void sim_trace_sort(struct sim_trace *);

void sim_trace_add(
    sim_ns t, int where, int kind, uint32_t id, int64_t a, int64_t b);

#define SIM_TRACE(t, where, kind, id, a, b)                      \
	do {                                                     \
		if (SIM_UNLIKELY(sim_trace_on != NULL))          \
			sim_trace_add(t, where, kind, id, a, b); \
	} while (0)

#endif
