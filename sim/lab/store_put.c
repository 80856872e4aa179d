#include "sim/lab/store_impl.h"

static bool run_put(struct store *, int64_t point, const struct record *);
static bool values_put(struct store *, int64_t run, const struct record *);
static bool machines_put(struct store *, int64_t run, const struct record *);
static bool tokens_put(struct store *, int64_t run, const struct record *);
static bool listeners_put(struct store *, int64_t run, const struct record *);
static bool curves_put(struct store *, int64_t run, const struct record *);

bool
store_put(struct store *st, int64_t point, const struct record *rd)
{
	bool ok = sql_begin(st);

	return sql_finish(st, ok && run_put(st, point, rd));
}

/* As in run_put(): what another has done is done. */
bool
store_put_failed(struct store *st, int64_t point, uint32_t seed, uint32_t rep,
    const char *message)
{
	bool ok = sql_begin(st);

	ok = ok && sql_do(st,
		       "UPDATE run SET state = 'failed', message = ?, "
		       "ended = ? WHERE point = ? AND seed = ? AND "
		       "replication = ? AND state <> 'done'",
		       "tiiii", message, store_now(), point, (int64_t)seed,
		       (int64_t)rep);
	return sql_finish(st, ok);
}

/* Somebody may have taken the claim for dead, and been faster: the same rows.
 */
static bool
run_put(struct store *st, int64_t point, const struct record *rd)
{
	int64_t run, done;

	if (!sql_int(st, &run, -1,
		"SELECT id FROM run WHERE point = ? AND seed = ? AND "
		"replication = ?",
		"iii", point, (int64_t)rd->rd_seed, (int64_t)rd->rd_rep) ||
	    !sql_int(st, &done, 0,
		"SELECT count(*) FROM run WHERE id = ? AND state = 'done'", "i",
		run))
		return false;
	if (done > 0)
		return true;
	if (!sql_do(st,
		"INSERT INTO run (id, point, seed, replication, state, "
		"session, started, ended, warmup_ns, measure_ns, slice_ns, "
		"steady, simulated_ns, wall_ns, engine_calls, events, "
		"peak_rss_bytes) VALUES (iif(?1 < 0, NULL, ?1), ?2, ?3, ?4, "
		"'done', ?5, ?6, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
		"?15) ON CONFLICT DO UPDATE SET state = 'done', "
		"message = NULL, session = ?5, ended = ?6, warmup_ns = ?7, "
		"measure_ns = ?8, slice_ns = ?9, steady = ?10, "
		"simulated_ns = ?11, wall_ns = ?12, engine_calls = ?13, "
		"events = ?14, peak_rss_bytes = ?15",
		"iiiiiiiiitiiiii", run, point, (int64_t)rd->rd_seed,
		(int64_t)rd->rd_rep, st->st_session, store_now(),
		rd->rd_warmup_ns, rd->rd_measure_ns, rd->rd_slice_ns,
		rd->rd_steady, rd->rd_simulated_ns, rd->rd_wall_ns,
		rd->rd_engine_calls, rd->rd_events, rd->rd_peak_bytes))
		return false;
	if (run < 0)
		run = sqlite3_last_insert_rowid(st->st_db);
	return values_put(st, run, rd) && machines_put(st, run, rd) &&
	       tokens_put(st, run, rd) && listeners_put(st, run, rd) &&
	       curves_put(st, run, rd);
}

static bool
values_put(struct store *st, int64_t run, const struct record *rd)
{
	bool ok = true;

	for (int i = 0; ok && i < rd->rd_nmetrics; i++)
		ok = sql_do(st,
		    "INSERT INTO metric (run, name, value, place) "
		    "VALUES (?, ?, ?, ?)",
		    "itdi", run, rd->rd_metrics[i].rm_name,
		    rd->rd_metrics[i].rm_value, (int64_t)i);
	for (int i = 0; ok && i < rd->rd_nstages; i++)
		ok = sql_do(st,
		    "INSERT INTO stage (run, name, counted, mean_ns, "
		    "slowest_ns, place) VALUES (?, ?, ?, ?, ?, ?)",
		    "itiddi", run, rd->rd_stages[i].re_name,
		    (int64_t)rd->rd_stages[i].re_counted,
		    rd->rd_stages[i].re_mean_ns, rd->rd_stages[i].re_slow_ns,
		    (int64_t)i);
	for (int i = 0; ok && i < rd->rd_ncounters; i++)
		ok = sql_do(st,
		    "INSERT INTO counter (run, name, value, place) "
		    "VALUES (?, ?, ?, ?)",
		    "itii", run, rd->rd_counters[i].rn_name,
		    rd->rd_counters[i].rn_value, (int64_t)i);
	return ok;
}

static bool
machines_put(struct store *st, int64_t run, const struct record *rd)
{
	bool ok = true;

	for (int i = 0; ok && i < rd->rd_ncpus; i++)
		ok = sql_do(st,
		    "INSERT INTO cpu (run, machine, cpu, busy, netisr, "
		    "interrupt, place) VALUES (?, ?, ?, ?, ?, ?, ?)",
		    "itidddi", run, rd->rd_cpus[i].ru_machine,
		    (int64_t)rd->rd_cpus[i].ru_cpu, rd->rd_cpus[i].ru_busy,
		    rd->rd_cpus[i].ru_netisr, rd->rd_cpus[i].ru_interrupt,
		    (int64_t)i);
	for (int i = 0; ok && i < rd->rd_ncosts; i++)
		ok = sql_do(st,
		    "INSERT INTO cost (run, machine, name, ns, place) "
		    "VALUES (?, ?, ?, ?, ?)",
		    "ittii", run, rd->rd_costs[i].ro_machine,
		    rd->rd_costs[i].ro_name, rd->rd_costs[i].ro_ns, (int64_t)i);
	return ok;
}

static bool
tokens_put(struct store *st, int64_t run, const struct record *rd)
{
	bool ok = true;

	for (int i = 0; ok && i < rd->rd_ntokens; i++) {
		const struct record_token *rk = &rd->rd_tokens[i];

		ok = sql_do(st,
		    "INSERT INTO token (run, machine, name, count, gets, "
		    "waits, collisions, hold_mean_ns, hold_max_ns, "
		    "wait_mean_ns, wait_max_ns, busiest_pct, place) "
		    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "ittiiiidididi", run, rk->rk_machine, rk->rk_name,
		    rk->rk_count, rk->rk_gets, rk->rk_waits, rk->rk_collisions,
		    rk->rk_hold_mean_ns, rk->rk_hold_max_ns,
		    rk->rk_wait_mean_ns, rk->rk_wait_max_ns, rk->rk_busiest_pct,
		    (int64_t)i);
	}
	return ok;
}

static bool
listeners_put(struct store *st, int64_t run, const struct record *rd)
{
	bool ok = true;

	for (int i = 0; ok && i < rd->rd_nlisteners; i++) {
		const struct record_listener *rl = &rd->rd_listeners[i];

		ok = sql_do(st,
		    "INSERT INTO listener (run, machine, listener, cpu, "
		    "qlen_end, qlen_mean, qlen_max, qlimit, syn_drops, "
		    "refused, accepted, place) "
		    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "itiiidiiiiii", run, rl->rl_machine, (int64_t)rl->rl_index,
		    (int64_t)rl->rl_cpu, rl->rl_qlen_end, rl->rl_qlen_mean,
		    rl->rl_qlen_max, rl->rl_qlimit, rl->rl_syn_drops,
		    rl->rl_refused, rl->rl_accepted, (int64_t)i);
	}
	return ok;
}

static bool
curves_put(struct store *st, int64_t run, const struct record *rd)
{
	bool ok = true;

	for (int i = 0; ok && i < rd->rd_nseries; i++)
		for (int k = 0; ok && k < rd->rd_series[i].rs_n; k++)
			ok = sql_do(st,
			    "INSERT INTO series (run, name, slice, value) "
			    "VALUES (?, ?, ?, ?)",
			    "itid", run, rd->rd_series[i].rs_name, (int64_t)k,
			    rd->rd_series[i].rs_values[k]);
	for (int i = 0; ok && i < rd->rd_nhists; i++)
		ok = sql_do(st,
		    "INSERT INTO histogram (run, name, samples, over, v2) "
		    "VALUES (?, ?, ?, ?, ?)",
		    "itiib", run, rd->rd_hists[i].rh_name,
		    rd->rd_hists[i].rh_samples, rd->rd_hists[i].rh_over,
		    (const void *)rd->rd_hists[i].rh_bytes,
		    rd->rd_hists[i].rh_size);
	return ok;
}
