/* Opening, closing, and what is lost on the way. */
#include "tests/unit/tcp_pipe.h"

/* At what millisecond each SYN goes: the factors 1, 1, 2, 4, 8 and 160 ms. */
static void
test_syn_lost_is_sent_again_until_given_up(void **state)
{
	static const int at_ms[] = { 0, 1000, 2160, 4320, 8480, 16640 };

	(void)state;
	ev.ev_lose = lose_syn;
	ev.ev_lose_n = 100;
	start();
	run_until(sim_s(60));
	for (int i = 0; i < 6; i++) {
		const struct sent *se = nth_sent(CLIENT, TH_SYN, 0, i);

		assert_non_null(se);
		assert_int_equal(se->se_time, sim_ms(at_ms[i]));
		assert_int_equal(se->se_pkt.p_prio, 1);
		assert_int_equal(se->se_pkt.p_seq, CLIENT_ISS);
		assert_int_equal(se->se_pkt.p_win, 57344);
	}
	assert_int_equal(ev.ev_nlog, 6);
	expect_end(CLIENT, TCP_END_TIMEOUT);
	assert_int_equal(ev.ev_end[CLIENT].en_closed_at, sim_ms(24800));
	assert_int_equal(ev.ev_end[CLIENT].en_stats.tcps_conndrops, 1);
	assert_int_equal(ev.ev_wheel.cw_armed, 0);
}

static void
test_syn_lost_shrinks_initial_window_after_3_s(void **state)
{
	static const uint32_t cwnd[] = { 4 * 1448, 4 * 1448, 4 * 1448,
		2 * 1448 };

	for (int lost = 0; lost < 4; lost++) {
		setup(state);
		ev.ev_lose = lose_syn;
		ev.ev_lose_n = lost;
		ev.ev_req = 0;
		start();
		run_until(sim_s(10));
		assert_true(ev.ev_end[CLIENT].en_connected);
		assert_int_equal(ev.ev_end[CLIENT].en_tp.snd_cwnd, cwnd[lost]);
	}
}

static void
test_synack_lost(void **state)
{
	(void)state;
	ev.ev_lose = lose_synack;
	ev.ev_lose_n = 1;
	start();
	run_until(sim_s(10));
	expect_complete();
	assert_int_equal(nth_sent(CLIENT, TH_SYN, 0, 1)->se_time, sim_ms(1000));
}

/* SYN, SYN|ACK, ACK, request, response, FIN, ACK, FIN, ACK. */
static void
test_client_closes_first(void **state)
{
	(void)state;
	ev.ev_closer = CLOSE_CLIENT;
	start();
	run_until(sim_s(5));
	expect_complete();
	assert_true(ev.ev_end[CLIENT].en_timewait);
	assert_false(ev.ev_end[SERVER].en_timewait);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_sndpack, 1);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_sndacks, 1);
	assert_int_equal(ev.ev_nlog, 9);
	assert_int_equal(nth_sent(CLIENT, TH_ACK, 0, 0)->se_pkt.p_len, 0);
	assert_int_equal(nth_sent(CLIENT, TH_ACK, 0, 0)->se_pkt.p_prio, 1);
	assert_int_equal(nth_sent(CLIENT, TH_FIN, 0, 0)->se_pkt.p_prio, 0);
}

static void
test_time_wait_ends_after_2_msl(void **state)
{
	const struct end *cl = &ev.ev_end[CLIENT];
	sim_ns tick;

	(void)state;
	start();
	run_until(sim_s(5));
	tick = cl->en_timewait_at / CALLOUT_TICK_NS * CALLOUT_TICK_NS;
	assert_int_equal(
	    cl->en_closed_at, tick + 2 * MSL_TICKS * CALLOUT_TICK_NS);
}

static void
test_server_closes_first(void **state)
{
	(void)state;
	ev.ev_closer = CLOSE_SERVER;
	start();
	run_until(sim_s(5));
	expect_complete();
	assert_true(ev.ev_end[SERVER].en_timewait);
	assert_false(ev.ev_end[CLIENT].en_timewait);
	/* The response was out when the process closed. */
	assert_int_equal(nth_sent(SERVER, TH_FIN, 0, 0)->se_pkt.p_len, 0);
}

static void
test_both_close(void **state)
{
	(void)state;
	ev.ev_closer = CLOSE_BOTH;
	ev.ev_resp = 0;
	ev.ev_req = 0;
	start();
	run_until(sim_ms(1));
	end_close(&ev.ev_end[CLIENT]);
	end_close(&ev.ev_end[SERVER]);
	run_until(sim_ms(2));
	assert_int_equal(ev.ev_end[CLIENT].en_tp.t_state, TCPS_TIME_WAIT);
	assert_int_equal(ev.ev_end[SERVER].en_tp.t_state, TCPS_TIME_WAIT);
	run_until(sim_s(5));
	expect_complete();
}

static void
test_request_lost_waits_for_rto(void **state)
{
	const struct sent *first, *again;

	(void)state;
	ev.ev_lose = lose_request;
	ev.ev_lose_n = 1;
	start();
	run_until(sim_s(5));
	expect_complete();
	first = nth_sent(CLIENT, TH_ACK, 1, 0);
	again = nth_sent(CLIENT, TH_ACK, 1, 1);
	assert_int_equal(again->se_pkt.p_seq, first->se_pkt.p_seq);
	/* 3 ticks at least, and 16 of slop. */
	assert_int_equal(again->se_time, sim_ms(190));
	assert_int_equal(ev.ev_end[CLIENT].en_stats.tcps_rexmttimeo, 1);
}

/* RTO 190 ms, then 3 * 2 + 16, 3 * 4 + 16, 3 * 8 + 16 ticks. */
static void
test_rto_backs_off(void **state)
{
	static const int at_ms[] = { 190, 410, 690, 1090 };

	(void)state;
	ev.ev_lose = lose_request;
	ev.ev_lose_n = 4;
	start();
	run_until(sim_s(5));
	expect_complete();
	for (int i = 0; i < 4; i++)
		assert_int_equal(nth_sent(CLIENT, TH_ACK, 1, i + 1)->se_time,
		    sim_ms(at_ms[i]));
}

static void
test_peer_that_vanishes_times_out(void **state)
{
	(void)state;
	ev.ev_lose = lose_response;
	ev.ev_lose_n = 1000;
	start();
	run_until(sim_s(3600));
	expect_end(SERVER, TCP_END_TIMEOUT);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_sndrexmitpack, 12);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_timeoutdrop, 1);
	expect_end(CLIENT, TCP_END_RESET);
	assert_int_equal(ev.ev_wheel.cw_armed, 0);
}

/* Of 12 segments the 5th: those behind it make the duplicates. */
static void
test_third_duplicate_ack_retransmits(void **state)
{
	(void)state;
	ev.ev_lose = lose_nth_data;
	ev.ev_lose_n = 4;
	ev.ev_resp = 16384;
	start();
	run_until(sim_s(5));
	expect_complete();
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_sndfastrexmit, 1);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_rexmttimeo, 0);
	assert_true(nth_sent(CLIENT, TH_FIN, 0, 0)->se_time < sim_ms(250));
}

/* Of two segments the first: one duplicate is all there can be. */
static void
test_early_retransmit(void **state)
{
	(void)state;
	ev.ev_lose = lose_nth_data;
	ev.ev_lose_n = 0;
	ev.ev_resp = 2000;
	start();
	run_until(sim_s(5));
	expect_complete();
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_sndearlyrexmit, 1);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_rexmttimeo, 0);
}

static void
test_fin_lost(void **state)
{
	bool (*const lose[])(struct env *, int,
	    const struct pkt *) = { lose_client_fin, lose_server_fin };

	for (int who = 0; who < 2; who++) {
		for (int closer = CLOSE_CLIENT; closer <= CLOSE_BOTH;
		     closer++) {
			setup(state);
			ev.ev_lose = lose[who];
			ev.ev_lose_n = 2;
			ev.ev_closer = (enum closer)closer;
			start();
			run_until(sim_s(20));
			expect_complete();
		}
	}
}

/* The FIN comes again into TIME_WAIT and is acknowledged again. */
static void
test_last_ack_lost(void **state)
{
	(void)state;
	ev.ev_lose = lose_last_ack;
	ev.ev_lose_n = 2;
	start();
	run_until(sim_s(5));
	expect_complete();
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_rexmttimeo, 2);
	/* ... which does not lengthen it. */
	assert_true(ev.ev_end[CLIENT].en_closed_at < sim_ms(1010));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_syn_lost_is_sent_again_until_given_up),
		T(test_syn_lost_shrinks_initial_window_after_3_s),
		T(test_synack_lost),
		T(test_client_closes_first),
		T(test_time_wait_ends_after_2_msl),
		T(test_server_closes_first),
		T(test_both_close),
		T(test_request_lost_waits_for_rto),
		T(test_rto_backs_off),
		T(test_peer_that_vanishes_times_out),
		T(test_third_duplicate_ack_retransmits),
		T(test_early_retransmit),
		T(test_fin_lost),
		T(test_last_ack_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
