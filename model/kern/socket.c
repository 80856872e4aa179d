#include "model/kern/socket.h"

#include <errno.h>
#include <string.h>

#include "model/kern/sched.h"
#include "model/trace.h"

void
so_init(struct so *so, struct globaldata *gd, const struct pr_usrreqs *pr,
    uint32_t flow)
{
	memset(so, 0, sizeof(*so));
	so->so_gd = gd;
	so->so_proto = pr;
	so->so_flow = flow;
	so->so_state = SS_NOFDREF;
	so->so_touch_cpu = (int16_t)gd->gd_cpu.c_id;
}

void
solisten(
    struct so_listen *head, struct machine *m, int cpu, int qlimit, int index)
{
	memset(head, 0, sizeof(*head));
	head->sl_so.so_gd = m->m_gd[0];
	head->sl_so.so_state = SS_ACCEPTCONN;
	tok_init(m, &head->sl_tok, "listener", index);
	tok_init(m, &head->sl_notetok, "listener's knotes", index);
	TAILQ_INIT(&head->so_comp);
	TAILQ_INIT(&head->sl_mlist);
	head->so_qlimit = qlimit;
	head->sl_cpu = cpu;
	head->sl_index = index;
}

static void
so_qlen_trace(const struct globaldata *gd, const struct so_listen *head)
{
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SO_QLEN, 0,
	    head->sl_index, head->so_qlen);
}

void
sonewconn(struct so_listen *head, struct so *so)
{
	struct globaldata *gd = so->so_gd;

	gd_run(gd, COST_sonewconn);
	lwkt_gettoken(gd, &head->sl_tok);
	so_qlen_integrate(head, gd->gd_cpu.c_now);
	so->so_head = &head->sl_so;
	so->so_state |= SS_COMP;
	TAILQ_INSERT_TAIL(&head->so_comp, so, so_list);
	head->so_qlen++;
	head->sl_completed++;
	if (head->so_qlen > head->sl_qpeak) {
		head->sl_qpeak = head->so_qlen;
		if (head->so_qlen > head->sl_qmax)
			head->sl_qmax = head->so_qlen;
	}
	so->so_comped = gd->gd_cpu.c_now;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SONEWCONN,
	    so->so_flow, head->so_qlen, head->so_qlimit);
	so_qlen_trace(gd, head);
	lwkt_reltoken(gd, &head->sl_tok);
	sowakeup(gd, &head->sl_so, EVFILT_READ);
}

bool
soaccept_predicate(struct globaldata *gd, struct netmsg_so_notify *sn)
{
	struct so_listen *head = sn->sn_head;
	struct so *so;

	lwkt_gettoken(gd, &head->sl_tok);
	gd_run(gd, COST_soaccept_predicate);
	so = TAILQ_FIRST(&head->so_comp);
	if (so == NULL) {
		lwkt_reltoken(gd, &head->sl_tok);
		sn->sn_error = sn->sn_nonblock ? EWOULDBLOCK : 0;
		return sn->sn_nonblock;
	}
	so_qlen_integrate(head, gd->gd_cpu.c_now);
	so_prefetch(TAILQ_NEXT(so, so_list));
	TAILQ_REMOVE(&head->so_comp, so, so_list);
	head->so_qlen--;
	head->sl_accepted++;
	so->so_head = NULL;
	so->so_state &= ~(SS_COMP | SS_NOFDREF);
	so->so_accepted = gd->gd_cpu.c_now;
	sn->sn_so = so;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_ACCEPT,
	    so->so_flow, head->so_qlen, head->so_qlimit);
	so_qlen_trace(gd, head);
	lwkt_reltoken(gd, &head->sl_tok);
	return true;
}

void
netmsg_so_notify_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct netmsg_so_notify *sn =
	    msg_owner(nm, struct netmsg_so_notify, sn_msg.ns_msg);
	struct so_listen *head = sn->sn_head;
	bool satisfied;

	lwkt_gettoken(gd, &head->sl_tok);
	satisfied = soaccept_predicate(gd, sn);
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_NOTIFY,
	    sn->sn_so != NULL ? sn->sn_so->so_flow : 0, satisfied, !satisfied);
	if (!satisfied)
		TAILQ_INSERT_TAIL(&head->sl_mlist, sn, sn_link);
	lwkt_reltoken(gd, &head->sl_tok);
	if (satisfied)
		lwkt_replymsg(gd, &sn->sn_msg, sn->sn_error);
}

/* A message to where the other one is, or is going to. */
struct netmsg_so_notify_abort {
	struct netmsg_sync sa_msg; /* first */
	struct netmsg_so_notify *sa_notify;
};

/*
 * The other message lives until this one is replied to: its thread waits for
 * this reply first.
 */
static void
netmsg_so_notify_abort(struct globaldata *gd, struct netmsg *nm)
{
	struct netmsg_so_notify_abort *sa =
	    msg_owner(nm, struct netmsg_so_notify_abort, sa_msg.ns_msg);
	struct netmsg_so_notify *sn = sa->sa_notify;
	struct so_listen *head = sn->sn_head;
	bool waits;

	lwkt_gettoken(gd, &head->sl_tok);
	waits = !sn->sn_msg.ns_replied;
	if (waits)
		TAILQ_REMOVE(&head->sl_mlist, sn, sn_link);
	lwkt_reltoken(gd, &head->sl_tok);
	if (waits)
		lwkt_replymsg(gd, &sn->sn_msg, EINTR);
	lwkt_replymsg(gd, &sa->sa_msg, 0);
}

void
netmsg_so_notify_doabort(struct globaldata *gd, struct netmsg_sync *ns)
{
	struct netmsg_so_notify *sn =
	    msg_owner(ns, struct netmsg_so_notify, sn_msg);
	struct netmsg_so_notify_abort sa = {
		.sa_msg.ns_msg.nm_dispatch = netmsg_so_notify_abort,
		.sa_notify = sn,
	};

	if (!ns->ns_replied)
		lwkt_domsg(gd, sn->sn_head->sl_so.so_gd, &sa.sa_msg);
}

/* In the order of their coming; all of them are asked. */
static void
so_notify_waiters(struct globaldata *gd, struct so_listen *head)
{
	struct netmsg_so_notify *sn, *next;

	lwkt_gettoken(gd, &head->sl_tok);
	for (sn = TAILQ_FIRST(&head->sl_mlist); sn != NULL; sn = next) {
		next = TAILQ_NEXT(sn, sn_link);
		if (!soaccept_predicate(gd, sn))
			continue;
		TAILQ_REMOVE(&head->sl_mlist, sn, sn_link);
		lwkt_replymsg(gd, &sn->sn_msg, sn->sn_error);
	}
	lwkt_reltoken(gd, &head->sl_tok);
}

void
so_stamp(struct so *so, sim_ns now)
{
	struct stages *sg = so->so_stages;

	if (sg->sg_gen != so->so_gen)
		return;
	sg->sg_at[STAMP_COMP] = so->so_comped;
	sg->sg_at[STAMP_ACCEPT] = so->so_accepted;
	sg->sg_at[STAMP_READ] = so->so_read;
	sg->sg_at[STAMP_SEND] = now;
}

void
sowakeup(struct globaldata *gd, struct so *so, int filter)
{
	if (so->so_filters & (filter == EVFILT_READ ? SOF_READ : SOF_WRITE))
		knote(gd, so, filter);
	if ((so->so_state & SS_ACCEPTCONN) &&
	    !TAILQ_EMPTY(&((struct so_listen *)so)->sl_mlist))
		so_notify_waiters(gd, (struct so_listen *)so);
}

void
so_qlen_integrate(struct so_listen *head, sim_ns now)
{
	head->sl_qsum += head->so_qlen * (now - head->sl_qsince);
	head->sl_qsince = now;
}
