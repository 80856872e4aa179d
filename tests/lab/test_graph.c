/*
 * Pictures of scenarios: any name stays what it is, and what is drawn is what
 * the model builds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/hw/nic.h"
#include "model/kern/event.h"
#include "model/kern/socket.h"
#include "model/model.h"
#include "model/net/if.h"
#include "model/net/ifpoll.h"
#include "model/net/netisr.h"
#include "model/netinet/in_pcb.h"
#include "model/user/nginx.h"
#include "sim/core/alloc.h"
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
	/* U+0085, U+202E, U+FFFF, U+1FFFE; and what is not UTF-8. */
	check_quoted("a\xc2\x85"
		     "b\xe2\x80\xae"
		     "c\xef\xbf\xbf"
		     "d\xf0\x9f\xbf\xbe"
		     "e",
	    0, "\"a b c d e\"");
	check_quoted("\xff", 0, "\"\xef\xbf\xbd\"");
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

static bool
shown(const char *dot, int cpu)
{
	return has(dot, "\tm0_c%d [label=\"CPU", cpu);
}

/* Does this CPU take the frames of that ring, by interrupt or by polling? */
static bool
takes(const struct globaldata *gd, const struct ifnet *ifp, int ring)
{
	const struct cpu *c = &gd->gd_cpu;

	for (int i = 0; i < c->c_nsources; i++) {
		const struct cpu_source *cs = c->c_sources[i];

		/* Only a vector is its own argument. */
		if (cs->cs_arg == cs &&
		    ((const struct nic_vector *)cs->cs_arg)->nv_q ==
			&ifp->if_port->np_rxr[ring].rr_q)
			return true;
	}
	for (int i = 0; gd->gd_iopoll != NULL && i < gd->gd_iopoll->io_nifs;
	     i++)
		if (gd->gd_iopoll->io_if[i] == ifp && ring == c->c_id)
			return true;
	return false;
}

static int
ring_differences(const struct machine *m, const char *dot)
{
	const struct ifnet *ifp = m->m_ifnets[0];
	int bad = 0;

	for (int c = 0; c < m->m_ncpus; c++) {
		if (!shown(dot, c))
			continue;
		for (int r = 0; r < ifp->if_nrxr; r++)
			bad += want(
			    has(dot, "\tm0_n0_r%d -> m0_c%d [dir=both]\n", r,
				c) &&
				has(dot, "\tm0_n0_p0 -> m0_n0_r%d [dir=both]\n",
				    r),
			    takes(m->m_gd[c], ifp, r), "ring", r);
		/* The transmit rings beyond. */
		bad +=
		    want(has(dot, "\tm0_n0_r%d -> m0_c%d [dir=back]\n", c, c),
			c >= ifp->if_nrxr && c < ifp->if_ntxr, "TX ring", c);
	}
	return bad;
}

/* By way of all hash values: the redirect table, then the netisr's CPU. */
static int
hash_differences(const struct machine *m, const char *dot)
{
	const struct ifnet *ifp = m->m_ifnets[0];
	bool goes[SETUP_MAX_CPUS][SETUP_MAX_CPUS] = { { false } };
	int bad = 0;

	for (int v = 0; v < NIC_RSS_VALUES; v++)
		for (int c = 0; c < m->m_ncpus; c++)
			if (takes(m->m_gd[c], ifp, ifp->if_port->np_rdr[v]))
				goes[c][netisr_hashcpu(m, (uint32_t)v)] = true;
	for (int from = 0; from < m->m_ncpus; from++)
		for (int to = 0; to < m->m_ncpus; to++) {
			if (!shown(dot, to))
				continue;
			/* Who feeds a CPU that is drawn is drawn too. */
			if (goes[from][to])
				bad +=
				    want(shown(dot, from), true, "CPU", from);
			if (from != to && shown(dot, from))
				bad +=
				    want(has(dot, "\tm0_c%d -> m0_c%d [color",
					     from, to),
					goes[from][to], "hash to CPU", to);
		}
	return bad;
}

static int
socket_differences(const struct machine *m, const char *dot)
{
	const struct machine_procs *mp = m->m_procs;
	bool feeds[SETUP_MAX_CPUS][SETUP_MAX_CPUS] = { { false } };
	int bad = 0;

	for (int v = 0; v < NIC_RSS_VALUES; v++)
		for (int s = 0; s < mp->mp_nlisteners; s++)
			if (inp_localgroup_lookup(m->m_pcbinfo, (uint32_t)v) ==
			    mp->mp_listeners[s])
				feeds[netisr_hashcpu(m, (uint32_t)v)][s] = true;
	for (int s = 0; s < mp->mp_nlisteners; s++) {
		if (!has(dot, "\tm0_s0_%d [", s))
			continue;
		bad += want(
		    has(dot, "nlimit %d\"", mp->mp_listeners[s]->so_qlimit),
		    true, "limit", s);
		for (int c = 0; c < m->m_ncpus; c++)
			if (shown(dot, c))
				bad += want(
				    has(dot, "\tm0_c%d -> m0_s0_%d\n", c, s),
				    feeds[c][s], "netisr to socket", s);
	}
	return bad;
}

/*
 * All that is drawn is where the model puts it, and of what is there between
 * two things that are drawn nothing is left out.
 */
static int
differences(const struct machine *m, const char *dot)
{
	const struct machine_procs *mp = m->m_procs;
	int bad = ring_differences(m, dot) + hash_differences(m, dot) +
		  socket_differences(m, dot),
	    n = 0;

	for (int c = 0; c < m->m_ncpus; c++) {
		n += shown(dot, c);
		bad += want(has(dot, "CPU %d, netisr %d\"", c, c),
		    c < m->m_netisr_ncpus && shown(dot, c), "netisr", c);
	}
	bad += want(n > 0, true, "CPUs", n);
	for (int w = 0; w < mp->mp_nworkers; w++) {
		int at =
		    ngx_worker_kqueue(mp->mp_workers[w])->kq_gd->gd_cpu.c_id;

		for (int c = 0; c < m->m_ncpus; c++)
			bad += want(has(dot, "nginx %d\\non CPU %d\"", w, c),
			    c == at && shown(dot, c), "worker", w);
	}
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

/* Up to four settings, then NULL. */
static void
compare_all(const char *file, const char *const (*sets)[5], int n)
{
	for (int i = 0; i < n; i++) {
		int nsets = 0;

		while (sets[i][nsets] != NULL)
			nsets++;
		print_message("%s: %s ...\n", file, nsets ? sets[i][0] : "");
		compare(file, sets[i], nsets);
	}
}

#define NCPUS(n) "server.sysctl.net.netisr.ncpus=" #n

static void
test_rings_of_2017_are_where_they_are_built(void **state)
{
	static const char *const sets[][5] = {
		{ NULL },
		{ NCPUS(4), "workers=4" },
		{ NCPUS(8), "workers=8", "hw.ix.rxr=3" },
		{ NCPUS(8), "workers=8", "hw.ix.rxr=3", "ix.polling=false" },
		{ NCPUS(5), "workers=5", "ix.polling=false" },
		{ "ix.model=82599" },
		{ "ix.model=x540", "ix.polling=false" },
		{ NCPUS(1), "workers=2" },
	};

	(void)state;
	compare_all(
	    "scenarios/soavailconn.yaml", sets, sizeof(sets) / sizeof(sets[0]));
}

static void
test_sockets_of_2017_are_where_they_are_built(void **state)
{
	static const char *const sets[][5] = {
		{ NCPUS(6), "workers=6", "affinity=per-cpu", "nginx.cpu=2" },
		{ NCPUS(3), "workers=7" },
		{ NCPUS(5), "workers=3" },
		{ NCPUS(3), "workers=5", "reuseport=false",
		    "affinity=per-cpu" },
		{ NCPUS(3), "workers=2", "affinity=per-cpu", "nginx.cpu=23" },
		{ NCPUS(24), "workers=24", "affinity=per-cpu", "nginx.cpu=5" },
		{ NCPUS(4), "workers=4", "backlog=7" },
	};

	(void)state;
	compare_all(
	    "scenarios/soavailconn.yaml", sets, sizeof(sets) / sizeof(sets[0]));
}

static void
test_what_is_drawn_of_2011_is_what_is_built(void **state)
{
	static const char *const sets[][5] = {
		{ NULL },
		{ "nginx.cpu=3" },
		{ "intr_cpu=0" },
		{ "intr_cpu=6", "workers=3", "nginx.cpu=6" },
	};

	(void)state;
	compare_all("scenarios/accept-predication.yaml", sets,
	    sizeof(sets) / sizeof(sets[0]));
}

static struct scenario *
base_point(
    const char *file, const char *const *sets, int nsets, struct setup *su)
{
	struct diag d;
	struct scenario *sc;

	diag_init(&d);
	sc = scenario_load(file, sets, nsets, NULL, &d);
	diag_print(&d, stderr);
	diag_fini(&d);
	assert_non_null(sc);
	scenario_point(sc, SCENARIO_BASE, su);
	return sc;
}

/* Of many workers on a CPU only the first is drawn. */
static void
test_many_workers_are_counted(void **state)
{
	static const char *const sets[] = { NCPUS(4), "workers=96" };
	struct setup *su = calloc(1, sizeof(*su));
	struct scenario *sc =
	    base_point("scenarios/soavailconn.yaml", sets, 2, su);
	char *dot = picture_of(su, NULL, 0);

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_true(
		    has(dot, "nginx %d and 23 more\\non CPU %d\"", i, i));
	assert_false(has(dot, "m0_w0_4 "));
	assert_false(has(dot, "m0_s0_4 "));
	free(dot);
	free(su);
	scenario_destroy(sc);
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
	struct record_count counters[] = { { "tcps_sndbyte", 250000000 },
		{ "drop_syn_queue_full", 99 } };
	struct record_metric metrics[] = { { "throughput_rps", 24000 } };
	struct setup *su = calloc(1, sizeof(*su));
	struct scenario *sc =
	    base_point("scenarios/soavailconn.yaml", NULL, 0, su);
	char *dot;

	(void)state;
	rd.rd_counters = counters;
	rd.rd_ncounters = 2;
	rd.rd_metrics = metrics;
	rd.rd_nmetrics = 1;
	for (int i = 0; i < 24; i++) {
		cpus[i] = (struct record_cpu){ .ru_machine = "server",
			.ru_cpu = i,
			.ru_busy = i == 7   ? 0.9
				   : i == 9 ? 0.1
				   : i == 4 ? 0.6
					    : 0.5,
			.ru_netisr = 0.2,
			.ru_interrupt = i == 9 ? 0.03 : (double)NAN };
		listeners[i] = (struct record_listener){
			.rl_machine = "server",
			.rl_index = i,
			.rl_cpu = i,
			.rl_qlen_mean = i == 12 ? 200 : 10,
			.rl_qlen_max = 257,
			.rl_qlimit = 256,
			.rl_syn_drops = i == 15 ? 99 : 0,
			.rl_accepted = i == 0 ? 1500 : 1000,
		};
	}
	dot = picture_of(su, rds, 1);
	assert_true(has(dot, "CPU 7, netisr 7\\n90 %% busy\\nnetisr 20 %%\""));
	assert_true(has(dot,
	    "CPU 9, netisr 9\\n10 %% busy\\nnetisr 20 %%, interrupts 3 %%\""));
	assert_true(has(dot, "so_comp 12\\n200 of 256, at most 257\""));
	assert_true(has(
	    dot, "so_comp 15\\n10 of 256, at most 257\\n99 SYNs dropped\""));
	assert_true(has(dot, "CPU 23, netisr 23\\n"));
	/* CPU 8 alone between 7 and 9 is drawn as well. */
	assert_true(has(dot, "CPU 8, netisr 8\\n"));
	assert_true(has(dot, "... 5 CPUs, 2 to 6,\\n50 to 60 %% busy\""));
	assert_true(has(dot, "... 2 CPUs, 10 to 11,\\n50 to 50 %% busy\""));
	assert_true(has(dot, "... 7 CPUs, 16 to 22,\\n"));
	assert_false(has(dot, "CPU 20, "));
	assert_true(has(dot, "nginx 12\\non CPU 12\\n1000 accepted/s\""));
	/* 2 of 20 Gbit/s; widths from 1.5 to 5.5, and from 0.6 to 3.6. */
	assert_true(has(dot, "\\l24000 requests/s; 2.00 Gbit/s of data sent, "
			     "10 %% of the links\\ldropped: 99/s SYNs\\l\""));
	assert_true(has(dot, "p0 -> m0_n0_p0 [dir=both, penwidth=1.90]"));
	assert_true(has(dot, "m0_s0_12 -> m0_w0_12 [penwidth=2.60]"));
	assert_true(has(dot, "m0_s0_0 -> m0_w0_0 [penwidth=3.60]"));
	free(dot);
	free(su);
	scenario_destroy(sc);
}

/* What is in quotes or between tags, with XML's entities as characters. */
static void
xml_text(const char *from, const char *end, char *out)
{
	static const char *const entities[][2] = { { "&amp;", "&" },
		{ "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" },
		{ "&#39;", "'" }, { "&#45;", "-" }, { "&#160;", " " } };

	while (from < end) {
		size_t i = 0;

		while (i < 7 && strncmp(from, entities[i][0],
				    strlen(entities[i][0])) != 0)
			i++;
		assert_true(i < 7 || *from != '&');
		*out++ = i < 7 ? *entities[i][1] : *from;
		from += i < 7 ? strlen(entities[i][0]) : 1;
	}
	*out = '\0';
}

/* Is this a whole text, or a whole tooltip, of the picture? */
static bool
svg_has(const char *svg, const char *before, char after, const char *text)
{
	char *got = malloc(strlen(svg) + 1);
	bool found = false;

	for (const char *s = svg; !found && (s = strstr(s, before)) != NULL;) {
		s = after == '<' ? strchr(s, '>') + 1 : s + strlen(before);
		xml_text(s, strchr(s, after), got);
		found = strcmp(got, text) == 0;
	}
	free(got);
	return found;
}

static void
check_round_trip(const char *name, const char *label, const char *tooltip)
{
	struct setup *su = calloc(1, sizeof(*su));
	struct scenario *sc =
	    base_point("scenarios/soavailconn.yaml", NULL, 0, su);
	char *dot, *svg, text[200];

	su->su_title = name;
	su->su_peers[0].pe_name = name;
	su->su_machines[0].sm_name = name;
	su->su_machines[0].sm_hw.hw_name = name;
	su->su_machines[0].sm_nics[0].sn_name = name;
	su->su_machines[0].sm_procs[0].sp_name = name;
	dot = picture_of(su, NULL, 0);
	svg = graph_svg(dot);
	assert_non_null(svg);
	assert_true(svg_has(svg, "<text", '<', label)); /* the peer's */
	snprintf(text, sizeof(text), "%s: 24 CPUs, %s", label, label);
	assert_true(svg_has(svg, "<text", '<', text));
	snprintf(text, sizeof(text), "%s1", label); /* a port's */
	assert_true(svg_has(svg, "<text", '<', text));
	snprintf(text, sizeof(text), "%s 23", label); /* a worker's */
	assert_true(svg_has(svg, "<text", '<', text));
	for (int i = 0; i < 3; i++) {
		static const char *const ids[] = { "a_graph0", "a_clust1",
			"a_node1" };

		snprintf(
		    text, sizeof(text), "\"%s\"><a xlink:title=\"", ids[i]);
		assert_true(svg_has(svg, text, '"', tooltip));
	}
	free(dot);
	sim_free(svg);
	free(su);
	scenario_destroy(sc);
}

/* Written by us, read by dot, written by dot: the same text. */
static void
test_names_come_through_dot(void **state)
{
	static const char *const names[] = { "say \"no\"", "\\N \\G \\L \\n \\",
		"\\\\ \\\"", "</script><script>", "<b>x</b>", "&lt;&amp;&#65;&",
		"\xf0\x9f\x90\xa1 \xc3\xa4", "%s%n", "'--'", "{a|b} -> [c];" };
	char *y = malloc(1001), cut[40];

	(void)state;
	if (!graph_can_draw())
		skip();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_round_trip(names[i], names[i], names[i]);
	check_round_trip("a\nb\x01"
			 "c\xef\xbf\xbf"
			 "d",
	    "a b c d", "a b c d");
	check_round_trip("\xc3", "\xef\xbf\xbd", "\xef\xbf\xbd");
	memset(y, 'y', 1000);
	y[1000] = '\0';
	snprintf(cut, sizeof(cut), "%.36s\xe2\x80\xa6", y);
	check_round_trip(y, cut, y);
	free(y);
}

/* More than a pipe holds, both ways. */
static void
test_large_pictures_are_drawn(void **state)
{
	char *y = malloc(2001), *dot, *svg;
	size_t size;
	FILE *fp = open_memstream(&dot, &size);

	(void)state;
	if (!graph_can_draw())
		skip();
	memset(y, 'y', 2000);
	y[2000] = '\0';
	fputs("digraph {\n", fp);
	for (int i = 0; i < 600; i++) {
		fprintf(fp, "a%d [", i);
		graph_tooltip(fp, y);
		fputs("]\n", fp);
	}
	fputs("}\n", fp);
	fclose(fp);
	assert_true(size > 1 << 20);
	svg = graph_svg(dot);
	assert_non_null(svg);
	assert_true(strlen(svg) > size);
	assert_non_null(strstr(svg, "</svg>"));
	sim_free(svg);
	free(dot);
	free(y);
}

/* dot takes no string of 16 KiB and more, entities spelled out. */
static void
test_tooltips_are_not_too_long_for_dot(void **state)
{
	char *a = malloc(100001), *dot, *svg;
	struct setup *su = calloc(1, sizeof(*su));
	struct scenario *sc =
	    base_point("scenarios/soavailconn.yaml", NULL, 0, su);

	(void)state;
	if (!graph_can_draw())
		skip();
	memset(a, '&', 100000);
	a[100000] = '\0';
	su->su_title = a;
	dot = picture_of(su, NULL, 0);
	svg = graph_svg(dot);
	assert_non_null(svg);
	a[3000] = '\0';
	strcat(a, "\xe2\x80\xa6");
	assert_true(svg_has(svg, "\"a_graph0\"><a xlink:title=\"", '"', a));
	sim_free(svg);
	free(dot);
	free(a);
	free(su);
	scenario_destroy(sc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_have_no_meaning),
		cmocka_unit_test(test_long_names_end_at_a_character),
		cmocka_unit_test(test_rings_of_2017_are_where_they_are_built),
		cmocka_unit_test(test_sockets_of_2017_are_where_they_are_built),
		cmocka_unit_test(test_what_is_drawn_of_2011_is_what_is_built),
		cmocka_unit_test(test_many_workers_are_counted),
		cmocka_unit_test(test_extremes_are_drawn),
		cmocka_unit_test(test_names_come_through_dot),
		cmocka_unit_test(test_large_pictures_are_drawn),
		cmocka_unit_test(test_tooltips_are_not_too_long_for_dot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
