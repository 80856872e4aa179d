#include "tests/lab/rig.h"

/* base with two alternatives more, and cells at points of them. */
static char *
alternatives(void)
{
	char *swept, *text;

	swept = replaced(base, "  soavailconn: [0, 32]\n",
	    "  reading:\n"
	    "    24 x 256: {workers: 24, server.sysctl.kern.ipc.somaxconn: "
	    "256, ngx_request: 9us}\n"
	    "    16 x 384:\n"
	    "      server.sysctl.net.netisr.ncpus: 16\n"
	    "      nginx.workers: 16\n"
	    "      server.sysctl.kern.ipc.somaxconn: 384\n"
	    "  soavailconn: [0, 32]\n");
	text = replaced(swept, "{object: 8KiB, soavailconn: 0}",
	    "{soavailconn: 0, object: 8KiB, reading: 16 x 384}");
	sim_free(swept);
	swept = replaced(text, "{soavailconn: 0, object: 8KiB}",
	    "{soavailconn: 0, object: 8KiB, reading: 16 x 384}");
	sim_free(text);
	return swept;
}

static void
test_alternatives_are_set_together(void **state)
{
	static const char *const labels[] = {
		"object=1KiB reading=\"24 x 256\" soavailconn=0",
		"object=1KiB reading=\"24 x 256\" soavailconn=32",
		"object=1KiB reading=\"16 x 384\" soavailconn=0",
		"object=1KiB reading=\"16 x 384\" soavailconn=32",
		"object=8KiB reading=\"24 x 256\" soavailconn=0",
	};
	struct scenario_param params[SCENARIO_MAX_AXES];
	struct setup *su = sim_calloc(1, sizeof(*su));
	const struct setup_machine *sm = &su->su_machines[0];
	char *text = alternatives(), label[100];
	struct scenario *sc;

	(void)state;
	file_write("x.yaml", text);
	sim_free(text);
	sc = load("x.yaml", NULL);
	assert_int_equal(scenario_npoints(sc), 12);
	for (int i = 0; i < 12; i++) {
		bool second = i / 2 % 2 == 1;

		scenario_point(sc, i, su);
		assert_int_equal(sm->sm_procs[0].sp_workers, second ? 16 : 24);
		assert_int_equal(sm->sm_sysctl.netisr_ncpus, second ? 16 : 24);
		assert_int_equal(sm->sm_sysctl.somaxconn, second ? 384 : 256);
		/* Who does not set it leaves it alone. */
		assert_int_equal(
		    sm->sm_hw.hw_cost[COST_ngx_request], second ? 100 : 9000);
		assert_int_equal(sm->sm_sysctl.soavailconn, i % 2 ? 32 : 0);
		scenario_point_label(sc, i, label, sizeof(label));
		if (i < 5)
			assert_string_equal(label, labels[i]);
	}
	assert_int_equal(scenario_params(sc, 2, params), 3);
	assert_string_equal(params[1].pa_path, "reading");
	assert_string_equal(params[1].pa_short, "reading");
	assert_string_equal(params[1].pa_value, "16 x 384");
	assert_false(params[1].pa_bare);
	/* The first is the base. */
	assert_int_equal(
	    sc->sc_setup.su_machines[0].sm_procs[0].sp_workers, 24);
	assert_int_equal(sc->sc_setup.su_machines[0].sm_sysctl.somaxconn, 256);
	scenario_params(sc, SCENARIO_BASE, params);
	assert_string_equal(params[1].pa_value, "24 x 256");
	scenario_destroy(sc);
	sim_free(su);
}

static void
test_cells_name_alternatives(void **state)
{
	const struct scenario_cell *ce;
	char *text = alternatives();
	struct scenario *sc;

	(void)state;
	file_write("x.yaml", text);
	sim_free(text);
	sc = load("x.yaml", NULL);
	ce = &sc->sc_cells[0];
	assert_int_equal(ce->ce_point, 6);
	assert_string_equal(
	    ce->ce_where, "reading=16 x 384, soavailconn=0, object=8KiB");
	assert_int_equal(ce->ce_nparams, 3);
	assert_string_equal(ce->ce_params[0].pa_path, "reading");
	assert_string_equal(ce->ce_params[0].pa_value, "16 x 384");
	assert_false(ce->ce_params[0].pa_bare);
	/* Left out: the base, which is the first. */
	assert_int_equal(sc->sc_cells[2].ce_point, 9);
	assert_int_equal(sc->sc_fits[0].fi_cell, 0);
	scenario_destroy(sc);
}

static void
test_sets_select_alternatives(void **state)
{
	static const char *const sets[] = { "reading=16 x 384,24 x 256",
		"workers=32", "reading=16 x 384" };
	const struct setup_machine *sm;
	char *text = alternatives(), label[100];
	struct scenario *sc;

	(void)state;
	file_write("x.yaml", text);
	sim_free(text);
	sc = load("x.yaml", sets[0]);
	sm = &sc->sc_setup.su_machines[0];
	assert_int_equal(scenario_npoints(sc), 12);
	assert_int_equal(sm->sm_procs[0].sp_workers, 16);
	assert_int_equal(sc->sc_cells[0].ce_point, 4);
	scenario_point_label(sc, 2, label, sizeof(label));
	assert_string_equal(
	    label, "object=1KiB reading=\"24 x 256\" soavailconn=0");
	scenario_destroy(sc);

	/* The last --set selects anew; one path beats the alternative. */
	file_write("x.yaml", base);
	file_write("y.yaml",
	    "extends: x.yaml\n"
	    "sweep: {reading: {24 x 256: {workers: 48}, 16 x 384: {workers: "
	    "16}}}\n");
	sc = load_sets("y.yaml", sets, 3);
	if (sc == NULL)
		fail_msg("%s", messages);
	sm = &sc->sc_setup.su_machines[0];
	assert_int_equal(scenario_npoints(sc), 1);
	assert_int_equal(sm->sm_procs[0].sp_workers, 32);
	scenario_point_label(sc, 0, label, sizeof(label));
	assert_string_equal(label, "reading=\"16 x 384\" workers=32");
	scenario_destroy(sc);
}

static void
test_broken_selections_list_the_names(void **state)
{
	static const struct {
		const char *set, *want;
	} rows[] = {
		{ "reading=16 x 385",
		    "1:15: error: reading: '16 x 385', want 24 x 256|16 x "
		    "384" },
		{ "reading=24 x 256,",
		    "1:24: error: reading: '', want 24 x 256|16 x 384" },
		{ "reading=16 x 384,16 x 384",
		    "1:24: error: reading: 16 x 384 twice" },
		{ "reading=", "1:7: error: want PATH=VALUE" },
		{ "raeding=16 x 384",
		    "1:7: error: unknown parameter 'raeding', did you mean "
		    "'reading'?" },
		{ "server.reading=16 x 384",
		    "1:7: error: unknown parameter 'server.reading'" },
		{ "nginx.cpu=24",
		    "1:17: error: cpu: 24, want 0..23, the CPUs of big" },
	};
	char *text = alternatives(), want[400];

	(void)state;
	file_write("x.yaml", text);
	sim_free(text);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_null(load_sets("x.yaml", &rows[i].set, 1));
		snprintf(
		    want, sizeof(want), "<command line>:%s\n", rows[i].want);
		assert_string_equal(messages, want);
	}
}

static void
test_alternatives_are_listed(void **state)
{
	char *text = alternatives(), *list;
	struct scenario *sc;
	size_t n;
	FILE *fp;

	(void)state;
	file_write("x.yaml", text);
	sim_free(text);
	sc = load("x.yaml", "reading=16 x 384");
	fp = open_memstream(&list, &n);
	scenario_print_params(sc, fp);
	fclose(fp);
	assert_non_null(strstr(list, "\n  reading "));
	assert_non_null(strstr(list, " 16 x 384  [24 x 256|16 x 384]\n"));
	assert_non_null(strstr(list, "\n  server.processes.nginx.workers "
				     "                      16  [1..256]\n"));
	free(list);
	scenario_destroy(sc);
}

static void
test_files_extend_files(void **state)
{
	struct scenario *sc;

	(void)state;
	file_write("x.yaml", base);
	assert_true(mkdir("sub", 0700) == 0);
	file_write("sub/y.yaml",
	    "extends: ../x.yaml\n"
	    "title: y\n"
	    "machines: {server: {hardware: {token: 5ns}}}\n"
	    "sweep: {soavailconn: [32, 0, 8]}\n");
	sc = load("sub/y.yaml", NULL);
	assert_string_equal(sc->sc_setup.su_title, "y");
	assert_int_equal(
	    sc->sc_setup.su_machines[0].sm_hw.hw_cost[COST_token], 5);
	/* A sweep is replaced with all that names its points. */
	assert_int_equal(scenario_npoints(sc), 3);
	assert_int_equal(sc->sc_ncells, 0);
	assert_int_equal(sc->sc_nfits, 0);
	scenario_destroy(sc);
}

static void
test_files_inherit_what_still_holds(void **state)
{
	static const struct {
		const char *text;
		int points, cells, fits;
	} rows[] = {
		{ "title: y\n", 6, 3, 1 },
		{ "sweep: {}\n", 1, 0, 0 },
		{ "sweep: {soavailconn: [0]}\n"
		  "published:\n"
		  "  - where: {soavailconn: 0}\n"
		  "    throughput: {value: 1/s, tolerance: 2%}\n",
		    1, 1, 0 },
		{ "published:\n"
		  "  - where: {object: 1KiB}\n"
		  "    throughput: {value: 1/s, tolerance: 2%}\n",
		    6, 1, 0 },
		{ "published: []\n", 6, 0, 0 },
		{ "fit: []\n", 6, 3, 0 },
	};
	struct scenario *sc;
	char text[300];

	(void)state;
	file_write("x.yaml", base);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(
		    text, sizeof(text), "extends: x.yaml\n%s", rows[i].text);
		file_write("y.yaml", text);
		/* Through a file that says nothing of its own. */
		file_write("z.yaml", "extends: y.yaml\n");
		sc = load("z.yaml", NULL);
		assert_int_equal(scenario_npoints(sc), rows[i].points);
		assert_int_equal(sc->sc_ncells, rows[i].cells);
		assert_int_equal(sc->sc_nfits, rows[i].fits);
		scenario_destroy(sc);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alternatives_are_set_together),
		cmocka_unit_test(test_cells_name_alternatives),
		cmocka_unit_test(test_sets_select_alternatives),
		cmocka_unit_test(test_broken_selections_list_the_names),
		cmocka_unit_test(test_alternatives_are_listed),
		cmocka_unit_test(test_files_extend_files),
		cmocka_unit_test(test_files_inherit_what_still_holds),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
