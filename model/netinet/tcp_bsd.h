#ifndef MODEL_NETINET_TCP_BSD_H
#define MODEL_NETINET_TCP_BSD_H

/*
 * TCP of freebsd-2007, its receive side: what binds control blocks to sockets,
 * locks and costs.
 *
 * A segment is handled to its end by the thread that brings it (the interrupt
 * thread, or the netisr's): the tcbinfo mutex to find the pcb, then the
 * inpcb's, which is held until the segment's ACK has gone to the card; the
 * socket buffer's for the append and the wake-up. The reader takes the inpcb's
 * to look for a window update.
 *
 * Kernel: tcp_input(), sys/netinet/tcp_input.c; tcp_usr_rcvd(), tcp_usrreq.c
 *         (7-CURRENT of March 2007)
 * Differs: the tcbinfo mutex is released before the segment is processed, also
 *          when header prediction fails; one embryonic connection a listener,
 *          whose SYN|ACK goes again with the next SYN; a socket that ended
 *          keeps its memory until the machine is shut down.
 */
#include "model/kern/sockbuf.h"
#include "model/net/if.h"
#include "model/netinet/tcp_var.h"

struct bsd_inpcb {
	struct tcpcb inp_tp; /* first */
	struct mtx inp_mtx;
	struct bsd_so inp_so;
	struct tcp_bsd *inp_tcp;
	struct bsd_inpcb *inp_next; /* of all that ever were */
	sim_ns inp_arrived;	    /* the segment being handled, at the card */
	bool inp_gone;		    /* closed: not found any more */
};

struct tcp_bsd_stats {
	uint64_t tb_window_updates, tb_syns, tb_stray, tb_rst_sent;
	uint64_t tb_accepted;
};

/* A machine's TCP, with the one socket that listens. */
struct tcp_bsd {
	struct machine *tb_machine;
	struct tcp_host tb_host;
	struct tcp_stats tb_tcpstat;
	struct tcp_bsd_stats tb_stats;
	struct mtx tb_tcbinfo;
	struct bsd_inpcb *tb_inpcbs;
	struct ifnet *tb_ifp;
	uint32_t tb_rcvbuf;	    /* [I] of the listener, inherited */
	uint32_t tb_bigsize;	    /* [I] bytes of a receive buffer */
	struct bsd_inpcb *tb_comp;  /* completed, not accepted */
	struct thread *tb_acceptor; /* sleeps in accept(2) */
	uint32_t tb_syn_flow, tb_syn_seq, tb_iss; /* embryonic */
	bool tb_embryonic;
	/* Hand a segment to the card. Context: a thread. Time: none. */
	void (*tb_start)(struct ifnet *, struct pkt *);
};

/* mss: of both sides; bigsize: of the card's receive buffers. */
void tcp_bsd_init(struct tcp_bsd *, struct machine *, struct ifnet *,
    uint32_t rcvbuf, uint32_t mss, uint32_t bigsize);
void tcp_bsd_fini(struct tcp_bsd *);

/*
 * A segment has come. Context: a thread, without locks. Time: runs
 * tcp_input_fast, locks, tcp_ack_build, sorwakeup.
 */
void tcp_bsd_input(struct thread *, struct tcp_bsd *, const struct pkt *);

/* accept(2): sleeps for a connection. Context: a thread. */
struct bsd_inpcb *tcp_bsd_accept(struct thread *, struct tcp_bsd *);

/* close(2). Context: a thread, without locks. */
void tcp_bsd_close(struct thread *, struct bsd_inpcb *);

/* bm_timers: what is due, with all inpcbs locked. */
void tcp_bsd_timers(struct thread *);

/* Data bytes of the first and of the further buffers of a frame. */
uint32_t mbuf_data(const struct tcp_bsd *, bool first);

#endif
