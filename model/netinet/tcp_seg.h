#ifndef MODEL_NETINET_TCP_SEG_H
#define MODEL_NETINET_TCP_SEG_H

/*
 * A segment while tcp_input() works on it, for tcp_input.c and tcp_ack.c.
 */
#include "model/netinet/tcp_var.h"

/* What is left of the segment after trimming, and what came of it. */
struct seg {
	uint32_t sg_seq, sg_ack, sg_win;
	uint32_t sg_len;
	uint32_t sg_rcvwnd; /* ours */
	uint8_t sg_flags;
	uint8_t sg_nseg;
	bool sg_needoutput;
	bool sg_connected; /* to_connected is due */
	bool sg_eof;	   /* to_readable, with or without text */
	uint32_t sg_acked; /* bytes, for to_acked */
	uint32_t sg_text;  /* bytes, for to_readable */
};

enum verdict {
	SEG_GO,	  /* go on with this segment */
	SEG_DROP, /* done with it */
	SEG_ACK,  /* answer with an ACK at once, and done */
	SEG_RST,  /* answer with a RST, and done */
	SEG_GONE  /* the connection has ended: touch it no more */
};

/*
 * The ACK of a segment in a synchronised state. *finacked: it acknowledged our
 * FIN.
 */
enum verdict tcp_ack_input(struct tcpcb *, struct seg *, bool *finacked);

/* The same for snd_una < sg_ack <= snd_max. Returns *finacked. */
bool tcp_ack_new(struct tcpcb *, struct seg *);

/* Take the peer's window if the segment is no older than the last update. */
void tcp_ack_window(struct tcpcb *, struct seg *);

/*
 * A round trip of rtt - 1 to rtt ticks. srtt moves by 1/8 and rttvar by 1/4 of
 * the error, both in the fixed point of struct tcpcb. Ends the timing and the
 * backoff.
 */
void tcp_ack_rtt(struct tcpcb *, int32_t rtt);

#endif
