/* Zips, lists of points, and what is left out. */
#include "tests/lab/sweep_rig.h"

static void
test_zipped_axes_are_walked_together(void **state)
{
	static const struct row rows[] = {
		{ "  object: [1KiB, 8KiB]\n  workers: [4, 8]\n"
		  "  zip: [[object, workers]]\n",
		    "", "object=1KiB workers=4; object=8KiB workers=8" },
		/* In the place of the first; values may repeat. */
		{ "  zip: [[object, workers]]\n  object: [1KiB, 1KiB, 8KiB]\n"
		  "  soavailconn: [0, 32]\n  workers: [4, 8, 8]\n",
		    "",
		    "object=1KiB soavailconn=0 workers=4; "
		    "object=1KiB soavailconn=32 workers=4; "
		    "object=1KiB soavailconn=0 workers=8; "
		    "object=1KiB soavailconn=32 workers=8; "
		    "object=8KiB soavailconn=0 workers=8; "
		    "object=8KiB soavailconn=32 workers=8" },
		{ "  object: 1KiB..4KiB*2\n  workers: 1..3+1\n"
		  "  soavailconn: [0, 1, 2]\n"
		  "  zip: [[workers, soavailconn, object]]\n",
		    "",
		    "object=1KiB workers=1 soavailconn=0; "
		    "object=2KiB workers=2 soavailconn=1; "
		    "object=4KiB workers=3 soavailconn=2" },
		{ "  object: [1KiB, 8KiB]\n  workers: [4, 8]\n"
		  "  soavailconn: [0, 1]\n  work: [0ns, 1us]\n"
		  "  zip: [[object, workers], [soavailconn, work]]\n",
		    "",
		    "object=1KiB workers=4 soavailconn=0 work=0ns; "
		    "object=1KiB workers=4 soavailconn=1 work=1us; "
		    "object=8KiB workers=8 soavailconn=0 work=0ns; "
		    "object=8KiB workers=8 soavailconn=1 work=1us" },
		{ "  way: {a: {workers: 4}, b c: {workers: 8}}\n"
		  "  object: [1KiB, 8KiB]\n  zip: [[object, way]]\n",
		    "", "way=a object=1KiB; way=\"b c\" object=8KiB" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_bad_zips_say_why(void **state)
{
	static const struct row rows[] = {
		{ TWO "  zip: [object, workers]\n", "",
		    "x.yaml:24:8: error: zip: want a list of lists of swept "
		    "parameters, as in [[object, workers]]\n" },
		{ TWO "  zip: object\n", "",
		    "x.yaml:24:8: error: zip: want a list of lists of swept "
		    "parameters, as in [[object, workers]]\n" },
		{ TWO "  zip: []\n", "",
		    "x.yaml:24:8: error: zip: want a list of lists of swept "
		    "parameters, as in [[object, workers]]\n" },
		{ TWO "  zip: [[object]]\n", "",
		    "x.yaml:24:9: error: zip: want a list of at least two "
		    "swept parameters\n" },
		{ TWO "  zip: [[object, workers], workers]\n", "",
		    "x.yaml:24:28: error: zip: want a list of at least two "
		    "swept parameters\n" },
		{ TWO "  zip: [[object, object]]\n", "",
		    "x.yaml:24:18: error: zip: 'server.processes.nginx.object' "
		    "is there twice\n" },
		{ TWO "  soavailconn: [0, 1]\n"
		      "  zip: [[object, workers], [soavailconn, object]]\n",
		    "",
		    "x.yaml:25:42: error: zip: 'server.processes.nginx.object' "
		    "is there twice\n" },
		{ TWO "  zip: [[object, soavailconn]]\n", "",
		    "x.yaml:24:18: error: zip: "
		    "'server.sysctl.kern.ipc.soavailconn' is not swept\n" },
		{ TWO "  zip: [[object, wrokers]]\n", "",
		    "x.yaml:24:18: error: unknown parameter 'wrokers', did you "
		    "mean 'workers'?\n" },
		{ TWO "  zip: [[object, [workers]]]\n", "",
		    "x.yaml:24:18: error: zip: want a parameter, not a "
		    "list\n" },
		{ TWO "  zip: [[object, soavailconn]]\n"
		      "  soavailconn: 1..8*2\n",
		    "",
		    "x.yaml:24:18: error: zip: 'soavailconn' has 4 values, but "
		    "'object' has 2\n" },
		{ "  object: [1KiB, 8KiB, 1024B]\n  workers: [4, 8, 4]\n"
		  "  zip: [[object, workers]]\n",
		    "",
		    "x.yaml:22:3: error: zip: object=1KiB, workers=4 twice\n" },
		{ "  object: [1KiB, 8KiB]\n  points: [{workers: 4}]\n"
		  "  zip: [[object, workers]]\n",
		    "",
		    "x.yaml:24:18: error: zip: "
		    "'server.processes.nginx.workers' is in 'points' "
		    "already\n" },
		/* Without a zip, a value twice is a slip. */
		{ "  object: [1KiB, 1KiB]\n  workers: [4, 8]\n", "",
		    "x.yaml:22:18: error: object: 1KiB twice\n" },
		{ TWO "  zpi: [[object, workers]]\n", "",
		    "x.yaml:24:3: error: unknown parameter 'zpi', did you mean "
		    "'zip'?\n" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_points_may_be_listed(void **state)
{
	static const struct row rows[] = {
		{ "  points:\n    - {object: 1KiB, soavailconn: 0}\n"
		  "    - {soavailconn: 8, object: 16KiB}\n",
		    "",
		    "object=1KiB soavailconn=0; object=16KiB soavailconn=8" },
		/* What is left out has its base value: written, or default. */
		{ "  points: [{object: 8KiB}, {soavailconn: 0}, {events: "
		  "64}]\n",
		    "",
		    "object=8KiB soavailconn=32 events=512; "
		    "object=1KiB soavailconn=0 events=512; "
		    "object=1KiB soavailconn=32 events=64" },
		{ "  points: [{ngx_request: 9us}, {server.hardware.token: "
		  "5ns}]\n",
		    "",
		    "ngx_request=9us token=100ns; "
		    "ngx_request=100ns token=5ns" },
		/* The list is one walk, where it stands. */
		{ "  work: [0ns, 1us]\n"
		  "  points: [{object: 1KiB, workers: 2}, {object: 8KiB}]\n"
		  "  soavailconn: [0, 1]\n",
		    "",
		    "work=0ns object=1KiB workers=2 soavailconn=0; "
		    "work=0ns object=1KiB workers=2 soavailconn=1; "
		    "work=0ns object=8KiB workers=24 soavailconn=0; "
		    "work=0ns object=8KiB workers=24 soavailconn=1; "
		    "work=1us object=1KiB workers=2 soavailconn=0; "
		    "work=1us object=1KiB workers=2 soavailconn=1; "
		    "work=1us object=8KiB workers=24 soavailconn=0; "
		    "work=1us object=8KiB workers=24 soavailconn=1" },
		{ "  points:\n    - {way: b, object: 8KiB}\n    - {object: "
		  "2KiB}\n"
		  "  way: {a: {workers: 4}, b: {workers: 8}}\n",
		    "", "way=b object=8KiB; way=a object=2KiB" },
		{ "  points: [{object: 8KiB}]\n", "", "object=8KiB" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_bad_points_say_why(void **state)
{
	static const struct row rows[] = {
		{ "  points: {object: 1KiB}\n", "",
		    "x.yaml:22:11: error: points: want a list of points, "
		    "{PATH: VALUE, ...}\n" },
		{ "  points: []\n", "",
		    "x.yaml:22:11: error: points: want a list of points, "
		    "{PATH: VALUE, ...}\n" },
		{ "  points: [{object: 1KiB}, 7, {}]\n", "",
		    "x.yaml:22:28: error: points: want {PATH: VALUE, ...}\n"
		    "x.yaml:22:31: error: points: want {PATH: VALUE, ...}\n" },
		{ "  points: [{object: 1KiB, nginx.object: 8KiB}]\n", "",
		    "x.yaml:22:27: error: points: "
		    "'server.processes.nginx.object' is there twice\n" },
		{ "  points: [{object: 1}]\n", "",
		    "x.yaml:22:21: error: object: '1' has no unit (size: B KB "
		    "KiB MB MiB GB GiB)\n" },
		{ "  points: [{object: [1KiB]}]\n", "",
		    "x.yaml:22:21: error: object: want a value, not a list\n" },
		{ "  points: [{objetc: 1KiB}]\n", "",
		    "x.yaml:22:13: error: unknown parameter 'objetc', did you "
		    "mean 'object'?\n" },
		{ "  points: [{object: 8KiB}, {object: 2KiB}, {object: "
		  "8192B}]\n",
		    "",
		    "x.yaml:22:44: error: points: object=8KiB twice\n"
		    "x.yaml:22:12: note: first here\n" },
		/* The base value is the base value, said or not. */
		{ "  points: [{object: 8KiB, soavailconn: 32}, {object: "
		  "8KiB}]\n",
		    "",
		    "x.yaml:22:45: error: points: object=8KiB, soavailconn=32 "
		    "twice\n"
		    "x.yaml:22:12: note: first here\n" },
		{ "  points: [{object: 8KiB, events: 512}, {object: 8KiB}]\n",
		    "",
		    "x.yaml:22:41: error: points: object=8KiB, events=512 "
		    "twice\n"
		    "x.yaml:22:12: note: first here\n" },
		{ "  points: [{object: 8KiB}]\n  object: [1KiB]\n", "",
		    "x.yaml:22:13: error: 'server.processes.nginx.object' is "
		    "swept already\n"
		    "x.yaml:23:3: note: here\n" },
		{ "  points: [{workers: 8}]\n  way: {a: {workers: 4}}\n", "",
		    "x.yaml:22:13: error: 'server.processes.nginx.workers' is "
		    "swept already\n"
		    "x.yaml:23:3: note: here\n" },
		{ "  points: [{way: c}]\n  way: {a: {workers: 4}}\n", "",
		    "x.yaml:22:18: error: way: 'c', want a\n" },
		{ "  points: [{object: 8KiB, nginx.cpu: 24}]\n", "",
		    "x.yaml:22:38: error: cpu: 24, want 0..23, the CPUs of "
		    "big\n"
		    "note: at this point of the sweep: object=8KiB cpu=24\n" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_points_may_be_left_out(void **state)
{
	static const struct row rows[] = {
		{ GRID "  leave_out: [{object: 8KiB, soavailconn: 1}]\n", "",
		    "object=1KiB soavailconn=0; object=1KiB soavailconn=1; "
		    "object=1KiB soavailconn=2; object=8KiB soavailconn=0; "
		    "object=8KiB soavailconn=2" },
		{ GRID "  leave_out: [{object: 1KiB}, {soavailconn: 0}, "
		       "{soavailconn: 0, object: 8192B}]\n",
		    "",
		    "object=8KiB soavailconn=1; object=8KiB soavailconn=2" },
		{ "  object: [1KiB, 8KiB]\n  workers: [4, 8]\n"
		  "  soavailconn: [0, 1]\n  zip: [[object, workers]]\n"
		  "  leave_out: [{workers: 8, soavailconn: 0}]\n",
		    "",
		    "object=1KiB workers=4 soavailconn=0; "
		    "object=1KiB workers=4 soavailconn=1; "
		    "object=8KiB workers=8 soavailconn=1" },
		/* A base value that `points` left out. */
		{ "  points: [{object: 8KiB}, {events: 64}]\n"
		  "  soavailconn: [0, 1]\n"
		  "  leave_out: [{events: 512, soavailconn: 1}]\n",
		    "",
		    "object=8KiB events=512 soavailconn=0; "
		    "object=1KiB events=64 soavailconn=0; "
		    "object=1KiB events=64 soavailconn=1" },
		{ "  way: {a: {workers: 4}, b: {workers: 8}}\n"
		  "  object: [1KiB, 8KiB]\n"
		  "  leave_out: [{way: b, object: 1KiB}]\n",
		    "",
		    "way=a object=1KiB; way=a object=8KiB; "
		    "way=b object=8KiB" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_bad_exclusions_say_why(void **state)
{
	static const struct row rows[] = {
		{ GRID "  leave_out: {object: 8KiB}\n", "",
		    "x.yaml:24:14: error: leave_out: want a list of partial "
		    "points, {PATH: VALUE, ...}\n" },
		{ GRID "  leave_out: []\n", "",
		    "x.yaml:24:14: error: leave_out: want a list of partial "
		    "points, {PATH: VALUE, ...}\n" },
		{ GRID "  leave_out: [{}, object]\n", "",
		    "x.yaml:24:15: error: leave_out: want {PATH: VALUE, ...}\n"
		    "x.yaml:24:19: error: leave_out: want {PATH: VALUE, "
		    "...}\n" },
		{ GRID "  leave_out: [{object: 9KiB}]\n", "",
		    "x.yaml:24:15: error: leave_out: no point of the sweep has "
		    "object=9KiB\n" },
		{ GRID "  leave_out: [{object: 1KiB}, {object: 8KiB, "
		       "soavailconn: 7}]\n",
		    "",
		    "x.yaml:24:31: error: leave_out: no point of the sweep has "
		    "soavailconn=7, object=8KiB\n" },
		{ TWO "  zip: [[object, workers]]\n"
		      "  leave_out: [{object: 1KiB, workers: 8}]\n",
		    "",
		    "x.yaml:25:15: error: leave_out: no point of the sweep has "
		    "workers=8, object=1KiB\n" },
		{ GRID "  leave_out: [{object: 1KiB, workers: 24}]\n", "",
		    "x.yaml:24:39: error: leave_out: "
		    "'server.processes.nginx.workers' is not swept\n" },
		{ GRID "  leave_out: [{object: 1}]\n", "",
		    "x.yaml:24:24: error: object: '1' has no unit (size: B KB "
		    "KiB MB MiB GB GiB)\n" },
		{ GRID "  leave_out: [{object: 1KiB, nginx.object: 1KiB}]\n",
		    "",
		    "x.yaml:24:30: error: leave_out: "
		    "'server.processes.nginx.object' is there twice\n" },
		{ GRID "  leave_out: [{object: 1KiB}, {object: 8KiB}]\n", "",
		    "x.yaml:24:14: error: leave_out: no point is left\n" },
		{ GRID "  leaveout: [{object: 1KiB}]\n", "",
		    "x.yaml:24:3: error: unknown parameter 'leaveout', did you "
		    "mean 'leave_out'?\n" },
		{ "  way: {a: {workers: 4}, b: {workers: 8}}\n"
		  "  leave_out: [{workers: 8}]\n",
		    "",
		    "x.yaml:23:16: error: leave_out: "
		    "'server.processes.nginx.workers' is set by the "
		    "alternatives of 'way': name one of them\n" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zipped_axes_are_walked_together),
		cmocka_unit_test(test_bad_zips_say_why),
		cmocka_unit_test(test_points_may_be_listed),
		cmocka_unit_test(test_bad_points_say_why),
		cmocka_unit_test(test_points_may_be_left_out),
		cmocka_unit_test(test_bad_exclusions_say_why),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
