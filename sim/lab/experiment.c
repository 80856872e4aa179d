#include "sim/lab/experiment.h"

#include <stddef.h>
#include <sys/queue.h>

#include "sim/core/alloc.h"

/* What is known of a replication of a trial. */
enum state {
	TODO,	 /* nothing yet */
	OURS,	 /* runs here */
	OTHERS,	 /* runs in another process */
	DONE,	 /* is in the store */
	FAILED,	 /* likewise, with its message */
	SKIPPED, /* of another shard, or done in ex_except */
};

/* A run that is under way. */
struct job {
	struct run_job jb_run; /* first: the pool gives it back */
	LIST_ENTRY(job) jb_list;
	struct trial *jb_trial;
	struct setup jb_setup;
	char jb_label[256];
};

/* What the pool feeds on. Positions count replications outermost. */
struct feeding {
	struct experiment *fe_ex;
	struct trial *fe_trials;
	int fe_n, fe_reps; /* trials; the most replications */
	int64_t fe_next;   /* position that is looked at next */
	int64_t fe_told;   /* positions before it were told to ex_each */
	int fe_others;	   /* runs in other processes, in this round */
	bool fe_waited;	   /* and they were waited for */
	LIST_HEAD(, job) fe_jobs;
	struct run_feed fe_feed;
};

static bool trials_open(struct feeding *);
static bool trial_open(struct experiment *, struct trial *, int index, int n);
static int first_state(
    struct experiment *, const struct trial *, int64_t elsewhere, uint32_t rep);
static void count_wanted(struct feeding *);
static struct run_job *feed_next(void *, bool *wait);
static int take(struct feeding *, struct trial *, uint32_t rep);
static struct run_job *job_create(
    struct feeding *, struct trial *, uint32_t rep);
static void job_destroy(struct job *);
static bool feed_done(void *, struct run_job *);
static bool feed_tick(void *);
static bool tell(struct feeding *);
static void settle(
    struct experiment *, struct trial *, uint32_t rep, int state);
static bool tally(struct feeding *);

enum run_status
experiment_run(struct experiment *ex, struct trial *trials, int n)
{
	struct feeding fe = { .fe_ex = ex, .fe_trials = trials, .fe_n = n };
	enum run_status status;

	fe.fe_feed = (struct run_feed){
		.rf_next = feed_next,
		.rf_done = feed_done,
		.rf_tick = feed_tick,
		.rf_arg = &fe,
	};
	if (!trials_open(&fe) || !tell(&fe)) {
		ex->ex_broken = true;
		return RUN_FAILED;
	}
	status = run_fed(&fe.fe_feed, &ex->ex_options);
	while (!LIST_EMPTY(&fe.fe_jobs))
		job_destroy(LIST_FIRST(&fe.fe_jobs));
	/* What was killed is free for others, and for the next time. */
	if (status != RUN_DONE && !ex->ex_broken &&
	    !store_unclaim_all(ex->ex_store))
		ex->ex_broken = true;
	/* What nobody stopped, and is not at its end, could not be started. */
	if (!tally(&fe) && status != RUN_INTERRUPTED)
		ex->ex_broken = true;
	if (status == RUN_DONE && ex->ex_failed > 0)
		status = RUN_FAILED;
	return status;
}

void
trial_fini(struct trial *tr)
{
	sim_free(tr->tr_states);
	tr->tr_states = NULL;
	tr->tr_nstates = 0;
}

/* Put all points in, in their order, before anything runs. */
static bool
trials_open(struct feeding *fe)
{
	for (int i = 0; i < fe->fe_n; i++) {
		struct trial *tr = &fe->fe_trials[i];

		if (!trial_open(fe->fe_ex, tr, i, fe->fe_n))
			return false;
		if (tr->tr_reps > fe->fe_reps)
			fe->fe_reps = tr->tr_reps;
	}
	count_wanted(fe);
	return true;
}

static bool
trial_open(struct experiment *ex, struct trial *tr, int index, int n)
{
	int64_t elsewhere = 0;
	struct setup *su;
	int state;

	if (tr->tr_states == NULL) {
		su = sim_calloc(1, sizeof(*su));
		scenario_point(tr->tr_sc, tr->tr_point, su);
		tr->tr_seed = su->su_run.sr_seed;
		sim_free(su);
		tr->tr_id = store_point(ex->ex_store, tr->tr_sc, tr->tr_point);
		if (tr->tr_id < 0)
			return false;
	}
	if (ex->ex_except != NULL)
		elsewhere =
		    store_point_known(ex->ex_except, tr->tr_sc, tr->tr_point);
	if (elsewhere < 0)
		return false;
	tr->tr_states = sim_realloc(tr->tr_states, (size_t)tr->tr_reps + 1, 1);
	for (int r = tr->tr_nstates; r < tr->tr_reps; r++) {
		int64_t k = (int64_t)r * n + index;

		state = SKIPPED;
		if (ex->ex_nshards == 0 || k % ex->ex_nshards == ex->ex_shard)
			state = first_state(ex, tr, elsewhere, (uint32_t)r);
		if (state < 0)
			return false;
		tr->tr_states[r] = (char)state;
		ex->ex_reused += state == DONE;
	}
	if (tr->tr_reps > tr->tr_nstates)
		tr->tr_nstates = tr->tr_reps;
	return true;
}

/*
 * What a run of ours is at the start. elsewhere: its point in ex_except, or 0.
 * Returns: -1 after an error.
 */
static int
first_state(struct experiment *ex, const struct trial *tr, int64_t elsewhere,
    uint32_t rep)
{
	int state = store_state(ex->ex_store, tr->tr_id, tr->tr_seed, rep);

	if (state < 0 || state == STORE_DONE)
		return state < 0 ? -1 : DONE;
	if (elsewhere == 0)
		return TODO;
	state = store_state(ex->ex_except, elsewhere, tr->tr_seed, rep);
	if (state < 0)
		return -1;
	return state == STORE_DONE ? SKIPPED : TODO;
}

/* For the progress. */
static void
count_wanted(struct feeding *fe)
{
	struct setup *su = sim_calloc(1, sizeof(*su));

	for (int i = 0; i < fe->fe_n; i++) {
		struct trial *tr = &fe->fe_trials[i];
		struct run_job rj = { .rj_setup = su };
		int todo = 0;

		for (int r = 0; r < tr->tr_reps; r++)
			todo += tr->tr_states[r] == TODO;
		if (todo == 0)
			continue;
		scenario_point(tr->tr_sc, tr->tr_point, su);
		fe->fe_feed.rf_runs += todo;
		fe->fe_feed.rf_total += todo * run_length(&rj);
	}
	sim_free(su);
}

/* Returns: the trial of a position, NULL when it does not go so far. */
static struct trial *
trial_at(struct feeding *fe, int64_t position, uint32_t *rep)
{
	struct trial *tr = &fe->fe_trials[position % fe->fe_n];

	*rep = (uint32_t)(position / fe->fe_n);
	return (int)*rep < tr->tr_reps ? tr : NULL;
}

/*
 * The first that is free. At the end, look again at what others run: they may
 * have done it, or died.
 */
static struct run_job *
feed_next(void *arg, bool *wait)
{
	struct feeding *fe = arg;
	int64_t end = (int64_t)fe->fe_n * fe->fe_reps;
	struct trial *tr;
	uint32_t rep;

	while (fe->fe_next < end) {
		tr = trial_at(fe, fe->fe_next++, &rep);
		if (tr == NULL)
			continue;
		switch (take(fe, tr, rep)) {
		case OURS:
			return job_create(fe, tr, rep);
		case OTHERS:
			fe->fe_others++;
			break;
		default:
			break;
		}
		if (fe->fe_ex->ex_broken)
			return NULL;
	}
	*wait = fe->fe_others > 0;
	if (*wait && !fe->fe_waited) {
		fe->fe_waited = true;
		fprintf(stderr,
		    "solab: waiting for %d run%s of other processes\n",
		    fe->fe_others, fe->fe_others > 1 ? "s" : "");
	}
	fe->fe_others = 0;
	if (*wait)
		fe->fe_next = 0;
	return NULL;
}

/* Returns: what it is now. */
static int
take(struct feeding *fe, struct trial *tr, uint32_t rep)
{
	struct experiment *ex = fe->fe_ex;
	int state = tr->tr_states[rep], got;

	if (state != TODO && state != OTHERS)
		return state == OURS ? SKIPPED : state;
	/* What failed elsewhere while we waited has been tried. */
	got = store_state(ex->ex_store, tr->tr_id, tr->tr_seed, rep);
	if (got == STORE_DONE) {
		settle(ex, tr, rep, DONE);
		ex->ex_reused++;
	} else if (got == STORE_FAILED && state == OTHERS) {
		settle(ex, tr, rep, FAILED);
	} else if (got == STORE_RUNNING) {
		tr->tr_states[rep] = OTHERS;
	} else if (got >= 0) {
		got = store_claim(ex->ex_store, tr->tr_id, tr->tr_seed, rep);
		tr->tr_states[rep] = got == 1 ? OURS : OTHERS;
	}
	if (got < 0 || !tell(fe))
		ex->ex_broken = true;
	return got < 0 ? SKIPPED : tr->tr_states[rep];
}

static struct run_job *
job_create(struct feeding *fe, struct trial *tr, uint32_t rep)
{
	struct job *jb = sim_calloc(1, sizeof(*jb));

	scenario_point(tr->tr_sc, tr->tr_point, &jb->jb_setup);
	scenario_point_label(
	    tr->tr_sc, tr->tr_point, jb->jb_label, sizeof(jb->jb_label));
	jb->jb_trial = tr;
	jb->jb_run.rj_setup = &jb->jb_setup;
	jb->jb_run.rj_rep = rep;
	jb->jb_run.rj_label = jb->jb_label;
	LIST_INSERT_HEAD(&fe->fe_jobs, jb, jb_list);
	return &jb->jb_run;
}

static void
job_destroy(struct job *jb)
{
	LIST_REMOVE(jb, jb_list);
	sim_free(jb->jb_run.rj_result);
	sim_free(jb->jb_run.rj_error);
	sim_free(jb);
}

static bool
feed_done(void *arg, struct run_job *rj)
{
	struct feeding *fe = arg;
	struct experiment *ex = fe->fe_ex;
	struct job *jb = (struct job *)rj;
	struct trial *tr = jb->jb_trial;
	struct record *rd;
	bool ok;

	if (rj->rj_result != NULL) {
		rd = record_of(tr->tr_sc, tr->tr_point, &jb->jb_setup,
		    (int)rj->rj_rep, rj->rj_result);
		ok = store_put(ex->ex_store, tr->tr_id, rd);
		record_destroy(rd);
		settle(ex, tr, rj->rj_rep, DONE);
		ex->ex_ran += ok;
	} else {
		ok = store_put_failed(ex->ex_store, tr->tr_id, tr->tr_seed,
		    rj->rj_rep, rj->rj_error);
		settle(ex, tr, rj->rj_rep, FAILED);
	}
	job_destroy(jb);
	ex->ex_broken = ex->ex_broken || !ok || !tell(fe);
	return !ex->ex_broken;
}

static void
settle(struct experiment *ex, struct trial *tr, uint32_t rep, int state)
{
	tr->tr_states[rep] = (char)state;
	ex->ex_failed += state == FAILED;
}

static bool
feed_tick(void *arg)
{
	struct feeding *fe = arg;

	if (!store_beat(fe->fe_ex->ex_store))
		fe->fe_ex->ex_broken = true;
	return !fe->fe_ex->ex_broken;
}

/* Tell of all that is done, up to the first that is not. */
static bool
tell(struct feeding *fe)
{
	int64_t end = (int64_t)fe->fe_n * fe->fe_reps;
	struct trial *tr;
	uint32_t rep;

	if (fe->fe_ex->ex_each == NULL)
		return true;
	for (; fe->fe_told < end; fe->fe_told++) {
		tr = trial_at(fe, fe->fe_told, &rep);
		if (tr == NULL || (int)rep < tr->tr_told)
			continue;
		switch (tr->tr_states[rep]) {
		case TODO:
		case OURS:
		case OTHERS:
			return true;
		case DONE:
			if (!fe->fe_ex->ex_each(fe->fe_ex->ex_arg, tr, rep))
				return false;
			break;
		default:
			break;
		}
		tr->tr_told = (int)rep + 1;
	}
	return true;
}

/* Returns: whether every run is at its end. */
static bool
tally(struct feeding *fe)
{
	bool all = true;

	for (int i = 0; i < fe->fe_n; i++) {
		struct trial *tr = &fe->fe_trials[i];

		tr->tr_done = tr->tr_failed = 0;
		for (int r = 0; r < tr->tr_reps; r++) {
			tr->tr_done += tr->tr_states[r] == DONE;
			tr->tr_failed += tr->tr_states[r] == FAILED;
			all = all && tr->tr_states[r] != TODO &&
			      tr->tr_states[r] != OURS &&
			      tr->tr_states[r] != OTHERS;
		}
	}
	return all;
}
