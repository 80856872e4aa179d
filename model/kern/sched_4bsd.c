#include "model/kern/sched_4bsd.h"

#include <math.h>

#include "model/kern/mutex.h"
#include "model/trace.h"

static void boot_cpu(struct machine *, int cpu);
static void idle_entry(struct thread *);
static void softclock_entry(struct thread *);
static void bsd_hardclock(struct cpu *, struct cpu_source *);
static void bsd_statclock(struct cpu *, struct cpu_source *);
static void thread_actor(void *);
static struct thread *choosethread(struct globaldata *);
static void runq_add(struct machine *, struct thread *, bool first);
static bool forward_wakeup(struct globaldata *, const struct thread *);
static void ipi_fire(struct cpu *, struct cpu_source *);
static void bsd_doreti(struct cpu *);
static void bsd_trace(const struct globaldata *, const struct thread *);

void
sched_4bsd_init(struct machine *m, void (*timers)(struct thread *))
{
	struct bsd_machine *bm = m->m_bsd;

	TAILQ_INIT(&bm->bm_runq);
	bm->bm_spread = llround(65536 * m->m_setup->sm_hw.hw_cost_spread);
	bm->bm_timers = timers;
	bm->bm_ipis = sim_calloc(m->m_ncpus, sizeof(*bm->bm_ipis));
	bm->bm_statclocks = sim_calloc(m->m_ncpus, sizeof(*bm->bm_statclocks));
	bm->bm_stats = sim_calloc(m->m_ncpus, sizeof(*bm->bm_stats));
	for (int i = 0; i < m->m_ncpus; i++)
		boot_cpu(m, i);
	bm->bm_softclock = bsd_thread_create(
	    m, "swi4: clock", PI_SOFT, CPU_ANY, false, softclock_entry, NULL);
}

static sim_ns
clock_period(const struct machine *m)
{
	return SIM_SECOND / m->m_sysctl->hz;
}

static void
boot_cpu(struct machine *m, int cpu)
{
	struct bsd_machine *bm = m->m_bsd;
	struct globaldata *gd = m->m_gd[cpu];
	struct cpu *c = &gd->gd_cpu;
	struct thread *td;

	cpu_lockstep(c);
	c->c_doreti = bsd_doreti;
	TAILQ_INIT(&gd->gd_runq);
	callwheel_init(&gd->gd_wheel);
	td = bsd_thread_create(
	    m, "idle", PRI_IDLE, cpu, false, idle_entry, NULL);
	td->td_gd = gd;
	td->td_bsd.bt_cpu = c;
	td->td_bsd.bt_oncpu = true;
	td->td_state = TD_RUNNING;
	gd->gd_idle = gd->gd_curthread = td;
	engine_bell_ring_ranked(td->td_bell, c->c_where);

	bm->bm_ipis[cpu].cs_fire = ipi_fire;
	cpu_source_add(c, &bm->bm_ipis[cpu]);
	gd->gd_hardclock.cs_fire = bsd_hardclock;
	cpu_source_add(c, &gd->gd_hardclock);
	cpu_source_arm(c, &gd->gd_hardclock, clock_period(m));
	bm->bm_statclocks[cpu].cs_fire = bsd_statclock;
	cpu_source_add(c, &bm->bm_statclocks[cpu]);
	cpu_source_arm(c, &bm->bm_statclocks[cpu], clock_period(m) * 15 / 2);
}

void
sched_4bsd_fini(struct machine *m)
{
	struct thread *td, *next;

	for (td = m->m_threads; td != NULL; td = next) {
		next = td->td_next;
		sim_free(td);
	}
	sim_free(m->m_bsd->bm_ipis);
	sim_free(m->m_bsd->bm_statclocks);
	sim_free(m->m_bsd->bm_stats);
}

struct thread *
bsd_thread_create(struct machine *m, const char *name, int pri, int bound,
    bool runnable, void (*entry)(struct thread *), void *arg)
{
	struct thread *td = sim_calloc(1, sizeof(*td));

	td->td_name = name;
	td->td_index = m->m_nthreads++;
	td->td_next = m->m_threads;
	m->m_threads = td;
	td->td_entry = entry;
	td->td_arg = arg;
	td->td_state = TD_SLEEP;
	td->td_bell = engine_bell_create();
	td->td_bsd.bt_pri = td->td_bsd.bt_pri_base = pri;
	td->td_bsd.bt_bound = bound;
	rng_init(&td->td_bsd.bt_rng, m->m_rng, "bsd.cost",
	    (uint64_t)m->m_index << 16 | (unsigned)td->td_index);
	engine_actor_create_ranked(
	    name, m->m_index, ENGINE_LAST, thread_actor, td);
	if (runnable)
		runq_add(m, td, false);
	return td;
}

static void
thread_actor(void *arg)
{
	struct thread *td = arg;

	engine_bell_wait(td->td_bell, SIM_NEVER);
	td->td_entry(td);
	SIM_BUG("thread %s returned", td->td_name);
}

/* Record who has the CPU now. */
static void
bsd_trace(const struct globaldata *gd, const struct thread *td)
{
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_THREAD, 0,
	    td == gd->gd_idle ? TRACE_TD_IDLE : TRACE_TD_USER, td->td_index);
}

/*
 * Each charge differs a little, as caches and predictors have it. With fixed
 * costs two threads that wait for each other lock into step for ever.
 */
static sim_ns
cost_spread(struct thread *td, sim_ns ns)
{
	int64_t spread = td->td_gd->gd_machine->m_bsd->bm_spread;
	int64_t r;

	if (spread == 0)
		return 0;
	r = (int64_t)(rng_u32(&td->td_bsd.bt_rng) >> 16) * 2 - 65535;
	return ns * spread / 65536 * r / 65536;
}

void
td_run_ns(struct thread *td, int cost, sim_ns ns)
{
	struct bsd_thread *bt = &td->td_bsd;

	SIM_INVARIANT(td->td_gd->gd_curthread == td);
	ns += cost_spread(td, ns);
	do
		ns = cpu_run_part(bt->bt_cpu, cost, ns, &bt->bt_cpu);
	while (ns > 0);
}

static void
idle_entry(struct thread *td)
{
	struct globaldata *gd = td->td_gd;

	for (;;) {
		if (choosethread(gd) != td) {
			gd->gd_idling = false;
			td->td_state = TD_RUNQ;
			mi_switch(gd);
			continue;
		}
		gd->gd_idling = true;
		cpu_idle(&gd->gd_cpu);
	}
}

/*
 * Who has this CPU next: the best of the run queue that may be here, else the
 * current thread if it can go on, else idle.
 */
static struct thread *
choosethread(struct globaldata *gd)
{
	struct thread *cur = gd->gd_curthread, *td;

	TAILQ_FOREACH (td, &gd->gd_machine->m_bsd->bm_runq, td_link) {
		const struct bsd_thread *bt = &td->td_bsd;

		if (bt->bt_oncpu && td != cur)
			continue;
		if (bt->bt_bound == CPU_ANY || bt->bt_bound == gd->gd_cpu.c_id)
			return td;
	}
	return cur->td_state == TD_RUNNING ? cur : gd->gd_idle;
}

/* By priority; among equals last, or (preempted) first. */
static void
runq_add(struct machine *m, struct thread *td, bool first)
{
	struct threadq *q = &m->m_bsd->bm_runq;
	struct thread *it;

	td->td_state = TD_RUNQ;
	TAILQ_FOREACH (it, q, td_link) {
		int pri = it->td_bsd.bt_pri;

		if (pri > td->td_bsd.bt_pri ||
		    (first && pri == td->td_bsd.bt_pri))
			break;
	}
	if (it != NULL)
		TAILQ_INSERT_BEFORE(it, td, td_link);
	else
		TAILQ_INSERT_TAIL(q, td, td_link);
}

void
mi_switch(struct globaldata *gd)
{
	struct thread *td = gd->gd_curthread, *next;
	struct threadq *q = &gd->gd_machine->m_bsd->bm_runq;

	mtx_owner_stops(td);
	/* No preemption meanwhile: it would choose the same. */
	gd->gd_critical = true;
	gd_run(gd, COST_mi_switch);
	gd->gd_critical = false;
	gd->gd_resched = false;
	next = choosethread(gd);
	if (next != gd->gd_idle)
		TAILQ_REMOVE(q, next, td_link);
	next->td_state = TD_RUNNING;
	if (next == td)
		return;
	gd->gd_switches++;
	sched_account(gd);
	gd->gd_curthread = next;
	next->td_gd = gd;
	next->td_bsd.bt_cpu = &gd->gd_cpu;
	next->td_bsd.bt_oncpu = true;
	td->td_bsd.bt_oncpu = false;
	bsd_trace(gd, next);
	/* Whoever wanted it could not have it before. */
	if (td->td_state == TD_RUNQ && td != gd->gd_idle)
		forward_wakeup(gd, td);
	engine_bell_ring_ranked(next->td_bell, gd->gd_cpu.c_where);
	engine_bell_wait(td->td_bell, SIM_NEVER);
	SIM_ASSERT(td->td_gd->gd_curthread == td);
}

/*
 * Call the idle CPUs, any of which may take the thread; or the CPU that it is
 * bound to, if that does something less urgent. Returns: whether one was
 * called.
 */
static bool
forward_wakeup(struct globaldata *gd, const struct thread *td)
{
	struct machine *m = gd->gd_machine;
	int bound = td->td_bsd.bt_bound;
	bool called = false;

	if (!m->m_sysctl->ipiwakeup && bound == CPU_ANY)
		return false;
	for (int i = 0; i < m->m_ncpus; i++) {
		struct globaldata *to = m->m_gd[i];
		const struct thread *cur = to->gd_curthread;
		sim_ns when = engine_now() + 1 + bsd_hlt_exit(to);

		if (to == gd || (bound != CPU_ANY && bound != i))
			continue;
		if (cur != to->gd_idle &&
		    (bound == CPU_ANY ||
			cur->td_bsd.bt_pri <= td->td_bsd.bt_pri))
			continue;
		called = true;
		if (m->m_bsd->bm_ipis[i].cs_next <= when)
			continue;
		gd->gd_ipis++;
		cpu_source_arm_remote(&to->gd_cpu, &m->m_bsd->bm_ipis[i], when);
	}
	return called;
}

static void
ipi_fire(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);

	cpu_source_arm(c, cs, SIM_NEVER);
	bsd_intr_enter(gd);
	gd_run(gd, COST_ipi_preempt);
	gd->gd_resched = true;
}

void
bsd_intr_enter(struct globaldata *gd)
{
	gd->gd_idling = false;
}

sim_ns
bsd_hlt_exit(const struct globaldata *gd)
{
	return gd->gd_idling ? gd->gd_cpu.c_cost[COST_hlt_exit] : 0;
}

/*
 * Return from interrupt: an interrupt thread preempts, everybody the idle
 * thread (which looks for itself).
 */
static void
bsd_doreti(struct cpu *c)
{
	struct globaldata *gd = cpu_gd(c);
	struct thread *td = gd->gd_curthread, *next;

	if (!gd->gd_resched || gd->gd_critical || td == gd->gd_idle)
		return;
	gd->gd_resched = false;
	next = choosethread(gd);
	if (next == td || next == gd->gd_idle ||
	    next->td_bsd.bt_pri > PRI_MAX_ITHD ||
	    next->td_bsd.bt_pri >= td->td_bsd.bt_pri)
		return;
	gd->gd_machine->m_bsd->bm_stats[c->c_id].bs_preemptions++;
	runq_add(gd->gd_machine, td, true);
	mi_switch(gd);
}

/* In bsd_msleep(): one that is blocked on a mutex waits for that. */
static bool
sleeps(const struct thread *td)
{
	return td->td_state == TD_SLEEP && td->td_bsd.bt_blocked == NULL;
}

void
bsd_sched_ithread(struct globaldata *gd, struct thread *td)
{
	int bound = td->td_bsd.bt_bound;

	if (!sleeps(td))
		return;
	runq_add(gd->gd_machine, td, false);
	if (bound == CPU_ANY || bound == gd->gd_cpu.c_id)
		gd->gd_resched = true;
	else
		forward_wakeup(gd, td);
}

void
bsd_wakeup(struct thread *by, struct thread *td)
{
	td_run(by, COST_setrunqueue);
	bsd_setrunqueue(by, td);
}

void
bsd_setrunqueue(struct thread *by, struct thread *td)
{
	struct globaldata *gd = by->td_gd;

	if (!sleeps(td))
		return;
	gd->gd_wakeups++;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_WAKEUP, 0,
	    td->td_index, (int64_t)gd->gd_wakeups);
	runq_add(gd->gd_machine, td, false);
	if (forward_wakeup(gd, td))
		return;
	/* Only an interrupt thread takes the CPU from one that runs. */
	if (by->td_state == TD_RUNNING && td->td_bsd.bt_pri <= PRI_MAX_ITHD &&
	    td->td_bsd.bt_pri < by->td_bsd.bt_pri) {
		gd->gd_machine->m_bsd->bm_stats[gd->gd_cpu.c_id]
		    .bs_preemptions++;
		runq_add(gd->gd_machine, by, true);
		mi_switch(gd);
	}
}

void
bsd_msleep(struct thread *td, struct mtx *mtx, int pri)
{
	if (mtx != NULL)
		mtx_unlock_sleep(td, mtx);
	else
		td->td_state = TD_SLEEP;
	td->td_bsd.bt_pri = td->td_bsd.bt_pri_base = pri;
	mi_switch(td->td_gd);
	if (mtx != NULL)
		mtx_lock(td, mtx);
}

void
bsd_setpri(struct thread *td, int pri)
{
	td->td_bsd.bt_pri = pri;
	if (td->td_state != TD_RUNQ)
		return;
	TAILQ_REMOVE(&td->td_gd->gd_machine->m_bsd->bm_runq, td, td_link);
	runq_add(td->td_gd->gd_machine, td, false);
}

/*
 * The clocks. The callout wheel turns at 100 Hz, whatever kern.hz.
 */

static void
bsd_hardclock(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);
	struct machine *m = gd->gd_machine;
	struct callwheel *cw = &gd->gd_wheel;
	sim_ns tick = cs->cs_next;

	cpu_source_arm(c, cs, tick + clock_period(m));
	bsd_intr_enter(gd);
	gd_run(gd, COST_fbsd_clock);
	if (c->c_id != 0 || tick / CALLOUT_TICK_NS <= gd->gd_ticks)
		return;
	gd->gd_ticks++;
	if (cw->cw_tick + 1 == gd->gd_ticks &&
	    cw->cw_bucket[gd->gd_ticks & (CALLOUT_WHEEL - 1)] == NULL)
		callwheel_tick(cw);
	else
		bsd_sched_ithread(gd, m->m_bsd->bm_softclock);
}

static void
softclock_entry(struct thread *td)
{
	const struct machine *m = td->td_gd->gd_machine;
	const struct globaldata *gd0 = m->m_gd[0];

	for (;;) {
		while (gd0->gd_wheel.cw_tick < gd0->gd_ticks)
			m->m_bsd->bm_timers(td);
		bsd_msleep(td, NULL, PI_SOFT);
	}
}

void
bsd_softclock(struct thread *td)
{
	struct globaldata *gd0 = td->td_gd->gd_machine->m_gd[0];

	while (gd0->gd_wheel.cw_tick < gd0->gd_ticks) {
		int ran = callwheel_tick(&gd0->gd_wheel);

		for (int i = 0; i < ran; i++)
			td_run(td, COST_fbsd_callout);
	}
}

/* 2/15 of hz, as with the local APIC's timer: what has the CPU now? */
static void
bsd_statclock(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);
	const struct machine *m = gd->gd_machine;
	struct bsd_stats *bs = &m->m_bsd->bm_stats[c->c_id];

	cpu_source_arm(c, cs, cs->cs_next + clock_period(m) * 15 / 2);
	bs->bs_stat_ticks++;
	bs->bs_stat_busy += gd->gd_curthread != gd->gd_idle;
}
