#include "model/net/netisr.h"

#include "model/trace.h"

static void netisr_run(struct globaldata *);

void
netisr_init(struct globaldata *gd)
{
	msgport_init(&gd->gd_netisr.ni_port);
	gd->gd_netisr.ni_run = netisr_run;
}

void
netisr_register_rollup(struct globaldata *gd, void (*fn)(struct globaldata *))
{
	struct netisr *ni = &gd->gd_netisr;

	SIM_ASSERT(ni->ni_nrollups < NETISR_MAX_ROLLUPS);
	ni->ni_rollup[ni->ni_nrollups++] = fn;
}

/* Messages are taken in the order of their sending: the number says which. */
static void
netisr_trace(const struct globaldata *gd)
{
	const struct msgport *mp = &gd->gd_netisr.ni_port;

	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_MSG_TAKE, 0,
	    (int64_t)mp->mp_nget, (int64_t)(mp->mp_nput - mp->mp_nget));
}

/*
 * The thread's loop, from being switched to until it would wait. Where it has
 * no thread of its own it borrows the caller's stack, and nothing below sleeps.
 */
static void
netisr_run(struct globaldata *gd)
{
	struct netisr *ni = &gd->gd_netisr;
	int64_t limit = gd->gd_machine->m_sysctl->rollup_limit;
	struct netmsg *nm;

	SIM_ASSERT(!ni->ni_running && !gd->gd_usermode);
	ni->ni_running = true;
	ni->ni_runs++;
	while (ni->ni_port.mp_head != NULL) {
		int64_t n = 0;

		while (n < limit && (nm = msgport_get(&ni->ni_port)) != NULL) {
			netisr_trace(gd);
			gd_run(gd, COST_msg_dispatch);
			nm->nm_dispatch(gd, nm);
			ni->ni_messages++;
			n++;
		}
		gd_run(gd, COST_rollup);
		for (int i = 0; i < ni->ni_nrollups; i++)
			ni->ni_rollup[i](gd);
	}
	ni->ni_running = false;
}
