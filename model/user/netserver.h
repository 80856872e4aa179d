#ifndef MODEL_USER_NETSERVER_H
#define MODEL_USER_NETSERVER_H

/*
 * netserver, the receiver of netperf's TCP_SENDFILE: recv(2) of as much as its
 * socket buffer holds, into two buffers of that size in turn.
 *
 * Differs: no control connection; accept(2) takes no time (it is before the
 *          measurement).
 */
#include "model/netinet/tcp_bsd.h"

struct netserver {
	struct tcp_bsd *ns_tcp;
	struct thread *ns_thread;
	struct uio_target ns_target;
	uint32_t ns_size;	      /* bytes of a buffer */
	sim_ns ns_pause_at, ns_pause; /* see netserver_pause() */
	struct cpu_source ns_timer;
	uint64_t ns_bytes;
	uint64_t ns_calls;
	void (*ns_account)(void *, const struct sb_mbuf *, sim_ns copied);
	void *ns_account_arg;
};

/* It starts with the simulation, bound to a CPU or CPU_ANY. */
void netserver_init(struct netserver *, struct machine *, struct tcp_bsd *,
    const char *name, uint32_t size, int bound);

/* Read nothing from `at` on, for so long. Before the run. */
void netserver_pause(struct netserver *, struct machine *, sim_ns at, sim_ns);
void netserver_fini(struct netserver *);

#endif
