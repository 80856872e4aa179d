#ifndef SIM_LAB_CAPTURE_H
#define SIM_LAB_CAPTURE_H

/*
 * The frames of a trace, as somebody sees them who looks at the servers' ports:
 * TRACE_FRAME records, with what became of them as a comment.
 *
 * A packet that the card segments (TSO) is as many frames as it takes, at the
 * rate of the link. What the link loses on its way to the server never arrives
 * there, and is no frame; what it loses on its way from the server has left,
 * and says so. What finds a full transmit queue never reaches a port. What
 * happens to a frame after the end of the trace is not known.
 *
 * Context: anywhere. Time: none.
 */
#include "model/model.h"
#include "model/trace.h"

/* What became of a frame; or what it is. */
enum capture_note {
	CAPTURE_PLAIN,
	CAPTURE_SYN_AGAIN, /* the connection's last SYN, sent once more */
	CAPTURE_SYN_DROP,  /* n and m of these: as in the trace's records */
	CAPTURE_REFUSED,
	CAPTURE_RING_DROP,
	CAPTURE_LOST,  /* by the link, after it left */
	CAPTURE_RESET, /* of a connection whose third ACK was refused */
	CAPTURE_NNOTES
};

struct capture_frame {
	sim_ns cf_time;
	uint32_t cf_order; /* of frames at one time */
	uint32_t cf_flow, cf_seq, cf_ack;
	uint32_t cf_win;    /* bytes */
	uint32_t cf_offset; /* of its first byte in its stream */
	uint32_t cf_tsval, cf_tsecr;
	uint16_t cf_len;
	uint16_t cf_port; /* of all machines: its interface */
	uint8_t cf_flags; /* TH_* */
	bool cf_out;	  /* from the server */
	/*
	 * cf_offset is known: its SYN was seen, or a whole request or response
	 * that one packet holds.
	 */
	bool cf_known;
	uint8_t cf_notes; /* bits by enum capture_note */
	int64_t cf_n, cf_m;
};

struct capture {
	const struct model *ca_model;	 /* borrowed */
	struct capture_frame *ca_frames; /* in order of time */
	uint64_t ca_n, ca_cap;
	int ca_shift; /* of all windows: as large as the largest may need */
};

/* Make it of a sorted trace. Borrows the model. */
void capture_init(
    struct capture *, const struct sim_trace *, const struct model *);
void capture_fini(struct capture *);

/*
 * Machines number their ports alike, and know nothing of one another. Who sees
 * all of them needs addresses that differ.
 */
static inline uint32_t
capture_ip(int machine, uint32_t ip)
{
	return ip + ((uint32_t)machine << 16);
}

/* The load generator that has a connection, and its address. */
const struct setup_peer *capture_peer(
    const struct model *, uint32_t flow, uint32_t *ip);

/* The kinds that it is made of. */
extern const uint64_t capture_kinds;

#endif
