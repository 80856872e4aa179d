/*
 * solab report: the page of a store.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/cli.h"
#include "sim/lab/graph.h"
#include "sim/lab/report_timeline.h"

static bool only(struct report *, const struct cli_args *);
static int64_t first_point(const struct report *);
static char *output_name(const struct cli_args *);
static int page(const struct report *, const char *file);
static bool page_write(
    const struct report *, const char *part, const char *file);

int
cmd_report(const struct cli_args *ca)
{
	struct report rp = { .rp_name = ca->ca_files[0] };
	char *file = output_name(ca);
	int status = EXIT_USAGE;

	if (strcmp(file, "-") == 0) {
		sim_free(file);
		return cli_usage("report", "--output: '-', want a file");
	}
	if (store_same_file(file, ca->ca_files[0])) {
		status = cli_usage(
		    "report", "--output: '%s' is the store itself", file);
		sim_free(file);
		return status;
	}
	rp.rp_store = store_open(ca->ca_files[0], STORE_READ);
	if (rp.rp_store != NULL && only(&rp, ca))
		status = report_timelines(&rp, ca, first_point(&rp));
	if (status == EXIT_OK && !graph_can_draw())
		fputs("solab: no dot (Debian: graphviz): the page has no "
		      "pictures of the topology\n",
		    stderr);
	if (status == EXIT_OK)
		status = page(&rp, file);
	report_timelines_fini(&rp);
	store_close(rp.rp_store);
	sim_free(rp.rp_only);
	sim_free(file);
	return status;
}

/* --point */
static bool
only(struct report *rp, const struct cli_args *ca)
{
	int n = ca->ca_points.cl_n;

	if (n == 0)
		return true;
	rp->rp_only = sim_calloc((size_t)n, sizeof(*rp->rp_only));
	for (int i = 0; i < n; i++) {
		rp->rp_only[i] =
		    store_find(rp->rp_store, ca->ca_points.cl_texts[i]);
		if (rp->rp_only[i] < 0)
			return false;
	}
	rp->rp_nonly = n;
	return true;
}

/* The first that has run, of those in the page; -1: none. */
static int64_t
first_point(const struct report *rp)
{
	struct store_point *points;
	struct ypool yp = { NULL };
	int n = store_points(rp->rp_store, &points, &yp);
	int64_t id = rp->rp_nonly > 0 ? rp->rp_only[0] : -1;

	for (int i = 0; i < n && id < 0; i++)
		if (points[i].sp_done > 0)
			id = points[i].sp_id;
	sim_free(points);
	ypool_fini(&yp);
	return id;
}

/* s.db gives s.html. */
static char *
output_name(const struct cli_args *ca)
{
	const char *db = ca->ca_files[0], *dot = strrchr(db, '.');
	size_t n = strlen(db);
	char *file;

	if (ca->ca_output != NULL)
		return sim_strdup(ca->ca_output);
	if (dot != NULL && strchr(dot, '/') == NULL && dot != db)
		n = (size_t)(dot - db);
	file = sim_calloc(1, n + sizeof(".html"));
	memcpy(file, db, n);
	memcpy(file + n, ".html", sizeof(".html"));
	return file;
}

/*
 * Into a file beside it first: a page is whole, or as it was. Not so where
 * there is something else than a file (a device, a pipe, a link).
 */
static int
page(const struct report *rp, const char *file)
{
	size_t size = strlen(file) + 24;
	char *part = sim_calloc(1, size);
	struct stat sb;
	bool beside = lstat(file, &sb) != 0 || S_ISREG(sb.st_mode), ok;

	if (beside)
		snprintf(part, size, "%s.%ld.part", file, (long)getpid());
	else
		snprintf(part, size, "%s", file);
	ok = page_write(rp, part, file);
	if (ok && beside && rename(part, file) != 0) {
		fprintf(stderr, "solab: %s: %s\n", file, strerror(errno));
		ok = false;
	}
	if (!ok && beside)
		unlink(part);
	sim_free(part);
	if (ok)
		fprintf(stderr, "solab: %s is written\n", file);
	return ok ? EXIT_OK : EXIT_FAILED;
}

static bool
page_write(const struct report *rp, const char *part, const char *file)
{
	FILE *fp = fopen(part, "we");
	bool ok, written;

	if (fp == NULL) {
		fprintf(stderr, "solab: %s: %s\n", file, strerror(errno));
		return false;
	}
	ok = report_write(fp, rp);
	written = !ferror(fp);
	written = fclose(fp) == 0 && written;
	if (!written)
		fprintf(stderr, "solab: %s: %s\n", file, strerror(errno));
	return ok && written;
}
