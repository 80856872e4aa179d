/*
 * Two control blocks and a pipe with delay and scripted losses between them.
 * A small listener stands for the syncache.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/time.h"

#include "model/netinet/tcp_var.h"

#define CLIENT 0
#define SERVER 1
#define NFLIGHT 4096
#define NLOG 4096
#define MSL_TICKS 50
#define CLIENT_ISS 0xffffff00u /* wraps early */
#define SERVER_ISS 5000u

enum closer { CLOSE_CLIENT, CLOSE_SERVER, CLOSE_BOTH };

struct env;

struct end {
	struct tcpcb en_tp; /* first: the ops find us by it */
	struct tcp_host en_host;
	struct tcp_stats en_stats;
	struct env *en_env;
	int en_id;
	uint32_t en_rcvd, en_acked; /* bytes */
	bool en_connected, en_eof, en_closing, en_closed, en_timewait;
	enum tcp_end en_end;
	sim_ns en_closed_at, en_timewait_at;
};

struct sent {
	sim_ns se_time;
	int se_dir;
	bool se_lost;
	struct pkt se_pkt;
};

struct env {
	struct end ev_end[2];
	struct callwheel ev_wheel;
	sim_ns ev_now, ev_delay;
	struct pkt ev_flight[NFLIGHT];
	uint8_t ev_dir[NFLIGHT];
	unsigned ev_head, ev_tail;
	struct sent ev_log[NLOG];
	int ev_nlog, ev_nth[2];
	bool (*ev_lose)(struct env *, int dir, const struct pkt *);
	int ev_lose_n;
	uint32_t ev_req, ev_resp; /* bytes */
	enum closer ev_closer;
	bool ev_hold;		  /* the client does not read */
	bool ev_rollup;		  /* ACKs of a batch go together */
	bool ev_silent;		  /* the server does not answer */
	uint32_t ev_rng, ev_loss; /* 1/1000 */
};

static struct env ev;

static struct end *
end_of(struct tcpcb *tp)
{
	return (struct end *)tp;
}

static void
op_output(struct tcpcb *tp, struct pkt *p)
{
	struct end *en = end_of(tp);
	int dir = en->en_id;
	bool lost;

	assert_int_equal(p->p_time, ev.ev_now);
	assert_true(p->p_nseg >= 1);
	assert_true(p->p_len <= p->p_nseg * PKT_MSS);
	if (!en->en_host.th_tso)
		assert_int_equal(p->p_nseg, 1);
	ev.ev_nth[dir]++;
	lost = ev.ev_lose != NULL && ev.ev_lose(&ev, dir, p);
	if (ev.ev_nlog < NLOG)
		ev.ev_log[ev.ev_nlog++] =
		    (struct sent){ ev.ev_now, dir, lost, *p };
	if (lost)
		return;
	assert_true(ev.ev_tail - ev.ev_head < NFLIGHT);
	ev.ev_dir[ev.ev_tail % NFLIGHT] = (uint8_t)dir;
	ev.ev_flight[ev.ev_tail % NFLIGHT] = *p;
	ev.ev_flight[ev.ev_tail % NFLIGHT].p_time = ev.ev_now + ev.ev_delay;
	ev.ev_tail++;
}

static void
end_close(struct end *en)
{
	if (en->en_closing || en->en_closed)
		return;
	en->en_closing = true;
	tcp_usrclosed(&en->en_tp);
	tcp_output(&en->en_tp, 0, NULL);
}

static void
op_connected(struct tcpcb *tp)
{
	struct end *en = end_of(tp);

	assert_false(en->en_connected);
	assert_int_equal(tp->t_state, TCPS_ESTABLISHED);
	en->en_connected = true;
	if (en->en_id == CLIENT && ev.ev_req > 0) {
		tcp_append(tp, ev.ev_req);
		tcp_output(tp, 0, NULL);
	}
}

static void
server_readable(struct end *en)
{
	if (en->en_rcvd < ev.ev_req || ev.ev_silent || en->en_closing)
		return;
	if (en->en_acked == 0 && en->en_tp.snd_cc == 0 && ev.ev_resp > 0) {
		tcp_append(&en->en_tp, ev.ev_resp);
		tcp_output(&en->en_tp, 0, NULL);
	}
	if (ev.ev_closer != CLOSE_CLIENT)
		end_close(en);
}

static void
op_readable(struct tcpcb *tp, uint32_t len, bool eof)
{
	struct end *en = end_of(tp);

	assert_false(en->en_eof);
	assert_true(len > 0 || eof);
	en->en_rcvd += len;
	en->en_eof = eof;
	if (len > 0 && !en->en_closing &&
	    !(en->en_id == CLIENT && ev.ev_hold) && tcp_usr_rcvd(tp, len))
		tcp_output(tp, 0, NULL);
	if (en->en_id == SERVER)
		server_readable(en);
	else if (en->en_rcvd == ev.ev_resp && ev.ev_closer != CLOSE_SERVER &&
		 !ev.ev_silent)
		end_close(en);
	if (eof)
		end_close(en);
}

static void
op_acked(struct tcpcb *tp, uint32_t acked)
{
	assert_true(acked > 0);
	end_of(tp)->en_acked += acked;
}

static void
op_closed(struct tcpcb *tp, enum tcp_end how)
{
	struct end *en = end_of(tp);

	assert_false(en->en_closed);
	assert_int_equal(tp->t_state, TCPS_CLOSED);
	assert_false(callout_pending(&tp->t_callout));
	en->en_closed = true;
	en->en_end = how;
	en->en_closed_at = ev.ev_now;
}

static void
op_timewait(struct tcpcb *tp)
{
	end_of(tp)->en_timewait = true;
	end_of(tp)->en_timewait_at = ev.ev_now;
}

static sim_ns
op_now(struct tcpcb *tp)
{
	(void)tp;
	return ev.ev_now;
}

static void
op_sndmore(struct tcpcb *tp)
{
	(void)tp;
}

static const struct tcp_ops ops = {
	.to_output = op_output,
	.to_connected = op_connected,
	.to_readable = op_readable,
	.to_acked = op_acked,
	.to_closed = op_closed,
	.to_timewait = op_timewait,
	.to_now = op_now,
	.to_sndmore = op_sndmore,
};

static int
setup(void **state)
{
	(void)state;
	memset(&ev, 0, sizeof(ev));
	callwheel_init(&ev.ev_wheel);
	ev.ev_delay = sim_us(50);
	ev.ev_req = 100;
	ev.ev_resp = 1000;
	for (int i = 0; i < 2; i++) {
		struct end *en = &ev.ev_end[i];

		en->en_id = i;
		en->en_env = &ev;
		en->en_host = (struct tcp_host){
			.th_ops = &ops,
			.th_wheel = &ev.ev_wheel,
			.th_stats = &en->en_stats,
			.th_sendspace = 57344,
			.th_recvspace = 57344,
			.th_iwmaxsegs = 4,
			.th_delayed_ack = true,
			.th_delack_ticks = 10,
			.th_rexmit_min_ticks = 3,
			.th_rexmit_slop_ticks = 16,
			.th_rtobase_ticks = 100,
			.th_msl_ticks = MSL_TICKS,
			.th_syn_retries = 5,
		};
		tcp_init(&en->en_tp, &en->en_host, flow_make(1, 80), 7);
		en->en_tp.t_flags |= TF_NODELAY;
	}
	return 0;
}

/* What the syncache does, in three lines. */
static bool
server_listens(const struct pkt *p)
{
	struct end *en = &ev.ev_end[SERVER];
	struct pkt sa = { .p_time = ev.ev_now,
		.p_flow = p->p_flow,
		.p_seq = SERVER_ISS,
		.p_ack = p->p_seq + 1,
		.p_win = 57344,
		.p_flags = TH_SYN | TH_ACK,
		.p_nseg = 1,
		.p_prio = 1 };

	if (en->en_tp.t_state != TCPS_CLOSED || en->en_closed)
		return false;
	if (p->p_flags == TH_SYN)
		op_output(&en->en_tp, &sa);
	if ((p->p_flags & (TH_ACK | TH_RST)) != TH_ACK ||
	    p->p_ack != SERVER_ISS + 1)
		return true;
	tcp_accept(&en->en_tp, SERVER_ISS, CLIENT_ISS, p, 0);
	return false;
}

static void
deliver(void)
{
	struct pkt p = ev.ev_flight[ev.ev_head % NFLIGHT];
	int to = !ev.ev_dir[ev.ev_head % NFLIGHT];
	struct end *en = &ev.ev_end[to];

	ev.ev_head++;
	ev.ev_now = p.p_time;
	if (to == SERVER && server_listens(&p))
		return;
	if (!en->en_closed) {
		tcp_input(&en->en_tp, &p);
	} else if ((p.p_flags & TH_RST) == 0) {
		struct pkt rst;

		tcp_respond_rst(&p, &rst);
		rst.p_time = ev.ev_now;
		op_output(&en->en_tp, &rst);
	}
}

/* Everything that arrives at one instant, then the rollup. */
static void
batch(void)
{
	sim_ns t = ev.ev_flight[ev.ev_head % NFLIGHT].p_time;

	while (ev.ev_head != ev.ev_tail &&
	       ev.ev_flight[ev.ev_head % NFLIGHT].p_time == t)
		deliver();
	for (int i = 0; i < 2; i++) {
		struct end *en = &ev.ev_end[i];

		if (en->en_host.th_aggregate_acks && tcp_ackpending(&en->en_tp))
			tcp_output(&en->en_tp, 0, NULL);
	}
}

static void
run_until(sim_ns end)
{
	sim_ns tick, next;

	for (;;) {
		tick = (sim_ns)(ev.ev_wheel.cw_tick + 1) * CALLOUT_TICK_NS;
		next = ev.ev_head != ev.ev_tail
			   ? ev.ev_flight[ev.ev_head % NFLIGHT].p_time
			   : SIM_NEVER;
		if (sim_min(tick, next) > end)
			break;
		if (next <= tick) {
			batch();
		} else {
			ev.ev_now = tick;
			callwheel_tick(&ev.ev_wheel);
		}
	}
	ev.ev_now = end;
}

static void
start(void)
{
	tcp_connect(&ev.ev_end[CLIENT].en_tp, CLIENT_ISS);
}

static void
expect_end(int who, enum tcp_end how)
{
	assert_true(ev.ev_end[who].en_closed);
	assert_int_equal(ev.ev_end[who].en_end, how);
}

/* Both ended well, with every byte, and no timer is left. */
static void
expect_complete(void)
{
	expect_end(CLIENT, TCP_END_NORMAL);
	expect_end(SERVER, TCP_END_NORMAL);
	assert_int_equal(ev.ev_end[SERVER].en_rcvd, ev.ev_req);
	assert_int_equal(ev.ev_end[CLIENT].en_rcvd, ev.ev_resp);
	assert_int_equal(ev.ev_end[CLIENT].en_acked, ev.ev_req);
	assert_int_equal(ev.ev_end[SERVER].en_acked, ev.ev_resp);
	assert_int_equal(ev.ev_wheel.cw_armed, 0);
}

/* The nth (from 0) segment of dir with all of `flags` and `len` or more. */
static const struct sent *
nth_sent(int dir, int flags, int len, int n)
{
	for (int i = 0; i < ev.ev_nlog; i++) {
		const struct sent *se = &ev.ev_log[i];

		if (se->se_dir == dir &&
		    (se->se_pkt.p_flags & flags) == flags &&
		    se->se_pkt.p_len >= len && n-- == 0)
			return se;
	}
	return NULL;
}

static bool
lose_first(int dir, int flags, int len, const struct pkt *p, int who)
{
	if (dir != who || (p->p_flags & flags) != flags || p->p_len < len ||
	    ev.ev_lose_n == 0)
		return false;
	ev.ev_lose_n--;
	return true;
}

static bool
lose_syn(struct env *e, int dir, const struct pkt *p)
{
	(void)e;
	return lose_first(dir, TH_SYN, 0, p, CLIENT);
}

static bool
lose_synack(struct env *e, int dir, const struct pkt *p)
{
	(void)e;
	return lose_first(dir, TH_SYN | TH_ACK, 0, p, SERVER);
}

static bool
lose_request(struct env *e, int dir, const struct pkt *p)
{
	(void)e;
	return lose_first(dir, TH_ACK, 1, p, CLIENT);
}

static bool
lose_response(struct env *e, int dir, const struct pkt *p)
{
	(void)e;
	return lose_first(dir, TH_ACK, 1, p, SERVER);
}

static bool
lose_client_fin(struct env *e, int dir, const struct pkt *p)
{
	(void)e;
	return lose_first(dir, TH_FIN, 0, p, CLIENT);
}

static bool
lose_server_fin(struct env *e, int dir, const struct pkt *p)
{
	(void)e;
	return lose_first(dir, TH_FIN, 0, p, SERVER);
}

static bool
lose_nth_data(struct env *e, int dir, const struct pkt *p)
{
	return dir == SERVER && p->p_len > 0 && e->ev_lose_n-- == 0;
}

static bool
lose_last_ack(struct env *e, int dir, const struct pkt *p)
{
	(void)p;
	return dir == CLIENT && e->ev_end[CLIENT].en_timewait &&
	       e->ev_lose_n-- > 0;
}

static bool
lose_at_random(struct env *e, int dir, const struct pkt *p)
{
	(void)dir;
	(void)p;
	e->ev_rng = e->ev_rng * 1664525u + 1013904223u;
	return (e->ev_rng >> 8) % 1000 < e->ev_loss;
}

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

#define T(f) cmocka_unit_test_setup(f, setup)

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
		T(test_16k_takes_4_then_8_segments),
		T(test_16k_takes_4_6_2_when_acks_are_aggregated),
		T(test_16k_with_tso_in_three_transfers),
		T(test_tso_is_cut_to_whole_segments),
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
