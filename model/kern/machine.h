#ifndef MODEL_KERN_MACHINE_H
#define MODEL_KERN_MACHINE_H

/*
 * A machine: its CPUs with what the kernel keeps per CPU, and what all of
 * them share. Passed down everywhere; there are no globals.
 *
 * Kernel: struct globaldata, sys/sys/globaldata.h
 */
#include <stddef.h>
#include <sys/queue.h>

#include "model/hw/cache.h"
#include "model/hw/cpu.h"
#include "model/kern/callout.h"
#include "model/kern/msgport.h"
#include "model/setup.h"
#include "sim/core/alloc.h"
#include "sim/core/rng.h"

struct machine;
struct thread;
struct inpcbinfo;
struct iopoll_ctx;
struct ifnet;
struct tcp_cpu;
struct syncache;
struct flow;
struct ifsubq;
struct machine_procs;
struct kernel_ops;
struct bsd_machine;

TAILQ_HEAD(threadq, thread);

/* What a netisr does between batches of messages, lowest priority last. */
#define NETISR_MAX_ROLLUPS 4

struct globaldata;
struct ipiq;
struct tok;

/* The protocol thread of a CPU. */
struct netisr {
	struct msgport ni_port;
	/*
	 * Where CPUs share (m_shares) it is a thread; elsewhere NULL: then it
	 * is run on the stack of whoever has the CPU.
	 */
	struct thread *ni_thread;
	/* All that its port holds: registered by net/netisr.c. */
	void (*ni_run)(struct globaldata *);
	int ni_nrollups;
	void (*ni_rollup[NETISR_MAX_ROLLUPS])(struct globaldata *);
	bool ni_waiting; /* the thread waits at the port (MSGPORTF_WAITING) */
	bool ni_running;
	bool ni_borrows; /* without a thread: has the CPU */
	uint64_t ni_messages, ni_runs;
	int64_t ni_ns; /* without a thread: as td_ns */
};

#define SPIN_MAX 8 /* tokens that a CPU waits for at a time */

/* A CPU that tries for tokens again and again (kern/token.c). */
struct spin {
	struct tok *sp_toks[SPIN_MAX];
	int sp_ntoks;	  /* 0: it does not */
	sim_ns sp_origin; /* it tries at this time plus n periods, n > 0 */
	sim_ns sp_period;
	sim_ns sp_until; /* when to look, or to give up */
};

/*
 * The per-CPU part. Everything in it is touched on its CPU only.
 */
struct globaldata {
	struct cpu gd_cpu; /* first: a cpu is a globaldata */
	struct machine *gd_machine;
	struct thread *gd_curthread;
	struct thread *gd_idle;
	sim_ns gd_accounted;	   /* threads are charged up to here */
	int64_t gd_accounted_intr; /* c_intr then */
	struct threadq gd_runq;	   /* runnable threads but the current one */
	bool gd_idling;		   /* the idle thread has halted */
	bool gd_usermode;	   /* the current thread is in user mode */
	bool gd_resched;    /* the user quantum is used up; look who is next */
	bool gd_critical;   /* freebsd-2007: within mi_switch() */
	int gd_quantum;	    /* ticks left of it */
	uint64_t gd_queued; /* threads that became runnable */
	struct netisr gd_netisr;
	struct callwheel gd_wheel;
	struct cpu_source gd_hardclock;
	struct netmsg gd_softclock;
	int32_t gd_ticks; /* hardclocks so far; the wheel may be behind */
	struct globaldata *gd_sibling; /* shares the core, or NULL */
	int64_t gd_idle_tick[4];       /* ns idle in each of the last ticks */
	int64_t gd_idle_before;	       /* c_idle_ever at the last tick */
	struct sim_pool gd_so_pool, gd_knote_pool, gd_mbuf_pool, gd_sc_pool;
	struct iopoll_ctx *gd_iopoll;
	struct ifsubq *gd_ifsubq; /* by ifnet index */
	struct tcp_cpu *gd_tcp;
	struct syncache *gd_syncache;
	struct ipiq *gd_ipiq;
	struct spin gd_spin;
	int gd_idle_repeat; /* times idle in a row */
	uint64_t gd_ipis, gd_ipis_avoided, gd_domsgs, gd_collisions;
	uint64_t gd_switches, gd_wakeups, gd_syscalls;
};

/* Rules in which kernels differ, beside their sysctls. */
struct kernel_rules {
	bool kr_rcvd_async;    /* recv(2) does not wait for so_pru_rcvd() */
	bool kr_sockopt_async; /* ... setsockopt(2) of TCP_NODELAY likewise */
	bool kr_wakeup_mycpu;  /* a message to one's own CPU skips wakeup() */
	bool kr_npoll_late;    /* gd_npoll is held until all has run */
	bool kr_kqueue_held; /* kevent(2) holds the kqueue's token throughout */
};

struct machine {
	const struct setup_machine *m_setup;
	const struct setup_sysctl *m_sysctl;
	int m_index; /* of the model; also the engine's host */
	int m_ncpus;
	int m_netisr_ncpus; /* protocol CPUs */
	const struct kernel_ops *m_kernel;
	const struct kernel_rules *m_rules;
	/*
	 * [I] CPUs use objects of each other: they keep in lockstep, tokens are
	 * followed, protocol threads are threads. Elsewhere a CPU meets others
	 * on the wire only, and runs ahead.
	 */
	bool m_shares;
	struct tok **m_toks; /* all that are followed */
	int m_ntoks;
	struct globaldata **m_gd;
	struct cache m_cache;
	struct lru m_lru; /* freebsd-2007 */
	struct rng_run m_rng;
	struct ifnet **m_ifnets; /* a port each */
	int m_nifnets;
	struct inpcbinfo *m_pcbinfo;
	struct flow **m_flows; /* by client address, then port */
	int m_naddrs;
	struct machine_procs *m_procs;
	struct bsd_machine *m_bsd; /* freebsd-2007: kern/sched_4bsd.h */
	struct thread *m_threads;  /* user threads, the newest first */
	int m_nthreads;
};

/*
 * Protocol CPUs: net.netisr.ncpus, or ncpus2, the largest power of two of the
 * CPUs.
 */
int machine_netisr_ncpus(const struct setup_machine *);

static inline struct globaldata *
cpu_gd(struct cpu *c)
{
	return (struct globaldata *)c;
}

/* Short for the commonest thing of all. */
static inline void
gd_run(struct globaldata *gd, int cost)
{
	cpu_run(&gd->gd_cpu, cost);
}

#endif
