#ifndef MODEL_KERN_SCHED_4BSD_H
#define MODEL_KERN_SCHED_4BSD_H

/*
 * SCHED_4BSD: one run queue for all CPUs, threads that go from one to another,
 * interrupt threads.
 *
 *	priority	thread
 *	16  PI_NET	a card's interrupt thread
 *	40  PI_SOFT	software interrupts: netisr, callouts
 *	88  PSOCK	one that slept in sbwait()
 *	160 PUSER	in user mode
 *	255		idle, one a CPU
 *
 * An interrupt makes its thread runnable; on return the thread preempts what
 * this CPU ran, at once (it is not forwarded). The thread that lost the CPU is
 * runnable, for which an idle CPU is called by IPI. A thread of another kind
 * preempts only the idle thread: it waits for a switch.
 *
 * Threads are actors; one has a CPU, or waits for its doorbell. CPUs are in
 * lockstep, and what a thread does between two td_run() is at one instant.
 *
 * Kernel: sys/kern/sched_4bsd.c, kern_intr.c, kern_switch.c (7-CURRENT)
 * Differs: no sched_lock to wait for: a switch takes its time, and two may
 *          overlap; no time sharing among user threads (there is one).
 */
#include "model/kern/sched.h"

enum {
	PI_NET = 16,
	PI_SOFT = 40,
	PRI_MAX_ITHD = 63,
	PSOCK = 88,
	PUSER = 160,
	PRI_IDLE = 255,
};

struct bsd_stats {
	uint64_t bs_preemptions;
	uint64_t bs_mtx_spins, bs_mtx_blocks;
	uint64_t bs_stat_ticks, bs_stat_busy;
};

/* The part of a machine that CPUs share. */
struct bsd_machine {
	struct threadq bm_runq; /* by priority; not the running ones */
	int64_t bm_spread;	/* [I] of costs, of 65536 */
	struct thread *bm_softclock;
	void (*bm_timers)(struct thread *); /* runs what is due, see below */
	struct cpu_source *bm_ipis;	    /* by CPU */
	struct cpu_source *bm_statclocks;
	struct bsd_stats *bm_stats; /* by CPU */
	struct tcp_bsd *bm_tcp;	    /* for bm_timers */
};

/*
 * Threads and clocks of all CPUs, which exist already and are in lockstep.
 * `timers` is called by the callout thread when the wheel of CPU 0 has a
 * callout for a new tick: it calls bsd_softclock() with the locks that they
 * need.
 */
void sched_4bsd_init(struct machine *, void (*timers)(struct thread *));
void sched_4bsd_fini(struct machine *);

/* Run the callouts that are due. Context: a thread. Time: runs. */
void bsd_softclock(struct thread *);

/*
 * A thread, asleep unless `runnable`, bound to a CPU or CPU_ANY. The name is
 * borrowed.
 */
struct thread *bsd_thread_create(struct machine *, const char *name, int pri,
    int bound, bool runnable, void (*entry)(struct thread *), void *arg);

/*
 * Work of the current thread; others may have the CPU meanwhile, and afterwards
 * it may be on another one.
 */
void td_run_ns(struct thread *, int cost, sim_ns ns);

static inline const struct cpu *
td_cpu(const struct thread *td)
{
	return td->td_bsd.bt_cpu;
}

static inline void
td_run(struct thread *td, int cost)
{
	td_run_ns(td, cost, td_cpu(td)->c_cost[cost]);
}

/* A cost per KiB. */
static inline void
td_run_bytes(struct thread *td, int cost, int64_t bytes)
{
	td_run_ns(td, cost, (td_cpu(td)->c_cost[cost] * bytes + 512) / 1024);
}

/*
 * Make a sleeping thread runnable; call an idle CPU for it, or take this one
 * from the idle thread (at the end of the interrupt). Nothing if it does not
 * sleep, or is blocked on a mutex.
 *
 * Context: an interrupt. Time: none (intr_execute has it).
 */
void bsd_sched_ithread(struct globaldata *, struct thread *);

/*
 * Likewise, by a thread, which may lose its CPU to it.
 *
 * Time: runs setrunqueue; bsd_setrunqueue() none, so that it can be one with
 * what the caller did before.
 */
void bsd_wakeup(struct thread *by, struct thread *);
void bsd_setrunqueue(struct thread *by, struct thread *);

/*
 * Sleep until bsd_wakeup(), from then on with this priority; the mutex, if
 * there is one, is released meanwhile.
 *
 * Context: the current thread. Time: sleeps; runs mi_switch.
 */
void bsd_msleep(struct thread *, struct mtx *, int pri);

/* Give up the CPU; the caller has set td_state. Time: runs mi_switch. */
void mi_switch(struct globaldata *);

/* A thread's priority changes: by itself, or lent. */
void bsd_setpri(struct thread *, int pri);

/* Every interrupt begins with this: the CPU is not halted any more. */
void bsd_intr_enter(struct globaldata *);

/*
 * How much later a CPU takes an interrupt because it has halted: idle time, as
 * statclock has it too. Clock interrupts come at their time.
 */
sim_ns bsd_hlt_exit(const struct globaldata *);

#endif
