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
	stage_mark(so->so_stages, so->so_gen, STAMP_COMP, gd->gd_cpu.c_now);
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SONEWCONN,
	    so->so_flow, head->so_qlen, head->so_qlimit);
	sowakeup(&head->sl_so, EVFILT_READ);
}

/* Tell the processor what the next two accepts will touch. */
static void
so_prefetch(const struct so *next)
{
	const char *after;

	if (next == NULL)
		return;
	__builtin_prefetch(next->so_stages, 1);
	after = (const char *)TAILQ_NEXT(next, so_list);
	__builtin_prefetch(after, 1);
	__builtin_prefetch(after + 64, 1);
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
	stage_mark(so->so_stages, so->so_gen, STAMP_ACCEPT, gd->gd_cpu.c_now);
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_ACCEPT,
	    so->so_flow, head->so_qlen, head->so_qlimit);
	return so;
}

void
sowakeup(struct so *so, int filter)
{
	if (so->so_note != NULL)
		knote(so, filter);
}

void
so_qlen_integrate(struct so_listen *head, sim_ns now)
{
	head->sl_qsum += head->so_qlen * (now - head->sl_qsince);
	head->sl_qsince = now;
}
