#ifndef MODEL_NETINET_TCP_VAR_H
#define MODEL_NETINET_TCP_VAR_H

/*
 * TCP at segment level. The same control block and the same rules serve the
 * modelled kernel (each step's cost charged by the caller or by the ops) and
 * the load generators' lumped kernel.
 *
 * Kernel: struct tcpcb, sys/netinet/tcp_var.h
 * Differs: no urgent data, no SACK, no reassembly queue (an out-of-order
 *          segment is dropped and answered with a duplicate ACK; go-back-N
 *          recovers), no path MTU discovery, timestamps only as 12 bytes a
 *          frame (one segment a flight is timed instead, retransmissions
 *          too, as an echoed timestamp would; no Eifel detection),
 *          simultaneous open not modelled, no keepalive probes, no TCP_NOPUSH
 *          and no hint that more data come (PRUS_MORETOCOME), buffers do not
 *          resize themselves, no inflight limit (snd_bwnd, which begins to
 *          act after two ticks of ACKs).
 */
#include <stdbool.h>
#include <stdint.h>

#include "model/kern/callout.h"
#include "model/net/pkt.h"
#include "sim/core/assert.h"

/* The event that leads to each state, for the side that is `tp`. */
enum tcp_state {
	TCPS_CLOSED,	   /* not connected, or gone */
	TCPS_SYN_SENT,	   /* tcp_connect() sent a SYN */
	TCPS_SYN_RECEIVED, /* tcp_accept() made us from a syncache entry */
	TCPS_ESTABLISHED,  /* our SYN was acknowledged */
	TCPS_CLOSE_WAIT,   /* a FIN came */
	TCPS_FIN_WAIT_1,   /* tcp_usrclosed() while established */
	TCPS_CLOSING,	   /* FIN_WAIT_1, and the peer's FIN came first */
	TCPS_LAST_ACK,	   /* tcp_usrclosed() in CLOSE_WAIT */
	TCPS_FIN_WAIT_2,   /* our FIN was acknowledged, theirs is to come */
	TCPS_TIME_WAIT,	   /* both FINs are acknowledged, we closed first */
	TCP_NSTATES
};

#define TF_ACKNOW 0x01	    /* an ACK must go out now */
#define TF_DELACK 0x02	    /* ... within delacktime */
#define TF_SENTFIN 0x04	    /* our FIN is in sequence space */
#define TF_FASTREXMT 0x10   /* in fast recovery */
#define TF_TIMING 0x20	    /* t_rtseq is being timed */
#define TF_RXFIN 0x40	    /* their FIN was taken */
#define TF_ONOUTPUTQ 0x80   /* on a netisr's aggregated-ACK queue (owner's) */
#define TF_FORCE 0x100	    /* the persist timer sends a probe */
#define TF_XMITNOW 0x200    /* limited transmit: a small segment may go */
#define TF_RXWIN0SENT 0x400 /* our last segment closed the window */
#define TF_RXGAP 0x800	    /* data up to rcv_oomax was dropped: ACK at once */
#define TF_SNDMORE 0x1000   /* tcp_output_fair() stopped; a message is due */
#define TF_NODELAY 0x2000   /* no Nagle: set by the owner, after tcp_init() */

/* Why a connection ended, for tcp_ops.to_closed. */
enum tcp_end {
	TCP_END_NORMAL,	 /* both sides closed, everything acknowledged */
	TCP_END_RESET,	 /* a RST came */
	TCP_END_TIMEOUT, /* retransmissions used up */
	TCP_NENDS
};

struct tcpcb;

/*
 * What a control block's owner does for it. All are called from inside
 * tcp_input(), tcp_output() and the timers; to_closed is always the last thing
 * that happens to a tcpcb, and may free it. to_connected, to_readable and
 * to_acked may call tcp_append(), tcp_usr_rcvd(), tcp_usrclosed() and
 * tcp_output(), but not tcp_drop(); to_output calls nothing of these.
 */
struct tcp_ops {
	/* Hand a finished segment to IP. p is borrowed. */
	void (*to_output)(struct tcpcb *, struct pkt *p);
	/* Our SYN was acknowledged: ESTABLISHED. */
	void (*to_connected)(struct tcpcb *);
	/* rcv_cc grew by len > 0, or (eof) the peer's FIN was taken. */
	void (*to_readable)(struct tcpcb *, uint32_t len, bool eof);
	/* acked > 0 bytes of so_snd were acknowledged. */
	void (*to_acked)(struct tcpcb *, uint32_t acked);
	/* CLOSED now: pcb and port may be freed. */
	void (*to_closed)(struct tcpcb *, enum tcp_end);
	/* Entered TIME_WAIT: 2 MSL timer is armed. May be NULL. */
	void (*to_timewait)(struct tcpcb *);
	/* Current time of the CPU that runs this. */
	sim_ns (*to_now)(struct tcpcb *);
	/*
	 * tcp_output_fair() stopped after th_fairsend segments: call
	 * tcp_sndmore() from a message. Never called while one is due. May be
	 * NULL when th_fairsend is 0.
	 */
	void (*to_sndmore)(struct tcpcb *);
	/* Room for the mbufs of what is received, bytes. NULL: no limit. */
	uint32_t (*to_mbspace)(const struct tcpcb *);
};

/* What all connections of one host share. */
struct tcp_host {
	const struct tcp_ops *th_ops;
	struct callwheel *th_wheel; /* of the CPU that owns the tcpcb */
	struct tcp_stats *th_stats;
	uint32_t th_sendspace, th_recvspace; /* bytes */
	uint32_t th_mss;    /* bytes of a segment: MTU less 52; both sides' */
	uint32_t th_tsolen; /* most bytes in one TSO pkt (if_tsolen); 0: 64 K */
	int th_iwmaxsegs;   /* initial window, segments */
	int th_iwcapsegs;   /* ... and its cap, times 1460; 0: 4 */
	int th_fairsend;    /* segments tcp_output_fair() sends; 0: no limit */
	bool th_delayed_ack;
	bool th_aggregate_acks; /* ACKs wait for the owner's rollup */
	bool th_tso;		/* several segments in one pkt */
	/*
	 * Data is appended and the process woken before the segment's ACK is
	 * sent, as FreeBSD does (DragonFly's process comes by a message).
	 */
	bool th_tell_first;
	int th_winup_segs; /* segments of space that call for a window update,
			      besides half of the buffer; 0: none */
	/*
	 * Linux: under TSO nothing is sent before this part of the window (or
	 * 64 KB) can go. 0: at once. net.ipv4.tcp_tso_win_divisor
	 */
	int th_tso_win_divisor;
	int th_delack_ticks;
	int th_rexmit_min_ticks, th_rexmit_slop_ticks;
	int th_rtobase_ticks; /* 1 s with low_rtobase, 3 s without */
	int th_msl_ticks;
	int th_syn_retries; /* SYNs sent again before giving up */
};

/* Counters with the kernel's names and rules. */
struct tcp_stats {
	uint64_t tcps_connattempt, tcps_connects, tcps_accepts, tcps_closed;
	uint64_t tcps_drops, tcps_timeoutdrop, tcps_conndrops;
	uint64_t tcps_sndtotal, tcps_sndpack, tcps_sndbyte, tcps_sndacks;
	uint64_t tcps_sndctrl, tcps_sndrexmitpack, tcps_rexmttimeo;
	uint64_t tcps_rcvtotal, tcps_rcvpack, tcps_rcvbyte;
	uint64_t tcps_rcvackpack, tcps_rcvackbyte, tcps_rcvdupack;
	uint64_t tcps_rcvduppack, tcps_rcvoopack, tcps_rcvafterclose;
	uint64_t tcps_delack, tcps_sndrst, tcps_rcvrst;
	uint64_t tcps_sndfastrexmit, tcps_sndearlyrexmit, tcps_sndlimited;
	uint64_t tcps_sndwinup, tcps_sndprobe, tcps_persisttimeo;
	uint64_t tcps_persistdrop, tcps_rcvpackafterwin, tcps_rcvwinprobe;
	uint64_t tcps_rcvacktoomuch, tcps_sndidle;
};

/* In the order in which those due in one tick run. */
enum tcp_timer { TT_DELACK, TT_REXMT, TT_PERSIST, TT_2MSL, TT_N };

/*
 * The control block. Owned by one CPU: every member is [C] touched only there.
 * Sequence numbers and windows in bytes.
 */
struct tcpcb {
	const struct tcp_host *t_host;
	uint32_t t_flow;
	uint8_t t_state; /* enum tcp_state, set by tcp_setstate() only */
	uint8_t t_rxtshift;
	uint16_t t_flags; /* TF_* */
	uint8_t t_dupacks;
	uint8_t t_rss;
	uint8_t snd_limited; /* segments sent by limited transmit */
	uint8_t t_pad[1];
	uint32_t snd_una, snd_nxt, snd_max, snd_wnd, snd_cwnd, snd_ssthresh;
	uint32_t snd_wacked;  /* bytes, towards one cwnd of linear growth */
	uint32_t snd_recover; /* fast recovery ends here */
	uint32_t snd_wl1, snd_wl2; /* seq and ack of the last window update */
	uint32_t max_sndwnd;	   /* largest window the peer offered */
	int32_t snd_last;	   /* tick of the last data sent */
	uint32_t iss, irs;
	uint32_t snd_cc; /* bytes in so_snd, from snd_una */
	uint32_t rcv_nxt, rcv_adv;
	uint32_t rcv_oomax;	/* end of what came after a gap (TF_RXGAP) */
	uint32_t last_ack_sent; /* rcv_nxt as the peer knows it */
	uint32_t rcv_cc;	/* bytes in so_rcv, not yet read */
	uint32_t t_rtseq;
	int32_t t_rttick;	  /* tick when t_rtseq was sent */
	int32_t t_srtt, t_rttvar; /* ticks << 5, << 4; srtt 0: none */
	int32_t t_rxtcur;	  /* ticks */
	int32_t t_rxtsyn;  /* ticks waited for SYN or SYN|ACK sent again */
	int32_t t_rcvtime; /* tick of the last segment, to a second */
	int32_t t_deadline[TT_N]; /* tick; 0: off */
	struct callout t_callout; /* at the first deadline or before */
};

_Static_assert(sizeof(struct tcpcb) <= 192, "three cache lines");

/* Zeroed fields, CLOSED. */
void tcp_init(
    struct tcpcb *, const struct tcp_host *, uint32_t flow, uint8_t rss);

/*
 * Active open: SYN out, retransmission timer on. The SYN goes again after
 * 1, 1, 2, 4, 8, 8, 16 s, each but the first later by th_rexmit_slop_ticks.
 */
void tcp_connect(struct tcpcb *, uint32_t iss);

/*
 * Passive open from a syncache entry whose SYN|ACK (iss) was acknowledged by
 * p: SYN_RECEIVED. The caller then gives the same p to tcp_input(), which makes
 * it ESTABLISHED (and takes data or a FIN that p carries).
 * `rxtsyn`: ticks spent waiting for SYN|ACKs that had to be sent again
 * (sc_rxtused): > 0 makes the first RTO 3 s until there is a sample, >= 3 s the
 * initial window two segments.
 * The round trip of the SYN|ACK is the first sample. It counts as less than a
 * tick, unless the caller stores the tick when it was sent in t_rttick before
 * tcp_input().
 */
void tcp_accept(struct tcpcb *, uint32_t iss, uint32_t irs, const struct pkt *p,
    int rxtsyn);

/*
 * A segment arrived for this connection. May end it (to_closed).
 *
 * Sends what the segment gives rise to. The one exception is the ACK for data
 * that came in order and alone (header prediction) with th_aggregate_acks: it
 * is left in TF_ACKNOW for the owner's rollup, see tcp_ackpending(). Duplicate
 * ACKs and ACKs of FINs go at once, as in the kernel.
 *
 * Context: the CPU that owns the tcpcb.
 * Time:    none of its own; what the ops take.
 * Differs: the frames of one TSO pkt count as p_nseg segments for the delayed
 *          ACK, but one ACK answers them all. Data for a process that closed
 *          ends the connection with a RST, there being no shutdown(2).
 */
void tcp_input(struct tcpcb *, const struct pkt *);

/*
 * p is a SYN that may replace this TIME_WAIT connection (its sequence is past
 * our window): the caller drops the tcpcb and treats p as any SYN. If false p
 * belongs to tcp_input().
 */
bool tcp_timewait_reusable(const struct tcpcb *, const struct pkt *p);

/* The process put len more bytes into so_snd; nothing is sent yet. */
void tcp_append(struct tcpcb *, uint32_t len);

/*
 * Send what windows allow: data, FIN, or an ACK that is due. Returns how many
 * segments (frames) went to to_output. Once `maxsegs` > 0 of data are sent, no
 * more is begun (a TSO pkt is not cut for it); then *more, which may be NULL,
 * tells that there was something.
 */
int tcp_output(struct tcpcb *, int maxsegs, bool *more);

/* tcp_output() of at most th_fairsend segments, the rest by to_sndmore. */
int tcp_output_fair(struct tcpcb *);

/* The message that to_sndmore asked for. */
void tcp_sndmore(struct tcpcb *);

/* An ACK is due at the rollup (TF_ACKNOW with aggregation)? */
static inline bool
tcp_ackpending(const struct tcpcb *tp)
{
	return (tp->t_flags & TF_ACKNOW) != 0;
}

/*
 * The process read len bytes of so_rcv: rcv_cc falls. Returns whether a window
 * update is due, for which the caller calls tcp_output(): tcp_winup_due().
 * DragonFly waits for half of th_recvspace (net.inet.tcp.avoid_pure_win_update
 * = 1), FreeBSD of 2007 for two segments.
 */
bool tcp_usr_rcvd(struct tcpcb *, uint32_t len);

/*
 * The process closed: so_rcv is flushed, a FIN follows what is queued (the
 * caller then calls tcp_output()). Before ESTABLISHED the connection ends at
 * once and without a segment.
 */
void tcp_usrclosed(struct tcpcb *);

/* Drop without a word to the owner: timers off, CLOSED, RST sent if asked. */
void tcp_drop(struct tcpcb *, bool send_rst);

/*
 * Make the RST that answers p (which is no RST), for a flow without a
 * connection. p_time stays for the caller.
 */
void tcp_respond_rst(const struct pkt *p, struct pkt *rst);

/*
 * For tcp_*.c only.
 */

/* The only writer of t_state. */
void tcp_setstate(struct tcpcb *, enum tcp_state);

/* Timers off, CLOSED, to_closed: tp may be gone afterwards. */
void tcp_close(struct tcpcb *, enum tcp_end);

/* Close with an error, telling the peer if it knows us. */
void tcp_abort(struct tcpcb *, enum tcp_end);

/* bytes */
uint32_t tcp_initial_window(const struct tcpcb *);

static inline uint32_t
tcp_rcvspace(const struct tcpcb *tp)
{
	uint32_t size = tp->t_host->th_recvspace;
	uint32_t space = tp->rcv_cc < size ? size - tp->rcv_cc : 0, mb;

	if (SIM_LIKELY(tp->t_host->th_ops->to_mbspace == NULL))
		return space;
	mb = tp->t_host->th_ops->to_mbspace(tp);
	return space < mb ? space : mb;
}

static inline uint32_t
tcp_mss(const struct tcpcb *tp)
{
	return tp->t_host->th_mss;
}

/*
 * Has the window that the peer may be told of grown by so much that it is worth
 * a segment?
 */
static inline bool
tcp_winup_due(const struct tcpcb *tp)
{
	const struct tcp_host *th = tp->t_host;
	int64_t grown =
	    (int64_t)tcp_rcvspace(tp) - (int32_t)(tp->rcv_adv - tp->rcv_nxt);

	return grown >= th->th_recvspace / 2 ||
	       (th->th_winup_segs > 0 && grown > 0 &&
		   grown >= (int64_t)th->th_winup_segs * th->th_mss);
}

/* sequence comparison */
#define SEQ_LT(a, b) ((int32_t)((a) - (b)) < 0)
#define SEQ_LEQ(a, b) ((int32_t)((a) - (b)) <= 0)
#define SEQ_GT(a, b) ((int32_t)((a) - (b)) > 0)
#define SEQ_GEQ(a, b) ((int32_t)((a) - (b)) >= 0)

extern const char *const tcp_state_names[TCP_NSTATES];

#endif
