#ifndef MODEL_NETINET_TCP_SYNCACHE_H
#define MODEL_NETINET_TCP_SYNCACHE_H

/*
 * The syncache: half-open connections, small, one cache a CPU.
 *
 * Kernel: sys/netinet/tcp_syncache.c
 * Differs: no syncookies (they help only a listener that has overflowed its
 *          syncache).
 */
#include "model/netinet/in_pcb.h"

struct syncache_entry {
	TAILQ_ENTRY(syncache_entry) sc_hash;
	struct globaldata *sc_gd;
	struct so_listen *sc_head;
	struct callout sc_timer;
	uint32_t sc_flow, sc_iss, sc_irs;
	int sc_bucket;
	uint8_t sc_ifindex, sc_rss;
	uint8_t sc_rxtslot; /* SYN|ACKs sent again */
	int32_t sc_rxtused; /* ticks waited for these */
	int32_t sc_sent;    /* tick of the last SYN|ACK */
};

TAILQ_HEAD(syncache_bucket, syncache_entry);

struct syncache_stats {
	uint64_t tcps_sc_added, tcps_sc_completed, tcps_sc_retransmitted;
	uint64_t tcps_sc_dupsyn, tcps_sc_stale, tcps_sc_aborted, tcps_sc_reset;
	uint64_t tcps_sc_bucketoverflow, tcps_sc_cacheoverflow;
};

struct syncache {
	struct syncache_bucket *sca_buckets;
	int *sca_length; /* entries by bucket */
	int sca_count;
	uint32_t sca_secret;
	struct rng sca_iss;
	struct syncache_stats sca_stats;
};

void syncache_init(struct globaldata *, struct rng_run);
void syncache_fini(struct globaldata *);

/*
 * A SYN to a listener whose queue is open: enter it (or find it again) and
 * answer SYN|ACK.
 *
 * Context: netisr. Time: runs syncache_add, syncache_respond.
 */
void syncache_add(struct globaldata *, struct ifnet *, struct so_listen *,
    const struct pkt *);

/*
 * An ACK for which there is no connection: if it completes a handshake, make
 * the socket and queue it.
 *
 * Context: netisr. Time: runs syncache_expand, sonewconn, ...; may sleep for a
 *          token, when nobody else touches this CPU's cache.
 * Returns: the new pcb, to be given p by tcp_input(); NULL when there is none:
 *          *rst tells whether p is to be answered by a reset. Past 3/2 of
 *          so_qlimit the entry is dropped without a word.
 */
struct inpcb *syncache_expand(
    struct globaldata *, struct ifnet *, const struct pkt *, bool *rst);

/* A RST for which there is no connection. */
void syncache_chkrst(struct globaldata *, const struct pkt *);

#endif
