#include "model/kern/socket.h"

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
}

void
solisten(struct so_listen *head, struct globaldata *gd, int qlimit, int index)
{
	memset(head, 0, sizeof(*head));
	head->sl_so.so_gd = gd;
	head->sl_so.so_state = SS_ACCEPTCONN;
	TAILQ_INIT(&head->so_comp);
	head->so_qlimit = qlimit;
	head->sl_index = index;
}

void
sonewconn(struct so_listen *head, struct so *so)
{
	struct globaldata *gd = so->so_gd;

	gd_run(gd, COST_sonewconn);
	gd_run(gd, COST_token);
	so_qlen_integrate(head, gd->gd_cpu.c_now);
	so->so_head = &head->sl_so;
	so->so_state |= SS_COMP;
	TAILQ_INSERT_TAIL(&head->so_comp, so, so_list);
	head->so_qlen++;
	head->sl_completed++;
	if (head->so_qlen > head->sl_qmax)
		head->sl_qmax = head->so_qlen;
	so->so_comped = gd->gd_cpu.c_now;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SONEWCONN,
	    so->so_flow, head->so_qlen, head->so_qlimit);
	sowakeup(&head->sl_so, EVFILT_READ);
}

struct so *
soaccept_predicate(struct so_listen *head)
{
	struct globaldata *gd = head->sl_so.so_gd;
	struct so *so;

	gd_run(gd, COST_token);
	gd_run(gd, COST_token);
	so = TAILQ_FIRST(&head->so_comp);
	if (so == NULL)
		return NULL;
	so_qlen_integrate(head, gd->gd_cpu.c_now);
	so_prefetch(TAILQ_NEXT(so, so_list));
	TAILQ_REMOVE(&head->so_comp, so, so_list);
	head->so_qlen--;
	head->sl_accepted++;
	so->so_head = NULL;
	so->so_state &= ~(SS_COMP | SS_NOFDREF);
	so->so_accepted = gd->gd_cpu.c_now;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_ACCEPT,
	    so->so_flow, head->so_qlen, head->so_qlimit);
	return so;
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
sowakeup(struct so *so, int filter)
{
	if (so->so_filters & (filter == EVFILT_READ ? SOF_READ : SOF_WRITE))
		knote(so, filter);
}

void
so_qlen_integrate(struct so_listen *head, sim_ns now)
{
	head->sl_qsum += head->so_qlen * (now - head->sl_qsince);
	head->sl_qsince = now;
}
