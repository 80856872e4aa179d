/*
 * A segment arrives: one function for the common cases, else one for what
 * every state asks of a segment, and then one for each state.
 *
 * Kernel: tcp_input(), sys/netinet/tcp_input.c
 */
#include "model/netinet/tcp_var.h"

#include <stddef.h>

#include "sim/core/assert.h"

#include "model/netinet/tcp_seg.h"
#include "model/netinet/tcp_timer.h"

static void input_tell(struct tcpcb *, const struct seg *);
static bool input_predicted(struct tcpcb *, const struct pkt *);
static bool input_predicted_ack(struct tcpcb *, const struct pkt *);
static bool input_predicted_data(struct tcpcb *, const struct pkt *);
static enum verdict input_segment(struct tcpcb *, struct seg *);
static enum verdict input_state(struct tcpcb *, struct seg *);
static enum verdict input_syn_sent(struct tcpcb *, struct seg *);
static enum verdict input_syn_received(struct tcpcb *, struct seg *);
static enum verdict input_established(struct tcpcb *, struct seg *);
static enum verdict input_fin_wait_1(struct tcpcb *, struct seg *);
static enum verdict input_closing(struct tcpcb *, struct seg *);
static enum verdict input_last_ack(struct tcpcb *, struct seg *);
static enum verdict input_time_wait(struct tcpcb *, struct seg *);
static enum verdict input_rst(struct tcpcb *, const struct seg *);
static enum verdict input_acceptable(struct tcpcb *, struct seg *);
static void input_trim_head(struct tcpcb *, struct seg *);
static enum verdict input_trim_tail(struct tcpcb *, struct seg *);
static void input_opened(struct tcpcb *);
static void input_data(struct tcpcb *, struct seg *);
static void input_delayack(struct tcpcb *, int nseg);
static void input_fin(struct tcpcb *);
static void input_timewait(struct tcpcb *);
static void input_respond_rst(struct tcpcb *, const struct pkt *);

void
tcp_input(struct tcpcb *tp, const struct pkt *p)
{
	int32_t now = tcp_ticks(tp);
	struct seg sg;

	tp->t_host->th_stats->tcps_rcvtotal++;
	if (now - tp->t_rcvtime > CALLOUT_HZ && tp->t_state >= TCPS_ESTABLISHED)
		tp->t_rcvtime = now;
	if (input_predicted(tp, p))
		return;
	sg = (struct seg){
		.sg_seq = p->p_seq,
		.sg_ack = p->p_ack,
		.sg_win = p->p_win,
		.sg_len = p->p_len,
		.sg_flags = p->p_flags,
		.sg_nseg = p->p_nseg,
	};
	switch (input_segment(tp, &sg)) {
	case SEG_GO:
		if (tp->t_host->th_tell_first)
			input_tell(tp, &sg);
		if ((tp->t_flags & TF_ACKNOW) != 0 ||
		    (sg.sg_needoutput && (tp->t_flags & TF_SNDMORE) == 0))
			tcp_output_fair(tp);
		if (!tp->t_host->th_tell_first)
			input_tell(tp, &sg);
		break;
	case SEG_ACK:
		tp->t_flags |= TF_ACKNOW;
		tcp_output(tp, 0, NULL);
		break;
	case SEG_RST:
		input_respond_rst(tp, p);
		break;
	case SEG_DROP:
	case SEG_GONE:
		break;
	}
}

/*
 * Wake the process, last: what it then does comes by a message in the kernel,
 * after the segments that this input gave rise to.
 */
static void
input_tell(struct tcpcb *tp, const struct seg *sg)
{
	const struct tcp_ops *to = tp->t_host->th_ops;

	if (sg->sg_connected)
		to->to_connected(tp);
	if (sg->sg_acked > 0)
		to->to_acked(tp, sg->sg_acked);
	if (sg->sg_text > 0 || sg->sg_eof)
		to->to_readable(tp, sg->sg_text, sg->sg_eof);
}

/*
 * Header prediction: the next segment of a one-way transfer, seen from either
 * side. Does what the long way would do, only sooner; and alone leaves ACKs to
 * the rollup.
 */
static bool
input_predicted(struct tcpcb *tp, const struct pkt *p)
{
	if (tp->t_state != TCPS_ESTABLISHED ||
	    (p->p_flags & (TH_SYN | TH_FIN | TH_RST | TH_ACK)) != TH_ACK ||
	    p->p_seq != tp->rcv_nxt || tp->snd_nxt != tp->snd_max)
		return false;
	if (p->p_len == 0)
		return input_predicted_ack(tp, p);
	return input_predicted_data(tp, p);
}

static bool
input_predicted_ack(struct tcpcb *tp, const struct pkt *p)
{
	struct seg sg;

	if (SEQ_LEQ(p->p_ack, tp->snd_una) || SEQ_GT(p->p_ack, tp->snd_max) ||
	    (tp->t_flags & (TF_FASTREXMT | TF_ACKNOW)) != 0)
		return false;
	sg.sg_seq = p->p_seq;
	sg.sg_ack = p->p_ack;
	sg.sg_win = p->p_win;
	sg.sg_len = 0;
	tp->t_dupacks = 0;
	tcp_ack_new(tp, &sg);
	if (tp->snd_cc > 0 && (tp->t_flags & TF_SNDMORE) == 0)
		tcp_output_fair(tp);
	tp->t_host->th_ops->to_acked(tp, sg.sg_acked);
	return true;
}

static bool
input_predicted_data(struct tcpcb *tp, const struct pkt *p)
{
	const struct tcp_host *th = tp->t_host;

	if (p->p_win != tp->snd_wnd || p->p_ack != tp->snd_una ||
	    (tp->t_flags & TF_RXGAP) != 0 || p->p_len > tcp_rcvspace(tp))
		return false;
	tp->rcv_nxt += p->p_len;
	tp->rcv_cc += p->p_len;
	th->th_stats->tcps_rcvpack++;
	th->th_stats->tcps_rcvbyte += p->p_len;
	input_delayack(tp, p->p_nseg);
	if (th->th_tell_first)
		th->th_ops->to_readable(tp, p->p_len, false);
	if ((tp->t_flags & TF_ACKNOW) != 0 && !th->th_aggregate_acks)
		tcp_output(tp, 0, NULL);
	if (!th->th_tell_first)
		th->th_ops->to_readable(tp, p->p_len, false);
	return true;
}

static enum verdict
input_segment(struct tcpcb *tp, struct seg *sg)
{
	uint32_t space = tcp_rcvspace(tp);
	int32_t adv = (int32_t)(tp->rcv_adv - tp->rcv_nxt);
	enum verdict v;

	sg->sg_rcvwnd = (int64_t)space > adv ? space : (uint32_t)adv;
	if (tp->t_state == TCPS_CLOSED)
		return SEG_DROP;
	if (tp->t_state != TCPS_SYN_SENT) {
		v = input_acceptable(tp, sg);
		if (v != SEG_GO)
			return v;
	}
	v = input_state(tp, sg);
	if (v != SEG_GO)
		return v;
	tcp_ack_window(tp, sg);
	if ((sg->sg_len > 0 || (sg->sg_flags & TH_FIN)) &&
	    (tp->t_flags & TF_RXFIN) == 0)
		input_data(tp, sg);
	return SEG_GO;
}

static enum verdict
input_state(struct tcpcb *tp, struct seg *sg)
{
	bool finacked;

	switch ((enum tcp_state)tp->t_state) {
	case TCPS_SYN_SENT:
		return input_syn_sent(tp, sg);
	case TCPS_SYN_RECEIVED:
		return input_syn_received(tp, sg);
	case TCPS_ESTABLISHED:
	case TCPS_CLOSE_WAIT:
		return input_established(tp, sg);
	case TCPS_FIN_WAIT_1:
		return input_fin_wait_1(tp, sg);
	case TCPS_CLOSING:
		return input_closing(tp, sg);
	case TCPS_LAST_ACK:
		return input_last_ack(tp, sg);
	case TCPS_FIN_WAIT_2:
		return tcp_ack_input(tp, sg, &finacked);
	case TCPS_TIME_WAIT:
		return input_time_wait(tp, sg);
	case TCPS_CLOSED:
	case TCP_NSTATES:
		break;
	}
	SIM_BUG("no input in state %d", tp->t_state);
}

static enum verdict
input_syn_sent(struct tcpcb *tp, struct seg *sg)
{
	if ((sg->sg_flags & TH_ACK) &&
	    (SEQ_LEQ(sg->sg_ack, tp->iss) || SEQ_GT(sg->sg_ack, tp->snd_max)))
		return SEG_RST;
	if (sg->sg_flags & TH_RST) {
		tp->t_host->th_stats->tcps_rcvrst++;
		if ((sg->sg_flags & TH_ACK) == 0)
			return SEG_DROP;
		tcp_abort(tp, TCP_END_RESET);
		return SEG_GONE;
	}
	/* Without an ACK it would be a simultaneous open. */
	if ((sg->sg_flags & (TH_SYN | TH_ACK)) != (TH_SYN | TH_ACK))
		return SEG_DROP;
	tp->irs = sg->sg_seq;
	tp->rcv_nxt = tp->irs + 1;
	tp->rcv_adv = tp->rcv_nxt + sg->sg_rcvwnd;
	tp->snd_cwnd = tcp_initial_window(tp);
	sg->sg_seq++;
	tp->snd_wl1 = tp->irs;
	if (sg->sg_len != 0)
		input_delayack(tp, 1);
	else
		tp->t_flags |= TF_ACKNOW;
	input_opened(tp);
	tp->snd_una = tp->iss + 1;
	tcp_ack_window(tp, sg);
	sg->sg_connected = true;
	return SEG_GO;
}

static enum verdict
input_syn_received(struct tcpcb *tp, struct seg *sg)
{
	input_opened(tp);
	/* Our SYN counts as a byte acknowledged, in slow start too. */
	tp->snd_una = sg->sg_ack;
	tp->snd_cwnd++;
	tp->snd_recover = sg->sg_ack - 1;
	tp->t_host->th_stats->tcps_rcvackpack++;
	tp->t_host->th_stats->tcps_rcvackbyte++;
	tcp_ack_window(tp, sg);
	sg->sg_needoutput = true;
	sg->sg_connected = true;
	return SEG_GO;
}

/* The handshake is complete. */
static void
input_opened(struct tcpcb *tp)
{
	tp->t_host->th_stats->tcps_connects++;
	tcp_setstate(tp, TCPS_ESTABLISHED);
	tp->t_rcvtime = tcp_ticks(tp);
	tcp_timer_stop(tp, TT_REXMT);
	if (tp->t_rxtsyn > 0 && tp->t_rxtcur < TCPTV_RTOBASE3)
		tp->t_rxtcur = TCPTV_RTOBASE3;
	if (tp->t_flags & TF_TIMING)
		tcp_ack_rtt(tp, tcp_ticks(tp) - tp->t_rttick + 1);
	tp->t_rxtshift = 0;
}

static enum verdict
input_established(struct tcpcb *tp, struct seg *sg)
{
	bool finacked;

	return tcp_ack_input(tp, sg, &finacked);
}

static enum verdict
input_fin_wait_1(struct tcpcb *tp, struct seg *sg)
{
	bool finacked;
	enum verdict v = tcp_ack_input(tp, sg, &finacked);

	if (finacked) {
		/* The process is gone, and nobody else would stop waiting. */
		tcp_timer_reset(tp, TT_2MSL, TCPTV_MAXIDLE);
		tcp_setstate(tp, TCPS_FIN_WAIT_2);
	}
	return v;
}

static enum verdict
input_closing(struct tcpcb *tp, struct seg *sg)
{
	bool finacked;
	enum verdict v = tcp_ack_input(tp, sg, &finacked);

	if (finacked)
		input_timewait(tp);
	return v;
}

static enum verdict
input_last_ack(struct tcpcb *tp, struct seg *sg)
{
	bool finacked;
	enum verdict v = tcp_ack_input(tp, sg, &finacked);

	if (finacked) {
		input_tell(tp, sg);
		tcp_close(tp, TCP_END_NORMAL);
		return SEG_GONE;
	}
	return v;
}

/*
 * A FIN that comes again was cut off as old and is acknowledged; it does not
 * start the timer anew, in the kernel neither.
 */
static enum verdict
input_time_wait(struct tcpcb *tp, struct seg *sg)
{
	bool finacked;

	return tcp_ack_input(tp, sg, &finacked);
}

/* What any state but SYN_SENT asks first. */
static enum verdict
input_acceptable(struct tcpcb *tp, struct seg *sg)
{
	enum verdict v;

	if (tp->t_state == TCPS_SYN_RECEIVED && (sg->sg_flags & TH_ACK) &&
	    (SEQ_LEQ(sg->sg_ack, tp->snd_una) ||
		SEQ_GT(sg->sg_ack, tp->snd_max)))
		return (sg->sg_flags & TH_RST) ? SEG_DROP : SEG_RST;
	if (sg->sg_flags & TH_RST)
		return input_rst(tp, sg);
	if (tp->t_state == TCPS_SYN_RECEIVED && SEQ_LT(sg->sg_seq, tp->irs))
		return SEG_RST;
	input_trim_head(tp, sg);
	if (tp->t_state > TCPS_CLOSE_WAIT && sg->sg_len > 0) {
		/* New data, and the process is gone. */
		tp->t_host->th_stats->tcps_rcvafterclose++;
		tcp_abort(tp, TCP_END_RESET);
		return SEG_GONE;
	}
	v = input_trim_tail(tp, sg);
	if (v != SEG_GO)
		return v;
	if (sg->sg_flags & TH_SYN) {
		tcp_abort(tp, TCP_END_RESET);
		return SEG_GONE;
	}
	return (sg->sg_flags & TH_ACK) ? SEG_GO : SEG_DROP;
}

static enum verdict
input_rst(struct tcpcb *tp, const struct seg *sg)
{
	struct tcp_stats *st = tp->t_host->th_stats;

	st->tcps_rcvrst++;
	if (SEQ_LT(sg->sg_seq, tp->last_ack_sent) ||
	    SEQ_GT(sg->sg_seq, tp->last_ack_sent + sg->sg_rcvwnd) ||
	    tp->t_state == TCPS_TIME_WAIT)
		return SEG_DROP;
	if (tp->t_state != TCPS_CLOSING && tp->t_state != TCPS_LAST_ACK)
		st->tcps_drops++;
	tcp_close(tp, TCP_END_RESET);
	return SEG_GONE;
}

static void
input_trim_head(struct tcpcb *tp, struct seg *sg)
{
	int32_t todrop = (int32_t)(tp->rcv_nxt - sg->sg_seq);

	if (SIM_LIKELY(todrop <= 0))
		return;
	if (sg->sg_flags & TH_SYN) {
		sg->sg_flags &= (uint8_t)~TH_SYN;
		sg->sg_seq++;
		todrop--;
	}
	if (todrop > (int32_t)sg->sg_len ||
	    (todrop == (int32_t)sg->sg_len && !(sg->sg_flags & TH_FIN))) {
		sg->sg_flags &= (uint8_t)~TH_FIN;
		tp->t_flags |= TF_ACKNOW;
		todrop = (int32_t)sg->sg_len;
		tp->t_host->th_stats->tcps_rcvduppack++;
	}
	sg->sg_seq += (uint32_t)todrop;
	sg->sg_len -= (uint32_t)todrop;
}

static enum verdict
input_trim_tail(struct tcpcb *tp, struct seg *sg)
{
	int32_t todrop =
	    (int32_t)(sg->sg_seq + sg->sg_len - (tp->rcv_nxt + sg->sg_rcvwnd));

	if (SIM_LIKELY(todrop <= 0))
		return SEG_GO;
	tp->t_host->th_stats->tcps_rcvpackafterwin++;
	if (todrop >= (int32_t)sg->sg_len) {
		if (sg->sg_rcvwnd != 0 || sg->sg_seq != tp->rcv_nxt)
			return SEG_ACK;
		/* A probe of our closed window: its ACK still counts. */
		tp->t_flags |= TF_ACKNOW;
		tp->t_host->th_stats->tcps_rcvwinprobe++;
	}
	sg->sg_len -= (uint32_t)todrop;
	sg->sg_flags &= (uint8_t) ~(TH_PUSH | TH_FIN);
	return SEG_GO;
}

bool
tcp_timewait_reusable(const struct tcpcb *tp, const struct pkt *p)
{
	uint32_t space = tcp_rcvspace(tp);
	int32_t adv = (int32_t)(tp->rcv_adv - tp->rcv_nxt);

	return tp->t_state == TCPS_TIME_WAIT &&
	       (p->p_flags & (TH_SYN | TH_RST)) == TH_SYN &&
	       SEQ_GT(p->p_seq,
		   tp->rcv_nxt +
		       ((int64_t)space > adv ? space : (uint32_t)adv));
}

/* Text and FIN; what is not next in line is dropped, and we say so. */
static void
input_data(struct tcpcb *tp, struct seg *sg)
{
	struct tcp_stats *st = tp->t_host->th_stats;
	uint32_t len = sg->sg_len, end = sg->sg_seq + len;
	bool fin = (sg->sg_flags & TH_FIN) != 0;

	if (sg->sg_seq != tp->rcv_nxt) {
		st->tcps_rcvoopack++;
		if ((tp->t_flags & TF_RXGAP) == 0 || SEQ_GT(end, tp->rcv_oomax))
			tp->rcv_oomax = end;
		tp->t_flags |= TF_RXGAP | TF_ACKNOW;
		return;
	}
	input_delayack(tp, sg->sg_nseg);
	tp->rcv_nxt = end;
	tp->rcv_cc += len;
	if (len > 0) {
		st->tcps_rcvpack++;
		st->tcps_rcvbyte += len;
	}
	if (tp->t_flags & TF_RXGAP) {
		tp->t_flags |= TF_ACKNOW;
		if (SEQ_GEQ(end, tp->rcv_oomax))
			tp->t_flags &= (uint16_t)~TF_RXGAP;
	}
	if (fin)
		input_fin(tp);
	sg->sg_text = len;
	sg->sg_eof = fin;
}

/* Every second segment is acknowledged now, the first in a while. */
static void
input_delayack(struct tcpcb *tp, int nseg)
{
	const struct tcp_host *th = tp->t_host;

	if (th->th_delayed_ack && nseg < 2 &&
	    (tp->t_flags & (TF_DELACK | TF_RXWIN0SENT)) == 0) {
		tp->t_flags |= TF_DELACK;
		tcp_timer_reset(tp, TT_DELACK, th->th_delack_ticks);
	} else {
		tp->t_flags |= TF_ACKNOW;
	}
}

static void
input_fin(struct tcpcb *tp)
{
	tp->rcv_nxt++;
	tp->t_flags |= TF_ACKNOW | TF_RXFIN;
	switch ((enum tcp_state)tp->t_state) {
	case TCPS_ESTABLISHED:
		tcp_setstate(tp, TCPS_CLOSE_WAIT);
		break;
	case TCPS_FIN_WAIT_1:
		tcp_setstate(tp, TCPS_CLOSING);
		break;
	case TCPS_FIN_WAIT_2:
		input_timewait(tp);
		break;
	case TCPS_CLOSED:
	case TCPS_SYN_SENT:
	case TCPS_SYN_RECEIVED:
	case TCPS_CLOSE_WAIT:
	case TCPS_CLOSING:
	case TCPS_LAST_ACK:
	case TCPS_TIME_WAIT:
	case TCP_NSTATES:
		SIM_BUG("FIN in state %d", tp->t_state);
	}
}

static void
input_timewait(struct tcpcb *tp)
{
	const struct tcp_host *th = tp->t_host;

	tcp_setstate(tp, TCPS_TIME_WAIT);
	tcp_timer_cancel(tp);
	tcp_timer_reset(tp, TT_2MSL, 2 * th->th_msl_ticks);
	if (th->th_ops->to_timewait != NULL)
		th->th_ops->to_timewait(tp);
}

static void
input_respond_rst(struct tcpcb *tp, const struct pkt *p)
{
	const struct tcp_host *th = tp->t_host;
	struct pkt rst;

	if (p->p_flags & TH_RST)
		return;
	tcp_respond_rst(p, &rst);
	rst.p_time = th->th_ops->to_now(tp);
	th->th_stats->tcps_sndrst++;
	th->th_stats->tcps_sndtotal++;
	th->th_ops->to_output(tp, &rst);
}
