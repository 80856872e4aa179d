#include "sim/lab/slurm_script.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/assert.h"

/*
 * Starting a task takes Slurm some 2 s, as long as a few small runs; its arrays
 * end at 1000 unless MaxArraySize says otherwise.
 */
#define LEAST_CHUNK 12
#define MOST_TASKS 1000

/* Writing a text of the pool. */
struct text {
	char *tx_text;
	size_t tx_size;
	FILE *tx_fp;
};

static FILE *text_open(struct text *);
static const char *text_close(struct text *, struct ypool *);
static void put_start(FILE *, const struct slurm_jobs *, const char *what);
static void put_options(FILE *, const struct cli_args *);
static void put_file(FILE *, const struct cli_args *);
static const char *array_list(struct slurm_jobs *);
static const char *output_file(struct slurm_jobs *, const char *name);
static int common(struct slurm_jobs *, const char **argv);
static void finish(
    struct slurm_jobs *, const char **argv, int n, const char *script);

int
slurm_ntasks(int64_t runs, int chunk)
{
	int64_t size = chunk;

	if (size == 0)
		size = (runs + MOST_TASKS - 1) / MOST_TASKS;
	if (chunk == 0 && size < LEAST_CHUNK)
		size = LEAST_CHUNK;
	return (int)((runs + size - 1) / size);
}

const char *
slurm_task_script(struct slurm_jobs *sj)
{
	const struct cli_args *ca = sj->sj_ca;
	struct text tx;
	FILE *fp = text_open(&tx);

	put_start(fp, sj, "A task of a sweep: ./manifest says what it runs.");
	put_options(fp, ca);
	fprintf(
	    fp, " \\\n    --shard \"$SLURM_ARRAY_TASK_ID/%d\"", sj->sj_ntasks);
	fputs(" --alone --jobs \"$SLURM_CPUS_PER_TASK\" \\\n    --except ", fp);
	cli_quote(fp, sj->sj_db);
	fputs(" \\\n    --db ", fp);
	cli_quote(fp, sj->sj_folder);
	fputs("/task-\"$SLURM_ARRAY_TASK_ID\".db", fp);
	put_file(fp, ca);
	return text_close(&tx, &sj->sj_pool);
}

const char *
slurm_merge_script(struct slurm_jobs *sj)
{
	struct text tx;
	FILE *fp = text_open(&tx);

	put_start(fp, sj, "The end of a sweep: all that its tasks have done.");
	put_options(fp, sj->sj_ca);
	fputs(" \\\n    --executor slurm --collect --db ", fp);
	cli_quote(fp, sj->sj_db);
	put_file(fp, sj->sj_ca);
	return text_close(&tx, &sj->sj_pool);
}

static FILE *
text_open(struct text *tx)
{
	tx->tx_fp = open_memstream(&tx->tx_text, &tx->tx_size);
	SIM_ASSERT(tx->tx_fp != NULL);
	return tx->tx_fp;
}

static const char *
text_close(struct text *tx, struct ypool *yp)
{
	const char *copy;

	fclose(tx->tx_fp);
	copy = ypool_strdup(yp, tx->tx_text);
	free(tx->tx_text);
	return copy;
}

/* The program takes the shell's place: signals and the status are its own. */
static void
put_start(FILE *fp, const struct slurm_jobs *sj, const char *what)
{
	fprintf(fp, "#!/bin/sh\n# %s\ncd ", what);
	cli_quote(fp, sj->sj_cwd);
	fputs(" || exit 1\nexec ", fp);
	cli_quote(fp, sj->sj_program);
	fputs(" sweep", fp);
}

/* What decides on the points and their runs. */
static void
put_options(FILE *fp, const struct cli_args *ca)
{
	for (int i = 0; i < ca->ca_nsets; i++) {
		fputs(" \\\n    --set ", fp);
		cli_quote(fp, ca->ca_sets[i]);
	}
	if (ca->ca_exact)
		fputs(" --no-lookahead", fp);
	if (ca->ca_time_ns > 0)
		fprintf(fp, " --time-limit %lldns", (long long)ca->ca_time_ns);
	if (ca->ca_memory_bytes > 0)
		fprintf(fp, " --memory-limit %lldB",
		    (long long)ca->ca_memory_bytes);
}

static void
put_file(FILE *fp, const struct cli_args *ca)
{
	fputs(" \\\n    -- ", fp);
	cli_quote(fp, ca->ca_files[0]);
	fputc('\n', fp);
}

void
slurm_task_command(struct slurm_jobs *sj, const char **argv)
{
	const struct cli_args *ca = sj->sj_ca;
	int n = common(sj, argv);

	argv[n++] = ypool_printf(&sj->sj_pool, "--array=%s", array_list(sj));
	argv[n++] = ypool_printf(&sj->sj_pool, "--cpus-per-task=%d",
	    ca->ca_jobs > 0 ? ca->ca_jobs : 1);
	argv[n++] = output_file(sj, "task-%a.out");
	/* What a task said before it was started again is worth reading. */
	argv[n++] = "--open-mode=append";
	finish(sj, argv, n, "task.sh");
}

/* After any end of the tasks: what they have is worth having. */
void
slurm_merge_command(struct slurm_jobs *sj, const char *after, const char **argv)
{
	int n = common(sj, argv);

	argv[n++] =
	    ypool_printf(&sj->sj_pool, "--dependency=afterany:%s", after);
	argv[n++] = output_file(sj, "merge.out");
	argv[n++] = "--open-mode=truncate";
	finish(sj, argv, n, "merge.sh");
}

static int
common(struct slurm_jobs *sj, const char **argv)
{
	int n = 0;

	argv[n++] = "sbatch";
	argv[n++] = "--parsable";
	argv[n++] = ypool_printf(&sj->sj_pool, "--job-name=%s", sj->sj_name);
	argv[n++] = "--requeue";
	argv[n++] = "--nodes=1";
	argv[n++] = "--ntasks=1";
	return n;
}

/* The user's come last: they win. */
static void
finish(struct slurm_jobs *sj, const char **argv, int n, const char *script)
{
	const struct cli_list *cl = &sj->sj_ca->ca_sbatch;

	for (int i = 0; i < cl->cl_n; i++)
		argv[n++] = cl->cl_texts[i];
	argv[n++] = ypool_printf(&sj->sj_pool, "%s/%s", sj->sj_folder, script);
	argv[n] = NULL;
	SIM_ASSERT(n < SLURM_MAX_ARGS);
}

/* "1-4,7" */
static const char *
array_list(struct slurm_jobs *sj)
{
	const char *comma = "";
	struct text tx;
	FILE *fp = text_open(&tx);

	for (int i = 0; i < sj->sj_ntasks; i++) {
		int from = i;

		if (!sj->sj_wanted[i])
			continue;
		while (i + 1 < sj->sj_ntasks && sj->sj_wanted[i + 1])
			i++;
		fprintf(
		    fp, i > from ? "%s%d-%d" : "%s%d", comma, from + 1, i + 1);
		comma = ",";
	}
	return text_close(&tx, &sj->sj_pool);
}

/* Of the name only %a is a pattern. */
static const char *
output_file(struct slurm_jobs *sj, const char *name)
{
	struct text tx;
	FILE *fp = text_open(&tx);

	fputs("--output=", fp);
	for (const char *s = sj->sj_folder; *s != '\0'; s++)
		fprintf(fp, *s == '%' ? "%%%%" : "%c", *s);
	fprintf(fp, "/%s", name);
	return text_close(&tx, &sj->sj_pool);
}
