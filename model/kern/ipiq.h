#ifndef MODEL_KERN_IPIQ_H
#define MODEL_KERN_IPIQ_H

/*
 * Messages to protocol threads of other CPUs, and the interrupts that wake
 * these.
 *
 * What one CPU does to another is a record (time, CPU, order): the reader
 * takes only records strictly older than its own time, in the order of these
 * keys. So nothing depends on who came first to an instant in the engine. CPUs
 * that exchange messages keep in step with the engine (cpu_lockstep).
 *
 * Kernel: lwkt_sendmsg(), sys/kern/lwkt_msgport.c; lwkt_send_ipiq3(),
 *         sys/kern/lwkt_ipiq.c; wakeup(), sys/kern/kern_synch.c
 * Differs: the FIFO of 32 entries a pair of CPUs is not bounded (it holds
 *          wake-ups only, one at a time); no spurious wake-ups from shared
 *          sleep-hash buckets (rare since September 2017).
 */
#include "model/kern/machine.h"

/* A message that may go to another CPU. */
struct netmsg_remote {
	struct netmsg nr_msg;		    /* first */
	TAILQ_ENTRY(netmsg_remote) nr_link; /* on its way */
	int nr_sender;			    /* CPU */
	sim_ns nr_time;			    /* when that one sent it */
};

/* Call on each CPU of a machine whose CPUs exchange messages. */
void ipiq_init(struct globaldata *);

/*
 * Send a message to the protocol thread of CPU `to`, which may be another. If
 * that thread sleeps it is woken by an IPI, unless one is under way (gd_npoll).
 *
 * Context: any CPU of the machine. Time: runs msg_send, wakeup, ipi_send.
 * Owns:    the port until dispatch.
 */
void lwkt_sendmsg(
    struct globaldata *from, struct globaldata *to, struct netmsg_remote *nr);

/*
 * Move what others have sent to the port, so far as it is strictly older than
 * now. Context: the receiving CPU. Time: none.
 */
void ipiq_take(struct globaldata *);

/* The protocol thread goes to sleep, or runs (for lwkt_sendmsg). */
void ipiq_netisr_state(struct globaldata *, bool sleeps);

#endif
