#include "sim/lab/report_timeline.h"

#include <errno.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/experiment.h"
#include "sim/lab/sweep.h"
#include "sim/lab/timeline.h"
#include "sim/lab/trace_files.h"

/* A page must stay small: 2 MB for each timeline at most. */
#define TIMELINE_CPUS 4
#define TIMELINE_RECORDS 120000

static bool parse(struct store *, const char *text, int64_t first,
    struct report_timeline *, struct run_trace *);
static enum run_status again(struct store *, const struct cli_args *,
    struct report_timeline *, struct run_trace *);
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
		switch (again(rp->rp_store, ca, rm, &rt)) {
		case RUN_DONE:
			break;
		case RUN_FAILED:
			status = EXIT_FAILED;
			break;
		case RUN_INTERRUPTED:
			status = EXIT_INTERRUPTED;
			break;
		}
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
		.rt_places = TIMELINE_CPUS };
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

/* The first replication of a point as it was run, up to the window's end. */
static enum run_status
again(struct store *st, const struct cli_args *ca, struct report_timeline *rm,
    struct run_trace *rt)
{
	struct record **rds;
	int n = store_records(st, rm->rm_point, &rds);
	struct scenario *sc =
	    store_scenario(st, rm->rm_point, n > 0 ? rds[0]->rd_seed : 1);
	struct run_job rj = { .rj_rep = n > 0 ? rds[0]->rd_rep : 0 };
	struct run_options ro;
	struct setup *su;
	enum run_status status;
	char label[256];

	if (n >= 0)
		store_records_free(rds, n);
	if (sc == NULL)
		return RUN_FAILED;
	su = sim_calloc(1, sizeof(*su));
	scenario_point(sc, 0, su);
	shorten(su, rt);
	rt->rt_kinds = timeline_kinds;
	rt->rt_files[rt->rt_n++] =
	    (struct run_trace_file){ rm->rm_json, "timeline", timeline_json };
	rj.rj_setup = su;
	rj.rj_trace = rt;
	rj.rj_label = scenario_point_label(sc, 0, label, sizeof(label));
	ro = experiment_options(ca, sc->sc_name);
	status = run_jobs(&rj, 1, &ro);
	sim_free(rj.rj_result);
	sim_free(su);
	scenario_destroy(sc);
	return status;
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
