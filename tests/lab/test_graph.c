/*
 * Pictures of scenarios: what is drawn is what the model builds, and what a run
 * put on it.
 */
#include "tests/lab/graph_rig.h"

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
	    dot, "so_comp 15\\n10 of 256, at most 257\\n99 SYNs dropped/s\""));
	assert_true(has(dot, "CPU 23, netisr 23\\n"));
	/* CPU 8 alone between 7 and 9 is drawn as well. */
	assert_true(has(dot, "CPU 8, netisr 8\\n"));
	assert_true(has(dot, "... 5 CPUs, 2 to 6,\\n50 to 60 %% busy\""));
	assert_true(has(dot, "... 2 CPUs, 10 to 11,\\n50 %% busy\""));
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rings_of_2017_are_where_they_are_built),
		cmocka_unit_test(test_sockets_of_2017_are_where_they_are_built),
		cmocka_unit_test(test_what_is_drawn_of_2011_is_what_is_built),
		cmocka_unit_test(test_many_workers_are_counted),
		cmocka_unit_test(test_extremes_are_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
