#ifndef TESTS_FUZZ_ACCEPT_REF_H
#define TESTS_FUZZ_ACCEPT_REF_H

/*
 * What accept(2) promises, the naive way: a queue of connections and a list of
 * those who wait. Every trace record is an occasion to compare with the kernel,
 * so this file takes the place of sim/core/trace.c: ref_record() sees each one
 * as it is made.
 */
#include <stdarg.h>
#include <string.h>

#include "sim/core/trace.h"

void sim_trace_keep(
    sim_ns t, int where, int kind, uint32_t id, int64_t a, int64_t b);

#define sim_trace_add sim_trace_keep
#include "sim/core/trace.c"
#undef sim_trace_add

#include "model/kern/sched.h"
#include "model/kern/socket.h"
#include "tests/fuzz/accept_plan.h"

#define REF_RECORDS (1 << 20)

/* Shared with the parent: what a run says of itself. */
struct report {
	char re_text[512]; /* the first failure; empty: none */
	int re_failures;
	int re_completed, re_accepted, re_waited, re_aborted, re_refused;
	uint64_t re_n;
	struct sim_trace_rec re_recs[REF_RECORDS];
};

struct ref_thread {
	struct thread *rt_td;
	bool rt_calls;	    /* in accept(2) */
	bool rt_hit;	    /* a signal may come in this call */
	int rt_sending;	    /* signals that are being sent */
	uint32_t rt_served; /* taken for it while it waited; 0: nothing */
};

struct ref_waiter {
	const struct netmsg_so_notify *rw_sn;
	struct ref_thread *rw_thread;
	bool rw_served;
};

static struct {
	struct report *report;
	struct machine *m;
	struct so_listen *head;
	uint32_t queue[PLAN_OPS]; /* flows in order */
	int qlen;
	bool comp[65536], taken[65536], given[65536]; /* by flow */
	struct ref_thread threads[PLAN_THREADS];
	int nthreads;
	struct ref_waiter wait[PLAN_THREADS];
	int nwait, announced; /* seen to be queued, not yet on the list */
	bool asks[PLAN_CPUS]; /* the predicate is being asked */
	sim_ns freed[64];     /* tokens: since when */
} ref;

static void ref_fail(const char *, ...) __attribute__((format(printf, 1, 2)));

static void
ref_fail(const char *format, ...)
{
	struct report *re = ref.report;
	va_list ap;

	if (re->re_failures++ > 0)
		return;
	va_start(ap, format);
	vsnprintf(re->re_text, sizeof(re->re_text), format, ap);
	va_end(ap);
}

#define REF_CHECK(e, ...)                      \
	do {                                   \
		if (!(e))                      \
			ref_fail(__VA_ARGS__); \
	} while (0)

static struct ref_thread *
ref_thread(const struct thread *td)
{
	for (int i = 0; i < ref.nthreads; i++)
		if (ref.threads[i].rt_td == td)
			return &ref.threads[i];
	return NULL;
}

/* The completion queue: its list, its length, and ours. */
static void
ref_queue(sim_ns now)
{
	const struct so *so;
	int n = 0;

	TAILQ_FOREACH (so, &ref.head->so_comp, so_list) {
		REF_CHECK(n < ref.qlen && ref.queue[n] == so->so_flow,
		    "%lld: so_comp has %u at %d", (long long)now, so->so_flow,
		    n);
		n++;
	}
	REF_CHECK(n == ref.qlen && n == ref.head->so_qlen,
	    "%lld: %d sockets on so_comp, so_qlen %d, want %d", (long long)now,
	    n, ref.head->so_qlen, ref.qlen);
}

static void
ref_completed(const struct sim_trace_rec *tr)
{
	uint32_t flow = tr->tr_id;

	REF_CHECK(!ref.comp[flow], "%u completed twice", flow);
	REF_CHECK(lwkt_token_held(ref.m->m_gd[tr->tr_where], &ref.head->sl_tok),
	    "%u completed without the token", flow);
	ref.comp[flow] = true;
	ref.taken[flow] = ref.given[flow] = false;
	ref.queue[ref.qlen++] = flow;
	ref.report->re_completed++;
}

static void
ref_taken(const struct sim_trace_rec *tr)
{
	uint32_t flow = tr->tr_id;

	ref.asks[tr->tr_where] = false;
	REF_CHECK(lwkt_token_held(ref.m->m_gd[tr->tr_where], &ref.head->sl_tok),
	    "%u taken without the token", flow);
	REF_CHECK(ref.qlen > 0 && ref.queue[0] == flow, "%u taken, want %u",
	    flow, ref.qlen > 0 ? ref.queue[0] : 0);
	REF_CHECK(!ref.taken[flow], "%u taken twice", flow);
	ref.taken[flow] = true;
	memmove(ref.queue, ref.queue + 1, sizeof(ref.queue[0]) * --ref.qlen);
	ref.report->re_accepted++;
	for (int i = 0; i < ref.nwait; i++) {
		struct ref_waiter *rw = &ref.wait[i];

		if (rw->rw_sn->sn_so == NULL ||
		    rw->rw_sn->sn_so->so_flow != flow)
			continue;
		REF_CHECK(i == 0 && !rw->rw_served,
		    "%u is for waiter %d, not the first", flow, i);
		rw->rw_served = true;
		rw->rw_thread->rt_served = flow;
	}
}

/* A waiter is no longer on sl_mlist: it has its socket, or a signal came. */
static void
ref_wait_ends(int i)
{
	const struct ref_waiter *rw = &ref.wait[i];

	if (!rw->rw_served) {
		ref.report->re_aborted++;
		REF_CHECK(rw->rw_thread->rt_hit,
		    "%s waits no more, without socket or signal",
		    rw->rw_thread->rt_td->td_name);
	}
	ref.nwait--;
	memmove(&ref.wait[i], &ref.wait[i + 1],
	    sizeof(ref.wait[0]) * (size_t)(ref.nwait - i));
}

/* sl_mlist: some go, new ones come at its end, in the order announced. */
static void
ref_waiters(void)
{
	const struct netmsg_so_notify *sn;
	int i = 0;

	TAILQ_FOREACH (sn, &ref.head->sl_mlist, sn_link) {
		while (i < ref.nwait && ref.wait[i].rw_sn != sn)
			ref_wait_ends(i);
		if (i == ref.nwait) {
			REF_CHECK(ref.announced-- > 0, "who waits here?");
			ref.wait[ref.nwait++] = (struct ref_waiter){ sn,
				ref_thread(sn->sn_msg.ns_td), false };
			ref.report->re_waited++;
		}
		i++;
	}
	while (i < ref.nwait)
		ref_wait_ends(i);
}

/* Of those who try for a token that is free, the first must know of it. */
static void
ref_spinners(sim_ns now)
{
	for (int i = 0; i < ref.m->m_ntoks; i++) {
		const struct tok *tok = ref.m->m_toks[i];
		bool known = tok->t_spinners[0] == 0;

		if (known || tok->t_owner != NULL || now <= ref.freed[i])
			continue;
		for (int c = 0; c < ref.m->m_ncpus; c++) {
			const struct spin *sp = &ref.m->m_gd[c]->gd_spin;

			known |= (tok->t_spinners[0] >> c & 1) != 0 &&
				 sp->sp_until <= now + sp->sp_period;
		}
		REF_CHECK(known,
		    "%lld: nobody knows that %s %d is free, since %lld",
		    (long long)now, tok->t_desc, tok->t_index,
		    (long long)ref.freed[i]);
	}
}

static void
ref_released(const struct sim_trace_rec *tr)
{
	bool *asks = &ref.asks[tr->tr_where];
	bool listener = tr->tr_a == ref.head->sl_tok.t_id;

	ref.freed[tr->tr_a] = engine_now();
	REF_CHECK(!listener || !*asks || ref.qlen == 0,
	    "accept(2) was told no with %d waiting", ref.qlen);
	*asks &= !listener;
}

/* The place of a record is a CPU, or a wire: index by it where it is a CPU. */
static void
ref_record(const struct sim_trace_rec *tr)
{
	switch (tr->tr_kind) {
	case TRACE_SONEWCONN:
		ref_completed(tr);
		break;
	case TRACE_ACCEPT:
		ref_taken(tr);
		break;
	case TRACE_REFUSED:
		ref.report->re_refused++;
		break;
	case TRACE_NOTIFY:
		REF_CHECK(tr->tr_id != 0 || ref.qlen == 0,
		    "no socket for accept(2), and %d wait", ref.qlen);
		ref.announced += tr->tr_b != 0;
		break;
	case TRACE_COST:
		ref.asks[tr->tr_where] |= tr->tr_a == COST_soaccept_predicate;
		break;
	case TRACE_TOKEN_REL:
		ref_released(tr);
		break;
	}
	ref_queue(tr->tr_time);
	ref_waiters();
	ref_spinners(engine_now());
}

void
sim_trace_add(sim_ns t, int where, int kind, uint32_t id, int64_t a, int64_t b)
{
	struct report *re = ref.report;
	struct sim_trace_rec *tr = &re->re_recs[re->re_n];

	SIM_ASSERT(re->re_n < REF_RECORDS);
	*tr = (struct sim_trace_rec){ t, re->re_n++, (uint16_t)kind,
		(uint16_t)where, id, a, b };
	if (ref.head != NULL)
		ref_record(tr);
}

#endif
