#ifndef SIM_LAB_GRAPH_IMPL_H
#define SIM_LAB_GRAPH_IMPL_H

/*
 * How a picture is made: what of a machine is drawn, where the model puts it,
 * and what a run put on it.
 *
 * Context: anywhere. Time: none.
 */
#include "sim/lab/graph.h"

#define GRAPH_NAME 36 /* characters of a name in a label */

/* Means over replications. */
struct cpu_load {
	double cl_busy, cl_netisr, cl_interrupt; /* of the time, 0..1 */
};
struct socket_load {
	double sl_mean, sl_rate; /* connections; accepted a second */
	double sl_drops;	 /* SYNs a second */
	int64_t sl_max, sl_limit;
};

/* A machine that is drawn. */
struct drawing {
	FILE *dr_fp;
	const struct setup *dr_su;
	const struct setup_machine *dr_sm;
	int dr_machine, dr_ncpus, dr_netisrs;
	bool dr_role[SETUP_MAX_CPUS];  /* CPUs that have a part */
	bool dr_shown[SETUP_MAX_CPUS]; /* those of them that are drawn */
	int dr_longest, dr_dropping;   /* sockets with extremes; -1: none */
	struct record *const *dr_rds;
	int dr_n;		/* replications */
	double dr_busiest_rate; /* accepted a second, of a listener */
};

/* Which CPUs are drawn, and which sockets have extremes. */
void graph_choose(struct drawing *);

/* Is this worker, and with SO_REUSEPORT its socket, drawn? */
bool graph_shows(const struct drawing *, int proc, int worker);

/* Workers after this one on the same CPU. */
int graph_more_workers(const struct drawing *, int proc, int worker);

/* Where the kernel puts things. */
int graph_worker_cpu(
    const struct drawing *, const struct setup_process *, int worker);
int graph_ring_cpu(const struct setup_nic *, int ring);
int graph_rings(const struct drawing *, const struct setup_nic *);
int graph_listeners(const struct setup_process *);

/* The contents of a machine's cluster; of one of freebsd-2007. */
void graph_machine(struct drawing *);
void graph_receive(struct drawing *);

/* Returns: whether the records know of this CPU. */
bool graph_cpu_load(const struct drawing *, int cpu, struct cpu_load *);

/* The same for a listening socket. */
bool graph_socket_load(const struct drawing *, int index, struct socket_load *);

/* "210280 requests/s; ...", a line of a label; nothing without records. */
void graph_totals(const struct drawing *);

/* Of what the links could carry, what was sent away as data, 0..1. */
double graph_link_share(
    const struct setup *, struct record *const *records, int n);

/* A colour for a share of 0..1: white, over yellow and orange, to red. */
void graph_heat(FILE *, double share);

/* What colours, widths and arrows mean. */
void graph_legend(FILE *, const struct setup *, bool loads);

#endif
