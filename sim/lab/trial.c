#include "sim/lab/trial.h"

#include <math.h>

#include "sim/core/alloc.h"
#include "sim/lab/lookup.h"
#include "sim/lab/points.h"

void
trials_fini(struct trial *tl, int n)
{
	for (int i = 0; i < n; i++) {
		for (int r = tl[i].tl_from; r < tl[i].tl_to; r++)
			if (tl[i].tl_records != NULL)
				record_destroy(
				    tl[i].tl_records[r - tl[i].tl_from]);
		sim_free(tl[i].tl_records);
		tl[i].tl_records = NULL;
	}
}

double
trial_metric(const struct record *rd, enum metric m)
{
	if (rd == NULL)
		return NAN;
	if (key_metrics[m].km_unit == UNIT_TIME &&
	    record_metric(rd, key_metrics[METRIC_REQUESTS].km_json) == 0)
		return INFINITY;
	return record_metric(rd, key_metrics[m].km_json);
}

/* Returns: NULL after errors, which were said. */
static struct scenario *
load(const struct cli_args *ca, const struct trial *tl)
{
	struct cli_args with = *ca;

	for (int i = 0; i < tl->tl_nsets; i++)
		with.ca_sets[with.ca_nsets++] = tl->tl_sets[i];
	return lookup_load(ca->ca_files[0], &with);
}

enum run_status
trials_run(const struct cli_args *ca, struct trial *tl, int n)
{
	struct scenario **sc = sim_calloc(n, sizeof(struct scenario *));
	struct setup *su = sim_calloc(n, sizeof(*su));
	struct run_options ro = { .ro_jobs = ca->ca_jobs };
	enum run_status status = RUN_DONE;
	struct run_job *jobs;
	int njobs = 0, k = 0;

	for (int i = 0; i < n; i++)
		njobs += tl[i].tl_to - tl[i].tl_from;
	jobs = sim_calloc(njobs, sizeof(*jobs));
	for (int i = 0; i < n && status == RUN_DONE; i++) {
		sc[i] = load(ca, &tl[i]);
		if (sc[i] == NULL) {
			status = RUN_FAILED;
			break;
		}
		ro.ro_scenario = sc[i]->sc_name;
		scenario_point(sc[i], SCENARIO_BASE, &su[i]);
		for (int r = tl[i].tl_from; r < tl[i].tl_to; r++)
			jobs[k++] = (struct run_job){
				.rj_setup = &su[i],
				.rj_rep = (uint32_t)r,
				.rj_label = tl[i].tl_nsets > 0
						? tl[i].tl_sets[0]
						: "base",
			};
	}
	if (status == RUN_DONE)
		status = run_jobs(jobs, njobs, &ro);
	k = 0;
	for (int i = 0; i < n && status == RUN_DONE; i++) {
		tl[i].tl_records = sim_calloc(
		    tl[i].tl_to - tl[i].tl_from + 1, sizeof(struct record *));
		for (int r = tl[i].tl_from; r < tl[i].tl_to; r++, k++)
			tl[i].tl_records[r - tl[i].tl_from] =
			    record_of(sc[i], SCENARIO_BASE, &su[i], r,
				jobs[k].rj_result);
	}
	for (int j = 0; j < njobs; j++)
		sim_free(jobs[j].rj_result);
	for (int i = 0; i < n; i++)
		scenario_destroy(sc[i]);
	sim_free(jobs);
	sim_free(su);
	sim_free(sc);
	return status;
}
