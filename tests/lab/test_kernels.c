/* Sysctls that a kernel has, and with what defaults. Loading only. */
#include "sim/lab/kernels.h"
#include "tests/lab/rig.h"

/* base for another kernel; its sysctls are one line. */
static void
write_2011(const char *sysctls)
{
	char *text, *next, line[300];

	text = replaced(base, "dragonfly-2017", "dragonfly-2011");
	snprintf(line, sizeof(line), "    sysctl: {%s}\n", sysctls);
	next = replaced(text,
	    "    sysctl:\n"
	    "      kern.ipc.soavailconn: 32\n"
	    "      net.netisr.ncpus: 24\n",
	    line);
	sim_free(text);
	text = replaced(next, "workers: 24, reuseport: true", "workers: 16");
	sim_free(next);
	next = replaced(
	    text, "{ix: {model: x550, ports: 2, ", "{em: {model: em, ");
	sim_free(text);
	text = replaced(next, "server.ix0", "server.em0");
	sim_free(next);
	next = replaced(
	    text, "  client1: {extends: client0, link: server.ix1}\n", "");
	sim_free(text);
	text = next;
	next = strstr(text, "  soavailconn: [0, 32]\n");
	assert_non_null(next);
	*next = '\0';
	file_write("x.yaml", text);
	sim_free(text);
}

static void
test_names_and_differences(void **state)
{
	const struct key *k = key_find("machines.*.sysctl.net.inet.tcp.tso");
	enum setup_kernel kernel;
	struct key_value kv;
	char buf[100];

	(void)state;
	assert_string_equal(
	    kernel_name(KERNEL_DRAGONFLY_2011), "dragonfly-2011");
	assert_string_equal(kernel_choices()->kc_name, "dragonfly-2017");
	assert_false(kernel_of(NULL, &kernel));
	assert_true(kernel_lacks(KERNEL_DRAGONFLY_2011, k));
	assert_false(kernel_lacks(KERNEL_DRAGONFLY_2017, k));
	kernel_default(KERNEL_DRAGONFLY_2011, k, &kv);
	assert_int_equal(kv.kv_int, 0);
	kernel_default(KERNEL_DRAGONFLY_2017, k, &kv);
	assert_int_equal(kv.kv_int, 1);
	assert_string_equal(kernel_differences(k, buf, sizeof(buf)),
	    "dragonfly-2011: absent; freebsd-2007: absent");
	k = key_find("machines.*.sysctl.machdep.cpu_idle_repeat");
	assert_string_equal(kernel_differences(k, buf, sizeof(buf)),
	    "dragonfly-2011: 4; freebsd-2007: absent");
	k = key_find("machines.*.sysctl.kern.ipc.somaxconn");
	assert_string_equal(kernel_differences(k, buf, sizeof(buf)), "");
	/* A host's sysctl of the same name is another one. */
	k = key_find("peers.*.sysctl.net.inet.tcp.low_rtobase");
	assert_false(kernel_lacks(KERNEL_DRAGONFLY_2011, k));
}

static void
test_defaults_are_the_kernels(void **state)
{
	const struct setup_sysctl *sys;
	struct scenario *sc;

	(void)state;
	write_2011("net.inet.tcp.syncache.rexmtlimit: 2");
	sc = load("x.yaml", NULL);
	sys = &sc->sc_setup.su_machines[0].sm_sysctl;
	assert_int_equal(sys->syncache_rexmtlimit, 2);
	assert_int_equal(sys->cpu_idle_repeat, 4);
	assert_int_equal(sys->soavailconn, 0);
	assert_int_equal(sys->tso, 0);
	assert_int_equal(sys->rollup_limit, 512);
	assert_int_equal(sys->somaxconn, 128);
	assert_int_equal(sc->sc_setup.su_peers[0].pe_sysctl.low_rtobase, 1);
	scenario_destroy(sc);
	write_2011("");
	sc = load("x.yaml", NULL);
	assert_int_equal(
	    sc->sc_setup.su_machines[0].sm_sysctl.syncache_rexmtlimit, 3);
	scenario_destroy(sc);
}

/* The kernel is what it is at the point. */
static void
test_kernel_may_be_swept(void **state)
{
	struct setup *su = sim_calloc(1, sizeof(*su));
	struct scenario *sc;

	(void)state;
	write_2011("");
	file_write("y.yaml",
	    "extends: x.yaml\n"
	    "sweep:\n"
	    "  object: [1KiB, 8KiB, 16KiB]\n"
	    "  year:\n"
	    "    new: {kernel: dragonfly-2017, server.nics.em.model: x550}\n"
	    "    old: {kernel: dragonfly-2011}\n");
	sc = load("y.yaml", NULL);
	assert_int_equal(scenario_npoints(sc), 6);
	for (int i = 0; i < 6; i++) {
		const struct setup_sysctl *sys = &su->su_machines[0].sm_sysctl;

		scenario_point(sc, i, su);
		assert_int_equal(sys->soavailconn, i % 2 ? 0 : 32);
		assert_int_equal(sys->cpu_idle_repeat, i % 2 ? 4 : 750);
	}
	scenario_destroy(sc);
	sim_free(su);
}

static void
test_absent_sysctls_are_refused(void **state)
{
	static const struct {
		const char *sysctls, *set, *want;
	} rows[] = {
		{ "net.netisr.ncpus: 8", NULL,
		    "x.yaml:7:14: error: net.netisr.ncpus: dragonfly-2011 does "
		    "not have it\n"
		    "note: modelled:\n" },
		{ "", "soavailconn=8",
		    "<command line>:1:19: error: kern.ipc.soavailconn: "
		    "dragonfly-2011 does not have it\n"
		    "note: modelled:\n" },
		{ "", "soavailconn=8,9",
		    "<command line>:1:19: error: kern.ipc.soavailconn: "
		    "dragonfly-2011 does not have it\n"
		    "note: modelled:\n" },
		{ "kern.ipc.soavailcon: 1", NULL,
		    "x.yaml:7:14: error: sysctl 'kern.ipc.soavailcon' is not "
		    "modelled\n"
		    "note: modelled:\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_2011(rows[i].sysctls);
		assert_null(
		    load_sets("x.yaml", &rows[i].set, rows[i].set != NULL));
		assert_string_equal(messages, rows[i].want);
	}
}

/* Set, swept, or by alternatives: in the file of a kernel that has it. */
static void
test_absent_at_a_point_of_a_sweep(void **state)
{
	static const char *const sets[] = { "kernel=dragonfly-2011" };
	struct scenario *sc;
	char *text;

	(void)state;
	file_write("x.yaml", base);
	assert_null(load_sets("x.yaml", sets, 1));
	assert_string_equal(messages,
	    "x.yaml:8:29: error: kern.ipc.soavailconn: dragonfly-2011 does not "
	    "have it\n"
	    "note: modelled:\n"
	    "x.yaml:9:7: error: net.netisr.ncpus: dragonfly-2011 does not have "
	    "it\n"
	    "note: modelled:\n");
	write_2011("");
	file_write("y.yaml", "extends: x.yaml\n"
			     "sweep: {tcp.tso: [0, 1]}\n");
	assert_null(load_sets("y.yaml", NULL, 0));
	assert_string_equal(messages,
	    "y.yaml:2:19: error: net.inet.tcp.tso: dragonfly-2011 does not "
	    "have it\n"
	    "note: modelled:\n");
	text = replaced("extends: x.yaml\n"
			"sweep:\n"
			"  kernel:\n"
			"    old: {server.kernel: dragonfly-2011}\n"
			"    new: {server.kernel: dragonfly-2017, model: x550, "
			"tcp.tso: 0}\n",
	    "  kernel:", "  year:");
	file_write("y.yaml", text);
	sim_free(text);
	sc = load("y.yaml", NULL);
	assert_int_equal(scenario_npoints(sc), 2);
	scenario_destroy(sc);
	file_write("y.yaml", "extends: x.yaml\n"
			     "sweep:\n"
			     "  year:\n"
			     "    new: {server.kernel: dragonfly-2017, model: "
			     "x550, tcp.tso: 0}\n"
			     "    old: {tcp.tso: 1}\n");
	assert_null(load_sets("y.yaml", NULL, 0));
	assert_string_equal(messages,
	    "y.yaml:5:20: error: net.inet.tcp.tso: dragonfly-2011 does not "
	    "have it\n"
	    "note: modelled:\n"
	    "note: at this point of the sweep: year=old\n");
}

/* The card that a kernel is modelled with, and what it cannot do. */
static void
test_what_a_kernel_cannot_do_is_refused(void **state)
{
	static const struct {
		const char *set, *want;
	} rows[] = {
		{ "nics.em.model=x550",
		    "1:21: error: model: dragonfly-2011 is modelled with em "
		    "only, and em with dragonfly-2011 only" },
		{ "intr_cpu=24",
		    "1:16: error: intr_cpu: 24, want 0..23, the CPUs of big" },
		{ "polling=true", "1:15: error: polling: not modelled for em" },
		{ "nics.em.ports=2", "1:21: error: ports: 2, want 1 with em" },
		{ "reuseport=true",
		    "1:17: error: reuseport: dragonfly-2011 has no "
		    "SO_REUSEPORT groups" },
	};
	char want[200];

	(void)state;
	write_2011("");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_null(load_sets("x.yaml", &rows[i].set, 1));
		snprintf(
		    want, sizeof(want), "<command line>:%s\n", rows[i].want);
		assert_string_equal(messages, want);
	}
}

/* What `where` says of a sysctl that nobody sets. */
static void
test_published_defaults_are_the_kernels(void **state)
{
	struct scenario *sc;

	(void)state;
	write_2011("");
	file_write("y.yaml",
	    "extends: x.yaml\n"
	    "published:\n"
	    "  - where: {object: 8KiB, syncache.rexmtlimit: 3}\n"
	    "    throughput: {value: 1/s, tolerance: 2%}\n");
	sc = load("y.yaml", NULL);
	assert_int_equal(sc->sc_cells[0].ce_point, 1);
	scenario_destroy(sc);
	file_write("y.yaml",
	    "extends: x.yaml\n"
	    "published:\n"
	    "  - where: {object: 8KiB, syncache.rexmtlimit: 4}\n"
	    "    throughput: {value: 1/s, tolerance: 2%}\n");
	assert_null(load_sets("y.yaml", NULL, 0));
	assert_string_equal(messages,
	    "y.yaml:3:48: error: no point of the sweep has "
	    "server.sysctl.net.inet.tcp.syncache.rexmtlimit=4\n");
}

static void
test_lists_leave_out_what_is_absent(void **state)
{
	struct scenario *sc;
	char *list;
	size_t n;
	FILE *fp;

	(void)state;
	write_2011("");
	sc = load("x.yaml", NULL);
	fp = open_memstream(&list, &n);
	scenario_print_params(sc, fp);
	fclose(fp);
	assert_non_null(strstr(list, "machdep.cpu_idle_repeat"));
	assert_non_null(strstr(list, " 4 (default)  [1..1000000]\n"));
	assert_null(strstr(list, "server.sysctl.net.netisr.ncpus"));
	assert_non_null(strstr(list, "client0.sysctl.net.netisr.ncpus"));
	free(list);
	scenario_destroy(sc);
}

static void
test_references_name_the_kernel(void **state)
{
	char *text;
	size_t n;
	FILE *fp;

	(void)state;
	fp = open_memstream(&text, &n);
	keys_markdown(fp);
	fclose(fp);
	assert_non_null(
	    strstr(text, " | 4; dragonfly-2011: 3; freebsd-2007: absent | "));
	assert_non_null(strstr(
	    text, " | 32; dragonfly-2011: absent; freebsd-2007: absent | "));
	free(text);
	fp = open_memstream(&text, &n);
	keys_schema(fp);
	fclose(fp);
	assert_non_null(strstr(text, " (default of dragonfly-2011: 3; "));
	assert_non_null(strstr(text, " (default of dragonfly-2011: absent; "));
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_differences),
		cmocka_unit_test(test_defaults_are_the_kernels),
		cmocka_unit_test(test_kernel_may_be_swept),
		cmocka_unit_test(test_absent_sysctls_are_refused),
		cmocka_unit_test(test_absent_at_a_point_of_a_sweep),
		cmocka_unit_test(test_what_a_kernel_cannot_do_is_refused),
		cmocka_unit_test(test_published_defaults_are_the_kernels),
		cmocka_unit_test(test_lists_leave_out_what_is_absent),
		cmocka_unit_test(test_references_name_the_kernel),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
