/*
 * How far a sweep is that Slurm runs.
 */
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/slurm_folder.h"
#include "sim/lab/sweep_slurm_impl.h"

int
submission_collect_now(struct submission *sb)
{
	struct store *st;
	int status = EXIT_FAILED;

	if (!sb->sb_exists) {
		fprintf(stderr, "solab: %s: there is no such folder\n",
		    sb->sb_jobs.sj_folder);
		return EXIT_USAGE;
	}
	st = experiment_store(sb->sb_jobs.sj_ca, false);
	/* Points first, for their order. */
	if (st != NULL && submission_look(sb, st) &&
	    submission_collect(sb, st, true) && submission_look(sb, st))
		status = submission_report(sb, st);
	store_close(st);
	return status;
}

bool
submission_collect(struct submission *sb, struct store *st, bool repair)
{
	int64_t added, differing;
	char **paths;
	int n = 0;

	if (sb->sb_exists)
		n = slurm_folder_stores(sb->sb_jobs.sj_folder, &paths);
	for (int i = 0; i < n; i++) {
		/* A task that was killed may have left its store empty, or in
		 * the middle of a change. */
		struct store *task =
		    store_open(paths[i], repair ? STORE_UPDATE : STORE_READ);

		store_close(task);
		if (task != NULL &&
		    store_merge(st, paths[i], &added, &differing))
			sb->sb_odd += differing;
		else
			sb->sb_unread++;
		sim_free(paths[i]);
	}
	if (sb->sb_exists && n >= 0)
		sim_free(paths);
	return n >= 0;
}

bool
submission_look(struct submission *sb, struct store *st)
{
	struct setup *su = sim_calloc(1, sizeof(*su));
	int state = 0;

	sb->sb_done = sb->sb_failed = sb->sb_missing = 0;
	memset(sb->sb_jobs.sj_wanted, 0, (size_t)sb->sb_jobs.sj_ntasks);
	for (int i = 0; i < sb->sb_n && state >= 0; i++) {
		struct trial *tr = &sb->sb_trials[i];

		scenario_point(sb->sb_sc, i, su);
		tr->tr_seed = su->su_run.sr_seed;
		tr->tr_id = store_point(st, sb->sb_sc, i);
		tr->tr_done = tr->tr_failed = 0;
		if (tr->tr_id < 0)
			state = -1;
		for (int r = 0; r < tr->tr_reps && state >= 0; r++) {
			int64_t k = (int64_t)r * sb->sb_n + i;

			state = store_state(
			    st, tr->tr_id, tr->tr_seed, (uint32_t)r);
			tr->tr_done += state == STORE_DONE;
			tr->tr_failed += state == STORE_FAILED;
			if (state != STORE_DONE)
				sb->sb_jobs
				    .sj_wanted[k % sb->sb_jobs.sj_ntasks] =
				    true;
		}
		sb->sb_done += tr->tr_done;
		sb->sb_failed += tr->tr_failed;
		sb->sb_missing += tr->tr_reps - tr->tr_done - tr->tr_failed;
	}
	sim_free(su);
	return state >= 0;
}

int
submission_report(struct submission *sb, struct store *st)
{
	const struct precision none = { 0 };

	if (!sweep_table(stdout, st, sb->sb_trials, sb->sb_n, &none))
		return EXIT_FAILED;
	fflush(stdout);
	fprintf(stderr, "solab: %d of %d runs are in %s", sb->sb_done,
	    sb->sb_n * sb->sb_reps, sb->sb_jobs.sj_ca->ca_db);
	if (sb->sb_failed > 0)
		fprintf(stderr, ", %d failed", sb->sb_failed);
	if (sb->sb_missing > 0)
		fprintf(stderr,
		    ", %d are MISSING: see task-*.out in %s; submitting the "
		    "sweep again runs them",
		    sb->sb_missing, sb->sb_jobs.sj_folder);
	fputs("\n", stderr);
	if (sb->sb_unread > 0)
		fprintf(stderr, "solab: %d stores of tasks cannot be read\n",
		    sb->sb_unread);
	if (sb->sb_odd > 0)
		fprintf(stderr,
		    "solab: %lld runs have OTHER results in another task: not "
		    "taken. Is it one program on all machines?\n",
		    (long long)sb->sb_odd);
	if (sb->sb_missing > 0 || sb->sb_odd > 0)
		return EXIT_FAILED;
	return sb->sb_failed > 0 ? EXIT_SOME : EXIT_OK;
}
