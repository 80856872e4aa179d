#include "sim/lab/report_timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/experiment.h"
#include "sim/lab/sweep.h"
#include "sim/lab/timeline.h"
#include "sim/lab/trace_files.h"
#include "sim/lab/units.h"

/* A page must stay small: 2 MB for each timeline at most. */
#define TIMELINE_CPUS 4 /* at first */
#define TIMELINE_MAX_CPUS 16
#define TIMELINE_RECORDS 120000

static bool parse(struct store *, const char *text, int64_t first,
    struct report_timeline *, struct run_trace *);
static bool cpus(const char *text, struct run_trace *);
static int again(struct store *, const struct cli_args *,
    struct report_timeline *, struct run_trace *);
static bool fits(const struct setup *, sim_ns warmup, const struct run_trace *);
static enum run_status run_traced(struct scenario *, const struct cli_args *,
    struct run_job *, struct report_timeline *, struct run_trace *);
static void shorten(struct setup *, const struct run_trace *);

int
report_timelines(struct report *rp, const struct cli_args *ca, int64_t first)
{
	int n = ca->ca_timelines.cl_n, status = EXIT_OK;
	struct run_trace rt;

	rp->rp_timelines = sim_calloc((size_t)n + 1, sizeof(*rp->rp_timelines));
	for (int i = 0; i < n && status == EXIT_OK; i++) {
		struct report_timeline *rm = &rp->rp_timelines[i];

		if (!parse(rp->rp_store, ca->ca_timelines.cl_texts[i], first,
			rm, &rt))
			return EXIT_USAGE;
		rm->rm_json = tmpfile();
		if (rm->rm_json == NULL) {
			fprintf(stderr, "solab: a temporary file: %s\n",
			    strerror(errno));
			return EXIT_FAILED;
		}
		rp->rp_ntimelines++;
		if (ca->ca_cpus != NULL && !cpus(ca->ca_cpus, &rt))
			return cli_usage("report",
			    "--cpus: '%s', want A or A..B, %d CPUs at most",
			    ca->ca_cpus, TIMELINE_MAX_CPUS);
		status = again(rp->rp_store, ca, rm, &rt);
	}
	return status;
}

void
report_timelines_fini(struct report *rp)
{
	for (int i = 0; i < rp->rp_ntimelines; i++)
		fclose(rp->rp_timelines[i].rm_json);
	sim_free(rp->rp_timelines);
}

/* [POINT@]A..B */
static bool
parse(struct store *st, const char *text, int64_t first,
    struct report_timeline *rm, struct run_trace *rt)
{
	const char *at = strrchr(text, '@');
	char *point;

	*rt = (struct run_trace){ .rt_limit = TIMELINE_RECORDS,
		.rt_ncpus = TIMELINE_CPUS };
	rm->rm_point = first;
	if (!trace_window(at != NULL ? at + 1 : text, rt)) {
		cli_usage("report",
		    "--timeline: '%s', want A..B or POINT@A..B, as in "
		    "soavailconn=32@8s..8002ms",
		    text);
		return false;
	}
	if (at != NULL) {
		point = sim_strdup(text);
		point[at - text] = '\0';
		rm->rm_point = store_find(st, point);
		sim_free(point);
	} else if (first < 0) {
		fputs("solab: --timeline: there is no point in the store\n",
		    stderr);
	}
	return rm->rm_point >= 0;
}

/* A or A..B, both included. */
static bool
cpus(const char *text, struct run_trace *rt)
{
	char *end;
	long a = strtol(text, &end, 10), b = a;

	if (end == text || *text < '0' || *text > '9')
		return false;
	if (strncmp(end, "..", 2) == 0 && end[2] >= '0' && end[2] <= '9')
		b = strtol(end + 2, &end, 10);
	rt->rt_cpu = (int)a;
	rt->rt_ncpus = (int)(b - a + 1);
	return *end == '\0' && a <= b && b < SETUP_MAX_CPUS &&
	       b - a < TIMELINE_MAX_CPUS;
}

/*
 * The first replication of a point as it was run, up to the window's end.
 * Returns: the exit status.
 */
static int
again(struct store *st, const struct cli_args *ca, struct report_timeline *rm,
    struct run_trace *rt)
{
	struct record **rds;
	int n = store_records(st, rm->rm_point, &rds);
	bool ran = n > 0;
	struct run_job rj = { .rj_rep = ran ? rds[0]->rd_rep : 0 };
	struct scenario *sc =
	    store_scenario(st, rm->rm_point, ran ? rds[0]->rd_seed : 1);
	sim_ns warmup = ran ? rds[0]->rd_warmup_ns : 0;
	struct setup *su;
	enum run_status rs = RUN_FAILED;
	int status = EXIT_FAILED;

	if (n >= 0)
		store_records_free(rds, n);
	if (sc == NULL)
		return EXIT_FAILED;
	su = sim_calloc(1, sizeof(*su));
	scenario_point(sc, 0, su);
	if (!fits(su, warmup, rt)) {
		status = EXIT_USAGE;
	} else {
		shorten(su, rt);
		rj.rj_setup = su;
		rs = run_traced(sc, ca, &rj, rm, rt);
		status = rs == RUN_DONE	    ? EXIT_OK
			 : rs == RUN_FAILED ? EXIT_FAILED
					    : EXIT_INTERRUPTED;
	}
	sim_free(rj.rj_result);
	sim_free(su);
	scenario_destroy(sc);
	return status;
}

static enum run_status
run_traced(struct scenario *sc, const struct cli_args *ca, struct run_job *rj,
    struct report_timeline *rm, struct run_trace *rt)
{
	struct run_options ro = experiment_options(ca, sc->sc_name);
	char label[256];

	rt->rt_kinds = timeline_kinds;
	rt->rt_files[rt->rt_n++] =
	    (struct run_trace_file){ rm->rm_json, "timeline", timeline_json };
	rj->rj_trace = rt;
	rj->rj_label = scenario_point_label(sc, 0, label, sizeof(label));
	return run_jobs(rj, 1, &ro);
}

/* Is there such a time in the run, and such a CPU? Says what is not. */
static bool
fits(const struct setup *su, sim_ns warmup, const struct run_trace *rt)
{
	const struct setup_run *sr = &su->su_run;
	sim_ns end =
	    (sr->sr_warmup_auto ? warmup : sr->sr_warmup) + sr->sr_measure;
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];
	int ncpus = 0;

	for (int i = 0; i < su->su_nmachines; i++)
		ncpus += su->su_machines[i].sm_hw.hw_ncpus;
	if (rt->rt_to > end)
		fprintf(stderr,
		    "solab report: --timeline: the window ends at %s, the run "
		    "at %s\n",
		    unit_print(UNIT_TIME, rt->rt_to, a),
		    unit_print(UNIT_TIME, end, b));
	if (rt->rt_cpu >= ncpus)
		fprintf(stderr,
		    "solab report: --cpus: there is no CPU %d, only 0 to %d\n",
		    rt->rt_cpu, ncpus - 1);
	return rt->rt_to <= end && rt->rt_cpu < ncpus;
}

/*
 * What is measured changes nothing of what happens before, so the run may end
 * with the window.
 */
static void
shorten(struct setup *su, const struct run_trace *rt)
{
	struct setup_run *sr = &su->su_run;
	sim_ns end = rt->rt_to;

	if (sr->sr_warmup_auto || sr->sr_warmup >= end) {
		sr->sr_warmup_auto = false;
		sr->sr_warmup = 0;
	}
	sr->sr_measure = end - sr->sr_warmup;
	if (setup_nslices(sr) > SETUP_MAX_SLICES)
		sr->sr_slice = sr->sr_measure;
}
