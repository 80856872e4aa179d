#ifndef MODEL_NETINET_TCP_TIMER_H
#define MODEL_NETINET_TCP_TIMER_H

/*
 * TCP's timers and their constants, for tcp_*.c.
 *
 * Kernel:  sys/netinet/tcp_timer.h, sys/netinet/tcp_timer.c
 * Differs: one callout for all timers of a connection. A deadline that moves
 *          later only is written down; the callout finds out when it runs.
 */
#include "model/netinet/tcp_var.h"

#define TCPTV_RTOBASE3 (3 * CALLOUT_HZ)
#define TCPTV_REXMTMAX (64 * CALLOUT_HZ)
#define TCPTV_PERSMIN (5 * CALLOUT_HZ)
#define TCPTV_PERSMAX (60 * CALLOUT_HZ)
#define TCPTV_KEEPINTVL (75 * CALLOUT_HZ)
#define TCPTV_KEEPCNT 8
#define TCPTV_MAXIDLE (TCPTV_KEEPINTVL * TCPTV_KEEPCNT)
#define TCPTV_MAXPERSISTIDLE (2 * 3600 * CALLOUT_HZ)

#define TCP_MAXRXTSHIFT 12 /* retransmissions */

#define TCP_MAXWIN 65535u /* window of a SYN, which is not scaled */
#define TCP_WINSHIFT 5	  /* the scale both sides ask for, TCP_MIN_WINSHIFT */
#define TCP_CWND_NONE (TCP_MAXWIN << 14)

#define TCP_RTT_SHIFT 5	   /* of t_srtt */
#define TCP_RTTVAR_SHIFT 4 /* of t_rttvar */
#define TCP_DELTA_SHIFT 2

static inline int32_t
tcp_ticks(const struct tcpcb *tp)
{
	return tp->t_host->th_wheel->cw_tick;
}

static inline bool
tcp_timer_active(const struct tcpcb *tp, enum tcp_timer tt)
{
	return tp->t_deadline[tt] != 0;
}

/* The callout must be moved to an earlier tick. */
void tcp_timer_advance(struct tcpcb *, int32_t deadline);

/* (Re)start a timer; ticks >= 1. */
static inline void
tcp_timer_reset(struct tcpcb *tp, enum tcp_timer tt, int32_t ticks)
{
	int32_t deadline = tcp_ticks(tp) + ticks;

	tp->t_deadline[tt] = deadline;
	if (!callout_pending(&tp->t_callout) ||
	    deadline < tp->t_callout.co_tick)
		tcp_timer_advance(tp, deadline);
}

static inline void
tcp_timer_stop(struct tcpcb *tp, enum tcp_timer tt)
{
	tp->t_deadline[tt] = 0;
}

/* All but DELACK, as tcp_canceltimers(). */
void tcp_timer_cancel(struct tcpcb *);

/* Start the persist timer with the next backoff. */
void tcp_setpersist(struct tcpcb *);

/* RTO before backoff: srtt + 4 * rttvar, >= the minimum, in ticks. */
int32_t tcp_rexmtval(const struct tcpcb *);

/* v and the slop, in [lo, hi]. */
int32_t tcp_rangeset(const struct tcpcb *, int32_t v, int32_t lo, int32_t hi);

#endif
