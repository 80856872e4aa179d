#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/store_impl.h"

/* A run that is read. */
struct reader {
	struct store *rr_st;
	struct record *rr_rd;
	int64_t rr_run;
};

static bool run_get(struct reader *, int64_t point);
static bool axes_get(struct reader *, int64_t point);
static bool rows_get(struct reader *, int64_t point);
static bool each(struct reader *, const char *sql, int64_t of,
    void (*row)(struct reader *, sqlite3_stmt *));
static void parameter_row(struct reader *, sqlite3_stmt *);
static void axis_row(struct reader *, sqlite3_stmt *);
static void metric_row(struct reader *, sqlite3_stmt *);
static void stage_row(struct reader *, sqlite3_stmt *);
static void counter_row(struct reader *, sqlite3_stmt *);
static void cpu_row(struct reader *, sqlite3_stmt *);
static void cost_row(struct reader *, sqlite3_stmt *);
static void token_row(struct reader *, sqlite3_stmt *);
static void listener_row(struct reader *, sqlite3_stmt *);
static void series_row(struct reader *, sqlite3_stmt *);
static void hist_row(struct reader *, sqlite3_stmt *);
static void *grow(struct reader *, void *rows, int n, size_t size);

struct record *
store_get(struct store *st, int64_t point, uint32_t seed, uint32_t rep)
{
	struct reader rr = { st, sim_calloc(1, sizeof(struct record)), -1 };

	rr.rr_rd->rd_seed = seed;
	rr.rr_rd->rd_rep = rep;
	if (run_get(&rr, point) && rows_get(&rr, point))
		return rr.rr_rd;
	record_destroy(rr.rr_rd);
	return NULL;
}

struct record *
store_get_point(struct store *st, int64_t point)
{
	struct reader rr = { st, sim_calloc(1, sizeof(struct record)), -1 };
	struct record *rd = rr.rr_rd;
	sqlite3_stmt *q;

	q = sql_query(st,
	    "SELECT scenario.name, key, model FROM point "
	    "JOIN scenario ON scenario.id = point.scenario WHERE point.id = ?",
	    "i", point);
	if (q != NULL && sql_next(st, q) == 1) {
		rd->rd_scenario = sql_text(&rd->rd_pool, q, 0);
		rd->rd_key = sql_text(&rd->rd_pool, q, 1);
		rd->rd_model = sql_text(&rd->rd_pool, q, 2);
		sql_end(q);
		if (axes_get(&rr, point))
			return rd;
	}
	record_destroy(rd);
	return NULL;
}

bool
store_get_parameters(struct store *st, int64_t point, struct record *rd)
{
	struct reader rr = { st, rd, -1 };

	return each(&rr,
	    "SELECT path, value, origin FROM parameter WHERE point = ? "
	    "ORDER BY path",
	    point, parameter_row);
}

static void
parameter_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_parameters = grow(rr, rd->rd_parameters, rd->rd_nparameters,
	    sizeof(*rd->rd_parameters));
	rd->rd_parameters[rd->rd_nparameters++] = (struct record_parameter){
		sql_text(&rd->rd_pool, q, 0),
		sql_text(&rd->rd_pool, q, 1),
		sql_text(&rd->rd_pool, q, 2),
	};
}

int
store_runs(struct store *st, struct store_run **out, struct ypool *yp)
{
	struct store_run *list = NULL;
	sqlite3_stmt *q;
	int n = 0, got;

	q = sql_query(st,
	    "SELECT point, seed, replication, state, message FROM run "
	    "ORDER BY point, seed, replication",
	    "");
	while ((got = q != NULL ? sql_next(st, q) : -1) == 1) {
		const char *state = (const char *)sqlite3_column_text(q, 3);

		if ((n & (n - 1)) == 0)
			list =
			    sim_realloc(list, n > 0 ? 2 * n : 1, sizeof(*list));
		list[n++] = (struct store_run){
			.sn_point = sqlite3_column_int64(q, 0),
			.sn_seed = (uint32_t)sqlite3_column_int64(q, 1),
			.sn_rep = (uint32_t)sqlite3_column_int64(q, 2),
			.sn_state = strcmp(state, "done") == 0 ? STORE_DONE
				    : strcmp(state, "failed") == 0
					? STORE_FAILED
					: STORE_RUNNING,
			.sn_message = sql_text(yp, q, 4),
		};
	}
	*out = list;
	if (got == 0)
		return n;
	sim_free(list);
	*out = NULL;
	return -1;
}

int
store_records(struct store *st, int64_t point, struct record ***records)
{
	struct run_of {
		uint32_t seed, rep;
	} *runs = NULL;
	sqlite3_stmt *q;
	int n = 0, got;

	*records = NULL;
	q = sql_query(st,
	    "SELECT seed, replication FROM run WHERE point = ? AND "
	    "state = 'done' ORDER BY seed, replication",
	    "i", point);
	while ((got = q != NULL ? sql_next(st, q) : -1) == 1) {
		if ((n & (n - 1)) == 0)
			runs =
			    sim_realloc(runs, n > 0 ? 2 * n : 1, sizeof(*runs));
		runs[n++] = (struct run_of){
			(uint32_t)sqlite3_column_int64(q, 0),
			(uint32_t)sqlite3_column_int64(q, 1),
		};
	}
	*records = sim_calloc((size_t)n + 1, sizeof(**records));
	for (int i = 0; i < n && got == 0; i++) {
		(*records)[i] = store_get(st, point, runs[i].seed, runs[i].rep);
		got = (*records)[i] != NULL ? 0 : -1;
		if (got < 0)
			fprintf(stderr,
			    "solab: %s: point %lld: no run of seed %u, "
			    "replication %u can be read\n",
			    st->st_name, (long long)point,
			    (unsigned)runs[i].seed, (unsigned)runs[i].rep);
	}
	sim_free(runs);
	if (got == 0)
		return n;
	store_records_free(*records, n);
	*records = NULL;
	return -1;
}

void
store_records_free(struct record **records, int n)
{
	for (int i = 0; i < n; i++)
		record_destroy(records[i]);
	sim_free(records);
}

static bool
run_get(struct reader *rr, int64_t point)
{
	struct record *rd = rr->rr_rd;
	sqlite3_stmt *q;

	q = sql_query(rr->rr_st,
	    "SELECT run.id, scenario.name, warmup_ns, measure_ns, slice_ns, "
	    "steady, simulated_ns, wall_ns, engine_calls, events, "
	    "peak_rss_bytes, key, model FROM run JOIN point ON point.id = "
	    "run.point "
	    "JOIN scenario ON scenario.id = point.scenario "
	    "WHERE point = ? AND seed = ? AND replication = ? AND "
	    "state = 'done'",
	    "iii", point, (int64_t)rd->rd_seed, (int64_t)rd->rd_rep);
	if (q == NULL || sql_next(rr->rr_st, q) != 1)
		return false;
	rr->rr_run = sqlite3_column_int64(q, 0);
	rd->rd_scenario = sql_text(&rd->rd_pool, q, 1);
	rd->rd_key = sql_text(&rd->rd_pool, q, 11);
	rd->rd_model = sql_text(&rd->rd_pool, q, 12);
	rd->rd_warmup_ns = sqlite3_column_int64(q, 2);
	rd->rd_measure_ns = sqlite3_column_int64(q, 3);
	rd->rd_slice_ns = sqlite3_column_int64(q, 4);
	rd->rd_steady = sql_text(&rd->rd_pool, q, 5);
	rd->rd_simulated_ns = sqlite3_column_int64(q, 6);
	rd->rd_wall_ns = sqlite3_column_int64(q, 7);
	rd->rd_engine_calls = sqlite3_column_int64(q, 8);
	rd->rd_events = sqlite3_column_int64(q, 9);
	rd->rd_peak_bytes = sqlite3_column_int64(q, 10);
	sql_end(q);
	return true;
}

static bool
axes_get(struct reader *rr, int64_t point)
{
	return each(rr,
	    "SELECT path, short, value, bare FROM axis WHERE point = ? "
	    "ORDER BY place",
	    point, axis_row);
}

/* What was put, in the order in which it was. */
static bool
rows_get(struct reader *rr, int64_t point)
{
	bool ok = axes_get(rr, point);

	ok = ok &&
	     each(rr,
		 "SELECT name, value FROM metric WHERE run = ? ORDER BY place",
		 rr->rr_run, metric_row);
	ok = ok && each(rr,
		       "SELECT name, counted, mean_ns, slowest_ns FROM stage "
		       "WHERE run = ? ORDER BY place",
		       rr->rr_run, stage_row);
	ok = ok &&
	     each(rr,
		 "SELECT name, value FROM counter WHERE run = ? ORDER BY place",
		 rr->rr_run, counter_row);
	ok = ok && each(rr,
		       "SELECT machine, cpu, busy, netisr, interrupt FROM cpu "
		       "WHERE run = ? ORDER BY place",
		       rr->rr_run, cpu_row);
	ok = ok && each(rr,
		       "SELECT machine, name, ns FROM cost WHERE run = ? "
		       "ORDER BY place",
		       rr->rr_run, cost_row);
	ok = ok && each(rr,
		       "SELECT machine, name, count, gets, waits, collisions, "
		       "hold_mean_ns, hold_max_ns, wait_mean_ns, wait_max_ns, "
		       "busiest_pct FROM token WHERE run = ? ORDER BY place",
		       rr->rr_run, token_row);
	ok =
	    ok &&
	    each(rr,
		"SELECT machine, listener, cpu, qlen_end, qlen_mean, qlen_max, "
		"qlimit, syn_drops, refused, accepted FROM listener "
		"WHERE run = ? ORDER BY place",
		rr->rr_run, listener_row);
	ok = ok && each(rr,
		       "SELECT name, value FROM series WHERE run = ? "
		       "ORDER BY name, slice",
		       rr->rr_run, series_row);
	ok = ok &&
	     each(rr,
		 "SELECT name, v2, samples, over FROM histogram WHERE run = ? "
		 "ORDER BY name",
		 rr->rr_run, hist_row);
	return ok;
}

/* Take every row of a query. */
static bool
each(struct reader *rr, const char *sql, int64_t of,
    void (*row)(struct reader *, sqlite3_stmt *))
{
	sqlite3_stmt *q = sql_query(rr->rr_st, sql, "i", of);
	int got;

	while ((got = q != NULL ? sql_next(rr->rr_st, q) : -1) == 1)
		row(rr, q);
	return got == 0;
}

static void
axis_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_params =
	    grow(rr, rd->rd_params, rd->rd_nparams, sizeof(*rd->rd_params));
	rd->rd_params[rd->rd_nparams++] = (struct scenario_param){
		sql_text(&rd->rd_pool, q, 0),
		sql_text(&rd->rd_pool, q, 1),
		sql_text(&rd->rd_pool, q, 2),
		sqlite3_column_int(q, 3) != 0,
	};
}

static void
metric_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_metrics =
	    grow(rr, rd->rd_metrics, rd->rd_nmetrics, sizeof(*rd->rd_metrics));
	rd->rd_metrics[rd->rd_nmetrics++] =
	    (struct record_metric){ sql_text(&rd->rd_pool, q, 0),
		    sql_real(q, 1) };
}

static void
stage_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_stages =
	    grow(rr, rd->rd_stages, rd->rd_nstages, sizeof(*rd->rd_stages));
	rd->rd_stages[rd->rd_nstages++] = (struct record_stage){
		sql_text(&rd->rd_pool, q, 0),
		sqlite3_column_int(q, 1) != 0,
		sql_real(q, 2),
		sql_real(q, 3),
	};
}

static void
counter_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_counters = grow(
	    rr, rd->rd_counters, rd->rd_ncounters, sizeof(*rd->rd_counters));
	rd->rd_counters[rd->rd_ncounters++] =
	    (struct record_count){ sql_text(&rd->rd_pool, q, 0),
		    sqlite3_column_int64(q, 1) };
}

static void
cpu_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_cpus = grow(rr, rd->rd_cpus, rd->rd_ncpus, sizeof(*rd->rd_cpus));
	rd->rd_cpus[rd->rd_ncpus++] = (struct record_cpu){
		sql_text(&rd->rd_pool, q, 0),
		sqlite3_column_int(q, 1),
		sql_real(q, 2),
		sql_real(q, 3),
		sql_real(q, 4),
	};
}

static void
cost_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_costs =
	    grow(rr, rd->rd_costs, rd->rd_ncosts, sizeof(*rd->rd_costs));
	rd->rd_costs[rd->rd_ncosts++] = (struct record_cost){
		sql_text(&rd->rd_pool, q, 0),
		sql_text(&rd->rd_pool, q, 1),
		sqlite3_column_int64(q, 2),
	};
}

static void
token_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_tokens =
	    grow(rr, rd->rd_tokens, rd->rd_ntokens, sizeof(*rd->rd_tokens));
	rd->rd_tokens[rd->rd_ntokens++] = (struct record_token){
		.rk_machine = sql_text(&rd->rd_pool, q, 0),
		.rk_name = sql_text(&rd->rd_pool, q, 1),
		.rk_count = sqlite3_column_int64(q, 2),
		.rk_gets = sqlite3_column_int64(q, 3),
		.rk_waits = sqlite3_column_int64(q, 4),
		.rk_collisions = sqlite3_column_int64(q, 5),
		.rk_hold_mean_ns = sql_real(q, 6),
		.rk_hold_max_ns = sqlite3_column_int64(q, 7),
		.rk_wait_mean_ns = sql_real(q, 8),
		.rk_wait_max_ns = sqlite3_column_int64(q, 9),
		.rk_busiest_pct = sql_real(q, 10),
	};
}

static void
listener_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;

	rd->rd_listeners = grow(
	    rr, rd->rd_listeners, rd->rd_nlisteners, sizeof(*rd->rd_listeners));
	rd->rd_listeners[rd->rd_nlisteners++] = (struct record_listener){
		.rl_machine = sql_text(&rd->rd_pool, q, 0),
		.rl_index = sqlite3_column_int(q, 1),
		.rl_cpu = sqlite3_column_int(q, 2),
		.rl_qlen_end = sqlite3_column_int64(q, 3),
		.rl_qlen_mean = sql_real(q, 4),
		.rl_qlen_max = sqlite3_column_int64(q, 5),
		.rl_qlimit = sqlite3_column_int64(q, 6),
		.rl_syn_drops = sqlite3_column_int64(q, 7),
		.rl_refused = sqlite3_column_int64(q, 8),
		.rl_accepted = sqlite3_column_int64(q, 9),
	};
}

/* Rows of one name follow each other, slice after slice. */
static void
series_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;
	const char *name = (const char *)sqlite3_column_text(q, 0);
	struct record_series *rs = NULL;

	if (rd->rd_nseries > 0)
		rs = &rd->rd_series[rd->rd_nseries - 1];
	if (rs == NULL || strcmp(rs->rs_name, name) != 0) {
		rd->rd_series = grow(
		    rr, rd->rd_series, rd->rd_nseries, sizeof(*rd->rd_series));
		rs = &rd->rd_series[rd->rd_nseries++];
		*rs = (struct record_series){ .rs_name = sql_text(
						  &rd->rd_pool, q, 0) };
	}
	rs->rs_values =
	    grow(rr, rs->rs_values, rs->rs_n, sizeof(*rs->rs_values));
	rs->rs_values[rs->rs_n++] = sql_real(q, 1);
}

static void
hist_row(struct reader *rr, sqlite3_stmt *q)
{
	struct record *rd = rr->rr_rd;
	struct record_hist *rh;
	const void *bytes = sqlite3_column_blob(q, 1);

	rd->rd_hists =
	    grow(rr, rd->rd_hists, rd->rd_nhists, sizeof(*rd->rd_hists));
	rh = &rd->rd_hists[rd->rd_nhists++];
	rh->rh_name = sql_text(&rd->rd_pool, q, 0);
	rh->rh_size = (size_t)sqlite3_column_bytes(q, 1);
	rh->rh_bytes = ypool_alloc(&rd->rd_pool, rh->rh_size + 1);
	if (rh->rh_size > 0)
		memcpy(rh->rh_bytes, bytes, rh->rh_size);
	rh->rh_samples = sqlite3_column_int64(q, 2);
	rh->rh_over = sqlite3_column_int64(q, 3);
}

/* Room for one more of n rows, from the record's pool: sizes are doubled. */
static void *
grow(struct reader *rr, void *rows, int n, size_t size)
{
	void *more;

	if ((n & (n - 1)) != 0)
		return rows;
	more = ypool_alloc(&rr->rr_rd->rd_pool, (n > 0 ? 2 * n : 1) * size);
	if (n > 0)
		memcpy(more, rows, n * size);
	return more;
}
