#ifndef MODEL_NET_IFPOLL_H
#define MODEL_NET_IFPOLL_H

/*
 * polling(4): a systimer a CPU posts a message to its protocol thread, which
 * asks each ring for frames, in rounds, until the tick's burst is used up.
 *
 * Kernel: sys/net/if_poll.c
 * Differs: the receive and the transmit side share one systimer handler here
 *          as there, the status side (120 ticks) is left out. All rounds of
 *          a tick see what had arrived when the first began (real: also what
 *          comes meanwhile), so that a tick waits for the engine once.
 */
#include "model/net/if.h"

#define IFPOLL_MAX 8 /* interfaces */

/* What a driver does in a poll. Context: protocol thread. Time: runs. */
struct ifpoll_ops {
	/* Take up to `cycles` packets that had arrived by `upto`. */
	void (*ip_rxpoll)(
	    struct globaldata *, struct ifnet *, int cycles, sim_ns upto);
	/* Is there such a packet? */
	bool (*ip_rxready)(struct globaldata *, struct ifnet *, sim_ns upto);
	/* Reclaim what had left `upto`. */
	void (*ip_txpoll)(struct globaldata *, struct ifnet *, sim_ns upto);
};

struct iopoll_ctx {
	struct cpu_source io_systimer;
	uint64_t io_nticks; /* systimer interrupts so far */
	sim_ns io_phase0;   /* first tick */
	int64_t io_hz;
	int io_nifs;
	struct ifnet *io_if[IFPOLL_MAX];
	const struct ifpoll_ops *io_ops[IFPOLL_MAX];
	struct netmsg io_rxmsg, io_txmsg;
	int io_pending;	     /* pending_polls */
	int io_phase;	     /* 0: nothing queued */
	int io_txfrac;	     /* ticks until the next transmit poll */
	int64_t io_burst;    /* poll_burst, adaptive */
	int64_t io_residual; /* residual_burst */
	sim_ns io_start;     /* of this tick's polling */
	uint64_t io_polls, io_rounds, io_lost, io_stalled;
};

void ifpoll_init(struct globaldata *, int64_t hz);
void ifpoll_fini(struct globaldata *);

/* Poll this interface on this CPU, in order of registration. */
void ifpoll_register(
    struct globaldata *, struct ifnet *, const struct ifpoll_ops *);

#endif
