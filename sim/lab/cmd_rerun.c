/*
 * solab rerun: the runs of a point again, from what the store keeps of it.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/points.h"
#include "sim/lab/sweep.h"

/* The runs of the point. */
struct again {
	const struct cli_args *ag_ca;
	struct store *ag_st;
	int64_t ag_point;
	struct store_run *ag_runs;
	int ag_n;
	int ag_equal, ag_other, ag_new; /* to what the store has */
};

static int rerun(struct again *);
static int rerun_one(struct again *, const struct store_run *);
static bool compare(struct again *, const struct store_run *, struct record *);
static char *text_of(const struct record *);
static void tell(const struct again *);

int
cmd_rerun(const struct cli_args *ca)
{
	struct again ag = { .ag_ca = ca };
	struct ypool yp = { NULL };
	int status = EXIT_USAGE;

	ag.ag_st = store_open(ca->ca_files[0], STORE_READ);
	if (ag.ag_st == NULL)
		return EXIT_USAGE;
	ag.ag_point = store_find(ag.ag_st, ca->ca_files[1]);
	if (ag.ag_point >= 0) {
		ag.ag_n = store_runs(ag.ag_st, &ag.ag_runs, &yp);
		status = ag.ag_n >= 0 ? rerun(&ag) : EXIT_FAILED;
	}
	sim_free(ag.ag_runs);
	ypool_fini(&yp);
	store_close(ag.ag_st);
	return status;
}

static int
rerun(struct again *ag)
{
	int status = EXIT_OK, n = 0;

	for (int i = 0; i < ag->ag_n && status == EXIT_OK; i++) {
		const struct store_run *sn = &ag->ag_runs[i];

		if (sn->sn_point != ag->ag_point ||
		    sn->sn_state == STORE_RUNNING ||
		    (ag->ag_ca->ca_rep > 0 &&
			(int)sn->sn_rep + 1 != ag->ag_ca->ca_rep))
			continue;
		status = rerun_one(ag, sn);
		n++;
	}
	if (n == 0) {
		fprintf(stderr, "solab: %s: no such run of this point\n",
		    ag->ag_ca->ca_files[0]);
		return EXIT_USAGE;
	}
	fflush(stdout);
	if (status == EXIT_OK)
		tell(ag);
	return status == EXIT_OK && ag->ag_other > 0 ? EXIT_FAILED : status;
}

static int
rerun_one(struct again *ag, const struct store_run *sn)
{
	struct scenario *sc =
	    store_scenario(ag->ag_st, ag->ag_point, sn->sn_seed);
	struct run_options ro;
	struct run_job rj = { .rj_rep = sn->sn_rep };
	struct setup *su;
	struct record *rd;
	char label[256];
	enum run_status rs;
	bool ok = true;

	if (sc == NULL)
		return EXIT_FAILED;
	su = sim_calloc(1, sizeof(*su));
	scenario_point(sc, 0, su);
	rj.rj_setup = su;
	rj.rj_label = scenario_point_label(sc, 0, label, sizeof(label));
	ro = experiment_options(ag->ag_ca, sc->sc_name);
	rs = run_jobs(&rj, 1, &ro);
	if (rs == RUN_DONE) {
		rd = record_of(sc, 0, su, (int)sn->sn_rep, rj.rj_result);
		ok = compare(ag, sn, rd);
		record_destroy(rd);
	}
	sim_free(rj.rj_result);
	sim_free(su);
	scenario_destroy(sc);
	if (rs == RUN_DONE)
		return ok ? EXIT_OK : EXIT_FAILED;
	return rs == RUN_FAILED ? EXIT_FAILED : EXIT_INTERRUPTED;
}

/*
 * Print it as the store names the point; is it the same? Returns: false when
 * the store does not give what it has.
 */
static bool
compare(struct again *ag, const struct store_run *sn, struct record *rd)
{
	struct record *old =
	    store_get(ag->ag_st, ag->ag_point, sn->sn_seed, sn->sn_rep);
	char *a, *b;

	if (old == NULL && sn->sn_state == STORE_DONE) {
		fprintf(stderr, "solab: %s: replication %u cannot be read\n",
		    ag->ag_ca->ca_files[0], (unsigned)sn->sn_rep);
		return false;
	}
	if (old == NULL) {
		record_json(stdout, rd, false);
		ag->ag_new++;
		return true;
	}
	rd->rd_params = old->rd_params;
	rd->rd_nparams = old->rd_nparams;
	rd->rd_key = old->rd_key;
	rd->rd_model = old->rd_model;
	record_json(stdout, rd, false);
	a = text_of(old);
	b = text_of(rd);
	if (strcmp(a, b) == 0)
		ag->ag_equal++;
	else
		ag->ag_other++;
	free(a);
	free(b);
	record_destroy(old);
	return true;
}

/* All but `run`, which is the last member. */
static char *
text_of(const struct record *rd)
{
	char *text, *run, *next;
	size_t n;
	FILE *fp = open_memstream(&text, &n);

	record_json(fp, rd, true);
	fclose(fp);
	run = strstr(text, ", \"run\": ");
	while (run != NULL && (next = strstr(run + 1, ", \"run\": ")) != NULL)
		run = next;
	if (run != NULL)
		*run = '\0';
	return text;
}

static void
tell(const struct again *ag)
{
	struct record **rds;
	int n = store_records(ag->ag_st, ag->ag_point, &rds);

	if (ag->ag_equal > 0)
		fprintf(stderr, "solab: %d run%s, the same as in the store\n",
		    ag->ag_equal, ag->ag_equal > 1 ? "s" : "");
	if (ag->ag_new > 0)
		fprintf(stderr,
		    "solab: %d run%s that had failed, done now "
		    "(not stored)\n",
		    ag->ag_new, ag->ag_new > 1 ? "s" : "");
	if (ag->ag_other > 0)
		fprintf(stderr, "solab: %d run%s, NOT the same as in the store",
		    ag->ag_other, ag->ag_other > 1 ? "s" : "");
	if (ag->ag_other > 0 && n > 0)
		fprintf(stderr, ", which model %s made; this is %s",
		    rds[0]->rd_model, store_model_version());
	if (ag->ag_other > 0)
		fputc('\n', stderr);
	if (n >= 0)
		store_records_free(rds, n);
}
