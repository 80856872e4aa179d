/*
 * How texts of others reach a terminal and JSON, and what fits a column.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/lab/output.h"
#include "sim/lab/sweep.h"
#include "sim/lab/text.h"

static const struct {
	const char *text, *printed, *json;
} cases[] = {
	{ "", "", "\"\"" },
	{ "plain", "plain", "\"plain\"" },
	{ "</script>", "</script>", "\"</script>\"" },
	{ "a \"b\" 'c' \\d", "a \"b\" 'c' \\d", "\"a \\\"b\\\" 'c' \\\\d\"" },
	{ "\033[31m\a", "\\x1b[31m\\x07", "\"\\u001b[31m\\u0007\"" },
	{ "a\nb\tc\rd\x7f", "a\\x0ab\\x09c\\x0dd\\x7f",
	    "\"a\\u000ab\\u0009c\\u000dd\\u007f\"" },
	/* CSI in one character, and a text that turns around. */
	{ "\xc2\x9b"
	  "1m",
	    "\\u009b1m", "\"\\u009b1m\"" },
	{ "\xe2\x80\xae.txt", "\\u202e.txt", "\"\\u202e.txt\"" },
	{ "\xe2\x81\xa6x\xe2\x80\xa8", "\\u2066x\\u2028",
	    "\"\\u2066x\\u2028\"" },
	{ "Gr\xc3\xbc\xc3\x9f"
	  "e \xf0\x9f\x98\x80",
	    "Gr\xc3\xbc\xc3\x9f"
	    "e \xf0\x9f\x98\x80",
	    "\"Gr\xc3\xbc\xc3\x9f"
	    "e \xf0\x9f\x98\x80\"" },
	/* Not UTF-8: a lone byte, one cut short, one that is too long. */
	{ "\xff", "\\xff", "\"\\ufffd\"" },
	{ "\xf0\x9f\x98", "\\xf0\\x9f\\x98", "\"\\ufffd\\ufffd\\ufffd\"" },
	{ "\xc0\x80", "\\xc0\\x80", "\"\\ufffd\\ufffd\"" },
	{ "\xef\xbf\xbd", "\xef\xbf\xbd", "\"\xef\xbf\xbd\"" },
};

static void
test_controls_are_escaped(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = NULL, buf[100];
		size_t size;
		FILE *fp = open_memstream(&got, &size);

		assert_non_null(fp);
		text_print(fp, cases[i].text);
		fclose(fp);
		assert_string_equal(got, cases[i].printed);
		free(got);
		assert_string_equal(
		    text_escape(cases[i].text, buf, sizeof(buf)),
		    cases[i].printed);
		fp = open_memstream(&got, &size);
		assert_non_null(fp);
		output_json_string(fp, cases[i].text);
		fclose(fp);
		assert_string_equal(got, cases[i].json);
		free(got);
	}
}

/* At a whole character, or a whole escape. */
static void
test_a_long_text_is_cut(void **state)
{
	char buf[8];

	(void)state;
	assert_string_equal(text_escape("1234567", buf, 8), "1234567");
	assert_string_equal(text_escape("12345678", buf, 8), "1234567");
	assert_string_equal(text_escape("123456\xc3\xbc", buf, 8), "123456");
	assert_string_equal(
	    text_escape("12345\xc3\xbc", buf, 8), "12345\xc3\xbc");
	assert_string_equal(text_escape("1234\033", buf, 8), "1234");
	assert_string_equal(text_escape("123\033", buf, 8), "123\\x1b");
	assert_string_equal(text_escape("x", buf, 1), "");
}

static void
test_width_counts_columns(void **state)
{
	(void)state;
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("Gr\xc3\xbc\xc3\x9f"
				    "e"),
	    5);
	assert_int_equal(text_width("\xf0\x9f\x98\x80"), 2);
	assert_int_equal(text_width("e\xcc\x81"), 1);
}

/* The table's columns hold, however tiny or wide an interval is. */
static void
test_intervals_fit_their_column(void **state)
{
	static const struct {
		double percent;
		const char *want;
	} rows[] = {
		{ 0, "+-0%" },
		{ 1e-9, "+-<.01%" },
		{ 0.0049, "+-<.01%" },
		{ 0.0051, "+-0.01%" },
		{ 0.012, "+-0.01%" },
		{ 0.0994, "+-0.10%" },
		{ 0.0996, "+-0.1%" },
		{ 0.123, "+-0.12%" },
		{ 0.999, "+-1%" },
		{ 1.26, "+-1.3%" },
		{ 9.96, "+-10%" },
		{ 42.4, "+-42%" },
		{ 99.4, "+-99%" },
		{ 99.6, "+-100%" },
		{ 999.4, "+-999%" },
		{ 999.6, "+->999%" },
		{ 1e30, "+->999%" },
		{ INFINITY, "" },
		{ NAN, "" },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
		    sweep_interval(rows[i].percent, buf, sizeof(buf)),
		    rows[i].want);
	for (double x = 1e-12; x < 1e12; x *= 1.01)
		assert_true(strlen(sweep_interval(x, buf, sizeof(buf))) <= 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_controls_are_escaped),
		cmocka_unit_test(test_a_long_text_is_cut),
		cmocka_unit_test(test_width_counts_columns),
		cmocka_unit_test(test_intervals_fit_their_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
