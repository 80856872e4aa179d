#include "model/hw/cpu.h"

#include <string.h>

#include "model/trace.h"

/* Not inline: the fast path shall save no registers. */
static void cpu_run_slow(struct cpu *, int cost, sim_ns ns)
    __attribute__((noinline));
static void cpu_restop(struct cpu *);
static void cpu_interrupt(struct cpu *);
static void cpu_pass_mark(struct cpu *);

void
cpu_init(struct cpu *c, int id, int where, const sim_ns *cost,
    const struct cpu_marks *marks, bool exact)
{
	memset(c, 0, sizeof(*c));
	c->c_id = id;
	c->c_where = where;
	c->c_cost = cost;
	c->c_marks = marks;
	c->c_exact = exact;
	c->c_traced = sim_trace_on != NULL;
	c->c_next = SIM_NEVER;
	c->c_scale = CPU_SCALE_ONE;
	c->c_mark = marks->cm_first;
	cpu_restop(c);
}

void
cpu_lockstep(struct cpu *c)
{
	c->c_bell = engine_bell_create();
	cpu_restop(c);
}

void
cpu_source_add(struct cpu *c, struct cpu_source *cs)
{
	SIM_ASSERT(c->c_nsources < CPU_MAX_SOURCES);
	cs->cs_next = SIM_NEVER;
	c->c_sources[c->c_nsources++] = cs;
}

void
cpu_source_arm(struct cpu *c, struct cpu_source *cs, sim_ns when)
{
	sim_ns next = SIM_NEVER;

	cs->cs_next = when;
	for (int i = 0; i < c->c_nsources; i++)
		next = sim_min(next, c->c_sources[i]->cs_next);
	c->c_next = next;
	cpu_restop(c);
}

void
cpu_source_arm_remote(struct cpu *c, struct cpu_source *cs, sim_ns when)
{
	SIM_ASSERT(c->c_bell != NULL && when > engine_now());
	cpu_source_arm(c, cs, when);
	if (!c->c_masked)
		engine_bell_advance(c->c_bell, when);
}

/* Where cpu_run() must stop and look: always, if each is to be seen. */
static void
cpu_restop(struct cpu *c)
{
	if (c->c_exact || c->c_traced || c->c_bell != NULL)
		c->c_stop = INT64_MIN;
	else
		c->c_stop =
		    sim_min(c->c_mark, c->c_masked ? SIM_NEVER : c->c_next);
}

static sim_ns
cpu_due(const struct cpu *c)
{
	return sim_min(c->c_mark, c->c_masked ? SIM_NEVER : c->c_next);
}

void
cpu_run_ns(struct cpu *c, int cost, sim_ns ns)
{
	c->c_runs++;
	ns = ns * c->c_scale / CPU_SCALE_ONE;
	if (SIM_LIKELY(c->c_now + ns < c->c_stop)) {
		c->c_now += ns;
		c->c_spent[cost] += ns;
		return;
	}
	cpu_run_slow(c, cost, ns);
}

void
cpu_run(struct cpu *c, int cost)
{
	sim_ns ns = c->c_cost[cost] * c->c_scale / CPU_SCALE_ONE;

	c->c_runs++;
	if (SIM_LIKELY(c->c_now + ns < c->c_stop)) {
		c->c_now += ns;
		c->c_spent[cost] += ns;
		return;
	}
	cpu_run_slow(c, cost, ns);
}

/*
 * In step with the engine: be there at `end`, or at what is due before.
 * Meanwhile other CPUs may arm a source of this one.
 */
static void
cpu_wait(struct cpu *c, sim_ns end)
{
	sim_ns until;

	while ((until = sim_min(cpu_due(c), end)) > engine_now())
		engine_bell_wait(c->c_bell, until);
}

static void
cpu_run_slow(struct cpu *c, int cost, sim_ns ns)
{
	if (c->c_masked && !c->c_told) {
		c->c_told = true;
		SIM_TRACE(c->c_now, c->c_where, TRACE_INTR_ENTER, 0, 0, 0);
	}
	SIM_TRACE(c->c_now, c->c_where, TRACE_COST, 0, cost, ns);
	for (;;) {
		sim_ns due, step;

		if (c->c_bell != NULL)
			cpu_wait(c, c->c_now + ns);
		due = cpu_due(c);
		if (c->c_now + ns < due)
			break;
		step = due > c->c_now ? due - c->c_now : 0;
		c->c_now += step;
		c->c_spent[cost] += step;
		ns -= step;
		if (c->c_mark <= c->c_now)
			cpu_pass_mark(c);
		else
			cpu_interrupt(c);
	}
	c->c_now += ns;
	c->c_spent[cost] += ns;
	if (c->c_exact)
		cpu_sync(c);
}

sim_ns
cpu_run_part(struct cpu *c, int cost, sim_ns ns, struct cpu *const *where)
{
	SIM_ASSERT(c->c_bell != NULL && !c->c_masked);
	c->c_runs++;
	SIM_TRACE(c->c_now, c->c_where, TRACE_COST, 0, cost, ns);
	for (;;) {
		sim_ns due, step;

		cpu_wait(c, c->c_now + ns);
		due = cpu_due(c);
		if (c->c_now + ns < due)
			break;
		step = due > c->c_now ? due - c->c_now : 0;
		c->c_now += step;
		c->c_spent[cost] += step;
		ns -= step;
		if (c->c_mark <= c->c_now)
			cpu_pass_mark(c);
		else
			cpu_interrupt(c);
		if (*where != c)
			return ns;
	}
	c->c_now += ns;
	c->c_spent[cost] += ns;
	return 0;
}

/*
 * Fire everything that is due, earliest first, ties in the order of
 * attachment, with interrupts masked.
 */
static void
cpu_interrupt(struct cpu *c)
{
	SIM_ASSERT(!c->c_masked);
	c->c_masked = true;
	c->c_intr_since = c->c_now;
	c->c_told = false;
	cpu_restop(c);
	while (c->c_next <= c->c_now) {
		struct cpu_source *first = NULL;

		for (int i = 0; i < c->c_nsources; i++) {
			struct cpu_source *cs = c->c_sources[i];

			if (cs->cs_next <= c->c_now &&
			    (first == NULL || cs->cs_next < first->cs_next))
				first = cs;
		}
		first->cs_fire(c, first);
	}
	c->c_intr += c->c_now - c->c_intr_since;
	c->c_masked = false;
	cpu_restop(c);
	if (c->c_told)
		SIM_TRACE(c->c_now, c->c_where, TRACE_INTR_LEAVE, 0, 0, 0);
	if (c->c_doreti != NULL)
		c->c_doreti(c);
}

static void
cpu_pass_mark(struct cpu *c)
{
	const struct cpu_marks *cm = c->c_marks;
	sim_ns mark = c->c_mark;

	if (c->c_masked) {
		c->c_intr += c->c_now - c->c_intr_since;
		c->c_intr_since = c->c_now;
	}
	c->c_mark = cm->cm_pass(c, mark, cm->cm_arg);
	cpu_restop(c);
	if (mark >= cm->cm_end)
		engine_park();
}

bool
cpu_spin(struct cpu *c, int cost, const sim_ns *until)
{
	sim_ns to;

	SIM_ASSERT(c->c_bell != NULL && !c->c_masked);
	while ((to = sim_min(cpu_due(c), *until)) > engine_now())
		engine_bell_wait(c->c_bell, to);
	c->c_runs++;
	SIM_TRACE(c->c_now, c->c_where, TRACE_COST, 0, cost, to - c->c_now);
	c->c_spent[cost] += to - c->c_now;
	c->c_now = to;
	return cpu_due(c) > to;
}

void
cpu_spin_wake(struct cpu *c, sim_ns *until, sim_ns when)
{
	if (when >= *until)
		return;
	*until = when;
	engine_bell_advance(c->c_bell, when);
}

void
cpu_idle(struct cpu *c)
{
	sim_ns due;

	SIM_ASSERT(!c->c_masked && cpu_due(c) != SIM_NEVER);
	if (c->c_bell != NULL)
		cpu_wait(c, SIM_NEVER);
	due = cpu_due(c);
	if (due > c->c_now) {
		c->c_idle += due - c->c_now;
		c->c_idle_ever += due - c->c_now;
		c->c_now = due;
	}
	if (c->c_exact)
		cpu_sync(c);
	if (c->c_mark <= c->c_now)
		cpu_pass_mark(c);
	else
		cpu_interrupt(c);
}

void
cpu_account_reset(struct cpu *c)
{
	memset(c->c_spent, 0, sizeof(c->c_spent));
	c->c_idle = 0;
	c->c_since = c->c_now;
}

int64_t
cpu_account_total(const struct cpu *c)
{
	int64_t sum = c->c_idle;

	for (int i = 0; i < COST_N; i++)
		sum += c->c_spent[i];
	return sum;
}
