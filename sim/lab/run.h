#ifndef SIM_LAB_RUN_H
#define SIM_LAB_RUN_H

/*
 * Run models, each in a child process of its own (the engine can be opened
 * once a process), and have their results back through pipes. What a child
 * writes to stderr is kept until it ends. A child that dies is reported with
 * what it wrote and its seed.
 */
#include <stdio.h>

#include "model/setup.h"
#include "sim/lab/result.h"

/* Where one run's trace goes. */
struct run_trace {
	FILE *rt_fp; /* borrowed; written and flushed by the child */
	const char *rt_name;
	sim_ns rt_from, rt_to;
};

struct run_job {
	const struct setup *rj_setup; /* borrowed */
	uint32_t rj_rep;
	const char *rj_label;		  /* borrowed; for messages */
	const struct run_trace *rj_trace; /* NULL: none */
	struct result *rj_result;	  /* out: sim_free() it */
};

struct run_options {
	const char *ro_scenario; /* for messages */
	int ro_jobs;		 /* children at once; 0: a CPU each */
	bool ro_exact;		 /* --no-lookahead */
	bool ro_quiet;		 /* no progress but on SIGUSR1 */
};

enum run_status {
	RUN_DONE,
	RUN_FAILED,	 /* said on stderr; no results */
	RUN_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP */
};

/*
 * Run all jobs. Stops at the first failure. SIGUSR1 (SIGINFO) prints progress.
 *
 * Context: a process that has not opened the engine. Time: real.
 */
enum run_status run_jobs(struct run_job *, int n, const struct run_options *);

/*
 * Run one model in this process, for run_jobs() and tests: the model stays, to
 * be looked at, and the caller destroys it.
 */
struct model *run_here(const struct run_job *, const struct run_options *,
    void (*progress)(sim_ns now, sim_ns end, void *), void *arg, int64_t *wall);

#endif
