/* What identifies a point: scenario_resolved(). */
#include "tests/lab/rig.h"

#include "sim/lab/scenario_impl.h"

/* The keys that some scenario below changed, with what came of it. */
static bool *changed;

static const char polled[] =
    "title: t\n"
    "machines:\n"
    "  server:\n"
    "    kernel: dragonfly-2017\n"
    "    hardware: big\n"
    "    nics: {ix: {model: x550, ports: 2, latency: 5us}}\n"
    "    processes: {nginx: {workers: 4, reuseport: true, object: 1KiB}}\n"
    "peers:\n"
    "  client0: {hardware: small, link: server.ix0, connections: 100}\n";

static const char interrupts[] =
    "title: t\n"
    "machines:\n"
    "  server:\n"
    "    kernel: dragonfly-2011\n"
    "    hardware: big\n"
    "    nics: {em: {model: em, latency: 5us}}\n"
    "    processes: {nginx: {workers: 4, object: 1KiB}}\n"
    "peers:\n"
    "  client0: {hardware: small, link: server.em0, tool: httperf,\n"
    "    processes: 8, threads: 4}\n";

static void
profiles_write(void)
{
	profile_write("hardware/big2.yaml", "server", 24);
	profile_write("hardware/small2.yaml", "client", 8);
}

/* Gives the list of a point as text, "PATH=VALUE\n". */
static char *
listed(struct scenario *sc, int point)
{
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	char *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	int n = scenario_resolved(sc, point, &yp, &sv);

	for (int i = 0; i < n; i++)
		fprintf(fp, "%s=%s\n", sv[i].sv_path, sv[i].sv_value);
	fclose(fp);
	ypool_fini(&yp);
	return text;
}

static const struct scenario_resolved *
resolved_find(const struct scenario_resolved *sv, int n, const char *path)
{
	for (int i = 0; i < n; i++) {
		if (strcmp(sv[i].sv_path, path) == 0)
			return &sv[i];
	}
	return NULL;
}

/* What may be tried in place of a value; NULL: no more. */
static const char *
candidate(const struct key *k, const char *now, int i, char *buf)
{
	static const char *const others[] = { "big2", "small2", "server.ix1",
		NULL };
	struct unit_error ue;
	struct quantity q;
	int64_t to[5];

	switch (k->k_type) {
	case KEY_TEXT:
		return NULL;
	case KEY_PROFILE:
	case KEY_LINK:
		return others[i];
	case KEY_CHOICE:
		return k->k_choices[i].kc_name;
	case KEY_BOOL:
		return i == 0 ? "true" : i == 1 ? "false" : NULL;
	case KEY_NUMBER:
	case KEY_REAL:
	case KEY_QUANTITY:
		break;
	}
	if (k->k_choices != NULL && strcmp(now, "any") == 0)
		return i == 0 ? "1" : NULL;
	if (k->k_auto && strcmp(now, "auto") == 0)
		return i == 0 ? "150ms" : NULL;
	assert_true(unit_parse(k->k_unit, now, &q, &ue));
	to[0] = q.q_int + 1;
	to[1] = q.q_int - 1;
	to[2] = 2 * q.q_int;
	to[3] = q.q_int / 2;
	to[4] = 2;
	return i < 5 ? unit_print(k->k_unit, to[i], buf) : NULL;
}

static bool
is_canonical(const struct key *k, const char *text, const char *printed)
{
	struct ynode yn = { .yn_kind = YNODE_SCALAR, .yn_text = text };
	char buf[UNIT_TEXT_MAX + 300];
	struct key_value kv;
	struct diag d;

	diag_init(&d);
	assert_true(key_parse(k, &yn, &kv, &d));
	diag_fini(&d);
	return strcmp(key_print(k, &kv, buf, sizeof(buf)), printed) == 0;
}

/*
 * Set a path to something else, if there is anything that the scenario admits,
 * and back. Returns: whether there is.
 */
static bool
path_changes(const struct scenario *sc, const struct scenario_path *sp,
    const char *path, const char *now, const char *before)
{
	char buf[UNIT_TEXT_MAX], set[600], back[600], *after;
	const char *sets[2] = { set, back }, *value;
	const struct scenario_resolved *found;
	struct scenario_resolved *sv;
	struct scenario *other;
	struct ypool yp = { NULL };
	int n;

	for (int i = 0; (value = candidate(sp->sp_key, now, i, buf)) != NULL;
	     i++) {
		if (strcmp(value, now) == 0)
			continue;
		snprintf(set, sizeof(set), "%s=%s", path, value);
		snprintf(back, sizeof(back), "%s=%s", path, now);
		other = load_sets(sc->sc_file, sets, 1);
		if (other == NULL)
			continue;
		n = scenario_resolved(other, 0, &yp, &sv);
		found = resolved_find(sv, n, path);
		assert_non_null(found);
		assert_true(is_canonical(sp->sp_key, value, found->sv_value));
		assert_int_equal(found->sv_from, SCENARIO_FROM_AXIS);
		assert_int_equal(found->sv_bare,
		    key_text_is_bare(sp->sp_key, found->sv_value));
		after = listed(other, 0);
		assert_string_not_equal(before, after);
		free(after);
		scenario_destroy(other);
		other = load_sets(sc->sc_file, sets, 2);
		assert_non_null(other);
		after = listed(other, 0);
		assert_string_equal(before, after);
		free(after);
		scenario_destroy(other);
		ypool_fini(&yp);
		return true;
	}
	return false;
}

static void
paths_change(const char *text)
{
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	struct scenario *sc;
	char *before;
	int n;

	file_write("x.yaml", text);
	sc = load("x.yaml", NULL);
	before = listed(sc, SCENARIO_BASE);
	n = scenario_resolved(sc, 0, &yp, &sv);
	for (size_t p = 0; p < sc->sc_npaths; p++) {
		const struct scenario_path *sp = &sc->sc_paths[p];
		const struct scenario_resolved *now;
		char path[300];

		snprintf(path, sizeof(path), "%s", sp->sp_name);
		if (sp->sp_key->k_type == KEY_PROFILE)
			*strrchr(path, '.') = '\0';
		now = resolved_find(sv, n, path);
		if (now != NULL &&
		    path_changes(sc, sp, path, now->sv_value, before))
			changed[sp->sp_key - keys] = true;
	}
	free(before);
	ypool_fini(&yp);
	scenario_destroy(sc);
}

/*
 * All but keys of one choice, texts, what says how often one runs, and what
 * never changes alone: see the tests below.
 */
static bool
must_change(const struct key *k)
{
	return k->k_type != KEY_TEXT &&
	       strcmp(k->k_path, "machines.*.processes.*.program") != 0 &&
	       strcmp(k->k_path, "machines.*.kernel") != 0 &&
	       strcmp(k->k_path, "peers.*.tool") != 0 &&
	       strcmp(k->k_path, "run.seed") != 0 &&
	       strcmp(k->k_path, "run.replications") != 0;
}

static void
test_every_key_is_in_the_list(void **state)
{
	char *text, *open;
	int missed = 0;

	(void)state;
	profiles_write();
	changed = sim_calloc(keys_n, sizeof(*changed));
	paths_change(polled);
	paths_change(interrupts);
	paths_change(receive);
	text =
	    replaced(polled, "small", "{profile: small, cache: {knee: 2KiB}}");
	paths_change(text);
	sim_free(text);
	text = replaced(polled, "connections: 100", "tool: open, rate: 5000/s");
	paths_change(text);
	open =
	    replaced(text, "nics:", "sysctl: {net.netisr.ncpus: 2}\n    nics:");
	paths_change(open);
	sim_free(open);
	sim_free(text);
	for (size_t i = 0; i < keys_n; i++) {
		if (changed[i] || !must_change(&keys[i]))
			continue;
		print_error("never changed: %s\n", keys[i].k_path);
		missed++;
	}
	assert_int_equal(missed, 0);
	sim_free(changed);
}

/* Seed and replications are of the runs. */
static void
test_runs_of_a_point_share_its_list(void **state)
{
	static const char *const sets[] = { "seed=7", "replications=3" };
	struct scenario *sc;
	char *a, *b;

	(void)state;
	file_write("x.yaml", polled);
	sc = load("x.yaml", NULL);
	a = listed(sc, 0);
	scenario_destroy(sc);
	sc = load_sets("x.yaml", sets, 2);
	assert_non_null(sc);
	b = listed(sc, 0);
	assert_string_equal(a, b);
	scenario_destroy(sc);
	free(a);
	free(b);
	file_write("x.yaml", "title: x\nsource: y\n");
	a = replaced(polled, "title: t", "title: x\nsource: y");
	file_write("x.yaml", a);
	sim_free(a);
	sc = load("x.yaml", NULL);
	a = listed(sc, 0);
	assert_null(strstr(a, "title="));
	assert_null(strstr(a, "source="));
	scenario_destroy(sc);
	free(a);
}

static void
value_is(const struct scenario_resolved *sv, int n, const char *path,
    const char *value, enum scenario_origin from)
{
	const struct scenario_resolved *found = resolved_find(sv, n, path);

	if (found == NULL)
		fail_msg("no %s", path);
	assert_string_equal(found->sv_value, value);
	assert_int_equal(found->sv_from, from);
}

static void
test_values_say_where_they_are_from(void **state)
{
	static const char *const sets[] = { "server.hardware.ngx_request=9us",
		"connections=9000" };
	const char *path = "server.sysctl.kern.ipc.soavailconn";
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	struct scenario *sc;
	int n;

	(void)state;
	file_write("x.yaml", base);
	sc = load_sets("x.yaml", sets, 2);
	assert_non_null(sc);
	n = scenario_resolved(sc, 3, &yp, &sv);
	value_is(sv, n, path, "32", SCENARIO_FROM_AXIS);
	value_is(
	    sv, n, "server.processes.nginx.object", "8KiB", SCENARIO_FROM_AXIS);
	value_is(sv, n, "server.hardware", "big", SCENARIO_FROM_FILE);
	value_is(sv, n, "client1.hardware", "small", SCENARIO_FROM_FILE);
	value_is(
	    sv, n, "server.hardware.ngx_request", "9us", SCENARIO_FROM_AXIS);
	value_is(
	    sv, n, "server.hardware.token", "100ns", SCENARIO_FROM_PROFILE);
	value_is(
	    sv, n, "client1.hardware.host_rx", "100ns", SCENARIO_FROM_PROFILE);
	value_is(sv, n, "server.kernel", "dragonfly-2017", SCENARIO_FROM_FILE);
	value_is(sv, n, "server.sysctl.kern.ipc.somaxconn", "128",
	    SCENARIO_FROM_DEFAULT);
	/* client1 extends client0. */
	value_is(sv, n, "client1.connections", "9000", SCENARIO_FROM_AXIS);
	value_is(sv, n, "client1.threads", "8", SCENARIO_FROM_FILE);
	value_is(sv, n, "client1.link", "server.ix1", SCENARIO_FROM_FILE);
	value_is(sv, n, "run.measure", "10s", SCENARIO_FROM_DEFAULT);
	/* A client's profile need not have it. */
	value_is(
	    sv, n, "client0.hardware.cache.knee", "0B", SCENARIO_FROM_PROFILE);
	assert_null(resolved_find(sv, n, "run.seed"));
	assert_null(resolved_find(sv, n, "client0.hardware.token"));
	n = scenario_resolved(sc, SCENARIO_BASE, &yp, &sv);
	value_is(
	    sv, n, "server.processes.nginx.object", "1KiB", SCENARIO_FROM_AXIS);
	ypool_fini(&yp);
	scenario_destroy(sc);
}

/* What a kernel lacks is not there; its defaults are its own. */
static void
test_the_kernel_decides(void **state)
{
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	struct scenario *sc;
	char *text;
	int n;

	(void)state;
	text = replaced(interrupts, "title: t\n",
	    "title: t\nsweep:\n  year:\n"
	    "    new: {kernel: dragonfly-2017, server.nics.em.model: x550}\n"
	    "    old: {kernel: dragonfly-2011}\n");
	file_write("x.yaml", text);
	sim_free(text);
	sc = load("x.yaml", NULL);
	n = scenario_resolved(sc, 0, &yp, &sv);
	value_is(sv, n, "server.kernel", "dragonfly-2017", SCENARIO_FROM_AXIS);
	value_is(sv, n, "server.nics.em.model", "x550", SCENARIO_FROM_AXIS);
	value_is(sv, n, "server.sysctl.kern.ipc.soavailconn", "32",
	    SCENARIO_FROM_DEFAULT);
	value_is(sv, n, "server.sysctl.machdep.cpu_idle_repeat", "750",
	    SCENARIO_FROM_DEFAULT);
	n = scenario_resolved(sc, 1, &yp, &sv);
	value_is(sv, n, "server.kernel", "dragonfly-2011", SCENARIO_FROM_AXIS);
	value_is(sv, n, "server.nics.em.model", "em", SCENARIO_FROM_FILE);
	value_is(sv, n, "server.sysctl.machdep.cpu_idle_repeat", "4",
	    SCENARIO_FROM_DEFAULT);
	assert_null(resolved_find(sv, n, "server.sysctl.kern.ipc.soavailconn"));
	assert_null(resolved_find(sv, n, "year"));
	ypool_fini(&yp);
	scenario_destroy(sc);
}

static void
test_the_tool_is_in_the_list(void **state)
{
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	struct scenario *sc;
	char *text;
	int n;

	(void)state;
	text = replaced(polled, "title: t\n",
	    "title: t\nsweep:\n  load:\n    closed: {tool: wrk}\n"
	    "    open: {tool: open, client0.rate: 100/s}\n");
	file_write("x.yaml", text);
	sim_free(text);
	sc = load("x.yaml", NULL);
	n = scenario_resolved(sc, 0, &yp, &sv);
	value_is(sv, n, "client0.tool", "wrk", SCENARIO_FROM_AXIS);
	value_is(sv, n, "client0.rate", "0/s", SCENARIO_FROM_DEFAULT);
	n = scenario_resolved(sc, 1, &yp, &sv);
	value_is(sv, n, "client0.tool", "open", SCENARIO_FROM_AXIS);
	value_is(sv, n, "client0.rate", "100/s", SCENARIO_FROM_AXIS);
	ypool_fini(&yp);
	scenario_destroy(sc);
}

/* However it is written: units, siblings, alternatives, the profile's value. */
static void
test_equal_points_have_equal_lists(void **state)
{
	static const char *const ways[][2] = {
		{ "object: 1KiB", "object: 1024B" },
		{ "latency: 5us", "latency: 0.005 ms" },
		{ "latency: 5us", "latency: 5us, rate: 10000Mbps" },
		{ "hardware: big", "hardware: {profile: big, token: 0.1us}" },
		{ "title: t", "title: other\nrun: {measure: 10s}" },
		{ "title: t", "title: t\nsweep: {w: {one: {workers: 4}}}" },
		{ "title: t", "title: t\nsweep: {nginx.workers: [4, 5]}" },
	};
	struct scenario *sc;
	char *want, *got, *text;

	(void)state;
	file_write("x.yaml", polled);
	sc = load("x.yaml", NULL);
	want = listed(sc, 0);
	scenario_destroy(sc);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		text = replaced(polled, ways[i][0], ways[i][1]);
		file_write("x.yaml", text);
		sim_free(text);
		sc = load("x.yaml", NULL);
		got = listed(sc, 0);
		assert_string_equal(got, want);
		free(got);
		scenario_destroy(sc);
	}
	free(want);
}

/* Values that differ in the last place that can be written. */
static void
test_fractions_differ(void **state)
{
	static const char *const loss[] = { "loss=0.1%",
		"loss=0.1000000000001%", "loss=0.100000000000001%" };
	char *lists[3];

	(void)state;
	file_write("x.yaml", polled);
	for (int i = 0; i < 3; i++) {
		struct scenario *sc = load("x.yaml", loss[i]);

		lists[i] = listed(sc, 0);
		scenario_destroy(sc);
	}
	assert_string_not_equal(lists[0], lists[1]);
	assert_string_not_equal(lists[0], lists[2]);
	assert_string_not_equal(lists[1], lists[2]);
	for (int i = 0; i < 3; i++)
		free(lists[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key_is_in_the_list),
		cmocka_unit_test(test_runs_of_a_point_share_its_list),
		cmocka_unit_test(test_values_say_where_they_are_from),
		cmocka_unit_test(test_the_kernel_decides),
		cmocka_unit_test(test_the_tool_is_in_the_list),
		cmocka_unit_test(test_equal_points_have_equal_lists),
		cmocka_unit_test(test_fractions_differ),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
