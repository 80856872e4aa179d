/*
 * The slices of a result: the verdict on them, its words, and what else `solab
 * run` says of numbers that are worth less than they look.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/alloc.h"
#include "sim/core/rng.h"
#include "sim/lab/output.h"
#include "sim/lab/run_pilot.h"

/*
 * 10 s in n slices after a warm-up of 8 s: about 1,000 responses a second of
 * 10 ms, with noise.
 */
static struct result *
noisy(int n, uint32_t rep)
{
	struct result *rs = result_create();
	struct rng r;

	rng_init(&r, (struct rng_run){ 1, rep }, "slices", 0);
	rs->rs_reps = 1;
	rs->rs_measure_ns = sim_s(10);
	rs->rs_warmup_ns = sim_s(8);
	rs->rs_nslices = n;
	rs->rs_slice_ns = sim_s(10) / n;
	for (int i = 0; i < n; i++) {
		const int64_t count = 10000 / n + rng_below(&r, 11) - 5;

		rs->rs_slices[i].rc_n = (uint64_t)count;
		rs->rs_slices[i].rc_latency_ns =
		    count * (sim_ms(10) + rng_below(&r, 1000000) - 500000);
	}
	return rs;
}

/* A verdict is passed on what is merged. */
static struct result *
judged(struct result *rs)
{
	struct result *empty = sim_calloc(1, sizeof(*empty));

	*empty = *rs;
	memset(empty->rs_slices, 0, sizeof(empty->rs_slices));
	result_slices_merge(rs, empty);
	sim_free(empty);
	return rs;
}

static void
check(struct result *rs, const char *name, const char *words)
{
	char text[400];

	assert_string_equal(result_steady_name(rs), name);
	result_steady_text(rs, text, sizeof(text));
	assert_string_equal(text, words);
}

static void
test_steady_is_silent(void **state)
{
	struct result *rs = judged(noisy(100, 0));

	(void)state;
	check(rs, "yes", "");
	assert_int_equal(rs->rs_cut, 0);
	assert_true(rs->rs_latency_bias == 0 && rs->rs_rate_bias == 0);
	sim_free(rs);
}

/* The first 1.5 s are 25 % slower: the mean rises by 3.75 %. */
static void
test_short_warm_up_says_by_how_much_and_what_to_do(void **state)
{
	struct result *rs = noisy(100, 0);
	int64_t n = 0, sum = 0, first_n = 0, first_sum = 0;
	char want[300];

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct result_slice *rc = &rs->rs_slices[i];

		if (i < 15) {
			rc->rc_latency_ns += rc->rc_latency_ns / 4;
			first_n += (int64_t)rc->rc_n;
			first_sum += rc->rc_latency_ns;
		}
		n += (int64_t)rc->rc_n;
		sum += rc->rc_latency_ns;
	}
	judged(rs);
	assert_int_equal(rs->rs_steady, STAT_WARMUP_SHORT);
	assert_int_equal(rs->rs_cut, 15);
	assert_true(
	    fabs(rs->rs_latency_bias -
		 ((double)sum / (double)n /
			 ((double)(sum - first_sum) / (double)(n - first_n)) -
		     1)) < 1e-12);
	assert_true(fabs(rs->rs_latency_bias - 0.0375) < 0.002);
	assert_true(
	    fabs(rs->rs_rate_bias -
		 ((double)n / 10 / ((double)(n - first_n) / 8.5) - 1)) < 1e-12);
	snprintf(want, sizeof(want),
	    "warm-up too short: the first 1500ms raise the mean latency by "
	    "%.2g %% and %s the throughput by %.2g %%; take --warmup 9500ms, "
	    "or auto",
	    100 * rs->rs_latency_bias, rs->rs_rate_bias > 0 ? "raise" : "lower",
	    100 * fabs(rs->rs_rate_bias));
	check(rs, "warmup-short", want);
	sim_free(rs);
}

static void
test_throughput_alone_can_be_unsteady(void **state)
{
	struct result *rs = noisy(100, 0);

	(void)state;
	for (int i = 0; i < 20; i++) {
		rs->rs_slices[i].rc_n /= 2;
		rs->rs_slices[i].rc_latency_ns /= 2;
	}
	judged(rs);
	assert_int_equal(rs->rs_steady, STAT_WARMUP_SHORT);
	assert_int_equal(rs->rs_cut, 20);
	assert_true(fabs(rs->rs_rate_bias + 0.1) < 0.005);
	sim_free(rs);
}

static void
test_drift_is_named_with_its_ends(void **state)
{
	struct result *rs = noisy(100, 0);

	(void)state;
	for (int i = 0; i < 100; i++) {
		rs->rs_slices[i].rc_n = 100 + (uint64_t)i;
		rs->rs_slices[i].rc_latency_ns =
		    sim_us(1000 + 100 * i) * (100 + i);
	}
	judged(rs);
	check(rs, "no-steady-state",
	    "no steady state: from the first tenth of the measurement to the "
	    "last the mean latency goes from 1.46 ms to 10.45 ms, the "
	    "throughput from 1045 to 1945 /s");
	sim_free(rs);
}

static void
test_few_slices_cannot_tell(void **state)
{
	struct result *rs = judged(noisy(50, 0));

	(void)state;
	check(rs, "too-few-slices",
	    "slices are too few to tell whether it is steady: 50, want 60");
	sim_free(rs);
}

/* What is lost in the noise of one replication is seen in the sum of many. */
static void
test_replications_are_judged_together(void **state)
{
	struct result *all = result_create();
	int alone = 0;

	(void)state;
	for (uint32_t rep = 0; rep < 50; rep++) {
		struct result *rs = noisy(100, rep);

		rs->rs_warmup_ns += rep == 7 ? sim_s(1) : 0;
		for (int i = 0; i < 20; i++)
			rs->rs_slices[i].rc_latency_ns +=
			    rs->rs_slices[i].rc_latency_ns / 100;
		judged(rs);
		alone += rs->rs_steady == STAT_STEADY;
		result_merge(all, rs);
		sim_free(rs);
	}
	assert_in_range(alone, 40, 50);
	assert_int_equal(all->rs_steady, STAT_WARMUP_SHORT);
	assert_in_range(all->rs_cut, 20, 25);
	assert_true(fabs(all->rs_latency_bias - 0.002) < 0.0005);
	assert_true(all->rs_warmup_ns == sim_s(9));
	sim_free(all);
}

/* The last one is shorter, and empty ones have no latency. */
static void
test_series_leave_out_what_is_not_whole(void **state)
{
	struct result *rs = noisy(100, 0);
	struct result_series *re = sim_calloc(1, sizeof(*re));

	(void)state;
	rs->rs_measure_ns -= sim_ms(50);
	rs->rs_slices[3] = (struct result_slice){ 0 };
	result_rates(rs, re);
	assert_int_equal(re->re_n, 99);
	assert_true(re->re_values[3] == 0);
	result_latencies(rs, re);
	assert_int_equal(re->re_n, 99);
	assert_int_equal(re->re_slices[3], 4);
	sim_free(re);
	sim_free(rs);
}

static void
test_pilot_cuts_what_the_later_of_both_wants(void **state)
{
	struct result *rs = noisy(100, 0);

	(void)state;
	for (int i = 0; i < 15; i++)
		rs->rs_slices[i].rc_latency_ns *= 2;
	assert_int_equal(pilot_cut(rs), sim_ms(1500));
	for (int i = 0; i < 30; i++) {
		rs->rs_slices[i].rc_n /= 2;
		rs->rs_slices[i].rc_latency_ns /= 2;
	}
	assert_int_equal(pilot_cut(rs), sim_ms(3000));
	sim_free(rs);
}

static void
test_pilot_cuts_no_more_than_half(void **state)
{
	struct result *rs = noisy(100, 0);

	(void)state;
	for (int i = 0; i < 70; i++)
		rs->rs_slices[i].rc_latency_ns *= 2;
	assert_int_equal(pilot_cut(rs), sim_ms(5000));
	for (int i = 0; i < 100; i++)
		rs->rs_slices[i].rc_latency_ns = 1;
	assert_in_range(pilot_cut(rs), 0, sim_ms(5000));
	sim_free(rs);
}

/* Empty slices are skipped, so cuts are not those of the series. */
static void
test_pilot_of_empty_slices(void **state)
{
	struct result *rs = noisy(200, 0);

	(void)state;
	for (int i = 0; i < 200; i++) {
		rs->rs_slices[i].rc_n = i % 2;
		rs->rs_slices[i].rc_latency_ns =
		    i % 2 * (i < 60 ? 5000 : 1000 + i % 3);
	}
	/* The 31st response, in slice 61. */
	assert_int_equal(pilot_cut(rs), 61 * rs->rs_slice_ns);
	memset(rs->rs_slices, 0, sizeof(rs->rs_slices));
	assert_int_equal(pilot_cut(rs), 0);
	sim_free(rs);
}

/* What `solab run` prints of a result. Gives it. */
static char *
printed(struct result *rs)
{
	struct scenario *sc;
	struct point po;
	struct diag d;
	size_t size;
	char *text;
	FILE *fp;

	diag_init(&d);
	sc = scenario_load("scenarios/soavailconn.yaml", NULL, 0, NULL, &d);
	assert_non_null(sc);
	point_init(&po, sc, SCENARIO_BASE);
	for (int r = 1; r < po.po_reps; r++)
		po.po_results[r] = NULL;
	po.po_reps = 1;
	po.po_results[0] = rs;
	po.po_merged = result_create();
	result_merge(po.po_merged, rs);
	fp = open_memstream(&text, &size);
	output_text(fp, sc, &po, false);
	fclose(fp);
	point_fini(&po);
	scenario_destroy(sc);
	diag_fini(&d);
	return text;
}

static void
test_percentiles_of_few_samples_are_marked(void **state)
{
	struct result *rs = judged(noisy(100, 0));
	char *text;

	(void)state;
	for (int i = 0; i < 812; i++)
		hist_record(&rs->rs_latency, sim_ms(1));
	for (int i = 0; i < 10000; i++)
		hist_record(&rs->rs_cycle, sim_ms(2));
	text = printed(rs);
	assert_non_null(strstr(text,
	    "  p50 1.000  p90 1.000*  p99 1.000*  p99.9 1.000*  p99.99 "
	    "1.000*\n"));
	assert_non_null(strstr(text, "  p50 2.000  p90 2.000  p99 2.000\n"));
	assert_non_null(
	    strstr(text, "* too few samples: p90 wants 1000, there are 812\n"));
	assert_null(strstr(text, "warning:"));
	free(text);
}

static void
test_values_over_the_histogram_are_said(void **state)
{
	struct result *rs = judged(noisy(100, 0));
	char *text;

	(void)state;
	for (int i = 0; i < 3; i++)
		hist_record(&rs->rs_latency, 2 * SIM_HOUR);
	hist_record(&rs->rs_cycle, 2 * SIM_HOUR);
	text = printed(rs);
	assert_non_null(strstr(text,
	    "warning: 3 latencies and 1 cycles were longer than 3600 s: they "
	    "are in none of the numbers above\n"));
	free(text);
}

static void
test_warnings_are_wrapped(void **state)
{
	struct result *rs = noisy(100, 0);
	char *text, *line;

	(void)state;
	for (int i = 0; i < 15; i++)
		rs->rs_slices[i].rc_latency_ns *= 2;
	text = printed(judged(rs));
	line = strstr(text, "\nwarning: warm-up too short: the first 1500ms");
	assert_non_null(line);
	assert_in_range(strchr(line + 1, '\n') - line, 60, 81);
	assert_non_null(strstr(line, "9500ms, or auto\n"));
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady_is_silent),
		cmocka_unit_test(
		    test_short_warm_up_says_by_how_much_and_what_to_do),
		cmocka_unit_test(test_throughput_alone_can_be_unsteady),
		cmocka_unit_test(test_drift_is_named_with_its_ends),
		cmocka_unit_test(test_few_slices_cannot_tell),
		cmocka_unit_test(test_replications_are_judged_together),
		cmocka_unit_test(test_series_leave_out_what_is_not_whole),
		cmocka_unit_test(test_pilot_cuts_what_the_later_of_both_wants),
		cmocka_unit_test(test_pilot_cuts_no_more_than_half),
		cmocka_unit_test(test_pilot_of_empty_slices),
		cmocka_unit_test(test_percentiles_of_few_samples_are_marked),
		cmocka_unit_test(test_values_over_the_histogram_are_said),
		cmocka_unit_test(test_warnings_are_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
