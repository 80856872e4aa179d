/*
 * What is computed from a result: stages of all and of the slowest, Little's
 * law, merging, means of tokens.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/alloc.h"
#include "sim/lab/metric.h"

/* 90 requests of 10 ns off and 5 on, 10 slow ones of 100 and 40. */
static struct result *
two_groups(void)
{
	struct result *rs = result_create();

	rs->rs_reps = 1;
	rs->rs_measure_ns = 1000000000;
	rs->rs_completed = 100;
	rs->rs_bins[3].pb_n = 90;
	rs->rs_bins[3].pb_stage[STAGE_CONNECT_WAIT] = 900;
	rs->rs_bins[3].pb_counted[STAGE_SERVICE] = 450;
	rs->rs_bins[70].pb_n = 10;
	rs->rs_bins[70].pb_stage[STAGE_CONNECT_WAIT] = 1000;
	rs->rs_bins[70].pb_counted[STAGE_SERVICE] = 400;
	for (int i = 0; i < 100; i++) {
		hist_record(&rs->rs_latency, i < 90 ? 5 : 40);
		hist_record(&rs->rs_cycle, i < 90 ? 15 : 140);
	}
	rs->rs_slot_ns = 2750;
	rs->rs_request_rate = 120;
	rs->rs_ntokens = 2;
	rs->rs_tokens[0] = (struct result_token){
		.rt_name = "kqueue",
		.rt_count = 2,
		.rt_gets = 10,
		.rt_waits = 4,
		.rt_collisions = 1,
		.rt_hold_ns = 300000000,
		.rt_hold_max = 100000000,
		.rt_wait_ns = 2000,
		.rt_wait_max = 900,
		.rt_busiest_ns = 250000000,
	};
	rs->rs_tokens[1] =
	    (struct result_token){ .rt_name = "listener", .rt_count = 1 };
	return rs;
}

static void
test_stages_add_up_to_the_cycle(void **state)
{
	struct result *rs = two_groups();
	struct result_stages rg;

	(void)state;
	result_stages(rs, 1, &rg);
	assert_true(rg.rg_n == 100);
	assert_true(rg.rg_ns[STAGE_CONNECT_WAIT][0] == 19);
	assert_true(rg.rg_ns[STAGE_SERVICE][1] == 8.5);
	assert_true(rg.rg_total_ns[0] + rg.rg_total_ns[1] ==
		    metric_value(METRIC_CYCLE_MEAN, rs));
	sim_free(rs);
}

static void
test_slowest_take_a_part_of_the_last_bin(void **state)
{
	struct result *rs = two_groups();
	struct result_stages rg;

	(void)state;
	result_stages(rs, 0.01, &rg);
	assert_true(rg.rg_n == 1);
	assert_true(rg.rg_ns[STAGE_CONNECT_WAIT][0] == 100);
	result_stages(rs, 0.2, &rg);
	assert_true(rg.rg_n == 20);
	assert_true(rg.rg_ns[STAGE_CONNECT_WAIT][0] == (1000 + 100) / 20.0);
	assert_true(rg.rg_ns[STAGE_SERVICE][1] == (400 + 50) / 20.0);
	sim_free(rs);
}

static void
test_little(void **state)
{
	struct result *rs = two_groups();

	(void)state;
	assert_true(metric_value(METRIC_LITTLES_LAW_ERROR, rs) < 1e-9);
	rs->rs_slot_ns = 2 * 2750;
	assert_true(
	    fabs(metric_value(METRIC_LITTLES_LAW_ERROR, rs) - 50) < 1e-9);
	sim_free(rs);
}

static void
test_replications_merge_exactly(void **state)
{
	struct result *a = two_groups(), *b = two_groups();
	struct result *all = result_create(), *copy = result_create();

	(void)state;
	/* As it comes out of a pipe. */
	a->rs_nslices = 3;
	b->rs_nslices = 3;
	a->rs_slices[2].rc_n = 4;
	a->rs_slices[2].rc_model.sc_qsum = 5;
	b->rs_slices[2].rc_model.sc_qsum = 6;
	assert_true(result_size(a) < sizeof(*a) - 500000);
	memcpy(copy, a, result_size(a));
	sim_free(a);
	result_relocate(copy);
	hist_record(&b->rs_latency, 1000);
	result_merge(all, copy);
	result_merge(all, b);
	assert_int_equal(all->rs_reps, 2);
	assert_int_equal(all->rs_slices[2].rc_n, 4);
	assert_int_equal(all->rs_slices[2].rc_model.sc_qsum, 11);
	assert_int_equal(hist_count(&all->rs_latency), 201);
	assert_int_equal(hist_count(&copy->rs_latency), 100);
	assert_true(metric_value(METRIC_LATENCY_MAX, all) == 1000);
	assert_true(metric_value(METRIC_LATENCY_P50, all) == 5);
	assert_true(metric_value(METRIC_THROUGHPUT, all) == 100);
	assert_true(metric_value(METRIC_REQUEST_RATE, all) == 120);
	assert_true(metric_value(METRIC_LITTLES_LAW_ERROR, all) < 1e-9);
	sim_free(copy);
	sim_free(b);
	sim_free(all);
}

/* Sums and maxima; the busiest is a mean over the replications. */
static void
test_tokens_merge(void **state)
{
	struct result *a = two_groups(), *b = two_groups();
	struct result *all = result_create();
	const struct result_token *rt = &all->rs_tokens[0];
	struct result_token_means rm;

	(void)state;
	b->rs_tokens[0].rt_waits = 0;
	b->rs_tokens[0].rt_wait_ns = 0;
	b->rs_tokens[0].rt_hold_max = 200000000;
	b->rs_tokens[0].rt_busiest_ns = 350000000;
	result_merge(all, a);
	result_merge(all, b);
	assert_int_equal(all->rs_ntokens, 2);
	assert_string_equal(rt->rt_name, "kqueue");
	assert_int_equal(rt->rt_count, 2);
	assert_int_equal(rt->rt_gets, 20);
	assert_int_equal(rt->rt_waits, 4);
	assert_int_equal(rt->rt_collisions, 2);
	assert_int_equal(rt->rt_hold_max, 200000000);
	assert_int_equal(rt->rt_wait_max, 900);
	rm = result_token_means(all, rt);
	assert_true(rm.rm_hold_ns == 30000000);
	assert_true(rm.rm_wait_ns == 500);
	assert_true(rm.rm_busiest_pct == 30);
	/* Never taken. */
	rm = result_token_means(all, &all->rs_tokens[1]);
	assert_true(rm.rm_hold_ns == 0 && rm.rm_wait_ns == 0);
	sim_free(a);
	sim_free(b);
	sim_free(all);
}

static void
test_texts(void **state)
{
	char buf[METRIC_TEXT_MAX];

	(void)state;
	assert_string_equal(
	    metric_text(METRIC_LATENCY_P99, 35590000, buf), "35.59 ms");
	assert_string_equal(
	    metric_text(METRIC_LATENCY_P99, 1500, buf), "1.50 us");
	assert_string_equal(
	    metric_text(METRIC_THROUGHPUT, 210279.88, buf), "210279.9 /s");
	assert_true(metric_error_pct(METRIC_THROUGHPUT, 110, 100) > 9.99);
	assert_true(metric_error_pct(METRIC_LITTLES_LAW_ERROR, 3, 2) == 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stages_add_up_to_the_cycle),
		cmocka_unit_test(test_slowest_take_a_part_of_the_last_bin),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_replications_merge_exactly),
		cmocka_unit_test(test_tokens_merge),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
