/*
 * Acknowledgements: what they free, what they tell about the path, and losses
 * found by their duplicates.
 *
 * Kernel: parts of tcp_input(), tcp_recv_dupack(), tcp_xmit_timer(),
 *         sys/netinet/tcp_input.c
 */
#include "model/netinet/tcp_seg.h"

#include "sim/core/assert.h"

#include "model/netinet/tcp_timer.h"

#define TCP_REXMTTHRESH 3 /* duplicate ACKs */

static enum verdict ack_old(struct tcpcb *, const struct seg *);
static enum verdict ack_dup(struct tcpcb *);
static void ack_limitedxmit(struct tcpcb *);
static void ack_fastrexmt(struct tcpcb *);
static void ack_cwnd(struct tcpcb *, uint32_t acked);
static void ack_recovered(struct tcpcb *);

enum verdict
tcp_ack_input(struct tcpcb *tp, struct seg *sg, bool *finacked)
{
	*finacked = false;
	if (SEQ_LEQ(sg->sg_ack, tp->snd_una))
		return ack_old(tp, sg);
	tp->t_dupacks = 0;
	if (SEQ_GT(sg->sg_ack, tp->snd_max)) {
		tp->snd_cwnd = tcp_mss(tp);
		tp->snd_wacked = 0;
		tp->t_host->th_stats->tcps_rcvacktoomuch++;
		return SEG_ACK;
	}
	*finacked = tcp_ack_new(tp, sg);
	sg->sg_needoutput = true;
	return SEG_GO;
}

static enum verdict
ack_old(struct tcpcb *tp, const struct seg *sg)
{
	bool notdup = sg->sg_len != 0 || sg->sg_win != tp->snd_wnd ||
		      (sg->sg_flags & TH_FIN) != 0;

	if (notdup || sg->sg_ack != tp->snd_una ||
	    !tcp_timer_active(tp, TT_REXMT)) {
		if (!notdup)
			tp->t_host->th_stats->tcps_rcvdupack++;
		tp->t_dupacks = 0;
		return SEG_GO;
	}
	return ack_dup(tp);
}

static enum verdict
ack_dup(struct tcpcb *tp)
{
	tp->t_host->th_stats->tcps_rcvdupack++;
	/* All is being sent again already: nothing to add. */
	if (tp->t_flags & TF_FASTREXMT)
		return SEG_DROP;
	if (SEQ_LT(tp->snd_una, tp->snd_recover)) {
		tp->t_dupacks = 0;
		return SEG_GO;
	}
	if (++tp->t_dupacks >= TCP_REXMTTHRESH)
		ack_fastrexmt(tp);
	else
		ack_limitedxmit(tp);
	return SEG_DROP;
}

/* One new segment for each of the first duplicate ACKs (RFC 3042). */
static void
ack_limitedxmit(struct tcpcb *tp)
{
	struct tcp_stats *st = tp->t_host->th_stats;
	uint32_t cwnd = tp->snd_cwnd, max = tp->snd_max, nxt = tp->snd_nxt;
	uint32_t ownd = max - tp->snd_una, sent;

	if (tp->t_dupacks == 1)
		tp->snd_limited = 0;
	tp->snd_nxt = max;
	tp->snd_cwnd =
	    ownd + (uint32_t)(tp->t_dupacks - tp->snd_limited) * tcp_mss(tp);
	tp->t_flags |= TF_XMITNOW;
	tcp_output(tp, 0, NULL);
	if (SEQ_LT(nxt, max))
		tp->snd_nxt = nxt;
	tp->snd_cwnd = cwnd;
	sent = tp->snd_max - max;
	if (sent > tcp_mss(tp)) {
		st->tcps_sndlimited += 2u - tp->snd_limited;
		tp->snd_limited = 2;
	} else if (sent > 0) {
		st->tcps_sndlimited++;
		tp->snd_limited++;
	} else if (ownd < (TCP_REXMTTHRESH + 1) * tcp_mss(tp) &&
		   tp->t_dupacks + 1u >=
		       (ownd + tcp_mss(tp) - 1) / tcp_mss(tp)) {
		/* Early retransmit: more duplicates will not come. */
		st->tcps_sndearlyrexmit++;
		ack_fastrexmt(tp);
	}
}

/*
 * The peer keeps nothing that comes after a gap, so that, unlike NewReno, all
 * from the gap on is sent again, half a window at first and then as its ACKs
 * come.
 */
static void
ack_fastrexmt(struct tcpcb *tp)
{
	uint32_t win = tp->snd_wnd < tp->snd_cwnd ? tp->snd_wnd : tp->snd_cwnd;

	win = win / 2 / tcp_mss(tp);
	tp->snd_ssthresh = (win < 2 ? 2 : win) * tcp_mss(tp);
	tp->snd_cwnd = tp->snd_ssthresh;
	tp->snd_recover = tp->snd_max;
	tp->snd_nxt = tp->snd_una;
	tp->t_flags |= TF_FASTREXMT;
	tp->t_flags &= (uint16_t)~TF_TIMING;
	tcp_timer_stop(tp, TT_REXMT);
	tp->t_host->th_stats->tcps_sndfastrexmit++;
	tcp_output(tp, 0, NULL);
}

bool
tcp_ack_new(struct tcpcb *tp, struct seg *sg)
{
	struct tcp_stats *st = tp->t_host->th_stats;
	uint32_t acked = sg->sg_ack - tp->snd_una;
	bool finacked = acked > tp->snd_cc;

	st->tcps_rcvackpack++;
	st->tcps_rcvackbyte += acked;
	if ((tp->t_flags & TF_TIMING) && SEQ_GT(sg->sg_ack, tp->t_rtseq))
		tcp_ack_rtt(tp, tcp_ticks(tp) - tp->t_rttick + 1);
	if (finacked) {
		SIM_ASSERT((tp->t_flags & TF_SENTFIN) != 0);
		acked = tp->snd_cc;
	}
	tp->snd_cc -= acked;
	tp->snd_wnd -= acked < tp->snd_wnd ? acked : tp->snd_wnd;
	tcp_ack_window(tp, sg);
	tp->snd_una = sg->sg_ack;
	if (SEQ_LT(tp->snd_nxt, tp->snd_una))
		tp->snd_nxt = tp->snd_una;
	if ((tp->t_flags & TF_FASTREXMT) == 0) {
		ack_cwnd(tp, acked + finacked);
		tp->snd_recover = sg->sg_ack - 1;
	} else if (SEQ_GEQ(sg->sg_ack, tp->snd_recover)) {
		ack_recovered(tp);
	}
	if (sg->sg_ack == tp->snd_max)
		tcp_timer_stop(tp, TT_REXMT);
	else if (!tcp_timer_active(tp, TT_PERSIST))
		tcp_timer_reset(tp, TT_REXMT, tp->t_rxtcur);
	sg->sg_acked = acked;
	return finacked;
}

void
tcp_ack_window(struct tcpcb *tp, struct seg *sg)
{
	if (SEQ_GEQ(tp->snd_wl1, sg->sg_seq) &&
	    (tp->snd_wl1 != sg->sg_seq || SEQ_GT(tp->snd_wl2, sg->sg_ack) ||
		(tp->snd_wl2 == sg->sg_ack && sg->sg_win <= tp->snd_wnd)))
		return;
	tp->snd_wnd = sg->sg_win;
	tp->snd_wl1 = sg->sg_seq;
	tp->snd_wl2 = sg->sg_ack;
	if (tp->snd_wnd > tp->max_sndwnd)
		tp->max_sndwnd = tp->snd_wnd;
	sg->sg_needoutput = true;
}

void
tcp_ack_rtt(struct tcpcb *tp, int32_t rtt)
{
	int32_t lo = tp->t_host->th_rexmit_min_ticks, delta;

	if (tp->t_srtt != 0) {
		delta = ((rtt - 1) << TCP_DELTA_SHIFT) -
			(tp->t_srtt >> (TCP_RTT_SHIFT - TCP_DELTA_SHIFT));
		tp->t_srtt += delta;
		if (tp->t_srtt <= 0)
			tp->t_srtt = 1;
		if (delta < 0)
			delta = -delta;
		delta -= tp->t_rttvar >> (TCP_RTTVAR_SHIFT - TCP_DELTA_SHIFT);
		tp->t_rttvar += delta;
		if (tp->t_rttvar <= 0)
			tp->t_rttvar = 1;
	} else {
		tp->t_srtt = rtt << TCP_RTT_SHIFT;
		tp->t_rttvar = rtt << (TCP_RTTVAR_SHIFT - 1);
	}
	tp->t_flags &= (uint16_t)~TF_TIMING;
	tp->t_rxtshift = 0;
	tp->t_rxtcur = tcp_rangeset(
	    tp, tcp_rexmtval(tp), rtt + 2 > lo ? rtt + 2 : lo, TCPTV_REXMTMAX);
}

/* Appropriate byte counting (RFC 3465). */
static void
ack_cwnd(struct tcpcb *tp, uint32_t acked)
{
	uint32_t most;

	if (tp->snd_cwnd <= tp->snd_ssthresh) {
		most = SEQ_LT(tp->snd_nxt, tp->snd_max) ? tcp_mss(tp)
							: 2 * tcp_mss(tp);
		tp->snd_cwnd += acked < most ? acked : most;
	} else {
		tp->snd_wacked += acked;
		if (tp->snd_wacked >= tp->snd_cwnd) {
			tp->snd_wacked -= tp->snd_cwnd;
			tp->snd_cwnd += tcp_mss(tp);
		}
	}
	if (tp->snd_cwnd > TCP_MAXWIN << TCP_WINSHIFT)
		tp->snd_cwnd = TCP_MAXWIN << TCP_WINSHIFT;
}

/* Fast recovery is over; avoid a burst. */
static void
ack_recovered(struct tcpcb *tp)
{
	uint32_t out = tp->snd_max - tp->snd_una;

	tp->t_flags &= (uint16_t)~TF_FASTREXMT;
	tp->snd_cwnd = tp->snd_ssthresh;
	if (tp->snd_cwnd > out + 2 * tcp_mss(tp))
		tp->snd_cwnd = out + 2 * tcp_mss(tp);
	tp->snd_wacked = 0;
}
