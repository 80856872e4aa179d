#include "model/netinet/tcp_timer.h"

#include <stddef.h>

#include "sim/core/assert.h"

/* Factors of the RTO, by t_rxtshift. */
static const int tcp_syn_backoff[TCP_MAXRXTSHIFT + 1] = { 1, 1, 1, 1, 1, 2, 4,
	8, 16, 32, 64, 64, 64 };
static const int tcp_syn_backoff_low[TCP_MAXRXTSHIFT + 1] = { 1, 1, 2, 4, 8, 8,
	16, 16, 32, 64, 64, 64, 64 };
static const int tcp_backoff[TCP_MAXRXTSHIFT + 1] = { 1, 2, 4, 8, 16, 32, 64,
	64, 64, 64, 64, 64, 64 };
#define TCP_TOTBACKOFF 511

static void tcp_timer_handler(struct callout *);
static bool tcp_timer_rexmt(struct tcpcb *);
static void tcp_timer_backoff(struct tcpcb *);
static bool tcp_timer_delack(struct tcpcb *);
static bool tcp_timer_2msl(struct tcpcb *);
static bool tcp_timer_persist(struct tcpcb *);

/* Each returns whether the connection still exists. */
static bool (*const tcp_timer_handlers[TT_N])(struct tcpcb *) = {
	[TT_DELACK] = tcp_timer_delack,
	[TT_REXMT] = tcp_timer_rexmt,
	[TT_PERSIST] = tcp_timer_persist,
	[TT_2MSL] = tcp_timer_2msl,
};

void
tcp_timer_advance(struct tcpcb *tp, int32_t deadline)
{
	callout_reset(tp->t_host->th_wheel, &tp->t_callout,
	    deadline - tcp_ticks(tp), tcp_timer_handler);
}

void
tcp_timer_cancel(struct tcpcb *tp)
{
	tcp_timer_stop(tp, TT_2MSL);
	tcp_timer_stop(tp, TT_PERSIST);
	tcp_timer_stop(tp, TT_REXMT);
}

static void
tcp_timer_handler(struct callout *co)
{
	struct tcpcb *tp =
	    (void *)((char *)co - offsetof(struct tcpcb, t_callout));
	int32_t now = tcp_ticks(tp), first = 0, d;

	for (int tt = 0; tt < TT_N; tt++) {
		d = tp->t_deadline[tt];
		if (d == 0 || d > now)
			continue;
		tp->t_deadline[tt] = 0;
		if (!tcp_timer_handlers[tt](tp))
			return;
	}
	for (int tt = 0; tt < TT_N; tt++) {
		d = tp->t_deadline[tt];
		if (d != 0 && (first == 0 || d < first))
			first = d;
	}
	if (first != 0 && (!callout_pending(co) || first < co->co_tick))
		tcp_timer_advance(tp, first);
}

static bool
tcp_timer_delack(struct tcpcb *tp)
{
	tp->t_flags |= TF_ACKNOW;
	tp->t_host->th_stats->tcps_delack++;
	tcp_output(tp, 0, NULL);
	return true;
}

static bool
tcp_timer_rexmt(struct tcpcb *tp)
{
	struct tcp_stats *st = tp->t_host->th_stats;
	uint32_t win;

	tp->t_rxtshift++;
	if (tp->t_rxtshift > TCP_MAXRXTSHIFT) {
		st->tcps_timeoutdrop++;
		tcp_abort(tp, TCP_END_TIMEOUT);
		return false;
	}
	if (tp->t_state == TCPS_SYN_SENT) {
		if (tp->t_rxtshift > tp->t_host->th_syn_retries) {
			tcp_abort(tp, TCP_END_TIMEOUT);
			return false;
		}
		tp->t_rxtsyn += tp->t_rxtcur;
	}
	st->tcps_rexmttimeo++;
	tcp_timer_backoff(tp);
	/* Go back to the first byte not acknowledged, and slowly from there. */
	tp->snd_nxt = tp->snd_una;
	tp->snd_recover = tp->snd_max;
	tp->t_flags |= TF_ACKNOW;
	tp->t_flags &= (uint16_t) ~(TF_TIMING | TF_FASTREXMT);
	win = (tp->snd_wnd < tp->snd_cwnd ? tp->snd_wnd : tp->snd_cwnd) / 2 /
	      tcp_mss(tp);
	tp->snd_ssthresh = (win < 2 ? 2 : win) * tcp_mss(tp);
	tp->snd_cwnd = tcp_mss(tp);
	tp->snd_wacked = 0;
	tp->t_dupacks = 0;
	tcp_output(tp, 0, NULL);
	return true;
}

static void
tcp_timer_backoff(struct tcpcb *tp)
{
	const int *backoff = tcp_backoff;

	if (tp->t_state == TCPS_SYN_SENT)
		backoff = tp->t_host->th_rtobase_ticks > CALLOUT_HZ
			      ? tcp_syn_backoff
			      : tcp_syn_backoff_low;
	tp->t_rxtcur =
	    tcp_rangeset(tp, tcp_rexmtval(tp) * backoff[tp->t_rxtshift],
		tp->t_host->th_rexmit_min_ticks, TCPTV_REXMTMAX);
	/* So far off, the estimate is worth little: let the next one replace
	 * it, and until then keep its amount as variance. */
	if (tp->t_rxtshift > TCP_MAXRXTSHIFT / 4) {
		tp->t_rttvar += tp->t_srtt >> TCP_RTT_SHIFT;
		tp->t_srtt = 0;
	}
}

static bool
tcp_timer_persist(struct tcpcb *tp)
{
	struct tcp_stats *st = tp->t_host->th_stats;
	int32_t idle = tcp_ticks(tp) - tp->t_rcvtime;

	st->tcps_persisttimeo++;
	if (tp->t_rxtshift == TCP_MAXRXTSHIFT &&
	    (idle >= TCPTV_MAXPERSISTIDLE ||
		idle >= tcp_rexmtval(tp) * TCP_TOTBACKOFF)) {
		st->tcps_persistdrop++;
		tcp_abort(tp, TCP_END_TIMEOUT);
		return false;
	}
	tcp_setpersist(tp);
	tp->t_flags |= TF_FORCE;
	tcp_output(tp, 0, NULL);
	tp->t_flags &= (uint16_t)~TF_FORCE;
	return true;
}

static bool
tcp_timer_2msl(struct tcpcb *tp)
{
	if (tp->t_state == TCPS_TIME_WAIT) {
		tcp_close(tp, TCP_END_NORMAL);
		return false;
	}
	/* FIN_WAIT_2: the peer has some minutes for its FIN. */
	if (tcp_ticks(tp) - tp->t_rcvtime > TCPTV_MAXIDLE) {
		tcp_close(tp, TCP_END_TIMEOUT);
		return false;
	}
	tcp_timer_reset(tp, TT_2MSL, TCPTV_KEEPINTVL);
	return true;
}

void
tcp_setpersist(struct tcpcb *tp)
{
	int32_t t = ((tp->t_srtt >> 2) + tp->t_rttvar) >> 1;

	SIM_ASSERT(tp->t_state >= TCPS_ESTABLISHED);
	SIM_ASSERT(!tcp_timer_active(tp, TT_REXMT));
	tcp_timer_reset(tp, TT_PERSIST,
	    tcp_rangeset(tp, t * tcp_backoff[tp->t_rxtshift], TCPTV_PERSMIN,
		TCPTV_PERSMAX));
	if (tp->t_rxtshift < TCP_MAXRXTSHIFT)
		tp->t_rxtshift++;
}

int32_t
tcp_rexmtval(const struct tcpcb *tp)
{
	int32_t v = ((tp->t_srtt >> (TCP_RTT_SHIFT - TCP_DELTA_SHIFT)) +
			tp->t_rttvar) >>
		    TCP_DELTA_SHIFT;
	int32_t lo = tp->t_host->th_rexmit_min_ticks;

	return v > lo ? v : lo;
}

int32_t
tcp_rangeset(const struct tcpcb *tp, int32_t v, int32_t lo, int32_t hi)
{
	v += tp->t_host->th_rexmit_slop_ticks;
	if (v < lo)
		return lo;
	return v > hi ? hi : v;
}
