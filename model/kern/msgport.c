#include "model/kern/msgport.h"

#include "model/kern/sched.h"
#include "model/trace.h"

static void reply_remote(struct globaldata *, struct ipimsg *);

void
lwkt_sendmsg(struct globaldata *from, struct globaldata *to, struct netmsg *nm)
{
	struct netisr *ni = &to->gd_netisr;

	SIM_ASSERT(!nm->nm_queued && (from == to || from->gd_ipiq != NULL));
	gd_run(from, COST_msg_send);
	msgport_put(&ni->ni_port, nm);
	SIM_TRACE(from->gd_cpu.c_now, from->gd_cpu.c_where, TRACE_MSG_SEND, 0,
	    to->gd_cpu.c_id, (int64_t)ni->ni_port.mp_nput);
	if (ni->ni_waiting) {
		ni->ni_waiting = false;
		wakeup(from, ni->ni_thread);
	}
}

int
lwkt_domsg(
    struct globaldata *from, struct globaldata *to, struct netmsg_sync *ns)
{
	bool aborted = false;

	ns->ns_td = from->gd_curthread;
	ns->ns_reply.im_func = reply_remote;
	from->gd_domsgs++;
	lwkt_sendmsg(from, to, &ns->ns_msg);
	while (!ns->ns_done) {
		if (aborted || ns->ns_abort == NULL) {
			tsleep(ns->ns_td);
		} else if (tsleep_catch(ns->ns_td) != 0 && !ns->ns_done) {
			aborted = true;
			ns->ns_abort(from, ns);
		}
	}
	SIM_TRACE(from->gd_cpu.c_now, from->gd_cpu.c_where, TRACE_DOMSG, 0,
	    to->gd_cpu.c_id, ns->ns_error);
	return ns->ns_error;
}

/* Nothing of the message may be touched once it is done: its thread returns. */
static void
reply_done(struct globaldata *gd, struct netmsg_sync *ns)
{
	struct thread *td = ns->ns_td;

	ns->ns_done = true;
	lwkt_schedule(gd, td);
}

void
lwkt_replymsg(struct globaldata *gd, struct netmsg_sync *ns, int error)
{
	SIM_ASSERT(!ns->ns_replied);
	ns->ns_error = error;
	ns->ns_replied = true;
	if (ns->ns_td->td_gd == gd) {
		gd_run(gd, COST_msg_reply);
		reply_done(gd, ns);
	} else {
		lwkt_send_ipiq(gd, ns->ns_td->td_gd, &ns->ns_reply);
	}
}

static void
reply_remote(struct globaldata *gd, struct ipimsg *im)
{
	gd_run(gd, COST_msg_reply);
	reply_done(gd, msg_owner(im, struct netmsg_sync, ns_reply));
}
