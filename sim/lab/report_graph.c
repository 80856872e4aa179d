#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/lab/graph.h"
#include "sim/lab/report_impl.h"

#define GRAPHS 12 /* pictures of 15 KB in a page */

static bool graph_json(
    FILE *, const struct report_data *, const struct report_point *, int n);

/* Pictures of some points that have run, evenly spread over all of them. */
bool
report_graphs_json(FILE *fp, const struct report_data *rd)
{
	int runs = 0, seen = 0, drawn = 0;
	bool ok = true;

	for (int i = 0; i < rd->rd_npoints; i++)
		runs += rd->rd_points[i].rt_point->sp_done > 0;
	fputs(",\n\"graphs\":[", fp);
	for (int i = 0; i < rd->rd_npoints && ok; i++) {
		if (rd->rd_points[i].rt_point->sp_done == 0)
			continue;
		if (runs <= GRAPHS || seen * GRAPHS / runs == drawn)
			ok = graph_json(fp, rd, &rd->rd_points[i], drawn++);
		seen++;
	}
	fputc(']', fp);
	return ok;
}

static bool
graph_json(FILE *fp, const struct report_data *rd,
    const struct report_point *rt, int n)
{
	int64_t id = rt->rt_point->sp_id;
	struct scenario *sc = store_scenario(rd->rd_store, id, 1);
	struct record **rds;
	struct setup *su;
	char *dot, *svg;
	size_t size;
	FILE *text;
	int reps;

	if (sc == NULL)
		return true; /* said; the rest can be shown */
	reps = store_records(rd->rd_store, id, &rds);
	if (reps < 0) {
		scenario_destroy(sc);
		return false;
	}
	su = sim_calloc(1, sizeof(*su));
	scenario_point(sc, 0, su);
	text = open_memstream(&dot, &size);
	graph_dot(text, su, rds, reps);
	fclose(text);
	svg = graph_can_draw() ? graph_svg(dot) : NULL;
	fprintf(fp, "%s{\"point\":%lld,\"dot\":", n > 0 ? ",\n" : "",
	    (long long)id);
	report_string(fp, dot);
	fputs(",\"svg\":", fp);
	if (svg != NULL)
		report_string(fp, svg);
	else
		fputs("null", fp);
	fputc('}', fp);
	free(dot);
	sim_free(svg);
	sim_free(su);
	store_records_free(rds, reps);
	scenario_destroy(sc);
	return true;
}
