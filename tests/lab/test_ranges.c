/* What cost ranges add up to, on made-up models whose answer is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/lab/ranges.h"

/* A result that is linear in the places x[i] in -1..1 of its groups. */
struct model {
	int n;
	double centre, slope[RANGES_MAX];
};

static double
evaluate(const struct model *mo, const double *x)
{
	double sum = mo->centre;

	for (int i = 0; i < mo->n; i++)
		sum += mo->slope[i] * x[i];
	return sum;
}

/* `at`: where the costs' values lie in their ranges. */
static struct ranges
moved(const struct model *mo, double at)
{
	struct ranges rn = { .rn_n = mo->n };
	double x[RANGES_MAX];

	for (int i = 0; i < mo->n; i++)
		x[i] = at;
	rn.rn_centre = evaluate(mo, x);
	for (int i = 0; i < mo->n; i++) {
		x[i] = -1;
		rn.rn_groups[i].rx_low = evaluate(mo, x);
		x[i] = 1;
		rn.rn_groups[i].rx_high = evaluate(mo, x);
		x[i] = at;
	}
	for (int i = 0; i < mo->n; i++)
		x[i] = -1;
	rn.rn_all_low = evaluate(mo, x);
	for (int i = 0; i < mo->n; i++)
		x[i] = 1;
	rn.rn_all_high = evaluate(mo, x);
	ranges_add_up(&rn);
	return rn;
}

static void
near(double got, double want)
{
	assert_true(fabs(got - want) < 1e-9);
}

static void
test_variances_add(void **state)
{
	/* Widths 6 and 8: variances 3 and 16/3, 1.645 * sqrt(25/3). */
	const struct model mo = { 2, 10, { 3, 4 } };
	struct ranges rn = moved(&mo, 0);

	(void)state;
	near(rn.rn_centre, 10);
	near(rn.rn_p5, 10 - 1.645 * sqrt(25.0 / 3));
	near(rn.rn_p95, 10 + 1.645 * sqrt(25.0 / 3));
	near(rn.rn_groups[0].rx_share, 9.0 / 25);
	near(rn.rn_groups[1].rx_share, 16.0 / 25);
	assert_int_equal(rn.rn_dominant, 1);
	near(rn.rn_all_low, 3);
	near(rn.rn_all_high, 17);
	assert_true(ranges_likely(&rn, 14.7));
	assert_false(ranges_likely(&rn, 14.8));
	assert_true(ranges_possible(&rn, 14.8));
	assert_true(ranges_possible(&rn, 3));
	assert_false(ranges_possible(&rn, 2.9));
	assert_false(ranges_possible(&rn, NAN));
}

/* Costs off the middle of their ranges: the same width, about the centre. */
static void
test_range_is_about_the_centre(void **state)
{
	const struct model mo = { 3, 5, { 1, -2, 0.5 } };
	struct ranges rn = moved(&mo, -0.4), middle = moved(&mo, 0);

	(void)state;
	near(rn.rn_centre, 5 + 0.4 * 0.5);
	near(rn.rn_p95 - rn.rn_centre, middle.rn_p95 - 5);
	near(rn.rn_centre - rn.rn_p5, 5 - middle.rn_p5);
	assert_int_equal(rn.rn_dominant, 1);
}

/* The ends are together where the centre is, and say nothing. */
static void
test_groups_that_work_against_each_other(void **state)
{
	const struct model mo = { 2, 5, { 3, -3 } };
	struct ranges rn = moved(&mo, 0);

	(void)state;
	near(rn.rn_all_low, 5);
	near(rn.rn_all_high, 5);
	near(rn.rn_p95, 5 + 1.645 * sqrt(6));
	assert_true(ranges_possible(&rn, 9));
	assert_false(ranges_possible(&rn, 9.1));
	assert_int_equal(rn.rn_dominant, 0);
}

static void
test_costs_without_effect(void **state)
{
	const struct model flat = { 2, 5, { 0, 0 } }, none = { 0, 5, { 0 } };
	struct ranges rn = moved(&flat, 0);

	(void)state;
	near(rn.rn_p5, 5);
	near(rn.rn_p95, 5);
	near(rn.rn_groups[0].rx_share, 0);
	assert_int_equal(rn.rn_dominant, -1);
	assert_true(ranges_likely(&rn, 5));
	assert_false(ranges_possible(&rn, 5.01));
	rn = moved(&none, 0);
	near(rn.rn_p5, 5);
	assert_int_equal(rn.rn_dominant, -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variances_add),
		cmocka_unit_test(test_range_is_about_the_centre),
		cmocka_unit_test(test_groups_that_work_against_each_other),
		cmocka_unit_test(test_costs_without_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
