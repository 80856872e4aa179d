#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/kern/callout.h"

#define NCO 8

/* A callout that writes down when it ran, and may do something then. */
struct probe {
	struct callout pr_co;
	int pr_id;
	int pr_again; /* ticks, > 0: arm again from the handler */
	struct callout *pr_stop;
};

static struct callwheel wheel;
static struct probe probes[NCO];
static int ran_id[64], ran_tick[64], nran;

static void
probe_run(struct callout *co)
{
	struct probe *pr = (struct probe *)co;

	assert_false(callout_pending(co));
	ran_id[nran] = pr->pr_id;
	ran_tick[nran] = wheel.cw_tick;
	nran++;
	if (pr->pr_again > 0)
		callout_reset(&wheel, co, pr->pr_again, probe_run);
	if (pr->pr_stop != NULL)
		callout_stop(&wheel, pr->pr_stop);
}

static int
setup(void **state)
{
	(void)state;
	callwheel_init(&wheel);
	nran = 0;
	for (int i = 0; i < NCO; i++)
		probes[i] = (struct probe){ .pr_id = i };
	return 0;
}

static void
arm(int id, int ticks)
{
	callout_reset(&wheel, &probes[id].pr_co, ticks, probe_run);
}

static void
run(int ticks)
{
	while (ticks-- > 0)
		callwheel_tick(&wheel);
}

static void
test_same_tick_runs_in_order_of_arming(void **state)
{
	(void)state;
	arm(3, 5);
	arm(1, 5);
	arm(2, 5);
	arm(3, 5); /* moved: now the youngest */
	run(4);
	assert_int_equal(nran, 0);
	assert_int_equal(callwheel_tick(&wheel), 3);
	assert_int_equal(ran_id[0], 1);
	assert_int_equal(ran_id[1], 2);
	assert_int_equal(ran_id[2], 3);
	assert_int_equal(wheel.cw_armed, 0);
}

static void
test_longer_than_the_wheel(void **state)
{
	(void)state;
	arm(0, 3 * CALLOUT_WHEEL + 7);
	arm(1, 7);
	arm(2, CALLOUT_WHEEL + 7);
	arm(3, CALLOUT_WHEEL);
	run(4 * CALLOUT_WHEEL);
	assert_int_equal(nran, 4);
	assert_int_equal(ran_id[0], 1);
	assert_int_equal(ran_tick[0], 7);
	assert_int_equal(ran_id[1], 3);
	assert_int_equal(ran_tick[1], CALLOUT_WHEEL);
	assert_int_equal(ran_id[2], 2);
	assert_int_equal(ran_tick[2], CALLOUT_WHEEL + 7);
	assert_int_equal(ran_id[3], 0);
	assert_int_equal(ran_tick[3], 3 * CALLOUT_WHEEL + 7);
}

static void
test_rearmed_in_its_handler(void **state)
{
	(void)state;
	probes[0].pr_again = CALLOUT_WHEEL; /* the bucket being run */
	arm(0, 1);
	run(2 * CALLOUT_WHEEL + 1);
	assert_int_equal(nran, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ran_tick[i], 1 + i * CALLOUT_WHEEL);
	assert_true(callout_pending(&probes[0].pr_co));
	assert_int_equal(wheel.cw_armed, 1);
}

static void
test_stopped_does_not_run(void **state)
{
	(void)state;
	arm(0, 2);
	arm(1, 2);
	callout_stop(&wheel, &probes[0].pr_co);
	callout_stop(&wheel, &probes[0].pr_co);
	assert_false(callout_pending(&probes[0].pr_co));
	assert_int_equal(wheel.cw_armed, 1);
	run(3);
	assert_int_equal(nran, 1);
	assert_int_equal(ran_id[0], 1);
}

static void
test_stopped_by_one_that_ran_in_the_same_tick(void **state)
{
	(void)state;
	arm(0, 2);
	arm(1, 2);
	arm(2, 2);
	probes[0].pr_stop = &probes[1].pr_co;
	run(2);
	assert_int_equal(nran, 2);
	assert_int_equal(ran_id[0], 0);
	assert_int_equal(ran_id[1], 2);
	assert_int_equal(wheel.cw_armed, 0);
}

static void
test_ms_round_up(void **state)
{
	(void)state;
	assert_int_equal(callout_ms_to_ticks(0), 1);
	assert_int_equal(callout_ms_to_ticks(10), 1);
	assert_int_equal(callout_ms_to_ticks(11), 2);
	assert_int_equal(callout_ms_to_ticks(30000), 3000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
		    test_same_tick_runs_in_order_of_arming, setup),
		cmocka_unit_test_setup(test_longer_than_the_wheel, setup),
		cmocka_unit_test_setup(test_rearmed_in_its_handler, setup),
		cmocka_unit_test_setup(test_stopped_does_not_run, setup),
		cmocka_unit_test_setup(
		    test_stopped_by_one_that_ran_in_the_same_tick, setup),
		cmocka_unit_test_setup(test_ms_round_up, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
