#ifndef SIM_CORE_TRACE_H
#define SIM_CORE_TRACE_H

/*
 * The one trace record. Everything that can be looked at later (golden text,
 * trace-event JSON, pcapng, timeline) is written from these.
 *
 * A trace that is off costs one predictable branch. Records are kept in memory
 * and sorted by (time, cpu, order) before they are read: CPUs run ahead of one
 * another, so they are not made in order of time.
 *
 * There is a limit of records. Those kept are the earliest, and all up to one
 * instant: a record too many ends the trace at the time of the first that does
 * not fit, whenever it came. So a trace has no holes, and is the same in
 * whatever order CPUs run.
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

#define SIM_TRACE_MAX_KINDS 64

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
	uint64_t st_made;
	uint64_t st_lost;      /* of the window, from st_to on */
	sim_ns st_from, st_to; /* window; st_to moves to where it is cut */
	sim_ns st_until;       /* what st_to was */
	/* To be set after sim_trace_open(): */
	uint64_t st_wanted; /* bits by kind */
	uint32_t st_only;   /* connection; 0: all. Kinds of st_states stay */
	/* Only so many places from this one on; 0: all of them. */
	int st_place, st_nplaces;
	int64_t st_bytes; /* past so many a writer may stop; 0: never */
	/*
	 * Kinds, by bits, of which the last one before the window is kept for
	 * each place: what holds when the window begins.
	 */
	uint64_t st_states;
	struct sim_trace_rec *st_before; /* by place and kind */
	int st_nbefore;			 /* places */
	uint64_t st_nstates;		 /* of these, in st_recs */
};

/* NULL when off. */
extern struct sim_trace *sim_trace_on;

/*
 * Start recording times from <= t < to, at most `limit` records, and make this
 * the trace that is on. All kinds are wanted until st_wanted says otherwise.
 * sim_trace_close() turns it off and frees the records.
 */
void sim_trace_open(struct sim_trace *, const struct sim_trace_kind *,
    sim_ns from, sim_ns to, uint64_t limit);
void sim_trace_close(struct sim_trace *);

/*
 * Sort what was recorded, after the states before the window, which do not
 * count for the limit. More may be recorded, and sorted in.
 */
void sim_trace_sort(struct sim_trace *);

/*
 * Give the first n records of a sorted trace, less those of the instant at
 * which the next one is: a view of it, that borrows.
 */
struct sim_trace sim_trace_head(const struct sim_trace *, uint64_t n);

void sim_trace_add(
    sim_ns t, int where, int kind, uint32_t id, int64_t a, int64_t b);

#define SIM_TRACE(t, where, kind, id, a, b)                      \
	do {                                                     \
		if (SIM_UNLIKELY(sim_trace_on != NULL))          \
			sim_trace_add(t, where, kind, id, a, b); \
	} while (0)

#endif
