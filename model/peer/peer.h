#ifndef MODEL_PEER_PEER_H
#define MODEL_PEER_PEER_H

/*
 * What the load generators have in common: a host that they run on, threads
 * bound to its CPUs, and the accounts of their requests. A tool (wrk, httperf)
 * embeds struct peer and struct peer_thread at the start of its own structs
 * and adds what it does with a connection.
 *
 * Context: the thread, where nothing else is said. Time: none.
 */
#include "model/peer/host.h"

struct peer;

/* What one stage-clock bin holds: requests of like latency. */
struct peer_bin {
	uint64_t pb_n;
	int64_t pb_latency;	     /* ns, sum */
	int64_t pb_stage[STAGE_N];   /* ns, sums: with the clock off */
	int64_t pb_counted[STAGE_N]; /* ... and with the clock on */
};

/* Time series, one a slice of run.slice. */
struct peer_slice {
	uint64_t ps_n;
	int64_t ps_latency; /* ns, sum */
};

/* One peer's measurements, in [warm-up, end). Shared by its threads. */
struct peer_result {
	struct hist pr_latency;	  /* ns */
	struct hist pr_cycle;	  /* ns: start to start */
	struct peer_bin *pr_bins; /* by index of pr_latency, coarse */
	int pr_nbins;
	struct peer_slice *pr_slices;
	int pr_nslices;
	uint64_t pr_completed;	       /* responses, late ones included */
	uint64_t pr_timeouts;	       /* of these: after pp_timeout */
	uint64_t pr_failed[TCP_NENDS]; /* connections that ended early */
	uint64_t pr_dead;	       /* connects without a port */
	uint64_t pr_opened;	       /* connects, since the start */
	uint64_t pr_closed;	       /* closed by the tool, since the start */
	uint64_t pr_ended;	       /* ended early, since the start */
	uint64_t pr_reused; /* cycles without a connect (connreqs > 1) */
	int64_t pr_slot_ns; /* integral of slots in a cycle, [warm-up, end) */
};

/* What a tool is to the model. */
struct peer_ops {
	/* Build it; its threads start with the simulation. */
	struct peer *(*po_create)(const struct setup_peer *,
	    const struct setup_run *, const struct host_place *,
	    int64_t response);
	void (*po_destroy)(struct peer *);
	double (*po_request_rate)(const struct peer *);
};

/* First in a tool's own struct. */
struct peer {
	const struct peer_ops *pp_ops;
	const struct setup_peer *pp_setup;
	const struct setup_run *pp_run;
	struct host *pp_host;
	int64_t pp_response; /* bytes of a response */
	sim_ns pp_timeout;   /* later responses are not among the latencies */
	struct peer_result pp_result;
};

/* First in a tool's thread, which is what ho_tool points to. */
struct peer_thread {
	struct peer *pt_peer;
	struct host_cpu *pt_ho;
	char pt_name[64];
	bool pt_measuring;
	int64_t pt_busy_slots; /* slots in a cycle now */
	sim_ns pt_busy_since;
	uint32_t pt_conns; /* connections held */
};

/*
 * For the model. Context: outside of the run.
 */

/* Build the peer that the setup names, for responses of that many bytes. */
struct peer *peer_create(const struct setup_peer *, const struct setup_run *,
    const struct host_place *, int64_t response);
void peer_destroy(struct peer *);

/* Requests a second, as the tool prints it. */
double peer_request_rate(const struct peer *);

/* Connections that the tool holds now, over all threads. */
uint64_t peer_in_progress(const struct peer *);

/* Connections that a thread holds now. */
uint32_t peer_conns(const struct host_cpu *);

/* A thread's CPU passes the start of the measurement, or the end. */
void peer_mark(struct host_cpu *, sim_ns now, bool end);

/*
 * For the tools.
 */

void peer_init(struct peer *, const struct peer_ops *,
    const struct host_tool_ops *, const struct setup_peer *,
    const struct setup_run *, const struct host_place *, int64_t response);
void peer_fini(struct peer *);

/* Bind a thread to CPU i of the host. */
void peer_thread_init(struct peer_thread *, struct peer *, int i);

/*
 * When the i-th of a thread's n slots starts, all threads having `total`: at
 * once, or spread evenly over the ramp.
 */
sim_ns peer_slot_start(const struct peer_thread *, int64_t i, int64_t total);

/* Slots begin (or, negative, end) a cycle: Little's N. */
void peer_busy(struct peer_thread *, int change);

/* A slot begins a connection: no stamps yet but this one. */
void peer_stages_start(
    const struct peer_thread *, struct stages *, sim_ns start);

/* A connection was opened, was closed by the tool, or ended (ht_failed). */
void peer_opened(struct peer_thread *);
void peer_closed(struct peer_thread *);
void peer_ended(struct peer_thread *, enum tcp_end);

/*
 * Add a finished request to the results: latency by the tool's clock, cycle,
 * and each stage with the clock off and on.
 */
void peer_account(struct peer_thread *, const struct host_conn *,
    struct stages *, sim_ns done);

#endif
