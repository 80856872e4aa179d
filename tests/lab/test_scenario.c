#include "tests/lab/rig.h"

/* Every way to break it that is known, with all that it says. */
static void
test_broken_scenarios_say_what_is_wrong(void **state)
{
	static const struct {
		const char *find, *replace, *want;
	} rows[] = {
#include "broken_httperf.inc"
#include "broken_scenarios.inc"
	};
	int failed = 0;
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text = replaced(base, rows[i].find, rows[i].replace);
		file_write("x.yaml", text);
		sim_free(text);
		struct scenario *sc = load_sets("x.yaml", NULL, 0);
		if (sc != NULL || strcmp(messages, rows[i].want) != 0) {
			print_error("'%s' -> '%s':\n  got  %s  want %s",
			    rows[i].find, rows[i].replace, messages,
			    rows[i].want);
			failed++;
		}
		scenario_destroy(sc);
	}
	assert_int_equal(failed, 0);
}

static void
test_broken_sets_say_what_is_wrong(void **state)
{
	static const struct {
		const char *set, *want;
	} rows[] = {
		{ "object", "1:7: error: want PATH=VALUE" },
		{ "object=", "1:7: error: want PATH=VALUE" },
		{ "=1", "1:7: error: want PATH=VALUE" },
		{ "object=5",
		    "1:14: error: object: '5' has no unit (size: B KB KiB MB "
		    "MiB GB GiB)" },
		{ "object=1KiB,9kb",
		    "1:20: error: object: unknown size unit 'kb' (use: B KB "
		    "KiB MB MiB GB GiB)" },
		{ "object=1KiB,1024B", "1:19: error: object: 1024B twice" },
		{ "soavailcon=8",
		    "1:7: error: unknown parameter 'soavailcon', did you mean "
		    "'soavailconn'?" },
		{ "server.procesess.nginx.object=1KiB",
		    "1:7: error: unknown parameter "
		    "'server.procesess.nginx.object', did you mean "
		    "'server.processes.nginx.object'?" },
		{ "zigzag=9", "1:7: error: unknown parameter 'zigzag'" },
		{ "msl=8",
		    "1:7: error: 'msl' may mean server.sysctl.net.inet.tcp.msl"
		    ", client0.sysctl.net.inet.tcp.msl" },
		{ "link=server.ix0",
		    "1:7: error: 'link' may mean client0.link, client1.link" },
		{ "title=x", "1:7: error: unknown parameter 'title'" },
		{ "server.sysctl.net.netisr.ncpus=25",
		    "1:38: error: net.netisr.ncpus: 25, want 0..24, the CPUs "
		    "of big" },
		{ "server.hardware=huge",
		    "1:23: error: no hardware profile 'huge'\n"
		    "note: no ./hardware/huge.yaml" },
		{ "server.hardware.host_rx=1ns",
		    "1:7: error: unknown parameter 'server.hardware.host_rx'" },
	};
	char want[400];

	(void)state;
	file_write("x.yaml", base);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_null(load_sets("x.yaml", &rows[i].set, 1));
		snprintf(
		    want, sizeof(want), "<command line>:%s\n", rows[i].want);
		assert_string_equal(messages, want);
	}
}

static void
test_broken_files_say_what_is_wrong(void **state)
{
	static const struct {
		const char *file, *text, *want;
	} rows[] = {
#include "broken_files.inc"
	};

	(void)state;
	file_write("b.yaml", "extends: c.yaml\n");
	file_write("c.yaml", "extends: a.yaml\n");
	file_write("bad.yaml", "title: [\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].text != NULL)
			file_write(rows[i].file, rows[i].text);
		assert_null(load_sets(rows[i].file, NULL, 0));
		assert_string_equal(messages, rows[i].want);
	}
}

static void
test_broken_profiles_say_what_is_wrong(void **state)
{
	static const struct {
		const char *find, *replace, *want;
	} rows[] = {
#include "broken_profiles.inc"
	};
	char *good = profile("client", 8), *text;

	(void)state;
	file_write("x.yaml", base);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text = replaced(good, rows[i].find, rows[i].replace);
		file_write("hardware/small.yaml", text);
		sim_free(text);
		assert_null(load_sets("x.yaml", NULL, 0));
		assert_string_equal(messages, rows[i].want);
	}
	file_write("hardware/small.yaml", good);
	free(good);
}

/* All that are missing in one message. */
static void
test_missing_costs_are_listed(void **state)
{
	(void)state;
	file_write("hardware/few.yaml",
	    "role: client\n"
	    "cpus: {value: 8, kind: guess, source: s}\n"
	    "threads_per_core: {value: 2, kind: guess, source: s}\n"
	    "smt_idle_speed: {value: 1, kind: guess, source: s}\n");
	char *text = replaced(base, "hardware: small", "hardware: few");

	file_write("x.yaml", text);
	sim_free(text);
	assert_null(load_sets("x.yaml", NULL, 0));
	assert_non_null(strstr(messages, "few.yaml: error: "));
	for (int i = 0; i < COST_work; i++) {
		if (cost_infos[i].ci_family == COSTS_HOST)
			assert_non_null(
			    strstr(messages, cost_infos[i].ci_name));
	}
}

static void
test_values_and_defaults_arrive(void **state)
{
	struct scenario *sc;
	const struct setup *su;

	(void)state;
	file_write("x.yaml", base);
	sc = load("x.yaml", NULL);
	su = &sc->sc_setup;
	assert_string_equal(sc->sc_name, "x");
	assert_int_equal(su->su_nmachines, 1);
	assert_int_equal(su->su_npeers, 2);
	assert_int_equal(su->su_machines[0].sm_hw.hw_ncpus, 24);
	assert_true(su->su_machines[0].sm_hw.hw_smt_idle_speed == 1.6);
	assert_int_equal(su->su_machines[0].sm_hw.hw_cache_knee, 450 * 1024);
	assert_int_equal(su->su_machines[0].sm_hw.hw_cost[COST_token], 100);
	assert_int_equal(su->su_machines[0].sm_sysctl.soavailconn, 32);
	assert_int_equal(su->su_machines[0].sm_sysctl.somaxconn, 128);
	assert_int_equal(su->su_machines[0].sm_nics[0].sn_bps, 10000000000);
	assert_int_equal(su->su_machines[0].sm_nics[0].sn_latency, 5000);
	assert_int_equal(su->su_machines[0].sm_nics[0].sn_intr_rate, 8000);
	assert_int_equal(su->su_machines[0].sm_procs[0].sp_header, 254);
	assert_int_equal(su->su_machines[0].sm_procs[0].sp_events, 512);
	assert_true(su->su_machines[0].sm_procs[0].sp_keepalive);
	assert_string_equal(su->su_peers[1].pe_name, "client1");
	assert_int_equal(su->su_peers[1].pe_connections, 15000);
	assert_int_equal(su->su_peers[1].pe_port, 1);
	assert_int_equal(su->su_peers[1].pe_request, 116);
	assert_int_equal(su->su_peers[1].pe_timeout, 2000000000);
	assert_int_equal(su->su_peers[1].pe_sysctl.portrange_last, 40000);
	assert_int_equal(su->su_run.sr_measure, 10000000000);
	assert_int_equal(setup_netisr_ncpus(&su->su_machines[0]), 24);
	assert_int_equal(
	    setup_rx_rings(&su->su_machines[0], &su->su_machines[0].sm_nics[0]),
	    24);
	scenario_destroy(sc);
}

static void
test_sweep_is_a_product_in_file_order(void **state)
{
	static const char *const labels[] = { "object=1KiB soavailconn=0",
		"object=1KiB soavailconn=32", "object=8KiB soavailconn=0",
		"object=8KiB soavailconn=32", "object=16KiB soavailconn=0",
		"object=16KiB soavailconn=32" };
	struct scenario_param params[SCENARIO_MAX_AXES];
	struct setup *su = sim_calloc(1, sizeof(*su));
	struct scenario *sc;
	char label[100];

	(void)state;
	file_write("x.yaml", base);
	sc = load("x.yaml", NULL);
	assert_int_equal(scenario_npoints(sc), 6);
	for (int i = 0; i < 6; i++) {
		scenario_point_label(sc, i, label, sizeof(label));
		assert_string_equal(label, labels[i]);
		scenario_point(sc, i, su);
		assert_int_equal(
		    su->su_machines[0].sm_sysctl.soavailconn, i % 2 ? 32 : 0);
	}
	assert_int_equal(su->su_machines[0].sm_procs[0].sp_object, 16384);
	scenario_point_label(sc, SCENARIO_BASE, label, sizeof(label));
	assert_string_equal(label, "object=1KiB soavailconn=32");
	assert_int_equal(scenario_params(sc, 2, params), 2);
	assert_string_equal(params[0].pa_path, "server.processes.nginx.object");
	assert_string_equal(params[0].pa_value, "8KiB");
	assert_false(params[0].pa_bare);
	assert_string_equal(
	    params[1].pa_path, "server.sysctl.kern.ipc.soavailconn");
	assert_true(params[1].pa_bare);
	scenario_destroy(sc);
	sim_free(su);
}

static void
test_sets_replace_axes_and_make_new_ones(void **state)
{
	const char *const sets[] = { "soavailconn=8,16",
		"server.hardware.ngx_request=30us", "connections=9000",
		"machines.server.hardware.cache.knee=1MiB" };
	struct scenario *sc;
	const struct setup *su;
	char label[200];

	(void)state;
	file_write("x.yaml", base);
	sc = load_sets("x.yaml", sets, 4);
	assert_non_null(sc);
	su = &sc->sc_setup;
	assert_int_equal(scenario_npoints(sc), 6);
	assert_int_equal(su->su_machines[0].sm_sysctl.soavailconn, 8);
	assert_int_equal(
	    su->su_machines[0].sm_hw.hw_cost[COST_ngx_request], 30000);
	assert_int_equal(su->su_machines[0].sm_hw.hw_cache_knee, 1048576);
	/* client1 extends client0 and follows it. */
	assert_int_equal(su->su_peers[1].pe_connections, 9000);
	scenario_point_label(sc, 5, label, sizeof(label));
	assert_string_equal(label,
	    "object=16KiB soavailconn=16 ngx_request=30us connections=9000 "
	    "server.hardware.cache.knee=1MiB");
	/* Published cells are at other points. */
	assert_int_equal(sc->sc_cells[0].ce_point, -1);
	scenario_destroy(sc);
}

static void
test_published_cells_find_their_points(void **state)
{
	const struct scenario_cell *ce;
	struct scenario *sc;

	(void)state;
	file_write("x.yaml", base);
	sc = load("x.yaml", NULL);
	assert_int_equal(sc->sc_ncells, 3);
	ce = &sc->sc_cells[0];
	assert_int_equal(ce->ce_point, 2);
	assert_string_equal(ce->ce_metric->km_json, "throughput_rps");
	assert_true(ce->ce_value == 210279.88);
	assert_true(ce->ce_tolerance_pct == 2);
	assert_true(ce->ce_fitted);
	assert_null(ce->ce_missed);
	ce = &sc->sc_cells[1];
	assert_true(ce->ce_value == 59190000);
	assert_false(ce->ce_fitted);
	assert_string_equal(ce->ce_missed, "why");
	/* What `where` leaves out has its base value: soavailconn 32. */
	assert_int_equal(sc->sc_cells[2].ce_point, 5);
	assert_string_equal(sc->sc_cells[2].ce_where, "object=16KiB");
	scenario_destroy(sc);
}

static void
test_fit_sets_every_user_of_the_profile(void **state)
{
	struct scenario *sc;
	struct setup *su = sim_calloc(1, sizeof(*su));
	char *text;

	(void)state;
	text = replaced(
	    base, "server.hardware.ngx_request", "client0.hardware.host_rx");
	file_write("x.yaml", text);
	sim_free(text);
	sc = load("x.yaml", NULL);
	assert_int_equal(sc->sc_nfits, 1);
	assert_string_equal(sc->sc_fits[0].fi_profile, "small");
	assert_string_equal(sc->sc_fits[0].fi_cost, "host_rx");
	assert_int_equal(sc->sc_fits[0].fi_min, 5000);
	assert_int_equal(sc->sc_fits[0].fi_max, 80000);
	assert_int_equal(sc->sc_fits[0].fi_cell, 0);
	scenario_point(sc, 0, su);
	assert_int_equal(scenario_fit_get(sc, 0, su), 100);
	scenario_fit_set(sc, 0, su, 7777);
	assert_int_equal(su->su_peers[0].pe_hw.hw_cost[COST_host_rx], 7777);
	assert_int_equal(su->su_peers[1].pe_hw.hw_cost[COST_host_rx], 7777);
	assert_int_equal(su->su_machines[0].sm_hw.hw_cost[COST_host_rx], 0);
	scenario_destroy(sc);
	sim_free(su);
}

static void
test_ledger_names_kind_and_source(void **state)
{
	const char *const dirs[] = { "hardware" };
	struct hardware *ha;
	struct diag d;
	char *text;
	size_t n;
	FILE *fp;

	(void)state;
	diag_init(&d);
	ha = hardware_load("small", dirs, 1, diag_whole(NULL), &d);
	assert_non_null(ha);
	fp = open_memstream(&text, &n);
	hardware_print(ha, fp);
	fclose(fp);
	assert_non_null(strstr(text, "small (client): made up\n"));
	assert_non_null(strstr(text,
	    "\nhost_rx           100ns  -      once  measured   s       client "
	    "kernel: one received segment\n"));
	free(text);
	hardware_destroy(ha);
	diag_fini(&d);
}

static void
test_ledger_has_ranges(void **state)
{
	const char *const dirs[] = { "hardware" };
	char *good = profile("client", 8), *text, *list;
	const struct hardware_entry *he;
	struct hardware *ha;
	struct diag d;
	size_t n;
	FILE *fp;

	(void)state;
	text = replaced(good, "host_rx: {cost: 100ns",
	    "host_rx: {range: 100ns..2us, cost: 100ns");
	free(good);
	good = replaced(text, "smt_idle_speed: {value: 1.6",
	    "smt_idle_speed: {value: 1.6, range: 1.2..1.6");
	file_write("hardware/ranged.yaml", good);
	sim_free(text);
	sim_free(good);
	diag_init(&d);
	ha = hardware_load("ranged", dirs, 1, diag_whole(NULL), &d);
	assert_non_null(ha);
	he = hardware_entry(ha, key_find("peers.*.hardware.host_rx"));
	assert_true(he->he_ranged);
	assert_int_equal(he->he_low.kv_int, 100);
	assert_int_equal(he->he_high.kv_int, 2000);
	he = hardware_entry(ha, key_find("peers.*.hardware.host_ack"));
	assert_false(he->he_ranged);
	assert_null(hardware_entry(ha, key_find("machines.*.hardware.token")));
	fp = open_memstream(&list, &n);
	hardware_print(ha, fp);
	fclose(fp);
	assert_non_null(strstr(list,
	    "\nname              value  range       unit  kind       source  "
	    "help\n"));
	assert_non_null(strstr(list, "  100ns  100ns..2us  once  measured "));
	assert_non_null(strstr(list, "    1.6  1.2..1.6 "));
	assert_non_null(strstr(list, "  100ns  -           once  measured "));
	free(list);
	hardware_destroy(ha);
	diag_fini(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broken_scenarios_say_what_is_wrong),
		cmocka_unit_test(test_broken_sets_say_what_is_wrong),
		cmocka_unit_test(test_broken_files_say_what_is_wrong),
		cmocka_unit_test(test_broken_profiles_say_what_is_wrong),
		cmocka_unit_test(test_missing_costs_are_listed),
		cmocka_unit_test(test_values_and_defaults_arrive),
		cmocka_unit_test(test_sweep_is_a_product_in_file_order),
		cmocka_unit_test(test_sets_replace_axes_and_make_new_ones),
		cmocka_unit_test(test_published_cells_find_their_points),
		cmocka_unit_test(test_fit_sets_every_user_of_the_profile),
		cmocka_unit_test(test_ledger_names_kind_and_source),
		cmocka_unit_test(test_ledger_has_ranges),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
