#ifndef MODEL_NET_NETISR_H
#define MODEL_NET_NETISR_H

/*
 * Protocol threads: one a CPU, with a message port and rollups.
 *
 * Kernel: netmsg_service_loop(), netisr_register_rollup(), sys/net/netisr.c
 */
#include "model/kern/sched.h"

/*
 * Send a message to this CPU's protocol thread.
 *
 * Context: its CPU. Time: runs msg_send. Owns: the port until dispatch.
 */
static inline void
lwkt_sendmsg_oncpu(struct globaldata *gd, struct netmsg *nm)
{
	SIM_ASSERT(!nm->nm_queued);
	gd_run(gd, COST_msg_send);
	netisr_post(gd, nm);
}

void netisr_init(struct globaldata *);

/* Run fn after each batch of messages, in the order of registration. */
void netisr_register_rollup(
    struct globaldata *, void (*fn)(struct globaldata *));

/* CPU that owns a hash value: (hash & 127) modulo the protocol CPUs. */
static inline int
netisr_hashcpu(const struct machine *m, uint32_t hash)
{
	return (int)(hash & 127) % m->m_netisr_ncpus;
}

#endif
