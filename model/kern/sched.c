#include "model/kern/sched.h"

#include <errno.h>

#include "model/trace.h"

#define SCHED_QUANTUM_TICKS 10 /* usched_dfly: (50 + 9) / 10 of 50 Hz */

enum { IDLE_MWAIT = 1, IDLE_HYBRID = 2, IDLE_ACPI = 3 }; /* cpu_idle_hlt */

static struct thread *thread_create(struct globaldata *, const char *name,
    enum thread_pri, void (*entry)(struct thread *), void *arg);
static void thread_actor(void *);
static void idle_entry(struct thread *);
static void netisr_entry(struct thread *);
static void lwkt_switch(struct globaldata *);
static struct thread *lwkt_choose(struct globaldata *, bool *switched);
static struct thread *lwkt_choose_shared(struct globaldata *);
static void thread_queue(struct globaldata *, struct thread *, bool first);
static void thread_unqueue(struct globaldata *, struct thread *);
static void netisr_borrow(struct globaldata *);
static void netisr_first(struct globaldata *);
static void sched_yield(struct globaldata *);
static void wakeup_remote(struct globaldata *, struct ipimsg *);
static void signal_remote(struct globaldata *, struct ipimsg *);
static void doreti(struct cpu *);
static void sched_trace(
    const struct globaldata *, int who, const struct thread *);

void
sched_init(struct globaldata *gd)
{
	TAILQ_INIT(&gd->gd_runq);
	gd->gd_quantum = SCHED_QUANTUM_TICKS;
	gd->gd_cpu.c_doreti = doreti;
	gd->gd_idle =
	    thread_create(gd, "idle", TDPRI_IDLE_THREAD, idle_entry, NULL);
	gd->gd_idle->td_state = TD_RUNNING;
	gd->gd_curthread = gd->gd_idle;
	engine_bell_ring(gd->gd_idle->td_bell);
	if (gd->gd_machine->m_shares) {
		gd->gd_netisr.ni_thread = thread_create(
		    gd, "netisr", TDPRI_KERN_DAEMON, netisr_entry, NULL);
		gd->gd_netisr.ni_thread->td_state = TD_SLEEP;
		gd->gd_netisr.ni_waiting = true;
	}

	clock_init(gd);
}

void
sched_fini(struct globaldata *gd)
{
	sched_thread_destroy(gd->gd_idle);
	sched_thread_destroy(gd->gd_netisr.ni_thread);
}

static struct thread *
thread_create(struct globaldata *gd, const char *name, enum thread_pri pri,
    void (*entry)(struct thread *), void *arg)
{
	struct thread *td = sim_calloc(1, sizeof(*td));

	td->td_name = name;
	td->td_index = -1;
	td->td_gd = gd;
	td->td_pri = pri;
	td->td_entry = entry;
	td->td_arg = arg;
	td->td_bell = engine_bell_create();
	td->td_wakeup.im_func = wakeup_remote;
	td->td_sigipi.im_func = signal_remote;
	engine_actor_create_ranked(name, gd->gd_machine->m_index,
	    gd->gd_cpu.c_where, thread_actor, td);
	return td;
}

struct thread *
sched_thread_create(struct globaldata *gd, const char *name,
    void (*entry)(struct thread *), void *arg)
{
	struct thread *td =
	    thread_create(gd, name, TDPRI_USER_NORM, entry, arg);

	td->td_index = gd->gd_machine->m_nthreads++;
	td->td_next = gd->gd_machine->m_threads;
	gd->gd_machine->m_threads = td;
	td->td_state = TD_RUNQ;
	TAILQ_INSERT_TAIL(&gd->gd_runq, td, td_link);
	return td;
}

void
sched_thread_destroy(struct thread *td)
{
	sim_free(td);
}

const char *
sched_thread_name(const struct machine *m, int64_t index)
{
	const struct thread *td = m->m_threads;

	while (td != NULL && td->td_index != index)
		td = td->td_next;
	return td != NULL ? td->td_name : NULL;
}

/* Record who has the CPU now. */
static void
sched_trace(const struct globaldata *gd, int who, const struct thread *td)
{
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_THREAD, 0, who,
	    td->td_index);
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
			gd->gd_idling = false;
			lwkt_switch(gd);
			continue;
		}
		/* It sleeps on when a card only looked at its wire. */
		if (!gd->gd_idling)
			gd->gd_idle_repeat++;
		gd->gd_idling = true;
		cpu_idle(&gd->gd_cpu);
	}
}

/* The protocol thread where it is one: empty the port, sleep. */
static void
netisr_entry(struct thread *td)
{
	struct globaldata *gd = td->td_gd;

	for (;;) {
		gd->gd_netisr.ni_run(gd);
		gd->gd_netisr.ni_waiting = true;
		td->td_state = TD_SLEEP;
		lwkt_switch(gd);
	}
}

/* What no interrupt took since the last time. */
static inline void
charge(struct globaldata *gd, int64_t *to)
{
	const struct cpu *c = &gd->gd_cpu;

	*to +=
	    c->c_now - gd->gd_accounted - (c->c_intr - gd->gd_accounted_intr);
	gd->gd_accounted = c->c_now;
	gd->gd_accounted_intr = c->c_intr;
}

/* All that the protocol thread has to do, as if switched to it. */
static void
netisr_borrow(struct globaldata *gd)
{
	charge(gd, &gd->gd_curthread->td_ns);
	gd->gd_netisr.ni_borrows = true;
	gd->gd_switches++;
	gd_run(gd, COST_lwkt_switch);
	sched_trace(gd, TRACE_TD_NETISR, gd->gd_idle);
	gd->gd_netisr.ni_run(gd);
	charge(gd, &gd->gd_netisr.ni_ns);
	gd->gd_netisr.ni_borrows = false;
}

static struct thread *
lwkt_choose(struct globaldata *gd, bool *switched)
{
	struct thread *td = gd->gd_curthread, *next;

	while (netisr_pending(gd)) {
		netisr_borrow(gd);
		*switched = true;
	}
	next = TAILQ_FIRST(&gd->gd_runq);
	if (next != NULL)
		return next;
	return td->td_state == TD_RUNNING ? td : gd->gd_idle;
}

/*
 * Who can have the tokens that it wants. While nobody can, the CPU tries again:
 * in the name of the thread that waits, or of idle, which does not halt then.
 */
static struct thread *
lwkt_choose_shared(struct globaldata *gd)
{
	struct thread *ni = gd->gd_netisr.ni_thread, *td;
	struct tok *held[SPIN_MAX], *ready = NULL;

	for (;;) {
		int n = 0;
		int64_t for_ever = INT64_MAX;
		uint64_t queued = gd->gd_queued;

		if (ni->td_state == TD_RUNQ) {
			held[n] = lwkt_getalltokens(gd, ni, ready);
			if (held[n++] == NULL)
				return ni;
		}
		TAILQ_FOREACH (td, &gd->gd_runq, td_link) {
			if (n == SPIN_MAX ||
			    (n > 0 && td->td_pri < TDPRI_KERN_LPSCHED))
				break;
			held[n] = lwkt_getalltokens(gd, td, ready);
			if (held[n++] == NULL)
				return td;
		}
		if (n == 0 || gd->gd_curthread->td_state == TD_SLEEP)
			return gd->gd_idle;
		/* Who came during the tries has had none. */
		ready = NULL;
		if (gd->gd_queued != queued)
			continue;
		ready = token_spin_wait(gd, held, n, &for_ever);
	}
}

static int
thread_trace(const struct globaldata *gd, const struct thread *td)
{
	if (td == gd->gd_idle)
		return TRACE_TD_IDLE;
	return td == gd->gd_netisr.ni_thread ? TRACE_TD_NETISR : TRACE_TD_USER;
}

/*
 * Give the CPU to the best thread there is: the protocol thread, then the
 * runnable user threads in order, then idle. Returns when the calling thread
 * has been chosen.
 */
static void
lwkt_switch(struct globaldata *gd)
{
	struct thread *td = gd->gd_curthread, *next;
	bool switched = false; /* away from td, to the protocol thread */

	if (gd->gd_machine->m_shares) {
		lwkt_relalltokens(gd, td);
		next = lwkt_choose_shared(gd);
	} else {
		next = lwkt_choose(gd, &switched);
	}
	thread_unqueue(gd, next);
	if (next != td || switched) {
		gd->gd_switches++;
		gd_run(gd, COST_lwkt_switch);
		sched_trace(gd, thread_trace(gd, next), next);
	}
	next->td_state = TD_RUNNING;
	if (next != gd->gd_idle)
		gd->gd_idle_repeat = 0;
	if (next == td)
		return;
	sched_account(gd);
	gd->gd_curthread = next;
	if (next->td_pri != TDPRI_KERN_DAEMON) {
		gd->gd_quantum = SCHED_QUANTUM_TICKS;
		gd->gd_resched = false;
	}
	engine_bell_ring(next->td_bell);
	engine_bell_wait(td->td_bell, SIM_NEVER);
}

void
sched_account(struct globaldata *gd)
{
	charge(gd, gd->gd_netisr.ni_borrows ? &gd->gd_netisr.ni_ns
					    : &gd->gd_curthread->td_ns);
}

void
sched_account_reset(struct globaldata *gd)
{
	sched_account(gd);
	gd->gd_netisr.ni_ns = 0;
	gd->gd_idle->td_ns = 0;
	if (gd->gd_netisr.ni_thread != NULL)
		gd->gd_netisr.ni_thread->td_ns = 0;
}

int64_t
netisr_ns(const struct globaldata *gd)
{
	const struct netisr *ni = &gd->gd_netisr;

	return ni->ni_thread == NULL ? ni->ni_ns : ni->ni_thread->td_ns;
}

/* Runnable threads are on gd_runq, but the protocol thread. */
static void
thread_queue(struct globaldata *gd, struct thread *td, bool first)
{
	td->td_state = TD_RUNQ;
	gd->gd_queued++;
	if (td->td_pri == TDPRI_KERN_DAEMON)
		return;
	if (first)
		TAILQ_INSERT_HEAD(&gd->gd_runq, td, td_link);
	else
		TAILQ_INSERT_TAIL(&gd->gd_runq, td, td_link);
}

static void
thread_unqueue(struct globaldata *gd, struct thread *td)
{
	if (td->td_state == TD_RUNQ && td->td_pri != TDPRI_KERN_DAEMON)
		TAILQ_REMOVE(&gd->gd_runq, td, td_link);
}

void
tsleep(struct thread *td)
{
	struct globaldata *gd = td->td_gd;

	SIM_ASSERT(gd->gd_curthread == td && !gd->gd_usermode);
	SIM_ASSERT(td->td_state == TD_RUNNING);
	td->td_state = TD_SLEEP;
	td->td_pri = TDPRI_KERN_USER;
	gd_run(gd, COST_user_switch);
	/* What came meanwhile may have woken us: then we are on gd_runq. */
	lwkt_switch(gd);
	gd_run(gd, COST_user_switch);
	SIM_ASSERT(td->td_state == TD_RUNNING && gd->gd_curthread == td);
}

int
tsleep_catch(struct thread *td)
{
	if (!td->td_signal) {
		td->td_catch = true;
		tsleep(td);
		td->td_catch = false;
	}
	if (!td->td_signal)
		return 0;
	td->td_signal = false;
	return EINTR;
}

void
sched_token_wait(struct globaldata *gd)
{
	thread_queue(gd, gd->gd_curthread, true);
	lwkt_switch(gd);
}

void
lwkt_schedule(struct globaldata *gd, struct thread *td)
{
	SIM_ASSERT(td->td_gd == gd);
	if (td->td_state != TD_SLEEP)
		return;
	thread_queue(gd, td, false);
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_WAKEUP, 0,
	    td->td_index, (int64_t)gd->gd_queued);
}

void
wakeup(struct globaldata *gd, struct thread *td)
{
	if (td->td_gd == gd) {
		if (td->td_state != TD_SLEEP)
			return;
		lwkt_schedule(gd, td);
		gd->gd_wakeups++;
		gd_run(gd, COST_wakeup);
		return;
	}
	gd_run(gd, COST_wakeup);
	if (!td->td_wakeup.im_queued)
		lwkt_send_ipiq(gd, td->td_gd, &td->td_wakeup);
}

static void
wakeup_remote(struct globaldata *gd, struct ipimsg *im)
{
	wakeup(gd, msg_owner(im, struct thread, td_wakeup));
}

void
lwpsignal(struct globaldata *gd, struct thread *td)
{
	if (td->td_gd != gd) {
		if (!td->td_sigipi.im_queued)
			lwkt_send_ipiq(gd, td->td_gd, &td->td_sigipi);
		return;
	}
	if (td == gd->gd_curthread && gd->gd_usermode)
		return;
	td->td_signal = true;
	if (td->td_catch)
		wakeup(gd, td);
}

static void
signal_remote(struct globaldata *gd, struct ipimsg *im)
{
	lwpsignal(gd, msg_owner(im, struct thread, td_sigipi));
}

void
netisr_post(struct globaldata *gd, struct netmsg *nm)
{
	struct netisr *ni = &gd->gd_netisr;

	msgport_put(&ni->ni_port, nm);
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_MSG_SEND, 0,
	    gd->gd_cpu.c_id, (int64_t)ni->ni_port.mp_nput);
	if (ni->ni_waiting) {
		ni->ni_waiting = false;
		lwkt_schedule(gd, ni->ni_thread);
	}
}

/*
 * Interrupts that come during a switch may post more: user mode is entered
 * with nothing pending.
 */
void
userexit(struct globaldata *gd)
{
	/* From here on the thread gives way: lwkt_passive_recover(). */
	gd->gd_curthread->td_pri = TDPRI_USER_NORM;
	while (netisr_pending(gd) || gd->gd_resched) {
		if (netisr_pending(gd))
			netisr_first(gd);
		else
			sched_yield(gd);
	}
	gd->gd_curthread->td_signal = false;
	gd->gd_usermode = true;
}

/* The protocol thread runs, then this one again. */
static void
netisr_first(struct globaldata *gd)
{
	if (gd->gd_netisr.ni_thread != NULL) {
		thread_queue(gd, gd->gd_curthread, true);
		lwkt_switch(gd);
		return;
	}
	netisr_borrow(gd);
	gd->gd_switches++;
	gd_run(gd, COST_lwkt_switch);
	sched_trace(gd, TRACE_TD_USER, gd->gd_curthread);
}

/* The quantum is used up: behind the other user threads. */
static void
sched_yield(struct globaldata *gd)
{
	gd->gd_resched = false;
	gd->gd_quantum = SCHED_QUANTUM_TICKS;
	if (TAILQ_EMPTY(&gd->gd_runq))
		return;
	thread_queue(gd, gd->gd_curthread, false);
	gd_run(gd, COST_user_switch);
	lwkt_switch(gd);
	gd_run(gd, COST_user_switch);
}

void
intr_wake(struct globaldata *gd)
{
	const struct setup_sysctl *ctl = gd->gd_machine->m_sysctl;

	if (!gd->gd_idling)
		return;
	gd->gd_idling = false;
	if (ctl->cpu_idle_hlt == IDLE_ACPI ||
	    (ctl->cpu_idle_hlt == IDLE_HYBRID &&
		gd->gd_idle_repeat >= ctl->cpu_idle_repeat))
		gd_run(gd, COST_idle_exit_deep);
	else
		gd_run(gd, COST_idle_exit);
}

void
intr_enter(struct globaldata *gd)
{
	intr_wake(gd);
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
