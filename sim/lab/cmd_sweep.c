/*
 * solab sweep: every point of a scenario, in parallel processes, into a store.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/stat_precision.h"
#include "sim/lab/experiment.h"
#include "sim/lab/lookup.h"
#include "sim/lab/precision.h"
#include "sim/lab/sweep.h"
#include "sim/lab/sweep_slurm.h"

#define MAX_REPS 100 /* of --precision, when --max-reps is not said */

/* A sweep under way. */
struct sweep {
	const struct cli_args *sw_ca;
	struct scenario *sw_sc;
	struct experiment sw_ex;
	struct trial *sw_trials;
	int sw_n;
	struct precision sw_precision;
};

static bool options_ok(struct sweep *);
static bool cap_ok(const struct sweep *);
static bool shard_parse(const char *text, struct experiment *);
static bool stores_open(struct sweep *);
static int sweep_run(struct sweep *);
static bool more_wanted(struct sweep *);
static bool json_each(void *, struct trial *, uint32_t rep);
static int finish(struct sweep *, enum run_status);
static void tell(const struct sweep *, enum run_status);

int
cmd_sweep(const struct cli_args *ca)
{
	struct sweep sw = { .sw_ca = ca };
	int status = EXIT_USAGE;

	if (!options_ok(&sw))
		return EXIT_USAGE;
	sw.sw_sc = lookup_load(ca->ca_files[0], ca);
	if (sw.sw_sc == NULL)
		return EXIT_USAGE;
	if (!cap_ok(&sw)) {
		status = EXIT_USAGE;
	} else if (ca->ca_list) {
		scenario_print_points(sw.sw_sc, stdout);
		status = EXIT_OK;
	} else if (ca->ca_executor != NULL) {
		status = sweep_slurm(ca, sw.sw_sc);
	} else if (stores_open(&sw)) {
		status = sweep_run(&sw);
	}
	store_close(sw.sw_ex.ex_except);
	store_close(sw.sw_ex.ex_store);
	scenario_destroy(sw.sw_sc);
	return status;
}

static bool
options_ok(struct sweep *sw)
{
	const struct cli_args *ca = sw->sw_ca;

	if (ca->ca_resume && ca->ca_db == NULL) {
		cli_usage("sweep", "--resume without --db");
		return false;
	}
	if (ca->ca_max_reps > 0 && ca->ca_precision == NULL) {
		cli_usage("sweep", "--max-reps without --precision");
		return false;
	}
	if (!sweep_slurm_options(ca))
		return false;
	if (ca->ca_shard != NULL && !shard_parse(ca->ca_shard, &sw->sw_ex)) {
		cli_usage("sweep", "--shard: '%s', want I/N, as in 1/4",
		    ca->ca_shard);
		return false;
	}
	if (ca->ca_precision == NULL)
		return true;
	if (ca->ca_shard != NULL || ca->ca_except != NULL) {
		cli_usage("sweep",
		    "--precision needs all replications in one store: not "
		    "with %s",
		    ca->ca_shard != NULL ? "--shard" : "--except");
		return false;
	}
	return precision_parse("sweep", ca->ca_precision, &sw->sw_precision);
}

/* A cap below what is wanted anyway would be passed over. */
static bool
cap_ok(const struct sweep *sw)
{
	int reps = sw->sw_sc->sc_setup.su_run.sr_replications;

	if (sw->sw_ca->ca_max_reps == 0 || sw->sw_ca->ca_max_reps >= reps)
		return true;
	cli_usage("sweep", "--max-reps: %d, want %d or more",
	    sw->sw_ca->ca_max_reps, reps);
	return false;
}

/* I/N, from 1. */
static bool
shard_parse(const char *text, struct experiment *ex)
{
	char *end;
	long i, n;

	errno = 0;
	i = strtol(text, &end, 10);
	if (*end != '/' || end == text || text[0] < '0' || text[0] > '9')
		return false;
	text = end + 1;
	n = strtol(text, &end, 10);
	if (*end != '\0' || end == text || text[0] < '0' || text[0] > '9' ||
	    errno != 0 || i < 1 || i > n || n > 1000000)
		return false;
	ex->ex_shard = (int)i - 1;
	ex->ex_nshards = (int)n;
	return true;
}

static bool
stores_open(struct sweep *sw)
{
	const struct cli_args *ca = sw->sw_ca;

	if (ca->ca_except != NULL) {
		sw->sw_ex.ex_except = store_open(ca->ca_except, STORE_READ);
		if (sw->sw_ex.ex_except == NULL)
			return false;
	}
	sw->sw_ex.ex_store = experiment_store(ca, ca->ca_resume);
	return sw->sw_ex.ex_store != NULL;
}

static int
sweep_run(struct sweep *sw)
{
	const struct cli_args *ca = sw->sw_ca;
	enum run_status rs;
	int status;

	sw->sw_ex.ex_options = experiment_options(ca, sw->sw_sc->sc_name);
	if (ca->ca_json) {
		sw->sw_ex.ex_each = json_each;
		sw->sw_ex.ex_arg = sw;
	}
	sw->sw_trials = trials_create(sw->sw_sc, &sw->sw_n);
	do {
		rs = experiment_run(&sw->sw_ex, sw->sw_trials, sw->sw_n);
	} while (
	    rs != RUN_INTERRUPTED && !sw->sw_ex.ex_broken && more_wanted(sw));
	status = finish(sw, rs);
	trials_destroy(sw->sw_trials, sw->sw_n);
	return status;
}

/* Ask for more replications of the points that are not precise enough. */
static bool
more_wanted(struct sweep *sw)
{
	int cap =
	    sw->sw_ca->ca_max_reps > 0 ? sw->sw_ca->ca_max_reps : MAX_REPS;
	bool more = false;

	for (int i = 0; i < sw->sw_n && sw->sw_precision.pn_n > 0; i++) {
		struct trial *tr = &sw->sw_trials[i];
		int wanted;

		/* One that fails would fail again and again. */
		if (tr->tr_failed > 0)
			continue;
		wanted = precision_more(
		    &sw->sw_precision, sw->sw_ex.ex_store, tr, cap);
		if (wanted < 0)
			return false;
		tr->tr_reps += wanted;
		more = more || wanted > 0;
	}
	return more;
}

static bool
json_each(void *arg, struct trial *tr, uint32_t rep)
{
	struct sweep *sw = arg;
	struct record *rd =
	    store_get(sw->sw_ex.ex_store, tr->tr_id, tr->tr_seed, rep);

	if (rd == NULL)
		return false;
	record_json(stdout, rd, false);
	fflush(stdout);
	record_destroy(rd);
	return true;
}

static int
finish(struct sweep *sw, enum run_status rs)
{
	const struct experiment *ex = &sw->sw_ex;

	if (!sw->sw_ca->ca_json && !ex->ex_broken &&
	    !sweep_table(stdout, ex->ex_store, sw->sw_trials, sw->sw_n,
		&sw->sw_precision))
		return EXIT_FAILED;
	fflush(stdout);
	tell(sw, rs);
	if (ex->ex_broken)
		return EXIT_FAILED;
	if (rs == RUN_INTERRUPTED)
		return EXIT_INTERRUPTED;
	return ex->ex_failed > 0 ? EXIT_SOME : EXIT_OK;
}

/* What became of the runs, and how to go on. */
static void
tell(const struct sweep *sw, enum run_status rs)
{
	const struct experiment *ex = &sw->sw_ex;
	const char *db = sw->sw_ca->ca_db;

	if (db == NULL && rs == RUN_DONE && ex->ex_failed == 0)
		return;
	fprintf(stderr, "solab: %d run%s done", ex->ex_ran,
	    ex->ex_ran == 1 ? "" : "s");
	if (ex->ex_reused > 0)
		fprintf(stderr, ", %d were in %s", ex->ex_reused,
		    db != NULL ? db : "memory");
	if (ex->ex_failed > 0)
		fprintf(stderr, ", %d failed", ex->ex_failed);
	fputs("\n", stderr);
	if (db != NULL && (ex->ex_broken || rs == RUN_INTERRUPTED))
		fprintf(stderr,
		    "solab: what is done is in %s; the same command with "
		    "--resume goes on\n",
		    db);
}
