#include "model/kern/ipiq.h"

#include "model/kern/sched.h"

static void ipiq_rung(struct cpu *);
static void ipiq_fire(struct cpu *, struct cpu_source *);
static void ipiq_post(struct globaldata *to, sim_ns now, sim_ns arrives);
static bool netisr_slept(const struct ipiq *, sim_ns now);

void
ipiq_init(struct globaldata *gd)
{
	struct ipiq *iq = sim_calloc(1, sizeof(*iq));

	gd->gd_ipiq = iq;
	TAILQ_INIT(&iq->iq_inbox);
	iq->iq_slept = iq->iq_sleeps = true;
	iq->iq_due = SIM_NEVER;
	iq->iq_source.cs_fire = ipiq_fire;
	cpu_source_add(&gd->gd_cpu, &iq->iq_source);
	cpu_lockstep(&gd->gd_cpu, ipiq_rung);
}

/* Records stand in the order of (time, sender, order of sending). */
static void
inbox_insert(struct ipiq *iq, struct netmsg_remote *nm)
{
	struct netmsg_remote *at;

	TAILQ_FOREACH_REVERSE(at, &iq->iq_inbox, netmsg_queue, nr_link)
	if (at->nr_time < nm->nr_time ||
	    (at->nr_time == nm->nr_time && at->nr_sender <= nm->nr_sender))
		break;
	if (at == NULL)
		TAILQ_INSERT_HEAD(&iq->iq_inbox, nm, nr_link);
	else
		TAILQ_INSERT_AFTER(&iq->iq_inbox, at, nm, nr_link);
}

void
lwkt_sendmsg(
    struct globaldata *from, struct globaldata *to, struct netmsg_remote *nm)
{
	struct ipiq *iq = to->gd_ipiq;
	sim_ns now;

	SIM_ASSERT(!nm->nr_msg.nm_queued);
	gd_run(from, COST_msg_send);
	if (from == to) {
		netisr_post(to, &nm->nr_msg);
		return;
	}
	now = from->gd_cpu.c_now;
	nm->nr_msg.nm_queued = true;
	nm->nr_time = now;
	nm->nr_sender = from->gd_cpu.c_where;
	inbox_insert(iq, nm);
	if (!netisr_slept(iq, now)) {
		/* Going to sleep at this instant, it will still find this. */
		if (iq->iq_sleeps)
			ipiq_post(to, now, now + 1);
		return;
	}
	gd_run(from, COST_wakeup);
	now = from->gd_cpu.c_now;
	if (iq->iq_posted < now && now <= iq->iq_arrives) {
		from->gd_ipis_avoided++;
		return;
	}
	gd_run(from, COST_ipi_send);
	now = from->gd_cpu.c_now;
	from->gd_ipis++;
	ipiq_post(to, now, now + 1 + from->gd_cpu.c_cost[COST_ipi_flight]);
}

/* An interrupt for CPU `to`, on its way from `now` until `arrives`. */
static void
ipiq_post(struct globaldata *to, sim_ns now, sim_ns arrives)
{
	struct ipiq *iq = to->gd_ipiq;

	if (arrives >= iq->iq_due)
		return;
	iq->iq_due = iq->iq_arrives = arrives;
	iq->iq_posted = now;
	engine_bell_ring(to->gd_cpu.c_bell);
}

/* As it was just before now. */
static bool
netisr_slept(const struct ipiq *iq, sim_ns now)
{
	return iq->iq_changed < now ? iq->iq_sleeps : iq->iq_slept;
}

void
ipiq_netisr_state(struct globaldata *gd, bool sleeps)
{
	struct ipiq *iq = gd->gd_ipiq;

	if (iq == NULL || iq->iq_sleeps == sleeps)
		return;
	if (iq->iq_changed < gd->gd_cpu.c_now)
		iq->iq_slept = iq->iq_sleeps;
	iq->iq_changed = gd->gd_cpu.c_now;
	iq->iq_sleeps = sleeps;
	/* Who sent until now saw us awake: look once more. */
	if (sleeps && !TAILQ_EMPTY(&iq->iq_inbox) && iq->iq_due == SIM_NEVER) {
		iq->iq_due = gd->gd_cpu.c_now + 1;
		cpu_source_arm(&gd->gd_cpu, &iq->iq_source, iq->iq_due);
	}
}

static void
ipiq_rung(struct cpu *c)
{
	struct ipiq *iq = cpu_gd(c)->gd_ipiq;

	cpu_source_arm(c, &iq->iq_source, iq->iq_due);
}

/* The interrupt: what was sent is at the port when it returns. */
static void
ipiq_fire(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);

	gd->gd_ipiq->iq_due = SIM_NEVER;
	cpu_source_arm(c, cs, SIM_NEVER);
	/* Later than what was sent at this very instant: at least 1 ns. */
	cpu_run_ns(&gd->gd_cpu, COST_ipi_recv, 1);
	intr_enter(gd);
	gd_run(gd, COST_ipi_recv);
	ipiq_take(gd);
	if (gd->gd_netisr.ni_port.mp_head != NULL)
		ipiq_netisr_state(gd, false);
}

void
ipiq_take(struct globaldata *gd)
{
	struct ipiq *iq = gd->gd_ipiq;
	struct netmsg_remote *nm;

	if (iq == NULL)
		return;
	while ((nm = TAILQ_FIRST(&iq->iq_inbox)) != NULL &&
	       nm->nr_time < gd->gd_cpu.c_now) {
		TAILQ_REMOVE(&iq->iq_inbox, nm, nr_link);
		msgport_put(&gd->gd_netisr.ni_port, &nm->nr_msg);
	}
}
