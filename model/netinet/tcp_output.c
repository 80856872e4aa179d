/*
 * What to send, and sending it.
 *
 * Kernel: tcp_output(), sys/netinet/tcp_output.c
 */
#include "model/netinet/tcp_var.h"

#include <stddef.h>

#include "sim/core/assert.h"

#include "model/netinet/tcp_timer.h"

#define TCP_TSO_HLEN 52 /* IP, TCP and timestamps: IP_MAXPACKET covers them */
#define IP_MAXPACKET 65535

/* The segment being thought about. */
struct outseg {
	uint32_t os_off; /* bytes, from snd_una */
	uint32_t os_len; /* bytes */
	uint8_t os_flags;
	uint8_t os_nseg;
	bool os_idle;	  /* nothing was outstanding when we were called */
	bool os_cwv;	  /* idle for so long that cwnd means little */
	bool os_sendalot; /* look again after this one */
};

/* FIN only goes with the last byte of so_snd. */
static const uint8_t tcp_outflags[TCP_NSTATES] = {
	[TCPS_CLOSED] = TH_RST | TH_ACK,
	[TCPS_SYN_SENT] = TH_SYN,
	[TCPS_SYN_RECEIVED] = TH_SYN | TH_ACK,
	[TCPS_ESTABLISHED] = TH_ACK,
	[TCPS_CLOSE_WAIT] = TH_ACK,
	[TCPS_FIN_WAIT_1] = TH_FIN | TH_ACK,
	[TCPS_CLOSING] = TH_FIN | TH_ACK,
	[TCPS_LAST_ACK] = TH_FIN | TH_ACK,
	[TCPS_FIN_WAIT_2] = TH_ACK,
	[TCPS_TIME_WAIT] = TH_ACK,
};

static bool output_plan(struct tcpcb *, struct outseg *);
static uint32_t output_window(struct tcpcb *, struct outseg *);
static void output_shut(struct tcpcb *);
static void output_cut(const struct tcpcb *, struct outseg *);
static bool output_wanted(const struct tcpcb *, const struct outseg *);
static bool output_deferred(const struct tcpcb *, const struct outseg *);
static bool output_small(const struct tcpcb *, const struct outseg *);
static bool output_winup(const struct tcpcb *);
static void output_nothing(struct tcpcb *);
static void output_segment(struct tcpcb *, struct outseg *);
static uint32_t output_recvwin(const struct tcpcb *, uint8_t flags);
static void output_count(struct tcpcb *, const struct outseg *);
static void output_advance(struct tcpcb *, const struct outseg *);
static void output_probed(struct tcpcb *, const struct outseg *);
static void idle_cwnd_validate(struct tcpcb *);

int
tcp_output_fair(struct tcpcb *tp)
{
	const struct tcp_host *th = tp->t_host;
	bool more;
	int sent;

	sent = tcp_output(tp, th->th_fairsend, &more);
	if (more && (tp->t_flags & TF_SNDMORE) == 0) {
		tp->t_flags |= TF_SNDMORE;
		th->th_ops->to_sndmore(tp);
	}
	return sent;
}

void
tcp_sndmore(struct tcpcb *tp)
{
	if ((tp->t_flags & TF_SNDMORE) == 0)
		return;
	tp->t_flags &= (uint16_t)~TF_SNDMORE;
	tcp_output_fair(tp);
}

int
tcp_output(struct tcpcb *tp, int maxsegs, bool *more)
{
	struct outseg os;
	int sent = 0, data = 0;

	if (more != NULL)
		*more = false;
	if (tp->t_state == TCPS_CLOSED)
		return 0;
	os.os_idle = tp->snd_max == tp->snd_una;
	os.os_cwv = os.os_idle && tcp_ticks(tp) - tp->snd_last >= tp->t_rxtcur;
	do {
		if (!output_plan(tp, &os))
			break;
		if (!output_wanted(tp, &os)) {
			output_nothing(tp);
			break;
		}
		if (os.os_len > 0) {
			if (maxsegs > 0 && data >= maxsegs) {
				if (more != NULL)
					*more = true;
				break;
			}
			data += os.os_nseg;
		}
		sent += os.os_nseg;
		output_segment(tp, &os);
	} while (os.os_sendalot);
	return sent;
}

/* Length and flags of the next segment; false if it must not go. */
static bool
output_plan(struct tcpcb *tp, struct outseg *os)
{
	uint32_t win;
	int32_t len;

	os->os_off = tp->snd_nxt - tp->snd_una;
	os->os_flags = tcp_outflags[tp->t_state];
	win = output_window(tp, os);
	len = (int32_t)(tp->snd_cc < win ? tp->snd_cc : win) -
	      (int32_t)os->os_off;
	if (SIM_UNLIKELY((os->os_flags & TH_SYN) != 0)) {
		if (SEQ_GT(tp->snd_nxt, tp->snd_una)) {
			/* The SYN is out; no data before its ACK. */
			tp->t_flags &= (uint16_t) ~(TF_ACKNOW | TF_XMITNOW);
			return false;
		}
		len = 0;
	}
	if (len < 0) {
		/* Our FIN is out, or the window shrank. */
		len = 0;
		if (win == 0)
			output_shut(tp);
	}
	os->os_len = (uint32_t)len;
	output_cut(tp, os);
	if (SEQ_LT(tp->snd_nxt + os->os_len, tp->snd_una + tp->snd_cc))
		os->os_flags &= (uint8_t)~TH_FIN;
	return true;
}

static uint32_t
output_window(struct tcpcb *tp, struct outseg *os)
{
	uint32_t win = tp->snd_wnd < tp->snd_cwnd ? tp->snd_wnd : tp->snd_cwnd;

	if (SIM_LIKELY((tp->t_flags & TF_FORCE) == 0))
		return win;
	if (win == 0) {
		/* A probe: one byte of data, or the FIN if there is none. */
		if (os->os_off < tp->snd_cc)
			os->os_flags &= (uint8_t)~TH_FIN;
		return 1;
	}
	tcp_timer_stop(tp, TT_PERSIST);
	tp->t_rxtshift = 0;
	return win;
}

/* The window closed over what is outstanding: persist, do not retransmit. */
static void
output_shut(struct tcpcb *tp)
{
	tcp_timer_stop(tp, TT_REXMT);
	tp->t_rxtshift = 0;
	tp->snd_nxt = tp->snd_una;
	if (!tcp_timer_active(tp, TT_PERSIST))
		tcp_setpersist(tp);
}

/* Cut os_len to a segment, or under TSO to a whole number of them. */
static void
output_cut(const struct tcpcb *tp, struct outseg *os)
{
	const struct tcp_host *th = tp->t_host;
	uint32_t most;

	os->os_nseg = 1;
	os->os_sendalot = os->os_len > tcp_mss(tp);
	if (!os->os_sendalot)
		return;
	if (!th->th_tso || os->os_cwv) {
		os->os_len = tcp_mss(tp);
		return;
	}
	most = IP_MAXPACKET - TCP_TSO_HLEN;
	if (th->th_tsolen != 0 && th->th_tsolen < most)
		most = th->th_tsolen < tcp_mss(tp) ? 2 * tcp_mss(tp)
						   : th->th_tsolen;
	if (os->os_len < most)
		most = os->os_len;
	os->os_nseg = (uint8_t)(most / tcp_mss(tp));
	os->os_len = os->os_nseg * tcp_mss(tp);
}

static bool
output_wanted(const struct tcpcb *tp, const struct outseg *os)
{
	uint32_t len = os->os_len;

	if (output_deferred(tp, os))
		return (tp->t_flags & TF_ACKNOW) != 0;
	if (len >= tcp_mss(tp) || (len > 0 && output_small(tp, os)))
		return true;
	if ((tp->t_flags & TF_ACKNOW) != 0 || (os->os_flags & TH_SYN) != 0)
		return true;
	if ((os->os_flags & TH_FIN) != 0 &&
	    ((tp->t_flags & TF_SENTFIN) == 0 || tp->snd_nxt == tp->snd_una))
		return true;
	return output_winup(tp);
}

/*
 * Linux: more will be sent at once soon, when more of the window has come free.
 *
 * Kernel: tcp_tso_should_defer(), net/ipv4/tcp_output.c (Linux 2.6.19)
 * Differs: not its limit of two ticks.
 */
static bool
output_deferred(const struct tcpcb *tp, const struct outseg *os)
{
	const struct tcp_host *th = tp->t_host;
	uint32_t win = tp->snd_wnd < tp->snd_cwnd ? tp->snd_wnd : tp->snd_cwnd;
	uint32_t most = IP_MAXPACKET / th->th_mss * th->th_mss, part;

	if (SIM_LIKELY(th->th_tso_win_divisor == 0) || !th->th_tso ||
	    os->os_idle || os->os_len == 0 || (os->os_flags & TH_FIN) != 0 ||
	    (tp->t_flags & TF_FORCE) != 0 || SEQ_LT(tp->snd_nxt, tp->snd_max))
		return false;
	/* All that is queued goes: nothing to wait for. */
	if (os->os_off + os->os_len >= tp->snd_cc && !os->os_sendalot)
		return false;
	part = win / (uint32_t)th->th_tso_win_divisor;
	if (part > most)
		part = most;
	return win - os->os_off < part;
}

/* Nagle, and the sender's part against silly windows. */
static bool
output_small(const struct tcpcb *tp, const struct outseg *os)
{
	if ((os->os_idle || (tp->t_flags & TF_NODELAY) != 0) &&
	    os->os_len + os->os_off >= tp->snd_cc)
		return true;
	if ((tp->t_flags & (TF_FORCE | TF_XMITNOW)) != 0 ||
	    SEQ_LT(tp->snd_nxt, tp->snd_max))
		return true;
	return tp->max_sndwnd > 0 && os->os_len >= tp->max_sndwnd / 2;
}

static bool
output_winup(const struct tcpcb *tp)
{
	return tcp_rcvspace(tp) > 0 && tcp_winup_due(tp);
}

static void
output_nothing(struct tcpcb *tp)
{
	if (tp->snd_cc > 0 && tp->t_state > TCPS_SYN_RECEIVED &&
	    !tcp_timer_active(tp, TT_REXMT) &&
	    !tcp_timer_active(tp, TT_PERSIST)) {
		tp->t_rxtshift = 0;
		tcp_setpersist(tp);
	}
	tp->t_flags &= (uint16_t)~TF_XMITNOW;
}

static void
output_segment(struct tcpcb *tp, struct outseg *os)
{
	const struct tcp_host *th = tp->t_host;
	struct pkt p = { 0 };

	/* A FIN sent again keeps its sequence number. */
	if ((os->os_flags & TH_FIN) && (tp->t_flags & TF_SENTFIN) &&
	    tp->snd_nxt == tp->snd_max)
		tp->snd_nxt--;
	output_count(tp, os);
	if (os->os_len > 0) {
		if (os->os_cwv) {
			os->os_cwv = false;
			idle_cwnd_validate(tp);
		}
		tp->snd_last = tcp_ticks(tp);
		if (os->os_off + os->os_len == tp->snd_cc)
			os->os_flags |= TH_PUSH;
	}
	p.p_time = th->th_ops->to_now(tp);
	p.p_flow = tp->t_flow;
	p.p_rss = tp->t_rss;
	p.p_len = (uint16_t)os->os_len;
	p.p_nseg = os->os_nseg;
	p.p_flags = os->os_flags;
	p.p_prio = os->os_len == 0 && (os->os_flags & TH_FIN) == 0;
	/* A pure ACK carries the first number never sent. */
	p.p_seq = os->os_len > 0 || (os->os_flags & (TH_SYN | TH_FIN)) != 0 ||
			  tcp_timer_active(tp, TT_PERSIST)
		      ? tp->snd_nxt
		      : tp->snd_max;
	p.p_ack = tp->rcv_nxt;
	p.p_win = output_recvwin(tp, os->os_flags);
	if ((tp->t_flags & TF_FORCE) && tcp_timer_active(tp, TT_PERSIST))
		output_probed(tp, os);
	else
		output_advance(tp, os);
	tp->t_flags &=
	    (uint16_t) ~(TF_ACKNOW | TF_XMITNOW | TF_DELACK | TF_RXWIN0SENT);
	if (p.p_win == 0)
		tp->t_flags |= TF_RXWIN0SENT;
	else if (SEQ_GT(tp->rcv_nxt + p.p_win, tp->rcv_adv))
		tp->rcv_adv = tp->rcv_nxt + p.p_win;
	tp->last_ack_sent = tp->rcv_nxt;
	tcp_timer_stop(tp, TT_DELACK);
	th->th_ops->to_output(tp, &p);
}

/* Never shrinks, and is 0 rather than silly. */
static uint32_t
output_recvwin(const struct tcpcb *tp, uint8_t flags)
{
	uint32_t win = tcp_rcvspace(tp);
	int32_t adv = (int32_t)(tp->rcv_adv - tp->rcv_nxt);
	uint32_t most =
	    (flags & TH_SYN) ? TCP_MAXWIN : TCP_MAXWIN << TCP_WINSHIFT;

	if (win < tp->t_host->th_recvspace / 4 && win < tcp_mss(tp))
		win = 0;
	if ((int64_t)win < adv)
		win = (uint32_t)adv;
	return win < most ? win : most;
}

static void
output_count(struct tcpcb *tp, const struct outseg *os)
{
	struct tcp_stats *st = tp->t_host->th_stats;

	st->tcps_sndtotal++;
	if (os->os_len > 0) {
		if ((tp->t_flags & TF_FORCE) && os->os_len == 1) {
			st->tcps_sndprobe++;
		} else if (SEQ_LT(tp->snd_nxt, tp->snd_max)) {
			st->tcps_sndrexmitpack++;
		} else {
			st->tcps_sndpack++;
			st->tcps_sndbyte += os->os_len;
		}
	} else if (tp->t_flags & TF_ACKNOW) {
		st->tcps_sndacks++;
	} else if (os->os_flags & (TH_SYN | TH_FIN)) {
		st->tcps_sndctrl++;
	} else {
		st->tcps_sndwinup++;
	}
}

/* Move over what is being sent; time it and start the retransmission timer. */
static void
output_advance(struct tcpcb *tp, const struct outseg *os)
{
	uint32_t start = tp->snd_nxt;

	tp->snd_nxt += os->os_len;
	if (os->os_flags & TH_SYN)
		tp->snd_nxt++;
	if (os->os_flags & TH_FIN) {
		tp->snd_nxt++;
		tp->t_flags |= TF_SENTFIN;
	}
	if (SEQ_GT(tp->snd_nxt, tp->snd_max))
		tp->snd_max = tp->snd_nxt;
	if (tp->snd_nxt != start && (tp->t_flags & TF_TIMING) == 0) {
		tp->t_flags |= TF_TIMING;
		tp->t_rtseq = start;
		tp->t_rttick = tcp_ticks(tp);
	}
	if (tcp_timer_active(tp, TT_REXMT))
		return;
	if (tp->snd_nxt != tp->snd_una) {
		if (tcp_timer_active(tp, TT_PERSIST)) {
			tcp_timer_stop(tp, TT_PERSIST);
			tp->t_rxtshift = 0;
		}
		tcp_timer_reset(tp, TT_REXMT, tp->t_rxtcur);
	} else if (os->os_len == 0 && tp->snd_cc > 0 &&
		   tp->t_state > TCPS_SYN_RECEIVED &&
		   !tcp_timer_active(tp, TT_PERSIST)) {
		/* A pure ACK went, and the window is shut. */
		tp->t_rxtshift = 0;
		tcp_setpersist(tp);
	}
}

/* A probe does not count as sent, but may be acknowledged. */
static void
output_probed(struct tcpcb *tp, const struct outseg *os)
{
	uint32_t end = tp->snd_nxt + os->os_len;

	if (os->os_flags & TH_FIN) {
		end++;
		tp->t_flags |= TF_SENTFIN;
	}
	if (SEQ_GT(end, tp->snd_max))
		tp->snd_max = end;
}

/* After an idle time: halve cwnd once an RTO, down to the initial window. */
static void
idle_cwnd_validate(struct tcpcb *tp)
{
	uint32_t least = tcp_initial_window(tp), cwnd = tp->snd_cwnd;
	int32_t idle = tcp_ticks(tp) - tp->snd_last;

	tp->t_host->th_stats->tcps_sndidle++;
	if (cwnd < least)
		least = cwnd;
	if (tp->snd_ssthresh < (uint64_t)cwnd * 3 / 4)
		tp->snd_ssthresh = (uint32_t)((uint64_t)cwnd * 3 / 4);
	for (; idle >= tp->t_rxtcur && cwnd > least; idle -= tp->t_rxtcur)
		cwnd >>= 1;
	tp->snd_cwnd = cwnd > least ? cwnd : least;
	tp->snd_wacked = 0;
}
