#ifndef MODEL_KERN_EVENT_H
#define MODEL_KERN_EVENT_H

/*
 * kqueue.
 *
 * Tokens are followed where several CPUs use them: a listener's knote list has
 * one, and each kqueue. In 2011 kevent(2) holds the kqueue's all the time but
 * while it sleeps; in 2017 for each change, each scan of up to eight events,
 * and when the scan's marker is moved.
 *
 * Kernel: sys/kern/kern_event.c, filt_soread() and filt_solisten() in
 *         sys/kern/uipc_socket.c
 * Differs: EVFILT_READ and EVFILT_WRITE of sockets only; one thread a kqueue;
 *          no EV_ONESHOT, EV_DISABLE.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "model/kern/token.h"

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)

#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_CLEAR 0x0020
#define EV_EOF 0x8000
#define EV_ERROR 0x4000

#define KQ_NEVENTS 8 /* moved between kernel and process at a time */

struct so;
struct proc;
struct thread;
struct globaldata;

struct kevent {
	int ident; /* descriptor */
	int16_t filter;
	uint16_t flags;
	int64_t data;
	void *udata;
};

#define KN_ACTIVE 0x01 /* the filter was true since it was last collected */
#define KN_QUEUED 0x02 /* on kq_knpend */

struct knote {
	TAILQ_ENTRY(knote) kn_tqe; /* link on kq_knpend */
	struct kqueue *kn_kq;
	struct so *kn_so;      /* NULL: a scan's marker */
	struct knote *kn_next; /* of the socket's knotes */
	void *kn_udata;
	int32_t kn_data;
	int kn_fd;
	int16_t kn_filter;
	uint16_t kn_flags;  /* EV_CLEAR, EV_EOF */
	uint16_t kn_status; /* KN_* */
};

_Static_assert(sizeof(struct knote) <= 64, "one cache line");

TAILQ_HEAD(knotelist, knote);

struct kqueue {
	struct globaldata *kq_gd;   /* [I] of the thread that waits in it */
	struct tok kq_tok;	    /* protects all below, and its knotes */
	struct knotelist kq_knpend; /* in order of activation */
	int kq_count;		    /* knotes on it */
	struct thread *kq_sleeper;  /* who waits in kevent(2) */
	uint64_t kq_calls, kq_events, kq_changes;
};

void kqueue_init(struct kqueue *, struct globaldata *, int index);

/*
 * kevent(2): register changes, then collect up to nevents events, sleeping
 * until there is one.
 *
 * Context: process p, in the kernel (between userenter and userexit).
 * Time:    runs kevent, kevent_change, kevent_event; may sleep.
 * Returns: number of events in ev. A change that fails is returned as an event
 *          with EV_ERROR and an errno in data, and then nothing is waited for.
 */
int kern_kevent(struct proc *, struct kqueue *, const struct kevent *changes,
    int nchanges, struct kevent *ev, int nevents);

/*
 * Run the filters of so's knotes of this kind; queue what is ready, and wake
 * the threads that wait for it: each kqueue on a listener has its knote.
 *
 * Context: a thread on any CPU. Time: runs knote, token; may sleep for a token.
 */
void knote(struct globaldata *, struct so *, int filter);

/* The descriptor goes away: drop its knotes. Not of a listener. */
void knote_fdclose(struct so *);

#endif
