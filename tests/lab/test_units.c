#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "sim/lab/units.h"

static void
test_quantities_parse_exactly(void **state)
{
	static const struct {
		enum unit_kind kind;
		const char *text;
		int64_t want;
	} rows[] = {
		{ UNIT_TIME, "18ns", 18 },
		{ UNIT_TIME, "5 us", 5000 },
		{ UNIT_TIME, "59.19 ms", 59190000 },
		{ UNIT_TIME, "0.000000001s", 1 },
		{ UNIT_TIME, "2min", 120000000000 },
		{ UNIT_TIME, "1h", 3600000000000 },
		{ UNIT_SIZE, "254B", 254 },
		{ UNIT_SIZE, "1KB", 1000 },
		{ UNIT_SIZE, "1KiB", 1024 },
		{ UNIT_SIZE, "1.5KiB", 1536 },
		{ UNIT_SIZE, "3MB", 3000000 },
		{ UNIT_SIZE, "2 GiB", 2147483648 },
		{ UNIT_RATE, "10Gbps", 10000000000 },
		{ UNIT_RATE, "2.5Gbps", 2500000000 },
		{ UNIT_FREQUENCY, "8000/s", 8000 },
		{ UNIT_FREQUENCY, "8k/s", 8000 },
		{ UNIT_PERCENT, "5%", 5 },
		{ UNIT_NONE, "-32", -32 },
		{ UNIT_NONE, "999999999999999999", 999999999999999999 },
		{ UNIT_NONE, "0", 0 },
	};
	struct unit_error ue;
	struct quantity q;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!unit_parse(rows[i].kind, rows[i].text, &q, &ue))
			fail_msg("%s: %s", rows[i].text, ue.ue_text);
		assert_true(q.q_whole);
		assert_int_equal(q.q_int, rows[i].want);
	}
}

static void
test_fractions_are_rounded_once(void **state)
{
	struct unit_error ue;
	struct quantity q;

	(void)state;
	assert_true(unit_parse(UNIT_FREQUENCY, "210279.88 /s", &q, &ue));
	assert_false(q.q_whole);
	assert_true(q.q_real == 210279.88);
	assert_true(unit_parse(UNIT_PERCENT, "0.1%", &q, &ue));
	assert_true(q.q_real == 0.1);
	assert_true(unit_parse(UNIT_TIME, "0.5ns", &q, &ue));
	assert_false(q.q_whole);
}

static void
test_bad_quantities_say_why(void **state)
{
	static const struct {
		enum unit_kind kind;
		const char *text, *want;
		size_t at;
	} rows[] = {
		{ UNIT_TIME, "10", "'10' has no unit (time: ns us ms s min h)",
		    0 },
		{ UNIT_TIME, "10sec",
		    "unknown time unit 'sec' (use: ns us ms s min h)", 2 },
		{ UNIT_TIME, "10 MS",
		    "unknown time unit 'MS' (use: ns us ms s min h)", 3 },
		{ UNIT_TIME, "10  ms",
		    "unknown time unit ' ms' (use: ns us ms s min h)", 3 },
		{ UNIT_TIME, "", "'' is not a number", 0 },
		{ UNIT_TIME, "inf", "'inf' is not a number", 0 },
		{ UNIT_TIME, "nan", "'nan' is not a number", 0 },
		{ UNIT_TIME, "s", "'s' is not a number", 0 },
		{ UNIT_TIME, "1.s", "'1.s' is not a number", 0 },
		{ UNIT_TIME, ".5s", "'.5s' is not a number", 0 },
		{ UNIT_TIME, "+1s", "'+1s' is not a number", 0 },
		{ UNIT_TIME, "1,5s",
		    "unknown time unit ',5s' (use: ns us ms s min h)", 1 },
		{ UNIT_TIME, "1e3s",
		    "unknown time unit 'e3s' (use: ns us ms s min h)", 1 },
		{ UNIT_TIME, "9999999h", "'9999999h' is too large", 0 },
		{ UNIT_SIZE, "1Kb",
		    "unknown size unit 'Kb' (use: B KB KiB MB MiB GB GiB)", 1 },
		{ UNIT_SIZE, "1K",
		    "unknown size unit 'K' (use: B KB KiB MB MiB GB GiB)", 1 },
		{ UNIT_RATE, "10Gbsp",
		    "unknown bit rate unit 'Gbsp' "
		    "(use: bps kbps Mbps Gbps Tbps)",
		    2 },
		{ UNIT_FREQUENCY, "8000Hz",
		    "unknown frequency unit 'Hz' (use: /s k/s)", 4 },
		{ UNIT_NONE, "0x10", "'0x10' is not a plain number", 0 },
		{ UNIT_NONE, "8B", "'8B' is not a plain number", 0 },
		{ UNIT_NONE, "012",
		    "'012' begins with a zero: octal is not meant, is it?", 0 },
		{ UNIT_NONE, "1234567890123456789",
		    "more than 18 digits in '1234567890123456789'", 0 },
	};
	struct unit_error ue;
	struct quantity q;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_false(unit_parse(rows[i].kind, rows[i].text, &q, &ue));
		assert_string_equal(ue.ue_text, rows[i].want);
		assert_int_equal(ue.ue_at, rows[i].at);
	}
}

static void
test_print_is_canonical(void **state)
{
	static const struct {
		enum unit_kind kind;
		int64_t value;
		const char *want;
	} rows[] = {
		{ UNIT_TIME, 0, "0ns" },
		{ UNIT_TIME, 1500000, "1500us" },
		{ UNIT_TIME, 100000000, "100ms" },
		{ UNIT_TIME, 120000000000, "120s" },
		{ UNIT_SIZE, 254, "254B" },
		{ UNIT_SIZE, 2000, "2KB" },
		{ UNIT_SIZE, 16384, "16KiB" },
		{ UNIT_SIZE, 1024000, "1000KiB" },
		{ UNIT_RATE, 10000000000, "10Gbps" },
		{ UNIT_FREQUENCY, 8000, "8000/s" },
		{ UNIT_PERCENT, 2, "2%" },
		{ UNIT_NONE, -1, "-1" },
	};
	char buf[UNIT_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
		    unit_print(rows[i].kind, rows[i].value, buf), rows[i].want);
	assert_string_equal(
	    unit_print_real(UNIT_FREQUENCY, 210279.88, buf), "210279.88/s");
	assert_string_equal(unit_print_real(UNIT_NONE, 1.6, buf), "1.6");
	assert_string_equal(unit_print_real(UNIT_PERCENT, 5, buf), "5%");
	assert_string_equal(
	    unit_print_real(UNIT_NONE, 0.1 + 0.2, buf), "0.30000000000000004");
	assert_string_equal(unit_print_real(UNIT_NONE, 1234567890.1234567, buf),
	    "1234567890.123456717");
}

static void
test_printed_values_parse_back(void **state)
{
	char buf[UNIT_TEXT_MAX];
	struct unit_error ue;
	struct quantity q;
	uint64_t x = 1;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		enum unit_kind kind = i % UNIT_NKINDS;
		int64_t value;

		x = x * 6364136223846793005u + 1442695040888963407u;
		value = (int64_t)(x >> (6 + i % 58));
		if (value >= 999999999999999999)
			continue; /* 18 digits */
		unit_print(kind, value, buf);
		assert_true(unit_parse(kind, buf, &q, &ue));
		assert_int_equal(q.q_int, value);
	}
	for (int i = 0; i < 100000; i++) {
		char text[UNIT_TEXT_MAX];
		double real;

		x = x * 6364136223846793005u + 1442695040888963407u;
		snprintf(text, sizeof(text), "%d.%.*s", i % 100, 1 + i % 15,
		    "314159265358979323846" + x % 5);
		assert_true(unit_parse(UNIT_NONE, text, &q, &ue));
		real = q.q_real;
		unit_print_real(UNIT_NONE, real, buf);
		assert_true(unit_parse(UNIT_NONE, buf, &q, &ue));
		assert_true(q.q_real == real);
	}
}

static void
test_locale_changes_nothing(void **state)
{
	char buf[UNIT_TEXT_MAX];
	struct unit_error ue;
	struct quantity q;

	(void)state;
	/* Absent on a minimal system, where this test says less. */
	setlocale(LC_ALL, "de_DE.UTF-8");
	assert_true(unit_parse(UNIT_TIME, "1.5ms", &q, &ue));
	assert_int_equal(q.q_int, 1500000);
	assert_string_equal(unit_print_real(UNIT_NONE, 1.6, buf), "1.6");
	setlocale(LC_ALL, "C");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantities_parse_exactly),
		cmocka_unit_test(test_fractions_are_rounded_once),
		cmocka_unit_test(test_bad_quantities_say_why),
		cmocka_unit_test(test_print_is_canonical),
		cmocka_unit_test(test_printed_values_parse_back),
		cmocka_unit_test(test_locale_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
