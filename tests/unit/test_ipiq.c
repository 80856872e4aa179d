/*
 * IPIs: when a message runs, which messages need one, and what it costs to wake
 * a CPU that idles.
 */
#include <errno.h>

#include "tests/unit/share.h"

#define NNOTES 16

struct note {
	struct ipimsg no_msg; /* first */
	sim_ns no_ran;
	int no_cpu, no_order;
};

static struct note notes[NNOTES];
static int nran;
static sim_ns work_in_handler;
/* At the end of the run, of CPU 0 and all. */
static uint64_t ipis, avoided;

static void
note_runs(struct globaldata *gd, struct ipimsg *im)
{
	struct note *no = msg_owner(im, struct note, no_msg);

	no->no_ran = gd->gd_cpu.c_now;
	no->no_cpu = gd->gd_cpu.c_id;
	no->no_order = nran++;
	cpu_run_ns(&gd->gd_cpu, COST_work, work_in_handler);
}

/* To CPU 1. */
static void
send(struct globaldata *gd, void *arg)
{
	lwkt_send_ipiq(gd, share_gd(1), &((struct note *)arg)->no_msg);
}

static void
start(int ncpus, enum setup_kernel kernel)
{
	share_init(ncpus, kernel);
	share_open();
	for (int i = 0; i < NNOTES; i++)
		notes[i].no_msg.im_func = note_runs;
}

static void
finish(void)
{
	share_run();
	ipis = SHARE_SUM(gd_ipis);
	avoided = SHARE_SUM(gd_ipis_avoided);
}

/* CPU 1 idles: sent, flown, awake, taken. */
#define SENT (C_SEND + C_IPI_SEND)
#define TAKEN (FLIGHT + C_IDLE_EXIT + C_IPI_RECV)

static void
one_message(void)
{
	start(2, KERNEL_DRAGONFLY_2017);
	share_intr_at(0, sim_us(1000), send, &notes[0]);
	finish();
	CHECK_EQ(notes[0].no_ran, sim_us(1000) + SENT + TAKEN);
	CHECK_EQ(notes[0].no_cpu, 1);
	CHECK_EQ(ipis, 1);
	CHECK_EQ(avoided, 0);
	rig_close(&rig);
}

/* While an IPI flies, from whomever, no other is sent; all run with it. */
static void
on_the_way(void)
{
	start(4, KERNEL_DRAGONFLY_2017);
	share_intr_at(0, sim_us(1000), send, &notes[0]);
	share_intr_at(2, sim_us(1000) + 1, send, &notes[1]);
	share_intr_at(3, sim_us(1000) + SENT, send, &notes[2]);
	finish();
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(notes[i].no_order, i);
		CHECK_EQ(notes[i].no_ran, sim_us(1000) + SENT + TAKEN);
	}
	CHECK_EQ(ipis, 1);
	CHECK_EQ(avoided, 2);
	rig_close(&rig);
}

/* When the handler has begun, another is sent, but not in 2011. */
static void
while_the_handler_runs(enum setup_kernel kernel)
{
	work_in_handler = sim_us(10);
	start(4, kernel);
	share_intr_at(0, sim_us(1000), send, &notes[0]);
	share_intr_at(2, sim_us(1005), send, &notes[1]);
	finish();
	CHECK_EQ(ipis, kernel == KERNEL_DRAGONFLY_2011 ? 1 : 2);
	CHECK_EQ(avoided, kernel == KERNEL_DRAGONFLY_2011 ? 1 : 0);
	/* It is found on the queue by the handler that runs. */
	CHECK_EQ(notes[0].no_ran, sim_us(1000) + SENT + TAKEN);
	CHECK_EQ(notes[1].no_ran, notes[0].no_ran + sim_us(10));
	rig_close(&rig);
}

static void
after_the_handler_began(void)
{
	while_the_handler_runs(KERNEL_DRAGONFLY_2017);
}

static void
after_the_handler_began_2011(void)
{
	while_the_handler_runs(KERNEL_DRAGONFLY_2011);
}

/*
 * By depth. CPU 1 idles for the first time when the first message comes, and
 * again after each, as none wakes a thread: the nth finds it idle for the nth
 * time. Deep from machdep.cpu_idle_repeat on. What takes no time (the first
 * mark at 1 ns, a card's look at its wire) is no end of a sleep.
 */
static void
idle_depth(int64_t hlt, int64_t repeat, int from)
{
	struct setup_machine *sm = &rig.rg_setup.su_machines[0];

	share_init(2, KERNEL_DRAGONFLY_2017);
	sm->sm_sysctl.cpu_idle_hlt = hlt;
	sm->sm_sysctl.cpu_idle_repeat = repeat;
	share_open();
	for (int i = 0; i < 8; i++) {
		notes[i].no_msg.im_func = note_runs;
		share_intr_at(0, sim_us(1000 + 500 * i), send, &notes[i]);
	}
	share_run();
	for (int i = 0; i < 8; i++)
		CHECK_EQ(notes[i].no_ran,
		    sim_us(1000 + 500 * i) + SENT + FLIGHT + C_IPI_RECV +
			(i + 1 >= from ? C_IDLE_DEEP : C_IDLE_EXIT));
	rig_close(&rig);
}

static void
idle_mwait(void)
{
	idle_depth(1, 2, 100);
}

static void
idle_acpi(void)
{
	idle_depth(3, 1000, 0);
}

static void
idle_hybrid(void)
{
	idle_depth(2, 4, 4);
}

static void
test_idle_depth(void **state)
{
	(void)state;
	check_forked(idle_mwait);
	check_forked(idle_acpi);
	check_forked(idle_hybrid);
}

/*
 * A connection on a listener that three idle processes watch, each by a kqueue
 * on a CPU of its own: all are woken, by an IPI each, and one has it. The
 * others find nothing: EWOULDBLOCK, or, when the connection is taken before
 * kevent(2) runs the filter again, they sleep on in there.
 */
#define NHERD 3

static struct so_listen listener, *listenerp = &listener;
static struct so so;
static struct herd {
	struct proc he_proc;
	struct kqueue he_kq;
	int he_got, he_passes;
	sim_ns he_woken;
} herd[NHERD];

static void
herd_thread(struct thread *td)
{
	struct herd *he = td->td_arg;
	struct kevent ev = { .filter = EVFILT_READ, .flags = EV_ADD };

	userexit(td->td_gd);
	CHECK_EQ(sys_kevent(&he->he_proc, &he->he_kq, &ev, 1, &ev, 1), 1);
	he->he_woken = td->td_gd->gd_cpu.c_now;
	CHECK_EQ(ev.data, 1);
	he->he_got = sys_accept(&he->he_proc, 0, true);
	he->he_passes++;
	share_done(td);
}

static void
complete(struct globaldata *gd, void *arg)
{
	(void)gd;
	sonewconn(&listener, arg);
}

static void
herd_woken(sim_ns accept, int want_wouldblock)
{
	int got = 0, wouldblock = 0;

	share_init(4, KERNEL_DRAGONFLY_2017);
	rig.rg_setup.su_machines[0].sm_hw.hw_cost[COST_accept] = accept;
	share_open();
	rig_listen(&rig, &listenerp, 128);
	for (int i = 0; i < NHERD; i++) {
		struct globaldata *gd = share_gd(i + 1);

		proc_init(&herd[i].he_proc, gd);
		kqueue_init(&herd[i].he_kq, gd, i);
		fd_alloc(&herd[i].he_proc, &listener.sl_so);
		herd[i].he_proc.p_thread =
		    sched_thread_create(gd, "herd", herd_thread, &herd[i]);
	}
	so_init(&so, share_gd(0), NULL, 1);
	so.so_stages = &rig.rg_stages;
	share_netisr_at(0, sim_us(1000), complete, &so);
	finish();
	for (int i = 0; i < NHERD; i++) {
		/* Idle, its process, idle, its process, idle. */
		CHECK_EQ(share_gd(i + 1)->gd_switches, 4);
		got += herd[i].he_passes == 1 && herd[i].he_got == 1;
		wouldblock +=
		    herd[i].he_passes == 1 && herd[i].he_got == -EWOULDBLOCK;
		proc_fini(&herd[i].he_proc);
		sched_thread_destroy(herd[i].he_proc.p_thread);
	}
	CHECK_EQ(got, 1);
	CHECK_EQ(wouldblock, want_wouldblock);
	CHECK_EQ(ipis, NHERD);
	CHECK_EQ(listener.so_qlen, 0);
	rig_close(&rig);
}

static void
all_before_the_accept(void)
{
	herd_woken(sim_us(20), 2);
}

static void
one_after_the_accept(void)
{
	herd_woken(C_ACCEPT, 1);
}

static void
test_thundering_herd(void **state)
{
	(void)state;
	check_forked(all_before_the_accept);
	check_forked(one_after_the_accept);
}

SHARE_TEST(one_message)
SHARE_TEST(on_the_way)
SHARE_TEST(after_the_handler_began)
SHARE_TEST(after_the_handler_began_2011)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_message),
		cmocka_unit_test(test_on_the_way),
		cmocka_unit_test(test_after_the_handler_began),
		cmocka_unit_test(test_after_the_handler_began_2011),
		cmocka_unit_test(test_idle_depth),
		cmocka_unit_test(test_thundering_herd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
