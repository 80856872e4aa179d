#ifndef MODEL_KERN_SOCKBUF_H
#define MODEL_KERN_SOCKBUF_H

/*
 * The receive side of a socket of freebsd-2007: a chain of mbufs under a mutex,
 * and the ways to take data off it.
 *
 * Kernel: sys/kern/uipc_sockbuf.c, uipc_socket.c (7-CURRENT);
 * soreceive_stream() of March 2007 as far as it is known, and of 9-CURRENT
 * Differs: sbcompress() copies nothing (received frames are larger than what it
 *          copies); the reader lock (sblock) has no waiters: one reader.
 */
#include "model/hw/cache.h"
#include "model/kern/mutex.h"

#define SB_MSIZE 256 /* bytes of an mbuf, which count with its cluster */

/* An mbuf with its cluster, as far as a socket buffer looks at it. */
struct sb_mbuf {
	uint32_t m_len;	   /* of data, left */
	uint32_t m_size;   /* counted against sb_mbmax */
	sim_ns m_arrived;  /* at the card */
	sim_ns m_appended; /* here */
};

/*
 * All under sb_mtx. The chain is a power-of-two ring: sb_head is the first
 * mbuf, and an mbuf keeps its index when the ring grows.
 */
struct sockbuf {
	struct mtx sb_mtx;
	struct sb_mbuf *sb_chain;
	uint32_t sb_mask, sb_head, sb_tail;
	uint32_t sb_cc, sb_hiwat;    /* bytes of data */
	uint32_t sb_mbcnt, sb_mbmax; /* bytes of mbufs */
	struct thread *sb_waiter;    /* SB_WAIT: in sbwait() */
	bool sb_cantrcvmore;
};

struct bsd_so;

#define UIO_PIECE 512 /* bytes */

/* The target of a copy: a process's buffers, cycled. */
struct uio_target {
	uint64_t *ut_marks; /* by piece: when it was written, see uiomove() */
	uint64_t ut_pieces;
	uint64_t ut_next; /* piece that is written next */
};

/* What the protocol does for a socket. */
struct bsd_usrreqs {
	/*
	 * Data was taken: send a window update if one is due.
	 * Context: a thread, without locks. Time: runs pru_rcvd.
	 */
	void (*pru_rcvd)(struct thread *, struct bsd_so *);
	/* Space came free. Context: sb_mtx held. Time: none. */
	void (*pru_space)(struct bsd_so *, uint32_t len);
};

struct bsd_so {
	struct machine *so_machine;
	struct sockbuf so_rcv;
	const struct bsd_usrreqs *so_proto;
	struct sb_mbuf *so_cut; /* mbufs that soreceive() has cut off */
	uint32_t so_ncut;	/* room for them */
	uint32_t so_inhand;	/* m_size of those not yet copied */
	uint64_t so_calls;	/* soreceive() */
	/* An mbuf, or a part of it, is with the process. May be NULL. */
	void (*so_account)(void *, const struct sb_mbuf *, sim_ns copied);
	void *so_account_arg;
};

void sb_init(struct sockbuf *, uint32_t hiwat, int64_t sb_max);
void so_bsd_fini(struct bsd_so *);

/* What may still be appended, by mbufs. Kernel: a part of sbspace() */
static inline uint32_t
sb_mbspace(const struct sockbuf *sb)
{
	return sb->sb_mbcnt < sb->sb_mbmax ? sb->sb_mbmax - sb->sb_mbcnt : 0;
}

/* Append an mbuf. Context: sb_mtx held. Time: none. */
void sb_append(struct sockbuf *, const struct sb_mbuf *);

/*
 * recv(2) of up to `len` bytes. Sleeps until there is something.
 *
 * Context: a thread. Time: runs soreceive, uiomove, m_free, locks; sleeps.
 * Returns: bytes; 0 at the end of the stream.
 */
uint32_t soreceive(
    struct thread *, struct bsd_so *, struct uio_target *, uint32_t len);

#endif
