/*
 * Who gets the CPU when: protocol thread, user threads, idle. The rig's card
 * polls once in 100 ms here, so that nothing else runs.
 */
#include "tests/unit/rig.h"

#include "model/net/netisr.h"

#define NLOG 4096
#define SWITCH 400 /* ns */
#define SYSCALL 600
#define WAKEUP 140
#define INTR 100
#define DISPATCH 80
#define HANDLER 1000

struct entry {
	char en_what;
	sim_ns en_time;
};

static struct rig rig;
static struct globaldata *gd;
static struct entry log_[NLOG];
static int nlog;
static struct netmsg msg;
static struct cpu_source source;
static struct thread *sleeper;

static void
note(char what)
{
	CHECK(nlog < NLOG);
	log_[nlog++] = (struct entry){ what, gd->gd_cpu.c_now };
}

static sim_ns
when(char what, int nth)
{
	for (int i = 0; i < nlog; i++)
		if (log_[i].en_what == what && nth-- == 0)
			return log_[i].en_time;
	CHECK(!"the event is in the log");
	return -1;
}

static int
count(char what)
{
	int n = 0;

	for (int i = 0; i < nlog; i++)
		n += log_[i].en_what == what;
	return n;
}

static void
handler(struct globaldata *g, struct netmsg *nm)
{
	CHECK(g == gd && nm == &msg);
	CHECK(!gd->gd_usermode && gd->gd_netisr.ni_running);
	note('h');
	cpu_run_ns(&gd->gd_cpu, COST_work, HANDLER);
	if (sleeper != NULL)
		wakeup(gd, sleeper);
}

/* An interrupt that posts the message, as a NIC's does. */
static void
fire(struct cpu *c, struct cpu_source *cs)
{
	cpu_source_arm(c, cs, SIM_NEVER);
	gd_run(gd, COST_intr);
	note('i');
	if (!msg.nm_queued)
		msgport_put(&gd->gd_netisr.ni_port, &msg);
}

static void
work(sim_ns ns)
{
	cpu_run_ns(&gd->gd_cpu, COST_work, ns);
}

static void
sleep_for_ever(struct thread *td)
{
	userenter(gd);
	for (;;)
		tsleep(td);
}

static void
start(sim_ns measure)
{
	sim_ns *cost = rig.rg_setup.su_machines[0].sm_hw.hw_cost;

	rig_init(&rig);
	rig.rg_setup.su_machines[0].sm_sysctl.pollhz = 1;
	rig.rg_setup.su_run.sr_measure = measure;
	cost[COST_lwkt_switch] = SWITCH;
	cost[COST_syscall] = SYSCALL;
	cost[COST_wakeup] = WAKEUP;
	cost[COST_intr] = INTR;
	cost[COST_msg_dispatch] = DISPATCH;
	rig_open(&rig);
	gd = rig.rg_gd;
	msg.nm_dispatch = handler;
	source.cs_fire = fire;
	cpu_source_add(&gd->gd_cpu, &source);
}

static void
finish(void)
{
	rig_run(&rig, NULL);
	rig_close(&rig);
}

/*
 * A message sent by a system call is handled when it returns, not before; the
 * way there and back is two switches.
 */
static void
sender(struct thread *td)
{
	userexit(gd);
	work(5000);
	userenter(gd);
	lwkt_sendmsg_oncpu(gd, &msg);
	note('s');
	work(7000);
	CHECK_EQ(count('h'), 0);
	note('e');
	userexit(gd);
	CHECK(gd->gd_usermode);
	CHECK_EQ(count('h'), 1);
	note('u');
	sleep_for_ever(td);
}

static void
at_syscall_return(void)
{
	struct thread *td;

	start(sim_ms(1));
	td = sched_thread_create(gd, "sender", sender, NULL);
	finish();
	CHECK_EQ(when('s', 0), SWITCH + 5000 + SYSCALL);
	CHECK_EQ(when('e', 0), when('s', 0) + 7000);
	CHECK_EQ(when('h', 0), when('e', 0) + SWITCH + DISPATCH);
	CHECK_EQ(when('u', 0), when('h', 0) + HANDLER + SWITCH);
	sched_thread_destroy(td);
}

/* An interrupt in user mode: the protocol thread runs at its return. */
static void
in_user_mode(struct thread *td)
{
	userexit(gd);
	cpu_source_arm(&gd->gd_cpu, &source, 20000);
	work(100000);
	note('u');
	sleep_for_ever(td);
}

static void
at_interrupt_return(void)
{
	struct thread *td;

	start(sim_ms(1));
	td = sched_thread_create(gd, "user", in_user_mode, NULL);
	finish();
	CHECK_EQ(when('i', 0), 20000 + INTR);
	CHECK_EQ(when('h', 0), 20000 + INTR + SWITCH + DISPATCH);
	CHECK_EQ(when('u', 0),
	    SWITCH + 100000 + INTR + SWITCH + DISPATCH + HANDLER + SWITCH);
	sched_thread_destroy(td);
}

/* An interrupt in a system call: kernel code is not switched away from. */
static void
in_kernel_mode(struct thread *td)
{
	userexit(gd);
	userenter(gd);
	cpu_source_arm(&gd->gd_cpu, &source, 20000);
	work(100000);
	CHECK_EQ(count('i'), 1);
	CHECK_EQ(count('h'), 0);
	note('e');
	userexit(gd);
	note('u');
	sleep_for_ever(td);
}

static void
not_in_kernel_mode(void)
{
	struct thread *td;

	start(sim_ms(1));
	td = sched_thread_create(gd, "user", in_kernel_mode, NULL);
	finish();
	CHECK_EQ(when('e', 0), SWITCH + SYSCALL + 100000 + INTR);
	CHECK_EQ(when('h', 0), when('e', 0) + SWITCH + DISPATCH);
	CHECK_EQ(when('u', 0), when('h', 0) + HANDLER + SWITCH);
	sched_thread_destroy(td);
}

/* A thread that blocks: the protocol thread goes before other user threads. */
static void
blocker(struct thread *td)
{
	userexit(gd);
	work(1000);
	userenter(gd);
	lwkt_sendmsg_oncpu(gd, &msg);
	note('b');
	for (;;)
		tsleep(td);
}

static void
other(struct thread *td)
{
	note('o');
	userexit(gd);
	work(1000);
	sleep_for_ever(td);
}

static void
netisr_before_user_threads(void)
{
	struct thread *a, *b;

	start(sim_ms(1));
	a = sched_thread_create(gd, "blocker", blocker, NULL);
	b = sched_thread_create(gd, "other", other, NULL);
	finish();
	CHECK_EQ(count('h'), 1);
	CHECK(when('b', 0) < when('h', 0));
	CHECK(when('h', 0) < when('o', 0));
	sched_thread_destroy(a);
	sched_thread_destroy(b);
}

/* When netisr has woken a thread on an idle CPU it follows at once. */
static void
woken(struct thread *td)
{
	userexit(gd);
	userenter(gd);
	sleeper = td;
	cpu_source_arm(&gd->gd_cpu, &source, 50000);
	tsleep(td);
	note('w');
	sleeper = NULL;
	for (;;)
		tsleep(td);
}

static void
wakes_from_idle(void)
{
	struct thread *td;
	uint64_t switches;

	start(sim_ms(1));
	td = sched_thread_create(gd, "woken", woken, NULL);
	finish();
	switches = gd->gd_switches;
	CHECK_EQ(when('i', 0), 50000 + INTR);
	CHECK_EQ(when('h', 0), 50000 + INTR + SWITCH + DISPATCH);
	/* idle to netisr, netisr to the thread. */
	CHECK_EQ(when('w', 0), when('h', 0) + HANDLER + WAKEUP + SWITCH);
	/* And: to the thread at first, to idle, to idle at the end. */
	CHECK_EQ(switches, 2 + 3);
	CHECK_EQ(gd->gd_wakeups, 1);
	sched_thread_destroy(td);
}

/* To wake a thread that does not sleep does nothing. */
static void
awake(struct thread *td)
{
	sim_ns before;

	before = gd->gd_cpu.c_now;
	wakeup(gd, td);
	CHECK_EQ(gd->gd_cpu.c_now, before);
	CHECK_EQ(gd->gd_wakeups, 0);
	CHECK(td->td_state == TD_RUNNING);
	note('w');
	for (;;)
		tsleep(td);
}

static void
wakeup_of_the_running(void)
{
	struct thread *td;

	start(sim_ms(1));
	td = sched_thread_create(gd, "awake", awake, NULL);
	finish();
	CHECK_EQ(count('w'), 1);
	sched_thread_destroy(td);
}

/* A thread woken by the running one waits until that one blocks. */
static void
first(struct thread *td)
{
	userexit(gd);
	userenter(gd);
	sleeper = td;
	tsleep(td);
	note('1');
	for (;;)
		tsleep(td);
}

static void
second(struct thread *td)
{
	userexit(gd);
	userenter(gd);
	wakeup(gd, sleeper);
	CHECK(sleeper->td_state == TD_RUNQ);
	wakeup(gd, sleeper); /* once is enough */
	sleeper = NULL;
	userexit(gd);
	work(30000);
	CHECK_EQ(count('1'), 0);
	note('2');
	sleep_for_ever(td);
}

static void
woken_waits_for_a_block(void)
{
	struct thread *a, *b;

	start(sim_ms(1));
	a = sched_thread_create(gd, "first", first, NULL);
	b = sched_thread_create(gd, "second", second, NULL);
	finish();
	CHECK_EQ(gd->gd_wakeups, 1);
	CHECK_EQ(when('1', 0), when('2', 0) + SYSCALL + SWITCH);
	sched_thread_destroy(a);
	sched_thread_destroy(b);
}

/* Two that never block: 100 ms each in turn, at the tick. */
static void
spin(struct thread *td)
{
	userexit(gd);
	for (;;) {
		note(*(const char *)td->td_arg);
		work(1000000);
	}
}

static void
quanta(void)
{
	static char a = 'a', b = 'b';
	struct thread *ta, *tb;
	int runs = 0;
	sim_ns since = 0;

	start(sim_ms(1000));
	ta = sched_thread_create(gd, "a", spin, &a);
	tb = sched_thread_create(gd, "b", spin, &b);
	finish();
	for (int i = 1; i < nlog; i++) {
		if (log_[i].en_what == log_[i - 1].en_what)
			continue;
		/* Within one step of work. */
		if (runs > 0)
			CHECK(llabs(log_[i].en_time - since - sim_ms(100)) <=
			      sim_ms(1));
		since = log_[i].en_time;
		runs++;
	}
	CHECK(runs >= 8 && runs <= 10);
	CHECK(llabs(ta->td_ns - tb->td_ns) <= sim_ms(101));
	CHECK(ta->td_ns + tb->td_ns <= sim_ms(1000));
	CHECK(ta->td_ns + tb->td_ns >= sim_ms(990));
	sched_thread_destroy(ta);
	sched_thread_destroy(tb);
}

/* One alone is never switched away from. */
static void
alone(void)
{
	static char a = 'a';
	struct thread *td;

	start(sim_ms(500));
	td = sched_thread_create(gd, "a", spin, &a);
	finish();
	/* To it, and twice for each tick's protocol thread. */
	CHECK_EQ(gd->gd_switches, 1 + 2 * 49);
	sched_thread_destroy(td);
}

/*
 * A message that comes while the CPU is being given back to a thread in user
 * mode is not left there until its next system call.
 */
static void
far_spin(struct thread *td)
{
	userexit(gd);
	if (*(const char *)td->td_arg == 'b') {
		/*
		 * Our quantum ends with the tick of 200 ms; its message takes
		 * two switches of 2.5 ms, and the switch to a is at 205 ms.
		 */
		cpu_source_arm(&gd->gd_cpu, &source, sim_ms(206));
	}
	work(sim_ms(700));
	note(*(const char *)td->td_arg);
	sleep_for_ever(td);
}

static void
during_the_switch(void)
{
	static char a = 'a', b = 'b';
	struct thread *ta, *tb;

	start(sim_ms(1000));
	rig.rg_setup.su_machines[0].sm_hw.hw_cost[COST_lwkt_switch] =
	    sim_ms(5) / 2;
	ta = sched_thread_create(gd, "a", far_spin, &a);
	tb = sched_thread_create(gd, "b", far_spin, &b);
	finish();
	CHECK_EQ(count('i'), 1);
	CHECK_EQ(count('h'), 1);
	/* Not by the next tick, at 210 ms. */
	CHECK(when('h', 0) < sim_ms(211));
	sched_thread_destroy(ta);
	sched_thread_destroy(tb);
}

#define TEST(name)                            \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		check_forked(name);           \
	}

TEST(at_syscall_return)
TEST(at_interrupt_return)
TEST(not_in_kernel_mode)
TEST(netisr_before_user_threads)
TEST(wakes_from_idle)
TEST(wakeup_of_the_running)
TEST(woken_waits_for_a_block)
TEST(quanta)
TEST(alone)
TEST(during_the_switch)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_syscall_return),
		cmocka_unit_test(test_at_interrupt_return),
		cmocka_unit_test(test_not_in_kernel_mode),
		cmocka_unit_test(test_netisr_before_user_threads),
		cmocka_unit_test(test_wakes_from_idle),
		cmocka_unit_test(test_wakeup_of_the_running),
		cmocka_unit_test(test_woken_waits_for_a_block),
		cmocka_unit_test(test_quanta),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_during_the_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
