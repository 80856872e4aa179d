#include "model/kern/event.h"

#include <errno.h>
#include <string.h>

#include "model/kern/file.h"
#include "model/kern/sched.h"
#include "model/kern/socket.h"
#include "model/trace.h"

static int kqueue_register(
    struct proc *, struct kqueue *, const struct kevent *);
static int kqueue_scan(
    struct kqueue *, struct knote *marker, struct kevent *, int);
static void knote_enqueue(struct knote *);
static void knote_dequeue(struct knote *);
static void knote_activate(struct knote *);
static void knote_drop(struct knote *);
static bool filt_event(struct knote *);
static bool filt_soread(struct knote *);
static bool filt_sowrite(struct knote *);
static bool filt_solisten(struct knote *);

void
kqueue_init(struct kqueue *kq, struct globaldata *gd)
{
	memset(kq, 0, sizeof(*kq));
	kq->kq_gd = gd;
	TAILQ_INIT(&kq->kq_knpend);
}

int
kern_kevent(struct proc *p, struct kqueue *kq, const struct kevent *changes,
    int nchanges, struct kevent *ev, int nevents)
{
	struct globaldata *gd = kq->kq_gd;
	struct knote marker = { .kn_kq = kq };
	int n = 0;

	gd_run(gd, COST_kevent);
	kq->kq_calls++;
	for (int i = 0; i < nchanges; i++) {
		int error;

		if (i + 1 < nchanges)
			so_prefetch(fd_so(p, changes[i + 1].ident));
		error = kqueue_register(p, kq, &changes[i]);

		if (error != 0 && n < nevents) {
			ev[n] = changes[i];
			ev[n].flags = EV_ERROR;
			ev[n].data = error;
			n++;
		}
	}
	if (n != 0 || nevents == 0)
		return n;

	/* Only knotes before the marker are looked at: each once a call. */
	for (;;) {
		while (kq->kq_count == 0) {
			kq->kq_sleeper = p->p_thread;
			tsleep(p->p_thread);
			kq->kq_sleeper = NULL;
		}
		TAILQ_INSERT_TAIL(&kq->kq_knpend, &marker, kn_tqe);
		while (n < nevents) {
			int want = nevents - n, got;

			if (want > KQ_NEVENTS)
				want = KQ_NEVENTS;
			got = kqueue_scan(kq, &marker, ev + n, want);
			n += got;
			if (got < want)
				break;
		}
		TAILQ_REMOVE(&kq->kq_knpend, &marker, kn_tqe);
		if (n != 0)
			break;
	}
	kq->kq_events += n;
	return n;
}

/*
 * One change: find the descriptor, make or change the knote, run the filter
 * at once.
 */
static int
kqueue_register(struct proc *p, struct kqueue *kq, const struct kevent *kev)
{
	struct globaldata *gd = kq->kq_gd;
	struct so *so = fd_so(p, kev->ident);
	struct knote *kn;

	gd_run(gd, COST_kevent_change);
	kq->kq_changes++;
	if (so == NULL)
		return EBADF;
	for (kn = so->so_note; kn != NULL; kn = kn->kn_next)
		if (kn->kn_filter == kev->filter && kn->kn_kq == kq)
			break;
	if (kev->flags & EV_DELETE) {
		if (kn == NULL)
			return ENOENT;
		knote_drop(kn);
		return 0;
	}
	if (kn == NULL) {
		kn = sim_pool_get(&gd->gd_knote_pool);
		memset(kn, 0, sizeof(*kn));
		kn->kn_kq = kq;
		kn->kn_so = so;
		kn->kn_fd = kev->ident;
		kn->kn_filter = kev->filter;
		kn->kn_next = so->so_note;
		so->so_note = kn;
		so->so_filters |=
		    kev->filter == EVFILT_READ ? SOF_READ : SOF_WRITE;
	}
	kn->kn_flags = kev->flags & EV_CLEAR;
	kn->kn_udata = kev->udata;
	if (filt_event(kn))
		knote_activate(kn);
	return 0;
}

/* Tell the processor what the next two knotes will touch. */
static void
kqueue_prefetch(const struct kqueue *kq)
{
	const struct knote *next = TAILQ_FIRST(&kq->kq_knpend);

	if (next == NULL)
		return;
	so_prefetch(next->kn_so);
	__builtin_prefetch(TAILQ_NEXT(next, kn_tqe));
}

/*
 * Collect up to `want` knotes that stand before the marker. A level-triggered
 * knote that is still true goes to the tail, behind the marker; an EV_CLEAR
 * one waits for its next activation.
 */
static int
kqueue_scan(
    struct kqueue *kq, struct knote *marker, struct kevent *ev, int want)
{
	struct globaldata *gd = kq->kq_gd;
	int n = 0;

	gd_run(gd, COST_token);
	while (n < want) {
		struct knote *kn = TAILQ_FIRST(&kq->kq_knpend);

		if (kn == marker)
			break;
		knote_dequeue(kn);
		kqueue_prefetch(kq);
		gd_run(gd, COST_kevent_event);
		if (!filt_event(kn)) {
			kn->kn_status &= ~KN_ACTIVE;
			continue;
		}
		ev[n].ident = kn->kn_fd;
		ev[n].filter = kn->kn_filter;
		ev[n].flags = kn->kn_flags;
		ev[n].data = kn->kn_data;
		ev[n].udata = kn->kn_udata;
		n++;
		if (kn->kn_flags & EV_CLEAR)
			kn->kn_status &= ~KN_ACTIVE;
		else
			knote_enqueue(kn);
		SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_KEVENT,
		    kn->kn_so->so_flow, kn->kn_fd, kn->kn_data);
	}
	return n;
}

void
knote(struct so *so, int filter)
{
	struct globaldata *gd = so->so_gd;

	for (struct knote *kn = so->so_note; kn != NULL; kn = kn->kn_next) {
		if (kn->kn_filter != filter)
			continue;
		gd_run(gd, COST_knote);
		if (filt_event(kn))
			knote_activate(kn);
	}
}

void
knote_fdclose(struct so *so)
{
	while (so->so_note != NULL)
		knote_drop(so->so_note);
}

static void
knote_drop(struct knote *kn)
{
	struct knote **knp = &kn->kn_so->so_note;

	while (*knp != kn)
		knp = &(*knp)->kn_next;
	*knp = kn->kn_next;
	kn->kn_so->so_filters &=
	    (uint8_t) ~(kn->kn_filter == EVFILT_READ ? SOF_READ : SOF_WRITE);
	if (kn->kn_status & KN_QUEUED)
		knote_dequeue(kn);
	sim_pool_put(&kn->kn_kq->kq_gd->gd_knote_pool, kn);
}

/* KNOTE_ACTIVATE: a knote that is queued already changes nothing. */
static void
knote_activate(struct knote *kn)
{
	struct kqueue *kq = kn->kn_kq;

	kn->kn_status |= KN_ACTIVE;
	if (kn->kn_status & KN_QUEUED)
		return;
	knote_enqueue(kn);
	if (kq->kq_sleeper != NULL)
		wakeup(kq->kq_gd, kq->kq_sleeper);
}

static void
knote_enqueue(struct knote *kn)
{
	TAILQ_INSERT_TAIL(&kn->kn_kq->kq_knpend, kn, kn_tqe);
	kn->kn_status |= KN_QUEUED;
	kn->kn_kq->kq_count++;
}

static void
knote_dequeue(struct knote *kn)
{
	TAILQ_REMOVE(&kn->kn_kq->kq_knpend, kn, kn_tqe);
	kn->kn_status &= ~KN_QUEUED;
	kn->kn_kq->kq_count--;
}

static bool
filt_event(struct knote *kn)
{
	if (kn->kn_so->so_state & SS_ACCEPTCONN)
		return filt_solisten(kn);
	if (kn->kn_filter == EVFILT_WRITE)
		return filt_sowrite(kn);
	return filt_soread(kn);
}

static bool
filt_soread(struct knote *kn)
{
	struct so *so = kn->kn_so;

	kn->kn_data = so->so_rcv_cc;
	if (so->so_state & SS_CANTRCVMORE) {
		kn->kn_flags |= EV_EOF;
		return true;
	}
	return so->so_error != 0 || kn->kn_data > 0;
}

static bool
filt_sowrite(struct knote *kn)
{
	struct so *so = kn->kn_so;

	kn->kn_data = (int32_t)so_snd_space(so);
	if (so->so_state & SS_PCBGONE) {
		kn->kn_flags |= EV_EOF;
		return true;
	}
	return so->so_error != 0 || kn->kn_data >= 2048;
}

/* Ready whenever a socket waits; kern.ipc.soavailconn bounds what is told. */
static bool
filt_solisten(struct knote *kn)
{
	struct so_listen *head = (struct so_listen *)kn->kn_so;
	struct globaldata *gd = kn->kn_kq->kq_gd;
	int64_t limit = gd->gd_machine->m_sysctl->soavailconn;

	kn->kn_data = head->so_qlen;
	if (limit > 0 && kn->kn_data > limit)
		kn->kn_data = (int32_t)limit;
	return !TAILQ_EMPTY(&head->so_comp);
}
