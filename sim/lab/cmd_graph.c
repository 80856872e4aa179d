/*
 * solab graph: a picture of a scenario, or of a point of a store.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/cli.h"
#include "sim/lab/graph.h"
#include "sim/lab/lookup.h"
#include "sim/lab/store.h"

#define LIST_POINTS 10

static int form(const char *file, bool *svg);
static int draw(struct scenario *, const struct cli_args *, bool svg);
static bool loads(struct scenario *, const struct cli_args *, struct setup *,
    struct scenario **, struct record ***, int *n);
static int64_t point_of(
    struct store *, struct scenario *, const struct cli_args *);
static bool write_file(const char *file, const char *text);

int
cmd_graph(const struct cli_args *ca)
{
	struct scenario *sc;
	bool svg = false;
	int status = form(ca->ca_output, &svg);

	if (status != EXIT_OK)
		return status;
	if (ca->ca_points.cl_n > 1)
		return cli_usage("graph", "--point: one point, please");
	if (ca->ca_points.cl_n > 0 && ca->ca_db == NULL)
		return cli_usage("graph", "--point without --db");
	if (ca->ca_points.cl_n > 0 && ca->ca_nsets > 0)
		return cli_usage(
		    "graph", "--point names a point by itself: no --set");
	if (svg && !graph_can_draw()) {
		fputs("solab: no dot to draw with (Debian: graphviz); -o F.dot "
		      "writes its source\n",
		    stderr);
		return EXIT_FAILED;
	}
	sc = lookup_load(ca->ca_files[0], ca);
	if (sc == NULL)
		return EXIT_USAGE;
	status = draw(sc, ca, svg);
	scenario_destroy(sc);
	return status;
}

/* What the file's name asks for. */
static int
form(const char *file, bool *svg)
{
	const char *dot = file != NULL ? strrchr(file, '.') : NULL;

	if (file == NULL || (dot != NULL && strcmp(dot, ".dot") == 0))
		return EXIT_OK;
	if (dot != NULL && strcmp(dot, ".svg") == 0) {
		*svg = true;
		return EXIT_OK;
	}
	return cli_usage("graph",
	    "--output: '%s', want a name that ends in .svg or .dot", file);
}

static int
draw(struct scenario *sc, const struct cli_args *ca, bool svg)
{
	struct setup *su = sim_calloc(1, sizeof(*su));
	struct scenario *stored = NULL;
	struct record **rds = NULL;
	char *dot = NULL, *picture = NULL;
	size_t size;
	FILE *fp;
	int n = 0, status = EXIT_USAGE;

	scenario_point(sc, SCENARIO_BASE, su);
	if (ca->ca_db == NULL || loads(sc, ca, su, &stored, &rds, &n)) {
		fp = open_memstream(&dot, &size);
		graph_dot(fp, su, rds, n);
		fclose(fp);
		picture = svg ? graph_svg(dot) : NULL;
		status = (svg && picture == NULL) ||
				 !write_file(ca->ca_output, svg ? picture : dot)
			     ? EXIT_FAILED
			     : EXIT_OK;
	}
	free(dot);
	sim_free(picture);
	if (rds != NULL)
		store_records_free(rds, n);
	scenario_destroy(stored);
	sim_free(su);
	return status;
}

/* What a store has of the point, and its setup. */
static bool
loads(struct scenario *sc, const struct cli_args *ca, struct setup *su,
    struct scenario **stored, struct record ***rds, int *n)
{
	struct store *st = store_open(ca->ca_db, STORE_READ);
	int64_t point = st != NULL ? point_of(st, sc, ca) : -1;

	if (point >= 0)
		*stored = store_scenario(st, point, 1);
	if (*stored != NULL && ca->ca_points.cl_n > 0 &&
	    strcmp((*stored)->sc_name, sc->sc_name) != 0) {
		fprintf(stderr, "solab: %s: point %lld is of %s, not of %s\n",
		    ca->ca_db, (long long)point, (*stored)->sc_name,
		    sc->sc_name);
	} else if (*stored != NULL) {
		scenario_point(*stored, 0, su);
		*n = store_records(st, point, rds);
	}
	store_close(st);
	if (*rds != NULL && *n == 0)
		fprintf(stderr, "solab: %s: no run of this point is done\n",
		    ca->ca_db);
	return *rds != NULL && *n > 0;
}

static int64_t
point_of(struct store *st, struct scenario *sc, const struct cli_args *ca)
{
	struct store_point *points = NULL;
	struct ypool yp = { NULL };
	char label[256];
	int64_t id;
	int n;

	if (ca->ca_points.cl_n > 0)
		return store_find(st, ca->ca_points.cl_texts[0]);
	id = store_point_known(st, sc, SCENARIO_BASE);
	if (id != 0)
		return id;
	fprintf(stderr,
	    "solab: %s: has not %s with %s; choose with --point one of\n",
	    ca->ca_db, sc->sc_name,
	    scenario_point_label(sc, SCENARIO_BASE, label, sizeof(label)));
	n = store_points(st, &points, &yp);
	for (int i = 0; i < n && i < LIST_POINTS; i++)
		fprintf(stderr, "  %3lld  %s: %s%s\n",
		    (long long)points[i].sp_id, points[i].sp_scenario,
		    points[i].sp_label,
		    strcmp(points[i].sp_model, store_model_version()) != 0
			? " (of another version of the model)"
			: "");
	if (n > LIST_POINTS)
		fprintf(stderr, "  and %d more\n", n - LIST_POINTS);
	sim_free(points);
	ypool_fini(&yp);
	return -1;
}

static bool
write_file(const char *file, const char *text)
{
	FILE *fp = file != NULL ? fopen(file, "we") : stdout;
	bool ok;

	if (fp == NULL) {
		fprintf(stderr, "solab: %s: %s\n", file, strerror(errno));
		return false;
	}
	ok = fputs(text, fp) >= 0;
	ok = (file != NULL ? fclose(fp) : fflush(fp)) == 0 && ok;
	if (!ok)
		fprintf(stderr, "solab: %s: %s\n",
		    file != NULL ? file : "standard output", strerror(errno));
	return ok;
}
