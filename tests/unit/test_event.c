/*
 * kqueue, driven by a thread of the rig: sockets are made by hand, and become
 * ready by hand.
 */
#include <errno.h>

#include "tests/unit/rig.h"

#include "model/kern/file.h"
#include "model/kern/sched.h"

#define NSO 64
#define TOKEN 7 /* ns: counts groups, as each costs one */

static struct rig rig;
static struct globaldata *gd;
static struct proc proc;
static struct kqueue kq;
static struct so sos[NSO];
static struct so_listen listener, *listenerp = &listener;
static int fds[NSO], lfd;
static struct kevent ev[NSO];
static void (*body)(void);
static struct callout timer;
static bool done;

static void
thread(struct thread *td)
{
	proc.p_thread = td;
	/* The accounts start at 1 ns. */
	cpu_run_ns(&gd->gd_cpu, COST_work, 10);
	body();
	done = true;
	for (;;)
		tsleep(td);
}

static void
run(void (*fn)(void), int soavailconn)
{
	struct thread *td;

	rig_init(&rig);
	rig.rg_setup.su_machines[0].sm_sysctl.soavailconn = soavailconn;
	rig.rg_setup.su_machines[0].sm_sysctl.pollhz = 1;
	rig.rg_setup.su_machines[0].sm_hw.hw_cost[COST_token] = TOKEN;
	rig_open(&rig);
	gd = rig.rg_gd;
	rig_listen(&rig, &listenerp, 128);
	proc_init(&proc, gd);
	kqueue_init(&kq, gd, 0);
	lfd = fd_alloc(&proc, &listener.sl_so);
	for (int i = 0; i < NSO; i++) {
		so_init(&sos[i], gd, NULL, (uint32_t)i + 1);
		sos[i].so_stages = &rig.rg_stages;
		fds[i] = fd_alloc(&proc, &sos[i]);
	}
	body = fn;
	td = sched_thread_create(gd, "thread", thread, NULL);
	rig_run(&rig, NULL);
	CHECK(done);
	sched_thread_destroy(td);
	proc_fini(&proc);
	/* The machine would count these. */
	TAILQ_INIT(&listener.so_comp);
	rig_close(&rig);
}

static int
change(int fd, int filter, int flags)
{
	struct kevent kev = {
		.ident = fd, .filter = (int16_t)filter, .flags = (uint16_t)flags
	};

	return kern_kevent(&proc, &kq, &kev, 1, NULL, 0);
}

static int
collect(int nevents)
{
	memset(ev, 0, sizeof(ev));
	return kern_kevent(&proc, &kq, NULL, 0, ev, nevents);
}

static void
data(int i, uint32_t len)
{
	sos[i].so_rcv_cc += len;
	sowakeup(gd, &sos[i], EVFILT_READ);
}

/* What waits on the pending list; 0 at the end. */
static int
pending(void)
{
	const struct knote *kn;
	int n = 0;

	TAILQ_FOREACH (kn, &kq.kq_knpend, kn_tqe)
		n++;
	CHECK_EQ(kq.kq_count, n);
	return n;
}

static void
in_order_of_activation(void)
{
	static const int order[] = { 4, 1, 7, 0, 3 };

	for (int i = 0; i < 8; i++)
		CHECK_EQ(change(fds[i], EVFILT_READ, EV_ADD | EV_CLEAR), 0);
	CHECK_EQ(pending(), 0);
	for (int i = 0; i < 5; i++)
		data(order[i], 10);
	data(4, 5); /* queued already: keeps its place */
	CHECK_EQ(pending(), 5);
	CHECK_EQ(collect(NSO), 5);
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(ev[i].ident, fds[order[i]]);
		CHECK_EQ(ev[i].filter, EVFILT_READ);
		/* The data of now, not of the activation. */
		CHECK_EQ(ev[i].data, order[i] == 4 ? 15 : 10);
	}
	CHECK_EQ(pending(), 0);
}

/* Registered when ready already: active at once, in order of registration. */
static void
ready_at_registration(void)
{
	for (int i = 0; i < 4; i++)
		sos[i].so_rcv_cc = 1;
	for (int i = 3; i >= 0; i--)
		change(fds[i], EVFILT_READ, EV_ADD | EV_CLEAR);
	CHECK_EQ(collect(NSO), 4);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(ev[i].ident, fds[3 - i]);
}

/*
 * EV_CLEAR is told once an activation, though the data are still there; a
 * level-triggered one each time, at the tail.
 */
static void
clear_and_level(void)
{
	change(fds[0], EVFILT_READ, EV_ADD | EV_CLEAR);
	change(fds[1], EVFILT_READ, EV_ADD);
	data(0, 10);
	data(1, 10);
	CHECK_EQ(collect(NSO), 2);
	CHECK_EQ(ev[0].ident, fds[0]);
	CHECK_EQ(ev[1].ident, fds[1]);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(collect(NSO), 1);
		CHECK_EQ(ev[0].ident, fds[1]);
	}
	data(0, 1);
	CHECK_EQ(collect(NSO), 2);
	CHECK_EQ(ev[0].ident, fds[1]); /* was put back before 0 came */
	CHECK_EQ(ev[1].ident, fds[0]);
	CHECK_EQ(ev[1].data, 11);
	/* Read: the level one is found false, and is gone without a word. */
	sos[1].so_rcv_cc = 0;
	data(0, 1);
	CHECK_EQ(pending(), 2);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].ident, fds[0]);
	CHECK_EQ(pending(), 0);
}

static void
complete(int i)
{
	sonewconn(&listener, &sos[i]);
}

/* A listener among connections: see tests/trace/listener-reappended. */
static void
listener_goes_to_the_tail(void)
{
	change(lfd, EVFILT_READ, EV_ADD);
	complete(0);
	complete(1);
	for (int i = 10; i < 13; i++)
		change(fds[i], EVFILT_READ, EV_ADD | EV_CLEAR);
	data(10, 1);
	CHECK_EQ(collect(NSO), 2);
	CHECK_EQ(ev[0].ident, lfd);
	CHECK_EQ(ev[0].data, 2);
	CHECK_EQ(ev[1].ident, fds[10]);
	data(11, 1);
	data(12, 1);
	CHECK_EQ(collect(NSO), 3); /* once a call, though it is put back */
	CHECK_EQ(ev[0].ident, lfd);
	CHECK_EQ(ev[1].ident, fds[11]);
	CHECK_EQ(ev[2].ident, fds[12]);
	data(12, 1);
	CHECK_EQ(collect(1), 1); /* behind the others that wait */
	CHECK_EQ(ev[0].ident, lfd);
	CHECK_EQ(collect(1), 1);
	CHECK_EQ(ev[0].ident, fds[12]);
	CHECK_EQ(collect(1), 1);
	CHECK_EQ(ev[0].ident, lfd);
}

/* Groups of 8, and another look when a group was full. */
static void
groups(void)
{
	static const struct {
		int ready, room, got, groups;
	} cases[] = { { 1, 64, 1, 1 }, { 7, 64, 7, 1 }, { 8, 64, 8, 2 },
		{ 9, 64, 9, 2 }, { 16, 64, 16, 3 }, { 20, 64, 20, 3 },
		{ 20, 10, 10, 2 }, { 20, 8, 8, 1 }, { 20, 16, 16, 2 } };

	for (int i = 0; i < NSO; i++)
		change(fds[i], EVFILT_READ, EV_ADD | EV_CLEAR);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		int64_t spent;

		for (int i = 0; i < cases[c].ready; i++)
			data(i, 1);
		spent = gd->gd_cpu.c_spent[COST_token];
		CHECK_EQ(collect(cases[c].room), cases[c].got);
		/* Its token once for each, and twice to move the marker. */
		CHECK_EQ((gd->gd_cpu.c_spent[COST_token] - spent) / TOKEN,
		    cases[c].groups + 2);
		for (int i = 0; i < cases[c].got; i++)
			CHECK_EQ(ev[i].ident, fds[i]);
		while (pending() != 0)
			collect(NSO);
	}
}

/* A change that fails is an event, and then nothing is waited for. */
static void
failing_changes(void)
{
	struct kevent kev[] = {
		{ .ident = 999, .filter = EVFILT_READ, .flags = EV_ADD },
		{ .ident = fds[0], .filter = EVFILT_READ, .flags = EV_DELETE },
		{ .ident = fds[1], .filter = EVFILT_READ, .flags = EV_ADD },
		{ .ident = -1, .filter = EVFILT_READ, .flags = EV_DELETE },
	};

	CHECK_EQ(kern_kevent(&proc, &kq, kev, 4, ev, NSO), 3);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(ev[i].flags, EV_ERROR);
	CHECK_EQ(ev[0].ident, 999);
	CHECK_EQ(ev[0].data, EBADF);
	CHECK_EQ(ev[1].ident, fds[0]);
	CHECK_EQ(ev[1].data, ENOENT);
	CHECK_EQ(ev[2].data, EBADF);
	/* The good one in between is registered. */
	data(1, 5);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].ident, fds[1]);
}

static void
deleted(void)
{
	change(fds[0], EVFILT_READ, EV_ADD);
	change(fds[1], EVFILT_READ, EV_ADD | EV_CLEAR);
	data(0, 1);
	data(1, 1);
	CHECK_EQ(pending(), 2);
	change(fds[0], EVFILT_READ, EV_DELETE);
	CHECK_EQ(pending(), 1);
	CHECK(sos[0].so_note == NULL);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].ident, fds[1]);
	data(0, 1);
	CHECK_EQ(pending(), 0);
}

/* Both filters of a socket are knotes of their own, and go together. */
static void
fdclose(void)
{
	change(fds[0], EVFILT_READ, EV_ADD | EV_CLEAR);
	change(fds[0], EVFILT_WRITE, EV_ADD | EV_CLEAR);
	change(fds[1], EVFILT_READ, EV_ADD | EV_CLEAR);
	data(0, 1);
	data(1, 1);
	CHECK_EQ(pending(), 3); /* writable at once */
	CHECK_EQ(gd->gd_knote_pool.sp_inuse, 3);
	knote_fdclose(&sos[0]);
	CHECK(sos[0].so_note == NULL);
	CHECK_EQ(pending(), 1);
	CHECK_EQ(gd->gd_knote_pool.sp_inuse, 1);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].ident, fds[1]);
	knote_fdclose(&sos[0]); /* nothing left */
}

static void
filters(void)
{
	change(fds[0], EVFILT_WRITE, EV_ADD | EV_CLEAR);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].filter, EVFILT_WRITE);
	CHECK_EQ(ev[0].data, 57344);
	/* Writable means 2048 bytes of room. */
	sos[0].so_snd_cc = 57344 - 2047;
	sowakeup(gd, &sos[0], EVFILT_WRITE);
	CHECK_EQ(pending(), 0);
	sos[0].so_snd_cc--;
	sowakeup(gd, &sos[0], EVFILT_WRITE);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].data, 2048);
	/* The end of file is told with what is still to be read. */
	change(fds[1], EVFILT_READ, EV_ADD | EV_CLEAR);
	sos[1].so_rcv_cc = 3;
	sos[1].so_state |= SS_CANTRCVMORE;
	sowakeup(gd, &sos[1], EVFILT_READ);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].data, 3);
	CHECK((ev[0].flags & EV_EOF) != 0);
	/* An error makes readable. */
	change(fds[2], EVFILT_READ, EV_ADD | EV_CLEAR);
	sos[2].so_error = ECONNRESET;
	sowakeup(gd, &sos[2], EVFILT_READ);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].ident, fds[2]);
}

/* min(so_qlen, X), X <= 0 no limit; whether it is ready hangs not on X. */
static void
clipped(void)
{
	int64_t limit = gd->gd_machine->m_sysctl->soavailconn;

	change(lfd, EVFILT_READ, EV_ADD);
	for (int i = 0; i < 40; i++) {
		complete(i);
		CHECK_EQ(collect(NSO), 1);
		CHECK_EQ(ev[0].ident, lfd);
		CHECK_EQ(
		    ev[0].data, limit > 0 && i + 1 > limit ? limit : i + 1);
	}
	for (int i = 0; i < 40; i++) {
		CHECK(rig_accept(&rig, &listener) == &sos[i]);
		CHECK_EQ(sos[i].so_state & SS_COMP, 0);
	}
	CHECK(rig_accept(&rig, &listener) == NULL);
	/* Still on the list; the next scan drops it. */
	CHECK_EQ(pending(), 1);
	data(0, 1);
	change(fds[0], EVFILT_READ, EV_ADD | EV_CLEAR);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].ident, fds[0]);
	CHECK_EQ(pending(), 0);
}

static void
timer_fires(struct callout *co)
{
	(void)co;
	data(5, 9);
}

/* With nothing pending it sleeps; also when what was pending is no more. */
static void
sleeps(void)
{
	change(fds[5], EVFILT_READ, EV_ADD | EV_CLEAR);
	change(fds[6], EVFILT_READ, EV_ADD);
	data(6, 1);
	sos[6].so_rcv_cc = 0;
	CHECK_EQ(pending(), 1);
	callout_reset(&gd->gd_wheel, &timer, 3, timer_fires);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].ident, fds[5]);
	CHECK_EQ(ev[0].data, 9);
	CHECK_EQ(gd->gd_cpu.c_now / CALLOUT_TICK_NS, 3);
	CHECK_EQ(gd->gd_wakeups, 1);
	CHECK(kq.kq_sleeper == NULL);
}

/* What is queued already wakes nobody and costs no second place. */
static void
queued_already(void)
{
	uint64_t wakeups = gd->gd_wakeups;

	change(lfd, EVFILT_READ, EV_ADD);
	for (int i = 0; i < 10; i++)
		complete(i);
	CHECK_EQ(pending(), 1);
	CHECK_EQ(gd->gd_wakeups, wakeups);
	CHECK_EQ(collect(NSO), 1);
	CHECK_EQ(ev[0].data, 10);
}

/* To add a knote again changes its flags and data, and makes no second. */
static void
added_again(void)
{
	static int a, b;
	struct kevent kev = { .ident = fds[0],
		.filter = EVFILT_READ,
		.flags = EV_ADD,
		.udata = &a };

	kern_kevent(&proc, &kq, &kev, 1, NULL, 0);
	kev.flags = EV_ADD | EV_CLEAR;
	kev.udata = &b;
	kern_kevent(&proc, &kq, &kev, 1, NULL, 0);
	CHECK_EQ(gd->gd_knote_pool.sp_inuse, 1);
	data(0, 1);
	CHECK_EQ(collect(NSO), 1);
	CHECK(ev[0].udata == &b);
	CHECK_EQ(pending(), 0);
}

#define TEST(name, soavailconn)               \
	static void name##_child(void)        \
	{                                     \
		run(name, soavailconn);       \
	}                                     \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		check_forked(name##_child);   \
	}

TEST(in_order_of_activation, 32)
TEST(ready_at_registration, 32)
TEST(clear_and_level, 32)
TEST(listener_goes_to_the_tail, 32)
TEST(groups, 32)
TEST(failing_changes, 32)
TEST(deleted, 32)
TEST(fdclose, 32)
TEST(filters, 32)
TEST(sleeps, 32)
TEST(queued_already, 32)
TEST(added_again, 32)

static void
clipped_0(void)
{
	run(clipped, 0);
}

static void
clipped_minus_1(void)
{
	run(clipped, -1);
}

static void
clipped_1(void)
{
	run(clipped, 1);
}

static void
clipped_32(void)
{
	run(clipped, 32);
}

static void
clipped_1000(void)
{
	run(clipped, 1000);
}

static void
test_soavailconn_clips_what_is_told(void **state)
{
	(void)state;
	check_forked(clipped_0);
	check_forked(clipped_minus_1);
	check_forked(clipped_1);
	check_forked(clipped_32);
	check_forked(clipped_1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order_of_activation),
		cmocka_unit_test(test_ready_at_registration),
		cmocka_unit_test(test_clear_and_level),
		cmocka_unit_test(test_listener_goes_to_the_tail),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_failing_changes),
		cmocka_unit_test(test_deleted),
		cmocka_unit_test(test_fdclose),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_queued_already),
		cmocka_unit_test(test_added_again),
		cmocka_unit_test(test_soavailconn_clips_what_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
