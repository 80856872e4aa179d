/*
 * The slices of a run: their sums are the totals of the measurement, whatever
 * their length; the queue is what a trace of its changes says; and a CPU's time
 * is protocol thread, interrupts, user threads and idle, to the nanosecond.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/kern/sched.h"
#include "model/kern/socket.h"
#include "model/model.h"
#include "model/trace.h"
#include "sim/lab/scenario.h"
#include "sim/lab/series.h"
#include "tests/unit/check.h"

#define MAX_SLICES 200
#define MAX_WHERE 64

struct shot {
	int sh_n;
	struct slice sh_slices[MAX_SLICES];
};

struct subject {
	const char *su_file;
	const char *su_sets[10];
};

static const struct subject queues = { "scenarios/soavailconn.yaml",
	{ "client0.connections=4000", "client1.connections=4000",
	    "run.ramp=10ms", "object=1KiB", "soavailconn=32", "somaxconn=100",
	    "run.warmup=25ms", "run.measure=25ms" } };
static const struct subject interrupts = { "scenarios/soavailconn.yaml",
	{ "client0.connections=500", "client1.connections=500", "run.ramp=10ms",
	    "object=1KiB", "polling=false", "run.warmup=0ms",
	    "run.measure=22ms" } };
static const struct subject sharing = { "scenarios/accept-predication.yaml",
	{ "run.warmup=5ms", "run.measure=25ms" } };
static const struct subject accepts = { "scenarios/accept-predication.yaml",
	{ "run.warmup=5ms", "run.measure=25ms", "soaccept_pred_fast=0" } };

static void
check_totals(struct model *md)
{
	struct result *rs = result_create();
	struct slice sum = { 0 };
	int64_t busy = 0, netisr = 0, intr = 0, qsum = 0, wait = 0;
	int qmax = 0;

	result_extract(rs, md, 1);
	for (int i = 0; i < rs->rs_nslices; i++) {
		const struct slice *sc = &rs->rs_slices[i].rc_model;

		for (int k = 0; k < SLICE_NCOUNTERS; k++)
			sum.sc_counters[k] += sc->sc_counters[k];
		sum.sc_qsum += sc->sc_qsum;
		sum.sc_qmax = sim_max(sum.sc_qmax, sc->sc_qmax);
		sum.sc_token_wait_ns += sc->sc_token_wait_ns;
		sum.sc_busy_ns += sc->sc_busy_ns;
		sum.sc_netisr_ns += sc->sc_netisr_ns;
		sum.sc_intr_ns += sc->sc_intr_ns;
		CHECK(sc->sc_busiest_ns <= rs->rs_slice_ns);
		CHECK(
		    sc->sc_busiest_ns * rs->rs_nserver_cpus >= sc->sc_busy_ns);
	}
	for (int i = 0; i < rs->rs_nserver_cpus; i++) {
		const struct cpu *c = md->md_cpus[i].mc_cpu;

		busy += c->c_now - c->c_since - rs->rs_cpus[i].rc_idle_ns;
		netisr += rs->rs_cpus[i].rc_netisr_ns;
		intr += rs->rs_cpus[i].rc_intr_ns;
	}
	for (int i = 0; i < rs->rs_nlisteners; i++) {
		qsum += rs->rs_listeners[i].rl_qsum;
		qmax = (int)sim_max(qmax, rs->rs_listeners[i].rl_qmax);
	}
	for (int i = 0; i < rs->rs_ntokens; i++)
		wait += rs->rs_tokens[i].rt_wait_ns;
#define SLICE_COUNTER(name) \
	CHECK_EQ(           \
	    sum.sc_counters[SLICE_##name], rs->rs_counters[COUNTER_##name]);
#include "model/slice.def"
#undef SLICE_COUNTER
	CHECK_EQ(sum.sc_qsum, qsum);
	CHECK_EQ(sum.sc_qmax, qmax);
	CHECK_EQ(sum.sc_token_wait_ns, wait);
	CHECK_EQ(sum.sc_busy_ns, busy);
	CHECK_EQ(sum.sc_netisr_ns, netisr);
	CHECK_EQ(sum.sc_intr_ns, intr);
	CHECK(qsum > 0 && busy > netisr + intr && netisr > 0 && intr > 0);
	CHECK((wait > 0) == (rs->rs_ntokens > 0));
	sim_free(rs);
}

/* Who had a server's CPU. Idle is a thread, which is also switched from. */
static void
check_cpu_time(const struct model *md)
{
	for (int i = 0; i < md->md_nserver_cpus; i++) {
		const struct model_cpu *mc = &md->md_cpus[i];
		const struct cpu *c = mc->mc_cpu;
		const struct globaldata *gd = (const struct globaldata *)c;
		const struct machine_procs *mp = gd->gd_machine->m_procs;
		int64_t user = 0;

		for (int w = 0; w < mp->mp_nworkers; w++) {
			const struct thread *td =
			    ngx_worker_thread(mp->mp_workers[w]);

			if (td->td_gd == gd)
				user += td->td_ns;
		}
		CHECK_EQ(
		    netisr_ns(gd) + mc->mc_intr + user + gd->gd_idle->td_ns,
		    c->c_now - c->c_since);
		CHECK(gd->gd_idle->td_ns >= c->c_idle);
	}
}

/* The queues again, from every change that the trace has. */
static void
check_queues(const struct model *md, struct sim_trace *st)
{
	const struct setup_run *sr = &md->md_setup->su_run;
	bool shares = md->md_machines[0].m_shares;
	int64_t sums[MAX_SLICES] = { 0 }, maxs[MAX_SLICES] = { 0 };
	int nslices = (int)setup_nslices(sr), qlen[MAX_WHERE] = { 0 };
	uint64_t r = 0;

	sim_trace_sort(st);
	CHECK_EQ(st->st_lost, 0);
	for (int i = 0; i < nslices; i++) {
		sim_ns from = sr->sr_warmup + i * sr->sr_slice, to;

		to = sim_min(from + sr->sr_slice, md->md_end);
		for (; r < st->st_n && st->st_recs[r].tr_time < from; r++)
			qlen[shares ? 0 : st->st_recs[r].tr_where] =
			    (int)st->st_recs[r].tr_a;
		for (int q = 0; q < MAX_WHERE; q++) {
			sums[i] += qlen[q] * (to - from);
			maxs[i] = sim_max(maxs[i], qlen[q]);
		}
		for (; r < st->st_n && st->st_recs[r].tr_time < to; r++) {
			const struct sim_trace_rec *tr = &st->st_recs[r];
			int q = shares ? 0 : tr->tr_where;

			sums[i] += (tr->tr_a - qlen[q]) * (to - tr->tr_time);
			qlen[q] = (int)tr->tr_a;
			maxs[i] = sim_max(maxs[i], qlen[q]);
		}
		CHECK_EQ(md->md_slices[i].sc_qsum, sums[i]);
		CHECK_EQ(md->md_slices[i].sc_qmax, maxs[i]);
	}
}

static void
child(const struct subject *su, const char *slice, bool exact, bool traced,
    int fd)
{
	const struct model_options mo = { .mo_exact = exact };
	const char *sets[12] = { slice };
	static struct sim_trace st;
	static struct setup setup;
	static struct shot sh;
	struct scenario *sc;
	struct model *md;
	struct diag d;
	int n = 1;

	check_failures = 0;
	for (; su->su_sets[n - 1] != NULL; n++)
		sets[n] = su->su_sets[n - 1];
	diag_init(&d);
	sc = scenario_load(su->su_file, sets, n, NULL, &d);
	if (sc == NULL) {
		diag_print(&d, stderr);
		exit(2);
	}
	scenario_point(sc, SCENARIO_BASE, &setup);
	if (traced) {
		sim_trace_open(&st, trace_kinds, 0, SIM_NEVER, 100000000);
		st.st_wanted = 1ull << TRACE_SONEWCONN | 1ull << TRACE_ACCEPT;
	}
	md = model_create(&setup, &mo);
	model_run(md);
	if (traced)
		check_queues(md, &st);
	check_totals(md);
	check_cpu_time(md);
	sh.sh_n = (int)setup_nslices(&setup.su_run);
	CHECK(sh.sh_n <= MAX_SLICES);
	memcpy(sh.sh_slices, md->md_slices, sh.sh_n * sizeof(*sh.sh_slices));
	CHECK(write(fd, &sh, sizeof(sh)) == (ssize_t)sizeof(sh));
	if (traced)
		sim_trace_close(&st);
	model_destroy(md);
	scenario_destroy(sc);
	diag_fini(&d);
	exit(check_failures != 0);
}

/* One engine a process. */
static void
shoot(const struct subject *su, const char *slice, bool exact, bool traced,
    struct shot *sh)
{
	int fds[2], status;
	size_t got = 0;
	ssize_t n;

	CHECK(pipe(fds) == 0);
	fflush(NULL);
	if (fork() == 0)
		child(su, slice, exact, traced, fds[1]);
	close(fds[1]);
	while ((n = read(fds[0], (char *)sh + got, sizeof(*sh) - got)) > 0)
		got += (size_t)n;
	close(fds[0]);
	CHECK(wait(&status) > 0 && status == 0);
	CHECK_EQ(got, sizeof(*sh));
}

/* Five slices of 1 ms are one of 5 ms; levels are those of the last. */
static void
check_lengths(const struct shot *fine, const struct shot *coarse)
{
	CHECK_EQ((fine->sh_n + 4) / 5, coarse->sh_n);
	for (int i = 0; i < coarse->sh_n; i++) {
		const struct slice *want = &coarse->sh_slices[i], *sc = NULL;
		struct slice sum = { 0 };

		for (int k = 5 * i; k < 5 * i + 5 && k < fine->sh_n; k++) {
			sc = &fine->sh_slices[k];
			for (int c = 0; c < SLICE_NCOUNTERS; c++)
				sum.sc_counters[c] += sc->sc_counters[c];
			sum.sc_qsum += sc->sc_qsum;
			sum.sc_qmax = sim_max(sum.sc_qmax, sc->sc_qmax);
			sum.sc_token_wait_ns += sc->sc_token_wait_ns;
			sum.sc_busy_ns += sc->sc_busy_ns;
			sum.sc_netisr_ns += sc->sc_netisr_ns;
			sum.sc_intr_ns += sc->sc_intr_ns;
			sum.sc_busiest_ns += sc->sc_busiest_ns;
		}
		/* The busiest one is not always the same. */
		CHECK(sum.sc_busiest_ns >= want->sc_busiest_ns);
		sum.sc_busiest_ns = want->sc_busiest_ns;
		sum.sc_tx_backlog = sc->sc_tx_backlog;
		sum.sc_conns = sc->sc_conns;
		CHECK(memcmp(&sum, want, sizeof(sum)) == 0);
	}
}

static void
test_lengths(const struct subject *su)
{
	static struct shot fine, coarse, again;

	shoot(su, "run.slice=1ms", false, false, &fine);
	shoot(su, "run.slice=5ms", false, true, &coarse);
	check_lengths(&fine, &coarse);
	/* With thread contexts, as under the sanitizers, minutes. */
	if (getenv("SIM_FACTORY") != NULL)
		return;
	shoot(su, "run.slice=5ms", true, false, &again);
	CHECK(memcmp(&again, &coarse, sizeof(again)) == 0);
}

/* That something is in each of them. */
static void
test_full_queues(void)
{
	static struct shot sh;

	shoot(&queues, "run.slice=25ms", false, false, &sh);
	CHECK_EQ(sh.sh_n, 1);
	CHECK(sh.sh_slices[0].sc_counters[SLICE_drop_syn_queue_full] > 0);
	/* SYNs that came before it was full are on their way. */
	CHECK(sh.sh_slices[0].sc_qmax > 100);
	CHECK(sh.sh_slices[0].sc_qmax <= 151);
	CHECK(sh.sh_slices[0].sc_tx_backlog > 0);
	/* Those whose SYNs are dropped still hold one. */
	CHECK(sh.sh_slices[0].sc_conns > 7900);
	CHECK(sh.sh_slices[0].sc_conns <= 8000);
}

/* Two replications of two slices, the second one of half the length. */
static void
test_values(void)
{
	struct result *a = result_create(), *b = result_create();
	struct slice *sc = &a->rs_slices[1].rc_model;

	a->rs_reps = 1;
	a->rs_measure_ns = 1500;
	a->rs_slice_ns = 1000;
	a->rs_nslices = 2;
	a->rs_nserver_cpus = 2;
	a->rs_nlisteners = 4;
	a->rs_slices[1].rc_n = 5;
	a->rs_slices[1].rc_latency_ns = 60;
	*sc = (struct slice){ .sc_qsum = 6000,
		.sc_qmax = 7,
		.sc_busy_ns = 800,
		.sc_busiest_ns = 500,
		.sc_netisr_ns = 300,
		.sc_intr_ns = 100,
		.sc_tx_backlog = 11,
		.sc_conns = 9,
		.sc_token_wait_ns = 77,
		.sc_counters[SLICE_drop_tx_queue] = 13 };
	CHECK(series_value(SERIES_so_qlen, a, 1) == 3);
	CHECK(series_value(SERIES_so_qlen_max, a, 1) == 7);
	CHECK(series_value(SERIES_busy_pct, a, 1) == 80);
	CHECK(series_value(SERIES_busy_max_pct, a, 1) == 100);
	CHECK(series_value(SERIES_netisr_pct, a, 1) == 30);
	CHECK(series_value(SERIES_interrupt_pct, a, 1) == 10);
	CHECK(series_value(SERIES_tx_backlog, a, 1) == 11);
	CHECK(series_value(SERIES_connections, a, 1) == 9);
	CHECK(series_value(SERIES_token_wait_ns, a, 1) == 77);
	CHECK(series_value(SERIES_drop_tx_queue, a, 1) == 13);
	CHECK(series_value(SERIES_drop_rx_ring, a, 1) == 0);
	CHECK(series_value(SERIES_requests, a, 1) == 5);
	CHECK(series_value(SERIES_latency_mean_ns, a, 1) == 12);
	CHECK(isnan(series_value(SERIES_latency_mean_ns, a, 0)));
	CHECK(series_value(SERIES_so_qlen, a, 0) == 0);
	CHECK(!series_has(SERIES_token_wait_ns, a));
	memcpy(b, a, sizeof(*b));
	result_relocate(b);
	sc->sc_qsum = 2000;
	sc->sc_qmax = 9;
	sc->sc_busy_ns = 0;
	sc->sc_counters[SLICE_drop_tx_queue] = 15;
	result_slices_merge(a, b);
	a->rs_reps = 2;
	a->rs_measure_ns = 3000;
	CHECK(series_value(SERIES_so_qlen, a, 1) == 2);
	CHECK(series_value(SERIES_so_qlen_max, a, 1) == 9);
	CHECK(series_value(SERIES_busy_pct, a, 1) == 40);
	CHECK(series_value(SERIES_busy_max_pct, a, 1) == 100);
	CHECK(series_value(SERIES_drop_tx_queue, a, 1) == 14);
	CHECK(series_value(SERIES_tx_backlog, a, 1) == 11);
	CHECK(series_value(SERIES_requests, a, 1) == 5);
	sim_free(a);
	sim_free(b);
}

/* A store gives them back in the order of their names. */
static void
test_names(void)
{
	for (int s = 0; s < SERIES_N; s++) {
		const char *name = series_infos[s].si_name;

		CHECK_EQ(series_find(name), s);
		if (s > 0)
			CHECK(strcmp(series_infos[s - 1].si_name, name) < 0);
	}
	CHECK_EQ(series_find("so_qle"), SERIES_N);
}

int
main(void)
{
	test_names();
	test_values();
	test_full_queues();
	test_lengths(&queues);
	test_lengths(&interrupts);
	test_lengths(&sharing);
	test_lengths(&accepts);
	return check_failures != 0;
}
