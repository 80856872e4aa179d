#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/alloc.h"
#include "sim/core/trace.h"

static const struct sim_trace_kind kinds[] = {
	{ "so_comp", "qlen %lld of %lld" },
	{ "accept", "fd %lld" },
};

static void
test_off_records_nothing(void **state)
{
	(void)state;
	assert_null(sim_trace_on);
	SIM_TRACE(1, 0, 0, 0, 0, 0);
}

static void
test_records_keep_what_they_were_given(void **state)
{
	struct sim_trace st;

	(void)state;
	sim_trace_open(&st, kinds, 0, SIM_NEVER, 10);
	assert_ptr_equal(sim_trace_on, &st);
	SIM_TRACE(sim_us(3), 65535, 1, 77, -5, INT64_MAX);
	assert_int_equal(st.st_n, 1);
	assert_int_equal(st.st_recs[0].tr_time, 3000);
	assert_int_equal(st.st_recs[0].tr_where, 65535);
	assert_string_equal(
	    st.st_kinds[st.st_recs[0].tr_kind].tk_name, "accept");
	assert_int_equal(st.st_recs[0].tr_id, 77);
	assert_int_equal(st.st_recs[0].tr_a, -5);
	assert_int_equal(st.st_recs[0].tr_b, INT64_MAX);
	sim_trace_close(&st);
	assert_null(sim_trace_on);
}

static void
check_sorted(const struct sim_trace *st)
{
	for (uint64_t i = 1; i < st->st_n; i++) {
		const struct sim_trace_rec *a = &st->st_recs[i - 1];
		const struct sim_trace_rec *b = a + 1;

		assert_true(a->tr_time <= b->tr_time);
		if (a->tr_time != b->tr_time)
			continue;
		assert_true(a->tr_where <= b->tr_where);
		if (a->tr_where == b->tr_where)
			assert_true(a->tr_a < b->tr_a);
	}
}

/* CPUs ahead of one another, several records of one CPU at one time. */
static void
test_sort_is_by_time_place_and_order(void **state)
{
	const size_t n = 20000;
	struct sim_trace_rec *once;
	struct sim_trace st;
	uint32_t x = 1;

	(void)state;
	sim_trace_open(&st, kinds, 0, SIM_NEVER, UINT64_MAX);
	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		SIM_TRACE(x >> 24, x >> 16 & 3, 0, 0, (int64_t)i, 0);
	}
	assert_int_equal(st.st_n, n);
	sim_trace_sort(&st);
	check_sorted(&st);

	once = sim_calloc(n, sizeof(*once));
	memcpy(once, st.st_recs, n * sizeof(*once));
	sim_trace_sort(&st);
	assert_memory_equal(once, st.st_recs, n * sizeof(*once));
	sim_free(once);

	/* Records may still be added, and sorted in. */
	SIM_TRACE(0, 0, 0, 0, (int64_t)n, 0);
	sim_trace_sort(&st);
	check_sorted(&st);
	sim_trace_close(&st);
}

static void
test_past_the_limit_is_left_out(void **state)
{
	struct sim_trace st;

	(void)state;
	sim_trace_open(&st, kinds, 0, SIM_NEVER, 5000);
	for (int i = 0; i < 5007; i++)
		SIM_TRACE(i, 0, 0, 0, 0, 0);
	sim_trace_sort(&st);
	assert_int_equal(st.st_n, 5000);
	assert_int_equal(st.st_lost, 7);
	assert_int_equal(st.st_to, 5000);
	assert_int_equal(st.st_until, SIM_NEVER);
	assert_int_equal(st.st_recs[4999].tr_time, 4999);
	sim_trace_close(&st);

	sim_trace_open(&st, kinds, 0, SIM_NEVER, 0);
	SIM_TRACE(1, 0, 0, 0, 0, 0);
	sim_trace_sort(&st);
	assert_int_equal(st.st_n, 0);
	assert_int_equal(st.st_lost, 1);
	assert_int_equal(st.st_to, 1);
	sim_trace_close(&st);
}

#define FLOOD_N 100000
#define FLOOD_TIMES 20000

/*
 * Every time from 0 on, five records each, in an order that `mix` says; most
 * come before much earlier ones.
 */
static void
flood(struct sim_trace *st, uint64_t limit, uint32_t mix)
{
	uint32_t at = 0;

	sim_trace_open(st, kinds, 0, SIM_NEVER, limit);
	for (int i = 0; i < FLOOD_N; i++) {
		at = (at + mix) % FLOOD_N;
		SIM_TRACE(at % FLOOD_TIMES, at / FLOOD_TIMES, 0, 0, at, 0);
	}
	sim_trace_sort(st);
}

/* The earliest ones, whole instants, whatever order they were made in. */
static void
test_the_limit_leaves_no_holes(void **state)
{
	static const uint32_t mixes[] = { 1, 99999, 49999, 7, 61803 };
	static const uint64_t limits[] = { 1, 4, 5, 6, 999, 1000, 50000,
		99999 };
	struct sim_trace st;

	(void)state;
	for (size_t m = 0; m < sizeof(mixes) / sizeof(mixes[0]); m++) {
		for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]);
		     l++) {
			uint64_t whole = limits[l] / 5;

			flood(&st, limits[l], mixes[m]);
			assert_int_equal(st.st_n, 5 * whole);
			assert_int_equal(st.st_to, whole);
			assert_int_equal(st.st_lost, FLOOD_N - 5 * whole);
			for (uint64_t i = 0; i < st.st_n; i++) {
				assert_int_equal(st.st_recs[i].tr_time, i / 5);
				assert_int_equal(st.st_recs[i].tr_where, i % 5);
			}
			assert_true(st.st_cap <= limits[l] * 5 / 4 + 16 ||
				    st.st_cap <= 4096);
			sim_trace_close(&st);
		}
		flood(&st, FLOOD_N, mixes[m]);
		assert_int_equal(st.st_n, FLOOD_N);
		assert_int_equal(st.st_lost, 0);
		assert_int_equal(st.st_to, SIM_NEVER);
		sim_trace_close(&st);
	}
}

static void
test_a_head_ends_at_an_instant(void **state)
{
	struct sim_trace st, head;

	(void)state;
	flood(&st, 1000, 7);
	head = sim_trace_head(&st, 504);
	assert_int_equal(head.st_n, 500);
	assert_int_equal(head.st_to, 100);
	assert_int_equal(head.st_lost, FLOOD_N - 500);
	head = sim_trace_head(&st, 1000);
	assert_int_equal(head.st_n, 1000);
	assert_int_equal(head.st_to, 200);
	sim_trace_sort(&head);
	assert_int_equal(head.st_n, 1000);
	sim_trace_close(&st);
}

/* The last before the window, of each place and kind of state. */
static void
test_states_before_the_window_are_kept(void **state)
{
	struct sim_trace st;

	(void)state;
	sim_trace_open(&st, kinds, 100, 200, 5);
	st.st_states = 1 << 1;
	for (int i = 0; i < 1000; i++) {
		SIM_TRACE(i, 3, 1, 0, i, 0);
		SIM_TRACE(i, 5, 0, 0, i, 0);
		SIM_TRACE(i / 2, 9, 1, 0, i, 0);
	}
	assert_true(st.st_cap <= 4096);
	for (int again = 0; again < 2; again++) {
		sim_trace_sort(&st);
		assert_int_equal(st.st_n, 2 + 4);
		assert_int_equal(st.st_recs[0].tr_where, 3);
		assert_int_equal(st.st_recs[0].tr_a, 99);
		assert_int_equal(st.st_recs[1].tr_where, 9);
		assert_int_equal(st.st_recs[1].tr_a, 199);
		assert_int_equal(st.st_recs[1].tr_time, 99);
		assert_int_equal(st.st_recs[2].tr_time, 100);
		assert_int_equal(st.st_recs[3].tr_where, 5);
		assert_int_equal(st.st_recs[5].tr_time, 100);
		assert_int_equal(st.st_to, 101);
	}
	sim_trace_close(&st);
}

/* And what says who has a CPU. */
static void
test_only_one_connection(void **state)
{
	struct sim_trace st;

	(void)state;
	sim_trace_open(&st, kinds, 0, SIM_NEVER, 100);
	st.st_only = 7;
	st.st_states = 1 << 1;
	SIM_TRACE(1, 0, 0, 7, 0, 0);
	SIM_TRACE(2, 0, 0, 8, 0, 0);
	SIM_TRACE(3, 0, 0, 0, 0, 0);
	SIM_TRACE(4, 0, 1, 0, 0, 0);
	assert_int_equal(st.st_n, 2);
	assert_int_equal(st.st_lost, 0);
	assert_int_equal(st.st_recs[0].tr_time, 1);
	assert_int_equal(st.st_recs[1].tr_time, 4);
	sim_trace_close(&st);
}

static void
test_outside_the_window_is_neither_kept_nor_lost(void **state)
{
	struct sim_trace st;

	(void)state;
	sim_trace_open(&st, kinds, 10, 20, 100);
	for (int i = 0; i < 30; i++)
		SIM_TRACE(i, 0, 0, 0, 0, 0);
	assert_int_equal(st.st_n, 10);
	assert_int_equal(st.st_lost, 0);
	assert_int_equal(st.st_recs[0].tr_time, 10);
	assert_int_equal(st.st_recs[9].tr_time, 19);
	sim_trace_close(&st);
}

static void
test_close_leaves_another_trace_on(void **state)
{
	struct sim_trace first, second;

	(void)state;
	sim_trace_open(&first, kinds, 0, SIM_NEVER, 10);
	sim_trace_open(&second, kinds, 0, SIM_NEVER, 10);
	sim_trace_close(&first);
	assert_ptr_equal(sim_trace_on, &second);
	sim_trace_close(&second);
	sim_trace_close(NULL);
	assert_null(sim_trace_on);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_off_records_nothing),
		cmocka_unit_test(test_records_keep_what_they_were_given),
		cmocka_unit_test(test_sort_is_by_time_place_and_order),
		cmocka_unit_test(test_past_the_limit_is_left_out),
		cmocka_unit_test(test_the_limit_leaves_no_holes),
		cmocka_unit_test(test_a_head_ends_at_an_instant),
		cmocka_unit_test(test_states_before_the_window_are_kept),
		cmocka_unit_test(test_only_one_connection),
		cmocka_unit_test(
		    test_outside_the_window_is_neither_kept_nor_lost),
		cmocka_unit_test(test_close_leaves_another_trace_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
