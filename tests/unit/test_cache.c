#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/hw/cache.h"

#define KNEE (450 * 1024)
#define TOUCH 2048
#define MISS 8500

static sim_ns costs[COST_N];
static const struct cpu_marks marks = { SIM_NEVER, SIM_NEVER, NULL, NULL };
static struct cache ca;
static struct cpu cpu;

static int
setup(void **state)
{
	(void)state;
	cache_init(&ca, KNEE, TOUCH, MISS);
	cpu_init(&cpu, 0, 0, costs, &marks, false);
	return 0;
}

static void
test_cost_follows_the_formula(void **state)
{
	(void)state;
	assert_int_equal(cache_cost(&ca, 0), 0);
	for (int64_t d = 0; d < 12 * KNEE; d += 997) {
		double want = MISS * (1 - exp(-(double)d / KNEE));

		/* Table of 128 steps a knee: a step is at most MISS / 128. */
		assert_true(fabs((double)cache_cost(&ca, (uint64_t)d) - want) <=
			    MISS / 128.0 + 1);
	}
	assert_int_equal(
	    cache_cost(&ca, UINT64_MAX / 2), llround(MISS * (1 - exp(-8))));
}

static void
test_cost_never_falls(void **state)
{
	sim_ns last = 0;

	(void)state;
	for (uint64_t d = 0; d < 10ull * KNEE; d += 100) {
		assert_true(cache_cost(&ca, d) >= last);
		last = cache_cost(&ca, d);
	}
}

/* The distance is what was touched on the CPU since, oneself not counted. */
static void
test_distance_is_what_others_touched(void **state)
{
	uint64_t mine = 0, other = 0;
	sim_ns before;

	(void)state;
	cache_touch(&cpu, &ca, &mine);
	assert_int_equal(cpu.c_now, 0); /* nothing came before it */
	before = cpu.c_now;
	cache_touch(&cpu, &ca, &mine);
	assert_int_equal(cpu.c_now, before);
	for (int i = 0; i < 300; i++)
		cache_touch(&cpu, &ca, &other);
	before = cpu.c_now;
	cache_touch(&cpu, &ca, &mine);
	assert_int_equal(cpu.c_now - before, cache_cost(&ca, 300 * TOUCH));
	assert_int_equal(cpu.c_spent[COST_cache_miss], cpu.c_now);
	assert_int_equal(cpu.c_touched, 303 * TOUCH);
}

/* One new connection after another is no dearer for coming later. */
static void
test_touch_again_at_once_is_free(void **state)
{
	uint64_t marks_of[100];
	sim_ns before;

	(void)state;
	for (int i = 0; i < 100; i++)
		marks_of[i] = cpu.c_touched;
	for (int i = 0; i < 100; i++)
		cache_touch(&cpu, &ca, &marks_of[i]);
	before = cpu.c_now;
	for (int i = 0; i < 10; i++)
		cache_touch(&cpu, &ca, &marks_of[99]);
	assert_int_equal(cpu.c_now, before);
}

/*
 * 18 ways of 32 KiB: a page is gone when 18 others of its colour came, of which
 * there come as many as a Poisson variable says, one for each 32 KiB.
 */
static void
test_pages_leave_by_colour(void **state)
{
	/* P(N >= 18) of means 8, 16 and 24, of 65536; steps are 2304 bytes */
	static const struct {
		uint64_t distance;
		uint32_t low, high;
	} cases[] = {
		{ 256 << 10, 80, 105 },
		{ 512 << 10, 21800, 22900 },
		{ 768 << 10, 59500, 60200 },
	};
	struct lru lr;
	uint32_t last = 0;

	(void)state;
	lru_init(&lr, 576 << 10, 32 << 10);
	assert_int_equal(lru_left(&lr, 0), 0);
	for (uint64_t d = 0; d < 4u << 20; d += 4096) {
		assert_true(lru_left(&lr, d) >= last);
		last = lru_left(&lr, d);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_in_range(lru_left(&lr, cases[i].distance), cases[i].low,
		    cases[i].high);
	assert_int_equal(lru_left(&lr, 2 << 20), 65536);
	assert_int_equal(lru_left(&lr, 1ull << 40), 65536);
	/* Without a cache to ask, nothing leaves. */
	lru_init(&lr, 0, 0);
	assert_int_equal(lru_left(&lr, 1ull << 40), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_cost_follows_the_formula, setup),
		cmocka_unit_test_setup(test_cost_never_falls, setup),
		cmocka_unit_test_setup(
		    test_distance_is_what_others_touched, setup),
		cmocka_unit_test_setup(test_touch_again_at_once_is_free, setup),
		cmocka_unit_test(test_pages_leave_by_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
