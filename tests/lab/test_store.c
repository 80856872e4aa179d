/*
 * The store: what is put comes back, to the last digit; a run is claimed by one
 * process, and free again when that process is gone.
 */
#include "tests/lab/rig.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "sim/lab/series.h"
#include "sim/lab/store_impl.h"

static struct result *
made_up(void)
{
	struct result *rs = result_create();

	rs->rs_reps = 1;
	rs->rs_measure_ns = 1000000000;
	rs->rs_completed = 3;
	hist_record(&rs->rs_latency, 1000);
	hist_record(&rs->rs_latency, 1234567);
	hist_record(&rs->rs_latency, 1000000007);
	hist_record(&rs->rs_latency, 4000LL * 1000000000); /* above an hour */
	hist_record(&rs->rs_cycle, 777);
	rs->rs_bins[3].pb_n = 3;
	rs->rs_bins[3].pb_stage[STAGE_SERVICE] = 1000;
	rs->rs_bins[3].pb_counted[STAGE_CLIENT] = 2000;
	rs->rs_counters[COUNTER_syns] = INT64_MAX;
	rs->rs_ncpus = 2;
	rs->rs_nserver_cpus = 1;
	rs->rs_cpus[1] = (struct result_cpu){ 1, 5, 333333333, 7, 12345678 };
	rs->rs_cost_ns[0][0] = 42;
	rs->rs_nlisteners = 1;
	rs->rs_listeners[0] = (struct result_listener){ 0, 3, 2, 1, 257, 256,
		123456789, 5, 6, 7 };
	rs->rs_ntokens = 1;
	rs->rs_tokens[0] = (struct result_token){ .rt_machine = 0,
		.rt_name = "listener",
		.rt_count = 1,
		.rt_gets = 7,
		.rt_hold_ns = 10 };
	rs->rs_slice_ns = 100000000;
	rs->rs_nslices = 3;
	rs->rs_slices[0] = (struct result_slice){ .rc_n = 3,
		.rc_latency_ns = 10,
		.rc_model = { .sc_qsum = 33333333, .sc_qmax = 7 } };
	rs->rs_slices[2] = (struct result_slice){ .rc_n = 1,
		.rc_latency_ns = 1,
		.rc_model = { .sc_busy_ns = 77777777, .sc_busiest_ns = 1 } };
	return rs;
}

static struct record *
record_made(const struct scenario *sc, int rep)
{
	struct result *rs = made_up();
	struct record *rd = record_of(sc, 0, &sc->sc_setup, rep, rs);

	sim_free(rs);
	return rd;
}

static char *
text_of(const struct record *rd)
{
	char *text;
	size_t n;
	FILE *fp = open_memstream(&text, &n);

	record_json(fp, rd, true);
	fclose(fp);
	return text;
}

static struct scenario *
scenario(const char *set)
{
	file_write("s.yaml", base);
	return load("s.yaml", set);
}

static void
test_what_is_put_comes_back(void **state)
{
	struct scenario *sc = scenario(NULL);
	struct store *st = store_open("a.db", STORE_CREATE);
	struct record *rd = record_made(sc, 2), *back;
	int64_t id;
	char *a, *b;

	(void)state;
	assert_non_null(st);
	assert_true(store_session(st, "solab test"));
	id = store_point(st, sc, 0);
	assert_true(id > 0);
	assert_int_equal(store_claim(st, id, 1, 2), 1);
	assert_true(store_put(st, id, rd));
	store_close(st);

	st = store_open("a.db", STORE_READ);
	back = store_get(st, id, 1, 2);
	assert_non_null(back);
	assert_int_equal(strlen(back->rd_key), 64);
	assert_string_equal(back->rd_model, store_model_version());
	rd->rd_key = back->rd_key;
	rd->rd_model = back->rd_model;
	a = text_of(rd);
	b = text_of(back);
	assert_string_equal(a, b);
	assert_int_equal(back->rd_hists[1].rh_over, 1);
	assert_int_equal(back->rd_hists[1].rh_samples, 3);
	assert_int_equal(back->rd_nseries, SERIES_N);
	for (int s = 0; s < SERIES_N; s++) {
		const struct record_series *one = &rd->rd_series[s];
		const struct record_series *two =
		    record_series(back, one->rs_name);

		assert_non_null(two);
		assert_int_equal(two->rs_n, 3);
		for (int k = 0; k < 3; k++)
			assert_true(one->rs_values[k] == two->rs_values[k] ||
				    isnan(one->rs_values[k]));
	}
	assert_true(
	    isnan(record_series(back, "latency_mean_ns")->rs_values[1]));
	assert_true(record_series(back, "so_qlen")->rs_values[0] == 0.33333333);
	assert_null(record_series(back, "no such series"));
	assert_true(back->rd_cpus[1].ru_interrupt == 0.012345678);
	for (int m = 0; m < rd->rd_nmetrics; m++)
		assert_true(rd->rd_metrics[m].rm_value ==
				back->rd_metrics[m].rm_value ||
			    !isfinite(rd->rd_metrics[m].rm_value));
	assert_null(store_get(st, id, 1, 3));
	assert_null(store_get(st, id, 2, 2));
	free(a);
	free(b);
	record_destroy(back);
	record_destroy(rd);
	store_close(st);
	scenario_destroy(sc);
}

static void
run_sql(const char *file, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* The file that schema 1 had of the same, with its text. */
static void
old_store(const char *from, const char *file)
{
	char sql[1500];

	run_sql(file, store_migrations[0]);
	snprintf(sql, sizeof(sql),
	    "PRAGMA application_id = %d; PRAGMA user_version = 1;"
	    "ATTACH '%s' AS new; BEGIN;"
	    "INSERT INTO session SELECT * FROM new.session;"
	    "INSERT INTO scenario SELECT * FROM new.scenario;"
	    "INSERT INTO source SELECT * FROM new.source;"
	    "INSERT INTO point SELECT * FROM new.point;"
	    "INSERT INTO axis SELECT * FROM new.axis;"
	    "INSERT INTO run SELECT * FROM new.run;"
	    "INSERT INTO metric SELECT * FROM new.metric;"
	    "INSERT INTO stage SELECT * FROM new.stage;"
	    "INSERT INTO counter SELECT * FROM new.counter;"
	    "INSERT INTO cpu SELECT run, machine, cpu, busy, netisr, place"
	    " FROM new.cpu;"
	    "INSERT INTO cost SELECT * FROM new.cost;"
	    "INSERT INTO token SELECT * FROM new.token;"
	    "INSERT INTO listener SELECT * FROM new.listener;"
	    "INSERT INTO series SELECT * FROM new.series"
	    " WHERE name IN ('requests', 'latency_mean_ns');"
	    "INSERT INTO histogram SELECT * FROM new.histogram;"
	    "COMMIT",
	    STORE_APPLICATION, from);
	run_sql(file, sql);
}

/* What it had is as before; what it had not is not there. */
static void
check_old(struct store *st, struct record *want)
{
	struct record *back = store_get(st, 1, 1, 0);
	char *a, *b;

	assert_non_null(back);
	assert_int_equal(back->rd_ncpus, 2);
	assert_true(isnan(back->rd_cpus[0].ru_interrupt));
	assert_true(isnan(back->rd_cpus[1].ru_interrupt));
	assert_true(back->rd_cpus[1].ru_netisr == 7e-9);
	assert_int_equal(back->rd_nseries, 2);
	assert_null(record_series(back, "so_qlen"));
	want->rd_key = back->rd_key;
	want->rd_model = back->rd_model;
	a = text_of(want);
	b = text_of(back);
	assert_string_equal(a, b);
	assert_null(strstr(b, "\"interrupt\""));
	free(a);
	free(b);
	record_destroy(back);
}

static void
test_schema_1_is_read(void **state)
{
	static const char *const was[] = { "latency_mean_ns", "requests" };
	struct scenario *sc = scenario(NULL);
	struct store *st = store_open("new.db", STORE_CREATE);
	struct record *rd = record_made(sc, 0);
	int64_t n, added, differing;

	(void)state;
	assert_true(store_session(st, "solab test"));
	assert_int_equal(store_point(st, sc, 0), 1);
	assert_true(store_put(st, 1, rd));
	store_close(st);
	old_store("new.db", "old.db");
	for (int i = 0; i < rd->rd_ncpus; i++)
		rd->rd_cpus[i].ru_interrupt = NAN;
	for (int i = 0; i < 2; i++)
		rd->rd_series[i] = *record_series(rd, was[i]);
	rd->rd_nseries = 2;

	/* Who only reads it upgrades it too. */
	st = store_open("old.db", STORE_READ);
	assert_non_null(st);
	check_old(st, rd);
	assert_true(sql_int(st, &n, 0, "PRAGMA user_version", ""));
	assert_int_equal(n, 2);
	assert_true(sql_int(
	    st, &n, 0, "SELECT count(*) FROM cpu WHERE interrupt IS NULL", ""));
	assert_int_equal(n, 2);
	store_close(st);

	/* Into a store of today. */
	old_store("new.db", "older.db");
	st = store_open("all.db", STORE_CREATE);
	assert_true(store_merge(st, "older.db", &added, &differing));
	assert_int_equal(added, 1);
	check_old(st, rd);
	store_close(st);
	record_destroy(rd);
	scenario_destroy(sc);
}

static void
test_a_key_is_all_parameters(void **state)
{
	struct store *st = store_open(NULL, STORE_CREATE);
	struct scenario *sc = scenario(NULL);
	int64_t a, b;

	(void)state;
	assert_true(store_session(st, "solab test"));
	a = store_point(st, sc, 0);
	b = store_point(st, sc, 1);
	assert_true(a > 0 && b > 0 && a != b);
	assert_int_equal(store_point(st, sc, 0), a);
	scenario_destroy(sc);

	/* The same by other words; another cost. */
	sc = scenario("soavailconn=0");
	assert_int_equal(store_point(st, sc, 0), a);
	scenario_destroy(sc);
	sc = scenario("server.hardware.sonewconn=101ns");
	assert_int_not_equal(store_point(st, sc, 0), a);
	scenario_destroy(sc);
	sc = scenario("server.hardware.sonewconn=100ns");
	assert_int_equal(store_point(st, sc, 0), a);
	scenario_destroy(sc);
	store_close(st);
}

static void
test_one_seed_is_one_run(void **state)
{
	struct store *st = store_open(NULL, STORE_CREATE);
	struct scenario *one = scenario("seed=1"), *two = scenario("seed=2");

	(void)state;
	assert_true(store_session(st, "solab test"));
	assert_int_equal(store_point(st, one, 0), store_point(st, two, 0));
	scenario_destroy(one);
	scenario_destroy(two);
	store_close(st);
}

static void
test_claims(void **state)
{
	struct scenario *sc = scenario(NULL);
	struct store *a = store_open("c.db", STORE_CREATE);
	struct store *b = store_open("c.db", STORE_CREATE);
	struct record *rd = record_made(sc, 0);
	int64_t id;

	(void)state;
	assert_true(store_session(a, "a") && store_session(b, "b"));
	id = store_point(a, sc, 0);
	assert_int_equal(store_state(b, id, 1, 0), STORE_ABSENT);
	assert_int_equal(store_claim(a, id, 1, 0), 1);
	assert_int_equal(store_state(b, id, 1, 0), STORE_RUNNING);
	assert_int_equal(store_claim(b, id, 1, 0), 0);
	assert_true(store_unclaim_all(a));
	assert_int_equal(store_claim(b, id, 1, 0), 1);
	assert_true(store_put_failed(b, id, 1, 0, "it broke"));
	assert_int_equal(store_state(a, id, 1, 0), STORE_FAILED);
	/* What failed may be tried again. */
	assert_int_equal(store_claim(a, id, 1, 0), 1);
	assert_true(store_put(a, id, rd));
	assert_int_equal(store_state(b, id, 1, 0), STORE_DONE);
	assert_int_equal(store_claim(b, id, 1, 0), 0);
	/* Whoever thought that it was his puts the same, once; or fails. */
	assert_true(store_put(b, id, rd));
	assert_true(store_put_failed(b, id, 1, 0, "too late"));
	assert_int_equal(store_state(a, id, 1, 0), STORE_DONE);
	record_destroy(rd);
	store_close(a);
	store_close(b);
	scenario_destroy(sc);
}

/* The parent sees the claim of a child that ended without a word. */
static void
test_the_claim_of_a_dead_process_is_free(void **state)
{
	struct scenario *sc = scenario(NULL);
	struct store *st = store_open("d.db", STORE_CREATE);
	int64_t id;
	pid_t pid;

	(void)state;
	assert_true(store_session(st, "parent"));
	id = store_point(st, sc, 0);
	store_close(st);
	pid = fork();
	if (pid == 0) {
		st = store_open("d.db", STORE_UPDATE);
		if (!store_session(st, "child") ||
		    store_claim(st, id, 1, 0) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	st = store_open("d.db", STORE_UPDATE);
	assert_true(store_session(st, "parent"));
	while (store_state(st, id, 1, 0) == STORE_ABSENT)
		usleep(1000);
	assert_int_equal(store_claim(st, id, 1, 0), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(store_state(st, id, 1, 0), STORE_ABSENT);
	assert_int_equal(store_claim(st, id, 1, 0), 1);
	store_close(st);
	scenario_destroy(sc);
}

/* On another machine it lives as long as it gives signs of life. */
static void
test_the_claim_of_a_silent_machine_is_free(void **state)
{
	struct scenario *sc = scenario(NULL);
	struct store *a = store_open("e.db", STORE_CREATE);
	struct store *b = store_open("e.db", STORE_CREATE);
	int64_t id;

	(void)state;
	assert_true(store_session(a, "a") && store_session(b, "b"));
	id = store_point(a, sc, 0);
	assert_int_equal(store_claim(a, id, 1, 0), 1);
	run_sql("e.db", "UPDATE session SET host = 'elsewhere' WHERE id = 1");
	assert_int_equal(store_claim(b, id, 1, 0), 0);
	run_sql("e.db", "UPDATE session SET beat = beat - 119000000000");
	assert_int_equal(store_claim(b, id, 1, 0), 0);
	run_sql("e.db", "UPDATE session SET beat = beat - 2000000000");
	assert_int_equal(store_state(b, id, 1, 0), STORE_ABSENT);
	assert_int_equal(store_claim(b, id, 1, 0), 1);
	store_close(a);
	store_close(b);
	scenario_destroy(sc);
}

static void
test_alone_takes_over(void **state)
{
	struct scenario *sc = scenario(NULL);
	struct store *a = store_open("f.db", STORE_CREATE);
	struct store *b = store_open("f.db", STORE_CREATE);
	int64_t id;

	(void)state;
	assert_true(store_session(a, "a") && store_session(b, "b"));
	id = store_point(a, sc, 0);
	assert_int_equal(store_claim(a, id, 1, 0), 1);
	store_alone(b);
	assert_int_equal(store_claim(b, id, 1, 0), 1);
	store_close(a);
	store_close(b);
	scenario_destroy(sc);
}

static void
test_points_are_found(void **state)
{
	struct scenario *sc = scenario(NULL);
	struct store *st = store_open(NULL, STORE_CREATE);
	int64_t ids[6];

	(void)state;
	assert_true(store_session(st, "solab test"));
	for (int i = 0; i < 6; i++)
		ids[i] = store_point(st, sc, i);
	assert_int_equal(store_find(st, "object=8KiB,soavailconn=32"), ids[3]);
	assert_int_equal(
	    store_find(st, "nginx.object=8KiB soavailconn=0"), ids[2]);
	assert_int_equal(store_find(st, "4"), 4);
	assert_int_equal(store_find(st, "9"), -1);
	assert_int_equal(store_find(st, "object=8KiB"), -1);
	assert_int_equal(store_find(st, "bject=8KiB,soavailconn=0"), -1);
	assert_int_equal(store_find(st, "object=8KiB,soavailconn=1"), -1);
	assert_int_equal(store_find(st, ""), -1);
	assert_int_equal(store_find(st, "nonsense"), -1);
	store_close(st);
	scenario_destroy(sc);
}

/* Without its files, at the same values. */
static void
test_a_scenario_comes_back(void **state)
{
	struct scenario *sc = scenario(NULL), *back;
	struct store *st = store_open("g.db", STORE_CREATE);
	char a[256], b[256];
	int64_t id;

	(void)state;
	assert_true(store_session(st, "solab test"));
	id = store_point(st, sc, 4);
	assert_int_equal(unlink("s.yaml"), 0);
	back = store_scenario(st, id, 7);
	assert_non_null(back);
	assert_int_equal(scenario_npoints(back), 1);
	assert_int_equal(back->sc_setup.su_run.sr_seed, 7);
	assert_int_equal(store_point(st, back, 0), id);
	scenario_point_label(sc, 4, a, sizeof(a));
	scenario_point_label(back, 0, b, sizeof(b));
	assert_memory_equal(a, b, strlen(a));
	scenario_destroy(back);
	scenario_destroy(sc);
	store_close(st);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(test_what_is_put_comes_back),
		CASE(test_schema_1_is_read),
		CASE(test_a_key_is_all_parameters),
		CASE(test_one_seed_is_one_run),
		CASE(test_claims),
		CASE(test_the_claim_of_a_dead_process_is_free),
		CASE(test_the_claim_of_a_silent_machine_is_free),
		CASE(test_alone_takes_over),
		CASE(test_points_are_found),
		CASE(test_a_scenario_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
