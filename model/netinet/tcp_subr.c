/*
 * The life of a control block outside the exchange of segments.
 *
 * Kernel: sys/netinet/tcp_subr.c, the user requests of tcp_usrreq.c
 */
#include "model/netinet/tcp_var.h"

#include <string.h>

#include "sim/core/assert.h"

#include "model/netinet/tcp_timer.h"

#define TO(s) (1u << (s))

#define TCP_IW_CAPSEGS_DFLT 4
#define TCP_IW_CAPSEG 1460 /* bytes, whatever the MSS */

const char *const tcp_state_names[TCP_NSTATES] = {
	[TCPS_CLOSED] = "CLOSED",
	[TCPS_SYN_SENT] = "SYN_SENT",
	[TCPS_SYN_RECEIVED] = "SYN_RECEIVED",
	[TCPS_ESTABLISHED] = "ESTABLISHED",
	[TCPS_CLOSE_WAIT] = "CLOSE_WAIT",
	[TCPS_FIN_WAIT_1] = "FIN_WAIT_1",
	[TCPS_CLOSING] = "CLOSING",
	[TCPS_LAST_ACK] = "LAST_ACK",
	[TCPS_FIN_WAIT_2] = "FIN_WAIT_2",
	[TCPS_TIME_WAIT] = "TIME_WAIT",
};

/* The only legal moves, listed from the state they leave. */
static const unsigned tcp_moves[TCP_NSTATES] = {
	[TCPS_CLOSED] = TO(TCPS_SYN_SENT) | TO(TCPS_SYN_RECEIVED),
	[TCPS_SYN_SENT] = TO(TCPS_ESTABLISHED) | TO(TCPS_CLOSED),
	[TCPS_SYN_RECEIVED] = TO(TCPS_ESTABLISHED) | TO(TCPS_CLOSED),
	[TCPS_ESTABLISHED] =
	    TO(TCPS_CLOSE_WAIT) | TO(TCPS_FIN_WAIT_1) | TO(TCPS_CLOSED),
	[TCPS_CLOSE_WAIT] = TO(TCPS_LAST_ACK) | TO(TCPS_CLOSED),
	[TCPS_FIN_WAIT_1] =
	    TO(TCPS_FIN_WAIT_2) | TO(TCPS_CLOSING) | TO(TCPS_CLOSED),
	[TCPS_CLOSING] = TO(TCPS_TIME_WAIT) | TO(TCPS_CLOSED),
	[TCPS_LAST_ACK] = TO(TCPS_CLOSED),
	[TCPS_FIN_WAIT_2] = TO(TCPS_TIME_WAIT) | TO(TCPS_CLOSED),
	[TCPS_TIME_WAIT] = TO(TCPS_CLOSED),
};

static void tcp_sendrst(struct tcpcb *);
static void tcp_finish(struct tcpcb *);

void
tcp_setstate(struct tcpcb *tp, enum tcp_state to)
{
	SIM_ASSERT((tcp_moves[tp->t_state] & TO(to)) != 0);
	tp->t_state = (uint8_t)to;
}

void
tcp_init(
    struct tcpcb *tp, const struct tcp_host *host, uint32_t flow, uint8_t rss)
{
	memset(tp, 0, sizeof(*tp));
	tp->t_host = host;
	tp->t_flow = flow;
	tp->t_rss = rss;
	/* No sample yet; this much variance makes the RTO th_rtobase_ticks. */
	tp->t_rttvar = (host->th_rtobase_ticks << TCP_RTTVAR_SHIFT) / 4;
	tp->t_rxtcur = host->th_rtobase_ticks;
	tp->snd_cwnd = TCP_CWND_NONE;
	tp->snd_ssthresh = TCP_CWND_NONE;
	tp->snd_last = tcp_ticks(tp);
	tp->t_rcvtime = tcp_ticks(tp);
}

void
tcp_connect(struct tcpcb *tp, uint32_t iss)
{
	tp->t_host->th_stats->tcps_connattempt++;
	tcp_setstate(tp, TCPS_SYN_SENT);
	tp->iss = iss;
	tp->snd_una = tp->snd_nxt = tp->snd_max = tp->snd_recover = iss;
	tcp_output(tp, 0, NULL);
}

void
tcp_accept(struct tcpcb *tp, uint32_t iss, uint32_t irs, const struct pkt *p,
    int rxtsyn)
{
	uint32_t space = tp->t_host->th_recvspace;

	SIM_ASSERT((p->p_flags & TH_ACK) != 0 && p->p_ack == iss + 1);
	tp->t_host->th_stats->tcps_accepts++;
	tcp_setstate(tp, TCPS_SYN_RECEIVED);
	tp->iss = iss;
	tp->irs = irs;
	tp->snd_una = tp->snd_recover = iss;
	tp->snd_nxt = tp->snd_max = iss + 1;
	tp->snd_wnd = p->p_win;
	tp->snd_wl1 = irs;
	tp->rcv_nxt = tp->last_ack_sent = irs + 1;
	tp->rcv_adv = irs + 1 + (space < TCP_MAXWIN ? space : TCP_MAXWIN);
	tp->t_rxtsyn = rxtsyn;
	tp->snd_cwnd = tcp_initial_window(tp);
	tp->t_flags |= TF_TIMING;
	tp->t_rtseq = iss;
	tp->t_rttick = tcp_ticks(tp);
}

uint32_t
tcp_initial_window(const struct tcpcb *tp)
{
	const struct tcp_host *th = tp->t_host;
	uint32_t segs, cap;

	if (tp->t_rxtsyn >= TCPTV_RTOBASE3)
		return 2 * tcp_mss(tp);
	segs = (uint32_t)th->th_iwmaxsegs * tcp_mss(tp);
	cap = (th->th_iwcapsegs > 0 ? (uint32_t)th->th_iwcapsegs
				    : TCP_IW_CAPSEGS_DFLT) *
	      TCP_IW_CAPSEG;
	if (cap < 2 * tcp_mss(tp))
		cap = 2 * tcp_mss(tp);
	return segs < cap ? segs : cap;
}

void
tcp_append(struct tcpcb *tp, uint32_t len)
{
	tp->snd_cc += len;
}

bool
tcp_usr_rcvd(struct tcpcb *tp, uint32_t len)
{
	SIM_ASSERT(len <= tp->rcv_cc);
	tp->rcv_cc -= len;
	return tp->t_state >= TCPS_ESTABLISHED && tcp_winup_due(tp);
}

void
tcp_usrclosed(struct tcpcb *tp)
{
	tp->rcv_cc = 0;
	switch ((enum tcp_state)tp->t_state) {
	case TCPS_SYN_SENT:
	case TCPS_SYN_RECEIVED:
		tcp_close(tp, TCP_END_NORMAL);
		break;
	case TCPS_ESTABLISHED:
		tcp_setstate(tp, TCPS_FIN_WAIT_1);
		break;
	case TCPS_CLOSE_WAIT:
		tcp_setstate(tp, TCPS_LAST_ACK);
		break;
	case TCPS_CLOSED:
	case TCPS_FIN_WAIT_1:
	case TCPS_CLOSING:
	case TCPS_LAST_ACK:
	case TCPS_FIN_WAIT_2:
	case TCPS_TIME_WAIT:
	case TCP_NSTATES:
		break;
	}
}

void
tcp_drop(struct tcpcb *tp, bool send_rst)
{
	if (tp->t_state == TCPS_CLOSED)
		return;
	if (send_rst)
		tcp_sendrst(tp);
	tcp_finish(tp);
}

void
tcp_abort(struct tcpcb *tp, enum tcp_end end)
{
	if (tp->t_state >= TCPS_SYN_RECEIVED)
		tcp_sendrst(tp);
	else
		tp->t_host->th_stats->tcps_conndrops++;
	tcp_close(tp, end);
}

void
tcp_close(struct tcpcb *tp, enum tcp_end end)
{
	tcp_finish(tp);
	tp->t_host->th_ops->to_closed(tp, end);
}

static void
tcp_finish(struct tcpcb *tp)
{
	tcp_timer_cancel(tp);
	tcp_timer_stop(tp, TT_DELACK);
	callout_stop(tp->t_host->th_wheel, &tp->t_callout);
	/* TF_ONOUTPUTQ is the owner's, who has the queue. */
	tp->t_flags &= TF_ONOUTPUTQ;
	tp->t_host->th_stats->tcps_closed++;
	tcp_setstate(tp, TCPS_CLOSED);
}

static void
tcp_sendrst(struct tcpcb *tp)
{
	struct tcp_stats *st = tp->t_host->th_stats;
	struct pkt p = {
		.p_time = tp->t_host->th_ops->to_now(tp),
		.p_flow = tp->t_flow,
		.p_seq = tp->snd_max,
		.p_ack = tp->rcv_nxt,
		.p_win = tcp_rcvspace(tp),
		.p_flags = TH_RST | TH_ACK,
		.p_nseg = 1,
		.p_rss = tp->t_rss,
	};

	st->tcps_drops++;
	st->tcps_sndctrl++;
	st->tcps_sndrst++;
	st->tcps_sndtotal++;
	tp->t_host->th_ops->to_output(tp, &p);
}

void
tcp_respond_rst(const struct pkt *p, struct pkt *rst)
{
	SIM_ASSERT((p->p_flags & TH_RST) == 0);
	*rst = (struct pkt){
		.p_flow = p->p_flow,
		.p_flags = TH_RST,
		.p_nseg = 1,
		.p_rss = p->p_rss,
	};
	if (p->p_flags & TH_ACK) {
		rst->p_seq = p->p_ack;
	} else {
		rst->p_flags |= TH_ACK;
		rst->p_ack =
		    p->p_seq + p->p_len + ((p->p_flags & TH_SYN) ? 1 : 0);
	}
}
