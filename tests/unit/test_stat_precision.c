#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/stat_precision.h"

static void
test_a_percentile_wants_a_hundred_samples_above_it(void **state)
{
	(void)state;
	assert_int_equal(stat_percentile_wants(0), 100);
	assert_int_equal(stat_percentile_wants(0.5), 200);
	assert_int_equal(stat_percentile_wants(0.9), 1000);
	assert_int_equal(stat_percentile_wants(0.99), 10000);
	assert_int_equal(stat_percentile_wants(0.999), 100000);
	assert_int_equal(stat_percentile_wants(0.9999), 1000000);
	assert_int_equal(stat_percentile_wants(0.99999), 10000000);
	assert_int_equal(stat_percentile_wants(0.7), 334);
	assert_false(stat_percentile_ok(0.99, 9999));
	assert_true(stat_percentile_ok(0.99, 10000));
	assert_false(stat_percentile_ok(0.99, 71));
}

/* n values of mean 1 and sample deviation s, half of them on either side. */
static void
spread(double *x, int n, double s)
{
	const double d = s * sqrt((n - 1.0) / (n / 2 * 2));

	for (int i = 0; i < n; i++)
		x[i] = i == n - 1 && n % 2 == 1 ? 1 : 1 + (i % 2 ? d : -d);
}

static int
more(int n, double s, double target, int cap)
{
	double x[200];

	spread(x, n, s);
	return stat_precision_more(x, n, target, cap);
}

static void
test_precision_is_the_half_width_over_the_mean(void **state)
{
	double x[200], none[] = { -1, 1 };

	(void)state;
	spread(x, 10, 0.1);
	assert_true(fabs(stat_precision(x, 10) -
			 stat_t_quantile(0.95, 9) * 0.1 / sqrt(10)) < 1e-12);
	assert_true(isinf(stat_precision(x, 1)));
	assert_true(isinf(stat_precision(none, 2)));
	spread(x, 3, 0);
	assert_true(stat_precision(x, 3) == 0);
}

static void
test_the_first_looks_are_at_5_and_10(void **state)
{
	(void)state;
	for (int n = 0; n < 5; n++)
		assert_int_equal(more(n, 0.001, 0.1, 100), 5 - n);
	/* Half the width at 5 is 2.7764 / sqrt(5) = 1.2416 deviations. */
	assert_int_equal(more(5, 0.1 / 3 / 1.2417, 0.1, 100), 0);
	assert_int_equal(more(5, 0.1 / 3 / 1.2415, 0.1, 100), 5);
	assert_int_equal(more(7, 0.1, 0.1, 100), 3);
}

static void
test_from_10_on_it_grows_by_what_is_needed(void **state)
{
	const double at10 = 2.2621572 / sqrt(10);

	(void)state;
	assert_int_equal(more(10, 0.1 / at10 * 0.9999, 0.1, 100), 0);
	/* 1.1 times as wide: 21 % more values. */
	assert_int_equal(more(10, 0.1 / at10 * 1.1 * 0.9999, 0.1, 100), 3);
	assert_int_equal(more(10, 0.1 / at10 * 1.0001, 0.1, 100), 1);
	/* At most half as many again. */
	assert_int_equal(more(10, 1, 0.1, 100), 5);
	assert_int_equal(more(90, 10, 0.1, 1000), 45);
}

static void
test_the_cap_ends_it(void **state)
{
	(void)state;
	assert_int_equal(more(10, 10, 0.1, 10), 0);
	assert_int_equal(more(12, 10, 0.1, 10), 0);
	assert_int_equal(more(10, 10, 0.1, 12), 2);
	assert_int_equal(more(0, 0, 0.1, 3), 3);
}

static void
test_no_spread_is_precise_and_no_mean_never_is(void **state)
{
	const double same[] = { 0, 0, 0, 0, 0 };
	const double around[] = { -1, 1, -1, 1, 0, 0, -1, 1, -1, 1 };

	(void)state;
	assert_int_equal(stat_precision_more(same, 5, 0.01, 100), 0);
	assert_true(stat_precise(same, 5, 0.01));
	assert_int_equal(stat_precision_more(around, 10, 0.01, 100), 5);
	assert_false(stat_precise(around, 10, 1000));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    test_a_percentile_wants_a_hundred_samples_above_it),
		cmocka_unit_test(
		    test_precision_is_the_half_width_over_the_mean),
		cmocka_unit_test(test_the_first_looks_are_at_5_and_10),
		cmocka_unit_test(test_from_10_on_it_grows_by_what_is_needed),
		cmocka_unit_test(test_the_cap_ends_it),
		cmocka_unit_test(
		    test_no_spread_is_precise_and_no_mean_never_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
