/*
 * The tool httperf: one connection a process, turns on the CPU, sessions and
 * the request rate. A small scenario of the traces, with round costs.
 */
#include <sys/mman.h>

#include "model/model.h"
#include "model/peer/httperf.h"
#include "sim/lab/scenario.h"
#include "tests/unit/check.h"

#define MAX_SETS 12
#define MAX_PROCESSES 8
#define MAX_SAMPLES 500

/* What a run did; written by the process that ran it. */
struct outcome {
	struct httperf_report oc_reports[MAX_PROCESSES];
	uint64_t oc_opened, oc_closed, oc_ended, oc_dead, oc_completed;
	uint64_t oc_in_progress;
	double oc_rate;
	int64_t oc_latency[3]; /* count, median, maximum */
	int64_t oc_cycle[3];
	int64_t oc_slot_ns;
	int64_t oc_stages;				 /* ns, sum of all */
	double oc_cycle_mean;				 /* ns */
	int64_t oc_spent[2][COST_N];			 /* client CPUs */
	uint64_t oc_samples[MAX_SAMPLES][MAX_PROCESSES]; /* hr_completed */
	int oc_nsamples;
};

/* What to run. */
struct run {
	const char *rn_sets[MAX_SETS];
	bool rn_exact;
	sim_ns rn_every; /* samples; 0: none */
	/* Kept by the run. */
	struct model *rn_model;
	struct outcome *rn_outcome;
};

static struct run *run_;

/* No process holds two connections. */
static void
look_at_connections(const struct model *md)
{
	const struct host *h = md->md_peers[0]->pp_host;
	void *slots[MAX_PROCESSES];
	int n = 0, total = h->h_setup->pe_processes;

	for (int port = 0; port < 65536; port++) {
		const struct host_conn *hc = h->h_ports[0][port];

		if (hc == NULL || hc->hc_slot == NULL)
			continue;
		for (int i = 0; i < n; i++)
			CHECK(slots[i] != hc->hc_slot);
		CHECK(n < total);
		if (n < total)
			slots[n++] = hc->hc_slot;
	}
	for (int i = 0; i < total; i++)
		n -= httperf_report(md->md_peers[0], i).hr_conns;
	CHECK_EQ(n, 0);
}

static void
watch_actor(void *arg)
{
	struct run *rn = arg;
	struct outcome *oc = rn->rn_outcome;
	const struct peer *pp = rn->rn_model->md_peers[0];

	for (sim_ns t = rn->rn_every; t < rn->rn_model->md_end;
	     t += rn->rn_every) {
		engine_wait_until(t);
		look_at_connections(rn->rn_model);
		SIM_ASSERT(oc->oc_nsamples < MAX_SAMPLES);
		for (int i = 0; i < pp->pp_setup->pe_processes; i++)
			oc->oc_samples[oc->oc_nsamples][i] =
			    httperf_report(pp, i).hr_completed;
		oc->oc_nsamples++;
	}
}

static void
summarise(const struct hist *h, int64_t *out)
{
	out[0] = hist_count(h);
	out[1] = hist_percentile(h, 50);
	out[2] = hist_max(h);
}

static void
report(const struct run *rn)
{
	const struct model *md = rn->rn_model;
	const struct peer *pp = md->md_peers[0];
	const struct peer_result *pr = &pp->pp_result;
	struct outcome *oc = rn->rn_outcome;

	for (int i = 0; i < pp->pp_setup->pe_processes; i++)
		oc->oc_reports[i] = httperf_report(pp, i);
	oc->oc_opened = pr->pr_opened;
	oc->oc_closed = pr->pr_closed;
	oc->oc_ended = pr->pr_ended;
	oc->oc_dead = pr->pr_dead;
	oc->oc_completed = pr->pr_completed;
	oc->oc_in_progress = peer_in_progress(pp);
	oc->oc_rate = peer_request_rate(pp);
	summarise(&pr->pr_latency, oc->oc_latency);
	summarise(&pr->pr_cycle, oc->oc_cycle);
	oc->oc_cycle_mean = hist_mean(&pr->pr_cycle);
	oc->oc_slot_ns = pr->pr_slot_ns;
	for (int b = 0; b < pr->pr_nbins; b++)
		for (int s = 0; s < STAGE_N; s++)
			oc->oc_stages += pr->pr_bins[b].pb_stage[s] +
					 pr->pr_bins[b].pb_counted[s];
	for (int i = 0; i < pp->pp_host->h_ncpus; i++)
		memcpy(oc->oc_spent[i], pp->pp_host->h_cpus[i]->ho_cpu.c_spent,
		    sizeof(oc->oc_spent[i]));
}

static void
run_here(void)
{
	struct run *rn = run_;
	struct model_options mo = { .mo_exact = rn->rn_exact };
	static struct setup su;
	struct scenario *sc;
	struct diag d;
	int nsets = 0;

	while (nsets < MAX_SETS && rn->rn_sets[nsets] != NULL)
		nsets++;
	diag_init(&d);
	sc = scenario_load(
	    "tests/trace/one.yaml", rn->rn_sets, nsets, "tests/trace", &d);
	if (sc == NULL) {
		diag_print(&d, stderr);
		exit(2);
	}
	scenario_point(sc, SCENARIO_BASE, &su);
	rn->rn_model = model_create(&su, &mo);
	if (rn->rn_every > 0)
		engine_actor_create("watch", 0, watch_actor, rn);
	model_run(rn->rn_model);
	report(rn);
	model_destroy(rn->rn_model);
	scenario_destroy(sc);
	diag_fini(&d);
}

/* Run in a process of its own. Gives the outcome, for outcome_free(). */
static struct outcome *
outcome_of(struct run *rn)
{
	struct outcome *oc = mmap(NULL, sizeof(*oc), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(oc != MAP_FAILED);
	rn->rn_outcome = oc;
	run_ = rn;
	check_forked(run_here);
	run_ = NULL;
	assert_true(
	    oc->oc_opened == oc->oc_closed + oc->oc_ended + oc->oc_in_progress);
	return oc;
}

static void
outcome_free(struct outcome *oc)
{
	munmap(oc, sizeof(*oc));
}

#define HTTPERF "client.tool=httperf", "client.connections=0"

static void
test_a_process_has_one_connection(void **state)
{
	struct run rn = { .rn_sets = { HTTPERF, "client.processes=3" },
		.rn_every = 333333 };
	struct outcome *oc = outcome_of(&rn);

	(void)state;
	assert_int_equal(oc->oc_nsamples, 300);
	assert_true(oc->oc_completed > 100);
	assert_int_equal(oc->oc_ended, 0);
	for (int i = 0; i < 3; i++)
		assert_in_range(oc->oc_reports[i].hr_opened -
				    oc->oc_reports[i].hr_completed,
		    0, 1);
	outcome_free(oc);
}

static void
test_sessions_end_and_rates_add_up(void **state)
{
	struct run rn = { .rn_sets = { HTTPERF, "client.hardware.cpus=2",
			      "client.threads=2", "client.processes=4",
			      "client.sessions=500", "run.measure=1s" } };
	struct outcome *oc = outcome_of(&rn);
	double rate = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		const struct httperf_report *hr = &oc->oc_reports[i];

		assert_int_equal(hr->hr_cpu, i % 2);
		assert_int_equal(hr->hr_opened, 500);
		assert_int_equal(hr->hr_sent, 500);
		assert_int_equal(hr->hr_completed, 500);
		assert_int_equal(hr->hr_conns, 0);
		assert_true(hr->hr_end < sim_s(1));
		rate += 500e9 / (double)(hr->hr_end - hr->hr_start);
	}
	assert_true(oc->oc_rate == rate);
	assert_int_equal(oc->oc_completed, 2000);
	assert_int_equal(oc->oc_closed, 2000);
	assert_int_equal(oc->oc_in_progress, 0);
	assert_int_equal(oc->oc_latency[0], 2000);
	/* The stages add up to the cycle, which is kept to three digits. */
	assert_in_range(oc->oc_stages / 2, 999 * oc->oc_cycle_mean,
	    1001 * oc->oc_cycle_mean);
	assert_int_equal(oc->oc_slot_ns,
	    oc->oc_reports[0].hr_end - oc->oc_reports[0].hr_start +
		oc->oc_reports[1].hr_end - oc->oc_reports[1].hr_start +
		oc->oc_reports[2].hr_end - oc->oc_reports[2].hr_start +
		oc->oc_reports[3].hr_end - oc->oc_reports[3].hr_start);
	outcome_free(oc);
}

/* httperf counts from its own start: a warm-up takes nothing from its rate. */
static void
test_the_rate_knows_no_warmup(void **state)
{
	struct run cold = { .rn_sets = { HTTPERF, "client.processes=2",
				"client.sessions=300", "run.measure=400ms" } };
	struct run warm = { .rn_sets = { HTTPERF, "client.processes=2",
				"client.sessions=300", "run.warmup=50ms",
				"run.measure=350ms" } };
	struct outcome *a = outcome_of(&cold), *b = outcome_of(&warm);

	(void)state;
	assert_int_equal(a->oc_completed, 600);
	assert_true(b->oc_completed < 600);
	assert_true(a->oc_rate == b->oc_rate);
	outcome_free(a);
	outcome_free(b);
}

/*
 * Two on a CPU: every 100 ms it changes hands, and the one without it makes no
 * progress. Looked at without look-ahead, which would show the near future.
 */
static void
test_processes_take_turns(void **state)
{
	struct run rn = { .rn_sets = { HTTPERF, "client.processes=2",
			      "run.measure=450ms" },
		.rn_exact = true,
		.rn_every = 1000000 };
	struct outcome *oc = outcome_of(&rn);

	(void)state;
	assert_int_equal(oc->oc_nsamples, 449);
	for (int turn = 0; turn < 4; turn++) {
		/* Samples come at 1 ms, 2 ms and so on. */
		const uint64_t *from = oc->oc_samples[turn * 100];
		const uint64_t *to = oc->oc_samples[turn * 100 + 98];

		assert_true(to[turn % 2] > from[turn % 2] + 100);
		assert_int_equal(to[1 - turn % 2], from[1 - turn % 2]);
	}
	/* What comes while a process has no turn waits for the next. */
	assert_in_range(oc->oc_cycle[2], 99000000, 101000000);
	outcome_free(oc);
}

/* Who has ended takes no turns: the other has the CPU to itself. */
static void
test_an_ended_process_takes_no_turns(void **state)
{
	struct run rn = { .rn_sets = { HTTPERF, "client.processes=2",
			      "client.sessions=200", "run.measure=300ms" } };
	struct outcome *oc = outcome_of(&rn);
	const struct httperf_report *first = &oc->oc_reports[0];
	const struct httperf_report *second = &oc->oc_reports[1];

	(void)state;
	assert_int_equal(oc->oc_completed, 400);
	assert_true(first->hr_end < 100000000);
	assert_int_equal(second->hr_start, first->hr_end);
	/* The same work; where in a polling tick it begins differs. */
	assert_in_range((second->hr_end - second->hr_start) * 100 /
			    (first->hr_end - first->hr_start),
	    99, 101);
	outcome_free(oc);
}

/* It polls: as long as a process lives its CPU is never idle. */
static void
test_a_process_is_never_idle(void **state)
{
	struct run rn = { .rn_sets = { HTTPERF, "client.processes=1" } };
	struct outcome *oc = outcome_of(&rn);
	const int64_t *spent = oc->oc_spent[0];
	int64_t sum = 0, n = (int64_t)oc->oc_completed;

	(void)state;
	for (int c = 0; c < COST_N; c++)
		sum += spent[c];
	/* It starts at 1 ns. */
	assert_int_equal(sum, 100000000 - 1);
	assert_in_range(spent[COST_host_socket], 1700 * n, 1700 * (n + 1));
	assert_in_range(spent[COST_httperf_call], 1900 * n, 1900 * (n + 1));
	assert_true(spent[COST_host_select] >= 3 * 1800 * n);
	assert_int_equal(spent[COST_host_kevent], 0);
	outcome_free(oc);
}

/* Without a port a session is over; the process goes on, and ends. */
static void
test_sessions_without_a_port_are_over(void **state)
{
	struct run rn = { .rn_sets = { HTTPERF, "client.processes=1",
			      "client.sessions=25",
			      "client.sysctl.net.inet.ip.portrange.last=1033",
			      "client.sysctl.net.inet.tcp.msl=30000" } };
	struct outcome *oc = outcome_of(&rn);
	const struct httperf_report *hr = &oc->oc_reports[0];

	(void)state;
	assert_int_equal(oc->oc_opened, 10);
	assert_int_equal(oc->oc_dead, 15);
	assert_int_equal(hr->hr_completed, 10);
	assert_true(hr->hr_end > 0);
	assert_true(oc->oc_rate == 10e9 / (double)(hr->hr_end - hr->hr_start));
	outcome_free(oc);
}

/* The same with and without look-ahead, also when frames are lost. */
static void
test_look_ahead_changes_nothing(void **state)
{
	static const char *const sets[][3] = {
		{ "run.start=burst", "client.sessions=0" },
		{ "run.start=smooth", "run.ramp=30ms" },
		{ "run.start=smooth", "run.ramp=30ms", "client.loss=0.2%" },
		{ "server.processes.nginx.object=16KiB", "polling=false" },
		{ "server.processes.nginx.keepalive=false",
		    "client.loss=0.2%" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct run rn = {
			.rn_sets = { HTTPERF, "client.hardware.cpus=2",
			    "client.threads=2", "client.processes=5",
			    "run.measure=330ms", "client.sessions=400",
			    sets[i][0], sets[i][1], sets[i][2] }
		};
		struct outcome *ahead = outcome_of(&rn), *exact;

		rn.rn_exact = true;
		exact = outcome_of(&rn);
		assert_true(ahead->oc_completed > 50);
		assert_memory_equal(ahead, exact, sizeof(*ahead));
		outcome_free(ahead);
		outcome_free(exact);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_process_has_one_connection),
		cmocka_unit_test(test_sessions_end_and_rates_add_up),
		cmocka_unit_test(test_the_rate_knows_no_warmup),
		cmocka_unit_test(test_processes_take_turns),
		cmocka_unit_test(test_an_ended_process_takes_no_turns),
		cmocka_unit_test(test_a_process_is_never_idle),
		cmocka_unit_test(test_sessions_without_a_port_are_over),
		cmocka_unit_test(test_look_ahead_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
