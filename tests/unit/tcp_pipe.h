#ifndef TESTS_UNIT_TCP_PIPE_H
#define TESTS_UNIT_TCP_PIPE_H

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

/* Each program uses a part of this. */
#pragma GCC diagnostic ignored "-Wunused-function"

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
	assert_true(p->p_len <= p->p_nseg * tcp_mss(tp));
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
			.th_mss = PKT_MSS,
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

#define T(f) cmocka_unit_test_setup(f, setup)

#endif
