#ifndef MODEL_KERN_MSGPORT_H
#define MODEL_KERN_MSGPORT_H

/*
 * Message ports. A message is embedded in what it carries, or lies on the stack
 * of who waits for the reply; a port is a FIFO of them. Each CPU has one, its
 * protocol thread's.
 *
 * Kernel: sys/sys/msgport.h, sys/kern/lwkt_msgport.c
 */
#include <stdbool.h>
#include <stddef.h>

#include "model/kern/ipiq.h"

struct globaldata;
struct thread;

struct netmsg {
	struct netmsg *nm_next;
	/* Runs in the port's protocol thread. Borrows nothing. */
	void (*nm_dispatch)(struct globaldata *, struct netmsg *);
	bool nm_queued; /* sent and not yet taken (MSGF_QUEUED) */
};

/* A message that its sender waits for (MSGF_SYNC), on the sender's stack. */
struct netmsg_sync {
	struct netmsg ns_msg; /* first */
	struct thread *ns_td; /* who waits: its port is the reply port */
	struct ipimsg ns_reply;
	int ns_error;
	bool ns_replied; /* MSGF_REPLY: perhaps not seen by ns_td yet */
	bool ns_done;	 /* MSGF_DONE */
	/* Let the reply come soon (a signal). NULL: it cannot be hurried. */
	void (*ns_abort)(struct globaldata *, struct netmsg_sync *);
};

struct msgport {
	struct netmsg *mp_head, **mp_tailp;
	uint64_t mp_nput, mp_nget; /* messages, ever */
};

static inline void
msgport_init(struct msgport *mp)
{
	mp->mp_head = NULL;
	mp->mp_tailp = &mp->mp_head;
	mp->mp_nput = mp->mp_nget = 0;
}

static inline void
msgport_put(struct msgport *mp, struct netmsg *nm)
{
	nm->nm_next = NULL;
	nm->nm_queued = true;
	*mp->mp_tailp = nm;
	mp->mp_tailp = &nm->nm_next;
	mp->mp_nput++;
}

static inline struct netmsg *
msgport_get(struct msgport *mp)
{
	struct netmsg *nm = mp->mp_head;

	if (nm == NULL)
		return NULL;
	mp->mp_head = nm->nm_next;
	if (mp->mp_head == NULL)
		mp->mp_tailp = &mp->mp_head;
	nm->nm_queued = false;
	mp->mp_nget++;
	return nm;
}

/*
 * Send a message to the protocol thread of CPU `to`, which may be another. If
 * that thread waits it is woken, by an IPI where need be.
 *
 * Context: CPU `from`. Time: runs msg_send, and wakeup (and an IPI).
 * Owns:    the port until dispatch.
 */
void lwkt_sendmsg(
    struct globaldata *from, struct globaldata *to, struct netmsg *);

/*
 * Send a message, and wait for the reply. A signal to the waiting thread calls
 * ns_abort, once, and the wait goes on.
 *
 * Context: the current thread of CPU `from`, not a protocol thread.
 * Time:    runs msg_send and wakeup; sleeps. ns_done may be set before.
 * Returns: what was replied.
 * Kernel:  lwkt_domsg(PCATCH), lwkt_thread_waitmsg()
 */
int lwkt_domsg(
    struct globaldata *from, struct globaldata *to, struct netmsg_sync *);

/*
 * Reply to a synchronous message: its thread becomes runnable.
 *
 * Context: any CPU of the machine. Time: runs msg_reply, or an IPI.
 * Kernel:  lwkt_replymsg(), lwkt_thread_replyport()
 */
void lwkt_replymsg(struct globaldata *, struct netmsg_sync *, int error);

/* The message's owner, from its address. */
#define msg_owner(nm, type, member) \
	((type *)(void *)((char *)(nm)-offsetof(type, member)))

#endif
