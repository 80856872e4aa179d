/* Ranges as values. */
#include "tests/lab/sweep_rig.h"

static void
test_ranges_are_values(void **state)
{
	static const struct row rows[] = {
		{ "  soavailconn: 1..8*2\n", "",
		    "soavailconn=1; soavailconn=2; soavailconn=4; "
		    "soavailconn=8" },
		{ "  soavailconn: [0, 1..9*3, 100]\n", "",
		    "soavailconn=0; soavailconn=1; soavailconn=3; "
		    "soavailconn=9; soavailconn=100" },
		{ "  soavailconn: 8..31+8\n", "",
		    "soavailconn=8; soavailconn=16; soavailconn=24" },
		{ "  soavailconn: \"8..16+8\"\n", "",
		    "soavailconn=8; soavailconn=16" },
		{ "  soavailconn: -4..4+4\n", "",
		    "soavailconn=-4; soavailconn=0; soavailconn=4" },
		{ "  soavailconn: [7..7+1, 9..9*2]\n", "",
		    "soavailconn=7; soavailconn=9" },
		{ "  soavailconn: 4..13*1.5\n", "",
		    "soavailconn=4; soavailconn=6; soavailconn=9" },
		{ "  soavailconn: 4..9*1.5\n", "",
		    "soavailconn=4; soavailconn=6; soavailconn=9" },
		{ "  soavailconn: 10..20*1.1\n", "",
		    "x.yaml:22:16: error: kern.ipc.soavailconn: 12.1 is in it, "
		    "want whole multiples of 1\n" },
		{ "  object: 1KiB..16KiB*4\n", "",
		    "object=1KiB; object=4KiB; object=16KiB" },
		{ "  object: 1KiB..4 KiB+1536 B\n", "",
		    "object=1KiB; object=2560B; object=4KiB" },
		{ "  object: 1KiB..2KiB*1.5\n", "",
		    "object=1KiB; object=1536B" },
		{ "  work: 10us..30us+10us\n", "",
		    "work=10us; work=20us; work=30us" },
		{ "  work: [0ns, 0.5us..2us*2]\n", "",
		    "work=0ns; work=500ns; work=1us; work=2us" },
		/* Fractions are exact too. */
		{ "  loss: 0%..0.4%+0.1%\n", "",
		    "loss=0%; loss=0.1%; loss=0.2%; loss=0.3%; loss=0.4%" },
		{ "  server.hardware.smt_idle_speed: 1..4*1.5\n", "",
		    "server.hardware.smt_idle_speed=1; "
		    "server.hardware.smt_idle_speed=1.5; "
		    "server.hardware.smt_idle_speed=2.25; "
		    "server.hardware.smt_idle_speed=3.375" },
		{ "  {}\n", "soavailconn=0,1..4*2,9",
		    "soavailconn=0; soavailconn=1; soavailconn=2; "
		    "soavailconn=4; soavailconn=9" },
		{ "  object: [1KiB, 8KiB]\n", "object=1KiB..3KiB+1KiB",
		    "object=1KiB; object=2KiB; object=3KiB" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

static void
test_bad_ranges_say_why(void **state)
{
	static const struct row rows[] = {
		{ "  soavailconn: 1..256\n", "",
		    "x.yaml:22:16: error: kern.ipc.soavailconn: want "
		    "START..END*FACTOR or START..END+STEP\n" },
		{ "  soavailconn: 1..256*\n", "",
		    "x.yaml:22:16: error: kern.ipc.soavailconn: want "
		    "START..END*FACTOR or START..END+STEP\n" },
		{ "  soavailconn: ..8*2\n", "",
		    "x.yaml:22:16: error: kern.ipc.soavailconn: no value\n" },
		{ "  soavailconn: 1..*2\n", "",
		    "x.yaml:22:19: error: kern.ipc.soavailconn: no value\n" },
		{ "  soavailconn: [0, 8..1*2]\n", "",
		    "x.yaml:22:23: error: kern.ipc.soavailconn: 8..1*2 ends "
		    "before it begins\n" },
		{ "  soavailconn: 1..8+0\n", "",
		    "x.yaml:22:20: error: kern.ipc.soavailconn: with a step of "
		    "0 it never ends\n" },
		{ "  soavailconn: 1..8+-1\n", "",
		    "x.yaml:22:20: error: kern.ipc.soavailconn: with a step of "
		    "-1 it never ends\n" },
		{ "  soavailconn: 1..8*1\n", "",
		    "x.yaml:22:20: error: kern.ipc.soavailconn: with a factor "
		    "of 1 it never ends, want more than 1\n" },
		{ "  soavailconn: 1..8*0.5\n", "",
		    "x.yaml:22:20: error: kern.ipc.soavailconn: with a factor "
		    "of 0.5 it never ends, want more than 1\n" },
		{ "  soavailconn: 1..8*5000000000\n", "",
		    "x.yaml:22:20: error: kern.ipc.soavailconn: a factor of "
		    "5000000000, want at most 1000000000\n" },
		{ "  soavailconn: 0..8*2\n", "",
		    "x.yaml:22:16: error: kern.ipc.soavailconn: a range with a "
		    "factor begins above 0, as in [0, 1..256*2]\n" },
		{ "  soavailconn: -8..8*2\n", "",
		    "x.yaml:22:16: error: kern.ipc.soavailconn: a range with a "
		    "factor begins above 0, as in [0, 1..256*2]\n" },
		{ "  soavailconn: 0..1000000+1\n", "",
		    "x.yaml:22:16: error: kern.ipc.soavailconn: more than 1000 "
		    "values\n" },
		{ "  soavailconn: 1..8*2*2\n", "",
		    "x.yaml:22:21: error: kern.ipc.soavailconn: '2*2' is not a "
		    "plain number\n" },
		{ "  soavailconn: 1..2..8*2\n", "",
		    "x.yaml:22:19: error: kern.ipc.soavailconn: '2..8' is not "
		    "a number\n" },
		{ "  soavailconn: 1..x*2\n", "",
		    "x.yaml:22:19: error: kern.ipc.soavailconn: 'x' is not a "
		    "number\n" },
		{ "  soavailconn: 1.5..8*2\n", "",
		    "x.yaml:22:16: error: kern.ipc.soavailconn: '1.5', want a "
		    "whole multiple of 1\n" },
		{ "  soavailconn: 1..8+0.5\n", "",
		    "x.yaml:22:21: error: kern.ipc.soavailconn: '0.5', want a "
		    "whole multiple of 1\n" },
		{ "  soavailconn: 1..8000000*2\n", "",
		    "x.yaml:22:19: error: kern.ipc.soavailconn: 8000000, want "
		    "-1000000..1000000\n" },
		{ "  object: 1..64KiB*2\n", "",
		    "x.yaml:22:11: error: object: '1' has no unit (size: B KB "
		    "KiB MB MiB GB GiB)\n" },
		{ "  object: 1KiB..64KiB+1\n", "",
		    "x.yaml:22:23: error: object: '1' has no unit (size: B KB "
		    "KiB MB MiB GB GiB)\n" },
		{ "  object: 1KiB..64KiB+1kb\n", "",
		    "x.yaml:22:24: error: object: unknown size unit 'kb' (use: "
		    "B KB KiB MB MiB GB GiB)\n" },
		{ "  object: 1KiB..64KiB*2KiB\n", "",
		    "x.yaml:22:23: error: object: '2KiB' is not a plain "
		    "number\n" },
		{ "  loss: 0.00000000001%..1%*2\n", "",
		    "x.yaml:22:9: error: loss: want at most 9 decimals in a "
		    "range\n" },
		{ "  loss: 0.000000001%..1%*1.0000001\n", "",
		    "x.yaml:22:9: error: loss: more than 1000 values\n" },
		{ "  soavailconn: [4, 1..8*2]\n", "",
		    "x.yaml:22:20: error: kern.ipc.soavailconn: 4 twice\n" },
		/* What takes no numbers takes no ranges. */
		{ "  affinity: cpuhint\n", "",
		    "x.yaml:22:13: error: affinity: want a list of values\n" },
		{ "  affinity: [a..b*2]\n", "",
		    "x.yaml:22:14: error: affinity: 'a..b*2', want "
		    "per-cpu|cpuhint\n" },
		{ "  soavailconn: 5\n", "",
		    "x.yaml:22:16: error: soavailconn: want a list of values "
		    "or a range\n" },
		{ "  {}\n", "soavailconn=0,8..1*2",
		    "<command line>:1:24: error: kern.ipc.soavailconn: 8..1*2 "
		    "ends before it begins\n" },
		{ "  {}\n", "soavailconn=1..4",
		    "<command line>:1:19: error: kern.ipc.soavailconn: want "
		    "START..END*FACTOR or START..END+STEP\n" },
	};

	(void)state;
	ROWS_CHECK(rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges_are_values),
		cmocka_unit_test(test_bad_ranges_say_why),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
