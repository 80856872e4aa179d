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
#include "sim/core/trace.h"
#include "sim/lab/result.h"

/*
 * A form in which a trace is written. It may sort the trace. Returns: false
 * when not all of it was written, which has been said; errors of the file are
 * for the caller to look at.
 */
typedef bool run_trace_writer(
    FILE *, const char *name, struct sim_trace *, const struct model *);

/* What of one run is traced, and the files that it goes to. */
#define RUN_MAX_TRACES 3
struct run_trace {
	sim_ns rt_from, rt_to;
	uint64_t rt_kinds; /* bits by kind (model/trace.h) */
	uint64_t rt_limit; /* records, of 48 bytes */
	int64_t rt_bytes;  /* limit of each file that can be cut; 0: none */
	uint32_t rt_only;  /* connection, as flow_make(); 0: all */
	/* Only so many CPUs from this one on, servers first; 0: all of them. */
	int rt_cpu, rt_ncpus;
	int rt_n;
	struct run_trace_file {
		FILE *rf_fp; /* borrowed; written and flushed by the child */
		const char *rf_name;
		run_trace_writer *rf_write;
	} rt_files[RUN_MAX_TRACES];
};

struct run_job {
	const struct setup *rj_setup; /* borrowed */
	uint32_t rj_rep;
	const char *rj_label;		  /* borrowed; for messages */
	const struct run_trace *rj_trace; /* NULL: none */
	struct result *rj_result;	  /* out: sim_free() it */
	char *rj_error; /* out, when there is no result: what the child wrote
			   and how it ended; sim_free() it */
};

#define RUN_MAX_JOBS 256

struct run_options {
	const char *ro_scenario; /* for messages */
	int ro_jobs;		 /* children at once; 0: a CPU each */
	bool ro_exact;		 /* --no-lookahead */
	bool ro_quiet;		 /* no progress but on SIGUSR1 */
	int64_t ro_time_ns;	 /* limit of a run's real time; 0: none */
	int64_t ro_memory_bytes; /* limit of its memory; 0: none */
};

/* Where jobs come from and go to, one by one. */
struct run_feed {
	/*
	 * The next one; NULL with *wait: none yet, ask again in a while; NULL
	 * without: there are no more. It is the feed's; it lives until
	 * rf_done().
	 */
	struct run_job *(*rf_next)(void *arg, bool *wait);
	/*
	 * It has a result or an error. Returns: false to stop all others (the
	 * feed has said why).
	 */
	bool (*rf_done)(void *arg, struct run_job *);
	/* Called about once a second; may be NULL. Returns: as rf_done(). */
	bool (*rf_tick)(void *arg);
	void *rf_arg;
	int rf_runs;	 /* in all, for the progress; the feed may change it */
	sim_ns rf_total; /* of these, simulated; likewise */
};

enum run_status {
	RUN_DONE,
	RUN_FAILED,	 /* said on stderr */
	RUN_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP */
};

/*
 * Run what the feed has, until it has no more. A run that fails is said on
 * stderr, and the others go on. SIGUSR1 (SIGINFO) prints progress. At SIGINT,
 * SIGTERM and SIGHUP what runs is killed, and not reported to the feed.
 *
 * Context: a process that has not opened the engine. Time: real.
 * Returns: RUN_FAILED when a run failed, or the feed stopped it.
 */
enum run_status run_fed(struct run_feed *, const struct run_options *);

/* Run all jobs. Stops at the first failure. */
enum run_status run_jobs(struct run_job *, int n, const struct run_options *);

/* Simulated time that a run takes. */
sim_ns run_length(const struct run_job *);

/*
 * Run one model in this process, for run_jobs() and tests: the model stays, to
 * be looked at, and the caller destroys it.
 */
struct model *run_here(const struct run_job *, const struct run_options *,
    void (*progress)(sim_ns now, sim_ns end, void *), void *arg, int64_t *wall);

#endif
