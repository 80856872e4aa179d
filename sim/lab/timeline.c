#include "sim/lab/timeline.h"

#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/lab/timeline_cpu.h"

static void cpus_init(struct timeline_cpu *, struct timeline *);
static void record(
    struct timeline_cpu *, struct timeline *, const struct sim_trace_rec *);
static void moved(struct timeline_cpu *, const struct timeline *,
    const struct sim_trace_rec *, int first);
static void event(
    struct timeline_cpu *, struct timeline *, const struct sim_trace_rec *);
static void send(struct timeline_cpu *cpus, const struct sim_trace_rec *,
    int queue, uint16_t to);
static void take(struct timeline_cpu *, struct timeline *,
    const struct sim_trace_rec *, int queue);
static int compare_time(const void *, const void *);
static int compare_cpu(const void *, const void *);

const char *const timeline_who_names[TIMELINE_NWHO] = {
	[TIMELINE_IDLE] = "idle",
	[TIMELINE_USER] = "user",
	[TIMELINE_NETISR] = "netisr",
	[TIMELINE_INTR] = "intr",
	[TIMELINE_ITHREAD] = "ithread",
};

void
timeline_init(struct timeline *tl, struct sim_trace *st, const struct model *md)
{
	struct timeline_cpu *cpus =
	    sim_calloc((size_t)md->md_ncpus + 1, sizeof(*cpus));

	sim_trace_sort(st);
	*tl = (struct timeline){
		.tl_model = md,
		.tl_from = st->st_from,
		.tl_whole = st->st_only == 0,
		.tl_to = sim_min(st->st_to, md->md_end),
	};
	tl->tl_to = sim_max(tl->tl_to, tl->tl_from);
	cpus_init(cpus, tl);
	for (uint64_t i = 0; i < st->st_n; i++)
		if (st->st_recs[i].tr_where < md->md_ncpus)
			record(cpus, tl, &st->st_recs[i]);
	for (int i = 0; i < md->md_ncpus; i++)
		timeline_cpu_end(&cpus[i], tl);
	sim_free(cpus);
}

void
timeline_fini(struct timeline *tl)
{
	for (int i = 0; i < tl->tl_nnames; i++)
		sim_free(tl->tl_names[i]);
	sim_free(tl->tl_names);
	sim_free(tl->tl_items);
}

static void
cpus_init(struct timeline_cpu *cpus, struct timeline *tl)
{
	const struct model *md = tl->tl_model;

	for (int i = 0; i < md->md_ncpus; i++)
		timeline_cpu_init(&cpus[i], tl, (uint16_t)i);
}

struct timeline_item *
timeline_add(struct timeline *tl, const struct timeline_item *ti)
{
	if (tl->tl_n == tl->tl_cap) {
		tl->tl_cap = tl->tl_cap != 0 ? 2 * tl->tl_cap : 1024;
		tl->tl_items = sim_realloc(
		    tl->tl_items, tl->tl_cap, sizeof(*tl->tl_items));
	}
	tl->tl_items[tl->tl_n] = *ti;
	return &tl->tl_items[tl->tl_n++];
}

const char *
timeline_keep(struct timeline *tl, char *name)
{
	tl->tl_names = sim_realloc(
	    tl->tl_names, (size_t)tl->tl_nnames + 1, sizeof(*tl->tl_names));
	return tl->tl_names[tl->tl_nnames++] = name;
}

static void
record(struct timeline_cpu *cpus, struct timeline *tl,
    const struct sim_trace_rec *tr)
{
	struct timeline_cpu *c = &cpus[tr->tr_where];
	/* CPUs of a machine are one after another. */
	int first =
	    tr->tr_where - tl->tl_model->md_cpus[tr->tr_where].mc_cpu->c_id;

	timeline_cpu_pass(c, tl, tr->tr_time);
	switch (tr->tr_kind) {
	case TRACE_COST:
		timeline_cpu_cost(c, tl, (int)tr->tr_a, tr->tr_b);
		break;
	case TRACE_SYSCALL:
		timeline_cpu_call(c, (int)tr->tr_a, tr->tr_b, tr->tr_id);
		break;
	case TRACE_SYSRET:
		timeline_cpu_return(c, tl, (int)tr->tr_a, tr->tr_id);
		break;
	case TRACE_INTR:
		timeline_cpu_vector(c, tl, tr);
		break;
	case TRACE_MSG_SEND:
	case TRACE_IPIQ_SEND:
		send(cpus, tr, tr->tr_kind == TRACE_IPIQ_SEND,
		    (uint16_t)(first + tr->tr_a));
		break;
	case TRACE_MSG_TAKE:
	case TRACE_IPIQ_TAKE:
		take(c, tl, tr, tr->tr_kind == TRACE_IPIQ_TAKE);
		break;
	default:
		if (!timeline_cpu_who(c, tl, tr))
			event(c, tl, tr);
		else if (tr->tr_kind == TRACE_THREAD &&
			 tr->tr_a == TRACE_TD_USER)
			moved(cpus, tl, tr, first);
	}
}

/* A thread has this CPU now, and none of the others of the machine. */
static void
moved(struct timeline_cpu *cpus, const struct timeline *tl,
    const struct sim_trace_rec *tr, int first)
{
	const struct model *md = tl->tl_model;
	int machine = md->md_cpus[first].mc_machine;

	for (int i = first;
	     i < md->md_ncpus && md->md_cpus[i].mc_machine == machine; i++)
		if (i != tr->tr_where)
			timeline_cpu_leave(&cpus[i], (int)tr->tr_b);
}

static void
event(
    struct timeline_cpu *c, struct timeline *tl, const struct sim_trace_rec *tr)
{
	struct timeline_item ti = {
		.ti_start = sim_max(tr->tr_time, tl->tl_from),
		.ti_end = sim_max(tr->tr_time, tl->tl_from),
		.ti_cpu = c->tc_where,
		.ti_id = tr->tr_id,
		.ti_what = TIMELINE_MARK,
		.ti_rec = tr,
	};

	if (tr->tr_kind == TRACE_SO_QLEN) {
		ti.ti_what = TIMELINE_QLEN;
		ti.ti_n = (int32_t)tr->tr_a;
		ti.ti_value = tr->tr_b;
	} else if (timeline_mark(tr) == NULL) {
		return;
	}
	timeline_add(tl, &ti);
}

static void
send(struct timeline_cpu *cpus, const struct sim_trace_rec *tr, int queue,
    uint16_t to)
{
	struct timeline_sends *ts = &cpus[to].tc_sends[queue];

	if (ts->ts_n == ts->ts_cap) {
		ts->ts_cap = ts->ts_cap != 0 ? 2 * ts->ts_cap : 16;
		ts->ts_recs =
		    sim_realloc(ts->ts_recs, ts->ts_cap, sizeof(*ts->ts_recs));
	}
	ts->ts_recs[ts->ts_n++] = tr;
}

/* Those before it in the queue have been taken, which was not recorded. */
static void
take(struct timeline_cpu *c, struct timeline *tl,
    const struct sim_trace_rec *tr, int queue)
{
	struct timeline_sends *ts = &c->tc_sends[queue];
	const struct sim_trace_rec *sent;

	c->tc_message = 0;
	while (
	    ts->ts_head < ts->ts_n && ts->ts_recs[ts->ts_head]->tr_b < tr->tr_a)
		ts->ts_head++;
	if (ts->ts_head == ts->ts_n)
		ts->ts_head = ts->ts_n = 0;
	if (ts->ts_n == 0 || ts->ts_recs[ts->ts_head]->tr_b != tr->tr_a)
		return;
	sent = ts->ts_recs[ts->ts_head++];
	timeline_add(tl, &(struct timeline_item){
			     .ti_start = sent->tr_time,
			     .ti_end = tr->tr_time,
			     .ti_cpu = c->tc_where,
			     .ti_from = sent->tr_where,
			     .ti_what = TIMELINE_MESSAGE,
			     .ti_n = -1,
			 });
	c->tc_message = tl->tl_n;
}

const char *
timeline_mark(const struct sim_trace_rec *tr)
{
	static const char *const sorts[TRACE_N] = {
		[TRACE_RX] = "packet",
		[TRACE_TX] = "packet",
		[TRACE_SYN_DROP] = "drop",
		[TRACE_REFUSED] = "drop",
		[TRACE_RST] = "reset",
		[TRACE_SYNCACHE_ADD] = "tcp",
		[TRACE_SYNCACHE_EXPAND] = "tcp",
		[TRACE_SONEWCONN] = "tcp",
		[TRACE_ESTABLISHED] = "tcp",
		[TRACE_KEVENT] = "event",
		[TRACE_ACCEPT] = "accept",
		[TRACE_WAKEUP] = "wakeup",
		[TRACE_TOKEN_GET] = "token",
		[TRACE_TOKEN_COLLISION] = "token",
	};

	if (tr->tr_kind == TRACE_TOKEN_GET && tr->tr_b == 0)
		return NULL;
	return sorts[tr->tr_kind];
}

void
timeline_sort(struct timeline *tl, bool by_cpu)
{
	if (tl->tl_n > 0)
		qsort(tl->tl_items, tl->tl_n, sizeof(*tl->tl_items),
		    by_cpu ? compare_cpu : compare_time);
}

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

/*
 * No two that are equal here differ: of a CPU's spans of one sort at most one
 * begins at a time, marks and lengths have their record, messages their ends.
 * Records are in order of time, also those from before the window.
 */
static int
compare_rest(const struct timeline_item *a, const struct timeline_item *b)
{
	if (a->ti_end != b->ti_end)
		return ORDER(b->ti_end, a->ti_end);
	if (a->ti_from != b->ti_from)
		return ORDER(a->ti_from, b->ti_from);
	if (a->ti_n != b->ti_n)
		return ORDER(a->ti_n, b->ti_n);
	return ORDER(a->ti_value, b->ti_value);
}

static int
compare_time(const void *va, const void *vb)
{
	const struct timeline_item *a = va, *b = vb;

	if (a->ti_start != b->ti_start)
		return ORDER(a->ti_start, b->ti_start);
	if (a->ti_what != b->ti_what)
		return ORDER(a->ti_what, b->ti_what);
	if (a->ti_rec != b->ti_rec)
		return ORDER(a->ti_rec, b->ti_rec);
	if (a->ti_cpu != b->ti_cpu)
		return ORDER(a->ti_cpu, b->ti_cpu);
	return compare_rest(a, b);
}

static int
compare_cpu(const void *va, const void *vb)
{
	const struct timeline_item *a = va, *b = vb;

	if (a->ti_cpu != b->ti_cpu)
		return ORDER(a->ti_cpu, b->ti_cpu);
	if (a->ti_what != b->ti_what)
		return ORDER(a->ti_what, b->ti_what);
	if (a->ti_start != b->ti_start)
		return ORDER(a->ti_start, b->ti_start);
	if (a->ti_rec != b->ti_rec)
		return ORDER(a->ti_rec, b->ti_rec);
	return compare_rest(a, b);
}
