/* Goal seek on made-up systems whose answer is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/rng.h"
#include "sim/lab/seek.h"

struct fake {
	double (*mean)(int64_t value);
	double
	    common; /* standard deviation that replications share, relative */
	double own; /* and that of each run */
	uint32_t seed;
	int64_t broken;	       /* this value's first replication fails */
	int calls, runs, most; /* most: replications of one value */
};

static double
normal(uint32_t seed, int rep, const char *purpose, int64_t value)
{
	struct rng r;
	double u, v;

	rng_init(&r, (struct rng_run){ seed, (uint32_t)rep }, purpose,
	    (uint64_t)value);
	u = rng_uniform(&r);
	v = rng_uniform(&r);
	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static bool
evaluate(void *arg, struct seek_want *sw, int n)
{
	struct fake *fa = arg;

	fa->calls++;
	for (int i = 0; i < n; i++) {
		const int64_t v = sw[i].sw_value;

		for (int r = sw[i].sw_from; r < sw[i].sw_to; r++) {
			double y = fa->mean(v);

			y *= 1 + fa->common * normal(fa->seed, r, "common", 0) +
			     fa->own * normal(fa->seed, r, "own", v);
			if (v == fa->broken && r == 0)
				y = NAN;
			sw[i].sw_y[r - sw[i].sw_from] = y;
			fa->runs++;
		}
		if (sw[i].sw_to > fa->most)
			fa->most = sw[i].sw_to;
	}
	return fa->calls < 10000;
}

/* A problem on 1..256, geometric, 9 values in the scan, 3 to 12 runs each. */
static struct seek_problem
problem(struct fake *fa, enum seek_relation relation, double limit)
{
	return (struct seek_problem){
		.sk_low = 1,
		.sk_high = 256,
		.sk_step = 1,
		.sk_round = 10,
		.sk_geometric = true,
		.sk_condition = { METRIC_THROUGHPUT, relation, limit, true },
		.sk_min_reps = 3,
		.sk_max_reps = 12,
		.sk_scan = 9,
		.sk_evaluate = evaluate,
		.sk_arg = fa,
	};
}

static const struct seek_probe *
probe(const struct seek_result *se, int64_t value)
{
	for (int i = 0; i < se->se_n; i++) {
		if (se->se_probes[i].sb_value == value)
			return &se->se_probes[i];
	}
	fail_msg("%lld was not probed", (long long)value);
	return NULL;
}

static double
itself(int64_t v)
{
	return (double)v;
}

static double
saturating(int64_t v)
{
	return 1000.0 * (double)v / ((double)v + 0.5);
}

/* 3 below 4, 5 in 4..8, 3 in 9..99, 6 from 100. */
static double
two_steps(int64_t v)
{
	if (v >= 100)
		return 6;
	return v >= 4 && v <= 8 ? 5 : 3;
}

static double
falling(int64_t v)
{
	return 1000.5 - (double)v;
}

static double
peak_at_37(int64_t v)
{
	return 100 - fabs((double)v - 37);
}

static double
at_limit(int64_t v)
{
	(void)v;
	return 100;
}

static double
nothing(int64_t v)
{
	(void)v;
	return 0;
}

static double
unanswered_above_20(int64_t v)
{
	return v > 20 ? INFINITY : (double)v;
}

static void
test_smallest_is_exact_without_noise(void **state)
{
	struct fake fa = { .mean = itself };
	struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 100);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_FOUND);
	assert_int_equal(se.se_keeps, 100);
	assert_true(se.se_failing);
	assert_int_equal(se.se_fails, 99);
	assert_int_equal(se.se_undecided, 0);
	assert_false(se.se_contradicted);
	/* 9 of the scan, then 64..128 by halves: 3 runs each and no more. */
	assert_int_equal(se.se_n, 15);
	assert_int_equal(se.se_runs, 45);
	assert_int_equal(fa.runs, 45);
	assert_int_equal(fa.most, 3);
	for (int i = 1; i < se.se_n; i++)
		assert_true(
		    se.se_probes[i - 1].sb_value < se.se_probes[i].sb_value);
	seek_fini(&se);
}

static void
test_largest_is_exact_without_noise(void **state)
{
	struct fake fa = { .mean = itself };
	struct seek_problem sk = problem(&fa, SEEK_AT_MOST, 50);
	struct seek_result se;

	(void)state;
	sk.sk_largest = true;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_FOUND);
	assert_int_equal(se.se_keeps, 50);
	assert_int_equal(se.se_fails, 51);
	assert_false(se.se_contradicted);
	seek_fini(&se);
}

/* Nothing beyond it can matter. */
static void
test_asked_end_that_keeps_is_the_answer(void **state)
{
	struct fake fa = { .mean = itself };
	struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 1);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_FOUND);
	assert_int_equal(se.se_keeps, 1);
	assert_false(se.se_failing);
	assert_int_equal(se.se_n, 1);
	assert_int_equal(fa.runs, 3);
	seek_fini(&se);
	sk.sk_largest = true;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_keeps, 256);
	assert_int_equal(se.se_n, 1);
	seek_fini(&se);
}

static void
test_no_value_keeps_it(void **state)
{
	struct fake fa = { .mean = itself };
	struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 257);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_NOWHERE);
	assert_int_equal(se.se_n, 9);
	assert_int_equal(se.se_undecided, 0);
	seek_fini(&se);
}

/* 256/256.5 is the best; 0.99 of it is reached by v/(v + 0.5) at 41.3. */
static void
test_knee_of_a_curve_that_saturates(void **state)
{
	struct fake fa = { .mean = saturating };
	struct seek_problem sk = problem(&fa, SEEK_NEAR_BEST, 1);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_FOUND);
	assert_int_equal(se.se_best, 256);
	assert_int_equal(se.se_keeps, 42);
	assert_int_equal(se.se_fails, 41);
	assert_true(fabs(probe(&se, 42)->sb_ratio.mean -
			 saturating(42) / saturating(256)) < 1e-12);
	assert_true(probe(&se, 42)->sb_ratio.half < 1e-12);
	assert_true(probe(&se, 256)->sb_ratio.mean == 1);
	seek_fini(&se);
}

/*
 * Noise of 20 % that replications share drops out of a ratio; of a metric it
 * does not.
 */
static void
test_common_noise_drops_out_of_ratios(void **state)
{
	struct fake fa = { .mean = saturating, .common = 0.2, .seed = 3 };
	struct seek_problem sk = problem(&fa, SEEK_NEAR_BEST, 1);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_keeps, 42);
	assert_int_equal(fa.most, 3);
	assert_true(probe(&se, 42)->sb_metric.half > 100);
	seek_fini(&se);
	sk = problem(&fa, SEEK_AT_LEAST, 980);
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_UNSURE);
	assert_int_equal(fa.most, 12);
	seek_fini(&se);
}

/* What is said to be sure is true, of the answer and of its neighbour. */
static void
test_noise_is_respected(void **state)
{
	int exact = 0, wrong = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct fake fa = { itself, .own = 0.01, .seed = seed };
		struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 100.5);
		struct seek_result se;

		seek_solve(&sk, &se);
		assert_int_equal(se.se_end, SEEK_FOUND);
		assert_true(se.se_failing);
		wrong += se.se_keeps < 101 || se.se_fails > 100;
		exact += se.se_keeps == 101 && se.se_fails == 100;
		assert_true(
		    se.se_keeps - se.se_fails == 1 || se.se_undecided > 0);
		assert_true(se.se_keeps - se.se_fails < 12);
		assert_true(fa.most <= 12);
		seek_fini(&se);
	}
	assert_true(wrong <= 10);
	assert_true(exact >= 5 && exact <= 150);
}

/*
 * A value that lies on the limit has no right verdict: 95 % of the time it must
 * be undecided after all looks together. (With the plain 95 % at every look it
 * would be 88 %.) 7.1 % is three standard deviations of 1,000 experiments off.
 */
static void
test_looking_again_costs_no_confidence(void **state)
{
	int decided = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 1000; seed++) {
		struct fake fa = { itself, .own = 0.1, .seed = seed };
		struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 2);
		struct seek_result se;

		sk.sk_high = 2;
		sk.sk_scan = 2;
		seek_solve(&sk, &se);
		decided += probe(&se, 2)->sb_verdict != SEEK_UNDECIDED;
		assert_int_equal(probe(&se, 2)->sb_verdict == SEEK_UNDECIDED,
		    se.se_end == SEEK_UNSURE);
		seek_fini(&se);
	}
	assert_true(decided < 71);
	assert_true(decided > 10);
}

static void
test_everything_is_undecided(void **state)
{
	struct fake fa = { at_limit, .own = 1, .seed = 4 };
	struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 100);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_UNSURE);
	assert_int_equal(se.se_undecided, 9);
	assert_int_equal(fa.most, 12);
	seek_fini(&se);
}

/* The crossing outermost on the asked side; what contradicts is marked. */
static void
test_back_and_forth_is_said(void **state)
{
	struct fake fa = { .mean = two_steps };
	struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 4);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_FOUND);
	assert_int_equal(se.se_keeps, 4);
	assert_int_equal(se.se_fails, 3);
	assert_true(se.se_contradicted);
	assert_true(probe(&se, 16)->sb_contradicts);
	assert_true(probe(&se, 64)->sb_contradicts);
	assert_false(probe(&se, 2)->sb_contradicts);
	assert_false(probe(&se, 128)->sb_contradicts);
	seek_fini(&se);
	sk = problem(&fa, SEEK_AT_MOST, 4);
	sk.sk_largest = true;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_keeps, 99);
	assert_int_equal(se.se_fails, 100);
	assert_true(probe(&se, 8)->sb_contradicts);
	assert_false(probe(&se, 2)->sb_contradicts);
	assert_false(se.se_reversed);
	seek_fini(&se);
}

/* Kept at the asked end alone: nothing contradicts, the question is another. */
static void
test_other_side_may_be_meant(void **state)
{
	struct fake fa = { .mean = falling };
	struct seek_problem sk = problem(&fa, SEEK_NEAR_BEST, 10);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_keeps, 1);
	assert_true(se.se_reversed);
	assert_true(se.se_contradicted);
	assert_false(probe(&se, 256)->sb_contradicts);
	seek_fini(&se);
	sk.sk_largest = true;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_best, 1);
	assert_int_equal(se.se_keeps, 100);
	assert_int_equal(se.se_fails, 101);
	assert_false(se.se_contradicted);
	assert_false(se.se_reversed);
	seek_fini(&se);
}

/* 1, 51, 100 are scanned and 51 is the best, until 26 turns out better. */
static void
test_better_best_is_taken(void **state)
{
	struct fake fa = { .mean = peak_at_37 };
	struct seek_problem sk = problem(&fa, SEEK_NEAR_BEST, 10);
	struct seek_result se;

	(void)state;
	sk.sk_high = 100;
	sk.sk_scan = 3;
	sk.sk_geometric = false;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_FOUND);
	/* 90 % of 89 are 80.1. */
	assert_int_equal(se.se_best, 26);
	assert_int_equal(se.se_keeps, 18);
	assert_int_equal(se.se_fails, 17);
	assert_false(se.se_restless);
	assert_true(probe(&se, 100)->sb_contradicts);
	seek_fini(&se);
	/* From above nothing better comes on the way: 90 % of 86 are 77.4. */
	sk.sk_largest = true;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_best, 51);
	assert_int_equal(se.se_keeps, 59);
	assert_int_equal(se.se_fails, 60);
	seek_fini(&se);
}

static void
test_nothing_answered_anywhere(void **state)
{
	struct fake fa = { .mean = nothing };
	struct seek_problem sk = problem(&fa, SEEK_NEAR_BEST, 1);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_NOWHERE);
	seek_fini(&se);
}

/* A time without answers keeps no condition, and is never the best. */
static void
test_time_without_answers_fails(void **state)
{
	struct fake fa = { .mean = unanswered_above_20 };
	struct seek_problem sk = problem(&fa, SEEK_AT_MOST, 50);
	struct seek_result se;

	(void)state;
	sk.sk_largest = true;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_keeps, 20);
	assert_int_equal(se.se_fails, 21);
	assert_true(isinf(probe(&se, 256)->sb_metric.mean));
	seek_fini(&se);
	sk = problem(&fa, SEEK_NEAR_BEST, 50);
	sk.sk_condition.sn_highest_best = false;
	sk.sk_largest = true;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_best, 1);
	assert_int_equal(se.se_keeps, 1);
	seek_fini(&se);
}

static void
test_failed_run_leaves_its_value_undecided(void **state)
{
	struct fake fa = { .mean = itself, .broken = 128 };
	struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 100);
	struct seek_result se;

	(void)state;
	seek_solve(&sk, &se);
	assert_true(se.se_broken);
	assert_int_equal(se.se_end, SEEK_FOUND);
	assert_int_equal(probe(&se, 128)->sb_verdict, SEEK_UNDECIDED);
	assert_true(probe(&se, 128)->sb_broken);
	assert_int_equal(probe(&se, 128)->sb_reps, 3);
	assert_int_equal(se.se_keeps, 100);
	seek_fini(&se);
	fa.broken = 256;
	sk = problem(&fa, SEEK_NEAR_BEST, 10);
	seek_solve(&sk, &se);
	assert_int_equal(se.se_best, 128);
	assert_int_equal(se.se_keeps, 116);
	seek_fini(&se);
}

static bool
give_up(void *arg, struct seek_want *sw, int n)
{
	(void)arg;
	(void)sw;
	(void)n;
	return false;
}

static void
test_giving_up_stops_at_once(void **state)
{
	struct fake fa = { .mean = itself };
	struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 100);
	struct seek_result se;

	(void)state;
	sk.sk_evaluate = give_up;
	seek_solve(&sk, &se);
	assert_int_equal(se.se_end, SEEK_STOPPED);
	assert_int_equal(se.se_runs, 0);
	seek_fini(&se);
}

static int64_t
between(const struct seek_problem *sk, int64_t low, int64_t high)
{
	int64_t middle;

	return seek_between(sk, low, high, &middle) ? middle : -1;
}

static void
test_middles_are_round(void **state)
{
	struct fake fa = { .mean = itself };
	struct seek_problem sk = problem(&fa, SEEK_AT_LEAST, 100);

	(void)state;
	assert_int_equal(between(&sk, 4, 16), 8);
	assert_int_equal(between(&sk, 1, 2), -1);
	assert_int_equal(between(&sk, 7, 9), 8);
	/* 1 % of 1000/s is 10/s. */
	sk.sk_near = 0.01;
	assert_int_equal(between(&sk, 1000, 500000), 22360);
	assert_int_equal(between(&sk, 1000, 1010), -1);
	assert_int_equal(between(&sk, 1000, 1011), 1010);
	/* 81 of a KiB, rounded to 64. */
	sk.sk_round = 2;
	assert_int_equal(between(&sk, 8192, 20000), 12800);
	sk.sk_geometric = false;
	sk.sk_near = 0;
	sk.sk_round = 10;
	assert_int_equal(between(&sk, -4, -3), -1);
	sk.sk_low = -4;
	assert_int_equal(between(&sk, -4, 5), 1);
	/* 0, 8, 16, ..., and the end. */
	sk.sk_low = 0;
	sk.sk_step = 8;
	assert_int_equal(between(&sk, 0, 60), 32);
	assert_int_equal(between(&sk, 32, 40), -1);
	assert_int_equal(between(&sk, 48, 60), 56);
	assert_int_equal(between(&sk, 56, 60), -1);
}

static void
test_looks_share_the_error(void **state)
{
	(void)state;
	assert_true(seek_level(5, 5) == 0.95);
	/* 3, 5, 8, 12 */
	assert_int_equal(seek_more(3, 12), 5);
	assert_int_equal(seek_more(5, 12), 8);
	assert_int_equal(seek_more(8, 12), 12);
	assert_int_equal(seek_more(8, 10), 10);
	assert_true(fabs(seek_level(3, 12) - 0.9875) < 1e-12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_smallest_is_exact_without_noise),
		cmocka_unit_test(test_largest_is_exact_without_noise),
		cmocka_unit_test(test_asked_end_that_keeps_is_the_answer),
		cmocka_unit_test(test_no_value_keeps_it),
		cmocka_unit_test(test_knee_of_a_curve_that_saturates),
		cmocka_unit_test(test_common_noise_drops_out_of_ratios),
		cmocka_unit_test(test_noise_is_respected),
		cmocka_unit_test(test_looking_again_costs_no_confidence),
		cmocka_unit_test(test_everything_is_undecided),
		cmocka_unit_test(test_back_and_forth_is_said),
		cmocka_unit_test(test_other_side_may_be_meant),
		cmocka_unit_test(test_better_best_is_taken),
		cmocka_unit_test(test_nothing_answered_anywhere),
		cmocka_unit_test(test_time_without_answers_fails),
		cmocka_unit_test(test_failed_run_leaves_its_value_undecided),
		cmocka_unit_test(test_giving_up_stops_at_once),
		cmocka_unit_test(test_middles_are_round),
		cmocka_unit_test(test_looks_share_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
