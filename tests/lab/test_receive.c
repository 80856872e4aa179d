/* Scenarios of the 2007 receive path, and netperf's metrics. */
#include <math.h>

#include "sim/lab/metric.h"
#include "sim/lab/output.h"
#include "sim/lab/records.h"
#include "tests/lab/rig.h"

#define SECOND 1000000000

static void
test_broken_scenarios_say_what_is_wrong(void **state)
{
	static const struct {
		const char *find, *replace, *want;
	} rows[] = {
#include "broken_receive.inc"
	};
	int failed = 0;
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text = replaced(receive, rows[i].find, rows[i].replace);
		file_write("x.yaml", text);
		sim_free(text);
		assert_null(load_sets("x.yaml", NULL, 0));
		if (strcmp(messages, rows[i].want) != 0) {
			print_error("'%s' -> '%s':\n  got  %s  want %s",
			    rows[i].find, rows[i].replace, messages,
			    rows[i].want);
			failed++;
		}
	}
	assert_int_equal(failed, 0);
}

/* Words are values below 0, and no bare words of JSON. */
static void
test_words_for_cpus(void **state)
{
	static const char *const sets[] = { "cpu=same-core", "cpu=other-core",
		"cpu=any", "cpu=1" };
	static const int want[] = { CPU_SAME_CORE, CPU_OTHER_CORE, CPU_ANY, 1 };
	struct scenario_param params[SCENARIO_MAX_AXES];
	const struct setup_machine *sm;
	struct scenario *sc;
	char value[40];

	(void)state;
	file_write("x.yaml", receive);
	for (int i = 0; i < 4; i++) {
		sc = load("x.yaml", sets[i]);
		sm = &sc->sc_setup.su_machines[0];
		assert_int_equal(sm->sm_procs[0].sp_cpu, want[i]);
		assert_int_equal(sm->sm_nics[0].sn_ithread, CPU_ANY);
		assert_int_equal(scenario_params(sc, 0, params), 1);
		snprintf(value, sizeof(value), "cpu=%s", params[0].pa_value);
		assert_string_equal(value, sets[i]);
		assert_int_equal(params[0].pa_bare, i == 3);
		scenario_destroy(sc);
	}
	sc = load("x.yaml", "cpu=0..1+1");
	assert_int_equal(scenario_npoints(sc), 2);
	scenario_destroy(sc);
	assert_null(load_sets("x.yaml", &(const char *){ "cpu=any..1+1" }, 1));
}

/* One netserver on two CPUs, one sender on one. */
static struct result *
received(double bps, double receiver_pct, double sender_pct)
{
	struct result *rs = result_create();
	int64_t all = 10LL * SECOND;

	rs->rs_reps = 1;
	rs->rs_measure_ns = all;
	rs->rs_netserver = true;
	rs->rs_ncpus = 3;
	rs->rs_nserver_cpus = 2;
	rs->rs_cpus[1].rc_cpu = 1;
	rs->rs_cpus[2].rc_host = 1;
	/* All that is idle is on one of the two. */
	rs->rs_cpus[1].rc_idle_ns =
	    (int64_t)(2 * (1 - receiver_pct / 100) * (double)all);
	rs->rs_cpus[2].rc_idle_ns =
	    (int64_t)((1 - sender_pct / 100) * (double)all);
	rs->rs_counters[COUNTER_netserver_bytes] = (int64_t)(bps * 10 / 8);
	rs->rs_counters[COUNTER_statclock_ticks] = 260;
	rs->rs_counters[COUNTER_statclock_busy] = 235;
	return rs;
}

static bool
close_to(double got, double want, double within)
{
	if (fabs(got - want) <= within)
		return true;
	print_error("got %.9g, want %.9g\n", got, want);
	return false;
}

/* The first row of the table of 2007, and what it prints. */
static void
test_metrics_are_netperfs(void **state)
{
	struct result *rs = received(2472.08e6, 90.38, 31.83);
	char buf[METRIC_TEXT_MAX];
	double demand;

	(void)state;
	assert_true(close_to(metric_value(METRIC_GOODPUT, rs), 2472.08e6, 1));
	assert_true(
	    close_to(metric_value(METRIC_RECEIVER_CPU, rs), 90.38, 1e-6));
	assert_true(close_to(metric_value(METRIC_SENDER_CPU, rs), 31.83, 1e-6));
	demand = metric_value(METRIC_RECEIVER_DEMAND, rs);
	assert_true(close_to(demand, 5990, 0.5));
	assert_true(
	    close_to(metric_value(METRIC_SENDER_DEMAND, rs), 1055, 0.5));
	assert_true(close_to(
	    metric_value(METRIC_RECEIVER_CPU_SAMPLED, rs), 235 / 2.6, 1e-9));
	assert_string_equal(
	    metric_text(METRIC_RECEIVER_DEMAND, demand, buf), "5.990 us");
	assert_string_equal(
	    metric_text(METRIC_GOODPUT, 2472.08e6, buf), "2472.08 Mbps");
	assert_string_equal(
	    metric_text(METRIC_RECEIVER_CPU, 90.38, buf), "90.38 %");
	/* Points, not parts. */
	assert_true(close_to(
	    metric_error_pct(METRIC_RECEIVER_CPU, 96.38, 90.38), 6, 1e-9));
	assert_true(
	    close_to(metric_error_pct(METRIC_GOODPUT, 110, 100), 10, 1e-9));
	sim_free(rs);
}

static void
test_no_netserver_no_metrics(void **state)
{
	struct result *rs = received(1e9, 50, 50);

	(void)state;
	rs->rs_counters[COUNTER_netserver_bytes] = 0;
	rs->rs_counters[COUNTER_statclock_ticks] = 0;
	assert_true(metric_value(METRIC_GOODPUT, rs) == 0);
	assert_true(isnan(metric_value(METRIC_RECEIVER_DEMAND, rs)));
	assert_true(isnan(metric_value(METRIC_RECEIVER_CPU_SAMPLED, rs)));
	rs->rs_netserver = false;
	for (int m = 0; m < METRIC_N; m++)
		if (metric_of_netserver((enum metric)m))
			assert_true(isnan(metric_value((enum metric)m, rs)));
	sim_free(rs);
}

/* In place of requests, stages and listeners. */
static void
test_summary(void **state)
{
	struct result *rs = received(2472.08e6, 90.38, 31.83);
	struct point po = { .po_reps = 1 };
	struct scenario *sc;
	char *text;
	size_t n;
	FILE *fp;

	(void)state;
	file_write("x.yaml", receive);
	sc = load("x.yaml", NULL);
	point_init(&po, sc, SCENARIO_BASE);
	po.po_merged = rs;
	po.po_results[0] = result_create();
	memcpy(po.po_results[0], rs, sizeof(*rs));
	rs->rs_counters[COUNTER_recv_calls] = 4;
	rs->rs_cost_ns[0][COST_uiomove] = 1000000000;
	fp = open_memstream(&text, &n);
	output_text(fp, sc, &po, false);
	fclose(fp);
	assert_non_null(strstr(text, "\ngoodput, Mbit/s     2472.08\n"
				     "receiver CPU, %       90.38\n"
				     "  as sampled, %       90.38\n"
				     "sender CPU, %         31.83\n"
				     "receiver, us/KB       5.990\n"
				     "sender, us/KB         1.055\n"));
	assert_non_null(strstr(text, "\nrecv_calls                     4 "));
	assert_non_null(strstr(text, "rome, ns a KiB: 331.4 in all\n"
				     "  uiomove 331.4\n"));
	assert_null(strstr(text, "latency"));
	assert_null(strstr(text, "a request"));
	free(text);
	point_fini(&po);
	scenario_destroy(sc);
}

/* From records as from results. */
static void
test_replications_pool(void **state)
{
	struct result *all = result_create(), *rs;
	struct record *rds[3];
	struct scenario *sc;
	double want;

	(void)state;
	file_write("x.yaml", receive);
	sc = load("x.yaml", NULL);
	for (int r = 0; r < 3; r++) {
		rs = received(2e9 + 1e9 * r, 90 - 10 * r, 30 + 5 * r);
		rds[r] = record_of(sc, 0, &sc->sc_setup, r, rs);
		result_merge(all, rs);
		sim_free(rs);
	}
	for (int m = 0; m < METRIC_N; m++) {
		if (!metric_of_netserver((enum metric)m))
			continue;
		want = metric_value((enum metric)m, all);
		assert_true(
		    close_to(records_metric(rds, 3, (enum metric)m).mean, want,
			1e-9 * want));
	}
	for (int r = 0; r < 3; r++)
		record_destroy(rds[r]);
	sim_free(all);
	scenario_destroy(sc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broken_scenarios_say_what_is_wrong),
		cmocka_unit_test(test_words_for_cpus),
		cmocka_unit_test(test_metrics_are_netperfs),
		cmocka_unit_test(test_no_netserver_no_metrics),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_replications_pool),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
