/*
 * From records to spans: CPUs 0 and 1 of a server, CPU 2 a client's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/kern/sched.h"
#include "model/net/if.h"
#include "sim/lab/timeline.h"

static struct setup setup = {
	.su_machines = { { .sm_name = "server" } },
	.su_nmachines = 1,
	.su_peers = { { .pe_name = "client", .pe_tool = TOOL_WRK } },
	.su_npeers = 1,
};
static struct thread threads[] = {
	{ .td_name = "nginx 0", .td_index = 0, .td_next = &threads[1] },
	{ .td_name = "nginx 1", .td_index = 1 },
};
static struct ifnet em0 = { .if_name = "em" };
static struct ifnet *ifnets[] = { &em0 };
static struct machine machine = {
	.m_threads = threads,
	.m_ifnets = ifnets,
	.m_nifnets = 1,
};
static const struct cpu cpu0 = { .c_id = 0 }, cpu1 = { .c_id = 1 };
static struct model_cpu cpus[] = {
	{ .mc_cpu = &cpu0, .mc_machine = 0 },
	{ .mc_cpu = &cpu1, .mc_machine = 0 },
	{ .mc_cpu = &cpu0, .mc_machine = 1 },
};
static const struct model model = {
	.md_setup = &setup,
	.md_machines = &machine,
	.md_cpus = cpus,
	.md_ncpus = 3,
	.md_nserver_cpus = 2,
	.md_end = 1000,
};

static struct sim_trace trace;

static int
begin(void **state)
{
	(void)state;
	sim_trace_open(&trace, trace_kinds, 100, 900, 1000);
	trace.st_states = TRACE_STATES;
	return 0;
}

static int
end(void **state)
{
	(void)state;
	sim_trace_close(&trace);
	return 0;
}

static void
user(sim_ns t, int cpu, int thread)
{
	SIM_TRACE(t, cpu, TRACE_THREAD, 0, TRACE_TD_USER, thread);
}

static void
cost(sim_ns t, int cpu, int id, sim_ns ns)
{
	SIM_TRACE(t, cpu, TRACE_COST, 0, id, ns);
}

/* The spans of a sort on a CPU: "100-250 3, 250-300 0". */
static void
spans_are(int cpu, enum timeline_what what, const char *want)
{
	char got[500] = "";
	struct timeline tl;

	timeline_init(&tl, &trace, &model);
	timeline_sort(&tl, true);
	for (uint64_t i = 0; i < tl.tl_n; i++) {
		const struct timeline_item *ti = &tl.tl_items[i];
		size_t n = strlen(got);

		if (ti->ti_cpu != cpu || ti->ti_what != what)
			continue;
		snprintf(got + n, sizeof(got) - n, "%s%lld-%lld ",
		    n > 0 ? ", " : "", (long long)ti->ti_start,
		    (long long)ti->ti_end);
		n = strlen(got);
		switch (what) {
		case TIMELINE_WHO:
			snprintf(got + n, sizeof(got) - n, "%s%s%s",
			    timeline_who_names[ti->ti_n],
			    ti->ti_name[0] != '\0' ? " " : "", ti->ti_name);
			break;
		case TIMELINE_CALL:
			snprintf(got + n, sizeof(got) - n, "%s %lld",
			    trace_calls[ti->ti_n], (long long)ti->ti_value);
			break;
		case TIMELINE_COST:
			snprintf(got + n, sizeof(got) - n, "%s",
			    cost_infos[ti->ti_n].ci_name);
			break;
		case TIMELINE_MESSAGE:
			snprintf(got + n, sizeof(got) - n, "from %d %s",
			    ti->ti_from,
			    ti->ti_n < 0 ? "?" : cost_infos[ti->ti_n].ci_name);
			break;
		case TIMELINE_QLEN:
			snprintf(got + n, sizeof(got) - n, "#%d %lld", ti->ti_n,
			    (long long)ti->ti_value);
			break;
		case TIMELINE_MARK:
			snprintf(got + n, sizeof(got) - n, "%s",
			    timeline_mark(ti->ti_rec));
			break;
		}
	}
	assert_string_equal(got, want);
	timeline_fini(&tl);
}

static void
test_who_has_a_cpu_before_the_window(void **state)
{
	(void)state;
	user(10, 0, 0);
	user(20, 0, 1);
	SIM_TRACE(30, 1, TRACE_THREAD, 0, TRACE_TD_NETISR, -1);
	SIM_TRACE(40, 1, TRACE_INTR_ENTER, 0, 0, 0);
	SIM_TRACE(50, 1, TRACE_ITHREAD, 0, 0, 0);
	SIM_TRACE(200, 1, TRACE_INTR_LEAVE, 0, 0, 0);
	SIM_TRACE(950, 0, TRACE_THREAD, 0, TRACE_TD_IDLE, -1);
	spans_are(0, TIMELINE_WHO, "100-900 user nginx 1");
	spans_are(1, TIMELINE_WHO, "100-200 ithread, 200-900 netisr netisr 1");
	spans_are(2, TIMELINE_WHO, "");
}

static void
test_an_interrupted_cost_goes_on(void **state)
{
	(void)state;
	user(100, 0, 0);
	SIM_TRACE(100, 0, TRACE_SYSCALL, 0, TRACE_CALL_recv, 7);
	cost(100, 0, COST_recv, 50);
	SIM_TRACE(120, 0, TRACE_INTR, 0, 0, 0);
	SIM_TRACE(120, 0, TRACE_INTR_ENTER, 0, 0, 0);
	cost(120, 0, COST_intr, 10);
	SIM_TRACE(130, 0, TRACE_ITHREAD, 0, 0, 0);
	cost(130, 0, COST_rx_frame, 5);
	SIM_TRACE(135, 0, TRACE_INTR_LEAVE, 0, 0, 0);
	cost(165, 0, COST_so_pru_rcvd, 15);
	SIM_TRACE(180, 0, TRACE_SYSRET, 0, TRACE_CALL_recv, 62);
	cost(180, 0, COST_ngx_request, 20);
	SIM_TRACE(200, 0, TRACE_THREAD, 0, TRACE_TD_IDLE, -1);
	spans_are(0, TIMELINE_WHO,
	    "100-120 user nginx 0, 120-130 intr em0 intr 0, "
	    "130-135 ithread em0 rx 0, 135-200 user nginx 0, 200-900 idle");
	spans_are(0, TIMELINE_CALL, "100-120 recv 7, 135-180 recv 7");
	spans_are(0, TIMELINE_COST,
	    "100-120 recv, 120-130 intr, 130-135 rx_frame, 135-165 recv, "
	    "165-180 so_pru_rcvd, 180-200 ngx_request");
}

/* Nor does it cut what it interrupts in two. */
static void
test_an_interrupt_of_no_time_is_not_seen(void **state)
{
	(void)state;
	user(100, 0, 0);
	SIM_TRACE(110, 0, TRACE_SYSCALL, 0, TRACE_CALL_close, 1);
	cost(110, 0, COST_close, 50);
	SIM_TRACE(120, 0, TRACE_INTR_ENTER, 0, 0, 0);
	cost(120, 0, COST_intr, 0);
	SIM_TRACE(120, 0, TRACE_INTR_LEAVE, 0, 0, 0);
	SIM_TRACE(160, 0, TRACE_SYSRET, 0, TRACE_CALL_close, 0);
	SIM_TRACE(160, 0, TRACE_SYSCALL, 0, TRACE_CALL_close, 2);
	cost(160, 0, COST_close, 50);
	SIM_TRACE(210, 0, TRACE_SYSRET, 0, TRACE_CALL_close, 0);
	spans_are(0, TIMELINE_WHO, "100-900 user nginx 0");
	spans_are(0, TIMELINE_CALL, "110-160 close 1, 160-210 close 2");
	spans_are(0, TIMELINE_COST, "110-160 close, 160-210 close");
}

/* After the interrupt another thread has the CPU, and is interrupted too. */
static void
test_each_thread_has_its_own_rest(void **state)
{
	(void)state;
	user(100, 0, 0);
	cost(100, 0, COST_work, 100);
	SIM_TRACE(150, 0, TRACE_INTR_ENTER, 0, 0, 0);
	cost(150, 0, COST_hardclock, 10);
	SIM_TRACE(160, 0, TRACE_INTR_LEAVE, 0, 0, 0);
	cost(160, 0, COST_user_switch, 10);
	user(170, 0, 1);
	cost(170, 0, COST_ngx_request, 40);
	SIM_TRACE(190, 0, TRACE_INTR_ENTER, 0, 0, 0);
	cost(190, 0, COST_hardclock, 10);
	SIM_TRACE(200, 0, TRACE_INTR_LEAVE, 0, 0, 0);
	cost(200, 0, COST_user_switch, 10);
	user(210, 0, 0);
	cost(260, 0, COST_user_switch, 10);
	user(270, 0, 1);
	cost(290, 0, COST_user_switch, 10);
	SIM_TRACE(300, 0, TRACE_THREAD, 0, TRACE_TD_IDLE, -1);
	spans_are(0, TIMELINE_COST,
	    "100-150 work, 150-160 hardclock, 160-170 user_switch, "
	    "170-190 ngx_request, 190-200 hardclock, 200-210 user_switch, "
	    "210-260 work, 260-270 user_switch, 270-290 ngx_request, "
	    "290-300 user_switch");
	spans_are(0, TIMELINE_WHO,
	    "100-150 user nginx 0, 150-160 intr hardclock, "
	    "160-170 user nginx 0, 170-190 user nginx 1, "
	    "190-200 intr hardclock, 200-210 user nginx 1, "
	    "210-270 user nginx 0, 270-300 user nginx 1, 300-900 idle");
}

/* kevent(2) that sleeps; meanwhile another thread calls too. */
static void
test_a_call_that_sleeps_is_several_spans(void **state)
{
	(void)state;
	user(100, 0, 0);
	SIM_TRACE(110, 0, TRACE_SYSCALL, 0, TRACE_CALL_kevent, -1);
	user(150, 0, 1);
	SIM_TRACE(160, 0, TRACE_SYSCALL, 0, TRACE_CALL_close, 9);
	SIM_TRACE(180, 0, TRACE_SYSRET, 0, TRACE_CALL_close, 0);
	user(200, 0, 0);
	SIM_TRACE(230, 0, TRACE_SYSRET, 0, TRACE_CALL_kevent, 1);
	spans_are(0, TIMELINE_CALL,
	    "110-150 kevent -1, 160-180 close 9, 200-230 kevent -1");
}

static void
test_a_call_that_began_before_the_window(void **state)
{
	(void)state;
	user(10, 0, 0);
	SIM_TRACE(20, 0, TRACE_SYSCALL, 0, TRACE_CALL_kevent, -1);
	SIM_TRACE(150, 0, TRACE_SYSRET, 0, TRACE_CALL_kevent, 1);
	SIM_TRACE(850, 0, TRACE_SYSCALL, 0, TRACE_CALL_close, 4);
	spans_are(0, TIMELINE_CALL, "100-150 kevent -1, 850-900 close 4");
}

/* Of one connection: accept(2) is known by its return only. */
static void
test_a_call_of_another_connection_is_not_guessed(void **state)
{
	(void)state;
	trace.st_only = 5;
	user(110, 0, 0);
	SIM_TRACE(120, 0, TRACE_SYSCALL, 0, TRACE_CALL_accept, 0);
	SIM_TRACE(150, 0, TRACE_SYSRET, 5, TRACE_CALL_accept, 3);
	SIM_TRACE(160, 0, TRACE_SYSCALL, 5, TRACE_CALL_recv, 3);
	SIM_TRACE(170, 0, TRACE_SYSRET, 5, TRACE_CALL_recv, 62);
	spans_are(0, TIMELINE_CALL, "160-170 recv 3");
}

static void
test_messages_are_matched_by_number(void **state)
{
	(void)state;
	/* The first two were sent before the window. */
	SIM_TRACE(90, 0, TRACE_MSG_SEND, 0, 1, 2);
	SIM_TRACE(110, 0, TRACE_MSG_SEND, 0, 1, 3);
	SIM_TRACE(115, 1, TRACE_MSG_TAKE, 0, 1, 2);
	cost(115, 1, COST_msg_dispatch, 5);
	SIM_TRACE(120, 1, TRACE_MSG_SEND, 0, 1, 4);
	SIM_TRACE(120, 1, TRACE_MSG_TAKE, 0, 2, 2);
	SIM_TRACE(130, 1, TRACE_MSG_TAKE, 0, 3, 1);
	cost(130, 1, COST_msg_dispatch, 5);
	cost(135, 1, COST_so_pru_send, 5);
	cost(140, 1, COST_tcp_output, 5);
	/* IPI messages have numbers of their own. */
	SIM_TRACE(140, 0, TRACE_IPIQ_SEND, 0, 1, 4);
	SIM_TRACE(145, 1, TRACE_IPIQ_TAKE, 0, 4, 0);
	cost(145, 1, COST_wakeup, 5);
	SIM_TRACE(150, 1, TRACE_MSG_TAKE, 0, 4, 0);
	/* Nobody takes this. */
	SIM_TRACE(160, 0, TRACE_MSG_SEND, 0, 1, 5);
	spans_are(1, TIMELINE_MESSAGE,
	    "110-130 from 0 so_pru_send, 120-150 from 1 ?, "
	    "140-145 from 0 wakeup");
	spans_are(0, TIMELINE_MESSAGE, "");
}

static void
test_a_peer_works_when_it_is_charged(void **state)
{
	(void)state;
	cost(100, 2, COST_host_connect, 10);
	cost(110, 2, COST_host_kevent, 10);
	cost(200, 2, COST_wrk_event, 40);
	SIM_TRACE(210, 2, TRACE_INTR_ENTER, 0, 0, 0);
	cost(210, 2, COST_host_rx, 5);
	SIM_TRACE(215, 2, TRACE_INTR_LEAVE, 0, 0, 0);
	spans_are(2, TIMELINE_WHO,
	    "100-120 user wrk, 200-210 user wrk, 210-215 intr, "
	    "215-245 user wrk");
	spans_are(2, TIMELINE_COST,
	    "100-110 host_connect, 110-120 host_kevent, 200-210 wrk_event, "
	    "210-215 host_rx, 215-245 wrk_event");
}

static void
test_marks_and_lengths(void **state)
{
	(void)state;
	SIM_TRACE(100, 0, TRACE_SYN_DROP, 9, 257, 256);
	SIM_TRACE(110, 0, TRACE_TOKEN_GET, 0, 1, 0);
	SIM_TRACE(120, 0, TRACE_TOKEN_GET, 0, 1, 30);
	SIM_TRACE(130, 0, TRACE_SO_QLEN, 0, 3, 17);
	SIM_TRACE(140, 0, TRACE_POLL, 0, 1, 2);
	SIM_TRACE(150, 0, TRACE_ACCEPT, 9, 16, 256);
	/* On a wire, not a CPU. */
	SIM_TRACE(160, 3, TRACE_SYN_DROP, 9, 257, 256);
	spans_are(
	    0, TIMELINE_MARK, "100-100 drop, 120-120 token, 150-150 accept");
	spans_are(0, TIMELINE_QLEN, "130-130 #3 17");
	spans_are(3, TIMELINE_MARK, "");
}

static void
test_a_length_before_the_window(void **state)
{
	struct timeline tl;
	int64_t last = -1;

	(void)state;
	trace.st_states |= 1ull << TRACE_SO_QLEN;
	SIM_TRACE(60, 0, TRACE_SO_QLEN, 0, 0, 3);
	SIM_TRACE(70, 1, TRACE_SO_QLEN, 0, 0, 8);
	SIM_TRACE(80, 0, TRACE_SO_QLEN, 0, 0, 9);
	SIM_TRACE(150, 1, TRACE_SO_QLEN, 0, 0, 7);
	spans_are(0, TIMELINE_QLEN, "100-100 #0 9");
	spans_are(1, TIMELINE_QLEN, "100-100 #0 8, 150-150 #0 7");
	timeline_init(&tl, &trace, &model);
	timeline_sort(&tl, false);
	for (uint64_t i = 0; i < tl.tl_n; i++)
		if (tl.tl_items[i].ti_what == TIMELINE_QLEN &&
		    tl.tl_items[i].ti_start == 100)
			last = tl.tl_items[i].ti_value;
	assert_int_equal(last, 9);
	timeline_fini(&tl);
}

/* All ends where the trace is cut; where that is, is not told. */
static void
test_a_cut_ends_all_spans(void **state)
{
	(void)state;
	trace.st_limit = 3;
	user(100, 0, 0);
	SIM_TRACE(110, 0, TRACE_SYSCALL, 0, TRACE_CALL_recv, 7);
	cost(110, 0, COST_recv, 500);
	SIM_TRACE(300, 1, TRACE_ACCEPT, 9, 16, 256);
	SIM_TRACE(400, 1, TRACE_ACCEPT, 9, 16, 256);
	spans_are(0, TIMELINE_WHO, "100-300 user nginx 0");
	spans_are(0, TIMELINE_CALL, "110-300 recv 7");
	spans_are(0, TIMELINE_COST, "110-300 recv");
	spans_are(1, TIMELINE_WHO, "100-300 idle");
	spans_are(1, TIMELINE_MARK, "");
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_who_has_a_cpu_before_the_window),
		TEST(test_an_interrupted_cost_goes_on),
		TEST(test_an_interrupt_of_no_time_is_not_seen),
		TEST(test_each_thread_has_its_own_rest),
		TEST(test_a_call_that_sleeps_is_several_spans),
		TEST(test_a_call_that_began_before_the_window),
		TEST(test_a_call_of_another_connection_is_not_guessed),
		TEST(test_messages_are_matched_by_number),
		TEST(test_a_peer_works_when_it_is_charged),
		TEST(test_marks_and_lengths),
		TEST(test_a_length_before_the_window),
		TEST(test_a_cut_ends_all_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
