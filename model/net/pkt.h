#ifndef MODEL_NET_PKT_H
#define MODEL_NET_PKT_H

/*
 * A TCP segment on its way, 32 bytes. There is no payload: lengths and
 * sequence numbers are all that anybody looks at.
 */
#include <stdint.h>

#include "sim/core/time.h"

#define TH_FIN 0x01
#define TH_SYN 0x02
#define TH_RST 0x04
#define TH_PUSH 0x08
#define TH_ACK 0x10

#define PKT_MSS 1448 /* 1500 - 40 - 12 bytes of timestamps */

/*
 * A flow is a client address (its index in the whole model) and a client port;
 * the server's side is one address and one port.
 */
static inline uint32_t
flow_make(uint32_t addr, uint32_t port)
{
	return addr << 16 | port;
}

static inline uint32_t
flow_addr(uint32_t flow)
{
	return flow >> 16;
}

static inline uint32_t
flow_port(uint32_t flow)
{
	return flow & 0xffff;
}

struct pkt {
	sim_ns p_time;	 /* posted, then on the wire, then arrived */
	uint32_t p_flow; /* see flow_make() */
	uint32_t p_seq, p_ack;
	uint32_t p_win;	 /* bytes, already scaled */
	uint16_t p_len;	 /* payload, more than one MSS under TSO */
	uint8_t p_flags; /* TH_* */
	uint8_t p_nseg;	 /* frames on the wire, >= 1 */
	uint8_t p_rss;	 /* Toeplitz hash & 127, as the card computes it */
	uint8_t p_prio;	 /* M_PRIO: SYN, SYN|ACK, pure ACK */
	uint16_t p_pad;
};

_Static_assert(sizeof(struct pkt) == 32, "two packets a cache line");

/*
 * Bytes that the wire is busy for: each frame pays preamble 8, Ethernet 14,
 * FCS 4, gap 12, IP 20, TCP 20, timestamps 12 = 90; a SYN carries 8 bytes of
 * options more (MSS, window scale, and padding). The smallest frame is 84.
 */
static inline int64_t
pkt_wire_bytes(const struct pkt *p)
{
	return (int64_t)p->p_len + 90 * p->p_nseg +
	       ((p->p_flags & TH_SYN) ? 8 : 0);
}

#endif
