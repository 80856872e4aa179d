#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/core/rng.h"

#define DRAWS 200000

static const struct rng_run run = { .rr_seed = 1, .rr_rep = 0 };

/* kat_vectors of Random123 1.14, philox4x32 with 10 rounds */
static void
test_known_answers_of_philox4x32_10(void **state)
{
	static const struct {
		uint32_t key[2];
		uint64_t stream, use;
		uint32_t want[4];
	} kats[] = {
		{ { 0, 0 }, 0, 0,
		    { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { 0xffffffff, 0xffffffff }, UINT64_MAX, UINT64_MAX,
		    { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0xa4093822, 0x299f31d0 }, 0x85a308d3243f6a88,
		    0x0370734413198a2e,
		    { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kats) / sizeof(kats[0]); i++) {
		struct rng r = {
			.rg_key = { kats[i].key[0], kats[i].key[1] },
			.rg_stream = kats[i].stream,
			.rg_use = kats[i].use,
		};

		rng_refill(&r);
		for (int j = 0; j < 4; j++)
			assert_int_equal(r.rg_block[j], kats[i].want[j]);
		assert_int_equal(r.rg_use, kats[i].use + 1);
		assert_int_equal(r.rg_left, 4);
	}
}

/* The stream's number is golden: if it changes, so does every result. */
static void
test_the_same_run_draws_the_same(void **state)
{
	struct rng a, b;

	(void)state;
	rng_init(&a, run, "client0.connect.port", 17);
	rng_init(&b, run, "client0.connect.port", 17);
	assert_int_equal(a.rg_stream, 0x568cb13a48835924);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(rng_u32(&a), rng_u32(&b));
}

static void
test_seed_replication_purpose_and_entity_all_matter(void **state)
{
	const struct rng_run seed = { .rr_seed = 2, .rr_rep = 0 };
	const struct rng_run rep = { .rr_seed = 1, .rr_rep = 1 };
	struct rng r[5];
	uint64_t first[5];

	(void)state;
	rng_init(&r[0], run, "think", 1);
	rng_init(&r[1], run, "think", 2);
	rng_init(&r[2], run, "port", 1);
	rng_init(&r[3], seed, "think", 1);
	rng_init(&r[4], rep, "think", 1);
	for (int i = 0; i < 5; i++) {
		first[i] = rng_u64(&r[i]);
		for (int j = 0; j < i; j++)
			assert_true(first[i] != first[j]);
	}
}

static int
compare_u64(const void *va, const void *vb)
{
	const uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return (a > b) - (a < b);
}

static void
test_streams_do_not_collide(void **state)
{
	static const char *purposes[] = { "think", "port", "client0.think",
		"client1.think", "client10.think", "", "a", "b" };
	const int npurposes = sizeof(purposes) / sizeof(purposes[0]);
	const int n = npurposes * 20000;
	uint64_t *ids = malloc((size_t)n * sizeof(*ids));
	struct rng r;

	(void)state;
	assert_non_null(ids);
	for (int i = 0; i < n; i++) {
		rng_init(&r, run, purposes[i % npurposes],
		    (uint64_t)(i / npurposes));
		ids[i] = r.rg_stream;
	}
	qsort(ids, (size_t)n, sizeof(*ids), compare_u64);
	for (int i = 1; i < n; i++)
		assert_true(ids[i] != ids[i - 1]);
	free(ids);
}

/* The correlation of n pairs of independent uniforms is near N(0, 1/n). */
static void
check_uncorrelated(struct rng a, struct rng b)
{
	double sum = 0;

	for (int i = 0; i < DRAWS; i++)
		sum += (rng_uniform(&a) - 0.5) * (rng_uniform(&b) - 0.5);
	assert_true(fabs(sum / DRAWS * 12) < 4.5 / sqrt(DRAWS));
}

static void
test_streams_are_independent(void **state)
{
	const struct rng_run rep = { .rr_seed = 1, .rr_rep = 1 };
	struct rng a, b, c, d;

	(void)state;
	rng_init(&a, run, "think", 1);
	rng_init(&b, run, "think", 2);
	rng_init(&c, run, "port", 1);
	rng_init(&d, rep, "think", 1);
	check_uncorrelated(a, b);
	check_uncorrelated(a, c);
	check_uncorrelated(a, d);
	rng_uniform(&b);
	check_uncorrelated(a, b);
}

static void
test_adding_a_stream_shifts_nobody(void **state)
{
	struct rng alone, beside, added;

	(void)state;
	rng_init(&alone, run, "think", 1);
	rng_init(&beside, run, "think", 1);
	for (int i = 0; i < 1000; i++) {
		rng_init(&added, run, "added", (uint64_t)i);
		rng_below(&added, 1 + (uint32_t)i);
		rng_exponential(&added, 1000);
		assert_int_equal(rng_u64(&alone), rng_u64(&beside));
	}
}

static void
test_uniform_stays_inside_and_is_even(void **state)
{
	/* Whatever the generator gives, words of ones and zeros included. */
	static const uint32_t edges[] = { 0, UINT32_MAX };
	double x, sum = 0, sumsq = 0;
	struct rng r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		r = (struct rng){ .rg_block = { edges[i], edges[i] },
			.rg_left = 2 };
		x = rng_uniform(&r);
		assert_true(x > 0 && x < 1);
	}
	rng_init(&r, run, "uniform", 0);
	for (int i = 0; i < DRAWS; i++) {
		x = rng_uniform(&r);
		assert_true(x > 0 && x < 1);
		sum += x;
		sumsq += x * x;
	}
	/* Four standard errors of the first two moments. */
	assert_true(fabs(sum / DRAWS - 0.5) < 4 * sqrt(1.0 / 12 / DRAWS));
	assert_true(fabs(sumsq / DRAWS - 1.0 / 3) < 4 * sqrt(4.0 / 45 / DRAWS));
}

static void
test_exponential_has_its_mean_and_deviation(void **state)
{
	const sim_ns mean = sim_us(250);
	double sum = 0, sumsq = 0, m;
	struct rng r;

	(void)state;
	rng_init(&r, run, "exponential", 0);
	for (int i = 0; i < DRAWS; i++) {
		const sim_ns x = rng_exponential(&r, mean);

		assert_true(x >= 0);
		sum += (double)x;
		sumsq += (double)x * (double)x;
	}
	m = sum / DRAWS;
	assert_true(fabs(m / (double)mean - 1) < 4 / sqrt(DRAWS));
	/* The sample variance of an exponential has a deviation of 8 / n. */
	assert_true(
	    fabs((sumsq / DRAWS - m * m) / ((double)mean * (double)mean) - 1) <
	    4 * sqrt(8.0 / DRAWS));
}

static void
test_exponential_uses_one_uniform_and_fits(void **state)
{
	struct rng a, b;

	(void)state;
	rng_init(&a, run, "inversion", 0);
	rng_init(&b, run, "inversion", 0);
	for (int i = 0; i < 1000; i++) {
		rng_exponential(&a, i % 2 == 0 ? 1 : SIM_NEVER / 64);
		rng_uniform(&b);
	}
	assert_int_equal(rng_u32(&a), rng_u32(&b));
	assert_int_equal(rng_exponential(&a, 0), 0);
	/* The smallest uniform gives the longest time. */
	a = (struct rng){ .rg_left = 2 };
	assert_true(rng_exponential(&a, SIM_NEVER / 64) > 0);
}

/* Chi-square over the n values: mean n - 1, deviation sqrt(2 (n - 1)). */
static void
check_below(uint32_t n, int draws)
{
	int counts[64] = { 0 };
	double chi2 = 0;
	struct rng r;

	rng_init(&r, run, "below", n);
	for (int i = 0; i < draws; i++) {
		const uint32_t x = rng_below(&r, n);

		assert_true(x < n);
		counts[x]++;
	}
	for (uint32_t i = 0; i < n; i++) {
		const double want = (double)draws / n;

		chi2 += (counts[i] - want) * (counts[i] - want) / want;
	}
	assert_true(chi2 < n - 1 + 5 * sqrt(2.0 * n) + 5);
}

static void
test_below_is_even(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 64; n++)
		check_below(n, 20000);
}

/*
 * With n = 3 * 2^30 the scaled word alone would give a third of the values
 * twice as often as the others.
 */
static void
test_below_has_no_bias_where_scaling_would(void **state)
{
	const uint32_t n = 3u << 30;
	int thirds[3] = { 0 };
	struct rng r;

	(void)state;
	rng_init(&r, run, "bias", 0);
	for (int i = 0; i < DRAWS; i++)
		thirds[rng_below(&r, n) % 3]++;
	for (int i = 0; i < 3; i++)
		assert_true(fabs(thirds[i] - DRAWS / 3.0) <
			    4.5 * sqrt(DRAWS * 2.0 / 9));
	for (int i = 0; i < 1000; i++)
		assert_true(rng_below(&r, UINT32_MAX) < UINT32_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers_of_philox4x32_10),
		cmocka_unit_test(test_the_same_run_draws_the_same),
		cmocka_unit_test(
		    test_seed_replication_purpose_and_entity_all_matter),
		cmocka_unit_test(test_streams_do_not_collide),
		cmocka_unit_test(test_streams_are_independent),
		cmocka_unit_test(test_adding_a_stream_shifts_nobody),
		cmocka_unit_test(test_uniform_stays_inside_and_is_even),
		cmocka_unit_test(test_exponential_has_its_mean_and_deviation),
		cmocka_unit_test(test_exponential_uses_one_uniform_and_fits),
		cmocka_unit_test(test_below_is_even),
		cmocka_unit_test(test_below_has_no_bias_where_scaling_would),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
