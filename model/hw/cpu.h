#ifndef MODEL_HW_CPU_H
#define MODEL_HW_CPU_H

/*
 * A CPU: a clock of its own, timed interrupt sources, and an account of where
 * its time went.
 *
 * The clock runs ahead of the engine's. cpu_run() only adds to it, up to the
 * earliest interrupt: nothing outside can touch this CPU before. Whoever reads
 * what other CPUs wrote (a wire) first calls cpu_sync(). This is exact, and
 * with `c_exact` every cpu_run() waits in the engine, which must not change a
 * single result.
 *
 * All members are touched by the actors of this CPU only, but for
 * cpu_source_arm_remote().
 */
#include <stdbool.h>
#include <stdint.h>

#include "model/cost.h"
#include "sim/core/assert.h"
#include "sim/core/engine.h"
#include "sim/core/time.h"
#include "sim/core/trace.h"

#define CPU_MAX_SOURCES 8
#define CPU_SCALE_ONE 65536

struct cpu;

/* A timed interrupt of a CPU. It stays due until cs_fire moves cs_next. */
struct cpu_source {
	sim_ns cs_next; /* SIM_NEVER: not armed; set by cpu_source_arm() */
	void (*cs_fire)(struct cpu *, struct cpu_source *);
	void *cs_arg;
};

/*
 * Instants at which every CPU does something for the statistics (start of the
 * measurement, edges of slices, end of the run). cm_pass() returns the next
 * mark; at the last one the CPU stops for good. All accounts run up to the mark
 * then, also in the middle of an interrupt.
 */
struct cpu_marks {
	sim_ns cm_first, cm_end;
	sim_ns (*cm_pass)(struct cpu *, sim_ns mark, void *arg);
	void *cm_arg;
};

struct cpu {
	sim_ns c_now;	      /* this CPU's clock */
	sim_ns c_stop;	      /* cpu_run() may add without looking up to here */
	const sim_ns *c_cost; /* [I] ns by cost_id, at speed 1 */
	int64_t c_scale;      /* time a cost takes, times CPU_SCALE_ONE */
	int64_t c_spent[COST_N]; /* ns since the last reset */
	int64_t c_idle;		 /* ns since the last reset */
	int64_t c_idle_ever;	 /* ns since the start */
	int64_t c_intr;		 /* ns in interrupts, since the start */
	sim_ns c_intr_since;	 /* in one: up to here they are in c_intr */
	uint64_t c_runs;	 /* work items, for the bench */
	uint64_t c_touched;	 /* bytes, see cache.h */
	sim_ns c_next;		 /* earliest source */
	sim_ns c_mark;		 /* next mark */
	sim_ns c_since;		 /* accounts run since here */
	bool c_masked;		 /* inside an interrupt */
	bool c_exact;		 /* [I] no look-ahead */
	bool c_traced;		 /* [I] every cpu_run() is recorded */
	/*
	 * The interrupt is recorded, from its first cost on. (Whether there is
	 * one that costs nothing depends on how far the clock runs ahead.)
	 */
	bool c_told;
	/*
	 * [I] Others may interrupt this CPU at any time: it keeps in step with
	 * the engine, waiting on this doorbell. NULL: it runs ahead.
	 */
	struct engine_bell *c_bell;
	int c_id;    /* [I] within its machine */
	int c_where; /* [I] index for traces, over all machines */
	struct cpu_source *c_sources[CPU_MAX_SOURCES];
	int c_nsources;
	/*
	 * Return from an interrupt: what the kernel does there. May switch
	 * threads. NULL: nothing.
	 */
	void (*c_doreti)(struct cpu *);
	const struct cpu_marks *c_marks; /* [I] */
};

/*
 * Keep this CPU in step with the engine (c_bell). Before the run. Then what it
 * does at an instant comes after what CPUs of a lower c_where do then, and
 * whatever its code touches is as others left it: it need not synchronise.
 */
void cpu_lockstep(struct cpu *);

/*
 * Arm a source of another CPU, which is in lockstep, for `when`, a later
 * instant than now. Context: any CPU in lockstep. Time: none.
 */
void cpu_source_arm_remote(struct cpu *, struct cpu_source *, sim_ns when);

void cpu_init(struct cpu *, int id, int where, const sim_ns *cost,
    const struct cpu_marks *, bool exact);

/* Attach a source (not armed). At most CPU_MAX_SOURCES. */
void cpu_source_add(struct cpu *, struct cpu_source *);

/* Set when a source is due next. Time: none. */
void cpu_source_arm(struct cpu *, struct cpu_source *, sim_ns when);

/*
 * Wait in the engine until its time is this CPU's: afterwards everything that
 * other CPUs did before c_now is there to be read.
 *
 * Context: the actor that has the CPU. Time: none of the CPU's.
 */
static inline void
cpu_sync(struct cpu *c)
{
	engine_wait_until(c->c_now);
}

/*
 * Work that takes ns at speed 1, accounted to this cost. Time: runs;
 * interrupts may come. Called a hundred times a request, and so not inline: the
 * code of a request must fit the instruction cache.
 */
void cpu_run_ns(struct cpu *, int cost, sim_ns ns);

/*
 * In lockstep: likewise for a thread that may lose the CPU to another one in
 * the middle, and get another CPU: *where is the one that it has.
 *
 * Returns: ns that are left to do there.
 */
sim_ns cpu_run_part(
    struct cpu *, int cost, sim_ns ns, struct cpu *const *where);

/* Do one of what this cost pays for. */
void cpu_run(struct cpu *, int cost);

/* A cost per KiB, for this many bytes, rounded to the next ns. */
static inline void
cpu_run_bytes(struct cpu *c, int cost, int64_t bytes)
{
	cpu_run_ns(c, cost, (c->c_cost[cost] * bytes + 512) / 1024);
}

/*
 * In lockstep: work at nothing, accounted to this cost, until the time that
 * *until holds. Other CPUs may bring it forward: cpu_spin_wake().
 *
 * Context: as cpu_run(). Time: runs.
 * Returns: false when an interrupt is due first; the next cpu_run() takes it.
 */
bool cpu_spin(struct cpu *, int cost, const sim_ns *until);
void cpu_spin_wake(struct cpu *, sim_ns *until, sim_ns when);

/*
 * Nothing to do: sleep until the next source is due, and fire it.
 *
 * Context: the actor that has the CPU. Time: sleeps.
 */
void cpu_idle(struct cpu *);

/* Start the accounts again (a mark). */
void cpu_account_reset(struct cpu *);

/* Sum of all costs and idle time: equals c_now - c_since, always. */
int64_t cpu_account_total(const struct cpu *);

#endif
