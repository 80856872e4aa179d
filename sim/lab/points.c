#include "sim/lab/points.h"

#include "sim/core/alloc.h"

void
point_init(struct point *po, struct scenario *sc, int point)
{
	*po = (struct point){ .po_point = point };
	scenario_point(sc, point, &po->po_setup);
	scenario_point_label(sc, point, po->po_label, sizeof(po->po_label));
	po->po_reps = po->po_setup.su_run.sr_replications;
	po->po_results = sim_calloc(po->po_reps, sizeof(*po->po_results));
}

void
point_fini(struct point *po)
{
	for (int i = 0; i < po->po_reps; i++)
		sim_free(po->po_results[i]);
	sim_free(po->po_results);
	sim_free(po->po_merged);
}

enum run_status
points_run(struct point *po, int n, const struct run_trace *trace,
    const struct run_options *ro)
{
	struct run_job *jobs;
	enum run_status status;
	int njobs = 0, k = 0;

	for (int i = 0; i < n; i++)
		njobs += po[i].po_reps;
	jobs = sim_calloc(njobs, sizeof(*jobs));
	for (int i = 0; i < n; i++)
		for (int r = 0; r < po[i].po_reps; r++, k++)
			jobs[k] = (struct run_job){
				.rj_setup = &po[i].po_setup,
				.rj_rep = (uint32_t)r,
				.rj_label = po[i].po_label,
				.rj_trace = k == 0 ? trace : NULL,
			};
	status = run_jobs(jobs, njobs, ro);
	k = 0;
	for (int i = 0; i < n; i++) {
		for (int r = 0; r < po[i].po_reps; r++, k++)
			po[i].po_results[r] = jobs[k].rj_result;
		if (status != RUN_DONE)
			continue;
		po[i].po_merged = result_create();
		for (int r = 0; r < po[i].po_reps; r++)
			result_merge(po[i].po_merged, po[i].po_results[r]);
	}
	sim_free(jobs);
	return status;
}

struct stat_ci
point_metric(const struct point *po, enum metric m)
{
	double *x = sim_calloc(po->po_reps, sizeof(*x));
	struct stat_ci ci;

	for (int r = 0; r < po->po_reps; r++)
		x[r] = metric_value(m, po->po_results[r]);
	ci = stat_t_interval(x, po->po_reps, 0.95);
	ci.mean = metric_value(m, po->po_merged);
	/* Counts are a replication's. */
	if (m == METRIC_REQUESTS)
		ci.mean /= po->po_reps;
	sim_free(x);
	return ci;
}

static double
gain(double a, double b)
{
	return 100 * (a / b - 1);
}

struct stat_ci
point_gain(const struct point *a, const struct point *b, enum metric m)
{
	int n = a->po_reps < b->po_reps ? a->po_reps : b->po_reps;
	double *x = sim_calloc(n, sizeof(*x));
	struct stat_ci ci;

	for (int r = 0; r < n; r++)
		x[r] = gain(metric_value(m, a->po_results[r]),
		    metric_value(m, b->po_results[r]));
	ci = stat_t_interval(x, n, 0.95);
	ci.mean = gain(point_metric(a, m).mean, point_metric(b, m).mean);
	sim_free(x);
	return ci;
}

void
point_json(FILE *fp, const struct scenario *sc, const struct point *po, int rep)
{
	struct record *rd = record_of(
	    sc, po->po_point, &po->po_setup, rep, po->po_results[rep]);

	record_json(fp, rd, false);
	record_destroy(rd);
}
