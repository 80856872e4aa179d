#ifndef MODEL_DEV_MXGE_H
#define MODEL_DEV_MXGE_H

/*
 * mxge(4) of March 2007: Myri-10G, one interrupt, whose thread empties the
 * receive ring.
 *
 * The interrupt is raised for the first frame, at least
 * hw.mxge.intr_coal_delay after the last one, and not again before the thread
 * has found the ring empty and given the interrupt back: while frames keep
 * coming, there is one interrupt, then polling.
 *
 * A frame longer than 4094 bytes takes several page-size buffers, each an mbuf.
 * The ring of small buffers is not modelled.
 *
 * Kernel: mxge_intr(), mxge_clean_rx_done(), sys/dev/mxge/if_mxge.c
 * Differs: every frame takes as many descriptors as a full one; no flow control
 *          on the wire: a full ring drops (no window of the scenarios fills
 *          it); LRO merges within one pass, and is later than March 2007.
 */
#include "model/netinet/tcp_bsd.h"

struct mxge_softc;

/* Attach the machine's one card. Gives the interface. */
struct ifnet *mxge_attach(struct machine *, const struct setup_nic *,
    struct wire *rx, struct wire *tx);

/* Bytes of a receive buffer for an MTU, and buffers of a full frame. */
uint32_t mxge_bigsize(int64_t mtu);

/* Where its segments go. Before the run. */
void mxge_set_tcp(struct ifnet *, struct tcp_bsd *);

uint64_t mxge_lro_merged(const struct ifnet *);
uint64_t mxge_tx_frames(const struct ifnet *);

#endif
