#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/core/rng.h"
#include "sim/core/stat_compare.h"

/* Student's sleep data (1908): hours gained by ten patients, with two drugs. */
static const double drug1[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0,
	2 };
static const double drug2[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6,
	3.4 };

static void
check_near(double got, double want, double off)
{
	if (!(fabs(got - want) <= off))
		fail_msg("got %.15g, want %.15g", got, want);
}

/* The values that R prints: t.test(paired = TRUE), t.test(), cor(). */
static void
test_students_sleep_data(void **state)
{
	const struct stat_pairs sp = stat_pairs(drug1, drug2, 10);

	(void)state;
	assert_int_equal(sp.sp_kind, STAT_VARYING);
	assert_int_equal(sp.sp_n, 10);
	check_near(sp.sp_a, 0.75, 1e-15);
	check_near(sp.sp_b, 2.33, 1e-15);
	check_near(sp.sp_diff.mean, 1.58, 1e-15);
	check_near(sp.sp_diff.mean - sp.sp_diff.half, 0.7001142, 5e-8);
	check_near(sp.sp_diff.mean + sp.sp_diff.half, 2.4598858, 5e-8);
	check_near(sp.sp_p, 0.00283289, 5e-9);
	check_near(sp.sp_corr, 0.7951702, 5e-8);
	check_near(sp.sp_unpaired, (0.2054832 + 3.3654832) / 2, 5e-8);
	check_near(sp.sp_ratio, 2.33 / 0.75, 1e-14);
	/* Drug 1 alone cannot be told from none: any ratio is possible. */
	assert_true(isinf(sp.sp_low) && sp.sp_low < 0);
	assert_true(isinf(sp.sp_high) && sp.sp_high > 0);
}

/* At an end of Fieller's interval the paired t test of b - r * a turns. */
static void
check_fieller(const double *a, const double *b, int n)
{
	const struct stat_pairs sp = stat_pairs(a, b, n);
	const double ends[] = { sp.sp_low, sp.sp_high };
	double d[16];

	for (int k = 0; k < 2; k++) {
		struct stat_ci ci;

		for (int i = 0; i < n; i++)
			d[i] = b[i] - ends[k] * a[i];
		ci = stat_t_interval(d, n, 0.95);
		check_near(fabs(ci.mean), ci.half, 1e-9 * fabs(sp.sp_b));
	}
	assert_true(sp.sp_low <= sp.sp_ratio && sp.sp_ratio <= sp.sp_high);
	assert_int_equal(sp.sp_low <= 1 && 1 <= sp.sp_high,
	    fabs(sp.sp_diff.mean) <= sp.sp_diff.half);
	assert_int_equal(
	    sp.sp_p <= 0.05, fabs(sp.sp_diff.mean) >= sp.sp_diff.half);
}

static void
test_ratio_and_difference_agree(void **state)
{
	double a[16], b[16];
	struct rng r;

	(void)state;
	rng_init(&r, (struct rng_run){ 1, 0 }, "ratio", 0);
	for (int t = 0; t < 1000; t++) {
		const int n = 3 + t % 14;

		for (int i = 0; i < n; i++) {
			a[i] = 10 + rng_uniform(&r);
			b[i] =
			    a[i] * (1 + 0.01 * (t % 5)) + rng_uniform(&r) - 0.5;
		}
		check_fieller(a, b, n);
	}
}

static void
test_pairs_that_share_all_noise(void **state)
{
	const double a[] = { 10, 20, 20, 30 };
	const double b[] = { 11, 22, 22, 33 };
	const struct stat_pairs sp = stat_pairs(a, b, 4);

	(void)state;
	/* The ratio is the same in each pair, and known without doubt. */
	check_near(sp.sp_low, 1.1, 1e-7);
	check_near(sp.sp_high, 1.1, 1e-7);
	check_near(sp.sp_corr, 1, 1e-15);
	assert_true(sp.sp_unpaired > 10 * sp.sp_diff.half);
}

static void
test_identical_is_exact(void **state)
{
	const double a[] = { 1.5, 2.5, 3.5 }, zeros[] = { 0, 0, 0 };
	double b[] = { 1.5, 2.5, 3.5 };
	struct stat_pairs sp = stat_pairs(a, b, 3);

	(void)state;
	assert_int_equal(sp.sp_kind, STAT_IDENTICAL);
	check_near(sp.sp_p, 1, 0);
	check_near(sp.sp_diff.mean, 0, 0);
	check_near(sp.sp_diff.half, 0, 0);
	check_near(sp.sp_ratio, 1, 0);
	check_near(sp.sp_low, 1, 0);
	check_near(sp.sp_high, 1, 0);
	b[2] = nextafter(3.5, 4);
	assert_int_equal(stat_pairs(a, b, 3).sp_kind, STAT_CONSTANT);
	b[2] = 3.51;
	assert_int_equal(stat_pairs(a, b, 3).sp_kind, STAT_VARYING);
	sp = stat_pairs(zeros, zeros, 3);
	assert_int_equal(sp.sp_kind, STAT_IDENTICAL);
	assert_true(isnan(sp.sp_ratio) && isnan(sp.sp_corr));
}

static void
test_constant_difference_has_no_variance(void **state)
{
	const double a[] = { 0.1, 0.2, 0.3 }, b[] = { 1.1, 1.2, 1.3 };
	const double five[] = { 5, 5, 5 }, six[] = { 6, 6, 6 };
	struct stat_pairs sp = stat_pairs(a, b, 3);

	(void)state;
	/* 1.1 - 0.1 and 1.3 - 0.3 differ, by rounding. */
	assert_int_equal(sp.sp_kind, STAT_CONSTANT);
	check_near(sp.sp_diff.mean, 1, 1e-15);
	check_near(sp.sp_diff.half, 0, 0);
	check_near(sp.sp_p, 0, 0);
	sp = stat_pairs(five, six, 3);
	assert_int_equal(sp.sp_kind, STAT_CONSTANT);
	check_near(sp.sp_ratio, 1.2, 1e-15);
	check_near(sp.sp_low, 1.2, 1e-7);
	check_near(sp.sp_high, 1.2, 1e-7);
	assert_true(isnan(sp.sp_corr));
	check_near(sp.sp_unpaired, 0, 0);
}

static void
test_two_pairs_claim_nothing(void **state)
{
	(void)state;
	for (int n = 0; n < 3; n++) {
		const struct stat_pairs sp = stat_pairs(drug1, drug2, n);

		assert_int_equal(sp.sp_kind, STAT_TOO_FEW);
		assert_true(isnan(sp.sp_p));
		assert_true(isinf(sp.sp_unpaired) && isinf(sp.sp_high));
	}
	check_near(stat_pairs(drug1, drug2, 2).sp_b, 1.35, 1e-15);
}

/* R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") */
static void
test_holm(void **state)
{
	const double p[] = { 0.01, 0.04, NAN, 0.03, 0.005 };
	const double want[] = { 0.03, 0.06, NAN, 0.06, 0.02 };
	const double one = 0.2, large[] = { 0.6, 0.7 };
	double got[5];

	(void)state;
	stat_holm(p, got, 5);
	for (int i = 0; i < 5; i++) {
		if (isnan(want[i]))
			assert_true(isnan(got[i]));
		else
			check_near(got[i], want[i], 1e-15);
	}
	stat_holm(&one, got, 1);
	check_near(got[0], 0.2, 0);
	stat_holm(large, got, 2);
	check_near(got[0], 1, 0);
	check_near(got[1], 1, 0);
	stat_holm(p, got, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_students_sleep_data),
		cmocka_unit_test(test_ratio_and_difference_agree),
		cmocka_unit_test(test_pairs_that_share_all_noise),
		cmocka_unit_test(test_identical_is_exact),
		cmocka_unit_test(test_constant_difference_has_no_variance),
		cmocka_unit_test(test_two_pairs_claim_nothing),
		cmocka_unit_test(test_holm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
