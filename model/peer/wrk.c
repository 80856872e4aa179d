#include "model/peer/wrk.h"

#include <stdio.h>
#include <string.h>

#define WRK_READ 8192	/* bytes of its receive buffer */
#define WRK_BIN_SHIFT 4 /* latency buckets a stage bin */

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
	struct wrk *wt_wrk;
	struct host_cpu *wt_ho;
	char wt_name[64];
	struct slot *wt_slots; /* closed loop: all; open loop: NULL */
	int wt_nslots, wt_started;
	struct slot_queue wt_ready;
	uint32_t wt_nready;
	struct cpu_source wt_timer; /* next start or arrival */
	bool wt_due;
	struct sim_pool wt_pool; /* open loop: slots */
	sim_ns wt_next;		 /* open loop: next arrival */
	struct rng wt_rng;
	bool wt_measuring;
	int64_t wt_busy_slots; /* slots in a cycle now */
	sim_ns wt_busy_since;
	uint32_t wt_conns; /* connections held */
};

struct wrk {
	const struct setup_peer *wk_setup;
	const struct setup_run *wk_run;
	struct host *wk_host;
	struct wrk_thread *wk_threads;
	struct wrk_result wk_result;
	int64_t wk_response; /* bytes of a response */
	bool wk_open;
};

static void thread_init(struct wrk *, int i, int engine_host, struct rng_run);
static void thread_actor(void *);
static void thread_timer(struct cpu *, struct cpu_source *);
static void thread_start_due(struct wrk_thread *);
static void thread_pass(struct wrk_thread *);
static void slot_ready(struct wrk_thread *, struct slot *);
static void slot_busy(struct wrk_thread *, int change);
static void slot_event(struct wrk_thread *, struct slot *);
static void slot_connect(struct wrk_thread *, struct slot *);
static void slot_write(struct wrk_thread *, struct slot *);
static void slot_read(struct wrk_thread *, struct slot *);
static void slot_done(struct wrk_thread *, struct slot *);
static void slot_account(struct wrk_thread *, struct slot *, sim_ns done);
static void slot_next(struct wrk_thread *, struct slot *, sim_ns done);
static void slot_free(struct wrk_thread *, struct slot *);
static void slot_failed(struct host_cpu *, void *, enum tcp_end);
static void slot_writable(struct host_cpu *, void *);
static void slot_readable(struct host_cpu *, void *);

static const struct host_tool_ops wrk_tool_ops = { slot_writable, slot_readable,
	slot_failed };

struct wrk *
wrk_create(const struct setup_peer *pe, const struct setup_run *sr,
    const struct toeplitz *tz, uint32_t addr0, uint32_t ip0, uint32_t server,
    struct flow **flows, struct wire *tx, int engine_host, int where,
    const struct cpu_marks *marks, bool exact, struct rng_run run,
    int64_t response)
{
	struct wrk *wk = sim_calloc(1, sizeof(*wk));
	struct wrk_result *wr = &wk->wk_result;

	wk->wk_setup = pe;
	wk->wk_run = sr;
	wk->wk_response = response;
	wk->wk_open = pe->pe_tool == TOOL_OPEN;
	wk->wk_host = host_create(pe, tz, &wrk_tool_ops, addr0, ip0, server,
	    flows, tx, where, marks, exact, run);
	hist_init(&wr->wr_latency, 1, SIM_HOUR, 3);
	hist_init(&wr->wr_cycle, 1, SIM_HOUR, 3);
	wr->wr_nbins = (wr->wr_latency.h_counts_len >> WRK_BIN_SHIFT) + 1;
	wr->wr_bins = sim_calloc(wr->wr_nbins, sizeof(*wr->wr_bins));
	wr->wr_nslices =
	    (int)((sr->sr_measure + sr->sr_slice - 1) / sr->sr_slice);
	wr->wr_slices = sim_calloc(wr->wr_nslices, sizeof(*wr->wr_slices));
	wk->wk_threads = sim_calloc(pe->pe_threads, sizeof(*wk->wk_threads));
	for (int i = 0; i < pe->pe_threads; i++)
		thread_init(wk, i, engine_host, run);
	return wk;
}

static void
thread_init(struct wrk *wk, int i, int engine_host, struct rng_run run)
{
	const struct setup_peer *pe = wk->wk_setup;
	struct wrk_thread *wt = &wk->wk_threads[i];
	struct host_cpu *ho = wk->wk_host->h_cpus[i];

	wt->wt_wrk = wk;
	wt->wt_ho = ho;
	ho->ho_tool = wt;
	STAILQ_INIT(&wt->wt_ready);
	snprintf(wt->wt_name, sizeof(wt->wt_name), "%s %d", pe->pe_name, i);
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
	engine_actor_create(wt->wt_name, engine_host, thread_actor, wt);
}

void
wrk_destroy(struct wrk *wk)
{
	if (wk == NULL)
		return;
	for (int i = 0; i < wk->wk_setup->pe_threads; i++) {
		sim_pool_fini(&wk->wk_threads[i].wt_pool, 1);
	}
	host_destroy(wk->wk_host);
	hist_fini(&wk->wk_result.wr_latency);
	hist_fini(&wk->wk_result.wr_cycle);
	sim_free(wk->wk_result.wr_bins);
	sim_free(wk->wk_result.wr_slices);
	sim_free(wk->wk_threads);
	sim_free(wk);
}

struct host *
wrk_host(struct wrk *wk)
{
	return wk->wk_host;
}

struct wrk_result *
wrk_result(struct wrk *wk)
{
	return &wk->wk_result;
}

uint64_t
wrk_in_progress(struct wrk *wk)
{
	uint64_t n = 0;

	for (int i = 0; i < wk->wk_setup->pe_threads; i++)
		n += wk->wk_threads[i].wt_conns;
	return n;
}

void
wrk_mark(struct host_cpu *ho, sim_ns now, bool end)
{
	struct wrk_thread *wt = ho->ho_tool;
	struct wrk_result *wr = &wt->wt_wrk->wk_result;

	if (end)
		wr->wr_slot_ns += wt->wt_busy_slots * (now - wt->wt_busy_since);
	wt->wt_busy_since = now;
	wt->wt_measuring = !end;
}

static void
thread_actor(void *arg)
{
	struct wrk_thread *wt = arg;
	struct cpu *c = &wt->wt_ho->ho_cpu;

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
	struct cpu *c = &wt->wt_ho->ho_cpu;
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

/* When a closed loop's slot starts: at once, or spread evenly over the ramp. */
static sim_ns
thread_slot_start(const struct wrk_thread *wt, int i)
{
	const struct wrk *wk = wt->wt_wrk;
	int64_t k = (int64_t)i * wk->wk_setup->pe_threads + wt->wt_ho->ho_index;

	if (wk->wk_run->sr_start == START_BURST)
		return 1;
	return 1 + wk->wk_run->sr_ramp * k / wk->wk_setup->pe_connections;
}

static sim_ns
thread_gap(struct wrk_thread *wt)
{
	const struct setup_peer *pe = wt->wt_wrk->wk_setup;
	sim_ns mean = (sim_ns)(1e9 * pe->pe_threads / pe->pe_rate);

	if (pe->pe_arrival == DIST_EXPONENTIAL)
		return rng_exponential(&wt->wt_rng, mean);
	return mean;
}

/* Start what is due, and arm the timer for the next. */
static void
thread_start_due(struct wrk_thread *wt)
{
	struct cpu *c = &wt->wt_ho->ho_cpu;
	sim_ns next = SIM_NEVER;

	wt->wt_due = false;
	if (wt->wt_wrk->wk_open) {
		if (wt->wt_next == 0)
			wt->wt_next = thread_gap(wt);
		while (wt->wt_next <= c->c_now) {
			struct slot *sl = sim_pool_get(&wt->wt_pool);
			uint32_t gen = sl->sl_stages.sg_gen;

			memset(sl, 0, sizeof(*sl));
			sl->sl_stages.sg_gen = gen;
			sl->sl_addr =
			    (uint16_t)(wt->wt_started++ %
				       wt->wt_wrk->wk_setup->pe_addresses);
			sl->sl_stages.sg_at[STAMP_START] = wt->wt_next;
			wt->wt_next += thread_gap(wt);
			slot_busy(wt, 1);
			slot_connect(wt, sl);
		}
		next = wt->wt_next;
	} else {
		while (wt->wt_started < wt->wt_nslots &&
		       thread_slot_start(wt, wt->wt_started) <= c->c_now) {
			struct slot *sl = &wt->wt_slots[wt->wt_started];

			sl->sl_addr =
			    (uint16_t)(wt->wt_started %
				       wt->wt_wrk->wk_setup->pe_addresses);
			wt->wt_started++;
			sl->sl_stages.sg_at[STAMP_START] = c->c_now;
			slot_busy(wt, 1);
			slot_connect(wt, sl);
		}
		if (wt->wt_started < wt->wt_nslots)
			next = thread_slot_start(wt, wt->wt_started);
	}
	cpu_source_arm(c, &wt->wt_timer, next);
}

static void
slot_busy(struct wrk_thread *wt, int change)
{
	sim_ns now = wt->wt_ho->ho_cpu.c_now;

	if (wt->wt_measuring)
		wt->wt_wrk->wk_result.wr_slot_ns +=
		    wt->wt_busy_slots * (now - wt->wt_busy_since);
	wt->wt_busy_since = now;
	wt->wt_busy_slots += change;
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
		if (wt->wt_wrk->wk_open)
			slot_free(wt, sl);
		break;
	case SLOT_CONNECTING:
		break;
	case SLOT_CONNECTED:
		/* Both filters are armed again: writable at once. */
		cpu_run_ns(&wt->wt_ho->ho_cpu, COST_host_change,
		    2 * wt->wt_ho->ho_cpu.c_cost[COST_host_change]);
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
		slot_next(wt, sl, wt->wt_ho->ho_cpu.c_now);
		break;
	}
}

/* socket, connect, and two changes. Without a port the slot is dead. */
static void
slot_connect(struct wrk_thread *wt, struct slot *sl)
{
	struct stages *sg = &sl->sl_stages;
	struct wrk_result *wr = &wt->wt_wrk->wk_result;
	struct cpu *c = &wt->wt_ho->ho_cpu;
	sim_ns start = sg->sg_at[STAMP_START];
	uint32_t gen = sg->sg_gen + 1;

	memset(sg, 0, sizeof(*sg));
	sg->sg_gen = gen;
	sg->sg_request = (uint32_t)wt->wt_wrk->wk_setup->pe_request;
	sg->sg_at[STAMP_START] = start;
	sl->sl_reqs = 0;
	sl->sl_got = 0;
	sl->sl_state = SLOT_CONNECTING;
	sl->sl_conn = host_connect(wt->wt_ho, sl->sl_addr, sl, sg);
	if (sl->sl_conn == NULL) {
		wr->wr_dead++;
		slot_busy(wt, -1);
		sl->sl_state = SLOT_IDLE;
		if (wt->wt_wrk->wk_open)
			slot_free(wt, sl);
		return;
	}
	wr->wr_opened++;
	wt->wt_conns++;
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
	struct cpu *c = &wt->wt_ho->ho_cpu;

	sl->sl_stages.sg_clock = c->c_now;
	sl->sl_got = 0;
	host_write(wt->wt_ho, &sl->sl_conn,
	    (uint32_t)wt->wt_wrk->wk_setup->pe_request);
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
		n = host_read(wt->wt_ho, &sl->sl_conn, WRK_READ);
		sl->sl_got += n;
	} while (
	    n == WRK_READ && sl->sl_conn != NULL && sl->sl_conn->hc_unread > 0);
	if (sl->sl_conn == NULL)
		return;
	if (sl->sl_got >= wt->wt_wrk->wk_response)
		slot_done(wt, sl);
	else if (sl->sl_conn->hc_eof && sl->sl_conn->hc_unread == 0)
		slot_next(wt, sl, wt->wt_ho->ho_cpu.c_now);
}

static void
slot_done(struct wrk_thread *wt, struct slot *sl)
{
	const struct setup_peer *pe = wt->wt_wrk->wk_setup;
	sim_ns now = wt->wt_ho->ho_cpu.c_now;

	sl->sl_stages.sg_at[STAMP_TX] =
	    sl->sl_conn->hc_last_data - wt->wt_ho->ho_vector.nv_wire->w_latency;
	slot_account(wt, sl, now);
	sl->sl_reqs++;
	if (pe->pe_connreqs == 0 || sl->sl_reqs < pe->pe_connreqs) {
		if (!sl->sl_conn->hc_eof) {
			/* Keep the connection: WRITE is armed again. */
			memset(sl->sl_stages.sg_at, 0,
			    sizeof(sl->sl_stages.sg_at));
			sl->sl_stages.sg_at[STAMP_START] = now;
			wt->wt_wrk->wk_result.wr_reused++;
			cpu_run(&wt->wt_ho->ho_cpu, COST_host_change);
			if (sl->sl_conn != NULL) {
				sl->sl_state = SLOT_WRITE;
				slot_ready(wt, sl);
			}
			return;
		}
	}
	slot_next(wt, sl, now);
}

/*
 * Add a finished request to the results: latency by the tool's clock, cycle,
 * and each stage with the clock off and on. A stamp that was never set (on a
 * connection used again) takes the one before it; one that lies after a later
 * one (accepted before the request was sent) gives way.
 */
static void
slot_account(struct wrk_thread *wt, struct slot *sl, sim_ns done)
{
	struct wrk *wk = wt->wt_wrk;
	struct wrk_result *wr = &wk->wk_result;
	struct stages *sg = &sl->sl_stages;
	sim_ns latency = done - sg->sg_clock, from;
	struct wrk_bin *wb;
	int64_t slice;

	if (!wt->wt_measuring)
		return;
	wr->wr_completed++;
	slice = (done - wk->wk_run->sr_warmup) / wk->wk_run->sr_slice;
	SIM_ASSERT(slice >= 0 && slice < wr->wr_nslices);
	wr->wr_slices[slice].ws_n++;
	wr->wr_slices[slice].ws_latency += latency;
	hist_record(&wr->wr_cycle, done - sg->sg_at[STAMP_START]);
	if (latency > wk->wk_setup->pe_timeout)
		wr->wr_timeouts++;
	else
		hist_record(&wr->wr_latency, latency);
	wb =
	    &wr->wr_bins[hist_index(&wr->wr_latency, latency) >> WRK_BIN_SHIFT];
	wb->wb_n++;
	wb->wb_latency += latency;
	sg->sg_at[STAMP_DONE] = done;
	from = sg->sg_at[STAMP_START];
	for (int i = 0; i < STAGE_N; i++) {
		sim_ns to = sg->sg_at[i + 1];

		if (to < from)
			to = from;
		if (to > done)
			to = done;
		if (sg->sg_clock > from) {
			sim_ns off = sim_min(to, sg->sg_clock) - from;

			wb->wb_stage[i] += off;
			wb->wb_counted[i] += to - from - off;
		} else {
			wb->wb_counted[i] += to - from;
		}
		from = to;
	}
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
	struct wrk_result *wr = &wt->wt_wrk->wk_result;

	if (sl->sl_conn != NULL && host_close(wt->wt_ho, &sl->sl_conn)) {
		wr->wr_closed++;
		wt->wt_conns--;
	}
	if (wt->wt_wrk->wk_open) {
		slot_busy(wt, -1);
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
	struct wrk_result *wr = &wt->wt_wrk->wk_result;
	struct slot *sl = arg;

	sl->sl_conn = NULL;
	wt->wt_conns--;
	wr->wr_ended++;
	if (wt->wt_measuring)
		wr->wr_failed[end]++;
	sl->sl_state = SLOT_RECONNECT;
	slot_ready(wt, sl);
}
