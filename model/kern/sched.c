#include "model/kern/sched.h"

#include "model/kern/ipiq.h"
#include "model/trace.h"

#define SCHED_QUANTUM_TICKS 10 /* usched_dfly: (50 + 9) / 10 of 50 Hz */

static void thread_actor(void *);
static void idle_entry(struct thread *);
static void lwkt_switch(struct globaldata *);
static void sched_yield(struct globaldata *);
static void doreti(struct cpu *);
static void hardclock(struct cpu *, struct cpu_source *);
static void smt_speed(struct globaldata *);
static void softclock_handler(struct globaldata *, struct netmsg *);

void
sched_init(struct globaldata *gd)
{
	TAILQ_INIT(&gd->gd_runq);
	gd->gd_quantum = SCHED_QUANTUM_TICKS;
	gd->gd_cpu.c_doreti = doreti;
	gd->gd_idle = sched_thread_create(gd, "idle", idle_entry, NULL);
	TAILQ_REMOVE(&gd->gd_runq, gd->gd_idle, td_link);
	gd->gd_idle->td_state = TD_RUNNING;
	gd->gd_curthread = gd->gd_idle;
	engine_bell_ring(gd->gd_idle->td_bell);

	callwheel_init(&gd->gd_wheel);
	gd->gd_softclock.nm_dispatch = softclock_handler;
	gd->gd_hardclock.cs_fire = hardclock;
	cpu_source_add(&gd->gd_cpu, &gd->gd_hardclock);
	cpu_source_arm(&gd->gd_cpu, &gd->gd_hardclock, CALLOUT_TICK_NS);
}

void
sched_fini(struct globaldata *gd)
{
	sched_thread_destroy(gd->gd_idle);
}

struct thread *
sched_thread_create(struct globaldata *gd, const char *name,
    void (*entry)(struct thread *), void *arg)
{
	struct thread *td = sim_calloc(1, sizeof(*td));

	td->td_name = name;
	td->td_gd = gd;
	td->td_entry = entry;
	td->td_arg = arg;
	td->td_bell = engine_bell_create();
	td->td_state = TD_RUNQ;
	TAILQ_INSERT_TAIL(&gd->gd_runq, td, td_link);
	engine_actor_create(name, gd->gd_machine->m_index, thread_actor, td);
	return td;
}

void
sched_thread_destroy(struct thread *td)
{
	sim_free(td);
}

static void
thread_actor(void *arg)
{
	struct thread *td = arg;

	engine_bell_wait(td->td_bell, SIM_NEVER);
	td->td_entry(td);
	SIM_BUG("thread %s returned", td->td_name);
}

static void
idle_entry(struct thread *td)
{
	struct globaldata *gd = td->td_gd;

	for (;;) {
		if (netisr_pending(gd) || !TAILQ_EMPTY(&gd->gd_runq)) {
			lwkt_switch(gd);
		} else {
			gd->gd_idling = true;
			cpu_idle(&gd->gd_cpu);
			gd->gd_idling = false;
		}
	}
}

/*
 * Give the CPU to the best thread there is: the protocol thread on this stack,
 * then the runnable user threads in order, then idle. Returns when the calling
 * thread has been chosen.
 */
static void
lwkt_switch(struct globaldata *gd)
{
	struct thread *td = gd->gd_curthread, *next;
	bool switched = false; /* away from td, to the protocol thread */

	while (netisr_pending(gd)) {
		gd->gd_netisr.ni_run(gd);
		switched = true;
	}
	next = TAILQ_FIRST(&gd->gd_runq);
	if (next != NULL)
		TAILQ_REMOVE(&gd->gd_runq, next, td_link);
	else
		next = td->td_state == TD_RUNNING ? td : gd->gd_idle;
	if (next != td || switched) {
		gd->gd_switches++;
		gd_run(gd, COST_lwkt_switch);
	}
	if (next != td || switched)
		sched_trace(
		    gd, next == gd->gd_idle ? TRACE_TD_IDLE : TRACE_TD_USER);
	next->td_state = TD_RUNNING;
	if (next == td)
		return;
	sched_account(gd);
	gd->gd_curthread = next;
	gd->gd_quantum = SCHED_QUANTUM_TICKS;
	gd->gd_resched = false;
	next->td_start = gd->gd_cpu.c_now;
	engine_bell_ring(next->td_bell);
	engine_bell_wait(td->td_bell, SIM_NEVER);
}

void
sched_account(struct globaldata *gd)
{
	struct thread *td = gd->gd_curthread;

	td->td_ns += gd->gd_cpu.c_now - td->td_start;
	td->td_start = gd->gd_cpu.c_now;
}

void
tsleep(struct thread *td)
{
	struct globaldata *gd = td->td_gd;

	SIM_ASSERT(gd->gd_curthread == td && !gd->gd_usermode);
	SIM_ASSERT(td->td_state == TD_RUNNING);
	td->td_state = TD_SLEEP;
	gd_run(gd, COST_user_switch);
	/* What came meanwhile may have woken us: then we are on gd_runq. */
	lwkt_switch(gd);
	gd_run(gd, COST_user_switch);
	SIM_ASSERT(td->td_state == TD_RUNNING && gd->gd_curthread == td);
}

void
wakeup(struct globaldata *gd, struct thread *td)
{
	SIM_ASSERT(td->td_gd == gd);
	if (td->td_state != TD_SLEEP)
		return;
	td->td_state = TD_RUNQ;
	TAILQ_INSERT_TAIL(&gd->gd_runq, td, td_link);
	gd->gd_wakeups++;
	gd_run(gd, COST_wakeup);
}

void
netisr_post(struct globaldata *gd, struct netmsg *nm)
{
	if (gd->gd_ipiq != NULL && gd->gd_netisr.ni_port.mp_head == NULL)
		ipiq_netisr_state(gd, false);
	msgport_put(&gd->gd_netisr.ni_port, nm);
}

/*
 * Interrupts that come during a switch may post more: user mode is entered
 * with nothing pending.
 */
void
userexit(struct globaldata *gd)
{
	while (netisr_pending(gd) || gd->gd_resched) {
		if (netisr_pending(gd)) {
			gd->gd_netisr.ni_run(gd);
			gd->gd_switches++;
			gd_run(gd, COST_lwkt_switch);
			sched_trace(gd, TRACE_TD_USER);
		} else {
			sched_yield(gd);
		}
	}
	gd->gd_usermode = true;
}

/* The quantum is used up: behind the other user threads. */
static void
sched_yield(struct globaldata *gd)
{
	gd->gd_resched = false;
	gd->gd_quantum = SCHED_QUANTUM_TICKS;
	if (TAILQ_EMPTY(&gd->gd_runq))
		return;
	gd->gd_curthread->td_state = TD_RUNQ;
	TAILQ_INSERT_TAIL(&gd->gd_runq, gd->gd_curthread, td_link);
	gd_run(gd, COST_user_switch);
	lwkt_switch(gd);
	gd_run(gd, COST_user_switch);
}

void
intr_enter(struct globaldata *gd)
{
	if (gd->gd_idling) {
		gd->gd_idling = false;
		gd_run(gd, COST_idle_exit);
	}
	gd_run(gd, COST_intr);
}

/* Return from interrupt. Only user mode gives way to other threads. */
static void
doreti(struct cpu *c)
{
	struct globaldata *gd = cpu_gd(c);

	if (!gd->gd_usermode || (!netisr_pending(gd) && !gd->gd_resched))
		return;
	gd->gd_usermode = false;
	userexit(gd);
}

/*
 * The 100 Hz tick: the quantum of the user thread, and a message to the
 * protocol thread, which runs the callouts (they are all TCP's).
 */
static void
hardclock(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);

	cpu_source_arm(c, cs, cs->cs_next + CALLOUT_TICK_NS);
	intr_enter(gd);
	gd_run(gd, COST_hardclock);
	gd->gd_ticks++;
	smt_speed(gd);
	if (!gd->gd_softclock.nm_queued)
		netisr_post(gd, &gd->gd_softclock);
	if (gd->gd_curthread != gd->gd_idle && --gd->gd_quantum <= 0)
		gd->gd_resched = true;
}

/*
 * Two hardware threads share a core: one whose sibling was idle runs faster.
 * Differs: the speed is set once a tick, by how long the sibling was idle in
 *          the tick before the last one, which is known without waiting for
 *          it (a CPU may be behind by nearly a tick of simulated time).
 */
static void
smt_speed(struct globaldata *gd)
{
	const struct setup_hardware *hw = &gd->gd_machine->m_setup->sm_hw;
	struct cpu *c = &gd->gd_cpu;
	double idle, speed;

	gd->gd_idle_tick[gd->gd_ticks % 4] =
	    c->c_idle_ever - gd->gd_idle_before;
	gd->gd_idle_before = c->c_idle_ever;
	if (gd->gd_sibling == NULL || hw->hw_smt_idle_speed == 1)
		return;
	cpu_sync(c);
	idle = (double)gd->gd_sibling->gd_idle_tick[(gd->gd_ticks + 3) % 4] /
	       CALLOUT_TICK_NS;
	speed = 1 + (hw->hw_smt_idle_speed - 1) * (idle < 1 ? idle : 1);
	c->c_scale = (int64_t)(CPU_SCALE_ONE / speed);
}

static void
softclock_handler(struct globaldata *gd, struct netmsg *nm)
{
	(void)nm;
	while (gd->gd_wheel.cw_tick < gd->gd_ticks) {
		int ran = callwheel_tick(&gd->gd_wheel);

		for (int i = 0; i < ran; i++)
			gd_run(gd, COST_callout);
	}
}
