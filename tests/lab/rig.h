#ifndef TESTS_LAB_RIG_H
#define TESTS_LAB_RIG_H

/*
 * A folder with two made-up profiles, a scenario to break or extend, and what
 * loading says. For setup() and teardown() of cmocka.
 */
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
#include "sim/lab/hardware.h"
#include "sim/lab/scenario.h"

static char *dir;
static char *messages;

static inline void
file_write(const char *name, const char *text)
{
	FILE *fp = fopen(name, "w");

	assert_non_null(fp);
	fputs(text, fp);
	fclose(fp);
}

static inline int
role_of(const char *name)
{
	int r = 0;

	while (strcmp(hardware_role_name((enum hardware_role)r), name) != 0)
		r++;
	return r;
}

/* Gives the text of a profile in which every cost is 100 ns. */
static __attribute__((noinline, unused)) char *
profile(const char *role, int cpus)
{
	int r = role_of(role);
	bool peer = r == HARDWARE_CLIENT || r == HARDWARE_LINUX;
	char *text;
	size_t n;
	FILE *fp = open_memstream(&text, &n);

	fprintf(fp,
	    "title: made up\nrole: %s\n"
	    "cpus: {value: %d, kind: datasheet, source: s}\n"
	    "threads_per_core: {value: 2, kind: datasheet, source: s}\n"
	    "smt_idle_speed: {value: 1.6, kind: guess, source: s}\n",
	    role, cpus);
	if (!peer)
		fputs("cache:\n"
		      "  knee: {value: 450KiB, kind: guess, source: s}\n"
		      "  touch: {value: 1KiB, kind: guess, source: s}\n",
		    fp);
	if (r == HARDWARE_FREEBSD)
		fputs("  size: {value: 576KiB, kind: guess, source: s}\n"
		      "  way_size: {value: 32KiB, kind: guess, source: s}\n"
		      "cost_spread: {value: 0, kind: guess, source: s}\n",
		    fp);
	for (int i = 0; i < COST_work; i++) {
		if (!hardware_lacks(r, cost_infos[i].ci_name))
			fprintf(fp,
			    "%s: {cost: 100ns, kind: measured, source: s}\n",
			    cost_infos[i].ci_name);
	}
	fclose(fp);
	return text;
}

static inline void
profile_write(const char *name, const char *role, int cpus)
{
	char *text = profile(role, cpus);

	file_write(name, text);
	free(text);
}

/* One of freebsd-2007. */
static const char receive[] __attribute__((unused)) =
    "title: t\n"
    "machines:\n"
    "  rome:\n"
    "    kernel: freebsd-2007\n"
    "    hardware: rome\n"
    "    nics: {mxge: {model: mxge, latency: 2us}}\n"
    "    processes: {ns: {program: netserver, cpu: any}}\n"
    "peers:\n"
    "  venice: {hardware: venice, link: rome.mxge0, tool: netperf}\n";

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

static inline int
setup(void **state)
{
	char template[] = "/tmp/solab-scenario-XXXXXX";

	(void)state;
	dir = mkdtemp(template);
	assert_non_null(dir);
	dir = sim_strdup(dir);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(mkdir("hardware", 0700), 0);
	profile_write("hardware/big.yaml", "server", 24);
	profile_write("hardware/small.yaml", "client", 8);
	profile_write("hardware/rome.yaml", "freebsd", 2);
	profile_write("hardware/venice.yaml", "linux", 2);
	return 0;
}

static inline int
teardown(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(system(command), 0);
	sim_free(dir);
	free(messages);
	messages = NULL;
	return 0;
}

/* Gives a text with one part replaced. (gcc 12 warns falsely when inlined.) */
static __attribute__((noinline, unused)) char *
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
static inline struct scenario *
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

static inline struct scenario *
load(const char *file, const char *set)
{
	struct scenario *sc = load_sets(file, &set, set != NULL);

	if (sc == NULL)
		fail_msg("%s", messages);
	return sc;
}

#endif
