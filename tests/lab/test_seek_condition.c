/* What `solab seek` takes for a condition, and what it says of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/lab/seek.h"

static void
test_conditions_are_read(void **state)
{
	static const struct {
		const char *text, *canonical;
		struct seek_condition sn;
	} good[] = {
		{ "latency_p99<=50ms", "latency_p99<=50ms",
		    { METRIC_LATENCY_P99, SEEK_AT_MOST, 50e6, false } },
		{ " throughput >= 200 k/s", "throughput>=200000/s",
		    { METRIC_THROUGHPUT, SEEK_AT_LEAST, 200e3, false } },
		{ "throughput~1%", "throughput~1%",
		    { METRIC_THROUGHPUT, SEEK_NEAR_BEST, 1, true } },
		{ "latency_mean~0.5%", "latency_mean~0.5%",
		    { METRIC_LATENCY_MEAN, SEEK_NEAR_BEST, 0.5, false } },
		{ "requests>=1000", "requests>=1000",
		    { METRIC_REQUESTS, SEEK_AT_LEAST, 1000, false } },
		{ "littles_law_error<=2.5%", "littles_law_error<=2.5%",
		    { METRIC_LITTLES_LAW_ERROR, SEEK_AT_MOST, 2.5, false } },
	};
	char buf[80];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct seek_condition sn = { 0 };
		struct diag d;

		diag_init(&d);
		assert_true(seek_condition_parse(good[i].text, &sn, &d));
		assert_int_equal(d.d_nerrors, 0);
		assert_int_equal(sn.sn_metric, good[i].sn.sn_metric);
		assert_int_equal(sn.sn_relation, good[i].sn.sn_relation);
		assert_true(sn.sn_limit == good[i].sn.sn_limit);
		assert_int_equal(
		    sn.sn_highest_best, good[i].sn.sn_highest_best);
		assert_string_equal(seek_condition_print(&sn, buf, sizeof(buf)),
		    good[i].canonical);
		diag_fini(&d);
	}
}

static void
test_bad_conditions_are_explained(void **state)
{
	static const struct {
		const char *text, *words;
		int col, width;
	} bad[] = {
		{ "",
		    "want METRIC<=VALUE, METRIC>=VALUE or METRIC~P%, as in "
		    "latency_p99<=50ms",
		    1, 1 },
		{ "latency_p99",
		    "want METRIC<=VALUE, METRIC>=VALUE or "
		    "METRIC~P%, as in latency_p99<=50ms",
		    1, 11 },
		{ "<=50ms",
		    "want METRIC<=VALUE, METRIC>=VALUE or METRIC~P%, "
		    "as in latency_p99<=50ms",
		    1, 6 },
		{ "latency_p98<=50ms",
		    "unknown metric 'latency_p98', did you "
		    "mean 'latency_p90'?",
		    1, 11 },
		{ " speed>=1/s", "unknown metric 'speed'", 2, 5 },
		{ "latency_p99<50ms", "want <=, >= or ~", 12, 1 },
		{ "throughput == 5/s", "want <=, >= or ~", 12, 2 },
		{ "latency_p99<=50",
		    "latency_p99: '50' has no unit (time: ns "
		    "us ms s min h)",
		    14, 2 },
		{ "throughput>=200ms",
		    "throughput: unknown frequency unit "
		    "'ms' (use: /s k/s)",
		    16, 2 },
		{ "requests>=5/s", "requests: '5/s' is not a plain number", 11,
		    3 },
		{ "throughput~1", "'1' has no unit (percentage: %)", 12, 1 },
		{ "throughput~0%", "'0%', want more than 0 and less than 100 %",
		    12, 2 },
		{ "throughput~100%",
		    "'100%', want more than 0 and less than 100 %", 12, 4 },
		{ "clocked~1%", "clocked has no best value: want <= or >=", 1,
		    7 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct seek_condition sn;
		struct diag d;

		diag_init(&d);
		assert_false(seek_condition_parse(bad[i].text, &sn, &d));
		assert_int_equal(d.d_nerrors, 1);
		assert_string_equal(d.d_first->di_text, bad[i].words);
		assert_int_equal(d.d_first->di_at.ds_col, bad[i].col);
		assert_int_equal(d.d_first->di_at.ds_width, bad[i].width);
		diag_fini(&d);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conditions_are_read),
		cmocka_unit_test(test_bad_conditions_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
