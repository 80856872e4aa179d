/*
 * Adaptive mutexes: spin while the owner runs, else block and lend priority.
 */
#include "tests/unit/bsd.h"

static struct mtx mtx;
static sim_ns got[3], freed;
static int pri_lent, pri_after;
static struct thread *owner, *ithread;

static void
first_entry(struct thread *td)
{
	bsd_until(td, BSD_START);
	mtx_lock(td, &mtx);
	got[0] = bsd_time(td);
	td_run_ns(td, COST_netserver_call, 5000);
	mtx_unlock(td, &mtx);
	freed = bsd_time(td);
	bsd_done(td);
}

static void
second_entry(struct thread *td)
{
	bsd_until(td, BSD_START + 2000);
	mtx_lock(td, &mtx);
	got[1] = bsd_time(td);
	mtx_unlock(td, &mtx);
	mtx_lock(td, &mtx);
	got[2] = bsd_time(td);
	mtx_unlock(td, &mtx);
	bsd_done(td);
}

static void
spins_while_the_owner_runs(void)
{
	bsd_init();
	bsd_open();
	mtx_init(&mtx, "test");
	bsd_thread(PUSER, 0, first_entry);
	bsd_thread(PUSER, 1, second_entry);
	bsd_run();
	CHECK_EQ(got[0], BSD_START + C_MTX);
	/* Contested, so that the release takes longer. */
	CHECK_EQ(freed, got[0] + 5000 + C_CONTESTED);
	CHECK_EQ(got[1], freed + C_LINE);
	/* The line is there now, and nobody waits. */
	CHECK_EQ(got[2], got[1] + C_MTX);
	CHECK_EQ(mtx.mtx_spins, 1);
	CHECK_EQ(mtx.mtx_blocks, 0);
	CHECK_EQ(mtx.mtx_gets, 3);
}

static void
owner_entry(struct thread *td)
{
	bsd_until(td, BSD_START);
	mtx_lock(td, &mtx);
	td_run_ns(td, COST_netserver_call, 10000);
	pri_lent = td->td_bsd.bt_pri;
	mtx_unlock(td, &mtx);
	pri_after = td->td_bsd.bt_pri;
	freed = bsd_time(td);
	bsd_done(td);
}

static void
ithread_entry(struct thread *td)
{
	bsd_msleep(td, NULL, PI_NET);
	mtx_lock(td, &mtx);
	got[0] = bsd_time(td);
	mtx_unlock(td, &mtx);
	bsd_done(td);
}

/*
 * The interrupt thread finds the mutex held by the thread that it has
 * preempted: it lends its priority and blocks; the release gives it the CPU.
 * (Unbound, it would be forwarded to the idle CPU.)
 */
static void
blocks_when_the_owner_does_not_run(void)
{
	sim_ns at = BSD_START + C_MTX + 4000, blocked, resumed, released;

	bsd_init();
	bsd_open();
	mtx_init(&mtx, "test");
	ithread = bsd_thread(PI_NET, 0, ithread_entry);
	owner = bsd_thread(PUSER, 0, owner_entry);
	bsd_interrupt(at, ithread);
	bsd_run();
	blocked = at + C_INTR + C_SWITCH + C_MTX;
	resumed = blocked + C_SWITCH;
	released = resumed + 6000 + C_CONTESTED + C_SETRUNQUEUE;
	CHECK_EQ(pri_lent, PI_NET);
	CHECK_EQ(got[0], released + C_SWITCH);
	CHECK_EQ(pri_after, PUSER);
	/* The owner has the CPU again when the other has gone to sleep. */
	CHECK_EQ(freed, got[0] + C_SWITCH);
	CHECK_EQ(mtx.mtx_blocks, 1);
	CHECK_EQ(mtx.mtx_spins, 0);
}

static void
spinner_entry(struct thread *td)
{
	bsd_until(td, BSD_START + 1000);
	mtx_lock(td, &mtx);
	got[1] = bsd_time(td);
	mtx_unlock(td, &mtx);
	bsd_done(td);
}

static void
idle_ithread_entry(struct thread *td)
{
	bsd_msleep(td, NULL, PI_NET);
	td_run_ns(td, COST_netserver_call, 3000);
	bsd_done(td);
}

/* Who spins stops when the owner loses its CPU. */
static void
spinner_blocks_when_the_owner_stops(void)
{
	bsd_init();
	bsd_open();
	mtx_init(&mtx, "test");
	ithread = bsd_thread(PI_NET, 0, idle_ithread_entry);
	bsd_thread(PUSER, 0, owner_entry);
	bsd_thread(PUSER, 1, spinner_entry);
	bsd_interrupt(BSD_START + 4000, ithread);
	bsd_run();
	CHECK_EQ(mtx.mtx_spins, 1);
	CHECK_EQ(mtx.mtx_blocks, 1);
	CHECK(got[1] > freed - C_SWITCH);
}

static void
waking_entry(struct thread *td)
{
	bsd_until(td, BSD_START + 6000);
	bsd_wakeup(td, ithread);
	bsd_done(td);
}

/* A wake-up is not for one that is blocked on a mutex: it waits on. */
static void
wakeup_leaves_blocked_threads(void)
{
	sim_ns at = BSD_START + C_MTX + 4000, released;

	bsd_init();
	bsd_open();
	mtx_init(&mtx, "test");
	ithread = bsd_thread(PI_NET, CPU_ANY, ithread_entry);
	owner = bsd_thread(PUSER, 0, owner_entry);
	bsd_thread(PUSER, 1, waking_entry);
	bsd_interrupt(at, ithread);
	bsd_run();
	released = at + C_INTR + C_SWITCH + C_MTX + C_SWITCH + 6000 +
		   C_CONTESTED + C_SETRUNQUEUE;
	CHECK_EQ(mtx.mtx_blocks, 1);
	CHECK_EQ(mtx.mtx_spins, 0);
	CHECK_EQ(mtx.mtx_gets, 2);
	/* CPU 1 is called, but the owner sleeps before it has left hlt. */
	CHECK_EQ(got[0], released + C_SWITCH);
}

#define CASE(name)                            \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		check_forked(name);           \
	}
CASE(spins_while_the_owner_runs)
CASE(blocks_when_the_owner_does_not_run)
CASE(spinner_blocks_when_the_owner_stops)
CASE(wakeup_leaves_blocked_threads)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spins_while_the_owner_runs),
		cmocka_unit_test(test_blocks_when_the_owner_does_not_run),
		cmocka_unit_test(test_spinner_blocks_when_the_owner_stops),
		cmocka_unit_test(test_wakeup_leaves_blocked_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
