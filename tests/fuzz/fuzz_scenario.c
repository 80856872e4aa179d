/*
 * Any bytes as a scenario file: an error message or a scenario whose every
 * point resolves, never a crash. Lines "#set PATH=VALUE" at the beginning are
 * overrides of the command line.
 *
 * With libFuzzer:
 *	clang -fsanitize=fuzzer,address,undefined -DSOLAB_LIBFUZZER ...
 * Without it main() tries some thousand mutations of good scenarios; more with
 * arguments: the number of them, and where to begin.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/hardware.h"
#include "sim/lab/scenario.h"

#define MAX_SETS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/solab-fuzz-XXXXXX";
static const char *const names[HARDWARE_NROLES] = {
	[HARDWARE_SERVER] = "big",
	[HARDWARE_CLIENT] = "small",
	[HARDWARE_FREEBSD] = "rome",
	[HARDWARE_LINUX] = "venice",
};

static void
profile_write(const char *name, enum hardware_role role)
{
	char path[100];
	FILE *fp;

	snprintf(path, sizeof(path), "%s/%s.yaml", dir, name);
	fp = fopen(path, "w");
	if (fp == NULL)
		abort();
	fprintf(fp,
	    "role: %s\ncpus: {value: 4, kind: guess, source: s}\n"
	    "threads_per_core: {value: 2, kind: guess, source: s}\n"
	    "smt_idle_speed: {value: 1.6, kind: guess, source: s}\n"
	    "cache: {knee: {value: 450KiB, kind: guess, source: s},\n"
	    "  touch: {value: 1KiB, kind: guess, source: s},\n"
	    "  size: {value: 1MiB, kind: guess, source: s},\n"
	    "  way_size: {value: 64KiB, kind: guess, source: s}}\n"
	    "cost_spread: {value: 0.2, kind: guess, source: s}\n",
	    hardware_role_name(role));
	for (int i = 0; i < COST_work; i++) {
		if (!hardware_lacks(role, cost_infos[i].ci_name))
			fprintf(fp,
			    "%s: {cost: 1us, range: 500ns..2us, "
			    "kind: guess, source: s}\n",
			    cost_infos[i].ci_name);
	}
	fclose(fp);
}

static void
cleanup(void)
{
	char path[100];

	for (int r = 0; r < HARDWARE_NROLES; r++) {
		snprintf(path, sizeof(path), "%s/%s.yaml", dir, names[r]);
		unlink(path);
	}
	rmdir(dir);
}

static int
file_open(void)
{
	if (mkdtemp(dir) == NULL)
		abort();
	atexit(cleanup);
	for (int r = 0; r < HARDWARE_NROLES; r++)
		profile_write(names[r], (enum hardware_role)r);
	return memfd_create("scenario", 0);
}

/* Take "#set " lines off the beginning. */
static int
sets_split(char **text, size_t *size, const char **sets)
{
	int n = 0;
	char *nl;

	while (n < MAX_SETS && strncmp(*text, "#set ", 5) == 0 &&
	       (nl = memchr(*text, '\n', *size)) != NULL) {
		*nl = '\0';
		sets[n++] = *text + 5;
		*size -= (size_t)(nl + 1 - *text);
		*text = nl + 1;
	}
	return n;
}

static void
use(struct scenario *sc, FILE *null)
{
	struct scenario_param params[SCENARIO_MAX_AXES];
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	static struct setup su;
	int n = scenario_npoints(sc);
	char label[200];

	for (int i = SCENARIO_BASE; i < n && i < 3; i++) {
		scenario_point(sc, i, &su);
		scenario_point_label(sc, i, label, sizeof(label));
		scenario_params(sc, i, params);
		scenario_resolved(sc, i, &yp, &sv);
	}
	ypool_fini(&yp);
	for (int i = 0; i < sc->sc_nfits; i++)
		scenario_fit_set(sc, i, &su, scenario_fit_get(sc, i, &su) + 1);
	for (int i = 0; i < 2 * sc->sc_ngroups; i++)
		scenario_group_set(sc, i / 2, i % 2 == 1, &su);
	scenario_print_params(sc, null);
	scenario_print_points(sc, null);
	scenario_destroy(sc);
}

/* Did it load? */
static bool
load(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static FILE *null;
	const char *sets[MAX_SETS];
	char *copy = sim_calloc(size + 1, 1), *text = copy, path[40];
	struct scenario *sc;
	struct diag d;
	bool loaded;
	int nsets;

	if (fd < 0) {
		fd = file_open();
		null = fopen("/dev/null", "w");
	}
	if (size > 0)
		memcpy(copy, data, size);
	nsets = sets_split(&text, &size, sets);
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	diag_init(&d);
	sc = scenario_load(path, sets, nsets, dir, &d);
	if ((sc == NULL) != (d.d_nerrors > 0))
		abort();
	diag_print(&d, null);
	diag_fini(&d);
	loaded = sc != NULL;
	if (loaded)
		use(sc, null);
	sim_free(copy);
	return loaded;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	load(data, size);
	return 0;
}

#ifndef SOLAB_LIBFUZZER
static const char good_2017[] =
    "#set server.hardware.ngx_request=30us\n"
    "#set connections=100,200\n"
    "title: t\nmachines:\n  server: &s\n    kernel: dragonfly-2017\n"
    "    hardware: big\n"
    "    nics: {ix: {model: x550, ports: 2, latency: 5us, polling: true}}\n"
    "    sysctl: {kern.ipc.soavailconn: 32, net.netisr.ncpus: 4}\n"
    "    processes: {nginx: {workers: 4, reuseport: true, object: 1KiB}}\n"
    "peers:\n  c0: {hardware: small, link: server.ix0, connections: 16}\n"
    "  c1: {extends: c0, link: server.ix1, loss: 0.1%, timeout: 2 s}\n"
    "run: {warmup: 5s}\nsweep:\n  object: [1KiB, 8KiB]\n"
    "  soavailconn: [0, 32]\npublished:\n"
    "  - where: {object: 8KiB, soavailconn: 0}\n    fitted: [throughput]\n"
    "    throughput: {value: 2.88 /s, tolerance: 2%}\n"
    "fit:\n  - {cost: server.hardware.ngx_request, range: 5us..80us,\n"
    "     cell: {where: {object: 8KiB, soavailconn: 0}, "
    "metric: throughput}}\n";

static const char good_2011[] =
    "#set soaccept_pred_fast=0,1\n"
    "title: t\nmachines:\n  server:\n    kernel: dragonfly-2011\n"
    "    hardware: {profile: big, ipi_send: 700ns}\n"
    "    nics: {em: {model: em, latency: 9us, intr_cpu: 2}}\n"
    "    processes: {nginx: {workers: 1, cpu: 1, object: 151B}}\n"
    "peers:\n  c0: {hardware: small, link: server.em0, tool: httperf,\n"
    "    threads: 4, processes: 8, sessions: 50, request: 62B}\n"
    "run: {start: burst, measure: 1s, replications: 2}\nsweep:\n"
    "  place:\n    beside: {nginx.cpu: 1}\n"
    "    2 workers: {nginx.cpu: 0, workers: 2}\n"
    "  kern.ipc.soaccept_pred_fast: [0, 1]\npublished:\n"
    "  - where: {place: beside, soaccept_pred_fast: 1}\n"
    "    ratio_to: {soaccept_pred_fast: 0}\n"
    "    request_rate: {value: 5.32 %, tolerance: 2.5%, missed: why}\n"
    "  - where: {place: 2 workers, soaccept_pred_fast: 1}\n"
    "    ratio_to: {soaccept_pred_fast: 0}\n"
    "    request_rate: {value: -5 %, within: ranges}\n"
    "ranges:\n  ipi: [server.hardware.ipi_send, server.hardware.ipi_recv]\n"
    "  host: [c0.hardware.host_rx, c0.hardware.host_select]\n";

static const char good_sweep[] =
    "#set object=2KiB,4KiB\n"
    "#set loss=0.1%..0.3%*1.5\n"
    "title: t\nmachines:\n  server:\n    kernel: dragonfly-2017\n"
    "    hardware: big\n    nics: {ix: {model: x550, latency: 5us}}\n"
    "    processes: {nginx: {workers: 4, object: 1KiB}}\n"
    "peers:\n  c0: {hardware: small, link: server.ix0, connections: 16}\n"
    "sweep:\n"
    "  soavailconn: [0, 1..8*2]\n"
    "  zip: [[object, workers]]\n"
    "  object: [1KiB, 8KiB]\n"
    "  workers: 2..4+2\n"
    "  way: {a: {work: 1us}, b: {work: 2us}}\n"
    "  points: [{events: 64}, {changes: 64, way: b}, {token: 9ns}]\n"
    "  leave_out: [{soavailconn: 1, way: a}, {workers: 4, events: 64}]\n"
    "published:\n"
    "  - where: {object: 8KiB, workers: 4, soavailconn: 0, way: b,\n"
    "      changes: 64}\n"
    "    throughput: {value: 2.88 /s, tolerance: 2%}\n";

static uint32_t
next(uint64_t *x, uint32_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*x >> 33) % below;
}

/* Change, cut, double or copy a few bytes. */
static size_t
mutate(char *text, size_t size, uint64_t *x)
{
	static const char odd[] =
	    "[]{}:,-+&*!|>'\"%@#\t\n .0123456789aszKM\xff";
	int times = 1 + (int)next(x, 4);

	for (int i = 0; i < times && size > 20; i++) {
		size_t at = next(x, (uint32_t)size - 16);
		size_t from = next(x, (uint32_t)size - 16);
		size_t n = 1 + next(x, 15);

		switch (next(x, 4)) {
		case 0:
			text[at] = odd[next(x, sizeof(odd) - 1)];
			break;
		case 1:
			memmove(text + at, text + at + n, size - at - n);
			size -= n;
			break;
		case 2:
			memmove(text + at + n, text + at, size - at);
			size += n;
			break;
		case 3:
			memmove(text + at, text + from, n);
			break;
		}
	}
	return size;
}

int
main(int argc, char **argv)
{
	static const char *const good[] = { good_2017, good_2011, good_sweep };
	char text[sizeof(good_2017) + sizeof(good_2011) + 4 * 16];
	int times = argc > 1 ? atoi(argv[1]) : 9000;
	uint64_t x = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	size_t size;

	for (int i = 0; i < times; i++) {
		size = strlen(good[i % 3]);
		memcpy(text, good[i % 3], size);
		if (i >= 3)
			size = mutate(text, size, &x);
		if (!load((const uint8_t *)text, size) && i < 3)
			abort();
	}
	return 0;
}
#endif
