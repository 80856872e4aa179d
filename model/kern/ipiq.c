#include "model/kern/ipiq.h"

#include "model/kern/sched.h"

static void ipiq_fire(struct cpu *, struct cpu_source *);

void
ipiq_init(struct globaldata *gd)
{
	struct ipiq *iq = sim_calloc(1, sizeof(*iq));

	gd->gd_ipiq = iq;
	STAILQ_INIT(&iq->iq_queue);
	iq->iq_source.cs_fire = ipiq_fire;
	cpu_source_add(&gd->gd_cpu, &iq->iq_source);
	cpu_lockstep(&gd->gd_cpu);
}

void
ipiq_fini(struct globaldata *gd)
{
	sim_free(gd->gd_ipiq);
	gd->gd_ipiq = NULL;
}

void
lwkt_send_ipiq(
    struct globaldata *from, struct globaldata *to, struct ipimsg *im)
{
	struct ipiq *iq = to->gd_ipiq;

	SIM_ASSERT(from != to && !im->im_queued);
	/* At once: meanwhile another CPU may want to send it too. */
	im->im_queued = true;
	gd_run(from, COST_msg_send);
	STAILQ_INSERT_TAIL(&iq->iq_queue, im, im_link);
	iq->iq_nsent++;
	SIM_TRACE(from->gd_cpu.c_now, from->gd_cpu.c_where, TRACE_IPIQ_SEND, 0,
	    to->gd_cpu.c_id, (int64_t)iq->iq_nsent);
	if (iq->iq_npoll) {
		from->gd_ipis_avoided++;
		return;
	}
	iq->iq_npoll = true;
	gd_run(from, COST_ipi_send);
	from->gd_ipis++;
	SIM_TRACE(from->gd_cpu.c_now, from->gd_cpu.c_where, TRACE_IPI, 0,
	    to->gd_cpu.c_id, from->gd_ipis);
	cpu_source_arm_remote(&to->gd_cpu, &iq->iq_source,
	    from->gd_cpu.c_now + 1 + from->gd_cpu.c_cost[COST_ipi_flight]);
}

/*
 * The interrupt. Who sends from now on sends another; in 2011, from when all
 * has run.
 */
static void
ipiq_fire(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);
	struct ipiq *iq = gd->gd_ipiq;
	struct ipimsg *im;

	cpu_source_arm(c, cs, SIM_NEVER);
	if (!gd->gd_machine->m_rules->kr_npoll_late)
		iq->iq_npoll = false;
	intr_wake(gd);
	gd_run(gd, COST_ipi_recv);
	while ((im = STAILQ_FIRST(&iq->iq_queue)) != NULL) {
		STAILQ_REMOVE_HEAD(&iq->iq_queue, im_link);
		im->im_queued = false;
		iq->iq_ntaken++;
		SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_IPIQ_TAKE,
		    0, (int64_t)iq->iq_ntaken,
		    (int64_t)(iq->iq_nsent - iq->iq_ntaken));
		im->im_func(gd, im);
	}
	if (gd->gd_machine->m_rules->kr_npoll_late)
		iq->iq_npoll = false;
}
