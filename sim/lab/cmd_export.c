/*
 * solab export: everything in a store, for other programs.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/cli.h"
#include "sim/lab/output.h"
#include "sim/lab/store.h"

/* Names of columns, in the order in which they first appear. */
struct names {
	const char **nm_names;
	int nm_n;
	struct ypool *nm_pool;
};

/* A table of CSV that is written in two passes: first its columns. */
struct table {
	FILE *tb_fp;
	struct store *tb_st;
	struct store_run *tb_runs;
	int tb_n;
	struct names tb_axes, tb_metrics, tb_stages, tb_counters;
};

static int export(const struct cli_args *, struct store *, FILE *);
static bool json(FILE *, struct store *, const struct store_run *);
static void json_failed(
    FILE *, const struct store_run *, const struct record *);
static bool csv(struct table *);
static void columns_add(struct table *, const struct record *);
static void csv_heading(const struct table *);
static void csv_row(
    const struct table *, const struct store_run *, const struct record *);
static void csv_values(const struct table *, const struct record *);
static void csv_text(FILE *, const char *);
static void csv_number(FILE *, double);

int
cmd_export(const struct cli_args *ca)
{
	struct store *st;
	FILE *fp = stdout;
	int status;

	if (ca->ca_csv == ca->ca_json)
		return cli_usage("export", "as what? want --csv or --json");
	if (ca->ca_output != NULL &&
	    store_same_file(ca->ca_output, ca->ca_files[0]))
		return cli_usage("export", "--output: '%s' is the store itself",
		    ca->ca_output);
	st = store_open(ca->ca_files[0], STORE_READ);
	if (st == NULL)
		return EXIT_USAGE;
	if (ca->ca_output != NULL)
		fp = fopen(ca->ca_output, "we");
	if (fp == NULL) {
		fprintf(
		    stderr, "solab: %s: %s\n", ca->ca_output, strerror(errno));
		store_close(st);
		return EXIT_FAILED;
	}
	status = export(ca, st, fp);
	store_close(st);
	if (fp == stdout)
		return status;
	if (ferror(fp) | (fclose(fp) != 0)) {
		fprintf(
		    stderr, "solab: %s: %s\n", ca->ca_output, strerror(errno));
		return EXIT_FAILED;
	}
	return status;
}

static int export(const struct cli_args *ca, struct store *st, FILE *fp)
{
	struct table tb = { .tb_fp = fp, .tb_st = st };
	struct ypool yp = { NULL };
	bool ok;

	tb.tb_axes.nm_pool = tb.tb_metrics.nm_pool = &yp;
	tb.tb_stages.nm_pool = tb.tb_counters.nm_pool = &yp;
	tb.tb_n = store_runs(st, &tb.tb_runs, &yp);
	ok = tb.tb_n >= 0;
	if (ok && ca->ca_csv)
		ok = csv(&tb);
	for (int i = 0; i < tb.tb_n && ok && ca->ca_json; i++)
		ok = json(fp, st, &tb.tb_runs[i]);
	sim_free(tb.tb_runs);
	sim_free(tb.tb_axes.nm_names);
	sim_free(tb.tb_metrics.nm_names);
	sim_free(tb.tb_stages.nm_names);
	sim_free(tb.tb_counters.nm_names);
	ypool_fini(&yp);
	return ok ? EXIT_OK : EXIT_FAILED;
}

/* Returns: false. */
static bool
unread(const struct store_run *sn)
{
	fprintf(stderr,
	    "solab: point %lld, seed %u, replication %u cannot be read\n",
	    (long long)sn->sn_point, (unsigned)sn->sn_seed,
	    (unsigned)sn->sn_rep);
	return false;
}

/* What still runs is not there yet. */
static bool
json(FILE *fp, struct store *st, const struct store_run *sn)
{
	struct record *rd;
	bool ok;

	if (sn->sn_state == STORE_RUNNING)
		return true;
	rd = sn->sn_state == STORE_DONE
		 ? store_get(st, sn->sn_point, sn->sn_seed, sn->sn_rep)
		 : store_get_point(st, sn->sn_point);
	if (rd == NULL)
		return unread(sn);
	ok = store_get_parameters(st, sn->sn_point, rd);
	if (ok && sn->sn_state == STORE_DONE)
		record_json(fp, rd, true);
	else if (ok)
		json_failed(fp, sn, rd);
	record_destroy(rd);
	return ok;
}

static void
json_failed(FILE *fp, const struct store_run *sn, const struct record *rd)
{
	fputs("{\"scenario\": ", fp);
	output_json_string(fp, rd->rd_scenario);
	fputs(", \"point\": ", fp);
	output_json_params(fp, rd->rd_params, rd->rd_nparams);
	fprintf(fp,
	    ", \"rep\": %u, \"seed\": %u, \"failed\": ", (unsigned)sn->sn_rep,
	    (unsigned)sn->sn_seed);
	output_json_string(fp, sn->sn_message);
	fprintf(fp, ", \"key\": \"%s\", \"model\": \"%s\"}\n", rd->rd_key,
	    rd->rd_model);
}

/* One row a run, a column for each axis, metric, stage and counter. */
static bool
csv(struct table *tb)
{
	struct record *rd;

	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1)
			csv_heading(tb);
		for (int i = 0; i < tb->tb_n; i++) {
			const struct store_run *sn = &tb->tb_runs[i];

			if (sn->sn_state == STORE_RUNNING)
				continue;
			rd = sn->sn_state == STORE_DONE
				 ? store_get(tb->tb_st, sn->sn_point,
				       sn->sn_seed, sn->sn_rep)
				 : store_get_point(tb->tb_st, sn->sn_point);
			if (rd == NULL)
				return unread(sn);
			if (pass == 0)
				columns_add(tb, rd);
			else
				csv_row(tb, sn, rd);
			record_destroy(rd);
		}
	}
	return true;
}

static void
name_add(struct names *nm, const char *name)
{
	for (int i = 0; i < nm->nm_n; i++) {
		if (strcmp(nm->nm_names[i], name) == 0)
			return;
	}
	if ((nm->nm_n & (nm->nm_n - 1)) == 0)
		nm->nm_names = sim_realloc(nm->nm_names,
		    nm->nm_n > 0 ? 2 * nm->nm_n : 1, sizeof(*nm->nm_names));
	nm->nm_names[nm->nm_n++] = ypool_strdup(nm->nm_pool, name);
}

static char *
stage_name(const struct record_stage *re, char *buf, size_t size)
{
	snprintf(buf, size, "stage_%s_%s_ns", re->re_name,
	    re->re_counted ? "on" : "off");
	return buf;
}

static void
columns_add(struct table *tb, const struct record *rd)
{
	char buf[200];

	for (int i = 0; i < rd->rd_nparams; i++)
		name_add(&tb->tb_axes, rd->rd_params[i].pa_path);
	for (int i = 0; i < rd->rd_nmetrics; i++)
		name_add(&tb->tb_metrics, rd->rd_metrics[i].rm_name);
	for (int i = 0; i < rd->rd_nstages; i++)
		name_add(&tb->tb_stages,
		    stage_name(&rd->rd_stages[i], buf, sizeof(buf)));
	for (int i = 0; i < rd->rd_ncounters; i++)
		name_add(&tb->tb_counters, rd->rd_counters[i].rn_name);
}

static void
csv_heading(const struct table *tb)
{
	const struct names *all[] = { &tb->tb_axes, &tb->tb_metrics,
		&tb->tb_stages, &tb->tb_counters };

	fputs("scenario,key,model,seed,rep,state,message,warmup_ns,measure_ns,"
	      "steady",
	    tb->tb_fp);
	for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
		for (int i = 0; i < all[k]->nm_n; i++) {
			fputc(',', tb->tb_fp);
			csv_text(tb->tb_fp, all[k]->nm_names[i]);
		}
	fputs("\r\n", tb->tb_fp);
}

static void
csv_row(
    const struct table *tb, const struct store_run *sn, const struct record *rd)
{
	FILE *fp = tb->tb_fp;
	bool done = sn->sn_state == STORE_DONE;

	csv_text(fp, rd->rd_scenario);
	fprintf(fp, ",%s,%s,%u,%u,%s,", rd->rd_key, rd->rd_model,
	    (unsigned)sn->sn_seed, (unsigned)sn->sn_rep,
	    done ? "done" : "failed");
	csv_text(fp, sn->sn_message);
	if (done)
		fprintf(fp, ",%lld,%lld,", (long long)rd->rd_warmup_ns,
		    (long long)rd->rd_measure_ns);
	else
		fputs(",,,", fp);
	csv_text(fp, done ? rd->rd_steady : "");
	for (int i = 0; i < tb->tb_axes.nm_n; i++) {
		fputc(',', fp);
		for (int k = 0; k < rd->rd_nparams; k++) {
			if (strcmp(rd->rd_params[k].pa_path,
				tb->tb_axes.nm_names[i]) == 0)
				csv_text(fp, rd->rd_params[k].pa_value);
		}
	}
	csv_values(tb, rd);
	fputs("\r\n", fp);
}

static void
csv_values(const struct table *tb, const struct record *rd)
{
	FILE *fp = tb->tb_fp;
	char buf[200];

	for (int i = 0; i < tb->tb_metrics.nm_n; i++) {
		fputc(',', fp);
		csv_number(fp, record_metric(rd, tb->tb_metrics.nm_names[i]));
	}
	for (int i = 0; i < tb->tb_stages.nm_n; i++) {
		fputc(',', fp);
		for (int k = 0; k < rd->rd_nstages; k++) {
			if (strcmp(
				stage_name(&rd->rd_stages[k], buf, sizeof(buf)),
				tb->tb_stages.nm_names[i]) == 0)
				csv_number(fp, rd->rd_stages[k].re_mean_ns);
		}
	}
	for (int i = 0; i < tb->tb_counters.nm_n; i++) {
		fputc(',', fp);
		for (int k = 0; k < rd->rd_ncounters; k++) {
			if (strcmp(rd->rd_counters[k].rn_name,
				tb->tb_counters.nm_names[i]) == 0)
				fprintf(fp, "%lld",
				    (long long)rd->rd_counters[k].rn_value);
		}
	}
}

/* RFC 4180. */
static void
csv_text(FILE *fp, const char *s)
{
	if (strpbrk(s, ",\"\r\n") == NULL) {
		fputs(s, fp);
		return;
	}
	fputc('"', fp);
	for (; *s != '\0'; s++) {
		if (*s == '"')
			fputc('"', fp);
		fputc(*s, fp);
	}
	fputc('"', fp);
}

/* Nothing for what is no number; else as few digits as give it back. */
static void
csv_number(FILE *fp, double value)
{
	char buf[40];

	if (!isfinite(value))
		return;
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	fputs(buf, fp);
}
