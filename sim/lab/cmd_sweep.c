/*
 * solab sweep: every point of a scenario, one after the other.
 */
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/lookup.h"
#include "sim/lab/output.h"

/* Points run together: each is printed when they are done. */
#define BATCH_MAX 8

static int sweep(struct scenario *, const struct cli_args *);
static int batch_size(const struct cli_args *);
static int label_width(struct scenario *);
static void heading(int width);
static void row(const struct point *, int width);
static double per_request(const struct result *, enum counter);

int
cmd_sweep(const struct cli_args *ca)
{
	struct scenario *sc = lookup_load(ca->ca_files[0], ca);
	int status;

	if (sc == NULL)
		return EXIT_USAGE;
	status = sweep(sc, ca);
	scenario_destroy(sc);
	return status;
}

static int
sweep(struct scenario *sc, const struct cli_args *ca)
{
	const struct run_options ro = {
		.ro_scenario = sc->sc_name,
		.ro_jobs = ca->ca_jobs,
		.ro_exact = ca->ca_exact,
	};
	int npoints = scenario_npoints(sc), width = label_width(sc);
	int size = batch_size(ca);
	struct point *po = sim_calloc(size, sizeof(*po));
	enum run_status rs = RUN_DONE;

	if (!ca->ca_json)
		heading(width);
	for (int i = 0; i < npoints && rs == RUN_DONE; i += size) {
		int n = npoints - i < size ? npoints - i : size;

		for (int k = 0; k < n; k++)
			point_init(&po[k], sc, i + k);
		rs = points_run(po, n, NULL, &ro);
		for (int k = 0; k < n && rs == RUN_DONE; k++) {
			if (!ca->ca_json)
				row(&po[k], width);
			for (int r = 0; ca->ca_json && r < po[k].po_reps; r++)
				point_json(stdout, sc, &po[k], r);
		}
		fflush(stdout);
		for (int k = 0; k < n; k++)
			point_fini(&po[k]);
	}
	sim_free(po);
	if (rs == RUN_DONE)
		return EXIT_OK;
	return rs == RUN_FAILED ? EXIT_FAILED : EXIT_INTERRUPTED;
}

static int
batch_size(const struct cli_args *ca)
{
	if (ca->ca_jobs <= 0 || ca->ca_jobs > BATCH_MAX)
		return BATCH_MAX;
	return (int)ca->ca_jobs;
}

static int
label_width(struct scenario *sc)
{
	char label[256];
	int width = 0;

	for (int i = 0; i < scenario_npoints(sc); i++) {
		int n = (int)strlen(
		    scenario_point_label(sc, i, label, sizeof(label)));

		width = n > width ? n : width;
	}
	return width;
}

static void
heading(int width)
{
	printf("%-*s %7s  %-29s  %s\n", width, "", "", "ms", "a request");
	printf("%-*s %7s  %7s %7s %7s %6s  %4s %5s %6s %5s\n", width, "point",
	    "1/s", "latency", "99 %", "cycle", "Little", "msgs", "IPIs",
	    "switch", "given");
}

/*
 * Little's law is off where slots wait for what does not come within the
 * measurement. Messages: those that a thread waited for; given: CPUs given up
 * for a token.
 */
static void
row(const struct point *po, int width)
{
	const struct result *rs = po->po_merged;

	printf("%-*s %7.0f  %7.2f %7.2f %7.1f %4.0f %%  %4.2f %5.2f %6.2f "
	       "%5.2f\n",
	    width, po->po_label, point_metric(po, METRIC_THROUGHPUT).mean,
	    point_metric(po, METRIC_LATENCY_MEAN).mean * 1e-6,
	    point_metric(po, METRIC_LATENCY_P99).mean * 1e-6,
	    point_metric(po, METRIC_CYCLE_MEAN).mean * 1e-6,
	    point_metric(po, METRIC_LITTLES_LAW_ERROR).mean,
	    per_request(rs, COUNTER_domsgs), per_request(rs, COUNTER_ipis),
	    per_request(rs, COUNTER_switches),
	    per_request(rs, COUNTER_token_collisions));
}

static double
per_request(const struct result *rs, enum counter c)
{
	if (rs->rs_completed == 0)
		return 0;
	return (double)rs->rs_counters[c] / (double)rs->rs_completed;
}
