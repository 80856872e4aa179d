#ifndef MODEL_PEER_WRK_H
#define MODEL_PEER_WRK_H

/*
 * The load generators that speak HTTP over an event loop.
 *
 * `wrk` (the fork with --connreqs): a closed loop. A slot cycles for ever:
 * connect, wait until writable, re-arm, write the request (the latency clock
 * starts), read until the response is complete (it stops), close, connect. One
 * kevent(2) wait a pass returns every ready socket; a connection needs three
 * passes at least. Responses later than the timeout are counted, and left out
 * of the latencies.
 *
 * `open`: connections arrive by themselves (Poisson, or evenly spaced), one
 * request each, in slots that are made as needed; otherwise the same loop.
 *
 * Differs: one kqueue order for both filters; no Lua; latencies in ns (wrk
 *          truncates to us).
 */
#include "model/peer/host.h"

/* What one stage-clock bin holds: requests of like latency. */
struct wrk_bin {
	uint64_t wb_n;
	int64_t wb_latency;	     /* ns, sum */
	int64_t wb_stage[STAGE_N];   /* ns, sums: with the clock off */
	int64_t wb_counted[STAGE_N]; /* ... and with the clock on */
};

/* Time series, one a slice of run.slice. */
struct wrk_slice {
	uint64_t ws_n;
	int64_t ws_latency; /* ns, sum */
};

/* One peer's measurements, in [warm-up, end). Shared by its threads. */
struct wrk_result {
	struct hist wr_latency;	 /* ns */
	struct hist wr_cycle;	 /* ns: start to start */
	struct wrk_bin *wr_bins; /* by index of wr_latency, coarse */
	int wr_nbins;
	struct wrk_slice *wr_slices;
	int wr_nslices;
	uint64_t wr_completed;	       /* responses, late ones included */
	uint64_t wr_timeouts;	       /* of these: after pe_timeout */
	uint64_t wr_failed[TCP_NENDS]; /* connections that ended early */
	uint64_t wr_dead;	       /* slots given up (EADDRNOTAVAIL) */
	uint64_t wr_opened;	       /* connects, since the start */
	uint64_t wr_closed;	       /* closed by the tool, since the start */
	uint64_t wr_ended;	       /* ended early, since the start */
	uint64_t wr_reused; /* cycles without a connect (connreqs > 1) */
	int64_t wr_slot_ns; /* integral of slots in a cycle, [warm-up, end) */
};

struct wrk;

/* Build the tool on a peer; its threads start with the simulation. */
struct wrk *wrk_create(const struct setup_peer *, const struct setup_run *,
    const struct toeplitz *, uint32_t addr0, uint32_t ip0, uint32_t server,
    struct flow **flows, struct wire *tx, int engine_host, int where,
    const struct cpu_marks *, bool exact, struct rng_run, int64_t response);
void wrk_destroy(struct wrk *);

struct host *wrk_host(struct wrk *);
struct wrk_result *wrk_result(struct wrk *);

/* A thread's CPU passes the start of the measurement, or the end. */
void wrk_mark(struct host_cpu *, sim_ns now, bool end);

/* Connections that the tool holds now, over all threads. */
uint64_t wrk_in_progress(struct wrk *);

#endif
