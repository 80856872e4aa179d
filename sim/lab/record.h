#ifndef SIM_LAB_RECORD_H
#define SIM_LAB_RECORD_H

/*
 * What a run yielded as rows of names and values: what JSON, the store, compare
 * and export read. It is made from a run's result, or read back from a store,
 * where it may have been put by another version of the program: so names are
 * texts here.
 *
 * Context: anywhere. Time: none.
 */
#include <stdio.h>

#include "sim/lab/result.h"
#include "sim/lab/scenario.h"

struct record_metric {
	const char *rm_name; /* latency_mean_ns */
	double rm_value;     /* in the unit of its name */
};

struct record_stage {
	const char *re_name;
	bool re_counted;   /* the load generator's clock was on */
	double re_mean_ns; /* over all requests */
	double re_slow_ns; /* over the slowest 1 % */
};

struct record_count {
	const char *rn_name;
	int64_t rn_value;
};

struct record_cpu {
	const char *ru_machine;
	int ru_cpu;
	/* Of the time, 0..1. Interrupt: NAN from a store that has none. */
	double ru_busy, ru_netisr, ru_interrupt;
};

struct record_cost {
	const char *ro_machine, *ro_name;
	int64_t ro_ns; /* of all its CPUs */
};

struct record_token {
	const char *rk_machine, *rk_name;
	int64_t rk_count, rk_gets, rk_waits, rk_collisions;
	double rk_hold_mean_ns, rk_wait_mean_ns, rk_busiest_pct;
	int64_t rk_hold_max_ns, rk_wait_max_ns;
};

struct record_listener {
	const char *rl_machine;
	int rl_index, rl_cpu;
	int64_t rl_qlen_end, rl_qlen_max, rl_qlimit;
	double rl_qlen_mean;
	int64_t rl_syn_drops, rl_refused, rl_accepted;
};

/* A time series: one value a slice, from the start of the measurement. */
struct record_series {
	const char *rs_name; /* of sim/lab/series.h, or another version's */
	double *rs_values;
	int rs_n;
};

struct record_hist {
	const char *rh_name; /* latency, cycle */
	uint8_t *rh_bytes;   /* HdrHistogram V2, compressed */
	size_t rh_size;
	int64_t rh_samples;
	int64_t rh_over; /* values above its range, in no bucket */
};

struct record {
	const char *rd_scenario;
	const char *rd_key, *rd_model;	  /* in a store; NULL: from a run */
	struct scenario_param *rd_params; /* what was swept or set */
	int rd_nparams;
	uint32_t rd_rep, rd_seed;
	int64_t rd_warmup_ns, rd_measure_ns, rd_slice_ns;
	const char *rd_steady; /* result_steady_name() */

	struct record_parameter {
		const char *rp_path, *rp_value, *rp_origin;
	} * rd_parameters; /* all of them; see store_get_parameters() */
	int rd_nparameters;

	struct record_metric *rd_metrics;
	int rd_nmetrics;
	struct record_stage *rd_stages;
	int rd_nstages;
	struct record_count *rd_counters;
	int rd_ncounters;
	struct record_cpu *rd_cpus;
	int rd_ncpus;
	struct record_cost *rd_costs;
	int rd_ncosts;
	struct record_token *rd_tokens;
	int rd_ntokens;
	struct record_listener *rd_listeners;
	int rd_nlisteners;
	struct record_series *rd_series;
	int rd_nseries;
	struct record_hist *rd_hists;
	int rd_nhists;

	/* The `run` object: not a function of scenario and seed. */
	int64_t rd_simulated_ns, rd_wall_ns, rd_engine_calls, rd_events,
	    rd_peak_bytes;

	struct ypool rd_pool; /* owns all of the above */
};

/*
 * Take all from the result of replication `rep` of point `point`. Copies
 * everything. Gives it: record_destroy().
 */
struct record *record_of(const struct scenario *, int point,
    const struct setup *, int rep, const struct result *);
void record_destroy(struct record *);

/* Returns: a metric, by its JSON name; NAN when it is not there. */
double record_metric(const struct record *, const char *name);

/* Returns: a time series, borrowed; NULL: not there. */
const struct record_series *record_series(
    const struct record *, const char *name);

/* Returns: the mean of a stage, both clocks added up; NAN: not there. */
double record_stage_ns(const struct record *, const char *name);

/*
 * One replication, one line. Everything but the last member, `run`, is a
 * function of scenario and seed. `full`: all that a store has.
 */
void record_json(FILE *, const struct record *, bool full);

#endif
