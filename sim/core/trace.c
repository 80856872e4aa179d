#include "sim/core/trace.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

#define TRACE_FIRST_CAP 4096

struct sim_trace *sim_trace_on;

static void trace_before(struct sim_trace *, const struct sim_trace_rec *);
static void trace_grow(struct sim_trace *);
static void trace_put_before(struct sim_trace *);
static void trace_sort(struct sim_trace *);
static int trace_compare(const void *, const void *);
static void trace_cut(struct sim_trace *, uint64_t n);

void
sim_trace_open(struct sim_trace *st, const struct sim_trace_kind *kinds,
    sim_ns from, sim_ns to, uint64_t limit)
{
	*st = (struct sim_trace){
		.st_kinds = kinds,
		.st_limit = limit,
		.st_from = from,
		.st_to = to,
		.st_until = to,
		.st_wanted = UINT64_MAX,
	};
	sim_trace_on = st;
}

void
sim_trace_close(struct sim_trace *st)
{
	if (st == NULL)
		return;
	if (sim_trace_on == st)
		sim_trace_on = NULL;
	sim_free(st->st_recs);
	sim_free(st->st_before);
	*st = (struct sim_trace){ 0 };
}

void
sim_trace_add(sim_ns t, int where, int kind, uint32_t id, int64_t a, int64_t b)
{
	struct sim_trace *st = sim_trace_on;
	const struct sim_trace_rec tr = {
		.tr_time = t,
		.tr_order = ++st->st_made,
		.tr_kind = (uint16_t)kind,
		.tr_where = (uint16_t)where,
		.tr_id = id,
		.tr_a = a,
		.tr_b = b,
	};
	bool state;

	SIM_ASSERT(where >= 0 && where <= UINT16_MAX);
	SIM_ASSERT(kind >= 0 && kind < SIM_TRACE_MAX_KINDS);
	state = (st->st_states >> kind & 1) != 0;
	if (t >= st->st_until || !(st->st_wanted >> kind & 1) ||
	    (st->st_only != 0 && id != st->st_only && !state) ||
	    (st->st_nplaces > 0 && (where < st->st_place ||
				       where >= st->st_place + st->st_nplaces)))
		return;
	if (t < st->st_from) {
		if (state)
			trace_before(st, &tr);
		return;
	}
	if (t >= st->st_to) {
		st->st_lost++;
		return;
	}
	if (st->st_n == st->st_cap)
		trace_grow(st);
	/* It may have been cut to before this one. */
	if (t < st->st_to)
		st->st_recs[st->st_n++] = tr;
	else
		st->st_lost++;
}

/* The last one of its kind in its place: a place's come in order of time. */
static void
trace_before(struct sim_trace *st, const struct sim_trace_rec *tr)
{
	if (tr->tr_where >= st->st_nbefore) {
		int n = tr->tr_where + 1;

		st->st_before = sim_realloc(st->st_before,
		    (size_t)n * SIM_TRACE_MAX_KINDS, sizeof(*st->st_before));
		memset(&st->st_before[st->st_nbefore * SIM_TRACE_MAX_KINDS], 0,
		    (size_t)(n - st->st_nbefore) * SIM_TRACE_MAX_KINDS *
			sizeof(*st->st_before));
		st->st_nbefore = n;
	}
	st->st_before[tr->tr_where * SIM_TRACE_MAX_KINDS + tr->tr_kind] = *tr;
}

/*
 * Room for more. Past the limit there is a quarter more, so that the cut, which
 * sorts, is not made for each record; it is where it would have been with all
 * records at hand, as what is left out is never earlier than what is kept.
 */
static void
trace_grow(struct sim_trace *st)
{
	uint64_t limit = st->st_limit < UINT64_MAX / 2
			     ? st->st_limit + st->st_nstates
			     : st->st_limit;
	uint64_t most = limit < UINT64_MAX / 2 ? limit + limit / 4 + 16 : limit;
	uint64_t cap = st->st_cap != 0 ? 2 * st->st_cap : TRACE_FIRST_CAP;

	if (st->st_cap >= most) {
		trace_sort(st);
		trace_cut(st, limit);
		return;
	}
	if (cap > most)
		cap = most;
	st->st_recs = sim_realloc(st->st_recs, cap, sizeof(*st->st_recs));
	st->st_cap = cap;
}

void
sim_trace_sort(struct sim_trace *st)
{
	trace_sort(st);
	if (st->st_n > st->st_nstates &&
	    st->st_n - st->st_nstates > st->st_limit)
		trace_cut(st, st->st_limit + st->st_nstates);
	trace_put_before(st);
}

/* They are earlier than all others: one more pass sorts them in. */
static void
trace_put_before(struct sim_trace *st)
{
	int n = st->st_nbefore * SIM_TRACE_MAX_KINDS;

	for (int i = 0; i < n; i++) {
		if (st->st_before[i].tr_order == 0)
			continue;
		if (st->st_n == st->st_cap) {
			st->st_cap += st->st_cap / 4 + 64;
			st->st_recs = sim_realloc(
			    st->st_recs, st->st_cap, sizeof(*st->st_recs));
		}
		st->st_recs[st->st_n++] = st->st_before[i];
		st->st_nstates++;
	}
	st->st_nbefore = 0;
	trace_sort(st);
}

static void
trace_sort(struct sim_trace *st)
{
	uint64_t i = 1;

	while (i < st->st_n &&
	       trace_compare(&st->st_recs[i - 1], &st->st_recs[i]) < 0)
		i++;
	if (i < st->st_n)
		qsort(
		    st->st_recs, st->st_n, sizeof(*st->st_recs), trace_compare);
}

/* No two records have the same order, so any sort is a stable one. */
static int
trace_compare(const void *va, const void *vb)
{
	const struct sim_trace_rec *a = va, *b = vb;

	if (a->tr_time != b->tr_time)
		return a->tr_time < b->tr_time ? -1 : 1;
	if (a->tr_where != b->tr_where)
		return a->tr_where < b->tr_where ? -1 : 1;
	return (a->tr_order > b->tr_order) - (a->tr_order < b->tr_order);
}

/* Sorted: end it at record n, at the first of those of its time. */
static void
trace_cut(struct sim_trace *st, uint64_t n)
{
	if (n >= st->st_n)
		return;
	st->st_to = sim_max(st->st_recs[n].tr_time, st->st_from);
	while (n > 0 && st->st_recs[n - 1].tr_time == st->st_to)
		n--;
	st->st_lost += st->st_n - n;
	st->st_n = n;
}

struct sim_trace
sim_trace_head(const struct sim_trace *st, uint64_t n)
{
	struct sim_trace head = *st;

	trace_cut(&head, n);
	return head;
}
