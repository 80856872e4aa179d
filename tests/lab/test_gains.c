/* Ratios of two points and cost ranges in scenario files. Loading only. */
#include "tests/lab/rig.h"

/* Gives base with this for its `published:` and `fit:`. */
static char *
published(const char *text)
{
	const char *at = strstr(base, "published:\n");
	size_t n = (size_t)(at - base), size = n + strlen(text) + 1;
	char *out = sim_calloc(size, 1);

	memcpy(out, base, n);
	snprintf(out + n, size - n, "%s", text);
	return out;
}

/* A profile like big, in which two costs and a speed have ranges. */
static void
ranged_write(void)
{
	char *good = profile("server", 24), *text;

	text = replaced(good, "\ntoken: {cost: 100ns",
	    "\ntoken: {cost: 100ns, range: 10ns..300ns");
	free(good);
	good = replaced(text, "\nwakeup: {cost: 100ns",
	    "\nwakeup: {cost: 100ns, range: 50ns..100ns");
	sim_free(text);
	text = replaced(good, "smt_idle_speed: {value: 1.6",
	    "smt_idle_speed: {value: 1.6, range: 1.2..1.8");
	sim_free(good);
	file_write("hardware/ranged.yaml", text);
	sim_free(text);
}

static struct scenario *
load_text(const char *text, const char *set)
{
	char *whole = published(text), *ranged;

	ranged = replaced(whole, "hardware: big", "hardware: ranged");
	sim_free(whole);
	ranged_write();
	file_write("x.yaml", ranged);
	sim_free(ranged);
	return load_sets("x.yaml", &set, set != NULL);
}

/* The published block begins in line 24. */
static void
test_a_ratio_is_a_cell_of_two_points(void **state)
{
	static const char text[] =
	    "published:\n"
	    "  - where: {object: 8KiB, soavailconn: 32}\n"
	    "    throughput: {value: 5 /s, tolerance: 1%}\n"
	    "  - where: {object: 8KiB, soavailconn: 32}\n"
	    "    ratio_to: {soavailconn: 0}\n"
	    "    throughput: {value: -5.32 %, tolerance: 2.5%, missed: why}\n"
	    "    latency_mean: {value: 0 %, tolerance: 2.5%}\n"
	    "  - where: {object: 8KiB}\n"
	    "    ratio_to: {object: 1KiB, soavailconn: 0}\n"
	    "    throughput: {value: 3%, tolerance: 1%}\n";
	const struct scenario_cell *ce;
	struct scenario *sc = load_text(text, NULL);

	(void)state;
	if (sc == NULL)
		fail_msg("%s", messages);
	assert_int_equal(sc->sc_ncells, 4);
	assert_null(sc->sc_cells[0].ce_ratio);
	ce = &sc->sc_cells[1];
	assert_int_equal(ce->ce_point, 3);
	assert_int_equal(ce->ce_ratio_point, 2);
	assert_string_equal(ce->ce_where, "soavailconn=32, object=8KiB");
	assert_string_equal(ce->ce_ratio, "soavailconn=0");
	assert_int_equal(ce->ce_nratio_params, 2);
	assert_string_equal(ce->ce_ratio_params[0].pa_short, "soavailconn");
	assert_string_equal(ce->ce_ratio_params[0].pa_value, "0");
	assert_string_equal(ce->ce_ratio_params[1].pa_value, "8KiB");
	assert_true(ce->ce_value == -5.32);
	assert_true(ce->ce_tolerance_pct == 2.5);
	assert_string_equal(ce->ce_missed, "why");
	assert_false(ce->ce_by_ranges);
	assert_true(sc->sc_cells[2].ce_value == 0);
	/* What `where` leaves out has its base value in both. */
	ce = &sc->sc_cells[3];
	assert_int_equal(ce->ce_point, 3);
	assert_int_equal(ce->ce_ratio_point, 0);
	assert_string_equal(ce->ce_ratio, "soavailconn=0, object=1KiB");
	scenario_destroy(sc);
	/* Neither point may be lost. */
	sc = load_text(text, "soavailconn=32");
	assert_non_null(sc);
	assert_int_equal(sc->sc_cells[0].ce_point, 1);
	assert_int_equal(sc->sc_cells[1].ce_point, -1);
	scenario_destroy(sc);
	sc = load_text(text, "soavailconn=0");
	assert_non_null(sc);
	assert_int_equal(sc->sc_cells[1].ce_point, -1);
	scenario_destroy(sc);
}

/* A ratio keeps the alternative that `where` names. */
static void
test_ratios_of_alternatives(void **state)
{
	struct scenario *sc;

	(void)state;
	ranged_write();
	file_write("x.yaml", base);
	file_write("y.yaml",
	    "extends: x.yaml\n"
	    "machines: {server: {hardware: ranged}}\n"
	    "sweep:\n"
	    "  placement:\n"
	    "    cpu0: {nginx.cpu: 0}\n"
	    "    beside: {nginx.cpu: 1}\n"
	    "  soavailconn: [0, 32]\n"
	    "ranges: {locks: [token], rest: [wakeup]}\n"
	    "published:\n"
	    "  - where: {placement: beside, soavailconn: 32}\n"
	    "    ratio_to: {soavailconn: 0}\n"
	    "    throughput: {value: 5.32 %, within: ranges}\n"
	    "  - where: {placement: cpu0, soavailconn: 32}\n"
	    "    ratio_to: {soavailconn: 0, placement: cpu0}\n"
	    "    throughput: {value: 5.32 %, tolerance: 2.5 %}\n");
	sc = load("y.yaml", NULL);
	assert_int_equal(sc->sc_cells[0].ce_point, 3);
	assert_int_equal(sc->sc_cells[0].ce_ratio_point, 2);
	assert_true(sc->sc_cells[0].ce_by_ranges);
	assert_string_equal(
	    sc->sc_cells[0].ce_ratio_params[0].pa_value, "beside");
	assert_int_equal(sc->sc_cells[1].ce_point, 1);
	assert_int_equal(sc->sc_cells[1].ce_ratio_point, 0);
	assert_string_equal(sc->sc_cells[1].ce_ratio, "soavailconn=0");
	scenario_destroy(sc);
}

static void
test_broken_ratios_say_what_is_wrong(void **state)
{
#define WHERE "published:\n  - where: {object: 8KiB, soavailconn: 32}\n"
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ WHERE "    ratio_to: {soavailconn: 32}\n"
			"    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:26:15: error: ratio_to: the same point as "
		    "'where'\n" },
		{ WHERE "    ratio_to: {}\n"
			"    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:26:15: error: ratio_to: the same point as "
		    "'where'\n" },
		{ "published:\n  - where: {object: 8KiB}\n"
		  "    ratio_to: {soavailconn: 32}\n"
		  "    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:26:15: error: ratio_to: the same point as "
		    "'where'\n" },
		{ WHERE "    ratio_to: {soavailconn: 0, "
			"server.sysctl.kern.ipc.soavailconn: 32}\n"
			"    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:26:32: error: ratio_to: "
		    "'server.sysctl.kern.ipc.soavailconn' is there twice\n" },
		{ WHERE "    ratio_to: 0\n"
			"    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:26:15: error: ratio_to: want a map of up to 16 "
		    "values\n" },
		{ WHERE "    ratio_to: {soavailconn: 8}\n"
			"    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:26:29: error: no point of the sweep has "
		    "server.sysctl.kern.ipc.soavailconn=8\n" },
		{ WHERE "    ratio_to: {soavailcon: 0}\n"
			"    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:26:16: error: unknown parameter 'soavailcon', did "
		    "you mean 'soavailconn'?\n" },
		{ WHERE "    ratio: {soavailconn: 0}\n",
		    "x.yaml:26:5: error: unknown key 'ratio', did you mean "
		    "'ratio_to'?\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1 /s, tolerance: 1%}\n",
		    "x.yaml:27:25: error: throughput: unknown percentage unit "
		    "'/s' (use: %)\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1, tolerance: 1%}\n",
		    "x.yaml:27:25: error: throughput: '1' has no unit "
		    "(percentage: %)\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1%, tolerance: -1%}\n",
		    "x.yaml:27:40: error: tolerance: -1%, want more than 0\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    littles_law_error: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:27:5: error: littles_law_error: no ratio of "
		    "percentages\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    fitted: [throughput]\n"
			"    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:27:13: error: fitted: not of a ratio: costs are "
		    "fitted to single points\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1%, tolerance: 1%}\n"
			"  - where: {object: 8KiB, soavailconn: 32}\n"
			"    ratio_to: {object: 8KiB, soavailconn: 0}\n"
			"    throughput: {value: 1%, tolerance: 1%}\n",
		    "x.yaml:30:5: error: throughput at soavailconn=32, "
		    "object=8KiB over soavailconn=0 is published twice\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1%}\n",
		    "x.yaml:27:17: error: throughput: 'tolerance' is "
		    "missing\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1%, within: ranges}\n",
		    "x.yaml:27:37: error: within: this scenario has no "
		    "'ranges:'\n" },
		{ WHERE "    throughput: {value: 1/s, within: ranges}\n"
			"ranges: {a: [token]}\n",
		    "x.yaml:26:30: error: within: only of ratios "
		    "(ratio_to)\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1%, within: 5%}\n"
			"ranges: {a: [token]}\n",
		    "x.yaml:27:37: error: within: want 'ranges', or "
		    "'tolerance: N%' in its place\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1%, within: ranges, "
			"tolerance: 1%}\n"
			"ranges: {a: [token]}\n",
		    "x.yaml:27:29: error: throughput: want 'tolerance' or "
		    "'within', not both\n" },
		{ WHERE "    ratio_to: {soavailconn: 0}\n"
			"    throughput: {value: 1%, tolerance: 1%}\n"
			"fit:\n"
			"  - cost: server.hardware.ngx_request\n"
			"    range: 1us..2us\n"
			"    cell: {where: {object: 8KiB, soavailconn: 32}, "
			"metric: throughput}\n",
		    "x.yaml:31:11: error: cell: nothing published for "
		    "throughput at soavailconn=32, object=8KiB\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_null(load_text(rows[i].text, NULL));
		assert_string_equal(messages, rows[i].want);
	}
}

static void
test_broken_ranges_say_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "ranges: [token]\n",
		    "x.yaml:24:9: error: ranges: want a map of up to 16 "
		    "groups, NAME: [COST, ...]\n" },
		{ "ranges: {locks: token}\n",
		    "x.yaml:24:17: error: locks: want a list of costs, as in "
		    "[server.hardware.ipi_send]\n" },
		{ "ranges: {locks: []}\n",
		    "x.yaml:24:17: error: locks: want a list of costs, as in "
		    "[server.hardware.ipi_send]\n" },
		{ "ranges: {0: [token]}\n",
		    "x.yaml:24:10: error: '0' is not a name: up to 32 letters, "
		    "digits, - and _, a letter first\n" },
		{ "ranges: {locks: [tokn]}\n",
		    "x.yaml:24:18: error: unknown parameter 'tokn', did you "
		    "mean 'token'?\n" },
		{ "ranges: {locks: [object]}\n",
		    "x.yaml:24:18: error: locks: want the path of a cost, as "
		    "in server.hardware.ipi_send\n" },
		{ "ranges: {locks: [server.hardware.cpus]}\n",
		    "x.yaml:24:18: error: locks: want the path of a cost, as "
		    "in server.hardware.ipi_send\n" },
		{ "ranges: {locks: [[token]]}\n",
		    "x.yaml:24:18: error: locks: want the path of a cost, as "
		    "in server.hardware.ipi_send\n" },
		{ "ranges: {locks: [token, token]}\n",
		    "x.yaml:24:25: error: locks: token of 'ranged' is in "
		    "'locks' already\n" },
		{ "ranges: {locks: [token], b: [server.hardware.token]}\n",
		    "x.yaml:24:30: error: b: token of 'ranged' is in 'locks' "
		    "already\n" },
		{ "ranges: {locks: [token, ngx_request]}\n",
		    "x.yaml:24:25: error: locks: ngx_request has no 'range' in "
		    "the profile 'ranged'\n"
		    "note: in ./hardware/ranged.yaml\n" },
		{ "rangs: {locks: [token]}\n",
		    "x.yaml:24:1: error: unknown key 'rangs', did you mean "
		    "'ranges'?\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_null(load_text(rows[i].text, NULL));
		assert_string_equal(messages, rows[i].want);
	}
}

static void
test_groups_move_their_costs_together(void **state)
{
	static const char text[] =
	    "ranges:\n"
	    "  locks: [token, server.hardware.smt_idle_speed]\n"
	    "  rest: [wakeup]\n";
	struct setup *su = sim_calloc(1, sizeof(*su));
	const struct setup_hardware *hw = &su->su_machines[0].sm_hw;
	struct scenario *sc = load_text(text, NULL);

	(void)state;
	if (sc == NULL)
		fail_msg("%s", messages);
	assert_int_equal(sc->sc_ngroups, 2);
	assert_string_equal(sc->sc_groups[0].gr_name, "locks");
	assert_int_equal(sc->sc_groups[0].gr_n, 2);
	scenario_point(sc, 0, su);
	scenario_group_set(sc, 0, true, su);
	assert_int_equal(hw->hw_cost[COST_token], 300);
	assert_true(hw->hw_smt_idle_speed == 1.8);
	assert_int_equal(hw->hw_cost[COST_wakeup], 100);
	scenario_group_set(sc, 0, false, su);
	scenario_group_set(sc, 1, false, su);
	assert_int_equal(hw->hw_cost[COST_token], 10);
	assert_true(hw->hw_smt_idle_speed == 1.2);
	assert_int_equal(hw->hw_cost[COST_wakeup], 50);
	scenario_destroy(sc);
	/* Another machine, from the command line, may know no ranges. */
	sc = load_text(text, "server.hardware=big");
	if (sc == NULL)
		fail_msg("%s", messages);
	assert_int_equal(sc->sc_groups[0].gr_n, 0);
	scenario_destroy(sc);
	/* Who extends the file may have other ranges, or none. */
	file_write("y.yaml", "extends: x.yaml\nranges: {}\n");
	sc = load("y.yaml", NULL);
	assert_int_equal(sc->sc_ngroups, 0);
	scenario_destroy(sc);
	sim_free(su);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_ratio_is_a_cell_of_two_points),
		cmocka_unit_test(test_ratios_of_alternatives),
		cmocka_unit_test(test_broken_ratios_say_what_is_wrong),
		cmocka_unit_test(test_broken_ranges_say_what_is_wrong),
		cmocka_unit_test(test_groups_move_their_costs_together),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
