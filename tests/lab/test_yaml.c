#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/yaml.h"

struct parsed {
	struct diag pa_diag;
	struct ypool pa_pool;
	struct ynode *pa_root;
	char *pa_messages;
};

static void
parse(struct parsed *pa, const char *text, size_t size)
{
	size_t n;
	FILE *fp;

	diag_init(&pa->pa_diag);
	pa->pa_pool.yp_blocks = NULL;
	pa->pa_root =
	    ynode_parse(diag_add_file(&pa->pa_diag, "x.yaml", text, size),
		&pa->pa_pool, &pa->pa_diag);
	fp = open_memstream(&pa->pa_messages, &n);
	diag_print(&pa->pa_diag, fp);
	fclose(fp);
}

static void
parsed_fini(struct parsed *pa)
{
	free(pa->pa_messages);
	ypool_fini(&pa->pa_pool);
	diag_fini(&pa->pa_diag);
}

static void
check_messages(const char *text, size_t size, const char *want)
{
	struct parsed pa;

	parse(&pa, text, size);
	assert_null(pa.pa_root);
	assert_string_equal(pa.pa_messages, want);
	parsed_fini(&pa);
}

static void
test_tree_keeps_text_and_marks(void **state)
{
	const char *text = "a: {b: [no, 012, \"q\"]}\nc: &x 1:30\nd: *x\n";
	struct ynode *list, *key;
	struct parsed pa;

	(void)state;
	parse(&pa, text, strlen(text));
	assert_string_equal(pa.pa_messages, "");
	list = ynode_get(ynode_get(pa.pa_root, "a", NULL), "b", NULL);
	assert_int_equal(list->yn_kind, YNODE_SEQ);
	assert_int_equal(list->yn_n, 3);
	assert_string_equal(list->yn_vals[0]->yn_text, "no");
	assert_string_equal(list->yn_vals[1]->yn_text, "012");
	assert_int_equal(list->yn_vals[1]->yn_at.ds_line, 1);
	assert_int_equal(list->yn_vals[1]->yn_at.ds_col, 13);
	assert_int_equal(list->yn_vals[1]->yn_at.ds_width, 3);
	assert_true(list->yn_vals[2]->yn_quoted);
	assert_string_equal(ynode_get(pa.pa_root, "d", &key)->yn_text, "1:30");
	assert_int_equal(key->yn_at.ds_line, 3);
	assert_int_equal(pa.pa_root->yn_weight, 12);
	parsed_fini(&pa);
}

static void
test_merge_is_deep_and_replaces_lists(void **state)
{
	const char *text = "base: {a: {x: 1, y: 2}, l: [1, 2], s: 1}\n"
			   "over: {a: {y: 3, z: 4}, l: [9], s: {t: 1}}\n";
	struct ynode *m, *a;
	struct parsed pa;

	(void)state;
	parse(&pa, text, strlen(text));
	m = ynode_merge(&pa.pa_pool, ynode_get(pa.pa_root, "base", NULL),
	    ynode_get(pa.pa_root, "over", NULL));
	a = ynode_get(m, "a", NULL);
	assert_int_equal(a->yn_n, 3);
	assert_string_equal(ynode_get(a, "x", NULL)->yn_text, "1");
	assert_string_equal(ynode_get(a, "y", NULL)->yn_text, "3");
	assert_string_equal(ynode_get(a, "z", NULL)->yn_text, "4");
	assert_int_equal(ynode_get(m, "l", NULL)->yn_n, 1);
	assert_int_equal(ynode_get(m, "s", NULL)->yn_kind, YNODE_MAP);
	/* The original is as it was. */
	a = ynode_get(ynode_get(pa.pa_root, "base", NULL), "a", NULL);
	assert_int_equal(a->yn_n, 2);
	parsed_fini(&pa);
}

static void
test_duplicate_key_shows_both_places(void **state)
{
	const char *text = "host:\n  cores: 4\n  speed: 1\n  cores: 8\n";

	(void)state;
	check_messages(text, strlen(text),
	    "x.yaml:4:3: error: duplicate key 'cores'\n"
	    "    4 |   cores: 8\n"
	    "      |   ^~~~~\n"
	    "x.yaml:2:3: note: first defined here\n"
	    "    2 |   cores: 4\n"
	    "      |   ^~~~~\n");
}

static void
test_syntax_errors_show_problem_and_context(void **state)
{
	const char *open = "rate: [1, 2\nseeds: 5\n";
	const char *tab = "a:\n\tb: 1\n";

	(void)state;
	check_messages(open, strlen(open),
	    "x.yaml:2:6: error: did not find expected ',' or ']'\n"
	    "    2 | seeds: 5\n"
	    "      |      ^\n"
	    "x.yaml:1:7: note: while parsing a flow sequence\n"
	    "    1 | rate: [1, 2\n"
	    "      |       ^\n");
	check_messages(tab, strlen(tab),
	    "x.yaml:2:1: error: found character that cannot start any token\n"
	    "    2 | \tb: 1\n"
	    "      | ^\n"
	    "x.yaml:2:1: note: while scanning for the next token\n"
	    "    2 | \tb: 1\n"
	    "      | ^\n");
}

static void
test_bad_utf8_is_placed(void **state)
{
	const char *lead = "a: 1\nb: x\xff"
			   "y\n";
	const char *nul = "a: 1\nb: \x01\n";

	(void)state;
	check_messages(lead, strlen(lead),
	    "x.yaml:2:5: error: invalid leading UTF-8 octet\n"
	    "    2 | b: x\xef\xbf\xbdy\n"
	    "      |     ^\n");
	check_messages(nul, strlen(nul),
	    "x.yaml:2:4: error: control characters are not allowed\n"
	    "    2 | b: ?\n"
	    "      |    ^\n");
	check_messages("\xff\xfe"
		       "a\0:\0",
	    6,
	    "x.yaml:1:1: error: UTF-16: save it as UTF-8\n"
	    "    1 | \xef\xbf\xbd\xef\xbf\xbd"
	    "a?:?\n"
	    "      | ^\n");
}

/* Wide characters take two columns, combining ones none, tabs stay. */
static void
test_caret_stands_under_its_character(void **state)
{
	const char *text = "{\"\xe6\x97\xa5\xe6\x9c\xac\": 1,\te\xcc\x81: 1, "
			   "\"\xe6\x97\xa5\xe6\x9c\xac\": 2}\n";

	(void)state;
	check_messages(text, strlen(text),
	    "x.yaml:1:18: error: duplicate key '\xe6\x97\xa5\xe6\x9c\xac'\n"
	    "    1 | {\"\xe6\x97\xa5\xe6\x9c\xac\": 1,\te\xcc\x81: 1, "
	    "\"\xe6\x97\xa5\xe6\x9c\xac\": 2}\n"
	    "      |            \t      ^~~~~~\n"
	    "x.yaml:1:2: note: first defined here\n"
	    "    1 | {\"\xe6\x97\xa5\xe6\x9c\xac\": 1,\te\xcc\x81: 1, "
	    "\"\xe6\x97\xa5\xe6\x9c\xac\": 2}\n"
	    "      |  ^~~~~~\n");
}

static void
test_byte_order_mark_is_no_column(void **state)
{
	const char *text = "\xef\xbb\xbf"
			   "a: 1\na: 2\n";

	(void)state;
	check_messages(text, strlen(text),
	    "x.yaml:2:1: error: duplicate key 'a'\n"
	    "    2 | a: 2\n"
	    "      | ^\n"
	    "x.yaml:1:1: note: first defined here\n"
	    "    1 | a: 1\n"
	    "      | ^\n");
}

static void
test_what_yaml_can_do_and_we_cannot(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "a: !!str 1\n",
		    "x.yaml:1:4: error: tags ('tag:yaml.org,2002:str') have "
		    "no use here\n"
		    "    1 | a: !!str 1\n"
		    "      |    ^~~~~~~\n" },
		{ "a: *b\n", "x.yaml:1:4: error: unknown alias '*b'\n"
			     "    1 | a: *b\n"
			     "      |    ^~\n" },
		{ "a: &b [*b]\n",
		    "x.yaml:1:8: error: alias '*b' inside itself\n"
		    "    1 | a: &b [*b]\n"
		    "      |        ^~\n" },
		{ "a: 1\n---\nb: 1\n",
		    "x.yaml:2:1: error: a second document: one file holds "
		    "one\n"
		    "    2 | ---\n"
		    "      | ^~~\n" },
		{ "b: &b {x: 1}\na:\n  <<: *b\n",
		    "x.yaml:3:3: error: '<<' does not merge here: use "
		    "'extends: NAME'\n"
		    "    3 |   <<: *b\n"
		    "      |   ^~\n" },
		{ "? [a]\n: 1\n", "x.yaml:1:3: error: a key must be a name\n"
				  "    1 | ? [a]\n"
				  "      |   ^\n" },
		{ "# nothing\n", "x.yaml: error: the file is empty\n" },
		{ "", "x.yaml: error: the file is empty\n" },
		{ "a: \"x\\0y\"\n",
		    "x.yaml:1:4: error: a NUL character in a value\n"
		    "    1 | a: \"x\\0y\"\n"
		    "      |    ^~~~~~\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_messages(
		    rows[i].text, strlen(rows[i].text), rows[i].want);
}

static void
test_deep_nesting_is_refused(void **state)
{
	size_t n = 20000;
	char *text = sim_calloc(n, 1);
	struct parsed pa;

	(void)state;
	memset(text, '[', n);
	parse(&pa, text, n);
	assert_null(pa.pa_root);
	assert_int_equal(pa.pa_diag.d_nerrors, 1);
	assert_non_null(strstr(
	    pa.pa_messages, "x.yaml:1:65: error: nested more than 64 deep\n"));
	/* The line is cut on both sides. */
	assert_true(strlen(pa.pa_messages) < 600);
	parsed_fini(&pa);
	sim_free(text);
}

static void
test_alias_bomb_is_refused(void **state)
{
	char text[2000];
	struct parsed pa;
	size_t n;

	(void)state;
	n = snprintf(text, sizeof(text), "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
	for (int i = 1; i < 9; i++)
		n += snprintf(text + n, sizeof(text) - n,
		    "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i,
		    i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	parse(&pa, text, n);
	assert_null(pa.pa_root);
	assert_int_equal(pa.pa_diag.d_nerrors, 1);
	assert_non_null(strstr(pa.pa_messages,
	    "error: more than 1000000 nodes, with aliases written out\n"));
	parsed_fini(&pa);
}

static void
test_twenty_errors_are_kept(void **state)
{
	char text[4000];
	const char *last;
	struct parsed pa;
	size_t n = 0;

	(void)state;
	n = snprintf(text, sizeof(text), "a: 1\n");
	for (int i = 0; i < 30; i++)
		n += snprintf(text + n, sizeof(text) - n, "a: 2\n");
	parse(&pa, text, n);
	assert_int_equal(pa.pa_diag.d_nerrors, 30);
	assert_non_null(strstr(pa.pa_messages, "x.yaml:21:1: error"));
	assert_null(strstr(pa.pa_messages, "x.yaml:22:1: error"));
	last = "\n10 more errors not shown\n";
	assert_string_equal(
	    pa.pa_messages + strlen(pa.pa_messages) - strlen(last), last);
	parsed_fini(&pa);
}

static void
test_unreadable_files_say_why(void **state)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{ "/nowhere/x.yaml",
		    "/nowhere/x.yaml: error: cannot read '/nowhere/x.yaml': "
		    "No such file or directory\n" },
		{ "/", "/: error: cannot read '/': Is a directory\n" },
		{ "/dev/null/x",
		    "/dev/null/x: error: cannot read '/dev/null/x': "
		    "Not a directory\n" },
		{ "/dev/zero", "/dev/zero: error: cannot read '/dev/zero': "
			       "larger than 1 MiB\n" },
	};
	struct ypool yp = { NULL };
	struct diag d;
	char *text;
	size_t n;
	FILE *fp;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		diag_init(&d);
		assert_null(
		    ynode_load(rows[i].path, &yp, &d, diag_whole(NULL)));
		fp = open_memstream(&text, &n);
		diag_print(&d, fp);
		fclose(fp);
		assert_string_equal(text, rows[i].want);
		free(text);
		diag_fini(&d);
	}
	ypool_fini(&yp);
}

static void
test_nearest_is_a_slip_of_the_pen(void **state)
{
	static const char *const words[] = { "cores", "machines", "seed",
		"object" };

	(void)state;
	assert_string_equal(diag_nearest("corse", words, 4), "cores");
	assert_string_equal(diag_nearest("machine", words, 4), "machines");
	assert_string_equal(diag_nearest("sed", words, 4), "seed");
	assert_null(diag_nearest("kernel", words, 4));
	assert_null(diag_nearest("x", words, 4));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree_keeps_text_and_marks),
		cmocka_unit_test(test_merge_is_deep_and_replaces_lists),
		cmocka_unit_test(test_duplicate_key_shows_both_places),
		cmocka_unit_test(test_syntax_errors_show_problem_and_context),
		cmocka_unit_test(test_bad_utf8_is_placed),
		cmocka_unit_test(test_caret_stands_under_its_character),
		cmocka_unit_test(test_byte_order_mark_is_no_column),
		cmocka_unit_test(test_what_yaml_can_do_and_we_cannot),
		cmocka_unit_test(test_deep_nesting_is_refused),
		cmocka_unit_test(test_alias_bomb_is_refused),
		cmocka_unit_test(test_twenty_errors_are_kept),
		cmocka_unit_test(test_unreadable_files_say_why),
		cmocka_unit_test(test_nearest_is_a_slip_of_the_pen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
