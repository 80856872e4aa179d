#include "model/peer/wrk.h"

#include <string.h>

#define WRK_READ 8192 /* bytes of its receive buffer */

enum slot_state {
	SLOT_IDLE,	 /* not yet started, given up, or (open) free */
	SLOT_CONNECTING, /* SYN sent */
	SLOT_CONNECTED,	 /* writable once: handlers are re-armed */
	SLOT_WRITE,	 /* writable again: may send */
	SLOT_READ,	 /* request sent */
	SLOT_RECONNECT,	 /* failed: closes and connects in the next pass */
};

/* A connection of the tool: what wrk calls a connection, for ever. */
struct slot {
	struct host_conn *sl_conn;
	STAILQ_ENTRY(slot) sl_ready_link;
	uint32_t sl_reqs; /* responses on this connection */
	uint32_t sl_got;  /* bytes of the response */
	uint8_t sl_state; /* enum slot_state */
	bool sl_ready;	  /* on the thread's ready list */
	uint16_t sl_addr;
	struct stages sl_stages;
};

STAILQ_HEAD(slot_queue, slot);

struct wrk_thread {
	struct peer_thread wt_pt; /* first */
	struct slot *wt_slots;	  /* closed loop: all; open loop: NULL */
	int wt_nslots, wt_started;
	struct slot_queue wt_ready;
	uint32_t wt_nready;
	struct cpu_source wt_timer; /* next start or arrival */
	bool wt_due;
	struct sim_pool wt_pool; /* open loop: slots */
	sim_ns wt_next;		 /* open loop: next arrival */
	struct rng wt_rng;
};

struct wrk {
	struct peer wk_peer; /* first */
	struct wrk_thread *wk_threads;
	bool wk_open;
};

static struct peer *wrk_create(const struct setup_peer *,
    const struct setup_run *, const struct host_place *, int64_t response);
static void wrk_destroy(struct peer *);
static double wrk_request_rate(const struct peer *);
static void thread_init(struct wrk *, int i, struct rng_run);
static void thread_actor(void *);
static void thread_timer(struct cpu *, struct cpu_source *);
static void thread_start_due(struct wrk_thread *);
static sim_ns thread_start_arrivals(struct wrk_thread *, struct cpu *);
static sim_ns thread_start_slots(struct wrk_thread *, struct cpu *);
static void thread_pass(struct wrk_thread *);
static void slot_ready(struct wrk_thread *, struct slot *);
static void slot_event(struct wrk_thread *, struct slot *);
static void slot_connect(struct wrk_thread *, struct slot *);
static void slot_write(struct wrk_thread *, struct slot *);
static void slot_read(struct wrk_thread *, struct slot *);
static void slot_done(struct wrk_thread *, struct slot *);
static void slot_next(struct wrk_thread *, struct slot *, sim_ns done);
static void slot_free(struct wrk_thread *, struct slot *);
static void slot_failed(struct host_cpu *, void *, enum tcp_end);
static void slot_writable(struct host_cpu *, void *);
static void slot_readable(struct host_cpu *, void *);

static const struct host_tool_ops wrk_tool_ops = { slot_writable, slot_readable,
	slot_failed };

const struct peer_ops wrk_ops = {
	.po_create = wrk_create,
	.po_destroy = wrk_destroy,
	.po_request_rate = wrk_request_rate,
};

static struct wrk *
thread_wrk(const struct wrk_thread *wt)
{
	return (struct wrk *)wt->wt_pt.pt_peer;
}

static struct peer *
wrk_create(const struct setup_peer *pe, const struct setup_run *sr,
    const struct host_place *hp, int64_t response)
{
	struct wrk *wk = sim_calloc(1, sizeof(*wk));

	peer_init(&wk->wk_peer, &wrk_ops, &wrk_tool_ops, pe, sr, hp, response);
	wk->wk_peer.pp_timeout = pe->pe_timeout;
	wk->wk_open = pe->pe_tool == TOOL_OPEN;
	wk->wk_threads = sim_calloc(pe->pe_threads, sizeof(*wk->wk_threads));
	for (int i = 0; i < pe->pe_threads; i++)
		thread_init(wk, i, hp->hp_run);
	return &wk->wk_peer;
}

static void
thread_init(struct wrk *wk, int i, struct rng_run run)
{
	const struct setup_peer *pe = wk->wk_peer.pp_setup;
	struct host *h = wk->wk_peer.pp_host;
	struct wrk_thread *wt = &wk->wk_threads[i];
	struct host_cpu *ho = h->h_cpus[i];

	peer_thread_init(&wt->wt_pt, &wk->wk_peer, i);
	STAILQ_INIT(&wt->wt_ready);
	rng_init(&wt->wt_rng, run, "wrk.arrival", (uint64_t)ho->ho_cpu.c_where);
	sim_pool_init(&wt->wt_pool, sizeof(struct slot), 64);
	if (!wk->wk_open) {
		wt->wt_nslots = (int)(pe->pe_connections / pe->pe_threads);
		wt->wt_nslots += i < pe->pe_connections % pe->pe_threads;
		wt->wt_slots = sim_arena(wt->wt_nslots, sizeof(struct slot));
	}
	wt->wt_timer.cs_fire = thread_timer;
	cpu_source_add(&ho->ho_cpu, &wt->wt_timer);
	cpu_source_arm(&ho->ho_cpu, &wt->wt_timer, 1);
	engine_actor_create(
	    wt->wt_pt.pt_name, h->h_engine_host, thread_actor, wt);
}

static void
wrk_destroy(struct peer *pp)
{
	struct wrk *wk = (struct wrk *)pp;

	for (int i = 0; i < pp->pp_setup->pe_threads; i++)
		sim_pool_fini(&wk->wk_threads[i].wt_pool, 1);
	peer_fini(pp);
	sim_free(wk->wk_threads);
	sim_free(wk);
}

static double
wrk_request_rate(const struct peer *pp)
{
	return 1e9 * (double)pp->pp_result.pr_completed /
	       (double)pp->pp_run->sr_measure;
}

static void
thread_actor(void *arg)
{
	struct wrk_thread *wt = arg;
	struct cpu *c = &wt->wt_pt.pt_ho->ho_cpu;

	for (;;) {
		if (wt->wt_nready == 0 && !wt->wt_due)
			cpu_idle(c);
		else
			thread_pass(wt);
	}
}

static void
thread_timer(struct cpu *c, struct cpu_source *cs)
{
	struct wrk_thread *wt = cpu_host(c)->ho_tool;

	wt->wt_due = true;
	cpu_source_arm(c, cs, SIM_NEVER);
}

/* One pass: every socket that is ready when the wait returns. */
static void
thread_pass(struct wrk_thread *wt)
{
	struct cpu *c = &wt->wt_pt.pt_ho->ho_cpu;
	uint32_t n;

	cpu_run(c, COST_host_kevent);
	if (wt->wt_due)
		thread_start_due(wt);
	for (n = wt->wt_nready; n > 0; n--) {
		struct slot *sl = STAILQ_FIRST(&wt->wt_ready);

		STAILQ_REMOVE_HEAD(&wt->wt_ready, sl_ready_link);
		sl->sl_ready = false;
		wt->wt_nready--;
		if (wt->wt_nready > 0) {
			const char *next =
			    (const char *)STAILQ_FIRST(&wt->wt_ready);

			for (size_t i = 0; i < sizeof(*sl); i += 64)
				__builtin_prefetch(next + i, 1);
			__builtin_prefetch(
			    STAILQ_NEXT((struct slot *)next, sl_ready_link));
		}
		cpu_run(c, COST_host_event);
		cpu_run(c, COST_wrk_event);
		slot_event(wt, sl);
	}
}

static sim_ns
thread_gap(struct wrk_thread *wt)
{
	const struct setup_peer *pe = wt->wt_pt.pt_peer->pp_setup;
	sim_ns mean = (sim_ns)(1e9 * pe->pe_threads / pe->pe_rate);

	if (pe->pe_arrival == DIST_EXPONENTIAL)
		return rng_exponential(&wt->wt_rng, mean);
	return mean;
}

/* Start what is due, and arm the timer for the next. */
static void
thread_start_due(struct wrk_thread *wt)
{
	struct cpu *c = &wt->wt_pt.pt_ho->ho_cpu;
	sim_ns next;

	wt->wt_due = false;
	if (thread_wrk(wt)->wk_open)
		next = thread_start_arrivals(wt, c);
	else
		next = thread_start_slots(wt, c);
	cpu_source_arm(c, &wt->wt_timer, next);
}

/* Returns: the next arrival. */
static sim_ns
thread_start_arrivals(struct wrk_thread *wt, struct cpu *c)
{
	const struct setup_peer *pe = wt->wt_pt.pt_peer->pp_setup;

	if (wt->wt_next == 0)
		wt->wt_next = thread_gap(wt);
	while (wt->wt_next <= c->c_now) {
		struct slot *sl = sim_pool_get(&wt->wt_pool);
		uint32_t gen = sl->sl_stages.sg_gen;

		memset(sl, 0, sizeof(*sl));
		sl->sl_stages.sg_gen = gen;
		sl->sl_addr = (uint16_t)(wt->wt_started++ % pe->pe_addresses);
		sl->sl_stages.sg_at[STAMP_START] = wt->wt_next;
		wt->wt_next += thread_gap(wt);
		peer_busy(&wt->wt_pt, 1);
		slot_connect(wt, sl);
	}
	return wt->wt_next;
}

/* Returns: when the next slot is to start. */
static sim_ns
thread_start_slots(struct wrk_thread *wt, struct cpu *c)
{
	const struct setup_peer *pe = wt->wt_pt.pt_peer->pp_setup;
	sim_ns next;

	while (wt->wt_started < wt->wt_nslots) {
		struct slot *sl = &wt->wt_slots[wt->wt_started];

		next = peer_slot_start(
		    &wt->wt_pt, wt->wt_started, pe->pe_connections);
		if (next > c->c_now)
			return next;
		sl->sl_addr = (uint16_t)(wt->wt_started++ % pe->pe_addresses);
		sl->sl_stages.sg_at[STAMP_START] = c->c_now;
		peer_busy(&wt->wt_pt, 1);
		slot_connect(wt, sl);
	}
	return SIM_NEVER;
}

static void
slot_ready(struct wrk_thread *wt, struct slot *sl)
{
	if (sl->sl_ready)
		return;
	sl->sl_ready = true;
	STAILQ_INSERT_TAIL(&wt->wt_ready, sl, sl_ready_link);
	wt->wt_nready++;
}

static void
slot_event(struct wrk_thread *wt, struct slot *sl)
{
	switch ((enum slot_state)sl->sl_state) {
	case SLOT_IDLE:
		if (thread_wrk(wt)->wk_open)
			slot_free(wt, sl);
		break;
	case SLOT_CONNECTING:
		break;
	case SLOT_CONNECTED:
		/* Both filters are armed again: writable at once. */
		cpu_run_ns(&wt->wt_pt.pt_ho->ho_cpu, COST_host_change,
		    2 * wt->wt_pt.pt_ho->ho_cpu.c_cost[COST_host_change]);
		if (sl->sl_state == SLOT_CONNECTED) {
			sl->sl_state = SLOT_WRITE;
			slot_ready(wt, sl);
		}
		break;
	case SLOT_WRITE:
		slot_write(wt, sl);
		break;
	case SLOT_READ:
		slot_read(wt, sl);
		break;
	case SLOT_RECONNECT:
		slot_next(wt, sl, wt->wt_pt.pt_ho->ho_cpu.c_now);
		break;
	}
}

/* socket, connect, and two changes. Without a port the slot is dead. */
static void
slot_connect(struct wrk_thread *wt, struct slot *sl)
{
	struct stages *sg = &sl->sl_stages;
	struct cpu *c = &wt->wt_pt.pt_ho->ho_cpu;

	peer_stages_start(&wt->wt_pt, sg, sg->sg_at[STAMP_START]);
	sl->sl_reqs = 0;
	sl->sl_got = 0;
	sl->sl_state = SLOT_CONNECTING;
	sl->sl_conn = host_connect(wt->wt_pt.pt_ho, sl->sl_addr, sl, sg);
	if (sl->sl_conn == NULL) {
		wt->wt_pt.pt_peer->pp_result.pr_dead++;
		peer_busy(&wt->wt_pt, -1);
		sl->sl_state = SLOT_IDLE;
		if (thread_wrk(wt)->wk_open)
			slot_free(wt, sl);
		return;
	}
	peer_opened(&wt->wt_pt);
	cpu_run_ns(c, COST_host_change, 2 * c->c_cost[COST_host_change]);
}

static void
slot_writable(struct host_cpu *ho, void *arg)
{
	struct slot *sl = arg;

	sl->sl_state = SLOT_CONNECTED;
	slot_ready(ho->ho_tool, sl);
}

static void
slot_readable(struct host_cpu *ho, void *arg)
{
	struct slot *sl = arg;

	if (sl->sl_state == SLOT_READ)
		slot_ready(ho->ho_tool, sl);
}

/* The clock starts just before the write; WRITE is dropped after it. */
static void
slot_write(struct wrk_thread *wt, struct slot *sl)
{
	struct cpu *c = &wt->wt_pt.pt_ho->ho_cpu;

	sl->sl_stages.sg_clock = c->c_now;
	sl->sl_got = 0;
	host_write(wt->wt_pt.pt_ho, &sl->sl_conn,
	    (uint32_t)wt->wt_pt.pt_peer->pp_setup->pe_request);
	if (sl->sl_conn == NULL)
		return;
	sl->sl_state = SLOT_READ;
	cpu_run(c, COST_host_change);
	if (sl->sl_conn != NULL &&
	    (sl->sl_conn->hc_unread > 0 || sl->sl_conn->hc_eof))
		slot_ready(wt, sl);
}

/* read(2) until it returns less than the buffer holds. */
static void
slot_read(struct wrk_thread *wt, struct slot *sl)
{
	uint32_t n;

	do {
		n = host_read(wt->wt_pt.pt_ho, &sl->sl_conn, WRK_READ);
		sl->sl_got += n;
	} while (
	    n == WRK_READ && sl->sl_conn != NULL && sl->sl_conn->hc_unread > 0);
	if (sl->sl_conn == NULL)
		return;
	if (sl->sl_got >= wt->wt_pt.pt_peer->pp_response)
		slot_done(wt, sl);
	else if (sl->sl_conn->hc_eof && sl->sl_conn->hc_unread == 0)
		slot_next(wt, sl, wt->wt_pt.pt_ho->ho_cpu.c_now);
}

static void
slot_done(struct wrk_thread *wt, struct slot *sl)
{
	const struct setup_peer *pe = wt->wt_pt.pt_peer->pp_setup;
	sim_ns now = wt->wt_pt.pt_ho->ho_cpu.c_now;

	peer_account(&wt->wt_pt, sl->sl_conn, &sl->sl_stages, now);
	sl->sl_reqs++;
	if (pe->pe_connreqs == 0 || sl->sl_reqs < pe->pe_connreqs) {
		if (!sl->sl_conn->hc_eof) {
			/* Keep the connection: WRITE is armed again. */
			memset(sl->sl_stages.sg_at, 0,
			    sizeof(sl->sl_stages.sg_at));
			sl->sl_stages.sg_at[STAMP_START] = now;
			wt->wt_pt.pt_peer->pp_result.pr_reused++;
			cpu_run(&wt->wt_pt.pt_ho->ho_cpu, COST_host_change);
			if (sl->sl_conn != NULL) {
				sl->sl_state = SLOT_WRITE;
				slot_ready(wt, sl);
			}
			return;
		}
	}
	slot_next(wt, sl, now);
}

/* Open loop: a slot's end. One that is still to be handled goes then. */
static void
slot_free(struct wrk_thread *wt, struct slot *sl)
{
	sl->sl_stages.sg_gen++;
	sl->sl_state = SLOT_IDLE;
	if (!sl->sl_ready)
		sim_pool_put(&wt->wt_pool, sl);
}

/* Close, and begin the next cycle in the same pass. */
static void
slot_next(struct wrk_thread *wt, struct slot *sl, sim_ns done)
{
	if (sl->sl_conn != NULL && host_close(wt->wt_pt.pt_ho, &sl->sl_conn))
		peer_closed(&wt->wt_pt);
	if (thread_wrk(wt)->wk_open) {
		peer_busy(&wt->wt_pt, -1);
		slot_free(wt, sl);
		return;
	}
	sl->sl_stages.sg_at[STAMP_START] = done;
	slot_connect(wt, sl);
}

/* Reset or timed out: counted, and connected again in the next pass. */
static void
slot_failed(struct host_cpu *ho, void *arg, enum tcp_end end)
{
	struct wrk_thread *wt = ho->ho_tool;
	struct slot *sl = arg;

	sl->sl_conn = NULL;
	peer_ended(&wt->wt_pt, end);
	sl->sl_state = SLOT_RECONNECT;
	slot_ready(wt, sl);
}
