#include "sim/core/trace.h"

#include <stdlib.h>

#include "sim/core/alloc.h"

#define TRACE_FIRST_CAP 4096

struct sim_trace *sim_trace_on;

static void trace_grow(struct sim_trace *);
static int trace_compare(const void *, const void *);

void
sim_trace_open(struct sim_trace *st, const struct sim_trace_kind *kinds,
    sim_ns from, sim_ns to, uint64_t limit)
{
	*st = (struct sim_trace){
		.st_kinds = kinds,
		.st_limit = limit,
		.st_from = from,
		.st_to = to,
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
	*st = (struct sim_trace){ 0 };
}

void
sim_trace_sort(struct sim_trace *st)
{
	uint64_t i = 1;

	while (i < st->st_n &&
	       trace_compare(&st->st_recs[i - 1], &st->st_recs[i]) < 0)
		i++;
	if (i < st->st_n)
		qsort(
		    st->st_recs, st->st_n, sizeof(*st->st_recs), trace_compare);
}

void
sim_trace_add(sim_ns t, int where, int kind, uint32_t id, int64_t a, int64_t b)
{
	struct sim_trace *st = sim_trace_on;

	SIM_ASSERT(where >= 0 && where <= UINT16_MAX);
	SIM_ASSERT(kind >= 0 && kind < 64);
	if (t < st->st_from || t >= st->st_to || !(st->st_wanted >> kind & 1))
		return;
	if (st->st_n >= st->st_limit) {
		st->st_lost++;
		return;
	}
	if (st->st_n == st->st_cap)
		trace_grow(st);
	st->st_recs[st->st_n] = (struct sim_trace_rec){
		.tr_time = t,
		.tr_order = st->st_n,
		.tr_kind = (uint16_t)kind,
		.tr_where = (uint16_t)where,
		.tr_id = id,
		.tr_a = a,
		.tr_b = b,
	};
	st->st_n++;
}

static void
trace_grow(struct sim_trace *st)
{
	uint64_t cap = st->st_cap != 0 ? 2 * st->st_cap : TRACE_FIRST_CAP;

	if (cap > st->st_limit)
		cap = st->st_limit;
	st->st_recs = sim_realloc(st->st_recs, cap, sizeof(*st->st_recs));
	st->st_cap = cap;
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
