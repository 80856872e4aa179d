#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/scenario.h"

static char *dir;
static char *messages;

static void
file_write(const char *name, const char *text)
{
	FILE *fp = fopen(name, "w");

	assert_non_null(fp);
	fputs(text, fp);
	fclose(fp);
}

/* Gives the text of a profile in which every cost is 100 ns. */
static char *
profile(const char *role, int cpus, bool host)
{
	char *text;
	size_t n;
	FILE *fp = open_memstream(&text, &n);

	fprintf(fp,
	    "title: made up\nrole: %s\n"
	    "cpus: {value: %d, kind: datasheet, source: s}\n"
	    "threads_per_core: {value: 2, kind: datasheet, source: s}\n"
	    "smt_idle_speed: {value: 1.6, kind: guess, source: s}\n",
	    role, cpus);
	if (!host)
		fputs("cache:\n"
		      "  knee: {value: 450KiB, kind: guess, source: s}\n"
		      "  touch: {value: 1KiB, kind: guess, source: s}\n",
		    fp);
	for (int i = 0; i < COST_work; i++) {
		if (cost_infos[i].ci_host == host)
			fprintf(fp,
			    "%s: {cost: 100ns, kind: measured, source: s}\n",
			    cost_infos[i].ci_name);
	}
	fclose(fp);
	return text;
}

static void
profile_write(const char *name, const char *role, int cpus, bool host)
{
	char *text = profile(role, cpus, host);

	file_write(name, text);
	free(text);
}

/* The scenario that the tests break, one line each. */
static const char base[] =
    "title: t\n"
    "machines:\n"
    "  server:\n"
    "    kernel: dragonfly-2017\n"
    "    hardware: big\n"
    "    nics: {ix: {model: x550, ports: 2, latency: 5us}}\n"
    "    sysctl:\n"
    "      kern.ipc.soavailconn: 32\n"
    "      net.netisr.ncpus: 24\n"
    "    processes:\n"
    "      nginx: {workers: 24, reuseport: true, object: 1KiB}\n"
    "peers:\n"
    "  client0:\n"
    "    hardware: small\n"
    "    link: server.ix0\n"
    "    sysctl: {net.inet.ip.portrange.last: 40000}\n"
    "    threads: 8\n"
    "    connections: 15000\n"
    "  client1: {extends: client0, link: server.ix1}\n"
    "run: {warmup: 5s}\n"
    "sweep:\n"
    "  server.processes.nginx.object: [1KiB, 8KiB, 16KiB]\n"
    "  soavailconn: [0, 32]\n"
    "published:\n"
    "  - where: {object: 8KiB, soavailconn: 0}\n"
    "    fitted: [throughput]\n"
    "    throughput: {value: 210279.88 /s, tolerance: 2%}\n"
    "    latency_mean: {value: 59.19 ms, tolerance: 5%, missed: why}\n"
    "  - where: {object: 16KiB}\n"
    "    latency_p99: {value: 69.02 ms, tolerance: 0.5%}\n"
    "fit:\n"
    "  - cost: server.hardware.ngx_request\n"
    "    range: 5us..80us\n"
    "    cell: {where: {soavailconn: 0, object: 8KiB}, metric: throughput}\n";

static int
setup(void **state)
{
	char template[] = "/tmp/solab-scenario-XXXXXX";

	(void)state;
	dir = mkdtemp(template);
	assert_non_null(dir);
	dir = sim_strdup(dir);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(mkdir("hardware", 0700), 0);
	profile_write("hardware/big.yaml", "server", 24, false);
	profile_write("hardware/small.yaml", "client", 8, true);
	return 0;
}

static int
teardown(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(system(command), 0);
	sim_free(dir);
	free(messages);
	return 0;
}

/* Gives a text with one part replaced. */
static char *
replaced(const char *text, const char *find, const char *replace)
{
	const char *at = strstr(text, find);
	size_t size = strlen(text) + strlen(replace) + 1, n;
	char *out = sim_calloc(size, 1);

	if (at == NULL)
		fail_msg("no '%s' to replace", find);
	n = (size_t)(at - text);
	memcpy(out, text, n);
	snprintf(out + n, size - n, "%s%s", replace, at + strlen(find));
	return out;
}

/*
 * Messages go to `messages`, without source lines, carets and the list of
 * sysctls.
 */
static struct scenario *
load_sets(const char *file, const char *const *sets, int nsets)
{
	struct scenario *sc;
	char *all, *line, *save;
	struct diag d;
	size_t n;
	FILE *fp;

	diag_init(&d);
	sc = scenario_load(file, sets, nsets, NULL, &d);
	fp = open_memstream(&all, &n);
	diag_print(&d, fp);
	fclose(fp);
	diag_fini(&d);
	free(messages);
	fp = open_memstream(&messages, &n);
	for (line = strtok_r(all, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		int cut = strncmp(line, "note: modelled:", 15) == 0 ? 15 : 1000;

		if (strlen(line) < 8 || strncmp(line + 5, " | ", 3) != 0)
			fprintf(fp, "%.*s\n", cut, line);
	}
	fclose(fp);
	free(all);
	return sc;
}

static struct scenario *
load(const char *file, const char *set)
{
	struct scenario *sc = load_sets(file, &set, set != NULL);

	if (sc == NULL)
		fail_msg("%s", messages);
	return sc;
}

/* Every way to break it that is known, with all that it says. */
static void
test_broken_scenarios_say_what_is_wrong(void **state)
{
	static const struct {
		const char *find, *replace, *want;
	} rows[] = {
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
		{ "workers=25",
		    "1:15: error: workers: 25, want 24 (net.netisr.ncpus) "
		    "with affinity: per-cpu: a listener fed by several "
		    "protocol CPUs is not modelled yet" },
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
	char *good = profile("client", 8, true), *text;

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
		if (cost_infos[i].ci_host)
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
	text = replaced(base, "reuseport: true", "affinity: cpuhint");
	file_write("x.yaml", text);
	sim_free(text);
	file_write("y.yaml",
	    "extends: x.yaml\n"
	    "machines: {server: {sysctl: {net.netisr.ncpus: 16}, processes: "
	    "{nginx: {reuseport: true, workers: 16}}}}\n"
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
		{ "workers=16",
		    "1:15: error: workers: 16, want 24 (net.netisr.ncpus) with "
		    "affinity: per-cpu: a listener fed by several protocol "
		    "CPUs is not modelled yet" },
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
	    "\nhost_rx           100ns  once  measured   s       client "
	    "kernel: one received segment\n"));
	free(text);
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
		cmocka_unit_test(test_alternatives_are_set_together),
		cmocka_unit_test(test_cells_name_alternatives),
		cmocka_unit_test(test_sets_select_alternatives),
		cmocka_unit_test(test_broken_selections_list_the_names),
		cmocka_unit_test(test_alternatives_are_listed),
		cmocka_unit_test(test_published_cells_find_their_points),
		cmocka_unit_test(test_fit_sets_every_user_of_the_profile),
		cmocka_unit_test(test_files_extend_files),
		cmocka_unit_test(test_files_inherit_what_still_holds),
		cmocka_unit_test(test_ledger_names_kind_and_source),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
