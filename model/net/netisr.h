#ifndef MODEL_NET_NETISR_H
#define MODEL_NET_NETISR_H

/*
 * Protocol threads: one a CPU, with a message port and rollups.
 *
 * Kernel: netmsg_service_loop(), netisr_register_rollup(), sys/net/netisr.c
 */
#include "model/kern/sched.h"

/* Make the protocol thread of a CPU. Call before sched_init(). */
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
