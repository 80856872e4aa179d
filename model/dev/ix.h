#ifndef MODEL_DEV_IX_H
#define MODEL_DEV_IX_H

/*
 * ix(4): the CPU side of Intel 10 GbE cards.
 *
 * Kernel: sys/dev/netif/ix/if_ix.c, if_ix.h
 * Differs: receive and transmit share a vector in interrupt mode; a packet
 *          takes one descriptor for its headers, one a 4 KB page of payload,
 *          one more for a segmentation context.
 */
#include "model/net/if.h"

#define IX_MAX_RXR_82599 16
#define IX_MAX_RXR_X550 64

/* Make port `port` of this card an interface of the machine. */
struct ifnet *ix_attach(struct machine *, const struct setup_nic *, int port,
    int index, struct wire *rx, struct wire *tx);

/* Receive rings that hardware, tunable and protocol CPUs agree on. */
int ix_ring_count(enum setup_nic_model, int64_t tunable, int netisr_ncpus);

#endif
