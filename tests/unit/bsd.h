#ifndef TESTS_UNIT_BSD_H
#define TESTS_UNIT_BSD_H

/*
 * A machine of freebsd-2007 with two CPUs whose card receives nothing, and
 * threads that do what a test says:
 *
 *	bsd_init(); bsd_open(); ... bsd_thread(), bsd_interrupt() ... bsd_run();
 *
 * Its own thread, netserver, sleeps in accept(2).
 */
#include "model/kern/sockbuf.h"
#include "tests/unit/rig.h"

#define BSD_END sim_ms(5)
#define BSD_START 100000 /* ns: the first thing that a test looks at */

/* Costs, all different. */
enum {
	C_MTX = 10,
	C_LINE = 100,
	C_CONTESTED = 50,
	C_SWITCH = 200,
	C_SETRUNQUEUE = 30,
	C_HLT = 1000,
	C_IPI = 70,
	C_INTR = 40,
	C_FREE = 7,
	C_RECV = 11,
};

static struct rig rig;
static struct cpu_source bsd_source;
static struct thread *bsd_ithread;

static inline void
bsd_init(void)
{
	struct setup_machine *sm = &rig.rg_setup.su_machines[0];
	sim_ns *cost = sm->sm_hw.hw_cost;

	rig_init(&rig);
	sm->sm_kernel = KERNEL_FREEBSD_2007;
	sm->sm_hw.hw_ncpus = 2;
	sm->sm_hw.hw_threads_per_core = 1;
	sm->sm_sysctl.hz = 100;
	sm->sm_nics[0].sn_name = "mxge";
	sm->sm_nics[0].sn_model = NIC_MXGE;
	sm->sm_nics[0].sn_ithread = CPU_ANY;
	sm->sm_nprocs = 1;
	sm->sm_procs[0] = (struct setup_process){
		.sp_name = "netserver",
		.sp_program = PROGRAM_NETSERVER,
		.sp_cpu = CPU_ANY,
		.sp_rcvbuf = 65536,
	};
	cost[COST_mtx] = C_MTX;
	cost[COST_mtx_line] = C_LINE;
	cost[COST_mtx_contested] = C_CONTESTED;
	cost[COST_mi_switch] = C_SWITCH;
	cost[COST_setrunqueue] = C_SETRUNQUEUE;
	cost[COST_hlt_exit] = C_HLT;
	cost[COST_ipi_preempt] = C_IPI;
	cost[COST_intr_execute] = C_INTR;
	cost[COST_m_free] = C_FREE;
	cost[COST_soreceive] = C_RECV;
	cost[COST_uiomove] = 1024; /* 1 ns a byte */
	rig.rg_setup.su_run.sr_measure = BSD_END;
	rig.rg_setup.su_run.sr_slice = BSD_END;
}

static inline void
bsd_open(void)
{
	rig_open(&rig);
}

static inline struct thread *
bsd_thread(int pri, int cpu, void (*entry)(struct thread *))
{
	return bsd_thread_create(rig.rg_m, "test", pri, cpu, true, entry, NULL);
}

static inline sim_ns
bsd_time(const struct thread *td)
{
	return td_cpu(td)->c_now;
}

/* Have the CPU until then. */
static inline void
bsd_until(struct thread *td, sim_ns t)
{
	td_run_ns(td, COST_netserver_call, t - bsd_time(td));
}

/* Nothing more to do: sleep for ever. */
static inline void
bsd_done(struct thread *td)
{
	for (;;)
		bsd_msleep(td, NULL, PUSER);
}

static inline void
bsd_fire(struct cpu *c, struct cpu_source *cs)
{
	cpu_source_arm(c, cs, SIM_NEVER);
	bsd_intr_enter(cpu_gd(c));
	gd_run(cpu_gd(c), COST_intr_execute);
	bsd_sched_ithread(cpu_gd(c), bsd_ithread);
}

/* An interrupt of CPU 0 that makes a thread runnable. */
static inline void
bsd_interrupt(sim_ns when, struct thread *td)
{
	struct cpu *c = &rig.rg_m->m_gd[0]->gd_cpu;

	bsd_ithread = td;
	bsd_source.cs_fire = bsd_fire;
	cpu_source_add(c, &bsd_source);
	cpu_source_arm(c, &bsd_source, when);
}

static inline void
bsd_run(void)
{
	rig_run(&rig, NULL);
	rig_close(&rig);
}

#endif
