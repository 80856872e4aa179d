#ifndef TESTS_UNIT_SHARE_H
#define TESTS_UNIT_SHARE_H

/*
 * A rig of several CPUs that share (m_shares), and things to happen on them at
 * given times. Nothing else runs: its card takes interrupts, of which none
 * comes, and a run is over before the first tick of 10 ms. Costs are round, and
 * those that a test does not speak of are 0.
 */
#include "tests/unit/rig.h"

#include "model/kern/ipiq.h"
#include "model/kern/sched.h"
#include "model/kern/syscalls.h"

#define SHARE_EVENTS 64
#define SHARE_END sim_us(9900)

#define C_SWITCH 400
#define C_USWITCH 500
#define C_SYSCALL 600
#define C_SEND 700
#define C_REPLY 750
#define C_DISPATCH 800
#define C_IPI_SEND 900
#define C_FLIGHT 1100
#define C_IPI_RECV 1200
#define C_IDLE_EXIT 1300
#define C_IDLE_DEEP 90000
#define C_WAKEUP 1400
#define C_ROLLUP 30
#define C_TOKEN 10
#define C_SPIN 20
#define C_SONEWCONN 2200
#define C_ACCEPT 3400
#define C_PREDICATE 340
#define C_KNOTE 80

/* From the sender's last ns to the other CPU's first: see cpu_lockstep(). */
#define FLIGHT (1 + C_FLIGHT)

/* Something that a CPU does at a time, at interrupt level or in its netisr. */
struct share_event {
	struct netmsg se_msg; /* first */
	struct globaldata *se_gd;
	sim_ns se_when;
	void (*se_fn)(struct globaldata *, void *);
	void *se_arg;
	bool se_netisr, se_done;
};

static struct rig rig;
static struct share_event share_events[SHARE_EVENTS];
static int share_nevents;
static struct cpu_source share_sources[SETUP_MAX_CPUS];

static inline struct globaldata *
share_gd(int cpu)
{
	return rig.rg_m->m_gd[cpu];
}

static inline sim_ns
share_now(int cpu)
{
	return share_gd(cpu)->gd_cpu.c_now;
}

static inline void
share_arm(struct globaldata *gd)
{
	sim_ns next = SIM_NEVER;

	for (int i = 0; i < share_nevents; i++)
		if (share_events[i].se_gd == gd && !share_events[i].se_done)
			next = sim_min(next, share_events[i].se_when);
	cpu_source_arm(&gd->gd_cpu, &share_sources[gd->gd_cpu.c_id], next);
}

static inline void
share_dispatch(struct globaldata *gd, struct netmsg *nm)
{
	struct share_event *se = msg_owner(nm, struct share_event, se_msg);

	se->se_fn(gd, se->se_arg);
}

/* An interrupt without a cost of its own. */
static inline void
share_fire(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);

	for (int i = 0; i < share_nevents; i++) {
		struct share_event *se = &share_events[i];

		if (se->se_gd != gd || se->se_done || se->se_when > c->c_now)
			continue;
		se->se_done = true;
		if (se->se_netisr)
			netisr_post(gd, &se->se_msg);
		else
			se->se_fn(gd, se->se_arg);
	}
	(void)cs;
	share_arm(gd);
}

/* Before share_run(). */
static inline void
share_event(int cpu, sim_ns when, bool netisr,
    void (*fn)(struct globaldata *, void *), void *arg)
{
	CHECK(share_nevents < SHARE_EVENTS);
	share_events[share_nevents++] = (struct share_event){
		.se_msg.nm_dispatch = share_dispatch,
		.se_gd = share_gd(cpu),
		.se_when = when,
		.se_fn = fn,
		.se_arg = arg,
		.se_netisr = netisr,
	};
	share_arm(share_gd(cpu));
}

/* At interrupt level. */
static inline void
share_intr_at(
    int cpu, sim_ns when, void (*fn)(struct globaldata *, void *), void *arg)
{
	share_event(cpu, when, false, fn, arg);
}

/* In the protocol thread: the message is put on its port then. */
static inline void
share_netisr_at(
    int cpu, sim_ns when, void (*fn)(struct globaldata *, void *), void *arg)
{
	share_event(cpu, when, true, fn, arg);
}

static inline void
share_costs(sim_ns *cost)
{
	cost[COST_lwkt_switch] = C_SWITCH;
	cost[COST_user_switch] = C_USWITCH;
	cost[COST_syscall] = C_SYSCALL;
	cost[COST_msg_send] = C_SEND;
	cost[COST_msg_reply] = C_REPLY;
	cost[COST_msg_dispatch] = C_DISPATCH;
	cost[COST_ipi_send] = C_IPI_SEND;
	cost[COST_ipi_flight] = C_FLIGHT;
	cost[COST_ipi_recv] = C_IPI_RECV;
	cost[COST_idle_exit] = C_IDLE_EXIT;
	cost[COST_idle_exit_deep] = C_IDLE_DEEP;
	cost[COST_wakeup] = C_WAKEUP;
	cost[COST_rollup] = C_ROLLUP;
	cost[COST_token] = C_TOKEN;
	cost[COST_token_spin] = C_SPIN;
	cost[COST_sonewconn] = C_SONEWCONN;
	cost[COST_accept] = C_ACCEPT;
	cost[COST_soaccept_predicate] = C_PREDICATE;
	cost[COST_knote] = C_KNOTE;
}

/* Of the kernel of 2011, or 2017; change rig.rg_setup; then share_open(). */
static inline void
share_init(int ncpus, enum setup_kernel kernel)
{
	struct setup_machine *sm = &rig.rg_setup.su_machines[0];

	rig_init(&rig);
	sm->sm_kernel = kernel;
	sm->sm_hw.hw_ncpus = ncpus;
	sm->sm_sysctl.cpu_idle_hlt = 1;
	sm->sm_nics[0].sn_name = "em";
	sm->sm_nics[0].sn_model = NIC_EM;
	sm->sm_nics[0].sn_bps = 1000000000;
	sm->sm_nics[0].sn_polling = false;
	share_costs(sm->sm_hw.hw_cost);
	rig.rg_setup.su_run.sr_measure = SHARE_END;
	share_nevents = 0;
}

static inline void
share_open(void)
{
	rig_open(&rig);
	CHECK(rig.rg_m->m_shares);
	for (int i = 0; i < rig.rg_m->m_ncpus; i++) {
		share_sources[i].cs_fire = share_fire;
		cpu_source_add(&share_gd(i)->gd_cpu, &share_sources[i]);
	}
}

static inline void
share_run(void)
{
	rig_run(&rig, NULL);
}

/* Work in user mode, from the start of the thread or a return, until t. */
static inline void
share_work_until(struct globaldata *gd, sim_ns t)
{
	CHECK(gd->gd_cpu.c_now <= t);
	cpu_run_ns(&gd->gd_cpu, COST_work, t - gd->gd_cpu.c_now);
}

/* The thread has nothing more to do. */
static inline void
share_done(struct thread *td)
{
	if (td->td_gd->gd_usermode)
		userenter(td->td_gd);
	for (;;)
		tsleep(td);
}

/* A counter of globaldata, over all CPUs. */
#define SHARE_SUM(member)                                                     \
	({                                                                    \
		uint64_t share_sum = 0;                                       \
                                                                              \
		for (int share_i = 0; share_i < rig.rg_m->m_ncpus; share_i++) \
			share_sum += share_gd(share_i)->member;               \
		share_sum;                                                    \
	})

/* How often this was charged so far, on all CPUs. */
static inline int64_t
share_charges(int cost)
{
	int64_t sum = 0;

	for (int i = 0; i < rig.rg_m->m_ncpus; i++)
		sum += share_gd(i)->gd_cpu.c_spent[cost];
	return sum / rig.rg_setup.su_machines[0].sm_hw.hw_cost[cost];
}

#define SHARE_TEST(name)                      \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		check_forked(name);           \
	}

#endif
