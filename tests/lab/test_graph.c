/*
 * Pictures of scenarios: any name stays what it is, and what is drawn is what
 * the model builds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/hw/nic.h"
#include "model/kern/socket.h"
#include "model/model.h"
#include "model/net/if.h"
#include "sim/lab/graph.h"
#include "sim/lab/scenario.h"

static char *
quoted(const char *text, int most)
{
	char *out;
	size_t size;
	FILE *fp = open_memstream(&out, &size);

	graph_quote(fp, text, most);
	fclose(fp);
	return out;
}

static void
check_quoted(const char *text, int most, const char *want)
{
	char *got = quoted(text, most);

	assert_string_equal(got, want);
	free(got);
}

static void
test_names_have_no_meaning(void **state)
{
	(void)state;
	check_quoted("", 0, "\"\"");
	check_quoted("a b", 0, "\"a b\"");
	check_quoted("say \"no\"", 0, "\"say \\\"no\\\"\"");
	check_quoted("C:\\N", 0, "\"C:\\\\N\"");
	check_quoted("ends in \\", 0, "\"ends in \\\\\"");
	check_quoted("</script>&lt;", 0, "\"&lt;/script&gt;&amp;lt;\"");
	check_quoted("two\nlines\t\x7f", 0, "\"two lines  \"");
	check_quoted("\xf0\x9f\x90\xa1", 0, "\"\xf0\x9f\x90\xa1\"");
}

static void
test_long_names_end_at_a_character(void **state)
{
	(void)state;
	check_quoted("abcdef", 6, "\"abcdef\"");
	check_quoted("abcdefg", 6, "\"abcdef\xe2\x80\xa6\"");
	check_quoted(
	    "\xc3\xa4\xc3\xb6\xc3\xbc", 2, "\"\xc3\xa4\xc3\xb6\xe2\x80\xa6\"");
}

static char *
picture_of(const struct setup *su, struct record *const *rds, int n)
{
	char *out;
	size_t size;
	FILE *fp = open_memstream(&out, &size);

	graph_dot(fp, su, rds, n);
	fclose(fp);
	return out;
}

static bool has(const char *dot, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool
has(const char *dot, const char *fmt, ...)
{
	char text[100];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return strstr(dot, text) != NULL;
}

static int
want(bool is, bool should, const char *what, int n)
{
	if (is == should)
		return 0;
	print_error("%s %d: drawn %d, built %d\n", what, n, is, should);
	return 1;
}

/*
 * Everything that is drawn is where the model puts it: rings, protocol threads,
 * who feeds which socket by way of all hash values, and the workers' CPUs.
 * Returns: what is not.
 */
static int
differences(const struct machine *m, const char *dot)
{
	const struct machine_procs *mp = m->m_procs;
	int nrxr = m->m_ifnets[0]->if_port->np_nrxr, bad = 0;

	for (int c = 0; c < m->m_ncpus; c++)
		bad += want(has(dot, "netisr %d\"", c), c < m->m_netisr_ncpus,
		    "netisr", c);
	for (int v = 0; v < NIC_RSS_VALUES; v++)
		bad += want(has(dot, "m0_c%d -> m0_s0_%d\n",
				v % m->m_netisr_ncpus, v % mp->mp_nlisteners),
		    true, "hash", v);
	for (int w = 0; w < mp->mp_nworkers; w++)
		for (int c = 0; c < m->m_ncpus; c++)
			bad += want(has(dot, "nginx %d\\non CPU %d\"", w, c),
			    mp->mp_listeners[w]->sl_cpu == c, "worker", w);
	for (int r = 0; r <= nrxr; r++)
		bad += want(has(dot, "m0_n0_p0 -> m0_n0_r%d\n", r), r < nrxr,
		    "ring", r);
	return bad;
}

/* One engine a process. */
static void
compare(const char *file, const char *const *sets, int nsets)
{
	const struct model_options mo = { 0 };
	struct scenario *sc;
	struct setup *su;
	struct model *md;
	struct diag d;
	char *dot;
	int status;

	fflush(NULL);
	if (fork() == 0) {
		diag_init(&d);
		sc = scenario_load(file, sets, nsets, NULL, &d);
		diag_print(&d, stderr);
		su = calloc(1, sizeof(*su));
		if (sc == NULL || su == NULL)
			_exit(99);
		scenario_point(sc, SCENARIO_BASE, su);
		dot = picture_of(su, NULL, 0);
		md = model_create(su, &mo);
		status = differences(&md->md_machines[0], dot);
		fflush(NULL);
		_exit(status > 90 ? 90 : status);
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
}

static void
test_what_is_drawn_is_what_is_built(void **state)
{
	static const char *const few[] = { "server.sysctl.net.netisr.ncpus=4",
		"workers=4" };
	static const char *const six[] = { "server.sysctl.net.netisr.ncpus=6",
		"workers=6", "affinity=per-cpu", "nginx.cpu=2" };
	static const char *const moved[] = { "nginx.cpu=3" };

	(void)state;
	compare("scenarios/soavailconn.yaml", few, 2);
	compare("scenarios/soavailconn.yaml", six, 4);
	compare("scenarios/accept-predication.yaml", moved, 1);
}

/* Of many CPUs the ends and the extremes are drawn, and the rest counted. */
static void
test_extremes_are_drawn(void **state)
{
	struct record_cpu cpus[24];
	struct record_listener listeners[24];
	struct record rd = { .rd_cpus = cpus,
		.rd_ncpus = 24,
		.rd_listeners = listeners,
		.rd_nlisteners = 24,
		.rd_measure_ns = 1000000000 };
	struct record *rds[] = { &rd };
	struct setup *su = calloc(1, sizeof(*su));
	struct scenario *sc;
	struct diag d;
	char *dot;

	(void)state;
	diag_init(&d);
	sc = scenario_load("scenarios/soavailconn.yaml", NULL, 0, NULL, &d);
	assert_non_null(sc);
	scenario_point(sc, SCENARIO_BASE, su);
	for (int i = 0; i < 24; i++) {
		cpus[i] = (struct record_cpu){ .ru_machine = "server",
			.ru_cpu = i,
			.ru_busy = i == 7   ? 0.9
				   : i == 9 ? 0.1
					    : 0.5 };
		listeners[i] = (struct record_listener){
			.rl_machine = "server",
			.rl_index = i,
			.rl_cpu = i,
			.rl_qlen_mean = i == 12 ? 200 : 10,
			.rl_qlen_max = 257,
			.rl_qlimit = 256,
			.rl_syn_drops = i == 15 ? 99 : 0,
			.rl_accepted = 1000,
		};
	}
	dot = picture_of(su, rds, 1);
	assert_true(has(dot, "CPU 7\\nnetisr 7\\n90 %% busy"));
	assert_true(has(dot, "CPU 9\\nnetisr 9\\n10 %% busy"));
	assert_true(has(dot, "so_comp 12\\n200 of 256, at most 257"));
	assert_true(has(dot, "99 SYNs dropped"));
	assert_true(has(dot, "CPU 23\\n"));
	assert_true(has(dot, "... 17 CPUs more"));
	assert_false(has(dot, "CPU 20\\n"));
	assert_true(has(dot, "label=\"1000/s\""));
	free(dot);
	free(su);
	scenario_destroy(sc);
	diag_fini(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_have_no_meaning),
		cmocka_unit_test(test_long_names_end_at_a_character),
		cmocka_unit_test(test_what_is_drawn_is_what_is_built),
		cmocka_unit_test(test_extremes_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
