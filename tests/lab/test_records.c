/*
 * Replications pooled from what a store keeps of them are what merging their
 * results gives; precision is asked of the replications.
 */
#include "tests/lab/rig.h"

#include <math.h>

#include "sim/core/rng.h"
#include "sim/lab/precision.h"
#include "sim/lab/records.h"

#define REPS 4

/* Skewed latencies, more of them in each replication. */
static struct result *
made_up(int rep)
{
	struct result *rs = result_create();
	struct rng_run run = { 1, (uint32_t)rep };
	struct rng r;

	rng_init(&r, run, "test.records", 0);
	rs->rs_reps = 1;
	rs->rs_measure_ns = 1000000000;
	for (int i = 0; i < 5000 * (rep + 1); i++) {
		hist_record(
		    &rs->rs_latency, 100000 + rng_exponential(&r, 3000000));
		hist_record(
		    &rs->rs_cycle, 200000 + rng_exponential(&r, 9000000));
	}
	rs->rs_completed = (uint64_t)hist_count(&rs->rs_latency);
	rs->rs_request_rate = 1000 + rep;
	rs->rs_counters[COUNTER_switches] = 9 * (int64_t)rs->rs_completed;
	rs->rs_slot_ns = 5000000000 + rep;
	return rs;
}

static void
test_pooled_as_merged(void **state)
{
	struct record *rds[REPS];
	struct result *all = result_create(), *rs;
	struct scenario *sc;
	double x[REPS];

	(void)state;
	file_write("s.yaml", base);
	sc = load("s.yaml", NULL);
	for (int r = 0; r < REPS; r++) {
		rs = made_up(r);
		rds[r] = record_of(sc, 0, &sc->sc_setup, r, rs);
		result_merge(all, rs);
		sim_free(rs);
	}
	for (int m = 0; m < METRIC_N; m++) {
		struct stat_ci ci = records_metric(rds, REPS, m), one;
		double want = metric_value(m, all);

		if (m == METRIC_REQUESTS)
			want /= REPS; /* a replication's */
		if (m == METRIC_LITTLES_LAW_ERROR)
			continue; /* not a sum: the mean of the four */
		if (fabs(ci.mean / want - 1) > 1e-9)
			fail_msg("%s: %.17g, want %.17g",
			    key_metrics[m].km_name, ci.mean, want);
		for (int r = 0; r < REPS; r++)
			x[r] = record_metric(rds[r], key_metrics[m].km_json);
		one = stat_t_interval(x, REPS, 0.95);
		assert_true(ci.half == one.half);
	}
	assert_int_equal(records_samples(rds, REPS), 50000);
	assert_true(records_per_request(rds, REPS, "switches") == 9);
	assert_true(records_per_request(rds, REPS, "no such counter") == 0);
	assert_true(records_per_request(rds, 0, "switches") == 0);
	assert_true(isnan(record_metric(rds[0], "no_such_metric")));
	for (int r = 0; r < REPS; r++)
		record_destroy(rds[r]);
	sim_free(all);
	scenario_destroy(sc);
}

static void
test_precision_missed(void **state)
{
	struct record *rds[REPS];
	struct scenario *sc;
	struct precision pn;
	double x[REPS], part;

	(void)state;
	file_write("s.yaml", base);
	sc = load("s.yaml", NULL);
	for (int r = 0; r < REPS; r++) {
		struct result *rs = made_up(r);

		rds[r] = record_of(sc, 0, &sc->sc_setup, r, rs);
		x[r] = record_metric(rds[r], "latency_mean_ns");
		sim_free(rs);
	}
	assert_true(precision_parse("sweep", "latency_mean:2%", &pn));
	assert_int_equal(pn.pn_n, 1);
	assert_true(pn.pn_wants[0].pw_part == 0.02);
	part = stat_t_interval(x, REPS, 0.95).half / stat_mean(x, REPS);
	assert_true(
	    fabs(precision_missed(&pn, rds, REPS) - part / 0.02) < 1e-12);
	assert_true(precision_parse(
	    "sweep", "latency_mean:2%,throughput:0.5%,latency_p99:10%", &pn));
	assert_int_equal(pn.pn_n, 3);
	assert_int_equal(pn.pn_wants[2].pw_metric, METRIC_LATENCY_P99);
	/* Throughput grows from 5,000 to 20,000: far from half a percent. */
	assert_true(precision_missed(&pn, rds, REPS) > 100);
	assert_true(isinf(precision_missed(&pn, rds, 1)));
	assert_false(precision_parse("sweep", "", &pn));
	assert_false(precision_parse("sweep", "latency_mean", &pn));
	assert_false(precision_parse("sweep", "latency_mean:", &pn));
	assert_false(precision_parse("sweep", "latency_mean:2", &pn));
	assert_false(precision_parse("sweep", "latency_mean:2ms", &pn));
	assert_false(precision_parse("sweep", "latency_mean:101%", &pn));
	assert_false(precision_parse("sweep", ":2%", &pn));
	for (int r = 0; r < REPS; r++)
		record_destroy(rds[r]);
	scenario_destroy(sc);
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(test_pooled_as_merged),
		CASE(test_precision_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
