#ifndef SIM_LAB_RESULT_H
#define SIM_LAB_RESULT_H

/*
 * Everything that a run yields, as plain data: it is taken from a model in a
 * child process and sent through a pipe. Nearly all of it adds up, so that
 * replications are merged exactly; what does not says so.
 *
 * Context: anywhere. Time: none.
 */
#include "model/model.h"
#include "sim/core/hist.h"
#include "sim/core/stat_steady.h"

#define RESULT_COUNTS 33792 /* of a histogram up to an hour, 3 digits */
#define RESULT_BINS (RESULT_COUNTS / 16 + 1)
#define RESULT_MAX_HOSTS (SETUP_MAX_MACHINES + SETUP_MAX_PEERS)
#define RESULT_MAX_CPUS (RESULT_MAX_HOSTS * SETUP_MAX_CPUS)
#define RESULT_MAX_LISTENERS (SETUP_MAX_MACHINES * SETUP_MAX_CPUS)
#define RESULT_MAX_TOKENS (SETUP_MAX_MACHINES * 8)
#define RESULT_TOKEN_NAME 24
#define RESULT_MAX_SLICES SETUP_MAX_SLICES

/* A peer. Quantiles are those of the first replication. */
struct result_peer {
	uint64_t rp_completed, rp_late, rp_failed;
	double rp_latency_ns, rp_cycle_ns; /* sums */
	int64_t rp_p50_ns, rp_p99_ns, rp_max_ns;
};

struct result_cpu {
	int16_t rc_host; /* a machine, or machines + peer */
	int16_t rc_cpu;
	int64_t rc_idle_ns;
	int64_t rc_netisr_ns; /* by protocol threads, on whatever stack */
	int64_t rc_intr_ns;   /* in interrupts, whoever had the CPU */
};

struct result_listener {
	int16_t rl_machine, rl_index, rl_cpu;
	int rl_qlen, rl_qmax,
	    rl_qlimit;	 /* qlen at the end: a sum; max: a max */
	int64_t rl_qsum; /* ns: integral of the length */
	uint64_t rl_syn_drops, rl_refused, rl_accepted; /* while measuring */
};

/*
 * The tokens of one description, on a machine whose CPUs share. A holding that
 * the measurement cuts counts with its part, but was taken before.
 */
struct result_token {
	int16_t rt_machine;
	char rt_name[RESULT_TOKEN_NAME];
	int rt_count;	  /* tokens; replications have as many */
	uint64_t rt_gets; /* taken */
	uint64_t rt_waits, rt_collisions; /* of these: as in struct tok */
	int64_t rt_hold_ns, rt_hold_max;  /* max: a max */
	int64_t rt_wait_ns, rt_wait_max;
	int64_t rt_busiest_ns; /* held: the one that was held longest */
};

/* Of the time series: what sim/lab/series.h makes them of. */
struct result_slice {
	uint64_t rc_n;	       /* of all peers, by the end of the response */
	int64_t rc_latency_ns; /* sum */
	struct slice rc_model; /* busiest: a sum over replications */
};

struct result {
	int rs_reps;		/* replications in here */
	int64_t rs_measure_ns;	/* measured, of all replications */
	uint64_t rs_completed;	/* responses */
	int64_t rs_slot_ns;	/* integral of slots in a cycle */
	double rs_request_rate; /* 1/s, as the tools print it: a sum */
	struct hist rs_latency; /* ns; counts are in rs_counts: relocate */
	struct hist rs_cycle;
	int64_t rs_counts[2][RESULT_COUNTS];
	struct peer_bin rs_bins[RESULT_BINS]; /* requests of like latency */
	struct result_peer rs_peers[SETUP_MAX_PEERS];
	int64_t rs_counters[COUNTER_N];
	bool rs_netserver; /* one receives: machine 0, from all peers */
	int rs_ncpus, rs_nserver_cpus; /* these are first */
	struct result_cpu rs_cpus[RESULT_MAX_CPUS];
	int64_t rs_cost_ns[RESULT_MAX_HOSTS][COST_N];
	int rs_nlisteners;
	struct result_listener rs_listeners[RESULT_MAX_LISTENERS];
	int rs_ntokens; /* 0: no machine whose CPUs share */
	struct result_token rs_tokens[RESULT_MAX_TOKENS];

	/*
	 * Slices from the start of the measurement; of a merged result their
	 * sums, and the verdict is on these.
	 */
	int64_t rs_warmup_ns; /* that was cut; merged: the longest */
	int64_t rs_slice_ns;
	int rs_nslices;		    /* the last one may be shorter */
	enum stat_steady rs_steady; /* the worse one of latency and rate */
	int rs_cut;		    /* STAT_WARMUP_SHORT: slices, else 0 */
	double rs_latency_bias;	    /* mean latency / that after rs_cut - 1 */
	double rs_rate_bias;	    /* responses a second, likewise */

	/* The `run` object: not a function of scenario and seed. */
	int64_t rs_simulated_ns, rs_wall_ns;
	uint64_t rs_engine_calls, rs_events;
	int64_t rs_peak_bytes; /* the largest */

	/* Last: only those that there are go through the pipe. */
	struct result_slice rs_slices[RESULT_MAX_SLICES];
};

/* Means of a group of requests: [counted], counted being the clock on. */
struct result_stages {
	double rg_n; /* requests */
	double rg_ns[STAGE_N][2];
	double rg_total_ns[2];
};

/* Of a group of tokens. */
struct result_token_means {
	double rm_hold_ns;     /* a taking */
	double rm_wait_ns;     /* a wait */
	double rm_busiest_pct; /* of the time, of the token that was held
				  longest */
};

/* N = X * W: slots in a cycle, cycles a second, mean cycle. */
struct result_little {
	double rl_n, rl_x, rl_w_ns;
	double rl_error; /* |N - X W| / N; 0 when N is */
};

/* Empty; replications can be merged into it. Gives it; free with sim_free(). */
struct result *result_create(void);

/* Take all from a model that has run. It must not have been destroyed. */
void result_extract(struct result *, struct model *, int64_t wall_ns);

/* Bytes from its start that are all there is; the rest is zero. */
size_t result_size(const struct result *);

/* The bytes were copied from elsewhere: find the counts again. */
void result_relocate(struct result *);

/* Add a replication of the same setup. */
void result_merge(struct result *dst, const struct result *src);

/*
 * Means per stage over the slowest `share` (0..1] of the requests. Bins are
 * taken from the top; of the last one, a proportional part.
 */
void result_stages(const struct result *, double share, struct result_stages *);

struct result_token_means result_token_means(
    const struct result *, const struct result_token *);

struct result_little result_little(const struct result *);

/* result_steady.c */

/* Take the slices from a model that has run, and judge them. */
void result_slices(struct result *, const struct model *);

/* Add slices, and judge their sums. Done by result_merge(). */
void result_slices_merge(struct result *dst, const struct result *src);

/* A series for stat_*(): slices without a response have no latency. */
struct result_series {
	double re_values[RESULT_MAX_SLICES];
	int re_slices[RESULT_MAX_SLICES]; /* which slice a value is of */
	int re_n;
};

void result_latencies(const struct result *, struct result_series *);

/* Responses a second, of whole slices; of one replication. */
void result_rates(const struct result *, struct result_series *);

/* "yes", "warmup-short", "no-steady-state", "too-few-slices" */
const char *result_steady_name(const struct result *);

/*
 * The verdict as a sentence for people, without a full stop; empty for
 * STAT_STEADY. Returns: buf, cut to size.
 */
char *result_steady_text(const struct result *, char *buf, size_t size);

#endif
