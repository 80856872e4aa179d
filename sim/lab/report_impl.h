#ifndef SIM_LAB_REPORT_IMPL_H
#define SIM_LAB_REPORT_IMPL_H

/*
 * What the files report*.c share: the points of a page and its JSON.
 */
#include "sim/core/stat.h"
#include "sim/lab/report.h"

/* A parameter that points of the store have. */
struct report_axis {
	const char *ra_path, *ra_short;
	const char **ra_values; /* each once; numbers in their order */
	int ra_n;
	double *ra_numbers; /* in a base unit; NULL: not all are of one */
};

struct report_point {
	const struct store_point *rt_point;
	struct record *rt_about; /* its parameters */
	int *rt_at;		 /* by axis: index of its value, or -1 */
	int rt_about_index, rt_model_index;
	int rt_failed;		/* runs */
	const char *rt_message; /* of the first of these, or NULL */
};

struct report_data {
	const struct report *rd_report;
	struct store *rd_store;
	struct store_point *rd_all;
	struct report_point *rd_points;
	int rd_npoints;
	struct report_axis *rd_axes;
	int rd_naxes;
	struct store_run *rd_runs;
	int rd_nruns;
	struct store_about *rd_abouts;
	int rd_nabouts;
	const char **rd_models; /* each version once */
	int rd_nmodels;
	struct ypool rd_pool; /* owns texts and arrays of the above */
};

/* Returns: false after an error of the store; fini all the same. */
bool report_data_init(struct report_data *, const struct report *);
void report_data_fini(struct report_data *);

/* Returns: the point of an id, or of a key; NULL: not in the page. */
const struct report_point *report_point_of(
    const struct report_data *, int64_t id);
const struct report_point *report_point_keyed(
    const struct report_data *, const char *key);

/* The payload. Returns: false after an error of the store. */
bool report_json(FILE *, const struct report_data *);

/* Its parts: `"percentiles": [...]`, an object of points, `"published": ...` */
void report_percentiles_json(FILE *);
bool report_point_json(FILE *, const struct report_data *,
    const struct report_point *, bool detailed);
bool report_published_json(FILE *, const struct report_data *);
bool report_graphs_json(FILE *, const struct report_data *);

/* A string of JSON that can stand in a script's element. */
void report_string(FILE *, const char *);

/* A number that JSON has: null for others. %.*g */
void report_number(FILE *, double, int digits);

#endif
