/* --set on a sweep, and the points that come of it. */
#include "tests/lab/sweep_rig.h"

static void
test_sets_replace_axes_of_a_zip(void **state)
{
#define ZIP                                                    \
	"  object: [1KiB, 1KiB, 8KiB]\n  workers: [4, 8, 8]\n" \
	"  zip: [[object, workers]]\n"
#define ZIP3                                          \
	"  object: [1KiB, 8KiB]\n  workers: [4, 8]\n" \
	"  soavailconn: [0, 1]\n  zip: [[object, workers, soavailconn]]\n"
	static const struct row rows[] = {
		{ ZIP, "workers=5,6,6",
		    "object=1KiB workers=5; object=1KiB workers=6; "
		    "object=8KiB workers=6" },
		/* Alone again, the others' entries may be the same. */
		{ ZIP, "workers=5",
		    "object=1KiB workers=5; object=8KiB workers=5" },
		{ ZIP, "object=2KiB",
		    "object=2KiB workers=4; object=2KiB workers=8" },
		{ ZIP, "workers=5,6,6|workers=7",
		    "object=1KiB workers=7; object=8KiB workers=7" },
		{ ZIP, "workers=5,6,6|object=2KiB",
		    "<command line>:1:19: error: workers: 6 twice\n" },
		{ ZIP, "workers=1..2+1|object=2KiB,4KiB",
		    "object=2KiB workers=1; object=4KiB workers=2" },
		{ ZIP, "workers=5|object=2KiB", "object=2KiB workers=5" },
		{ ZIP3, "workers=5",
		    "object=1KiB workers=5 soavailconn=0; "
		    "object=8KiB workers=5 soavailconn=1" },
		{ ZIP, "soavailconn=0,1",
		    "object=1KiB workers=4 soavailconn=0; "
		    "object=1KiB workers=4 soavailconn=1; "
		    "object=1KiB workers=8 soavailconn=0; "
		    "object=1KiB workers=8 soavailconn=1; "
		    "object=8KiB workers=8 soavailconn=0; "
		    "object=8KiB workers=8 soavailconn=1" },
		{ ZIP, "workers=5,6",
		    "<command line>:1:7: error: "
		    "'server.processes.nginx.workers' is zipped with "
		    "'server.processes.nginx.object': want 1 value or 3, not "
		    "2\n" },
		{ ZIP, "workers=1..4+1|object=2KiB,4KiB",
		    "<command line>:1:7: error: "
		    "'server.processes.nginx.workers' is zipped with "
		    "'server.processes.nginx.object': want 1 value or 2, not "
		    "4\n" },
		{ "  object: [1KiB]\n  workers: [4]\n"
		  "  zip: [[object, workers]]\n",
		    "workers=5,6",
		    "<command line>:1:7: error: "
		    "'server.processes.nginx.workers' is zipped with "
		    "'server.processes.nginx.object': want 1 value, not 2\n" },
		/* Only what could be read is counted. */
		{ ZIP, "workers=5,x",
		    "<command line>:1:17: error: workers: 'x' is not a "
		    "number\n" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_sets_take_parameters_off_the_list(void **state)
{
#define LIST                                                              \
	"  points: [{object: 1KiB, workers: 4}, {object: 8KiB, workers: " \
	"4},\n    {object: 8KiB, workers: 8}]\n"
	static const struct row rows[] = {
		{ LIST, "workers=5",
		    "object=1KiB workers=5; object=8KiB workers=5" },
		{ LIST, "object=2KiB,4KiB",
		    "object=2KiB workers=4; object=2KiB workers=8; "
		    "object=4KiB workers=4; object=4KiB workers=8" },
		{ LIST, "workers=5|object=2KiB", "object=2KiB workers=5" },
		{ LIST, "soavailconn=0",
		    "object=1KiB workers=4 soavailconn=0; "
		    "object=8KiB workers=4 soavailconn=0; "
		    "object=8KiB workers=8 soavailconn=0" },
		{ "  points: [{object: 1KiB}, {events: 64}]\n", "object=8KiB",
		    "object=8KiB events=512; object=8KiB events=64" },
		{ LIST, "workers=4,4",
		    "<command line>:1:17: error: workers: 4 twice\n" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_sets_and_what_is_left_out(void **state)
{
	static const struct row rows[] = {
		{ GRID "  leave_out: [{object: 8KiB, soavailconn: 1}]\n",
		    "object=8KiB",
		    "object=8KiB soavailconn=0; object=8KiB soavailconn=2" },
		/* Nothing to leave out any more. */
		{ GRID "  leave_out: [{object: 8KiB, soavailconn: 1}]\n",
		    "object=2KiB",
		    "object=2KiB soavailconn=0; object=2KiB soavailconn=1; "
		    "object=2KiB soavailconn=2" },
		{ GRID "  leave_out: [{object: 8KiB, soavailconn: 1}]\n",
		    "object=8KiB|soavailconn=1",
		    "x.yaml:24:14: error: leave_out: no point is left\n" },
		{ GRID "  leave_out: [{object: 8KiB, soavailconn: 1}]\n",
		    "soavailconn=1|work=1us,2us",
		    "object=1KiB soavailconn=1 work=1us; "
		    "object=1KiB soavailconn=1 work=2us" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

/* `where` needs a point that exists. */
static void
test_cells_need_points_that_exist(void **state)
{
#define AT(where)                            \
	"published:\n  - where: " where "\n" \
	"    throughput: {value: 5/s, tolerance: 2%}\n"
	static const struct row rows[] = {
		{ GRID "  leave_out: [{object: 8KiB, soavailconn: 1}]\n" AT(
		      "{object: 8KiB, soavailconn: 1}"),
		    "",
		    "x.yaml:26:12: error: no point of the sweep has "
		    "object=8KiB, soavailconn=1\n"
		    "x.yaml:24:15: note: left out here\n" },
		{ GRID "  leave_out: [{object: 8KiB, soavailconn: 1}]\n" AT(
		      "{object: 9KiB, soavailconn: 1}"),
		    "",
		    "x.yaml:26:21: error: no point of the sweep has "
		    "server.processes.nginx.object=9KiB\n" },
		{ TWO "  zip: [[object, workers]]\n" AT(
		      "{object: 1KiB, workers: 8}"),
		    "",
		    "x.yaml:26:12: error: no point of the sweep has "
		    "object=1KiB, workers=8\n" },
		{ TWO "  zip: [[object, workers]]\n" AT("{object: 8KiB}"), "",
		    "x.yaml:26:12: error: where: name "
		    "'server.processes.nginx.workers', as its base value (24) "
		    "is not swept\n" },
		{ "  points: [{object: 8KiB}, {events: 64}]\n" AT(
		      "{object: 8KiB, events: 64}"),
		    "",
		    "x.yaml:24:12: error: no point of the sweep has "
		    "object=8KiB, events=64\n" },
		{ "  points: [{object: 8KiB}, {events: 64}]\n" AT(
		      "{object: 2KiB}"),
		    "",
		    "x.yaml:24:21: error: no point of the sweep has "
		    "server.processes.nginx.object=2KiB\n" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_cells_find_their_points(void **state)
{
	static const struct {
		const char *sweep, *sets;
		int point;
	} rows[] = {
		{ GRID "  leave_out: [{object: 1KiB, soavailconn: 1}]\n" AT(
		      "{object: 8KiB, soavailconn: 1}"),
		    "", 3 },
		{ TWO "  soavailconn: [0, 1]\n"
		      "  zip: [[object, workers]]\n" AT(
			  "{workers: 8, object: 8KiB, soavailconn: 1}"),
		    "", 3 },
		{ "  points: [{object: 8KiB}, {events: 64}]\n" AT(
		      "{object: 8KiB}"),
		    "", 0 },
		{ "  points: [{object: 8KiB}, {events: 64}]\n" AT(
		      "{events: 64}"),
		    "", 1 },
		{ "  points: [{object: 8KiB}, {events: 64}]\n" AT(
		      "{object: 1KiB, events: 64}"),
		    "", 1 },
		{ "  points: [{object: 8KiB}, {events: 64}]\n" AT(
		      "{object: 8KiB, events: 512}"),
		    "", 0 },
		/* With --set there may be no such point. */
		{ GRID AT("{object: 8KiB, soavailconn: 1}"), "object=1KiB",
		    -1 },
		{ GRID "  leave_out: [{object: 8KiB, soavailconn: 1}]\n" AT(
		      "{object: 8KiB, soavailconn: 1}"),
		    "work=1us", -1 },
	};
	struct scenario *sc;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sweep_write(rows[i].sweep);
		sc = load_split(rows[i].sets);
		if (sc == NULL)
			fail_msg("%s%s", rows[i].sweep, messages);
		assert_int_equal(sc->sc_ncells, 1);
		assert_int_equal(sc->sc_cells[0].ce_point, rows[i].point);
		scenario_destroy(sc);
	}
}

/* Labels are one thing, what is simulated another. */
static void
test_points_are_set_up_as_they_say(void **state)
{
	static const int objects[] = { 8192, 1024, 1024 };
	static const int events[] = { 512, 64, 512 };
	static const int workers[] = { 24, 24, 8 };
	struct setup *su = sim_calloc(1, sizeof(*su));
	const struct setup_process *sp = &su->su_machines[0].sm_procs[0];
	struct scenario_param params[SCENARIO_MAX_AXES];
	struct scenario *sc;

	(void)state;
	sweep_write("  points: [{object: 8KiB}, {events: 64}, {workers: 8}]\n"
		    "  soavailconn: 4..12*1.5\n");
	sc = load("x.yaml", NULL);
	assert_int_equal(scenario_npoints(sc), 9);
	for (int i = 0; i < 9; i++) {
		scenario_point(sc, i, su);
		assert_int_equal(sp->sp_object, objects[i / 3]);
		assert_int_equal(sp->sp_events, events[i / 3]);
		assert_int_equal(sp->sp_workers, workers[i / 3]);
		assert_int_equal(
		    su->su_machines[0].sm_sysctl.soavailconn, i % 3 == 0   ? 4
							      : i % 3 == 1 ? 6
									   : 9);
	}
	/* The base is none of the points. */
	scenario_point(sc, SCENARIO_BASE, su);
	assert_int_equal(sp->sp_object, 1024);
	assert_int_equal(sp->sp_events, 512);
	assert_int_equal(sp->sp_workers, 24);
	assert_int_equal(su->su_machines[0].sm_sysctl.soavailconn, 32);
	assert_int_equal(scenario_params(sc, SCENARIO_BASE, params), 4);
	assert_string_equal(params[1].pa_short, "events");
	assert_string_equal(params[1].pa_value, "512");
	scenario_destroy(sc);
	sim_free(su);
}

/* What the base point's kernel lacks has no value when it is left out. */
static void
test_a_list_may_mix_kernels(void **state)
{
	struct setup *su = sim_calloc(1, sizeof(*su));
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	struct scenario *sc;
	int n, m;
	char *got;

	(void)state;
	file_write("x.yaml",
	    "title: t\n"
	    "machines:\n  server:\n    kernel: dragonfly-2011\n"
	    "    hardware: big\n    nics: {n: {model: em, latency: 5us}}\n"
	    "    processes: {nginx: {workers: 4, object: 1KiB}}\n"
	    "peers:\n  c: {hardware: small, link: server.n0, connections: 9}\n"
	    "sweep:\n"
	    "  year:\n    old: {kernel: dragonfly-2011}\n"
	    "    new: {kernel: dragonfly-2017, server.nics.n.model: x550}\n"
	    "  points:\n    - {year: old}\n    - {year: new}\n"
	    "    - {year: new, soavailconn: 8}\n");
	sc = load("x.yaml", NULL);
	got = labels(sc);
	assert_string_equal(got,
	    "year=old soavailconn=null; year=new soavailconn=null; "
	    "year=new soavailconn=8");
	free(got);
	scenario_point(sc, 1, su);
	assert_int_equal(su->su_machines[0].sm_sysctl.soavailconn, 32);
	n = scenario_resolved(sc, 0, &yp, &sv);
	m = scenario_resolved(sc, 1, &yp, &sv);
	assert_true(m > n);
	ypool_fini(&yp);
	scenario_destroy(sc);
	sim_free(su);
}

static void
test_points_are_printed(void **state)
{
	struct scenario *sc;
	char *text;
	size_t size;
	FILE *fp;

	(void)state;
	sweep_write("  soavailconn: 1..10+1\n  leave_out: [{soavailconn: 2}, "
		    "{soavailconn: 3}]\n");
	sc = load("x.yaml", "object=1KiB,8KiB");
	fp = open_memstream(&text, &size);
	scenario_print_points(sc, fp);
	fclose(fp);
	assert_true(strncmp(text,
			" 1  soavailconn=1 object=1KiB\n"
			" 2  soavailconn=1 object=8KiB\n"
			" 3  soavailconn=4 object=1KiB\n",
			90) == 0);
	assert_non_null(strstr(text, "\n16  soavailconn=10 object=8KiB\n"));
	free(text);
	scenario_destroy(sc);
	sweep_write("  {}\n");
	sc = load("x.yaml", NULL);
	fp = open_memstream(&text, &size);
	scenario_print_points(sc, fp);
	fclose(fp);
	assert_string_equal(text, "1  base\n");
	free(text);
	scenario_destroy(sc);
}

static void
test_points_are_limited(void **state)
{
	static const struct row rows[] = {
		{ "  soavailconn: 1..1000+1\n  events: 1..21+1\n", "",
		    "x.yaml: error: sweep: more than 20000 points\n" },
		{ "  soavailconn: 1..1000+1\n  object: 1B..1000B+1B\n"
		  "  events: 1..1000+1\n  changes: 1..1000+1\n"
		  "  nginx.header: 1B..1000B+1B\n  work: 1ns..1000ns+1ns\n"
		  "  server.nics.ix.latency: 1ns..1000ns+1ns\n",
		    "", "x.yaml: error: sweep: more than 20000 points\n" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

/* One axis alone: 21 ranges of 1000 values. */
static void
test_values_are_limited(void **state)
{
	char *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	(void)state;
	fprintf(fp, "  soavailconn: [");
	for (int i = 0; i < 21; i++)
		fprintf(fp, "%d..%d+1,\n", 1000 * i, 1000 * i + 999);
	fprintf(fp, "]\n");
	fclose(fp);
	sweep_write(text);
	free(text);
	assert_null(load_sets("x.yaml", NULL, 0));
	assert_string_equal(messages,
	    "x.yaml:22:3: error: soavailconn: more than 20000 values\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets_replace_axes_of_a_zip),
		cmocka_unit_test(test_sets_take_parameters_off_the_list),
		cmocka_unit_test(test_sets_and_what_is_left_out),
		cmocka_unit_test(test_cells_need_points_that_exist),
		cmocka_unit_test(test_cells_find_their_points),
		cmocka_unit_test(test_points_are_set_up_as_they_say),
		cmocka_unit_test(test_a_list_may_mix_kernels),
		cmocka_unit_test(test_points_are_printed),
		cmocka_unit_test(test_points_are_limited),
		cmocka_unit_test(test_values_are_limited),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
