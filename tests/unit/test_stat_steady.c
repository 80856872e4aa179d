#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/rng.h"
#include "sim/core/stat_steady.h"

#define LONGEST 1000

static struct rng rng;

static double
normal(void)
{
	return sqrt(-2 * log(rng_uniform(&rng))) *
	       cos(2 * M_PI * rng_uniform(&rng));
}

/* Mean 100, deviation 1; `r` is the correlation of neighbours. */
static void
fill(double *x, int n, double r)
{
	double y = normal();

	for (int i = 0; i < n; i++) {
		x[i] = 100 + y;
		y = r * y + sqrt(1 - r * r) * normal();
	}
}

static int
setup(void **state)
{
	(void)state;
	rng_init(&rng, (struct rng_run){ 1, 0 }, "steady", 0);
	return 0;
}

/* Alarms are fewer than 1 %: of 4,000, and 3.3 deviations more. */
static void
test_false_alarms_are_rare(void **state)
{
	static const int lengths[] = { 60, 80, 100, 150, 200, 400, 1000 };
	static const double correlations[] = { 0, 0.5 };
	double x[LONGEST];

	(void)state;
	for (int c = 0; c < 2; c++) {
		for (int k = 0; k < 7; k++) {
			int alarms = 0;

			for (int t = 0; t < 4000; t++) {
				fill(x, lengths[k], correlations[c]);
				alarms +=
				    stat_steadiness(x, lengths[k]).ss_verdict !=
				    STAT_STEADY;
			}
			if (alarms > 40 + 21)
				fail_msg("%d slices: %d alarms of 4000",
				    lengths[k], alarms);
		}
	}
}

static void
test_a_short_warm_up_is_found_and_measured(void **state)
{
	struct stat_steadiness ss;
	double x[LONGEST], sum = 0;

	(void)state;
	for (int warm = 10; warm <= 80; warm += 10) {
		fill(x, 200, 0);
		for (int i = 0; i < warm; i++)
			x[i] += 10;
		ss = stat_steadiness(x, 200);
		assert_int_equal(ss.ss_verdict, STAT_WARMUP_SHORT);
		assert_in_range(ss.ss_cut, warm, warm + 60);
		assert_true(fabs(ss.ss_bias - 0.1 * warm / 200) < 0.002);
	}
	for (int i = 0; i < 60; i++)
		sum += x[i] = i < 10 ? 3 : i % 2 ? 1 : 2;
	ss = stat_steadiness(x, 60);
	assert_int_equal(ss.ss_verdict, STAT_WARMUP_SHORT);
	assert_int_equal(ss.ss_cut, 10);
	assert_true(fabs(ss.ss_bias - (sum / 60 / 1.5 - 1)) < 1e-12);
}

static void
test_a_drift_is_no_steady_state(void **state)
{
	static const int lengths[] = { 60, 100, 400, 1000 };
	double x[LONGEST];

	(void)state;
	for (int k = 0; k < 4; k++) {
		const int n = lengths[k];
		struct stat_steadiness ss;

		/* From 100 to 110, in noise of 1; then a sum of noise
		   of mean 2, as of a queue that only grows. */
		fill(x, n, 0.5);
		for (int i = 0; i < n; i++)
			x[i] += 10.0 * i / n;
		ss = stat_steadiness(x, n);
		assert_int_equal(ss.ss_verdict, STAT_NO_STEADY_STATE);
		assert_int_equal(ss.ss_cut, 0);
		x[0] = 0;
		for (int i = 1; i < n; i++)
			x[i] = x[i - 1] + 2 + normal();
		assert_int_equal(
		    stat_steadiness(x, n).ss_verdict, STAT_NO_STEADY_STATE);
	}
	for (int i = 0; i < 100; i++)
		x[i] = i;
	assert_int_equal(
	    stat_steadiness(x, 100).ss_verdict, STAT_NO_STEADY_STATE);
}

static void
test_no_noise(void **state)
{
	double x[100];
	struct stat_steadiness ss;

	(void)state;
	for (int i = 0; i < 100; i++)
		x[i] = 0.1;
	assert_int_equal(stat_steadiness(x, 100).ss_verdict, STAT_STEADY);
	for (int i = 0; i < 20; i++)
		x[i] = 0;
	ss = stat_steadiness(x, 100);
	assert_int_equal(ss.ss_verdict, STAT_WARMUP_SHORT);
	assert_int_equal(ss.ss_cut, 20);
	assert_true(fabs(ss.ss_bias + 0.2) < 1e-12);
}

static void
test_too_few_to_tell(void **state)
{
	double x[60];

	(void)state;
	for (int i = 0; i < 60; i++)
		x[i] = i;
	assert_int_equal(stat_steadiness(x, 59).ss_verdict, STAT_FEW_SLICES);
	assert_int_equal(stat_steadiness(x, 0).ss_verdict, STAT_FEW_SLICES);
	assert_int_equal(
	    stat_steadiness(x, 60).ss_verdict, STAT_NO_STEADY_STATE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_false_alarms_are_rare, setup),
		cmocka_unit_test_setup(
		    test_a_short_warm_up_is_found_and_measured, setup),
		cmocka_unit_test_setup(test_a_drift_is_no_steady_state, setup),
		cmocka_unit_test(test_no_noise),
		cmocka_unit_test(test_too_few_to_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
