#ifndef MODEL_NETINET_IN_PCB_H
#define MODEL_NETINET_IN_PCB_H

/*
 * Connected and listening protocol control blocks of a machine's TCP.
 *
 * Kernel: struct inpcb, inp_localgroup_lookup(), sys/netinet/in_pcb.c
 * Differs: one local address and port, so a connection is found by the
 *          client's address and port in a table instead of a hash.
 */
#include "model/kern/socket.h"
#include "model/net/if.h"
#include "model/netinet/tcp_var.h"

/* A connected TCP socket with its control blocks, one allocation. */
struct inpcb {
	struct so inp_so; /* first */
	struct tcpcb inp_tp;
	TAILQ_ENTRY(inpcb) inp_outputq; /* while TF_ONOUTPUTQ */
	struct netmsg inp_sndmore;	/* tcp_output_fair() */
};

_Static_assert(sizeof(struct inpcb) <= 384, "six cache lines");

TAILQ_HEAD(inpcb_queue, inpcb);

static inline struct inpcb *
tp_inpcb(struct tcpcb *tp)
{
	return msg_owner(tp, struct inpcb, inp_tp);
}

static inline struct inpcb *
so_inpcb(struct so *so)
{
	return msg_owner(so, struct inpcb, inp_so);
}

/* The SO_REUSEPORT group of listeners (of one, without). All [I]. */
struct inpcbinfo {
	struct so_listen **ipi_group;
	int ipi_ngroup;
};

/*
 * The listener for a hash value: (hash & 127) modulo the group's size.
 * NULL when nobody listens.
 */
static inline struct so_listen *
inp_localgroup_lookup(const struct inpcbinfo *ipi, uint32_t hash)
{
	if (ipi->ipi_ngroup == 0)
		return NULL;
	return ipi->ipi_group[(hash & 127) % (uint32_t)ipi->ipi_ngroup];
}

static inline struct flow *
flow_of(const struct machine *m, uint32_t flow)
{
	SIM_INVARIANT((int)flow_addr(flow) < m->m_naddrs);
	return &m->m_flows[flow_addr(flow)][flow_port(flow)];
}

#endif
