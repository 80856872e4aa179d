#ifndef MODEL_DEV_EM_H
#define MODEL_DEV_EM_H

/*
 * em(4) of 2011: a 1 Gb/s card with one ring each way and one interrupt, which
 * the interrupt thread of one CPU serves for all of them.
 *
 * It hashes the frames in software, sorts what an interrupt finds into a chain
 * for each protocol CPU, and sends one IPI message for each chain; there each
 * frame becomes a message to the protocol thread.
 *
 * Kernel: sys/dev/netif/em/if_em.c; ether_input_chain() and
 *         ether_input_dispatch(), sys/net/if_ethersubr.c
 * Differs: the transmit ring's serialiser is not followed (real: who finds it
 *          held leaves its packet to the holder); transmit reclaim comes with
 *          receive interrupts only.
 */
#include "model/net/if.h"

/* Attach port `index` of a machine, after its CPUs exist. */
struct ifnet *em_attach(struct machine *, const struct setup_nic *, int index,
    struct wire *rx, struct wire *tx);

#endif
