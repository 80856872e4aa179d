#ifndef MODEL_NETINET_TCP_KERN_H
#define MODEL_NETINET_TCP_KERN_H

/*
 * TCP of a modelled kernel: what binds the control blocks to sockets, to the
 * protocol thread and to the costs.
 *
 * Kernel: tcp_input(), sys/netinet/tcp_input.c (finding the pcb);
 *         sys/netinet/tcp_usrreq.c; tcp_willblock(), tcp_subr.c
 */
#include "model/netinet/in_pcb.h"

struct tcp_kern_stats {
	uint64_t tcps_listendrop; /* sonewconn() refused */
	uint64_t tcps_badsyn;	  /* nobody listens */
	uint64_t rst_sent, rst_limited;
	uint64_t syns;	       /* SYNs seen by listeners */
	uint64_t syns_dropped; /* of these: at a full queue */
	uint64_t stray;	       /* segments dropped: neither pcb nor answer */
	uint64_t ended[TCP_NENDS];
};

struct tcp_cpu {
	struct tcp_host tc_host;
	struct tcp_stats tc_tcpstat;
	struct tcp_kern_stats tc_stats;
	struct inpcb_queue tc_outputq; /* ACKs for the next rollup */
	struct inpcb *tc_current;      /* being given a segment; NULL: gone */
	sim_ns tc_rst_second;	       /* icmplim: the second being counted */
	int64_t tc_rst_count;
};

void tcp_kern_init(struct globaldata *, struct rng_run);
void tcp_kern_fini(struct globaldata *);

/*
 * if_input: a segment for this CPU. Context: netisr. Time: runs; may sleep for
 * a token where CPUs share.
 */
void ip_input(struct globaldata *, struct ifnet *, const struct pkt *);

/* if_prefetch. */
void ip_prefetch(const struct globaldata *, const struct rxring *, uint32_t n);

/* Pass a segment to the interface. Context: netisr. Time: runs. */
void ip_output(struct globaldata *, int ifindex, struct pkt *);

/* A socket with its pcb in the table, CLOSED. The caller owns it. */
struct inpcb *tcp_attach(
    struct globaldata *, uint32_t flow, uint8_t rss, int ifindex);

/* Connections of this CPU that have a pcb. */
size_t tcp_kern_connections(const struct globaldata *);

#endif
