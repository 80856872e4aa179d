/*
 * solab compare: is the difference between two points of a store real?
 */
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/cli.h"
#include "sim/lab/compare.h"
#include "sim/lab/output.h"
#include "sim/lab/store.h"

/* A point and its replications that are done. */
struct side {
	char sd_name; /* A or B */
	int64_t sd_id;
	struct record **sd_records;
	int sd_n;
};

static bool side_load(struct store *, struct side *, const char *text);
static int compare(const struct cli_args *, const struct side *,
    const struct side *, struct store *);
static bool heading(struct store *, const struct side *, const struct side *);
static void point_print(const struct side *, const struct store_point *, int n);
static void warnings(const struct side *);
static void json(
    const struct comparison *, const struct side *, const struct side *);

int
cmd_compare(const struct cli_args *ca)
{
	struct side a = { .sd_name = 'A' }, b = { .sd_name = 'B' };
	struct store *st = store_open(ca->ca_files[0], STORE_READ);
	int status = EXIT_USAGE;

	if (st != NULL && side_load(st, &a, ca->ca_files[1]) &&
	    side_load(st, &b, ca->ca_files[2]))
		status = compare(ca, &a, &b, st);
	store_records_free(a.sd_records, a.sd_n);
	store_records_free(b.sd_records, b.sd_n);
	if (st != NULL)
		store_close(st);
	return status;
}

static bool
side_load(struct store *st, struct side *sd, const char *text)
{
	int n;

	sd->sd_id = store_find(st, text);
	if (sd->sd_id < 0)
		return false;
	n = store_records(st, sd->sd_id, &sd->sd_records);
	sd->sd_n = n > 0 ? n : 0;
	return n >= 0;
}

static int
compare(const struct cli_args *ca, const struct side *a, const struct side *b,
    struct store *st)
{
	struct comparison cm;
	bool ok = true;

	compare_init(&cm, a->sd_records, a->sd_n, b->sd_records, b->sd_n);
	if (cm.cm_pairs < STAT_MIN_PAIRS) {
		fprintf(stderr,
		    "solab: at least %d replications of both points are "
		    "needed, "
		    "with the same seed: A has %d, B has %d, and both have "
		    "%d\n",
		    STAT_MIN_PAIRS, cm.cm_na, cm.cm_nb, cm.cm_pairs);
		compare_fini(&cm);
		return EXIT_USAGE;
	}
	if (ca->ca_json) {
		json(&cm, a, b);
	} else if ((ok = heading(st, a, b))) {
		printf("%d pairs of replications with the same random numbers; "
		       "%d questions judged together (Holm)\n\n",
		    cm.cm_pairs, cm.cm_judged);
		compare_text(stdout, &cm);
	}
	warnings(a);
	warnings(b);
	compare_fini(&cm);
	return ok ? EXIT_OK : EXIT_FAILED;
}

/* Which points they are. */
static bool
heading(struct store *st, const struct side *a, const struct side *b)
{
	struct store_point *points;
	struct ypool yp = { NULL };
	int n = store_points(st, &points, &yp);

	if (n >= 0) {
		point_print(a, points, n);
		point_print(b, points, n);
	}
	sim_free(points);
	ypool_fini(&yp);
	return n >= 0;
}

static void
point_print(const struct side *sd, const struct store_point *points, int n)
{
	for (int i = 0; i < n; i++) {
		if (points[i].sp_id == sd->sd_id)
			printf("%c  point %lld of %s, model %s: %s\n",
			    sd->sd_name, (long long)sd->sd_id,
			    points[i].sp_scenario, points[i].sp_model,
			    points[i].sp_label);
	}
}

/* What makes its numbers worth less. */
static void
warnings(const struct side *sd)
{
	static const char *const words[][2] = {
		{ "warmup-short", "too short a warm-up" },
		{ "no-steady-state", "no steady state" },
	};
	long long over = 0;

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		int n = 0;

		for (int i = 0; i < sd->sd_n; i++)
			n += strcmp(sd->sd_records[i]->rd_steady,
				 words[w][0]) == 0;
		if (n > 0)
			fprintf(stderr,
			    "solab: %c: %d of %d replications have %s\n",
			    sd->sd_name, n, sd->sd_n, words[w][1]);
	}
	for (int i = 0; i < sd->sd_n; i++)
		for (int k = 0; k < sd->sd_records[i]->rd_nhists; k++)
			over += sd->sd_records[i]->rd_hists[k].rh_over;
	if (over > 0)
		fprintf(stderr,
		    "solab: %c: %lld values were outside the histograms: they "
		    "are in no number\n",
		    sd->sd_name, over);
}

/* One object a question; the verdict on the shape is the last. */
static void
json(const struct comparison *cm, const struct side *a, const struct side *b)
{
	for (int i = 0; i <= cm->cm_n; i++) {
		printf("{\"a\": %lld, \"b\": %lld, \"pairs\": %d, ",
		    (long long)a->sd_id, (long long)b->sd_id, cm->cm_pairs);
		if (i < cm->cm_n)
			compare_row_json(stdout, &cm->cm_rows[i]);
		else
			printf("\"kind\": \"latency\", \"verdict\": \"%s\"",
			    compare_shape_name(cm->cm_shape));
		puts("}");
	}
}
