/* Elementary effects and elasticities of functions whose own are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/alloc.h"
#include "sim/core/rng.h"
#include "sim/lab/morris.h"

#define MAX_K 8

static void
near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.12g, want %.12g +- %.3g", got, want, within);
}

/* Run a design. */
static void
effects(double (*f)(const double *x, int k), int k, int r, int levels,
    struct morris_effect *me)
{
	struct morris mo;
	double *y;

	morris_init(&mo, k, r, levels, 1);
	y = sim_calloc((size_t)r * (k + 1), sizeof(*y));
	for (int t = 0; t < r; t++) {
		for (int s = 0; s <= k; s++)
			y[t * (k + 1) + s] = f(morris_point(&mo, t, s), k);
	}
	morris_effects(&mo, y, me);
	sim_free(y);
	morris_fini(&mo);
}

static double
linear(const double *x, int k)
{
	(void)k;
	return 7 + 3 * x[0] - 2 * x[1] + 0 * x[2];
}

static double
product(const double *x, int k)
{
	double y = 1;

	for (int i = 0; i < k; i++)
		y *= 1 + x[i];
	return y;
}

/* Ishigami and Homma (1990), on the unit cube. */
static double
ishigami(const double *x, int k)
{
	const double a = sin(M_PI * (2 * x[0] - 1));
	const double b = sin(M_PI * (2 * x[1] - 1));
	const double c = M_PI * (2 * x[2] - 1);

	(void)k;
	return a + 7 * b * b + 0.1 * c * c * c * c * a;
}

static void
test_trajectories_move_each_factor_once(void **state)
{
	struct morris mo;
	bool up = false, down = false;

	(void)state;
	morris_init(&mo, 5, 20, 4, 1);
	near(mo.mo_jump, 2.0 / 3, 1e-15);
	for (int t = 0; t < 20; t++) {
		unsigned moved = 0;

		for (int s = 0; s < 5; s++) {
			const double *a = morris_point(&mo, t, s);
			const double *b = morris_point(&mo, t, s + 1);
			const int i = morris_moved(&mo, t, s);

			moved |= 1u << i;
			for (int k = 0; k < 5; k++) {
				assert_true(b[k] > -1e-9 && b[k] < 1 + 1e-9);
				near(fabs(b[k] - a[k]), k == i ? 2.0 / 3 : 0,
				    1e-12);
				near(3 * a[k], round(3 * a[k]), 1e-9);
			}
			up |= b[i] > a[i];
			down |= b[i] < a[i];
		}
		assert_int_equal(moved, 31);
	}
	assert_true(up && down);
	morris_fini(&mo);
}

/* A function of the seed, and the first trajectories of any number of them. */
static void
test_designs_are_repeated(void **state)
{
	struct morris a, b, c;
	const size_t size = 4 * 4 * 3 * sizeof(double);

	(void)state;
	morris_init(&a, 3, 4, 4, 1);
	morris_init(&b, 3, 9, 4, 1);
	morris_init(&c, 3, 4, 4, 2);
	assert_memory_equal(a.mo_x, b.mo_x, size);
	assert_memory_equal(a.mo_moved, b.mo_moved, 4 * 3 * sizeof(int));
	assert_true(memcmp(a.mo_x, c.mo_x, size) != 0);
	morris_fini(&a);
	morris_fini(&b);
	morris_fini(&c);
}

static void
test_straight_lines_have_their_slopes(void **state)
{
	static const double slopes[] = { 3, -2, 0 };
	struct morris_effect me[MAX_K];

	(void)state;
	effects(linear, 3, 10, 4, me);
	for (int i = 0; i < 3; i++) {
		near(me[i].me_mu, slopes[i], 1e-12);
		near(me[i].me_mu_star, fabs(slopes[i]), 1e-12);
		near(me[i].me_sigma, 0, 1e-12);
		assert_int_equal(me[i].me_n, 10);
	}
}

/*
 * The effect of a factor is the product of the others: with two levels 1 or 2
 * each, so mean 1.5^2 and variance 2.5^2 - 1.5^4.
 */
static void
test_products_act_on_each_other(void **state)
{
	const double sigma = sqrt(2.5 * 2.5 - pow(1.5, 4));
	struct morris_effect me[MAX_K];

	(void)state;
	effects(product, 3, 10000, 2, me);
	for (int i = 0; i < 3; i++) {
		near(me[i].me_mu, 2.25, 4 * sigma / 100);
		near(me[i].me_mu_star, me[i].me_mu, 1e-9);
		near(me[i].me_sigma, sigma, 0.03);
	}
}

/* Against the mean over the whole grid, which can be added up. */
static void
test_ishigami_has_the_means_of_its_grid(void **state)
{
	struct morris_effect me[MAX_K];

	(void)state;
	effects(ishigami, 3, 20000, 4, me);
	for (int i = 0; i < 3; i++) {
		double mu = 0, star = 0;

		for (int g = 0; g < 64; g++) {
			double a[3] = { g % 4 / 3.0, g / 4 % 4 / 3.0,
				g / 16 / 3.0 };
			double b[3] = { a[0], a[1], a[2] }, e;

			b[i] += a[i] < 0.5 ? 2.0 / 3 : -2.0 / 3;
			e = (ishigami(b, 3) - ishigami(a, 3)) / (b[i] - a[i]);
			mu += e / 64;
			star += fabs(e) / 64;
		}
		near(me[i].me_mu, mu, 4 * me[i].me_sigma / sqrt(20000));
		near(me[i].me_mu_star, star, 4 * me[i].me_sigma / sqrt(20000));
	}
	/* x3 only acts through x1, both ways alike: what mu* is for. */
	near(me[2].me_mu, 0, 4 * me[2].me_sigma / sqrt(20000));
	assert_true(me[2].me_mu_star > 6);
}

static void
test_unknown_results_drop_their_effects(void **state)
{
	struct morris_effect me[MAX_K];
	struct morris mo;
	double y[8];

	(void)state;
	morris_init(&mo, 3, 2, 4, 1);
	for (int t = 0; t < 2; t++) {
		for (int s = 0; s <= 3; s++)
			y[t * 4 + s] = linear(morris_point(&mo, t, s), 3);
	}
	y[0] = NAN;
	morris_effects(&mo, y, me);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
		    me[i].me_n, i == morris_moved(&mo, 0, 0) ? 1 : 2);
	near(me[0].me_mu, 3, 1e-12);
	near(me[1].me_mu, -2, 1e-12);
	morris_fini(&mo);
}

static void
check_ends(int64_t value, int64_t min, int64_t max, int64_t want_low,
    int64_t want_high)
{
	int64_t low, high;

	assert_true(elasticity_ends(value, 0.1, min, max, &low, &high));
	assert_int_equal(low, want_low);
	assert_int_equal(high, want_high);
}

static void
test_ends_are_whole_and_apart(void **state)
{
	int64_t low, high;

	(void)state;
	check_ends(1000, 0, 1000000, 909, 1100);
	check_ends(24, 0, 1000, 22, 26);
	check_ends(3, 0, 1000, 2, 4);
	check_ends(1, 0, 1000, 1, 2);
	check_ends(1000, 990, 1020, 990, 1020);
	check_ends(64, 1, 64, 58, 64);
	assert_false(elasticity_ends(0, 0.1, 0, 1000, &low, &high));
	assert_false(elasticity_ends(1, 0.1, 1, 1, &low, &high));
	assert_false(elasticity_ends(5, 0.1, 6, 9, &low, &high));
}

/* y = x^e times what the replication brings: exactly e, with no width. */
static void
test_powers_have_their_exponents(void **state)
{
	double low[4], high[4], each[4];
	struct stat_ci ci;

	(void)state;
	for (int r = 0; r < 4; r++) {
		low[r] = (r + 1) * pow(90, -0.7);
		high[r] = (r + 1) * pow(110, -0.7);
	}
	ci = elasticity(90, 110, low, high, 4, each);
	near(ci.mean, -0.7, 1e-12);
	near(ci.half, 0, 1e-12);
	near(each[3], -0.7, 1e-12);
}

/* Four elasticities 1, 2, 3, 6: mean 3, t(3) = 3.182446 times stdev / 2. */
static void
test_intervals_are_of_pairs(void **state)
{
	const double e[] = { 1, 2, 3, 6 };
	double low[4], high[4], each[4];
	struct stat_ci ci;

	(void)state;
	for (int r = 0; r < 4; r++) {
		low[r] = 10 + r;
		high[r] = low[r] * pow(1.2, e[r]);
	}
	ci = elasticity(100, 120, low, high, 4, each);
	near(ci.mean, 3, 1e-12);
	near(ci.half, 3.182446 * sqrt(14.0 / 3) / 2, 1e-5);
	low[2] = 0;
	ci = elasticity(100, 120, low, high, 4, each);
	assert_true(isnan(ci.mean));
	assert_true(isnan(each[2]));
	near(each[1], 2, 1e-12);
}

/* A bottleneck elsewhere: from 100 on it counts, below it does not. */
static void
test_bends_are_seen(void **state)
{
	static const double x[] = { 80, 100, 120 };
	double low[3], middle[3], high[3];
	const double *const y[] = { low, middle, high };

	(void)state;
	for (int r = 0; r < 3; r++) {
		low[r] = middle[r] = 50 + r;
		high[r] = middle[r] * pow(1.2, -0.9);
	}
	assert_true(elasticity_bends(x, y, 3));
	/* A straight line, however steep, is none; nor is noise. */
	for (int r = 0; r < 3; r++) {
		low[r] = pow(80, -0.9) * (50 + r);
		middle[r] = pow(100, -0.9) * (50 + r);
		high[r] = pow(120, -0.9) * (50 + r);
	}
	assert_false(elasticity_bends(x, y, 3));
	low[0] = middle[1] = high[2] = 1;
	assert_false(elasticity_bends(x, y, 3));
	/* One end is the middle: nothing to compare. */
	assert_false(elasticity_bends((double[]){ 80, 80, 120 }, y, 3));
}

/* What did not change at all has exactly none. */
static void
test_no_change_is_exactly_zero(void **state)
{
	const double y[] = { 3.7, 4.1 };
	double each[2];
	struct stat_ci ci = elasticity(9, 11, y, y, 2, each);

	(void)state;
	assert_true(ci.mean == 0);
	assert_true(ci.half == 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trajectories_move_each_factor_once),
		cmocka_unit_test(test_designs_are_repeated),
		cmocka_unit_test(test_straight_lines_have_their_slopes),
		cmocka_unit_test(test_products_act_on_each_other),
		cmocka_unit_test(test_ishigami_has_the_means_of_its_grid),
		cmocka_unit_test(test_unknown_results_drop_their_effects),
		cmocka_unit_test(test_ends_are_whole_and_apart),
		cmocka_unit_test(test_powers_have_their_exponents),
		cmocka_unit_test(test_intervals_are_of_pairs),
		cmocka_unit_test(test_bends_are_seen),
		cmocka_unit_test(test_no_change_is_exactly_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
