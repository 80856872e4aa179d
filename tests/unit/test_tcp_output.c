/* What goes out when: windows, segments, ACKs, resets; and random loss. */
#include "tests/unit/tcp_pipe.h"

/* Data segments of the response that left in each round trip. */
static void
count_rounds(sim_ns rtt, int *rounds, int n)
{
	sim_ns t0 = nth_sent(SERVER, TH_ACK, 1, 0)->se_time;

	memset(rounds, 0, (size_t)n * sizeof(*rounds));
	for (int i = 0; i < ev.ev_nlog; i++) {
		const struct sent *se = &ev.ev_log[i];
		int64_t r = (se->se_time - t0) / rtt;

		if (se->se_dir == SERVER && se->se_pkt.p_len > 0 && r < n)
			rounds[r] += se->se_pkt.p_nseg;
	}
}

/*
 * 16 KB are 12 segments. The first 4 bring two ACKs of 2 segments each, and
 * each ACK lets cwnd grow by 2: 8 more.
 */
static void
test_16k_takes_4_then_8_segments(void **state)
{
	int rounds[4];

	(void)state;
	ev.ev_delay = sim_ms(20);
	ev.ev_resp = 16384;
	start();
	run_until(sim_s(5));
	expect_complete();
	count_rounds(sim_ms(40), rounds, 4);
	assert_int_equal(rounds[0], 4);
	assert_int_equal(rounds[1], 8);
	assert_int_equal(rounds[2], 0);
}

/* One ACK answers the 4; counting bytes, it is worth 2: 6 more, then 2. */
static void
test_16k_takes_4_6_2_when_acks_are_aggregated(void **state)
{
	int rounds[4];

	(void)state;
	ev.ev_delay = sim_ms(20);
	ev.ev_resp = 16384;
	ev.ev_end[CLIENT].en_host.th_aggregate_acks = true;
	start();
	run_until(sim_s(5));
	expect_complete();
	count_rounds(sim_ms(40), rounds, 4);
	assert_int_equal(rounds[0], 4);
	assert_int_equal(rounds[1], 6);
	assert_int_equal(rounds[2], 2);
}

static void
test_16k_with_tso_in_three_transfers(void **state)
{
	int rounds[4];

	(void)state;
	ev.ev_delay = sim_ms(20);
	ev.ev_resp = 16384;
	ev.ev_end[SERVER].en_host.th_tso = true;
	ev.ev_end[SERVER].en_host.th_tsolen = 12000;
	start();
	run_until(sim_s(5));
	expect_complete();
	count_rounds(sim_ms(40), rounds, 4);
	assert_int_equal(rounds[0], 4);
	assert_int_equal(rounds[1], 6);
	assert_int_equal(rounds[2], 2);
	assert_int_equal(nth_sent(SERVER, TH_ACK, 1, 0)->se_pkt.p_nseg, 4);
	assert_int_equal(nth_sent(SERVER, TH_ACK, 1, 1)->se_pkt.p_nseg, 6);
}

/* if_tsolen of ix is 8 * 1500: 8 whole segments. */
static void
test_tso_is_cut_to_whole_segments(void **state)
{
	struct tcpcb *tp = &ev.ev_end[SERVER].en_tp;
	bool more;

	(void)state;
	ev.ev_silent = true;
	ev.ev_end[SERVER].en_host.th_tso = true;
	ev.ev_end[SERVER].en_host.th_tsolen = 12000;
	start();
	run_until(sim_ms(1));
	tp->snd_cwnd = 57344;
	tcp_append(tp, 30000);
	assert_int_equal(tcp_output(tp, 4, &more), 8);
	assert_true(more);
	assert_int_equal(tcp_output(tp, 0, &more), 13);
	assert_false(more);
	assert_int_equal(nth_sent(SERVER, TH_ACK, 1, 0)->se_pkt.p_len, 11584);
	assert_int_equal(nth_sent(SERVER, TH_ACK, 1, 1)->se_pkt.p_len, 11584);
	assert_int_equal(nth_sent(SERVER, TH_ACK, 1, 2)->se_pkt.p_len, 5792);
	assert_int_equal(nth_sent(SERVER, TH_ACK, 1, 3)->se_pkt.p_len, 1040);
	assert_true(nth_sent(SERVER, TH_PUSH, 1, 0)->se_pkt.p_len == 1040);
}

/* The server gets an ACK of so many segments more. */
static void
ack_segments(struct tcpcb *tp, uint32_t n)
{
	struct pkt p = {
		.p_flow = tp->t_flow,
		.p_seq = tp->rcv_nxt,
		.p_ack = tp->snd_una + n * PKT_MSS,
		.p_win = 57344,
		.p_flags = TH_ACK,
		.p_nseg = 1,
	};

	tcp_input(tp, &p);
}

/*
 * Linux: with 39 segments of a window of 57344 on their way, nothing goes until
 * a third of it (19114 bytes) is free: 872 are, and each ACK frees its own.
 */
static void
test_tso_waits_for_a_third_of_the_window(void **state)
{
	struct tcpcb *tp = &ev.ev_end[SERVER].en_tp;

	(void)state;
	ev.ev_silent = true;
	ev.ev_end[SERVER].en_host.th_tso = true;
	ev.ev_end[SERVER].en_host.th_tso_win_divisor = 3;
	start();
	run_until(sim_ms(1));
	tp->snd_cwnd = 1 << 20;
	tcp_append(tp, 400000);
	assert_int_equal(tcp_output(tp, 0, NULL), 39);
	ack_segments(tp, 4);
	ack_segments(tp, 4);
	ack_segments(tp, 4);
	assert_int_equal(tp->snd_max - tp->snd_una, 27 * PKT_MSS);
	ack_segments(tp, 1);
	assert_int_equal(tp->snd_max - tp->snd_una, 39 * PKT_MSS);
	/* Without the rule an ACK lets out what it frees. */
	ev.ev_end[SERVER].en_host.th_tso_win_divisor = 0;
	ack_segments(tp, 4);
	assert_int_equal(tp->snd_max - tp->snd_una, 39 * PKT_MSS);
}

/* It never waits when nothing is on its way, or when all can go. */
static void
test_tso_does_not_wait_for_ever(void **state)
{
	struct tcpcb *tp = &ev.ev_end[SERVER].en_tp;

	(void)state;
	ev.ev_silent = true;
	ev.ev_end[SERVER].en_host.th_tso = true;
	ev.ev_end[SERVER].en_host.th_tso_win_divisor = 3;
	start();
	run_until(sim_ms(1));
	tp->snd_cwnd = 1 << 20;
	tcp_append(tp, 3 * PKT_MSS);
	assert_int_equal(tcp_output(tp, 0, NULL), 3);
	tcp_append(tp, PKT_MSS);
	assert_int_equal(tcp_output(tp, 0, NULL), 1);
}

/* FreeBSD tells of two segments of space, DragonFly of half of the buffer. */
static void
test_window_update_after_two_segments(void **state)
{
	struct tcpcb *tp = &ev.ev_end[CLIENT].en_tp;

	(void)state;
	ev.ev_silent = true;
	start();
	run_until(sim_ms(1));
	tp->t_state = TCPS_ESTABLISHED;
	tp->rcv_cc = 6 * PKT_MSS;
	tp->rcv_adv = tp->rcv_nxt + tcp_rcvspace(tp);
	assert_false(tcp_usr_rcvd(tp, 2 * PKT_MSS));
	tp->rcv_adv = tp->rcv_nxt + tcp_rcvspace(tp);
	ev.ev_end[CLIENT].en_host.th_winup_segs = 2;
	assert_false(tcp_usr_rcvd(tp, 2 * PKT_MSS - 1));
	assert_true(tcp_usr_rcvd(tp, 1));
}

/* At MTU 9000 a segment holds 8948 bytes. */
static void
test_jumbo_segments(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		ev.ev_end[i].en_host.th_mss = 8948;
	ev.ev_resp = 16384;
	start();
	run_until(sim_s(5));
	expect_complete();
	assert_int_equal(nth_sent(SERVER, TH_ACK, 1, 0)->se_pkt.p_len, 8948);
	assert_int_equal(
	    nth_sent(SERVER, TH_ACK, 1, 1)->se_pkt.p_len, 16384 - 8948);
}

/*
 * Without TCP_NODELAY a short tail goes only by a call that found nothing
 * outstanding. The 5th segment goes at 100 ms, called for by the
 * first ACK; it is alone, so that its ACK, and with it the tail, is late by
 * delacktime.
 */
static void
test_nagle_holds_the_short_segment(void **state)
{
	const struct sent *se;

	(void)state;
	ev.ev_end[SERVER].en_tp.t_flags &= (uint16_t)~TF_NODELAY;
	ev.ev_delay = sim_ms(20);
	ev.ev_resp = 5 * PKT_MSS + 456;
	start();
	run_until(sim_s(5));
	expect_complete();
	assert_int_equal(nth_sent(SERVER, TH_ACK, 1, 4)->se_time, sim_ms(100));
	se = nth_sent(SERVER, TH_PUSH, 1, 0);
	assert_int_equal(se->se_pkt.p_len, 456);
	assert_int_equal(se->se_time, sim_ms(230));
}

static void
test_fairsend_stops_after_so_many_segments(void **state)
{
	struct tcpcb *tp = &ev.ev_end[SERVER].en_tp;

	(void)state;
	ev.ev_silent = true;
	ev.ev_end[SERVER].en_host.th_fairsend = 4;
	start();
	run_until(sim_ms(1));
	tp->snd_cwnd = 57344;
	tcp_append(tp, 10 * PKT_MSS);
	assert_int_equal(tcp_output_fair(tp), 4);
	assert_true(tp->t_flags & TF_SNDMORE);
	tcp_sndmore(tp);
	assert_true(tp->t_flags & TF_SNDMORE);
	tcp_sndmore(tp);
	assert_false(tp->t_flags & TF_SNDMORE);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_sndpack, 10);
}

static void
test_lone_segment_is_acknowledged_after_100_ms(void **state)
{
	const struct sent *ack;

	(void)state;
	ev.ev_silent = true;
	start();
	run_until(sim_s(1));
	ack = nth_sent(SERVER, TH_ACK, 0, 1);
	assert_non_null(ack);
	assert_int_equal(ack->se_time, sim_ms(100));
	assert_int_equal(ack->se_pkt.p_prio, 1);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_delack, 1);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_sndacks, 1);
	assert_int_equal(ev.ev_end[CLIENT].en_acked, 100);
}

/*
 * Nobody reads: 57344 bytes fit, then a byte every 5 s asks whether the window
 * is open. Reading opens it by an update.
 */
static void
test_closed_window_is_probed_and_reopens(void **state)
{
	struct end *cl = &ev.ev_end[CLIENT];
	const struct tcp_stats *st = &ev.ev_end[SERVER].en_stats;

	(void)state;
	ev.ev_hold = true;
	ev.ev_resp = 100000;
	start();
	run_until(sim_s(3));
	assert_in_range(cl->en_rcvd, 57344 - 1448, 57344);
	assert_int_equal(st->tcps_sndprobe, 0);
	run_until(sim_s(12));
	assert_int_equal(st->tcps_persisttimeo, 2);
	assert_int_equal(st->tcps_rexmttimeo, 0);
	ev.ev_hold = false;
	assert_true(tcp_usr_rcvd(&cl->en_tp, cl->en_tp.rcv_cc));
	tcp_output(&cl->en_tp, 0, NULL);
	run_until(sim_s(13));
	assert_int_equal(cl->en_rcvd, 100000);
	run_until(sim_s(20));
	expect_complete();
}

static void
test_persist_outlives_lost_window_update(void **state)
{
	struct end *cl = &ev.ev_end[CLIENT];

	(void)state;
	ev.ev_hold = true;
	ev.ev_resp = 100000;
	start();
	run_until(sim_s(3));
	ev.ev_hold = false;
	tcp_usr_rcvd(&cl->en_tp, cl->en_tp.rcv_cc); /* and no update */
	run_until(sim_s(20));
	expect_complete();
}

static struct pkt
rst_for(const struct tcpcb *tp)
{
	return (struct pkt){ .p_flow = tp->t_flow,
		.p_seq = tp->last_ack_sent,
		.p_ack = tp->snd_max,
		.p_flags = TH_RST | TH_ACK,
		.p_nseg = 1 };
}

/* Bring a control block into a state, the peer staying away. */
static struct tcpcb *
reach(enum tcp_state state)
{
	struct end *en = &ev.ev_end[SERVER];
	struct tcpcb *tp = &en->en_tp;
	struct pkt p = { .p_flow = tp->t_flow,
		.p_seq = 1001,
		.p_ack = SERVER_ISS + 1,
		.p_win = 57344,
		.p_flags = TH_ACK,
		.p_nseg = 1 };

	ev.ev_silent = true;
	ev.ev_req = 0;
	if (state == TCPS_SYN_SENT) {
		tcp_connect(tp, SERVER_ISS);
		return tp;
	}
	tcp_accept(tp, SERVER_ISS, 1000, &p, 0);
	if (state == TCPS_SYN_RECEIVED)
		return tp;
	tcp_input(tp, &p);
	if (state == TCPS_ESTABLISHED)
		return tp;
	p.p_flags = TH_ACK | TH_FIN;
	en->en_closing = true; /* op_readable() leaves it alone */
	if (state == TCPS_CLOSE_WAIT || state == TCPS_LAST_ACK) {
		tcp_input(tp, &p);
		if (state == TCPS_CLOSE_WAIT)
			return tp;
	}
	tcp_usrclosed(tp);
	tcp_output(tp, 0, NULL);
	if (state == TCPS_FIN_WAIT_1 || state == TCPS_LAST_ACK)
		return tp;
	if (state == TCPS_CLOSING) {
		tcp_input(tp, &p);
		return tp;
	}
	p.p_flags = TH_ACK;
	p.p_ack++;
	tcp_input(tp, &p);
	if (state == TCPS_FIN_WAIT_2)
		return tp;
	p.p_flags = TH_ACK | TH_FIN;
	tcp_input(tp, &p);
	return tp;
}

static void
test_rst_in_each_state(void **state)
{
	for (int s = TCPS_SYN_SENT; s < TCP_NSTATES; s++) {
		struct tcpcb *tp;
		struct pkt rst;

		setup(state);
		tp = reach((enum tcp_state)s);
		assert_int_equal(tp->t_state, s);
		rst = rst_for(tp);
		rst.p_seq += 1000000; /* out of the window */
		if (s != TCPS_SYN_SENT) {
			tcp_input(tp, &rst);
			assert_int_equal(tp->t_state, s);
		}
		rst = rst_for(tp);
		tcp_input(tp, &rst);
		if (s == TCPS_TIME_WAIT) {
			assert_int_equal(tp->t_state, TCPS_TIME_WAIT);
			continue;
		}
		assert_int_equal(tp->t_state, TCPS_CLOSED);
		expect_end(SERVER, TCP_END_RESET);
		assert_int_equal(ev.ev_wheel.cw_armed, 0);
	}
}

/* Every state can be left at once, in silence or with a RST. */
static void
test_drop_in_each_state(void **state)
{
	for (int s = TCPS_SYN_SENT; s < TCP_NSTATES; s++) {
		struct tcpcb *tp;
		int n;

		setup(state);
		tp = reach((enum tcp_state)s);
		n = ev.ev_nlog;
		tcp_drop(tp, s % 2 == 0);
		assert_int_equal(ev.ev_nlog, n + (s % 2 == 0));
		assert_int_equal(tp->t_state, TCPS_CLOSED);
		assert_false(ev.ev_end[SERVER].en_closed);
		assert_int_equal(ev.ev_wheel.cw_armed, 0);
	}
}

static void
test_data_after_close_is_reset(void **state)
{
	struct tcpcb *tp;
	struct pkt p = { .p_seq = 1001,
		.p_ack = SERVER_ISS + 2,
		.p_win = 57344,
		.p_len = 10,
		.p_flags = TH_ACK,
		.p_nseg = 1 };

	(void)state;
	tp = reach(TCPS_FIN_WAIT_2);
	tcp_input(tp, &p);
	expect_end(SERVER, TCP_END_RESET);
	assert_true(ev.ev_log[ev.ev_nlog - 1].se_pkt.p_flags & TH_RST);
	assert_int_equal(ev.ev_end[SERVER].en_stats.tcps_rcvafterclose, 1);
}

static void
test_syn_into_time_wait(void **state)
{
	struct tcpcb *tp = reach(TCPS_TIME_WAIT);
	struct pkt syn = {
		.p_seq = 1002 + 57344 + 1, .p_flags = TH_SYN, .p_nseg = 1
	};
	int n = ev.ev_nlog;

	(void)state;
	assert_true(tcp_timewait_reusable(tp, &syn));
	syn.p_seq = 900; /* older: dropped without a word */
	assert_false(tcp_timewait_reusable(tp, &syn));
	tcp_input(tp, &syn);
	assert_int_equal(tp->t_state, TCPS_TIME_WAIT);
	assert_int_equal(ev.ev_nlog, n);
	syn.p_seq = 2000; /* in the window: an error */
	assert_false(tcp_timewait_reusable(tp, &syn));
	tcp_input(tp, &syn);
	assert_int_equal(tp->t_state, TCPS_CLOSED);
}

static void
test_rst_for_no_connection(void **state)
{
	struct pkt p = { .p_flow = 9,
		.p_seq = 10,
		.p_ack = 20,
		.p_len = 5,
		.p_flags = TH_ACK,
		.p_rss = 3,
		.p_nseg = 1 };
	struct pkt rst;

	(void)state;
	tcp_respond_rst(&p, &rst);
	assert_int_equal(rst.p_flags, TH_RST);
	assert_int_equal(rst.p_seq, 20);
	assert_int_equal(rst.p_rss, 3);
	p.p_flags = TH_SYN;
	tcp_respond_rst(&p, &rst);
	assert_int_equal(rst.p_flags, TH_RST | TH_ACK);
	assert_int_equal(rst.p_ack, 16);
}

/* An idle connection falls back to the initial window. */
static void
test_idle_connection_restarts_slowly(void **state)
{
	struct tcpcb *tp = &ev.ev_end[SERVER].en_tp;

	(void)state;
	ev.ev_silent = true;
	start();
	run_until(sim_s(3));
	tp->snd_cwnd = 57344;
	tcp_append(tp, 20 * PKT_MSS);
	assert_int_equal(tcp_output(tp, 0, NULL), 4);
	assert_int_equal(tp->snd_cwnd, 4 * PKT_MSS);
}

static void
test_random_loss(void **state)
{
	int complete = 0;

	for (uint32_t seed = 0; seed < 500; seed++) {
		setup(state);
		ev.ev_lose = lose_at_random;
		ev.ev_rng = seed * 2654435761u + 1;
		ev.ev_loss = seed % 21 * 10;
		ev.ev_closer = (enum closer)(seed % 3);
		ev.ev_req = 1 + seed * 37 % 5000;
		ev.ev_resp = 1 + seed * 7919 % 200000;
		ev.ev_delay = seed % 4 == 0 ? sim_ms(15) : sim_us(50);
		ev.ev_end[SERVER].en_host.th_tso = seed % 5 == 0;
		ev.ev_end[CLIENT].en_host.th_aggregate_acks = seed % 7 == 0;
		start();
		run_until(sim_s(40000));
		assert_true(ev.ev_end[CLIENT].en_closed);
		assert_true(ev.ev_end[SERVER].en_closed ||
			    !ev.ev_end[SERVER].en_connected);
		assert_int_equal(ev.ev_wheel.cw_armed, 0);
		assert_true(ev.ev_end[CLIENT].en_rcvd <= ev.ev_resp);
		assert_true(ev.ev_end[SERVER].en_rcvd <= ev.ev_req);
		if (ev.ev_end[CLIENT].en_end == TCP_END_NORMAL) {
			assert_int_equal(ev.ev_end[CLIENT].en_rcvd, ev.ev_resp);
			assert_int_equal(ev.ev_end[SERVER].en_rcvd, ev.ev_req);
			complete++;
		}
		if (ev.ev_loss == 0)
			expect_complete();
	}
	/* Losing one in ten is no reason to fail. */
	assert_in_range(complete, 450, 500);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_16k_takes_4_then_8_segments),
		T(test_16k_takes_4_6_2_when_acks_are_aggregated),
		T(test_16k_with_tso_in_three_transfers),
		T(test_tso_is_cut_to_whole_segments),
		T(test_tso_waits_for_a_third_of_the_window),
		T(test_tso_does_not_wait_for_ever),
		T(test_window_update_after_two_segments),
		T(test_jumbo_segments),
		T(test_nagle_holds_the_short_segment),
		T(test_fairsend_stops_after_so_many_segments),
		T(test_lone_segment_is_acknowledged_after_100_ms),
		T(test_closed_window_is_probed_and_reopens),
		T(test_persist_outlives_lost_window_update),
		T(test_rst_in_each_state),
		T(test_drop_in_each_state),
		T(test_data_after_close_is_reset),
		T(test_syn_into_time_wait),
		T(test_rst_for_no_connection),
		T(test_idle_connection_restarts_slowly),
		T(test_random_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
