#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

/*
 * A whole model: machines, peers, the wires between them. Built from a setup,
 * run once, looked at afterwards. One per process (the engine's rule).
 */
#include "model/counter.h"
#include "model/kernel/kernel.h"
#include "model/peer/peer.h"
#include "model/setup.h"

struct model_options {
	bool mo_exact; /* --no-lookahead */
	uint32_t mo_rep;
	/* Called now and then, in simulated order; may be NULL. */
	void (*mo_progress)(sim_ns now, sim_ns end, void *);
	void *mo_progress_arg;
};

/* What of a CPU's accounts is in a slice already. */
struct model_edge {
	sim_ns me_at;
	int64_t me_counters[SLICE_NCOUNTERS];
	int64_t me_idle, me_intr, me_netisr;
};

/* Accounts of one CPU over [warm-up, end). */
struct model_cpu {
	const struct cpu *mc_cpu;
	int mc_machine; /* index of the machine, or machines + peer */
	int64_t
	    mc_counters[COUNTER_N]; /* at the warm-up, then the difference */
	int64_t mc_intr;	    /* ns in interrupts, likewise */
	struct model_edge mc_edge;
};

struct model {
	const struct setup *md_setup;
	struct model_options md_options;
	struct rng_run md_rng;
	struct machine *md_machines;
	struct peer **md_peers;
	struct wire **md_wires; /* all, two a port: rx, tx */
	int md_nwires;
	struct toeplitz md_toeplitz;
	struct flow **md_flows;
	int md_naddrs;
	struct cpu_marks md_marks;
	struct model_cpu *md_cpus; /* by c_where */
	int md_ncpus, md_nserver_cpus;
	sim_ns md_end;
	struct slice *md_slices; /* of the measurement, setup_nslices() */
	int64_t *md_token_waits; /* by machine: in a slice already, ns */
	uint64_t md_runs;	 /* work items, all CPUs */
};

/* Builds; opens the engine. The setup is borrowed. */
struct model *model_create(const struct setup *, const struct model_options *);

/*
 * Run to the end, and assert that nothing was lost: connections, handshakes,
 * frames, CPU time.
 */
void model_run(struct model *);

/* Closes the engine. */
void model_destroy(struct model *);

/* Sum of a counter over all CPUs, in [warm-up, end). */
int64_t model_counter(const struct model *, enum counter);

#endif
