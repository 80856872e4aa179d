#include "sim/lab/timeline_cpu.h"

#include <string.h>

#include "model/kern/sched.h"
#include "model/net/if.h"
#include "sim/core/alloc.h"

/* Keys of a CPU's threads that are not user threads. */
enum { KEY_NETISR = -1, KEY_IDLE = -2, KEY_INTR = -3 };

static void thread_set(struct timeline_cpu *);
static void who_end(struct timeline_cpu *, struct timeline *);
static void call_end(struct timeline_cpu *, struct timeline *);
static void span(struct timeline_cpu *, struct timeline *,
    struct timeline_rest *, sim_ns end);
static void peer_span(struct timeline_cpu *, struct timeline *, sim_ns end);
static const char *who_name(
    const struct timeline_cpu *, const struct timeline *, enum timeline_who);
static char *text(const char *, int, const char *, int);

void
timeline_cpu_init(struct timeline_cpu *c, struct timeline *tl, uint16_t where)
{
	static const char *const tools[] = {
		[TOOL_WRK] = "wrk",
		[TOOL_OPEN] = "open loop",
		[TOOL_HTTPERF] = "httperf",
		[TOOL_NETPERF] = "netperf",
	};
	const struct model *md = tl->tl_model;
	const struct model_cpu *mc = &md->md_cpus[where];
	const struct setup *su = md->md_setup;

	*c = (struct timeline_cpu){
		.tc_where = where,
		.tc_peer = where >= md->md_nserver_cpus,
		.tc_now = tl->tl_from,
		.tc_since = tl->tl_from,
		.tc_call_since = tl->tl_from,
	};
	if (c->tc_peer) {
		int peer = mc->mc_machine - su->su_nmachines;

		c->tc_tool = tools[su->su_peers[peer].pe_tool];
	} else {
		c->tc_netisr =
		    timeline_keep(tl, text("netisr", -1, "", mc->mc_cpu->c_id));
		c->tc_nvectors = md->md_machines[mc->mc_machine].m_nifnets;
		c->tc_vector =
		    sim_calloc((size_t)c->tc_nvectors, sizeof(*c->tc_vector));
	}
	thread_set(c);
}

/* "em0 rx 1", "netisr 1" */
static char *
text(const char *name, int n, const char *more, int m)
{
	size_t size = strlen(name) + strlen(more) + 32;
	char *s = sim_calloc(size, 1);

	if (n < 0)
		snprintf(s, size, "%s %d", name, m);
	else
		snprintf(s, size, "%s%d%s %d", name, n, more, m);
	return s;
}

/* Who has the CPU now has these rests. */
static void
thread_set(struct timeline_cpu *c)
{
	const struct trace_who *tw = &c->tc_who;
	int key = KEY_INTR;

	if (!tw->tw_intr && tw->tw_thread == TRACE_TD_IDLE)
		key = KEY_IDLE;
	else if (!tw->tw_intr)
		key = tw->tw_thread == TRACE_TD_NETISR ? KEY_NETISR
						       : tw->tw_index;
	for (c->tc_thread = 0; c->tc_thread < c->tc_nthreads; c->tc_thread++)
		if (c->tc_threads[c->tc_thread].tt_key == key)
			return;
	c->tc_threads = sim_realloc(
	    c->tc_threads, (size_t)c->tc_nthreads + 1, sizeof(*c->tc_threads));
	c->tc_threads[c->tc_nthreads++] =
	    (struct timeline_thread){ .tt_key = key, .tt_call = -1 };
}

void
timeline_cpu_pass(struct timeline_cpu *c, struct timeline *tl, sim_ns t)
{
	struct timeline_thread *tt = &c->tc_threads[c->tc_thread];

	while (c->tc_now < t) {
		struct timeline_rest *tr;

		if (tt->tt_n == 0) {
			c->tc_now = t;
			break;
		}
		tr = &tt->tt_rest[tt->tt_n - 1];
		span(c, tl, tr, sim_min(t, c->tc_now + tr->tr_ns));
		if (tr->tr_ns == 0)
			tt->tt_n--;
	}
}

/* It runs until `end`. What goes on without a gap is one span. */
static void
span(struct timeline_cpu *c, struct timeline *tl, struct timeline_rest *tr,
    sim_ns end)
{
	if (end > c->tc_now && tr->tr_item != 0 &&
	    tl->tl_items[tr->tr_item - 1].ti_end == c->tc_now) {
		tl->tl_items[tr->tr_item - 1].ti_end = end;
	} else if (end > c->tc_now) {
		timeline_add(tl, &(struct timeline_item){
				     .ti_start = c->tc_now,
				     .ti_end = end,
				     .ti_what = TIMELINE_COST,
				     .ti_cpu = c->tc_where,
				     .ti_n = tr->tr_cost,
				 });
		tr->tr_item = tl->tl_n;
	}
	if (c->tc_peer && !c->tc_who.tw_intr)
		peer_span(c, tl, end);
	tr->tr_ns -= end - c->tc_now;
	c->tc_now = end;
}

static void
peer_span(struct timeline_cpu *c, struct timeline *tl, sim_ns end)
{
	struct timeline_item *last =
	    c->tc_last != 0 ? &tl->tl_items[c->tc_last - 1] : NULL;

	if (last != NULL && last->ti_end == c->tc_now &&
	    last->ti_n == TIMELINE_USER) {
		last->ti_end = end;
	} else if (end > c->tc_now) {
		timeline_add(tl, &(struct timeline_item){
				     .ti_start = c->tc_now,
				     .ti_end = end,
				     .ti_what = TIMELINE_WHO,
				     .ti_cpu = c->tc_where,
				     .ti_n = TIMELINE_USER,
				     .ti_name = c->tc_tool,
				 });
		c->tc_last = tl->tl_n;
	}
}

bool
timeline_cpu_who(
    struct timeline_cpu *c, struct timeline *tl, const struct sim_trace_rec *tr)
{
	struct trace_who next = c->tc_who;

	if (!trace_who_next(&next, tr))
		return false;
	who_end(c, tl);
	/* Its vector may be told before it begins. */
	if (tr->tr_kind == TRACE_INTR_LEAVE)
		c->tc_intr = c->tc_ithread = NULL;
	c->tc_who = next;
	c->tc_since = c->tc_call_since = c->tc_now;
	thread_set(c);
	return true;
}

void
timeline_cpu_leave(struct timeline_cpu *c, int thread)
{
	for (int i = 0; i < c->tc_nthreads; i++)
		if (c->tc_threads[i].tt_key == thread)
			c->tc_threads[i].tt_n = 0;
}

static enum timeline_who
who(const struct timeline_cpu *c)
{
	static const enum timeline_who threads[] = {
		[TRACE_TD_IDLE] = TIMELINE_IDLE,
		[TRACE_TD_USER] = TIMELINE_USER,
		[TRACE_TD_NETISR] = TIMELINE_NETISR,
	};

	if (c->tc_who.tw_intr)
		return c->tc_who.tw_ithread ? TIMELINE_ITHREAD : TIMELINE_INTR;
	return threads[c->tc_who.tw_thread];
}

/* An interrupt that took no time leaves no gap. */
static void
who_end(struct timeline_cpu *c, struct timeline *tl)
{
	struct timeline_item *last =
	    c->tc_last != 0 ? &tl->tl_items[c->tc_last - 1] : NULL;
	enum timeline_who n = who(c);
	const char *name = who_name(c, tl, n);

	if (c->tc_now == c->tc_since || (c->tc_peer && n == TIMELINE_IDLE))
		return;
	call_end(c, tl);
	if (last != NULL && last->ti_end == c->tc_since && n != TIMELINE_INTR &&
	    last->ti_n == (int32_t)n && strcmp(last->ti_name, name) == 0) {
		last->ti_end = c->tc_now;
		return;
	}
	timeline_add(tl, &(struct timeline_item){
			     .ti_start = c->tc_since,
			     .ti_end = c->tc_now,
			     .ti_what = TIMELINE_WHO,
			     .ti_cpu = c->tc_where,
			     .ti_n = n,
			     .ti_name = name,
			 });
	c->tc_last = tl->tl_n;
}

static const char *
who_name(const struct timeline_cpu *c, const struct timeline *tl,
    enum timeline_who n)
{
	const struct model *md = tl->tl_model;
	const char *name = NULL;

	switch (n) {
	case TIMELINE_INTR:
		name = c->tc_intr;
		break;
	case TIMELINE_ITHREAD:
		name = c->tc_ithread;
		break;
	case TIMELINE_USER:
		name = sched_thread_name(
		    &md->md_machines[md->md_cpus[c->tc_where].mc_machine],
		    c->tc_who.tw_index);
		break;
	case TIMELINE_NETISR:
		name = c->tc_netisr;
		break;
	case TIMELINE_IDLE:
	case TIMELINE_NWHO:
		break;
	}
	return name != NULL ? name : "";
}

static void
call_end(struct timeline_cpu *c, struct timeline *tl)
{
	struct timeline_thread *tt = &c->tc_threads[c->tc_thread];

	if (tt->tt_call < 0 || c->tc_now == c->tc_call_since)
		return;
	if (tt->tt_item != 0 &&
	    tl->tl_items[tt->tt_item - 1].ti_end == c->tc_call_since) {
		tl->tl_items[tt->tt_item - 1].ti_end = c->tc_now;
		return;
	}
	timeline_add(tl, &(struct timeline_item){
			     .ti_start = c->tc_call_since,
			     .ti_end = c->tc_now,
			     .ti_what = TIMELINE_CALL,
			     .ti_cpu = c->tc_where,
			     .ti_id = tt->tt_id,
			     .ti_n = tt->tt_call,
			     .ti_value = tt->tt_fd,
			 });
	tt->tt_item = tl->tl_n;
}

void
timeline_cpu_call(struct timeline_cpu *c, int call, int64_t fd, uint32_t id)
{
	struct timeline_thread *tt = &c->tc_threads[c->tc_thread];

	c->tc_call_since = c->tc_now;
	tt->tt_call = call;
	tt->tt_fd = fd;
	tt->tt_id = id;
	tt->tt_item = 0;
}

/*
 * One that began before the window is known by its return. (Of one connection:
 * or accept(2), which was not known to be of it; other calls came between.)
 */
void
timeline_cpu_return(
    struct timeline_cpu *c, struct timeline *tl, int call, uint32_t id)
{
	struct timeline_thread *tt = &c->tc_threads[c->tc_thread];

	if (tt->tt_call < 0 && !tl->tl_whole)
		return;
	if (tt->tt_call < 0) {
		timeline_cpu_call(c, call, -1, id);
		c->tc_call_since = c->tc_since;
	}
	call_end(c, tl);
	tt->tt_call = -1;
}

/* A message is named after what its handler does first. */
void
timeline_cpu_cost(
    struct timeline_cpu *c, struct timeline *tl, int cost, sim_ns ns)
{
	struct timeline_thread *tt = &c->tc_threads[c->tc_thread];

	if (c->tc_message != 0 && cost != COST_msg_dispatch &&
	    cost != COST_ipi_recv && cost != COST_token) {
		tl->tl_items[c->tc_message - 1].ti_n = cost;
		c->tc_message = 0;
	}
	if (c->tc_who.tw_intr && c->tc_intr == NULL && !c->tc_peer) {
		if (cost == COST_hardclock || cost == COST_fbsd_clock)
			c->tc_intr = "hardclock";
		else if (cost == COST_ipi_recv || cost == COST_ipi_preempt)
			c->tc_intr = "IPI";
	}
	if (ns == 0)
		return;
	SIM_ASSERT(tt->tt_n < TIMELINE_DEPTH);
	tt->tt_rest[tt->tt_n++] =
	    (struct timeline_rest){ .tr_cost = cost, .tr_ns = ns };
}

void
timeline_cpu_vector(
    struct timeline_cpu *c, struct timeline *tl, const struct sim_trace_rec *tr)
{
	const struct model *md = tl->tl_model;
	const struct machine *m =
	    &md->md_machines[md->md_cpus[c->tc_where].mc_machine];
	const char **names = c->tc_vector[tr->tr_b];
	int port = 0;

	if (names[0] == NULL) {
		const char *nic = m->m_ifnets[tr->tr_b]->if_name;

		for (int i = 0; i < tr->tr_b; i++)
			port += strcmp(m->m_ifnets[i]->if_name, nic) == 0;
		names[0] =
		    timeline_keep(tl, text(nic, port, " intr", (int)tr->tr_a));
		names[1] =
		    timeline_keep(tl, text(nic, port, " rx", (int)tr->tr_a));
	}
	if (c->tc_intr == NULL)
		c->tc_intr = names[0];
	c->tc_ithread = names[1];
}

void
timeline_cpu_end(struct timeline_cpu *c, struct timeline *tl)
{
	timeline_cpu_pass(c, tl, tl->tl_to);
	who_end(c, tl);
	for (int i = 0; i < 2; i++)
		sim_free(c->tc_sends[i].ts_recs);
	sim_free(c->tc_threads);
	sim_free(c->tc_vector);
}
