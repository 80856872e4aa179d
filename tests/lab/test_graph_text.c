/*
 * Names in pictures: any text stays what it is, for dot and after it.
 */
#include "tests/lab/graph_rig.h"

#include <string.h>

#include "sim/core/alloc.h"

static char *
quoted(const char *text, int most)
{
	char *out;
	size_t size;
	FILE *fp = open_memstream(&out, &size);

	graph_quote(fp, text, most);
	fclose(fp);
	return out;
}

static void
check_quoted(const char *text, int most, const char *want)
{
	char *got = quoted(text, most);

	assert_string_equal(got, want);
	free(got);
}

static void
test_names_have_no_meaning(void **state)
{
	(void)state;
	check_quoted("", 0, "\"\"");
	check_quoted("a b", 0, "\"a b\"");
	check_quoted("say \"no\"", 0, "\"say \\\"no\\\"\"");
	check_quoted("C:\\N", 0, "\"C:\\\\N\"");
	check_quoted("ends in \\", 0, "\"ends in \\\\\"");
	check_quoted("</script>&lt;", 0, "\"&lt;/script&gt;&amp;lt;\"");
	check_quoted("two\nlines\t\x7f", 0, "\"two lines  \"");
	check_quoted("\xf0\x9f\x90\xa1", 0, "\"\xf0\x9f\x90\xa1\"");
	/* U+0085, U+202E, U+FFFF, U+1FFFE; and what is not UTF-8. */
	check_quoted("a\xc2\x85"
		     "b\xe2\x80\xae"
		     "c\xef\xbf\xbf"
		     "d\xf0\x9f\xbf\xbe"
		     "e",
	    0, "\"a b c d e\"");
	check_quoted("\xff", 0, "\"\xef\xbf\xbd\"");
}

static void
test_long_names_end_at_a_character(void **state)
{
	(void)state;
	check_quoted("abcdef", 6, "\"abcdef\"");
	check_quoted("abcdefg", 6, "\"abcdef\xe2\x80\xa6\"");
	check_quoted(
	    "\xc3\xa4\xc3\xb6\xc3\xbc", 2, "\"\xc3\xa4\xc3\xb6\xe2\x80\xa6\"");
}

/* What is in quotes or between tags, with XML's entities as characters. */
static void
xml_text(const char *from, const char *end, char *out)
{
	static const char *const entities[][2] = { { "&amp;", "&" },
		{ "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" },
		{ "&#39;", "'" }, { "&#45;", "-" }, { "&#160;", " " } };

	while (from < end) {
		size_t i = 0;

		while (i < 7 && strncmp(from, entities[i][0],
				    strlen(entities[i][0])) != 0)
			i++;
		assert_true(i < 7 || *from != '&');
		*out++ = i < 7 ? *entities[i][1] : *from;
		from += i < 7 ? strlen(entities[i][0]) : 1;
	}
	*out = '\0';
}

/* Is this a whole text, or a whole tooltip, of the picture? */
static bool
svg_has(const char *svg, const char *before, char after, const char *text)
{
	char *got = malloc(strlen(svg) + 1);
	bool found = false;

	for (const char *s = svg; !found && (s = strstr(s, before)) != NULL;) {
		s = after == '<' ? strchr(s, '>') + 1 : s + strlen(before);
		xml_text(s, strchr(s, after), got);
		found = strcmp(got, text) == 0;
	}
	free(got);
	return found;
}

static void
check_round_trip(const char *name, const char *label, const char *tooltip)
{
	struct setup *su = calloc(1, sizeof(*su));
	struct scenario *sc =
	    base_point("scenarios/soavailconn.yaml", NULL, 0, su);
	char *dot, *svg, text[200];

	su->su_title = name;
	su->su_peers[0].pe_name = name;
	su->su_machines[0].sm_name = name;
	su->su_machines[0].sm_hw.hw_name = name;
	su->su_machines[0].sm_nics[0].sn_name = name;
	su->su_machines[0].sm_procs[0].sp_name = name;
	dot = picture_of(su, NULL, 0);
	svg = graph_svg(dot);
	assert_non_null(svg);
	assert_true(svg_has(svg, "<text", '<', label)); /* the peer's */
	snprintf(text, sizeof(text), "%s: 24 CPUs, %s", label, label);
	assert_true(svg_has(svg, "<text", '<', text));
	snprintf(text, sizeof(text), "%s1", label); /* a port's */
	assert_true(svg_has(svg, "<text", '<', text));
	snprintf(text, sizeof(text), "%s 23", label); /* a worker's */
	assert_true(svg_has(svg, "<text", '<', text));
	for (int i = 0; i < 3; i++) {
		static const char *const ids[] = { "a_graph0", "a_clust1",
			"a_node1" };

		snprintf(
		    text, sizeof(text), "\"%s\"><a xlink:title=\"", ids[i]);
		assert_true(svg_has(svg, text, '"', tooltip));
	}
	free(dot);
	sim_free(svg);
	free(su);
	scenario_destroy(sc);
}

/* Written by us, read by dot, written by dot: the same text. */
static void
test_names_come_through_dot(void **state)
{
	static const char *const names[] = { "say \"no\"", "\\N \\G \\L \\n \\",
		"\\\\ \\\"", "</script><script>", "<b>x</b>", "&lt;&amp;&#65;&",
		"\xf0\x9f\x90\xa1 \xc3\xa4", "%s%n", "'--'", "{a|b} -> [c];" };
	char *y = malloc(1001), cut[40];

	(void)state;
	if (!graph_can_draw())
		skip();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_round_trip(names[i], names[i], names[i]);
	check_round_trip("a\nb\x01"
			 "c\xef\xbf\xbf"
			 "d",
	    "a b c d", "a b c d");
	check_round_trip("\xc3", "\xef\xbf\xbd", "\xef\xbf\xbd");
	memset(y, 'y', 1000);
	y[1000] = '\0';
	snprintf(cut, sizeof(cut), "%.36s\xe2\x80\xa6", y);
	check_round_trip(y, cut, y);
	free(y);
}

/* More than a pipe holds, both ways. */
static void
test_large_pictures_are_drawn(void **state)
{
	char *y = malloc(2001), *dot, *svg;
	size_t size;
	FILE *fp = open_memstream(&dot, &size);

	(void)state;
	if (!graph_can_draw())
		skip();
	memset(y, 'y', 2000);
	y[2000] = '\0';
	fputs("digraph {\n", fp);
	for (int i = 0; i < 600; i++) {
		fprintf(fp, "a%d [", i);
		graph_tooltip(fp, y);
		fputs("]\n", fp);
	}
	fputs("}\n", fp);
	fclose(fp);
	assert_true(size > 1 << 20);
	svg = graph_svg(dot);
	assert_non_null(svg);
	assert_true(strlen(svg) > size);
	assert_non_null(strstr(svg, "</svg>"));
	sim_free(svg);
	free(dot);
	free(y);
}

/* dot takes no string of 16 KiB and more, entities spelled out. */
static void
test_tooltips_are_not_too_long_for_dot(void **state)
{
	char *a = malloc(100001), *dot, *svg;
	struct setup *su = calloc(1, sizeof(*su));
	struct scenario *sc =
	    base_point("scenarios/soavailconn.yaml", NULL, 0, su);

	(void)state;
	if (!graph_can_draw())
		skip();
	memset(a, '&', 100000);
	a[100000] = '\0';
	su->su_title = a;
	dot = picture_of(su, NULL, 0);
	svg = graph_svg(dot);
	assert_non_null(svg);
	a[3000] = '\0';
	strcat(a, "\xe2\x80\xa6");
	assert_true(svg_has(svg, "\"a_graph0\"><a xlink:title=\"", '"', a));
	sim_free(svg);
	free(dot);
	free(a);
	free(su);
	scenario_destroy(sc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_have_no_meaning),
		cmocka_unit_test(test_long_names_end_at_a_character),
		cmocka_unit_test(test_names_come_through_dot),
		cmocka_unit_test(test_large_pictures_are_drawn),
		cmocka_unit_test(test_tooltips_are_not_too_long_for_dot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
