/*
 * Serialising tokens: tries, and whose comes first; the CPU that is given to
 * others; what happens to tokens when a thread blocks; the statistics. Where a
 * try is made again and again, each takes PERIOD; the first one C_TOKEN.
 *
 * That the outcome is as if each try was made at its instant is checked against
 * a machine that does so: tests/unit/test_token_tries.c.
 */
#include "tests/unit/share.h"

#define PERIOD (C_SPIN + C_TOKEN)
#define TRIES 5 /* lwkt.token_spin */
/* After the first look: its tries, then the scheduler's first. */
#define GIVEN_UP (C_TOKEN + TRIES * PERIOD)
#define AGAIN (GIVEN_UP + C_TOKEN)
#define NUSERS 8

/* A thread that holds a token for some time. */
struct user {
	struct thread *us_td;
	int us_cpu;
	sim_ns us_when, us_hold;
	sim_ns us_got, us_dropped;
};

static struct tok tok;
static struct user users[NUSERS];
static int nusers;
/* Of each CPU, in the whole run. */
static uint64_t switches[4], collisions[4];

static void
start(int ncpus)
{
	share_init(ncpus, KERNEL_DRAGONFLY_2011);
	share_open();
	tok_init(rig.rg_m, &tok, "test", 0);
	nusers = 0;
}

static void
use(struct thread *td)
{
	struct user *us = td->td_arg;
	struct globaldata *gd = td->td_gd;

	userexit(gd);
	share_work_until(gd, us->us_when - C_SYSCALL);
	userenter(gd);
	lwkt_gettoken(gd, &tok);
	us->us_got = gd->gd_cpu.c_now;
	CHECK(lwkt_token_held(gd, &tok));
	cpu_run_ns(&gd->gd_cpu, COST_work, us->us_hold);
	CHECK(tok.t_owner == td);
	us->us_dropped = gd->gd_cpu.c_now;
	lwkt_reltoken(gd, &tok);
	userexit(gd);
	share_done(td);
}

/* It wants the token at `when`, for `hold`. */
static struct user *
user_entry(int cpu, sim_ns when, sim_ns hold, void (*entry)(struct thread *))
{
	struct user *us = &users[nusers++];

	*us = (struct user){ .us_cpu = cpu, .us_when = when, .us_hold = hold };
	us->us_td = sched_thread_create(share_gd(cpu), "user", entry, us);
	return us;
}

static struct user *
user(int cpu, sim_ns when, sim_ns hold)
{
	return user_entry(cpu, when, hold, use);
}

static void
finish(void)
{
	share_run();
	CHECK(tok.t_owner == NULL);
	for (int i = 0; i < rig.rg_m->m_ncpus; i++) {
		switches[i] = share_gd(i)->gd_switches;
		collisions[i] = share_gd(i)->gd_collisions;
	}
	for (int i = 0; i < nusers; i++)
		sched_thread_destroy(users[i].us_td);
	rig_close(&rig);
}

static void
uncontended(void)
{
	const struct user *us;

	start(2);
	us = user(1, sim_us(1000), 700);
	finish();
	CHECK_EQ(us->us_got, sim_us(1000) + C_TOKEN);
	CHECK_EQ(us->us_dropped, us->us_got + 700);
	CHECK_EQ(tok.t_gets, 1);
	CHECK_EQ(tok.t_waits, 0);
	CHECK_EQ(tok.t_collisions, 0);
	CHECK_EQ(tok.t_wait_ns, 0);
	CHECK_EQ(tok.t_hold_ns, 700);
	CHECK_EQ(tok.t_hold_max, 700);
}

/* Taken three times, dropped with the last one. */
static void
recursive_thread(struct thread *td)
{
	struct user *us = td->td_arg;
	struct globaldata *gd = td->td_gd;

	for (int i = 0; i < 3; i++)
		lwkt_gettoken(gd, &tok);
	us->us_got = gd->gd_cpu.c_now;
	for (int i = 0; i < 3; i++) {
		cpu_run_ns(&gd->gd_cpu, COST_work, 100);
		CHECK(lwkt_token_held(gd, &tok));
		lwkt_reltoken(gd, &tok);
	}
	CHECK(!lwkt_token_held(gd, &tok));
	share_done(td);
}

static void
recursion(void)
{
	const struct user *us;

	start(2);
	us = user_entry(1, 0, 0, recursive_thread);
	finish();
	CHECK_EQ(us->us_got, C_SWITCH + 3 * C_TOKEN);
	CHECK_EQ(tok.t_gets, 1);
	CHECK_EQ(tok.t_hold_ns, 2 * C_TOKEN + 300);
}

/*
 * CPU a holds it until `late` ns after CPU b wanted it, which has it after its
 * nth further try, of `took` ns.
 */
static void
contended(int a, int b, sim_ns late, sim_ns took, bool collision)
{
	const sim_ns want = sim_us(1000);
	const struct user *ua, *ub;

	start(2);
	ua = user(a, want - 300 - C_TOKEN, 300 + late);
	ub = user(b, want, 50);
	finish();
	CHECK_EQ(ua->us_dropped, want + late);
	CHECK_EQ(ub->us_got, want + took);
	CHECK_EQ(tok.t_gets, 2);
	CHECK_EQ(tok.t_waits, 1);
	CHECK_EQ(tok.t_wait_ns, took);
	CHECK_EQ(tok.t_wait_max, took);
	CHECK_EQ(tok.t_hold_ns, 350 + late);
	CHECK_EQ(tok.t_hold_max, 300 + late);
	CHECK_EQ(tok.t_collisions, collision);
	CHECK_EQ(collisions[b], collision);
}

static void
second_try(void)
{
	contended(0, 1, C_TOKEN + 1, C_TOKEN + PERIOD, false);
}

static void
last_try(void)
{
	contended(0, 1, GIVEN_UP - 1, GIVEN_UP, false);
}

/* The CPU has nobody else to run, and tries in this one's name. */
static void
given_up(void)
{
	contended(0, 1, GIVEN_UP + 1, AGAIN, true);
}

static void
given_up_for_long(void)
{
	contended(0, 1, AGAIN + 10 * PERIOD - 1, AGAIN + 10 * PERIOD, true);
}

/* A release and a try at one instant: the lower CPU's comes first. */
static void
release_then_try(void)
{
	contended(0, 1, C_TOKEN + 2 * PERIOD, C_TOKEN + 2 * PERIOD, false);
}

static void
try_then_release(void)
{
	contended(1, 0, C_TOKEN + 2 * PERIOD, C_TOKEN + 3 * PERIOD, false);
}

static void
test_contended(void **state)
{
	(void)state;
	check_forked(second_try);
	check_forked(last_try);
	check_forked(given_up);
	check_forked(given_up_for_long);
	check_forked(release_then_try);
	check_forked(try_then_release);
}

/* Three try at the same instants: the lowest CPU, then the next. */
static void
ties(void)
{
	const sim_ns want = sim_us(1000);

	start(4);
	user(2, want - 200, 201 + 3 * PERIOD);
	user(3, want, 1000);
	user(0, want, 1000);
	user(1, want, 1000);
	finish();
	/* CPU 2 took it C_TOKEN after it wanted it. */
	CHECK_EQ(users[0].us_dropped, want + 1 + C_TOKEN + 3 * PERIOD);
	CHECK_EQ(users[2].us_got, want + C_TOKEN + 4 * PERIOD);
	CHECK(users[3].us_got >= users[2].us_dropped);
	CHECK(users[3].us_got <= users[2].us_dropped + PERIOD);
	CHECK(users[1].us_got >= users[3].us_dropped);
	CHECK_EQ(tok.t_waits, 3);
	CHECK_EQ(tok.t_collisions, 2);
	CHECK_EQ(tok.t_wait_ns, (users[1].us_got - want) +
				    (users[2].us_got - want) +
				    (users[3].us_got - want));
	CHECK_EQ(tok.t_wait_max, users[1].us_got - want);
}

/* Who waits longest has no claim: whose next try comes first has it. */
static void
next_try_first(void)
{
	const sim_ns want = sim_us(1000);

	start(4);
	/* Dropped at want + 1105. */
	user(0, want - C_TOKEN, 1105);
	/* Tries at want + AGAIN (170) + 30 n: at 1100, 1130. */
	user(1, want, 10);
	/* 20 later: at 1120. */
	user(2, want + 20, 10);
	finish();
	CHECK_EQ(users[2].us_got, want + 1120);
	/* Dropped at 1130, after CPU 1 has looked at 1130. */
	CHECK_EQ(users[1].us_got, want + 1160);
	CHECK_EQ(tok.t_collisions, 2);
}

static void
interrupt(struct globaldata *gd, void *arg)
{
	cpu_run_ns(&gd->gd_cpu, COST_work, *(const sim_ns *)arg);
}

/*
 * As before; but CPU 2, whose try comes next, is interrupted before it, for
 * 500 ns. CPU 1 has the token then, and CPU 2 after that.
 */
static void
interrupted_before_its_try(void)
{
	static const sim_ns long_time = 500;
	const sim_ns want = sim_us(1000);

	start(4);
	user(0, want - C_TOKEN, 1105);
	user(1, want, 10);
	user(2, want + 20, 10);
	share_intr_at(2, want + 1110, interrupt, (void *)&long_time);
	finish();
	CHECK_EQ(users[1].us_got, want + 1130);
	/* From its first look again after the interrupt. */
	CHECK(users[2].us_got >= want + 1110 + 500 + C_TOKEN);
	CHECK(users[2].us_got <= want + 1110 + 500 + PERIOD);
	CHECK_EQ(tok.t_wait_ns,
	    users[1].us_got - want + users[2].us_got - (want + 20));
}

/* All tokens go when a thread sleeps, and are taken before it runs again. */
static void
sleeper(struct thread *td)
{
	struct user *us = td->td_arg;
	struct globaldata *gd = td->td_gd;

	userexit(gd);
	share_work_until(gd, us->us_when - C_SYSCALL);
	userenter(gd);
	lwkt_gettoken(gd, &tok);
	lwkt_gettoken(gd, &tok);
	us->us_dropped = gd->gd_cpu.c_now + C_USWITCH;
	tsleep(td);
	CHECK(tok.t_owner == td);
	us->us_got = gd->gd_cpu.c_now;
	lwkt_reltoken(gd, &tok);
	lwkt_reltoken(gd, &tok);
	share_done(td);
}

static void
wake(struct globaldata *gd, void *arg)
{
	wakeup(gd, ((struct user *)arg)->us_td);
}

static void
dropped_on_block(void)
{
	struct user *us;

	start(2);
	us = user_entry(0, sim_us(1000), 0, sleeper);
	user(1, sim_us(1100), sim_us(100));
	share_intr_at(0, sim_us(1150), wake, us);
	finish();
	/* While the sleeper slept nobody held it. */
	CHECK_EQ(users[1].us_got, sim_us(1100) + C_TOKEN);
	/* Awake at 1150 us, it waits for the other one. */
	CHECK(us->us_got > users[1].us_dropped + C_SWITCH + C_USWITCH);
	CHECK(
	    us->us_got <= users[1].us_dropped + C_SWITCH + C_USWITCH + PERIOD);
	CHECK_EQ(tok.t_gets, 3);
	CHECK_EQ(tok.t_waits, 1);
	/* Its idle CPU looked on; none was given up. */
	CHECK_EQ(tok.t_collisions, 0);
	/* Since the CPU was to be its, 1150 us and the wakeup. */
	CHECK_EQ(tok.t_wait_ns,
	    us->us_got - C_SWITCH - C_USWITCH - (sim_us(1150) + C_WAKEUP));
	/* Twice by it, with the switches that a sleep costs. */
	CHECK_EQ(tok.t_hold_ns,
	    sim_us(100) + C_TOKEN + C_USWITCH + C_SWITCH + C_USWITCH);
}

/* Two of them: both are free while it sleeps, both its own afterwards. */
static struct tok second;
static int seen;

static void
sleeper_with_two(struct thread *td)
{
	struct user *us = td->td_arg;
	struct globaldata *gd = td->td_gd;

	userexit(gd);
	share_work_until(gd, us->us_when - C_SYSCALL);
	userenter(gd);
	lwkt_gettoken(gd, &tok);
	lwkt_gettoken(gd, &second);
	tsleep(td);
	CHECK(tok.t_owner == td && second.t_owner == td);
	lwkt_reltoken(gd, &second);
	lwkt_reltoken(gd, &tok);
	share_done(td);
}

static void
look_while_it_sleeps(struct globaldata *gd, void *arg)
{
	(void)gd;
	(void)arg;
	seen += tok.t_owner == NULL && second.t_owner == NULL;
}

static void
two_dropped_on_block(void)
{
	struct user *us;

	start(2);
	tok_init(rig.rg_m, &second, "second", 1);
	us = user_entry(0, sim_us(1000), 0, sleeper_with_two);
	share_intr_at(1, sim_us(1100), look_while_it_sleeps, NULL);
	share_intr_at(0, sim_us(1150), wake, us);
	finish();
	CHECK_EQ(seen, 1);
	CHECK_EQ(tok.t_gets, 2);
	CHECK_EQ(second.t_gets, 2);
	CHECK(tok.t_owner == NULL && second.t_owner == NULL);
}

static void
hold_in_netisr(struct globaldata *gd, void *arg)
{
	struct user *us = arg;

	us->us_when = gd->gd_cpu.c_now;
	lwkt_gettoken(gd, &tok);
	us->us_got = gd->gd_cpu.c_now;
	lwkt_reltoken(gd, &tok);
}

/*
 * A protocol thread waits for the token; its CPU goes to a thread that runs in
 * the kernel after a sleep (TDPRI_KERN_USER), though not back to one that was
 * interrupted in user mode (TDPRI_USER_NORM). Here the thread has CPU 1 to
 * itself until the message comes at 1100 us; CPU 0 holds the token from 1000
 * until 1200 us.
 */
static struct user in_netisr;
static sim_ns ran[2];

static void
kernel_thread(struct thread *td)
{
	struct globaldata *gd = td->td_gd;

	tsleep(td);
	ran[0] = gd->gd_cpu.c_now;
	cpu_run_ns(&gd->gd_cpu, COST_work, sim_us(20));
	userexit(gd);
	ran[1] = gd->gd_cpu.c_now;
	share_done(td);
}

static void
cpu_goes_to_kernel_thread(void)
{
	static const sim_ns idle = 0;
	struct user *us;

	start(2);
	user(0, sim_us(1000) - C_TOKEN, sim_us(200));
	us = user_entry(1, 0, 0, kernel_thread);
	share_netisr_at(1, sim_us(1100), hold_in_netisr, &in_netisr);
	/* Runnable while the netisr makes its first tries. */
	share_intr_at(1, sim_us(1100) + C_SWITCH + C_DISPATCH + 20, wake, us);
	share_intr_at(1, sim_us(1190), interrupt, (void *)&idle);
	finish();
	CHECK(ran[0] > in_netisr.us_when && ran[0] < sim_us(1105));
	/* It returns to user mode when the protocol thread has run. */
	CHECK(in_netisr.us_got >= sim_us(1200) + C_SWITCH);
	CHECK(in_netisr.us_got <= sim_us(1200) + PERIOD + C_SWITCH);
	CHECK(ran[1] > in_netisr.us_got);
	CHECK_EQ(tok.t_collisions, 1);
	/* thread, idle; netisr, thread, netisr, thread; idle */
	CHECK_EQ(switches[1], 2 + 4 + 1);
}

static void
user_thread(struct thread *td)
{
	struct globaldata *gd = td->td_gd;

	userexit(gd);
	share_work_until(gd, sim_us(1099));
	cpu_run_ns(&gd->gd_cpu, COST_work, sim_us(20));
	ran[0] = gd->gd_cpu.c_now;
	share_done(td);
}

static void
cpu_goes_not_to_user_thread(void)
{
	start(2);
	user(0, sim_us(1000) - C_TOKEN, sim_us(200));
	user_entry(1, 0, 0, user_thread);
	share_netisr_at(1, sim_us(1100), hold_in_netisr, &in_netisr);
	finish();
	CHECK(in_netisr.us_got >= sim_us(1200));
	CHECK(in_netisr.us_got <= sim_us(1200) + PERIOD);
	/* 19 us were left to work for. */
	CHECK_EQ(ran[0], in_netisr.us_got + C_ROLLUP + C_SWITCH + sim_us(19));
	/* thread; netisr, thread; idle */
	CHECK_EQ(switches[1], 1 + 2 + 1);
}

/*
 * On its way back to user mode it has user priority again, though it slept in
 * this call.
 */
static void
slept_thread(struct thread *td)
{
	struct globaldata *gd = td->td_gd;

	tsleep(td);
	share_work_until(gd, sim_us(1101));
	userexit(gd);
	ran[0] = gd->gd_cpu.c_now;
	share_done(td);
}

static void
cpu_goes_not_to_returning_thread(void)
{
	struct user *us;

	start(2);
	user(0, sim_us(1000) - C_TOKEN, sim_us(200));
	us = user_entry(1, 0, 0, slept_thread);
	share_intr_at(1, sim_us(1050), wake, us);
	share_netisr_at(1, sim_us(1100), hold_in_netisr, &in_netisr);
	finish();
	CHECK_EQ(in_netisr.us_when, sim_us(1101) + C_SWITCH + C_DISPATCH);
	CHECK(in_netisr.us_got >= sim_us(1200));
	CHECK(in_netisr.us_got <= sim_us(1200) + PERIOD);
	CHECK_EQ(ran[0], in_netisr.us_got + C_ROLLUP + C_SWITCH);
	/* thread, idle, thread; netisr, thread; idle */
	CHECK_EQ(switches[1], 3 + 2 + 1);
}

/*
 * A message that comes while a thread makes the scheduler's tries is not left
 * until the token is free.
 */
static void
note_time(struct globaldata *gd, void *arg)
{
	*(sim_ns *)arg = gd->gd_cpu.c_now;
}

static void
message_between_tries(void)
{
	const sim_ns message = sim_us(1100) + AGAIN + 2 * PERIOD + 5;

	start(2);
	user(0, sim_us(1000) - C_TOKEN, sim_us(200));
	user(1, sim_us(1100), 10);
	share_netisr_at(1, message, note_time, &ran[0]);
	finish();
	CHECK(ran[0] >= message + C_SWITCH + C_DISPATCH);
	CHECK(ran[0] <= message + TRIES * PERIOD + C_SWITCH + C_DISPATCH);
	CHECK(users[1].us_got > sim_us(1200));
}

SHARE_TEST(uncontended)
SHARE_TEST(recursion)
SHARE_TEST(ties)
SHARE_TEST(next_try_first)
SHARE_TEST(interrupted_before_its_try)
SHARE_TEST(dropped_on_block)
SHARE_TEST(two_dropped_on_block)
SHARE_TEST(cpu_goes_to_kernel_thread)
SHARE_TEST(cpu_goes_not_to_user_thread)
SHARE_TEST(cpu_goes_not_to_returning_thread)
SHARE_TEST(message_between_tries)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uncontended),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_contended),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_next_try_first),
		cmocka_unit_test(test_interrupted_before_its_try),
		cmocka_unit_test(test_dropped_on_block),
		cmocka_unit_test(test_two_dropped_on_block),
		cmocka_unit_test(test_cpu_goes_to_kernel_thread),
		cmocka_unit_test(test_cpu_goes_not_to_user_thread),
		cmocka_unit_test(test_cpu_goes_not_to_returning_thread),
		cmocka_unit_test(test_message_between_tries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
