#ifndef MODEL_KERN_SOCKET_H
#define MODEL_KERN_SOCKET_H

/*
 * Sockets: connected ones, and listening ones with their completion queue.
 *
 * Kernel: struct socket, sys/sys/socketvar.h; uipc_socket.c, uipc_socket2.c
 *
 * Who may touch a member:
 *	[I]	anyone: immutable after creation
 *	[C]	its CPU only: protocol thread and process share it
 *	[L]	the holder of the listener's pool token; here also [C], since a
 *		listener, its netisr and its worker are on one CPU
 */
#include "model/kern/event.h"
#include "model/kern/machine.h"
#include "model/stage.h"

#define SS_COMP 0x01	    /* on so_head's completion queue */
#define SS_NOFDREF 0x02	    /* no descriptor refers to it */
#define SS_CANTRCVMORE 0x04 /* the peer's FIN was taken: EOF after the data */
#define SS_PCBGONE 0x08	    /* the protocol is done with it */
#define SS_ACCEPTCONN 0x10  /* listens */

struct so;

/* What a protocol does for its sockets, in its own thread. */
struct pr_usrreqs {
	void (*pru_send)(struct so *, uint32_t len);
	void (*pru_rcvd)(struct so *, uint32_t len);
	void (*pru_nodelay)(struct so *);
	void (*pru_close)(struct so *); /* disconnect; frees when it can */
	void (*pru_free)(struct so *);	/* give the memory back */
};

/* Filters of a socket's knotes. */
#define SOF_READ 0x01
#define SOF_WRITE 0x02

/* What most calls touch is in the first two cache lines. */
struct so {
	struct globaldata *so_gd; /* [I] its CPU */
	struct knote *so_note;	  /* [C] knotes of so_rcv and so_snd */
	uint64_t so_touched;	  /* [C] cache mark */
	TAILQ_ENTRY(so) so_list;  /* [L] link on so_head->so_comp */
	struct so *so_head;	  /* [L] listener, NULL once accepted */
	uint32_t so_rcv_cc;	  /* [C] bytes to read */
	uint32_t so_snd_cc;	  /* [C] bytes given to the protocol */
	uint16_t so_state;	  /* [C] SS_* */
	int16_t so_error;	  /* [C] errno to report once */
	uint8_t so_ifindex;	  /* [I] the way to the client */
	uint8_t so_filters;	  /* [C] SOF_*: those of so_note */
	uint16_t so_pad;
	sim_ns so_comped, so_accepted, so_read; /* [C] stamps, see so_stamp() */
	struct stages *so_stages;		/* [I] whose stamps to write */
	uint32_t so_request;			/* [I] bytes of a request */
	uint32_t so_flow;			/* [I] */
	uint32_t so_rcvd; /* [C] bytes read, not yet reported */
	uint32_t so_gen;  /* [I] generation of so_stages */
	const struct pr_usrreqs *so_proto; /* [I] */
	struct netmsg so_rcvdmsg;	   /* [C] pru_rcvd, embedded */
	struct netmsg so_clomsg;	   /* [C] close, embedded */
};

TAILQ_HEAD(so_queue, so);

/* A listening socket. */
struct so_listen {
	struct so sl_so;	 /* first */
	struct so_queue so_comp; /* [L] completed, not yet accepted */
	int so_qlen;		 /* [L] sockets on so_comp */
	int so_qlimit;		 /* [I] backlog */
	int sl_index;		 /* [I] in its SO_REUSEPORT group */
	int sl_qmax;		 /* largest so_qlen since the last reset */
	int64_t sl_qsum;	 /* integral of so_qlen over ns, since then */
	sim_ns sl_qsince;	 /* when so_qlen last changed */
	uint64_t sl_syn_drops0, sl_refused0; /* at the last reset */
	uint64_t sl_syn_drops; /* SYNs dropped: so_qlen > so_qlimit */
	uint64_t sl_refused;   /* sonewconn() refused: 3/2 so_qlimit */
	uint64_t sl_completed; /* put on so_comp */
	uint64_t sl_accepted;  /* taken off it */
	uint64_t sl_closed;    /* ended while still on it */
};

/* A message that carries bytes to send, or an option to set. */
struct mbuf {
	struct netmsg m_msg;
	struct so *m_so;
	uint32_t m_len;
};

/* Room in so_snd, bytes. */
static inline int64_t
so_snd_space(const struct so *so)
{
	return so->so_gd->gd_machine->m_sysctl->sendspace -
	       (int64_t)so->so_snd_cc;
}

/* Prepare an embedded part of a new connected socket. */
void so_init(
    struct so *, struct globaldata *, const struct pr_usrreqs *, uint32_t flow);

void solisten(struct so_listen *, struct globaldata *, int qlimit, int index);

/*
 * May a SYN be processed? Read without the token, as the kernel does.
 *
 * Kernel: tcp_input(), sys/netinet/tcp_input.c
 */
static inline bool
so_queue_open(const struct so_listen *head)
{
	return head->so_qlen <= head->so_qlimit;
}

/* Is the queue past 3/2 of its limit, so that sonewconn() refuses? */
static inline bool
so_queue_full(const struct so_listen *head)
{
	return head->so_qlen > 3 * head->so_qlimit / 2;
}

/* Tell the processor what a call will touch. NULL is fine. */
static inline void
so_prefetch(const struct so *so)
{
	__builtin_prefetch(so, 1);
	__builtin_prefetch((const char *)so + 64, 1);
}

/*
 * The response is on its way: hand all stamps of the request to the client's
 * clock at once. Time: none.
 */
void so_stamp(struct so *, sim_ns now);

/*
 * Put a completed connection on its listener's completion queue, and tell the
 * kqueue that watches it.
 *
 * Context: netisr of the connection; takes head's token.
 * Time:    runs sonewconn, token, knote, wakeup.
 * Owns:    the queue owns so until accept.
 * Kernel:  sonewconn_faddr(), sys/kern/uipc_socket2.c; the refusal past 3/2 of
 *          so_qlimit is so_queue_full(), asked by the caller before it
 *          allocates.
 */
void sonewconn(struct so_listen *head, struct so *so);

/*
 * Take the first completed connection.
 *
 * Context: process; takes head's token twice (the fast path, recursively).
 * Time:    runs token.
 * Returns: the socket, which the caller owns; NULL: EWOULDBLOCK.
 * Kernel:  soaccept_predicate(), sys/kern/uipc_syscalls.c
 */
struct so *soaccept_predicate(struct so_listen *head);

/* Data or EOF came: run the filters of the knotes on so. Time: runs knote. */
void sowakeup(struct so *, int filter);

/* Account so_qlen over time up to now (marks and changes). */
void so_qlen_integrate(struct so_listen *, sim_ns now);

#endif
