#ifndef MODEL_KERN_SCHED_H
#define MODEL_KERN_SCHED_H

/*
 * LWKT: the per-CPU thread scheduler, and the rules for when the protocol
 * thread runs.
 *
 * User threads and the idle thread are actors; exactly one of a CPU's actors
 * runs, the others wait on their doorbells. The protocol thread (netisr) has
 * no stack of its own: it is called on the stack of whoever has the CPU, at
 * the points where the kernel would switch to it, and runs until it has
 * nothing to do. It never sleeps. Both switches are charged.
 *
 *	priority   thread		switched to
 *	28	   NIC interrupts	at once (called from cpu_run)
 *	12	   netisr		at the end of a system call, at a return
 *					from interrupt to user mode, at a block
 *	6 (10)	   user			when the running one blocks or has used
 *					its quantum of 100 ms
 *	0	   idle
 *
 * Kernel: sys/kern/lwkt_thread.c, usched_dfly.c, platform/pc64 trap.c
 * Differs: of several user threads on a CPU the one woken waits for the
 *          running one to block or to use up its quantum, also in the kernel
 *          (real: it finishes its system call first); no migration.
 */
#include "model/kern/machine.h"
#include "model/trace.h"

enum thread_state {
	TD_RUNQ,    /* created, or woken: on gd_runq */
	TD_RUNNING, /* chosen by lwkt_switch() */
	TD_SLEEP,   /* tsleep() */
};

struct thread {
	const char *td_name;
	struct globaldata *td_gd; /* [I] its CPU */
	struct engine_bell *td_bell;
	enum thread_state td_state;
	TAILQ_ENTRY(thread) td_link;
	void (*td_entry)(struct thread *);
	void *td_arg;
	int64_t td_ns;	 /* CPU time since the last reset */
	sim_ns td_start; /* since when it has the CPU */
};

/* Make a CPU's scheduler and its idle thread (which has the CPU at first). */
void sched_init(struct globaldata *);
void sched_fini(struct globaldata *);

/* A user thread, runnable, as an actor. The name is borrowed. */
struct thread *sched_thread_create(struct globaldata *, const char *name,
    void (*entry)(struct thread *), void *arg);
void sched_thread_destroy(struct thread *);

/*
 * Block the current thread until wakeup().
 *
 * Context: a thread, in the kernel. Time: sleeps.
 */
void tsleep(struct thread *);

/* Make a sleeping thread of this CPU runnable. Time: runs wakeup. */
void wakeup(struct globaldata *, struct thread *);

/* Enter the kernel by a system call. Time: runs syscall. */
static inline void
userenter(struct globaldata *gd)
{
	SIM_ASSERT(gd->gd_usermode);
	gd->gd_usermode = false;
	gd->gd_syscalls++;
	gd_run(gd, COST_syscall);
}

/*
 * Every interrupt handler begins with this.
 *
 * Context: an interrupt. Time: runs intr, and idle_exit when the CPU slept.
 */
void intr_enter(struct globaldata *);

/* Return to user mode: protocol thread first. Time: runs, may sleep. */
void userexit(struct globaldata *);

/*
 * A message waits at the netisr's port: remember to run it. Context: CPU.
 * Time: none.
 */
static inline bool
netisr_pending(const struct globaldata *gd)
{
	return gd->gd_netisr.ni_port.mp_head != NULL;
}

/* Put a message on this CPU's port: the thread becomes runnable. Time: none. */
void netisr_post(struct globaldata *, struct netmsg *);

/*
 * Send a message to this CPU's protocol thread.
 *
 * Context: its CPU. Time: runs msg_send. Owns: the port until dispatch.
 */
static inline void
lwkt_sendmsg_oncpu(struct globaldata *gd, struct netmsg *nm)
{
	SIM_ASSERT(!nm->nm_queued);
	gd_run(gd, COST_msg_send);
	netisr_post(gd, nm);
}

/* Record who has the CPU now. */
static inline void
sched_trace(const struct globaldata *gd, int thread)
{
	SIM_TRACE(
	    gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_THREAD, 0, thread, 0);
}

/* Charge the running thread up to now (marks). */
void sched_account(struct globaldata *);

#endif
