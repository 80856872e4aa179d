#include "sim/lab/sweep_slurm.h"

#include <errno.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/slurm_folder.h"
#include "sim/lab/spawn.h"
#include "sim/lab/sweep_slurm_impl.h"

static bool prepare(struct submission *);
static void name_jobs(struct submission *, const char *program);
static void name_sweep(struct submission *);
static int dry_run(struct submission *);
static void print_command(struct slurm_jobs *, const char *after);
static int submit(struct submission *);
static int submit_locked(struct submission *, struct store *);
static bool in_queue(struct submission *);
static bool sbatch(struct submission *, int job);
static bool write_manifest(struct submission *);
static void put_runs(FILE *, const struct submission *);

int
sweep_slurm(const struct cli_args *ca, struct scenario *sc)
{
	struct submission sb = { .sb_jobs.sj_ca = ca, .sb_sc = sc };
	int status = EXIT_FAILED;

	sb.sb_trials = trials_create(sc, &sb.sb_n);
	sb.sb_reps = sb.sb_trials[0].tr_reps;
	if (prepare(&sb))
		status = ca->ca_collect	  ? submission_collect_now(&sb)
			 : ca->ca_dry_run ? dry_run(&sb)
					  : submit(&sb);
	trials_destroy(sb.sb_trials, sb.sb_n);
	sim_free(sb.sb_jobs.sj_wanted);
	sim_free(sb.sb_ids[0]);
	sim_free(sb.sb_ids[1]);
	ypool_fini(&sb.sb_jobs.sj_pool);
	return status;
}

/* Names and numbers. Writes nothing. */
static bool
prepare(struct submission *sb)
{
	struct slurm_jobs *sj = &sb->sb_jobs;
	const struct cli_args *ca = sj->sj_ca;
	char program[4096], cwd[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (n < 0 || getcwd(cwd, sizeof(cwd)) == NULL) {
		fprintf(stderr, "solab: %s: %s\n",
		    n < 0 ? "/proc/self/exe" : "this folder", strerror(errno));
		return false;
	}
	program[n] = '\0';
	sj->sj_cwd = ypool_strdup(&sj->sj_pool, cwd);
	sj->sj_db = ca->ca_db[0] == '/'
			? ca->ca_db
			: ypool_printf(&sj->sj_pool, "%s/%s", cwd, ca->ca_db);
	sj->sj_folder = ypool_printf(&sj->sj_pool, "%s.slurm", sj->sj_db);
	if (strpbrk(sj->sj_folder, "\\\n") != NULL) {
		fprintf(stderr,
		    "solab: %s: Slurm takes no backslash in a path\n",
		    sj->sj_folder);
		return false;
	}
	name_sweep(sb);
	name_jobs(sb, program);
	sj->sj_ntasks =
	    slurm_ntasks((int64_t)sb->sb_n * sb->sb_reps, ca->ca_chunk);
	sj->sj_wanted = sim_calloc((size_t)sj->sj_ntasks, sizeof(bool));
	return slurm_folder_ours(
	    sj->sj_folder, sb->sb_sweep, ca->ca_db, &sb->sb_exists);
}

/* By its folder: what squeue knows by this name is ours. */
static void
name_jobs(struct submission *sb, const char *program)
{
	struct slurm_jobs *sj = &sb->sb_jobs;
	char hash[SHA256_DIGEST_STRING_LENGTH], *name;

	SHA256Data((const uint8_t *)sj->sj_folder, strlen(sj->sj_folder), hash);
	name = ypool_printf(
	    &sj->sj_pool, "solab-%.40s-%.8s", sb->sb_sc->sc_name, hash);
	for (char *s = name; *s != '\0'; s++) {
		if (strchr("-_.", *s) == NULL && !(*s >= '0' && *s <= '9') &&
		    !(*s >= 'a' && *s <= 'z') && !(*s >= 'A' && *s <= 'Z'))
			*s = '_';
	}
	sj->sj_name = name;
	sj->sj_program = ypool_strdup(&sj->sj_pool, program);
}

/* Its points and seed; more replications of them are the same sweep. */
static void
name_sweep(struct submission *sb)
{
	struct setup *su = sim_calloc(1, sizeof(*su));
	char key[STORE_KEY_SIZE];
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	for (int i = 0; i < sb->sb_n; i++) {
		scenario_point(sb->sb_sc, i, su);
		store_point_key(sb->sb_sc, i, key);
		SHA256Update(&ctx, (const uint8_t *)key, sizeof(key));
		SHA256Update(&ctx, (const uint8_t *)&su->su_run.sr_seed,
		    sizeof(su->su_run.sr_seed));
	}
	SHA256End(&ctx, sb->sb_sweep);
	sim_free(su);
}

static int
dry_run(struct submission *sb)
{
	struct slurm_jobs *sj = &sb->sb_jobs;
	struct store *st = store_open(NULL, STORE_CREATE);
	int64_t added, differing;
	bool ok = st != NULL && submission_look(sb, st);

	if (ok && access(sj->sj_ca->ca_db, F_OK) == 0)
		ok = store_merge(st, sj->sj_ca->ca_db, &added, &differing);
	ok = ok && submission_collect(sb, st, false) && submission_look(sb, st);
	store_close(st);
	if (!ok)
		return EXIT_FAILED;
	if (sb->sb_missing + sb->sb_failed == 0) {
		puts("# nothing to run");
		return EXIT_OK;
	}
	printf("# %s/task.sh\n%s\n# %s/merge.sh\n%s\n", sj->sj_folder,
	    slurm_task_script(sj), sj->sj_folder, slurm_merge_script(sj));
	printf("# %d runs in %d points, %d of them to do\n",
	    sb->sb_n * sb->sb_reps, sb->sb_n, sb->sb_missing + sb->sb_failed);
	print_command(sj, NULL);
	print_command(sj, "ARRAY_JOB");
	return EXIT_OK;
}

static void
print_command(struct slurm_jobs *sj, const char *after)
{
	const char *argv[SLURM_MAX_ARGS];

	if (after == NULL)
		slurm_task_command(sj, argv);
	else
		slurm_merge_command(sj, after, argv);
	for (int i = 0; argv[i] != NULL; i++) {
		fputs(i > 0 ? " " : "", stdout);
		cli_quote(stdout, argv[i]);
	}
	putchar('\n');
}

static int
submit(struct submission *sb)
{
	struct slurm_jobs *sj = &sb->sb_jobs;
	struct store *st = NULL;
	int lock, status = EXIT_FAILED;

	if (!spawn_known("sbatch")) {
		fputs("solab: no sbatch in PATH: is this a machine of a Slurm "
		      "cluster? --dry-run shows the jobs\n",
		    stderr);
		return EXIT_FAILED;
	}
	if (sj->sj_ca->ca_resume && access(sj->sj_ca->ca_db, F_OK) != 0) {
		fprintf(stderr, "solab: %s: no such store\n", sj->sj_ca->ca_db);
		return EXIT_USAGE;
	}
	/* Before anything is written; and when nobody else can submit. */
	if (in_queue(sb))
		return EXIT_FAILED;
	lock = slurm_folder_lock(sj->sj_folder);
	if (lock < 0)
		return EXIT_FAILED;
	if (slurm_folder_ours(sj->sj_folder, sb->sb_sweep, sj->sj_ca->ca_db,
		&sb->sb_exists) &&
	    !in_queue(sb))
		st = experiment_store(sj->sj_ca, false);
	if (st != NULL)
		status = submit_locked(sb, st);
	store_close(st);
	close(lock);
	return status;
}

static int
submit_locked(struct submission *sb, struct store *st)
{
	struct slurm_jobs *sj = &sb->sb_jobs;
	int todo;

	if (!submission_look(sb, st) || !submission_collect(sb, st, true) ||
	    !submission_look(sb, st))
		return EXIT_FAILED;
	todo = sb->sb_missing + sb->sb_failed;
	if (todo == 0)
		return submission_report(sb, st);
	if (!write_manifest(sb) ||
	    !slurm_folder_write(
		sj->sj_folder, "task.sh", slurm_task_script(sj)) ||
	    !slurm_folder_write(
		sj->sj_folder, "merge.sh", slurm_merge_script(sj)) ||
	    !sbatch(sb, 0))
		return EXIT_FAILED;
	if (!sbatch(sb, 1)) {
		fprintf(stderr,
		    "solab: the tasks are submitted (job %s), but not the job "
		    "that merges: when they are done, do so with --collect\n",
		    sb->sb_ids[0]);
		return EXIT_FAILED;
	}
	fprintf(stderr,
	    "solab: %d of %d runs to do: job %s; then job %s puts them into "
	    "%s, and prints the table to %s/merge.out\n"
	    "solab: squeue --name=%s shows them\n",
	    todo, sb->sb_n * sb->sb_reps, sb->sb_ids[0], sb->sb_ids[1],
	    sj->sj_ca->ca_db, sj->sj_folder, sj->sj_name);
	return EXIT_OK;
}

/* Two tasks must not write one store; also says so when it cannot be known. */
static bool
in_queue(struct submission *sb)
{
	char *name, *jobs,
	    *argv[] = { "squeue", "--noheader", "--format=%F", NULL, NULL };
	int status;

	name = sim_strdup("--name=");
	name = sim_realloc(name, strlen(sb->sb_jobs.sj_name) + 8, 1);
	strcat(name, sb->sb_jobs.sj_name);
	argv[3] = name;
	status = spawn_read(argv, &jobs);
	sim_free(name);
	if (status != 0) {
		fprintf(stderr, "solab: squeue failed: nothing is submitted\n");
		sim_free(jobs);
		return true;
	}
	if (jobs[0] != '\0')
		fprintf(stderr,
		    "solab: this sweep is in the queue already, as job %.*s: "
		    "wait for it, or scancel --name=%s\n",
		    (int)strcspn(jobs, "\n"), jobs, sb->sb_jobs.sj_name);
	status = jobs[0] != '\0';
	sim_free(jobs);
	return status != 0;
}

/* job 0: the tasks; 1: what merges. */
static bool
sbatch(struct submission *sb, int job)
{
	struct slurm_jobs *sj = &sb->sb_jobs;
	const char *argv[SLURM_MAX_ARGS];
	char *id;
	int status;

	if (job == 0)
		slurm_task_command(sj, argv);
	else
		slurm_merge_command(sj, sb->sb_ids[0], argv);
	status = spawn_read((char *const *)argv, &id);
	if (status == 0) {
		/* ID[;CLUSTER], after what else the site prints. */
		char *line = strrchr(id, '\n');

		sb->sb_ids[job] = sim_strdup(line != NULL ? line + 1 : id);
		sb->sb_ids[job][strcspn(sb->sb_ids[job], ";")] = '\0';
		sim_free(id);
		return write_manifest(sb);
	}
	sim_free(id);
	fprintf(stderr, "solab: sbatch did not take it%s\n",
	    sj->sj_ntasks > 1000
		? "; --chunk N makes fewer tasks (MaxArraySize)"
		: "");
	return false;
}

/* For people; solab reads the first line. */
static bool
write_manifest(struct submission *sb)
{
	const struct slurm_jobs *sj = &sb->sb_jobs;
	char *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	bool ok;

	SIM_ASSERT(fp != NULL);
	fprintf(fp, SLURM_MANIFEST "%s\n", sb->sb_sweep);
	fprintf(fp, "command %s\n", sj->sj_ca->ca_command);
	fprintf(fp, "folder %s\n", sj->sj_cwd);
	fprintf(fp, "program %s\n", sj->sj_program);
	fprintf(
	    fp, "version %s, model %s\n", SOLAB_VERSION, store_model_version());
	fprintf(fp, "name %s\n", sj->sj_name);
	for (int i = 0; i < 2; i++)
		fprintf(fp, "%s %s\n", i == 0 ? "tasks" : "merge",
		    sb->sb_ids[i] != NULL ? sb->sb_ids[i] : "-");
	put_runs(fp, sb);
	fclose(fp);
	ok = slurm_folder_write(sj->sj_folder, "manifest", text);
	free(text);
	return ok;
}

/* Which task has which runs, whether they are still to do or not. */
static void
put_runs(FILE *fp, const struct submission *sb)
{
	char label[512];

	fprintf(fp, "%d points, %d replications, %d tasks\n\n", sb->sb_n,
	    sb->sb_reps, sb->sb_jobs.sj_ntasks);
	fputs("task\treplication\tpoint\n", fp);
	for (int task = 0; task < sb->sb_jobs.sj_ntasks; task++) {
		for (int64_t k = task; k < (int64_t)sb->sb_n * sb->sb_reps;
		     k += sb->sb_jobs.sj_ntasks)
			fprintf(fp, "%d\t%d\t%s\n", task + 1,
			    (int)(k / sb->sb_n) + 1,
			    scenario_point_label(sb->sb_sc, (int)(k % sb->sb_n),
				label, sizeof(label)));
	}
}
