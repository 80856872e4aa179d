/*
 * SCHED_4BSD: who gets which CPU when.
 */
#include "tests/unit/bsd.h"

static sim_ns ran[4];
static int cpus[4];
static struct thread *sleeper, *ithread;

static void
sleeper_entry(struct thread *td)
{
	bsd_msleep(td, NULL, PSOCK);
	ran[0] = bsd_time(td);
	cpus[0] = td_cpu(td)->c_id;
	bsd_done(td);
}

static void
waker_entry(struct thread *td)
{
	bsd_until(td, BSD_START);
	bsd_wakeup(td, sleeper);
	bsd_until(td, 2 * BSD_START);
	ran[1] = bsd_time(td);
	bsd_done(td);
}

static void
woken_thread_goes_to_the_idle_cpu(void)
{
	bsd_init();
	bsd_open();
	sleeper = bsd_thread(PUSER, CPU_ANY, sleeper_entry);
	bsd_thread(PUSER, 0, waker_entry);
	bsd_run();
	/* setrunqueue; the IPI comes a ns later, ends hlt, and idle switches */
	CHECK_EQ(
	    ran[0], BSD_START + C_SETRUNQUEUE + 1 + C_HLT + C_IPI + C_SWITCH);
	CHECK_EQ(cpus[0], 1);
	CHECK_EQ(ran[1], 2 * BSD_START);
}

static void
without_ipiwakeup_it_waits(void)
{
	bsd_init();
	rig.rg_setup.su_machines[0].sm_sysctl.ipiwakeup = 0;
	bsd_open();
	sleeper = bsd_thread(PUSER, CPU_ANY, sleeper_entry);
	bsd_thread(PUSER, 0, waker_entry);
	bsd_run();
	/* Its turn comes when the waker sleeps: it preempts nobody. */
	CHECK_EQ(ran[0], 2 * BSD_START + C_SWITCH);
	CHECK_EQ(cpus[0], 0);
}

static void
ithread_entry(struct thread *td)
{
	for (;;) {
		bsd_msleep(td, NULL, PI_NET);
		ran[0] = bsd_time(td);
		cpus[0] = td_cpu(td)->c_id;
		td_run_ns(td, COST_netserver_call, 5000);
	}
}

static void
busy_entry(struct thread *td)
{
	bsd_until(td, BSD_START);
	cpus[1] = td_cpu(td)->c_id;
	td_run_ns(td, COST_netserver_call, 10000);
	ran[1] = bsd_time(td);
	cpus[2] = td_cpu(td)->c_id;
	bsd_done(td);
}

/*
 * The interrupt thread has the CPU of its interrupt at once; who had it goes on
 * on the other one, with what was left to do.
 */
static void
interrupt_thread_preempts(void)
{
	sim_ns at = BSD_START + 4000;
	sim_ns moved = at + C_INTR + C_SWITCH + 1 + C_HLT + C_IPI + C_SWITCH;

	bsd_init();
	bsd_open();
	ithread = bsd_thread(PI_NET, CPU_ANY, ithread_entry);
	bsd_thread(PUSER, CPU_ANY, busy_entry);
	bsd_interrupt(at, ithread);
	bsd_run();
	CHECK_EQ(cpus[0], 0);
	CHECK_EQ(cpus[1], 0);
	CHECK_EQ(ran[0], at + C_INTR + C_SWITCH);
	CHECK_EQ(cpus[2], 1);
	CHECK_EQ(ran[1], moved + 6000);
}

static void
bound_entry(struct thread *td)
{
	busy_entry(td);
}

/* One that is bound waits for the interrupt thread to end. */
static void
bound_thread_does_not_move(void)
{
	sim_ns at = BSD_START + 4000;

	bsd_init();
	bsd_open();
	ithread = bsd_thread(PI_NET, CPU_ANY, ithread_entry);
	bsd_thread(PUSER, 0, bound_entry);
	bsd_interrupt(at, ithread);
	bsd_run();
	CHECK_EQ(cpus[2], 0);
	CHECK_EQ(ran[1], at + C_INTR + C_SWITCH + 5000 + C_SWITCH + 6000);
}

/* Clocks do not stop for a busy CPU; statclock counts what has it. */
static void
hog_entry(struct thread *td)
{
	bsd_until(td, sim_ms(290));
	bsd_done(td);
}

static uint64_t stat_ticks, stat_busy;

static void
statclock_samples(void)
{
	bsd_init();
	rig.rg_setup.su_run.sr_measure = sim_ms(600);
	rig.rg_setup.su_run.sr_slice = sim_ms(600);
	bsd_open();
	bsd_thread(PUSER, 0, hog_entry);
	rig_run(&rig, NULL);
	/* 2/15 of 100 Hz: each 75 ms */
	stat_ticks = rig.rg_m->m_bsd->bm_stats[0].bs_stat_ticks;
	stat_busy = rig.rg_m->m_bsd->bm_stats[0].bs_stat_busy;
	CHECK_EQ(stat_ticks, 7);
	CHECK_EQ(stat_busy, 3);
	CHECK_EQ(rig.rg_m->m_bsd->bm_stats[1].bs_stat_busy, 0);
	rig_close(&rig);
}

#define CASE(name)                            \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		check_forked(name);           \
	}
CASE(woken_thread_goes_to_the_idle_cpu)
CASE(without_ipiwakeup_it_waits)
CASE(interrupt_thread_preempts)
CASE(bound_thread_does_not_move)
CASE(statclock_samples)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_woken_thread_goes_to_the_idle_cpu),
		cmocka_unit_test(test_without_ipiwakeup_it_waits),
		cmocka_unit_test(test_interrupt_thread_preempts),
		cmocka_unit_test(test_bound_thread_does_not_move),
		cmocka_unit_test(test_statclock_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
