#ifndef MODEL_KERN_SOCKET_H
#define MODEL_KERN_SOCKET_H

/*
 * Sockets: connected ones, and listening ones with their completion queue.
 *
 * Kernel: struct socket, sys/sys/socketvar.h; uipc_socket.c, uipc_socket2.c
 *
 * Who may touch a member:
 *	[I]	anyone: immutable after creation
 *	[C]	its protocol thread and its process; where these are on two CPUs
 *		(m_shares) at their instants, as in the kernel by its sockbuf
 *		tokens, which are charged and not followed
 *	[L]	the holder of the listener's pool token
 *	[K]	the holder of the token of the listener's knote list
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

struct netmsg_so_notify;

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
	struct globaldata *so_gd; /* [I] its CPU (so_port) */
	struct knote *so_note;	  /* [C] knotes of so_rcv and so_snd; [K] */
	uint64_t so_touched;	  /* [C] cache mark */
	TAILQ_ENTRY(so) so_list;  /* [L] link on so_head->so_comp */
	struct so *so_head;	  /* [L] listener, NULL once accepted */
	uint32_t so_rcv_cc;	  /* [C] bytes to read */
	uint32_t so_snd_cc;	  /* [C] bytes given to the protocol */
	uint16_t so_state;	  /* [C] SS_* */
	int16_t so_error;	  /* [C] errno to report once */
	uint8_t so_ifindex;	  /* [I] the way to the client */
	uint8_t so_filters;	  /* [C] SOF_*: those of so_note; [K] */
	int16_t so_touch_cpu;	  /* [C] who touched it last */
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

TAILQ_HEAD(so_notifies, netmsg_so_notify);

/*
 * A listening socket. Its so_port is the protocol thread of CPU 0, as
 * tcp_usr_listen() wants it.
 */
struct so_listen {
	struct so sl_so;	     /* first */
	struct tok sl_tok;	     /* its pool token */
	struct tok sl_notetok;	     /* of its knote list */
	struct so_queue so_comp;     /* [L] completed, not yet accepted */
	struct so_notifies sl_mlist; /* [L] accept(2)s that wait */
	int so_qlen;	  /* [L] sockets on so_comp; read by any CPU */
	int so_qlimit;	  /* [I] backlog */
	int sl_index;	  /* [I] in its SO_REUSEPORT group */
	int sl_cpu;	  /* [I] whose marks reset its counts */
	int sl_qmax;	  /* largest so_qlen since the last reset */
	int64_t sl_qsum;  /* integral of so_qlen over ns, since then */
	sim_ns sl_qsince; /* when so_qlen last changed */
	int sl_qpeak;	  /* largest so_qlen since the slice began */
	int64_t sl_qsum0; /* sl_qsum then */
	/* At the last reset. */
	uint64_t sl_syn_drops0, sl_refused0, sl_accepted0;
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

/* Listen. Member `index` of its group; its counts are CPU `cpu`'s. */
void solisten(
    struct so_listen *, struct machine *, int cpu, int qlimit, int index);

/*
 * A call touches the connection's state: fetch what of it has left this CPU's
 * cache, or what another CPU has changed. Time: runs cache_miss, or
 * cache_remote.
 */
static inline void
so_touch(struct globaldata *gd, struct so *so)
{
	const struct cache *ca = &gd->gd_machine->m_cache;

	if (SIM_LIKELY(so->so_touch_cpu == gd->gd_cpu.c_id)) {
		cache_touch(&gd->gd_cpu, ca, &so->so_touched);
		return;
	}
	so->so_touch_cpu = (int16_t)gd->gd_cpu.c_id;
	gd->gd_cpu.c_touched += ca->ca_touch;
	so->so_touched = gd->gd_cpu.c_touched;
	gd_run(gd, COST_cache_remote);
}

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
 * Time:    runs sonewconn, token, knote, wakeup; may sleep for a token.
 * Owns:    the queue owns so until accept.
 * Kernel:  sonewconn_faddr(), sys/kern/uipc_socket2.c; the refusal past 3/2 of
 *          so_qlimit is so_queue_full(), asked by the caller before it
 *          allocates.
 */
void sonewconn(struct so_listen *head, struct so *so);

/*
 * What accept(2) waits for, a message to the listener's protocol thread: on
 * sl_mlist until there is a socket.
 *
 * Kernel: struct netmsg_so_notify, sys/net/netmsg.h
 */
struct netmsg_so_notify {
	struct netmsg_sync sn_msg; /* first */
	TAILQ_ENTRY(netmsg_so_notify) sn_link;
	struct so_listen *sn_head;
	struct so *sn_so; /* what was taken */
	bool sn_nonblock; /* FNONBLOCK */
	int sn_error;	  /* of a satisfied predicate */
};

/*
 * Take the first completed connection.
 *
 * Context: a thread, on any CPU; takes head's token.
 * Time:    runs token, soaccept_predicate; may sleep for a token.
 * Returns: whether the wait is over: sn_so is the socket, which the caller
 *          owns, or sn_error says why there is none (EWOULDBLOCK).
 * Kernel:  soaccept_predicate(), sys/kern/uipc_syscalls.c
 */
bool soaccept_predicate(struct globaldata *, struct netmsg_so_notify *);

/*
 * Ask the predicate, and wait on sl_mlist while it is not satisfied.
 *
 * Context: protocol thread of the listener. Kernel: uipc_msg.c
 */
void netmsg_so_notify_handler(struct globaldata *, struct netmsg *);

/* ns_abort of a netmsg_so_notify: take it off sl_mlist. Time: sleeps. */
void netmsg_so_notify_doabort(struct globaldata *, struct netmsg_sync *);

/*
 * Data or EOF came, or a connection: run the filters of the knotes on so, and
 * satisfy accept(2)s that wait, first come first served.
 *
 * Context: a thread on any CPU. Time: runs knote, token; may sleep for a token.
 */
void sowakeup(struct globaldata *, struct so *, int filter);

/* Account so_qlen over time up to now (marks and changes). */
void so_qlen_integrate(struct so_listen *, sim_ns now);

#endif
