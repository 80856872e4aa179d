/*
 * What an accept(2) costs in messages, IPIs and switches of threads, and who
 * gets which connection. A call is looked at from entering sys_accept() to its
 * return, and the switches counted are those of the worker's CPU and those of
 * all other CPUs in the same time. Completed connections are made by netisrs.
 */
#include <errno.h>

#include "tests/unit/share.h"

#define NSO 8
#define NWORKERS 4
#define NCALLS 2
#define BUSY 20000
/* As handed out: 0 is the listener. */
#define FIRST_FD 1

struct counts {
	uint64_t co_domsgs, co_ipis, co_here, co_elsewhere;
	int64_t co_replies, co_predicates;
};

struct call {
	struct counts ca_counts; /* of the call */
	sim_ns ca_begin, ca_end;
	int ca_got;
	struct so *ca_so;
};

struct worker {
	struct proc w_proc;
	int w_cpu, w_ncalls, w_done;
	bool w_nonblock;
	sim_ns w_start[NCALLS];
	struct call w_calls[NCALLS];
};

static struct so_listen listener, *listenerp = &listener;
static struct so sos[NSO];
static struct worker workers[NWORKERS];
static int nworkers;
static int64_t predicates; /* asked in the whole run */

static struct counts
count(int cpu)
{
	uint64_t switches = SHARE_SUM(gd_switches);
	uint64_t here = share_gd(cpu)->gd_switches;

	return (struct counts){
		.co_domsgs = SHARE_SUM(gd_domsgs),
		.co_ipis = SHARE_SUM(gd_ipis),
		.co_here = here,
		.co_elsewhere = switches - here,
		.co_replies = share_charges(COST_msg_reply),
		.co_predicates = share_charges(COST_soaccept_predicate),
	};
}

static void
call(struct worker *w, struct call *ca)
{
	struct counts before = count(w->w_cpu), after;

	ca->ca_begin = share_now(w->w_cpu);
	ca->ca_got = sys_accept(&w->w_proc, 0, w->w_nonblock);
	ca->ca_end = share_now(w->w_cpu);
	ca->ca_so = fd_so(&w->w_proc, ca->ca_got);
	after = count(w->w_cpu);
	ca->ca_counts = (struct counts){
		.co_domsgs = after.co_domsgs - before.co_domsgs,
		.co_ipis = after.co_ipis - before.co_ipis,
		.co_here = after.co_here - before.co_here,
		.co_elsewhere = after.co_elsewhere - before.co_elsewhere,
		.co_replies = after.co_replies - before.co_replies,
		.co_predicates = after.co_predicates - before.co_predicates,
	};
	w->w_done++;
}

static void
worker(struct thread *td)
{
	struct worker *w = td->td_arg;

	userexit(td->td_gd);
	for (int i = 0; i < w->w_ncalls; i++) {
		share_work_until(td->td_gd, w->w_start[i]);
		call(w, &w->w_calls[i]);
		CHECK(td->td_gd->gd_usermode);
	}
	share_done(td);
}

static void
start(int ncpus, bool fast)
{
	share_init(ncpus, KERNEL_DRAGONFLY_2011);
	rig.rg_setup.su_machines[0].sm_sysctl.soaccept_pred_fast = fast;
	share_open();
	rig_listen(&rig, &listenerp, 128);
	nworkers = 0;
}

/* A process that calls accept(2) at `when`. */
static struct worker *
worker_at(int cpu, sim_ns when, bool nonblock)
{
	struct worker *w = &workers[nworkers++];

	memset(w, 0, sizeof(*w));
	proc_init(&w->w_proc, share_gd(cpu));
	fd_alloc(&w->w_proc, &listener.sl_so);
	w->w_cpu = cpu;
	w->w_nonblock = nonblock;
	w->w_ncalls = 1;
	w->w_start[0] = when;
	w->w_proc.p_thread =
	    sched_thread_create(share_gd(cpu), "worker", worker, w);
	return w;
}

static void
complete(struct globaldata *gd, void *arg)
{
	SIM_ASSERT(((struct so *)arg)->so_gd == gd);
	sonewconn(&listener, arg);
}

/* The netisr of this CPU completes connection i at `when`. */
static void
complete_at(int cpu, sim_ns when, int i)
{
	so_init(&sos[i], share_gd(cpu), NULL, (uint32_t)i + 1);
	sos[i].so_stages = &rig.rg_stages;
	share_netisr_at(cpu, when, complete, &sos[i]);
}

static void
busy(struct globaldata *gd, void *arg)
{
	cpu_run_ns(&gd->gd_cpu, COST_work, *(const sim_ns *)arg);
}

static void
finish(void)
{
	share_run();
	predicates = share_charges(COST_soaccept_predicate);
	for (int i = 0; i < nworkers; i++) {
		proc_fini(&workers[i].w_proc);
		sched_thread_destroy(workers[i].w_proc.p_thread);
	}
	rig_close(&rig);
}

/*
 * Facts 4.4. The worker's CPU, and what the netisr of CPU 0, the listener's
 * port, does when the call comes.
 */
enum placement { ON_CPU_0, NETISR_0_ASLEEP, NETISR_0_BUSY };

/* How long the whole call takes that asks by message. */
static sim_ns
by_message_takes(enum placement at, sim_ns begin)
{
	sim_ns send = C_SYSCALL + C_ACCEPT + C_SEND;
	sim_ns handler = C_DISPATCH + 2 * C_TOKEN + C_PREDICATE;
	sim_ns reply = C_SEND + C_IPI_SEND + FLIGHT + C_IDLE_EXIT + C_IPI_RECV +
		       C_REPLY + C_SWITCH + C_USWITCH;

	switch (at) {
	case ON_CPU_0:
		return send + C_WAKEUP + C_USWITCH + C_SWITCH + handler +
		       C_REPLY + C_ROLLUP + C_SWITCH + C_USWITCH;
	case NETISR_0_ASLEEP:
		return send + C_WAKEUP + C_SEND + C_IPI_SEND + FLIGHT +
		       C_IDLE_EXIT + C_IPI_RECV + C_WAKEUP + C_SWITCH +
		       handler + reply;
	case NETISR_0_BUSY:
		/* Behind the three messages that came at 1 ms. */
		return sim_ms(1) + C_SWITCH + 3 * (C_DISPATCH + BUSY) +
		       handler + reply - begin;
	}
	return 0;
}

/* A call on a queue that holds a connection or, if not blocking, none. */
static void
one_call(enum placement at, bool fast, bool nonblock, bool empty)
{
	static sim_ns work = BUSY;
	static const uint64_t ipis[] = { 0, 2, 1 }, elsewhere[] = { 0, 2, 0 };
	const struct call *ca;
	const struct counts *co;

	start(2, fast);
	ca = worker_at(at == ON_CPU_0 ? 0 : 1, sim_us(1005), nonblock)->w_calls;
	co = &ca->ca_counts;
	if (!empty)
		complete_at(0, sim_us(900), 0);
	for (int i = 0; at == NETISR_0_BUSY && i < 3; i++)
		share_netisr_at(0, sim_ms(1), busy, &work);
	/* ... and with more to do afterwards. */
	if (at == NETISR_0_BUSY)
		share_netisr_at(0, sim_us(1012), busy, &work);
	finish();
	CHECK_EQ(ca->ca_got, empty ? -EWOULDBLOCK : FIRST_FD);
	CHECK(ca->ca_so == (empty ? NULL : &sos[0]));
	CHECK_EQ(listener.so_qlen, 0);
	CHECK_EQ(co->co_domsgs, fast ? 0 : 1);
	CHECK_EQ(co->co_replies, fast ? 0 : 1);
	CHECK_EQ(co->co_ipis, fast ? 0 : ipis[at]);
	CHECK_EQ(co->co_here, fast ? 0 : 2);
	CHECK_EQ(co->co_elsewhere, fast ? 0 : elsewhere[at]);
	CHECK_EQ(co->co_predicates, 1);
	CHECK_EQ(ca->ca_end - ca->ca_begin,
	    fast ? C_SYSCALL + C_ACCEPT + 2 * C_TOKEN + C_PREDICATE
		 : by_message_takes(at, ca->ca_begin));
}

/* Non-blocking with and without a connection, blocking with one. */
#define ONE_CALL(name, at, fast)                  \
	static void name##_nonblock(void)         \
	{                                         \
		one_call(at, fast, true, false);  \
	}                                         \
	static void name##_ewouldblock(void)      \
	{                                         \
		one_call(at, fast, true, true);   \
	}                                         \
	static void name##_block(void)            \
	{                                         \
		one_call(at, fast, false, false); \
	}                                         \
	static void test_##name(void **state)     \
	{                                         \
		(void)state;                      \
		check_forked(name##_nonblock);    \
		check_forked(name##_ewouldblock); \
		check_forked(name##_block);       \
	}

ONE_CALL(by_message_on_cpu_0, ON_CPU_0, false)
ONE_CALL(by_message_netisr_0_asleep, NETISR_0_ASLEEP, false)
ONE_CALL(by_message_netisr_0_busy, NETISR_0_BUSY, false)
ONE_CALL(by_predicate_on_cpu_0, ON_CPU_0, true)
ONE_CALL(by_predicate_netisr_0_asleep, NETISR_0_ASLEEP, true)
ONE_CALL(by_predicate_netisr_0_busy, NETISR_0_BUSY, true)

/*
 * Blocking, and nothing there: a message to netisr 0, sleep, and the reply is
 * the connection's netisr's. The predicate fails there, and is true here; when
 * asked before the message, it fails once more, and all else is the same.
 */
static const struct waiting {
	int wa_worker, wa_netisr; /* CPUs */
	uint64_t wa_ipis, wa_here, wa_elsewhere;
} waitings[] = {
	/* worker, netisr 0, idle, netisr 0, worker */
	{ 0, 0, 0, 4, 0 },
	/* worker, netisr 0, idle, worker; idle, netisr, idle */
	{ 0, 2, 1, 3, 2 },
	/* worker, idle, worker; idle, netisr 0, idle, twice */
	{ 1, 0, 2, 2, 4 },
	/* worker, idle, netisr, worker; idle, netisr 0, idle */
	{ 1, 1, 1, 3, 2 },
	/* worker, idle, worker; idle, netisr, idle on both */
	{ 1, 2, 2, 2, 4 },
};

static const struct waiting *waiting;

static void
wait_for_one(bool fast)
{
	const struct call *ca;
	const struct counts *co;

	start(4, fast);
	ca = worker_at(waiting->wa_worker, sim_us(1000), false)->w_calls;
	co = &ca->ca_counts;
	complete_at(waiting->wa_netisr, sim_us(2000), 0);
	finish();
	CHECK_EQ(ca->ca_got, FIRST_FD);
	CHECK(ca->ca_so == &sos[0]);
	CHECK_EQ(co->co_domsgs, 1);
	CHECK_EQ(co->co_replies, 1);
	CHECK_EQ(co->co_ipis, waiting->wa_ipis);
	CHECK_EQ(co->co_here, waiting->wa_here);
	CHECK_EQ(co->co_elsewhere, waiting->wa_elsewhere);
	CHECK_EQ(co->co_predicates, fast ? 3 : 2);
	CHECK(ca->ca_end > sim_us(2000) && ca->ca_end < sim_us(2020));
	CHECK(TAILQ_EMPTY(&listener.sl_mlist));
}

static void
wait_before(void)
{
	wait_for_one(false);
}

static void
wait_after(void)
{
	wait_for_one(true);
}

static void
test_blocking_and_empty(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(waitings) / sizeof(waitings[0]); i++) {
		waiting = &waitings[i];
		check_forked(wait_before);
		check_forked(wait_after);
	}
}

/*
 * First come, first served, wherever the connections come. Each connection
 * asks the predicates of all that wait, in their order, though only the first
 * can be satisfied; a return from accept(2) asks none.
 */
static void
first_come_first_served(void)
{
	static const int cpus[] = { 3, 1, 2 };

	start(4, true);
	for (int i = 0; i < 3; i++)
		worker_at(cpus[i], sim_us(1000 + 100 * i), false);
	complete_at(2, sim_us(2000), 0);
	complete_at(0, sim_us(3000), 1);
	complete_at(1, sim_us(4000), 2);
	finish();
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(workers[i].w_done, 1);
		CHECK(workers[i].w_calls[0].ca_so == &sos[i]);
		CHECK(workers[i].w_calls[0].ca_end > sim_us(2000 + 1000 * i));
		CHECK(workers[i].w_calls[0].ca_end < sim_us(2100 + 1000 * i));
	}
	/* In each call, in netisr 0 for each, and by each connection. */
	CHECK_EQ(predicates, 3 + 3 + (3 + 2 + 1));
}

static void
signal_it(struct globaldata *gd, void *arg)
{
	lwpsignal(gd, ((struct worker *)arg)->w_proc.p_thread);
}

/* A signal ends one wait, and the others keep their order. */
static void
signal_ends_one(void)
{
	static const int cpus[] = { 3, 1, 2 };
	const struct call *ca = workers[1].w_calls;

	start(4, true);
	for (int i = 0; i < 3; i++)
		worker_at(cpus[i], sim_us(1000 + 100 * i), false);
	share_intr_at(0, sim_us(1500), signal_it, &workers[1]);
	for (int i = 0; i < 3; i++)
		complete_at(i, sim_us(2000 + 1000 * i), i);
	finish();
	CHECK_EQ(ca->ca_got, -EINTR);
	CHECK(ca->ca_end > sim_us(1500) && ca->ca_end < sim_us(1550));
	CHECK(workers[0].w_calls[0].ca_so == &sos[0]);
	CHECK(workers[2].w_calls[0].ca_so == &sos[1]);
	/* Its message, and the one of the third worker, and the abort. */
	CHECK_EQ(ca->ca_counts.co_domsgs, 3);
	/* The third connection finds nobody. */
	CHECK_EQ(listener.so_qlen, 1);
	CHECK(TAILQ_FIRST(&listener.so_comp) == &sos[2]);
	TAILQ_INIT(&listener.so_comp);
}

/* When the reply is on its way, the signal comes too late. */
static void
signal_after_reply(void)
{
	const struct call *ca = workers[0].w_calls;
	sim_ns reply = sim_us(2000) + C_SWITCH + C_DISPATCH + C_SONEWCONN +
		       C_TOKEN + 2 * C_TOKEN + C_PREDICATE + C_SEND +
		       C_IPI_SEND;
	sim_ns signal = C_IDLE_EXIT + C_IPI_RECV;

	start(4, true);
	worker_at(1, sim_us(1000), false);
	complete_at(2, sim_us(2000), 0);
	/* The reply's IPI is under way from here on, for FLIGHT. */
	share_intr_at(1, reply + 500, signal_it, &workers[0]);
	finish();
	CHECK(ca->ca_so == &sos[0]);
	CHECK_EQ(ca->ca_counts.co_domsgs, 1);
	CHECK(ca->ca_end > reply + FLIGHT &&
	      ca->ca_end < reply + 2 * signal + sim_us(5));
	CHECK(TAILQ_EMPTY(&listener.sl_mlist));
}

/* The abort waits behind netisr 0's work; meanwhile a connection comes. */
static void
reply_before_abort(void)
{
	static sim_ns work = 100000;
	const struct call *ca = workers[0].w_calls;

	start(4, true);
	worker_at(1, sim_us(1000), false);
	share_netisr_at(0, sim_us(2000), busy, &work);
	share_intr_at(1, sim_us(2010), signal_it, &workers[0]);
	complete_at(2, sim_us(2040), 0);
	finish();
	CHECK(ca->ca_so == &sos[0]);
	CHECK_EQ(ca->ca_counts.co_domsgs, 2);
	CHECK_EQ(ca->ca_counts.co_replies, 2);
	CHECK(ca->ca_end > sim_us(2100) && ca->ca_end < sim_us(2120));
	CHECK(TAILQ_EMPTY(&listener.sl_mlist));
}

/* A signal that comes after the call began and before it would sleep. */
static void
signal_before_sleep(void)
{
	const struct call *ca = workers[0].w_calls;

	start(2, true);
	worker_at(1, sim_us(1000), false);
	share_intr_at(1, sim_us(1002), signal_it, &workers[0]);
	complete_at(0, sim_us(2000), 0);
	finish();
	CHECK_EQ(ca->ca_got, -EINTR);
	CHECK(ca->ca_end < sim_us(1050));
	CHECK_EQ(ca->ca_counts.co_domsgs, 2);
	CHECK_EQ(listener.so_qlen, 1);
	TAILQ_INIT(&listener.so_comp);
}

/* ... and there is a connection: the abort message comes behind the first. */
static void
signal_before_sleep_satisfied(void)
{
	const struct call *ca = workers[0].w_calls;

	start(2, false);
	worker_at(1, sim_us(1000), false);
	share_intr_at(1, sim_us(1002), signal_it, &workers[0]);
	complete_at(0, sim_us(900), 0);
	finish();
	CHECK(ca->ca_so == &sos[0]);
	CHECK_EQ(ca->ca_counts.co_domsgs, 2);
}

/*
 * A signal is taken at the return to user mode, or at once in user mode: it
 * does not end a wait that begins later.
 */
static void
signal_taken_at_return(void)
{
	struct worker *w;

	start(2, true);
	w = worker_at(1, sim_us(1000), false);
	w->w_ncalls = 2;
	w->w_start[1] = sim_us(2000);
	complete_at(0, sim_us(900), 0);
	complete_at(0, sim_us(3000), 1);
	/* In the call, which does not wait; and between the two. */
	share_intr_at(1, sim_us(1002), signal_it, w);
	share_intr_at(1, sim_us(1500), signal_it, w);
	finish();
	CHECK(w->w_calls[0].ca_so == &sos[0]);
	CHECK(w->w_calls[1].ca_so == &sos[1]);
	CHECK_EQ(w->w_calls[1].ca_got, FIRST_FD + 1);
}

SHARE_TEST(first_come_first_served)
SHARE_TEST(signal_ends_one)
SHARE_TEST(signal_after_reply)
SHARE_TEST(reply_before_abort)
SHARE_TEST(signal_before_sleep)
SHARE_TEST(signal_before_sleep_satisfied)
SHARE_TEST(signal_taken_at_return)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_message_on_cpu_0),
		cmocka_unit_test(test_by_message_netisr_0_asleep),
		cmocka_unit_test(test_by_message_netisr_0_busy),
		cmocka_unit_test(test_by_predicate_on_cpu_0),
		cmocka_unit_test(test_by_predicate_netisr_0_asleep),
		cmocka_unit_test(test_by_predicate_netisr_0_busy),
		cmocka_unit_test(test_blocking_and_empty),
		cmocka_unit_test(test_first_come_first_served),
		cmocka_unit_test(test_signal_ends_one),
		cmocka_unit_test(test_signal_after_reply),
		cmocka_unit_test(test_reply_before_abort),
		cmocka_unit_test(test_signal_before_sleep),
		cmocka_unit_test(test_signal_before_sleep_satisfied),
		cmocka_unit_test(test_signal_taken_at_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
