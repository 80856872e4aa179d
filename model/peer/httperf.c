#include "model/peer/httperf.h"

#define HTTPERF_READ 8192	 /* bytes of its receive buffer */
#define HTTPERF_QUANTUM_TICKS 10 /* as in kern/sched.c */

enum proc_state {
	PROC_NEW,	 /* not yet started */
	PROC_CONNECT,	 /* started; or the last connection is gone */
	PROC_CONNECTING, /* SYN sent */
	PROC_WRITE,	 /* found writable: the next select finds it again */
	PROC_READ,	 /* request sent */
	PROC_CLOSE,	 /* response complete, or EOF */
	PROC_ENDED,	 /* had all its sessions */
};

/* A process, and the one connection that it has. */
struct proc {
	struct host_conn *pc_conn;
	TAILQ_ENTRY(proc) pc_link; /* on ht_runq, from its start to its end */
	enum proc_state pc_state;
	bool pc_writable; /* connected */
	uint16_t pc_addr;
	uint32_t pc_got; /* bytes of the response */
	struct stages pc_stages;
	int64_t pc_sessions; /* that are over */
	sim_ns pc_done;	     /* the last response was complete */
	struct httperf_report pc_report;
};

TAILQ_HEAD(proc_queue, proc);

struct httperf_thread {
	struct peer_thread ht_pt; /* first */
	int ht_nstarted;
	struct cpu_source ht_timer; /* next start */
	struct proc_queue ht_runq;  /* the first one has the CPU */
	sim_ns ht_turn_end;
};

struct httperf {
	struct peer he_peer; /* first */
	struct httperf_thread *he_threads;
	struct proc *he_procs;
};

static struct peer *httperf_create(const struct setup_peer *,
    const struct setup_run *, const struct host_place *, int64_t response);
static void httperf_destroy(struct peer *);
static double httperf_request_rate(const struct peer *);
static void thread_init(struct httperf *, int i);
static void thread_timer(struct cpu *, struct cpu_source *);
static void thread_actor(void *);
static void thread_turn(struct httperf_thread *);
static void proc_step(struct httperf_thread *, struct proc *);
static bool proc_select(struct httperf_thread *, struct proc *);
static void proc_connect(struct httperf_thread *, struct proc *);
static void proc_write(struct httperf_thread *, struct proc *);
static void proc_read(struct httperf_thread *, struct proc *);
static void proc_close(struct httperf_thread *, struct proc *);
static void proc_session_over(struct httperf_thread *, struct proc *);
static void proc_writable(struct host_cpu *, void *);
static void proc_readable(struct host_cpu *, void *);
static void proc_failed(struct host_cpu *, void *, enum tcp_end);

static const struct host_tool_ops httperf_tool_ops = { proc_writable,
	proc_readable, proc_failed };

const struct peer_ops httperf_ops = {
	.po_create = httperf_create,
	.po_destroy = httperf_destroy,
	.po_request_rate = httperf_request_rate,
};

static struct peer *
httperf_create(const struct setup_peer *pe, const struct setup_run *sr,
    const struct host_place *hp, int64_t response)
{
	struct httperf *he = sim_calloc(1, sizeof(*he));

	/* Or a process that waits, or has no port, would stop the clock. */
	SIM_ASSERT(pe->pe_hw.hw_cost[COST_host_select] > 0);
	SIM_ASSERT(pe->pe_hw.hw_cost[COST_host_connect] > 0);
	peer_init(&he->he_peer, &httperf_ops, &httperf_tool_ops, pe, sr, hp,
	    response);
	he->he_procs = sim_calloc(pe->pe_processes, sizeof(*he->he_procs));
	for (int i = 0; i < pe->pe_processes; i++) {
		he->he_procs[i].pc_addr = (uint16_t)(i % pe->pe_addresses);
		he->he_procs[i].pc_report.hr_cpu = i % pe->pe_threads;
	}
	he->he_threads = sim_calloc(pe->pe_threads, sizeof(*he->he_threads));
	for (int i = 0; i < pe->pe_threads; i++)
		thread_init(he, i);
	return &he->he_peer;
}

static void
thread_init(struct httperf *he, int i)
{
	struct host *h = he->he_peer.pp_host;
	struct httperf_thread *ht = &he->he_threads[i];
	struct cpu *c = &h->h_cpus[i]->ho_cpu;

	peer_thread_init(&ht->ht_pt, &he->he_peer, i);
	TAILQ_INIT(&ht->ht_runq);
	ht->ht_timer.cs_fire = thread_timer;
	cpu_source_add(c, &ht->ht_timer);
	cpu_source_arm(c, &ht->ht_timer, 1);
	engine_actor_create(
	    ht->ht_pt.pt_name, h->h_engine_host, thread_actor, ht);
}

static void
httperf_destroy(struct peer *pp)
{
	struct httperf *he = (struct httperf *)pp;

	peer_fini(pp);
	sim_free(he->he_threads);
	sim_free(he->he_procs);
	sim_free(he);
}

struct httperf_report
httperf_report(const struct peer *pp, int i)
{
	const struct proc *pc = &((const struct httperf *)pp)->he_procs[i];
	struct httperf_report hr = pc->pc_report;

	SIM_ASSERT(pp->pp_ops == &httperf_ops);
	SIM_ASSERT(i >= 0 && i < pp->pp_setup->pe_processes);
	hr.hr_conns = pc->pc_conn != NULL;
	return hr;
}

static double
httperf_request_rate(const struct peer *pp)
{
	const struct setup_run *sr = pp->pp_run;
	double sum = 0;

	for (int i = 0; i < pp->pp_setup->pe_processes; i++) {
		struct httperf_report hr = httperf_report(pp, i);
		sim_ns end = sr->sr_warmup + sr->sr_measure;

		if (hr.hr_end != 0)
			end = hr.hr_end;
		if (hr.hr_sent > 0)
			sum += 1e9 * (double)hr.hr_sent /
			       (double)(end - hr.hr_start);
	}
	return sum;
}

/* Processes that start: last in the queue for the CPU. */
static void
thread_timer(struct cpu *c, struct cpu_source *cs)
{
	struct httperf_thread *ht = cpu_host(c)->ho_tool;
	struct httperf *he = (struct httperf *)ht->ht_pt.pt_peer;
	const struct setup_peer *pe = he->he_peer.pp_setup;
	int p = ht->ht_nstarted * pe->pe_threads + ht->ht_pt.pt_ho->ho_index;

	for (; p < pe->pe_processes; p += pe->pe_threads) {
		sim_ns start = peer_slot_start(
		    &ht->ht_pt, ht->ht_nstarted, pe->pe_processes);

		if (start > c->c_now) {
			cpu_source_arm(c, cs, start);
			return;
		}
		ht->ht_nstarted++;
		if (TAILQ_EMPTY(&ht->ht_runq))
			thread_turn(ht);
		TAILQ_INSERT_TAIL(&ht->ht_runq, &he->he_procs[p], pc_link);
	}
	cpu_source_arm(c, cs, SIM_NEVER);
}

static void
thread_actor(void *arg)
{
	struct httperf_thread *ht = arg;
	struct cpu *c = &ht->ht_pt.pt_ho->ho_cpu;

	for (;;) {
		struct proc *pc = TAILQ_FIRST(&ht->ht_runq);

		if (pc == NULL) {
			cpu_idle(c);
			continue;
		}
		proc_step(ht, pc);
		if (pc->pc_state != PROC_ENDED && c->c_now < ht->ht_turn_end)
			continue;
		TAILQ_REMOVE(&ht->ht_runq, pc, pc_link);
		if (pc->pc_state != PROC_ENDED)
			TAILQ_INSERT_TAIL(&ht->ht_runq, pc, pc_link);
		thread_turn(ht);
	}
}

/* A turn begins: it lasts until the tenth tick from now. */
static void
thread_turn(struct httperf_thread *ht)
{
	sim_ns tick = ht->ht_pt.pt_ho->ho_cpu.c_now / CALLOUT_TICK_NS;

	ht->ht_turn_end = (tick + HTTPERF_QUANTUM_TICKS) * CALLOUT_TICK_NS;
}

/*
 * What a process does until it may lose the CPU: a pass of select(2), and what
 * it has found. The connection may fail whenever time passes; then pc_conn is
 * NULL, and select(2) tells.
 */
static void
proc_step(struct httperf_thread *ht, struct proc *pc)
{
	switch (pc->pc_state) {
	case PROC_NEW:
		pc->pc_report.hr_start = ht->ht_pt.pt_ho->ho_cpu.c_now;
		pc->pc_done = pc->pc_report.hr_start;
		peer_busy(&ht->ht_pt, 1);
		proc_connect(ht, pc);
		break;
	case PROC_CONNECT:
		proc_connect(ht, pc);
		break;
	case PROC_CONNECTING:
		if (proc_select(ht, pc) && pc->pc_writable)
			pc->pc_state = PROC_WRITE;
		break;
	case PROC_WRITE:
		if (proc_select(ht, pc))
			proc_write(ht, pc);
		break;
	case PROC_READ:
		if (proc_select(ht, pc) &&
		    (pc->pc_conn->hc_unread > 0 || pc->pc_conn->hc_eof))
			proc_read(ht, pc);
		break;
	case PROC_CLOSE:
		proc_close(ht, pc);
		break;
	case PROC_ENDED:
		SIM_BUG("an ended process has the CPU");
	}
}

/* Returns: whether there still is a connection. */
static bool
proc_select(struct httperf_thread *ht, struct proc *pc)
{
	cpu_run(&ht->ht_pt.pt_ho->ho_cpu, COST_host_select);
	if (pc->pc_conn != NULL)
		return true;
	pc->pc_done = ht->ht_pt.pt_ho->ho_cpu.c_now;
	proc_session_over(ht, pc);
	return false;
}

static void
proc_connect(struct httperf_thread *ht, struct proc *pc)
{
	struct host_cpu *ho = ht->ht_pt.pt_ho;

	peer_stages_start(&ht->ht_pt, &pc->pc_stages, pc->pc_done);
	pc->pc_writable = false;
	pc->pc_got = 0;
	cpu_run(&ho->ho_cpu, COST_host_socket);
	pc->pc_conn = host_connect(ho, pc->pc_addr, pc, &pc->pc_stages);
	if (pc->pc_conn == NULL) {
		ht->ht_pt.pt_peer->pp_result.pr_dead++;
		pc->pc_done = ho->ho_cpu.c_now;
		proc_session_over(ht, pc);
		return;
	}
	peer_opened(&ht->ht_pt);
	pc->pc_report.hr_opened++;
	pc->pc_state = PROC_CONNECTING;
}

/* The clock starts just before the write. */
static void
proc_write(struct httperf_thread *ht, struct proc *pc)
{
	struct host_cpu *ho = ht->ht_pt.pt_ho;

	cpu_run(&ho->ho_cpu, COST_httperf_call);
	pc->pc_stages.sg_clock = ho->ho_cpu.c_now;
	host_write(ho, &pc->pc_conn,
	    (uint32_t)ht->ht_pt.pt_peer->pp_setup->pe_request);
	if (pc->pc_conn != NULL)
		pc->pc_report.hr_sent++;
	pc->pc_state = PROC_READ;
}

/* One read(2); if that is not all, select(2) again. */
static void
proc_read(struct httperf_thread *ht, struct proc *pc)
{
	struct host_cpu *ho = ht->ht_pt.pt_ho;

	pc->pc_got += host_read(ho, &pc->pc_conn, HTTPERF_READ);
	if (pc->pc_conn == NULL)
		return;
	if (pc->pc_got >= ht->ht_pt.pt_peer->pp_response) {
		peer_account(
		    &ht->ht_pt, pc->pc_conn, &pc->pc_stages, ho->ho_cpu.c_now);
		pc->pc_report.hr_completed++;
	} else if (!pc->pc_conn->hc_eof || pc->pc_conn->hc_unread > 0) {
		return;
	}
	pc->pc_done = ho->ho_cpu.c_now;
	pc->pc_state = PROC_CLOSE;
}

static void
proc_close(struct httperf_thread *ht, struct proc *pc)
{
	if (host_close(ht->ht_pt.pt_ho, &pc->pc_conn))
		peer_closed(&ht->ht_pt);
	proc_session_over(ht, pc);
}

/* On to the next session, if there is one. */
static void
proc_session_over(struct httperf_thread *ht, struct proc *pc)
{
	int64_t sessions = ht->ht_pt.pt_peer->pp_setup->pe_sessions;

	pc->pc_sessions++;
	pc->pc_state = PROC_CONNECT;
	if (sessions == 0 || pc->pc_sessions < sessions)
		return;
	pc->pc_state = PROC_ENDED;
	pc->pc_report.hr_end = ht->ht_pt.pt_ho->ho_cpu.c_now;
	peer_busy(&ht->ht_pt, -1);
}

/*
 * struct host_tool_ops: called by interrupts, whoever has the CPU.
 */

static void
proc_writable(struct host_cpu *ho, void *arg)
{
	struct proc *pc = arg;

	(void)ho;
	pc->pc_writable = true;
}

/* A process sees for itself. */
static void
proc_readable(struct host_cpu *ho, void *arg)
{
	(void)ho;
	(void)arg;
}

static void
proc_failed(struct host_cpu *ho, void *arg, enum tcp_end end)
{
	struct httperf_thread *ht = ho->ho_tool;
	struct proc *pc = arg;

	pc->pc_conn = NULL;
	peer_ended(&ht->ht_pt, end);
}
