#ifndef MODEL_NET_IF_H
#define MODEL_NET_IF_H

/*
 * Interfaces: a port of a card with a transmit subqueue a CPU.
 *
 * Kernel: struct ifnet, struct ifaltq_subque, sys/net/if_var.h
 * Differs: nothing is staged (net.link.stage_cntmax): a packet goes to the
 *          ring, or waits in the subqueue, at once.
 */
#include "model/hw/nic.h"
#include "model/kern/machine.h"

/*
 * The transmit side of one CPU on one port: a hardware ring of descriptors,
 * and a software queue before it with a lane for what overtakes. A card with
 * one ring has one for all CPUs.
 */
struct ifsubq {
	struct txring ifs_ring;
	int ifs_txd;	      /* [I] descriptors */
	int ifs_free;	      /* ... not taken */
	struct pktq ifs_prio; /* SYN, SYN|ACK, pure ACK */
	struct pktq ifs_normal;
	uint64_t ifs_drops; /* packets that found the subqueue full */
	uint64_t ifs_drop_frames;
	uint64_t ifs_packets, ifs_frames; /* put on the ring */
	uint32_t ifs_backlog_max;	  /* packets on ring and subqueue */
};

void ifsubq_init(struct ifsubq *, struct wire *, int txd);
void ifsubq_fini(struct ifsubq *);

/*
 * Give a packet to the ring if it has room and nobody waits before it; else let
 * it wait, or drop it. Context: a thread of a CPU that uses the subqueue.
 * Time: runs tx_encap, tx_frame.
 */
void ifsubq_start(struct globaldata *, struct ifsubq *, struct pkt *);

/*
 * Free what had left by `upto`, and refill the ring: what overtakes first.
 * Context: as above, or an interrupt. Time: runs poll_round, tx_reclaim.
 */
void ifsubq_reclaim(struct globaldata *, struct ifsubq *, sim_ns upto);

struct ifnet {
	int if_index; /* of the machine */
	const char *if_name;
	struct nic_port *if_port;
	uint32_t if_addr; /* IPv4, host order */
	int if_nrxr;	  /* receive rings: ring i is CPU i's */
	int if_ntxr;	  /* transmit rings, likewise: all protocol CPUs */
	/* Give a packet to the driver. Context: this CPU. Time: runs. */
	void (*if_start)(struct globaldata *, struct ifnet *, struct pkt *);
	/* Frames to the protocols: set by netinet. Borrows p. */
	void (*if_input)(
	    struct globaldata *, struct ifnet *, const struct pkt *);
	/*
	 * Tell the processor what the first n packets of a ring will touch; no
	 * effect on the model.
	 */
	void (*if_prefetch)(
	    const struct globaldata *, const struct rxring *, uint32_t n);
	/* Interrupts taken that are counted with this CPU. */
	uint64_t (*if_interrupts)(const struct ifnet *, int cpu);
	void (*if_detach)(struct machine *, struct ifnet *);
	void *if_softc;
};

#endif
