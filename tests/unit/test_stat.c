#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/rng.h"
#include "sim/core/stat.h"

static const struct rng_run run = { .rr_seed = 1, .rr_rep = 0 };

static void
check_near(double got, double want, double relative)
{
	if (fabs(got - want) > relative * fabs(want))
		fail_msg("got %.15g, want %.15g", got, want);
}

/* As printed in tables, to their last digit. */
static void
test_t_quantiles_equal_the_tables(void **state)
{
	static const struct {
		double df, t95, t99;
	} table[] = {
		{ 1, 12.706, 63.657 },
		{ 2, 4.303, 9.925 },
		{ 3, 3.182, 5.841 },
		{ 4, 2.776, 4.604 },
		{ 5, 2.571, 4.032 },
		{ 6, 2.447, 3.707 },
		{ 7, 2.365, 3.499 },
		{ 8, 2.306, 3.355 },
		{ 9, 2.262, 3.250 },
		{ 10, 2.228, 3.169 },
		{ 15, 2.131, 2.947 },
		{ 19, 2.093, 2.861 },
		{ 20, 2.086, 2.845 },
		{ 25, 2.060, 2.787 },
		{ 29, 2.045, 2.756 },
		{ 30, 2.042, 2.750 },
		{ 40, 2.021, 2.704 },
		{ 60, 2.000, 2.660 },
		{ 100, 1.984, 2.626 },
		{ 120, 1.980, 2.617 },
		{ 1e9, 1.960, 2.576 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const double t95 = stat_t_quantile(0.95, table[i].df);
		const double t99 = stat_t_quantile(0.99, table[i].df);

		assert_true(fabs(t95 - table[i].t95) < 0.00051);
		assert_true(fabs(t99 - table[i].t99) < 0.00051);
	}
	/* GSL 2.7.1's gsl_cdf_tdist_Pinv(0.975, 9) */
	assert_true(fabs(stat_t_quantile(0.95, 9) - 2.262157) < 5e-7);
}

/* Degrees of freedom with a quantile in closed form. */
static void
test_t_quantiles_equal_the_closed_forms(void **state)
{
	static const double levels[] = { 0.001, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99,
		0.999, 0.99999 };

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		const double p = levels[i];
		const double alpha = 1 - p * p;
		const double c4 = cos(acos(sqrt(alpha)) / 3) / sqrt(alpha);

		check_near(stat_t_quantile(p, 1), tan(M_PI * p / 2), 1e-10);
		check_near(stat_t_quantile(p, 2), p * sqrt(2 / alpha), 1e-10);
		check_near(stat_t_quantile(p, 4), 2 * sqrt(c4 - 1), 1e-10);
	}
	check_near(stat_t_quantile(0.95, 1e12), 1.959963984540054, 1e-11);
	check_near(stat_t_quantile(0.99, 1e12), 2.575829303548901, 1e-11);
}

static void
test_t_quantile_has_no_seam_where_the_method_changes(void **state)
{
	(void)state;
	for (int i = 50; i < 100; i++) {
		const double below = stat_t_quantile(i / 100.0, 1000);
		const double above =
		    stat_t_quantile(i / 100.0, nextafter(1000, 2000));

		check_near(above, below, 1e-9);
	}
	for (int i = 1; i < 3000; i++)
		assert_true(stat_t_quantile(0.95, i / 2.0) >
			    stat_t_quantile(0.95, (i + 1) / 2.0));
}

/* A tail is what its quantile leaves over; far out it keeps its digits. */
static void
test_t_tail_is_the_inverse_of_the_quantile(void **state)
{
	static const double dfs[] = { 1, 2, 3.5, 9, 30, 999 };
	static const double tails[] = { 0.9, 0.5, 0.05, 0.001, 1e-6 };

	(void)state;
	for (size_t i = 0; i < sizeof(dfs) / sizeof(dfs[0]); i++) {
		for (size_t k = 0; k < sizeof(tails) / sizeof(tails[0]); k++)
			check_near(
			    stat_t_tail(
				stat_t_quantile(1 - tails[k], dfs[i]), dfs[i]),
			    tails[k], 1e-9);
		check_near(stat_t_tail(0, dfs[i]), 1, 0);
		assert_true(stat_t_tail(INFINITY, dfs[i]) == 0);
	}
	/* In closed form: 1 - t / sqrt(2 + t^2) for 2 degrees of freedom. */
	check_near(stat_t_tail(1e8, 2), 1e-16, 1e-9);
}

static void
test_mean_and_stdev(void **state)
{
	const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	const double far[] = { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 };

	(void)state;
	check_near(stat_mean(x, 8), 5, 0);
	check_near(stat_stdev(x, 8), sqrt(32.0 / 7), 1e-15);
	check_near(stat_mean(far, 4), 1e9 + 10, 0);
	check_near(stat_stdev(far, 4), sqrt(30), 1e-12);
	check_near(stat_mean(x, 0), 0, 0);
	check_near(stat_stdev(x, 1), 0, 0);
}

static void
test_t_interval_of_known_sample(void **state)
{
	const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	const struct stat_ci ci = stat_t_interval(x, 8, 0.95);

	(void)state;
	check_near(ci.mean, 5, 0);
	check_near(ci.half, 2.364624251592785 * sqrt(32.0 / 7 / 8), 1e-10);
	assert_true(isinf(stat_t_interval(x, 1, 0.95).half));
}

/* Of 4,000 intervals from 5 normal values each, 95 % hold the true mean. */
static void
test_t_interval_covers_as_often_as_it_says(void **state)
{
	const int trials = 4000;
	int covered = 0;
	struct rng r;

	(void)state;
	rng_init(&r, run, "coverage", 0);
	for (int i = 0; i < trials; i++) {
		struct stat_ci ci;
		double x[5];

		for (int j = 0; j < 5; j++)
			x[j] = 3 + sqrt(-2 * log(rng_uniform(&r))) *
				       cos(2 * M_PI * rng_uniform(&r));
		ci = stat_t_interval(x, 5, 0.95);
		covered += fabs(ci.mean - 3) <= ci.half;
	}
	assert_true(
	    fabs(covered - 0.95 * trials) < 4 * sqrt(trials * 0.95 * 0.05));
}

static void
fill(double *x, int n, int warm, double step, const char *purpose)
{
	struct rng r;

	rng_init(&r, run, purpose, (uint64_t)(1000 * warm + step + 20));
	for (int i = 0; i < n; i++)
		x[i] = 100 + rng_uniform(&r) + (i < warm ? step : 0);
}

static void
test_mser5_cuts_the_warm_up(void **state)
{
	double x[1000];
	int batch, cut;

	(void)state;
	for (int warm = 50; warm <= 400; warm += 50) {
		fill(x, 1000, warm, -20, "warm");
		cut = stat_mser5(x, 1000, &batch);
		assert_in_range(cut, warm, warm + 100);
		assert_int_equal(batch, cut / 5);
	}
	fill(x, 1000, 52, 20, "warm");
	assert_in_range(stat_mser5(x, 1000, NULL), 55, 150);
}

static void
test_mser5_leaves_a_steady_run_nearly_whole(void **state)
{
	double x[1000];
	int warnings = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		x[i] = 0.1;
	assert_int_equal(stat_mser5(x, 1000, NULL), 0);
	for (int i = 0; i < 1000; i++) {
		fill(x, 400, 0, i, "steady");
		warnings += stat_mser5(x, 400, NULL) < 0;
	}
	assert_true(warnings < 30);
}

static void
test_mser5_warns_when_the_cut_is_in_the_second_half(void **state)
{
	double x[1000];
	int batch;

	(void)state;
	fill(x, 1000, 700, 20, "late");
	assert_in_range(-stat_mser5(x, 1000, &batch), 700, 750);
	assert_in_range(batch, 140, 150);
	/* A run that only ever grows has no steady state. */
	for (int i = 0; i < 1000; i++)
		x[i] = i;
	assert_true(stat_mser5(x, 1000, NULL) < 0);
}

static void
test_mser5_cannot_tell_from_a_few(void **state)
{
	double x[60] = { 9, 9, 9, 9, 9 };
	int batch = -1;

	(void)state;
	assert_int_equal(stat_mser5(x, 59, &batch), -59);
	assert_int_equal(batch, 0);
	assert_int_equal(stat_mser5(x, 60, NULL), 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_t_quantiles_equal_the_tables),
		cmocka_unit_test(test_t_quantiles_equal_the_closed_forms),
		cmocka_unit_test(
		    test_t_quantile_has_no_seam_where_the_method_changes),
		cmocka_unit_test(test_t_tail_is_the_inverse_of_the_quantile),
		cmocka_unit_test(test_mean_and_stdev),
		cmocka_unit_test(test_t_interval_of_known_sample),
		cmocka_unit_test(test_t_interval_covers_as_often_as_it_says),
		cmocka_unit_test(test_mser5_cuts_the_warm_up),
		cmocka_unit_test(test_mser5_leaves_a_steady_run_nearly_whole),
		cmocka_unit_test(
		    test_mser5_warns_when_the_cut_is_in_the_second_half),
		cmocka_unit_test(test_mser5_cannot_tell_from_a_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
