/*
 * solab run
 */
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/hist_files.h"
#include "sim/lab/lookup.h"
#include "sim/lab/output.h"
#include "sim/lab/sweep.h"
#include "sim/lab/terminal.h"
#include "sim/lab/text.h"
#include "sim/lab/trace_files.h"

static int run_point(struct scenario *, const struct cli_args *,
    const struct run_trace *, struct hist_files *, const struct picture *);
static bool keep(
    struct scenario *, const struct cli_args *, const struct point *);

int
cmd_run(const struct cli_args *ca)
{
	struct run_trace rt;
	struct hist_files hf = { 0 };
	struct picture pi;
	struct scenario *sc;
	int status;

	if (!terminal_picture(ca->ca_color, &pi))
		return cli_usage("run",
		    "--color: '%s', want auto, always or never", ca->ca_color);
	sc = lookup_load(ca->ca_files[0], ca);
	if (sc == NULL)
		return EXIT_USAGE;
	for (int i = 0; i < ca->ca_nsets; i++)
		if (strchr(ca->ca_sets[i], ',') != NULL) {
			fputs("solab: run takes one point: the first value of "
			      "'",
			    stderr);
			text_print(stderr, ca->ca_sets[i]);
			fputs("'\n", stderr);
		}
	status = trace_files_open(&rt, ca);
	if (status == EXIT_OK)
		status = hist_files_open(&hf, ca);
	if (status == EXIT_OK)
		status = run_point(sc, ca, rt.rt_n > 0 ? &rt : NULL, &hf, &pi);
	hist_files_close(&hf);
	trace_files_close(&rt);
	scenario_destroy(sc);
	return status;
}

static int
run_point(struct scenario *sc, const struct cli_args *ca,
    const struct run_trace *rt, struct hist_files *hf, const struct picture *pi)
{
	const struct run_options ro = {
		.ro_scenario = sc->sc_name,
		.ro_jobs = ca->ca_jobs,
		.ro_exact = ca->ca_exact,
	};
	struct point *po = sim_calloc(1, sizeof(*po));
	enum run_status rs;
	int status;

	/* What could not be kept need not be run. */
	if (ca->ca_db != NULL) {
		struct store *st = experiment_store(ca, false);

		if (st == NULL) {
			sim_free(po);
			return EXIT_USAGE;
		}
		store_close(st);
	}
	point_init(po, sc, SCENARIO_BASE);
	rs = points_run(po, 1, rt, &ro);
	status = rs == RUN_DONE
		     ? EXIT_OK
		     : (rs == RUN_FAILED ? EXIT_FAILED : EXIT_INTERRUPTED);
	for (int r = 0; status == EXIT_OK && ca->ca_json && r < po->po_reps;
	     r++)
		point_json(stdout, sc, po, r);
	if (status == EXIT_OK && !ca->ca_json) {
		output_text(stdout, sc, po, ca->ca_verbose);
		if (!po->po_merged->rs_netserver)
			picture_result(stdout, po->po_merged, pi);
		output_speed(stderr, po->po_merged);
	}
	if (status == EXIT_OK && !po->po_merged->rs_netserver &&
	    po->po_merged->rs_completed == 0)
		fputs(
		    "solab: no request was answered while measuring\n", stderr);
	if (status == EXIT_OK && ca->ca_db != NULL && !keep(sc, ca, po))
		status = EXIT_FAILED;
	if (status == EXIT_OK)
		status = hist_files_write(hf, po);
	point_fini(po);
	sim_free(po);
	return status;
}

/* Put all replications in the store; those that are there stay. */
static bool
keep(struct scenario *sc, const struct cli_args *ca, const struct point *po)
{
	struct store *st = experiment_store(ca, false);
	int64_t id = st != NULL ? store_point(st, sc, SCENARIO_BASE) : -1;
	bool ok = id >= 0;

	for (int r = 0; r < po->po_reps && ok; r++) {
		struct record *rd = record_of(
		    sc, SCENARIO_BASE, &po->po_setup, r, po->po_results[r]);

		ok = store_put(st, id, rd);
		record_destroy(rd);
	}
	store_close(st);
	return ok;
}
