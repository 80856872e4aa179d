#ifndef MODEL_KERN_MSGPORT_H
#define MODEL_KERN_MSGPORT_H

/*
 * Message ports. A message is embedded in what it carries; a port is a FIFO of
 * them.
 *
 * Kernel: lwkt_sendmsg_oncpu(), sys/kern/lwkt_msgport.c
 * Differs: only asynchronous messages: in this kernel nothing on the way of a
 *          connection blocks. To other CPUs: kern/ipiq.h.
 */
#include <stdbool.h>
#include <stddef.h>

struct globaldata;

struct netmsg {
	struct netmsg *nm_next;
	/* Runs in the port's protocol thread. Borrows nothing. */
	void (*nm_dispatch)(struct globaldata *, struct netmsg *);
	bool nm_queued; /* sent and not yet taken (MSGF_QUEUED) */
};

struct msgport {
	struct netmsg *mp_head, **mp_tailp;
};

static inline void
msgport_init(struct msgport *mp)
{
	mp->mp_head = NULL;
	mp->mp_tailp = &mp->mp_head;
}

static inline void
msgport_put(struct msgport *mp, struct netmsg *nm)
{
	nm->nm_next = NULL;
	nm->nm_queued = true;
	*mp->mp_tailp = nm;
	mp->mp_tailp = &nm->nm_next;
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
	return nm;
}

/* The message's owner, from its address. */
#define msg_owner(nm, type, member) \
	((type *)(void *)((char *)(nm)-offsetof(type, member)))

#endif
