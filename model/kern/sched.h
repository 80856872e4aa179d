#ifndef MODEL_KERN_SCHED_H
#define MODEL_KERN_SCHED_H

/*
 * LWKT: the per-CPU thread scheduler, and the rules for when the protocol
 * thread runs.
 *
 * User threads and the idle thread are actors; exactly one of a CPU's actors
 * runs, the others wait on their doorbells. Where CPUs share nothing the
 * protocol thread (netisr) has no stack of its own: it is called on the stack
 * of whoever has the CPU, at the points where the kernel would switch to it,
 * and runs until it has nothing to do. It never sleeps then. Where CPUs share
 * (m_shares) it may have to wait for a token, and is an actor too. Switches are
 * charged alike.
 *
 *	priority   thread		switched to
 *	28	   NIC interrupts	at once (called from cpu_run)
 *	12	   netisr		at the end of a system call, at a return
 *					from interrupt to user mode, at a block
 *	6 (10)	   user			when the running one blocks or has used
 *					its quantum of 100 ms
 *	0	   idle
 *
 * A thread that waits for tokens stays runnable; its CPU goes to the next one,
 * though not to one that is on its way back to user mode (below 9).
 *
 * Kernel: sys/kern/lwkt_thread.c, usched_dfly.c, platform/pc64 trap.c
 * Differs: of several user threads on a CPU the one woken waits for the
 *          running one to block or to use up its quantum, also in the kernel
 *          (real: it finishes its system call first); no migration.
 */
#include "model/kern/machine.h"
#include "model/kern/token.h"
#include "model/trace.h"
#include "sim/core/rng.h"

struct mtx;

/* What a thread of freebsd-2007 has more. Its td_gd changes as it migrates. */
struct bsd_thread {
	int bt_pri;		/* lower is better; may be lent */
	int bt_pri_base;	/* its own */
	int bt_bound;		/* CPU, or CPU_ANY */
	bool bt_oncpu;		/* its state is not saved yet, or it runs */
	struct cpu *bt_cpu;	/* of td_gd */
	struct mtx *bt_blocked; /* on its turnstile */
	struct mtx *bt_held;	/* mutexes, the last one first */
	sim_ns bt_spin_until;
	struct rng bt_rng;	     /* of its costs */
	TAILQ_ENTRY(thread) bt_link; /* of a mutex: blocked or spinning */
};

enum thread_state {
	TD_RUNQ,    /* created, woken, or waiting for tokens */
	TD_RUNNING, /* chosen by lwkt_switch() */
	TD_SLEEP,   /* tsleep() */
};

enum thread_pri {
	TDPRI_IDLE_THREAD = 0,
	TDPRI_USER_NORM = 6,
	TDPRI_KERN_LPSCHED = 9,
	TDPRI_KERN_USER = 10, /* has slept in the kernel */
	TDPRI_KERN_DAEMON = 12,
};

struct thread {
	const char *td_name;
	int td_index;		  /* [I] of the machine's user threads; or -1 */
	struct thread *td_next;	  /* of these */
	struct globaldata *td_gd; /* [I] its CPU */
	struct engine_bell *td_bell;
	enum thread_state td_state;
	enum thread_pri td_pri;
	TAILQ_ENTRY(thread) td_link;
	void (*td_entry)(struct thread *);
	void *td_arg;
	bool td_signal; /* a signal waits to be taken */
	bool td_catch;	/* sleeps in tsleep_catch() */
	int64_t td_ns;	/* CPU time since the last reset: sched_account() */
	struct tokref td_toks[TOK_MAX];
	int td_ntoks;
	struct ipimsg td_wakeup;
	struct ipimsg td_sigipi;
	struct bsd_thread td_bsd; /* freebsd-2007: kern/sched_4bsd.h */
};

/* Make a CPU's scheduler and its idle thread (which has the CPU at first). */
void sched_init(struct globaldata *);
void sched_fini(struct globaldata *);

/*
 * Start a CPU's 100 Hz clock: quanta, callouts, and the speed of a hardware
 * thread by what its sibling does. Part of sched_init().
 * Kernel: hardclock(), sys/kern/kern_clock.c
 */
void clock_init(struct globaldata *);

/* A user thread, runnable, as an actor. The name is borrowed. */
struct thread *sched_thread_create(struct globaldata *, const char *name,
    void (*entry)(struct thread *), void *arg);
void sched_thread_destroy(struct thread *);

/*
 * Block the current thread until wakeup(). Its tokens are dropped meanwhile.
 *
 * Context: a thread, in the kernel. Time: sleeps.
 */
void tsleep(struct thread *);

/*
 * Likewise, until a signal (PCATCH) at the latest.
 *
 * Returns: 0, or EINTR; the signal is taken then.
 */
int tsleep_catch(struct thread *);

/*
 * Make a sleeping thread runnable.
 *
 * Context: CPU gd. Time: runs wakeup; for a thread of another CPU an IPI, and
 *          wakeup there too.
 */
void wakeup(struct globaldata *, struct thread *);

/* Like wakeup() for a thread of this CPU that is known. Time: none. */
void lwkt_schedule(struct globaldata *, struct thread *);

/*
 * Send a signal to a thread: an interruptible sleep ends. In user mode it is
 * taken at once, elsewhere at the latest at the return to user mode.
 *
 * Context: CPU gd. Time: runs wakeup; for a thread of another CPU an IPI.
 */
void lwpsignal(struct globaldata *, struct thread *);

/* The current thread cannot get a token: see lwkt_gettoken(). */
void sched_token_wait(struct globaldata *);

/* Enter the kernel by a system call. Time: runs syscall. */
static inline void
userenter(struct globaldata *gd)
{
	SIM_ASSERT(gd->gd_usermode);
	gd->gd_usermode = false;
	gd->gd_syscalls++;
	gd_run(gd, COST_syscall);
}

/* The CPU leaves its sleep, if it slept. Time: runs idle_exit(_deep). */
void intr_wake(struct globaldata *);

/*
 * Every interrupt handler of a device or timer begins with this.
 *
 * Context: an interrupt. Time: runs intr, and intr_wake().
 */
void intr_enter(struct globaldata *);

/* Return to user mode: protocol thread first. Time: runs, may sleep. */
void userexit(struct globaldata *);

/* Does the protocol thread want the CPU? */
static inline bool
netisr_pending(const struct globaldata *gd)
{
	const struct netisr *ni = &gd->gd_netisr;

	return ni->ni_thread == NULL ? ni->ni_port.mp_head != NULL
				     : ni->ni_thread->td_state == TD_RUNQ;
}

/*
 * Put a message on this CPU's port: the thread becomes runnable. Context: CPU.
 * Time: none.
 */
void netisr_post(struct globaldata *, struct netmsg *);

/*
 * Send a message to this CPU's protocol thread: what to wake is known.
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

/* CPU time of the protocol thread since the last reset, as td_ns. */
int64_t netisr_ns(const struct globaldata *);

/* Name of a machine's user thread, by td_index; NULL: there is none. */
const char *sched_thread_name(const struct machine *, int64_t index);

/*
 * Charge whoever has the CPU up to now, less what interrupts took of it: the
 * protocol thread, also while it borrows a stack, a user thread, or idle. These
 * and c_intr are all of a CPU's time.
 */
void sched_account(struct globaldata *);

/* Start the accounts again (a mark). */
void sched_account_reset(struct globaldata *);

#endif
