#include "model/kern/sched.h"

static void hardclock(struct cpu *, struct cpu_source *);
static void smt_speed(struct globaldata *);
static void softclock_handler(struct globaldata *, struct netmsg *);

void
clock_init(struct globaldata *gd)
{
	callwheel_init(&gd->gd_wheel);
	gd->gd_softclock.nm_dispatch = softclock_handler;
	gd->gd_hardclock.cs_fire = hardclock;
	cpu_source_add(&gd->gd_cpu, &gd->gd_hardclock);
	cpu_source_arm(&gd->gd_cpu, &gd->gd_hardclock, CALLOUT_TICK_NS);
}

/*
 * The 100 Hz tick: the quantum of the user thread, and a message to the
 * protocol thread, which runs the callouts (they are all TCP's).
 */
static void
hardclock(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);

	cpu_source_arm(c, cs, cs->cs_next + CALLOUT_TICK_NS);
	intr_enter(gd);
	gd_run(gd, COST_hardclock);
	gd->gd_ticks++;
	smt_speed(gd);
	if (!gd->gd_softclock.nm_queued)
		netisr_post(gd, &gd->gd_softclock);
	if (gd->gd_curthread != gd->gd_idle && --gd->gd_quantum <= 0)
		gd->gd_resched = true;
}

/*
 * Two hardware threads share a core: one whose sibling was idle runs faster.
 * Differs: the speed is set once a tick, by how long the sibling was idle in
 *          the tick before the last one, which is known without waiting for
 *          it (a CPU may be behind by nearly a tick of simulated time).
 */
static void
smt_speed(struct globaldata *gd)
{
	const struct setup_hardware *hw = &gd->gd_machine->m_setup->sm_hw;
	struct cpu *c = &gd->gd_cpu;
	double idle, speed;

	gd->gd_idle_tick[gd->gd_ticks % 4] =
	    c->c_idle_ever - gd->gd_idle_before;
	gd->gd_idle_before = c->c_idle_ever;
	if (gd->gd_sibling == NULL || hw->hw_smt_idle_speed == 1)
		return;
	cpu_sync(c);
	idle = (double)gd->gd_sibling->gd_idle_tick[(gd->gd_ticks + 3) % 4] /
	       CALLOUT_TICK_NS;
	speed = 1 + (hw->hw_smt_idle_speed - 1) * (idle < 1 ? idle : 1);
	c->c_scale = (int64_t)(CPU_SCALE_ONE / speed);
}

static void
softclock_handler(struct globaldata *gd, struct netmsg *nm)
{
	(void)nm;
	while (gd->gd_wheel.cw_tick < gd->gd_ticks) {
		int ran = callwheel_tick(&gd->gd_wheel);

		for (int i = 0; i < ran; i++)
			gd_run(gd, COST_callout);
	}
}
