#include "model/kern/event.h"

#include <errno.h>
#include <string.h>

#include "model/kern/file.h"
#include "model/kern/sched.h"
#include "model/kern/socket.h"
#include "model/trace.h"

static int kqueue_changes(struct proc *, struct kqueue *, const struct kevent *,
    int, struct kevent *, int);
static int kqueue_collect(
    struct proc *, struct kqueue *, struct kevent *, int nevents);
static int kqueue_register(
    struct proc *, struct kqueue *, const struct kevent *);
static int knote_change(struct kqueue *, struct so *, const struct kevent *);
static int kqueue_scan(
    struct kqueue *, struct knote *marker, struct kevent *, int);
static struct knote *so_knote(const struct so *, int filter, int nth);
static bool knote_one(struct globaldata *, struct knote *, const struct so *of);
static void knote_enqueue(struct knote *);
static void knote_dequeue(struct knote *);
static bool knote_enqueue_active(struct knote *);
static void knote_activate(struct globaldata *, struct knote *);
static void knote_drop(struct knote *);
static bool filt_event(struct knote *);
static bool filt_soread(struct knote *);
static bool filt_sowrite(struct knote *);
static bool filt_solisten(struct knote *);

void
kqueue_init(struct kqueue *kq, struct globaldata *gd, int index)
{
	memset(kq, 0, sizeof(*kq));
	kq->kq_gd = gd;
	tok_init(gd->gd_machine, &kq->kq_tok, "kqueue", index);
	TAILQ_INIT(&kq->kq_knpend);
}

int
kern_kevent(struct proc *p, struct kqueue *kq, const struct kevent *changes,
    int nchanges, struct kevent *ev, int nevents)
{
	struct globaldata *gd = kq->kq_gd;
	bool held = gd->gd_machine->m_rules->kr_kqueue_held;
	int n;

	gd_run(gd, COST_kevent);
	if (held)
		lwkt_gettoken(gd, &kq->kq_tok);
	kq->kq_calls++;
	n = kqueue_changes(p, kq, changes, nchanges, ev, nevents);
	if (n == 0 && nevents > 0)
		n = kqueue_collect(p, kq, ev, nevents);
	if (held)
		lwkt_reltoken(gd, &kq->kq_tok);
	return n;
}

/* Returns: those that failed. */
static int
kqueue_changes(struct proc *p, struct kqueue *kq, const struct kevent *changes,
    int nchanges, struct kevent *ev, int nevents)
{
	int n = 0;

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
	return n;
}

/* Only knotes before the marker are looked at: each once a call. */
static int
kqueue_collect(
    struct proc *p, struct kqueue *kq, struct kevent *ev, int nevents)
{
	struct globaldata *gd = kq->kq_gd;
	struct knote marker = { .kn_kq = kq };
	int n = 0;

	while (n == 0) {
		lwkt_gettoken(gd, &kq->kq_tok);
		while (kq->kq_count == 0) {
			kq->kq_sleeper = p->p_thread;
			tsleep(p->p_thread);
			kq->kq_sleeper = NULL;
		}
		TAILQ_INSERT_TAIL(&kq->kq_knpend, &marker, kn_tqe);
		lwkt_reltoken(gd, &kq->kq_tok);
		while (n < nevents) {
			int want = nevents - n, got;

			if (want > KQ_NEVENTS)
				want = KQ_NEVENTS;
			got = kqueue_scan(kq, &marker, ev + n, want);
			n += got;
			if (got < want)
				break;
		}
		lwkt_gettoken(gd, &kq->kq_tok);
		TAILQ_REMOVE(&kq->kq_knpend, &marker, kn_tqe);
		lwkt_reltoken(gd, &kq->kq_tok);
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
	int error = 0;

	gd_run(gd, COST_kevent_change);
	kq->kq_changes++;
	if (so == NULL)
		return EBADF;
	lwkt_gettoken(gd, &kq->kq_tok);
	if (so->so_state & SS_ACCEPTCONN) {
		struct tok *tok = &((struct so_listen *)so)->sl_notetok;

		lwkt_gettoken(gd, tok);
		error = knote_change(kq, so, kev);
		lwkt_reltoken(gd, tok);
	} else {
		error = knote_change(kq, so, kev);
	}
	lwkt_reltoken(gd, &kq->kq_tok);
	return error;
}

/* Takes no time: nobody sees it half done. */
static int
knote_change(struct kqueue *kq, struct so *so, const struct kevent *kev)
{
	struct knote *kn;

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
		kn = sim_pool_get(&kq->kq_gd->gd_knote_pool);
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
		knote_enqueue_active(kn);
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

	lwkt_gettoken(gd, &kq->kq_tok);
	while (n < want) {
		struct knote *kn = TAILQ_FIRST(&kq->kq_knpend);

		if (kn == marker)
			break;
		kqueue_prefetch(kq);
		gd_run(gd, COST_kevent_event);
		knote_dequeue(kn);
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
	lwkt_reltoken(gd, &kq->kq_tok);
	return n;
}

void
knote(struct globaldata *gd, struct so *so, int filter)
{
	struct tok *tok = &((struct so_listen *)so)->sl_notetok;
	struct knote *kn;

	if (so->so_state & SS_ACCEPTCONN) {
		lwkt_gettoken(gd, tok);
		kn = so->so_note;
		while (kn != NULL)
			kn = knote_one(gd, kn, so) ? kn->kn_next : so->so_note;
		lwkt_reltoken(gd, tok);
		return;
	}
	gd_run(gd, COST_token);
	for (int n = 0; (kn = so_knote(so, filter, n)) != NULL; n++)
		knote_one(gd, kn, so);
}

/*
 * The nth knote of this kind. A connection's list has no token that is
 * followed, and its process may close it while we wait for the kqueue's.
 */
static struct knote *
so_knote(const struct so *so, int filter, int nth)
{
	struct knote *kn;

	for (kn = so->so_note; kn != NULL; kn = kn->kn_next)
		if (kn->kn_filter == filter && nth-- == 0)
			break;
	return kn;
}

static bool
so_has_knote(const struct so *so, const struct knote *kn)
{
	const struct knote *at = so->so_note;

	while (at != NULL && at != kn)
		at = at->kn_next;
	return at != NULL;
}

/*
 * Returns: whether it was still on `of`'s list when its kqueue's token was
 * there: while we wait for that, its process may delete it.
 */
static bool
knote_one(struct globaldata *gd, struct knote *kn, const struct so *of)
{
	struct kqueue *kq = kn->kn_kq;
	bool there;

	lwkt_gettoken(gd, &kq->kq_tok);
	gd_run(gd, COST_knote);
	there = so_has_knote(of, kn) && kn->kn_kq == kq;
	if (there && filt_event(kn))
		knote_activate(gd, kn);
	lwkt_reltoken(gd, &kq->kq_tok);
	return there;
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
	struct so *so = kn->kn_so;
	struct knote **knp = &so->so_note;

	while (*knp != kn)
		knp = &(*knp)->kn_next;
	*knp = kn->kn_next;
	/* Another kqueue may have one of this kind. */
	if (so_knote(so, kn->kn_filter, 0) == NULL)
		so->so_filters &= (uint8_t) ~(
		    kn->kn_filter == EVFILT_READ ? SOF_READ : SOF_WRITE);
	if (kn->kn_status & KN_QUEUED)
		knote_dequeue(kn);
	sim_pool_put(&kn->kn_kq->kq_gd->gd_knote_pool, kn);
}

/* A knote that is queued already changes nothing. Returns: it was not. */
static bool
knote_enqueue_active(struct knote *kn)
{
	kn->kn_status |= KN_ACTIVE;
	if (kn->kn_status & KN_QUEUED)
		return false;
	knote_enqueue(kn);
	return true;
}

/* KNOTE_ACTIVATE. */
static void
knote_activate(struct globaldata *gd, struct knote *kn)
{
	struct kqueue *kq = kn->kn_kq;
	struct thread *td = kq->kq_sleeper;

	if (!knote_enqueue_active(kn) || td == NULL)
		return;
	kq->kq_sleeper = NULL;
	wakeup(gd, td);
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
