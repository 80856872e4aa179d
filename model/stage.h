#ifndef MODEL_STAGE_H
#define MODEL_STAGE_H

/*
 * The stage clock. A connection is at every instant in exactly one stage. The
 * server keeps its stamps with the socket and hands them over when the response
 * is queued (so_stamp()); the client reads all when the response is complete.
 *
 * A stamp is written once a request. A connection's generation says whose
 * stamps they are: the server may still hold a connection that the client has
 * given up and replaced; it must not write then.
 */
#include <stdint.h>

#include "sim/core/time.h"

enum stage_stamp {
	STAMP_START,  /* the slot is free to connect (end of the last cycle) */
	STAMP_SYN,    /* the last SYN was sent: earlier ones were dropped */
	STAMP_COMP,   /* the socket is on so_comp */
	STAMP_ACCEPT, /* accept(2) took it */
	STAMP_READ,   /* recv(2) took the request */
	STAMP_SEND,   /* sendfile(2) returned */
	STAMP_TX,     /* the response's last frame left the wire */
	STAMP_DONE,   /* the client has the whole response */
	STAMP_N
};

/* What lies between stamp i and stamp i + 1. */
enum stage {
	STAGE_CONNECT_WAIT, /* SYNs dropped, waiting for a retry */
	STAGE_HANDSHAKE,
	STAGE_COMP_QUEUE, /* on the listener's completion queue */
	STAGE_ACCEPTED,	  /* accepted, the request not yet read */
	STAGE_SERVICE,
	STAGE_TRANSMIT,
	STAGE_CLIENT, /* from the wire into the load generator */
	STAGE_N
};

extern const char *const stage_names[STAGE_N];

struct stages {
	uint32_t sg_gen;
	sim_ns sg_at[STAMP_N]; /* 0: not yet */
	sim_ns sg_clock;       /* when the load generator's clock started */
	uint32_t sg_request;   /* bytes of a request of this client */
};

/* The server's side of a flow, and the client's stamps. */
struct flow {
	void *fl_pcb;		  /* server's CPU only */
	struct stages *fl_stages; /* set by connect(2), read later */
};

#endif
