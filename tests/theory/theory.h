#ifndef TESTS_THEORY_THEORY_H
#define TESTS_THEORY_THEORY_H

/*
 * A scenario of this folder, run several times with other random numbers, and
 * what it measured against a formula: the formula must lie in the confidence
 * interval of the runs, and the interval must be narrow enough to say
 * something. The seed is fixed, so that a test passes always or never; the
 * level of 99.9 % leaves one test in a thousand to be unlucky when it is
 * written.
 *
 * zero.yaml and zero-client.yaml cost nothing: only the work of the scenario
 * and the link take time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/model.h"
#include "sim/core/alloc.h"
#include "sim/core/stat.h"
#include "sim/lab/result.h"
#include "sim/lab/scenario.h"

#define THEORY_MAX_SETS 12
#define THEORY_MAX_REPS 64
#define THEORY_LEVEL 0.999

/* What one run measured. */
struct measured {
	double me_throughput; /* responses, 1/s */
	double me_latency;    /* mean, s: from the write of the request */
	double me_cycle;      /* mean, s: from the start of the connect */
	double me_slots;      /* mean number of slots in a cycle */
	double me_busy;	      /* server CPU, share */
	double me_qlen;	      /* mean so_qlen, from the slices */
	double me_queued;     /* mean stage on the completion queue, s */
	double me_tx_bps;     /* bits on the wire from the server */
	int64_t me_counters[COUNTER_N];
	enum stat_steady me_steady; /* what its slices say */
};

struct theory {
	const char *th_sets[THEORY_MAX_SETS + 1];
	int th_reps;
};

static inline void
theory_slices(const struct model *md, struct measured *me)
{
	struct result *rs = result_create();

	rs->rs_reps = 1;
	rs->rs_measure_ns = md->md_setup->su_run.sr_measure;
	result_slices(rs, md);
	me->me_steady = rs->rs_steady;
	sim_free(rs);
}

static inline void
theory_queue(const struct model *md, struct measured *me)
{
	const struct setup_run *sr = &md->md_setup->su_run;
	const struct peer_result *pr = &md->md_peers[0]->pp_result;
	double n = 0, queued = 0, sum = 0;

	for (int i = 0; i < pr->pr_nbins; i++) {
		const struct peer_bin *pb = &pr->pr_bins[i];

		n += (double)pb->pb_n;
		queued += (double)(pb->pb_stage[STAGE_COMP_QUEUE] +
				   pb->pb_counted[STAGE_COMP_QUEUE]);
	}
	for (int i = 0; i < setup_nslices(sr); i++)
		sum += (double)md->md_slices[i].sc_qsum;
	me->me_qlen = sum / (double)sr->sr_measure;
	me->me_queued = queued * 1e-9 / n;
}

static inline void
theory_measure(const struct model *md, struct measured *me)
{
	const struct setup *su = md->md_setup;
	const struct peer_result *pr = &md->md_peers[0]->pp_result;
	double s = 1e-9 * (double)su->su_run.sr_measure;
	const struct cpu *c = md->md_cpus[0].mc_cpu;

	me->me_throughput = (double)pr->pr_completed / s;
	me->me_latency = hist_mean(&pr->pr_latency) * 1e-9;
	me->me_cycle = hist_mean(&pr->pr_cycle) * 1e-9;
	me->me_slots = (double)pr->pr_slot_ns / (double)su->su_run.sr_measure;
	me->me_busy = 1 - (double)c->c_idle / (double)su->su_run.sr_measure;
	me->me_tx_bps =
	    (double)md->md_wires[1]->w_bytes * 8e9 / (double)md->md_end;
	for (int i = 0; i < COUNTER_N; i++)
		me->me_counters[i] = model_counter(md, (enum counter)i);
	theory_slices(md, me);
	theory_queue(md, me);
}

static inline void
theory_run(const struct theory *th, uint32_t rep, int fd)
{
	struct model_options mo = { .mo_rep = rep };
	struct measured me;
	static struct setup su;
	struct scenario *sc;
	struct model *md;
	struct diag d;
	int nsets = 0;

	while (th->th_sets[nsets] != NULL)
		nsets++;
	diag_init(&d);
	sc = scenario_load("tests/theory/station.yaml", th->th_sets, nsets,
	    "tests/theory", &d);
	if (sc == NULL) {
		diag_print(&d, stderr);
		exit(2);
	}
	scenario_point(sc, SCENARIO_BASE, &su);
	md = model_create(&su, &mo);
	model_run(md);
	theory_measure(md, &me);
	model_destroy(md);
	scenario_destroy(sc);
	diag_fini(&d);
	if (write(fd, &me, sizeof(me)) != sizeof(me))
		exit(2);
	exit(0);
}

/* All replications, two at a time: one engine a process. */
static inline void
theory_replicate(const struct theory *th, struct measured *me)
{
	int fds[THEORY_MAX_REPS][2], status;

	SIM_ASSERT(th->th_reps <= THEORY_MAX_REPS);
	fflush(NULL);
	for (int i = 0; i < th->th_reps + 2; i++) {
		if (i < th->th_reps) {
			pid_t pid;

			if (pipe(fds[i]) != 0 || (pid = fork()) < 0)
				exit(2);
			if (pid == 0)
				theory_run(th, (uint32_t)i, fds[i][1]);
			close(fds[i][1]);
		}
		if (i >= 2) {
			const int *fd = fds[i - 2];

			if (read(fd[0], &me[i - 2], sizeof(*me)) !=
			    sizeof(*me)) {
				fprintf(
				    stderr, "replication %d failed\n", i - 2);
				exit(1);
			}
			close(fd[0]);
		}
	}
	while (wait(&status) > 0)
		if (status != 0)
			exit(1);
}

/*
 * Print one line, and tell whether `want` lies in the interval and the
 * interval is within `narrow` (a share of want) on either side. `slack` is
 * what the simulated system may differ from the formula's, for the reason that
 * the test gives.
 */
static inline int
theory_check(const char *what, const double *x, int n, double want,
    double narrow, double slack)
{
	struct stat_ci ci = stat_t_interval(x, n, THEORY_LEVEL);
	bool ok = fabs(ci.mean - want) <= ci.half + slack &&
		  ci.half <= narrow * fabs(want);

	printf("%-40s %12.6g +- %-10.3g want %12.6g %s\n", what, ci.mean,
	    ci.half, want, ok ? "ok" : "NOT OK");
	return ok ? 0 : 1;
}

#endif
