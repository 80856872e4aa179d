/*
 * solab reproduce: every published cell beside the simulated one.
 */
#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/lookup.h"
#include "sim/lab/output.h"

struct outcome {
	double oc_value, oc_half, oc_error_pct;
	bool oc_ok;
};

struct tally {
	int ta_cells, ta_ok;
};

static int load_all(
    const struct cli_args *, struct scenario **, int max, int *n);
static int load_named(
    const struct cli_args *, struct scenario **, int max, int *n);
static int reproduce(
    struct scenario *, const struct cli_args *, struct tally *);
static int points_needed(struct scenario *, struct point *);
static const struct point *point_of(
    const struct point *, int n, const struct scenario_cell *);
static struct outcome evaluate(
    const struct scenario_cell *, const struct point *);
static void print_text(struct scenario *, const struct point *, int n);
static void print_row(const struct scenario_cell *, const struct outcome *);
static void print_json(
    struct scenario *, const struct scenario_cell *, const struct outcome *);

#define MAX_SCENARIOS 64

int
cmd_reproduce(const struct cli_args *ca)
{
	struct scenario *scs[MAX_SCENARIOS];
	struct tally ta = { 0 };
	int n = 0, status;

	if (ca->ca_nfiles > 0)
		status = load_named(ca, scs, MAX_SCENARIOS, &n);
	else
		status = load_all(ca, scs, MAX_SCENARIOS, &n);
	for (int i = 0; i < n && status == EXIT_OK; i++)
		status = reproduce(scs[i], ca, &ta);
	for (int i = 0; i < n; i++)
		scenario_destroy(scs[i]);
	if (status != EXIT_OK)
		return status;
	if (!ca->ca_json)
		printf("%d of %d cells inside their tolerance\n", ta.ta_ok,
		    ta.ta_cells);
	return ta.ta_ok == ta.ta_cells ? EXIT_OK : EXIT_FAILED;
}

static int
load_named(const struct cli_args *ca, struct scenario **scs, int max, int *n)
{
	int status = EXIT_OK;

	for (int i = 0; i < ca->ca_nfiles && *n < max; i++) {
		struct scenario *sc = lookup_load(ca->ca_files[i], ca);

		if (sc == NULL) {
			status = EXIT_USAGE;
			continue;
		}
		scs[(*n)++] = sc;
		if (sc->sc_ncells > 0)
			continue;
		fprintf(stderr, "solab: %s: has no `published:` results\n",
		    sc->sc_file);
		status = EXIT_USAGE;
	}
	return status;
}

/* All that have published results, of the first folder that has any. */
static int
load_all(const struct cli_args *ca, struct scenario **scs, int max, int *n)
{
	int status = EXIT_OK, nfiles = 0;
	char **files = NULL;

	for (int d = 0; lookup_scenario_dirs[d] != NULL && nfiles == 0; d++)
		nfiles = lookup_all(lookup_scenario_dirs[d], &files);
	for (int i = 0; i < nfiles; i++) {
		struct scenario *sc =
		    *n < max ? lookup_load(files[i], ca) : NULL;

		if (sc == NULL)
			status = EXIT_USAGE;
		else if (sc->sc_ncells > 0)
			scs[(*n)++] = sc;
		else
			scenario_destroy(sc);
		sim_free(files[i]);
	}
	sim_free(files);
	if (status == EXIT_OK && *n == 0) {
		fprintf(stderr, "solab: no scenario with published results in "
				"./scenarios or " SOLAB_DATADIR "/scenarios\n");
		status = EXIT_USAGE;
	}
	return status;
}

static int
reproduce(struct scenario *sc, const struct cli_args *ca, struct tally *ta)
{
	const struct run_options ro = {
		.ro_scenario = sc->sc_name,
		.ro_jobs = ca->ca_jobs,
	};
	struct point *po = sim_calloc(sc->sc_ncells, sizeof(*po));
	int n = points_needed(sc, po), status = EXIT_OK;
	struct outcome oc;

	switch (points_run(po, n, NULL, &ro)) {
	case RUN_DONE:
		break;
	case RUN_FAILED:
		status = EXIT_FAILED;
		break;
	case RUN_INTERRUPTED:
		status = EXIT_INTERRUPTED;
		break;
	}
	for (int i = 0; i < sc->sc_ncells && status == EXIT_OK; i++) {
		const struct scenario_cell *ce = &sc->sc_cells[i];

		if (ce->ce_point < 0)
			continue;
		oc = evaluate(ce, point_of(po, n, ce));
		ta->ta_cells++;
		ta->ta_ok += oc.oc_ok;
		if (ca->ca_json)
			print_json(sc, ce, &oc);
	}
	if (status == EXIT_OK && !ca->ca_json)
		print_text(sc, po, n);
	fflush(stdout);
	for (int i = 0; i < n; i++)
		point_fini(&po[i]);
	sim_free(po);
	return status;
}

/* Each point once, in the order of the cells. */
static int
points_needed(struct scenario *sc, struct point *po)
{
	int n = 0;

	for (int i = 0; i < sc->sc_ncells; i++) {
		if (sc->sc_cells[i].ce_point < 0 ||
		    point_of(po, n, &sc->sc_cells[i]) != NULL)
			continue;
		point_init(&po[n++], sc, sc->sc_cells[i].ce_point);
	}
	return n;
}

static const struct point *
point_of(const struct point *po, int n, const struct scenario_cell *ce)
{
	for (int i = 0; i < n; i++) {
		if (po[i].po_point == ce->ce_point)
			return &po[i];
	}
	return NULL;
}

static struct outcome
evaluate(const struct scenario_cell *ce, const struct point *po)
{
	enum metric m = metric_of(ce->ce_metric);
	struct stat_ci ci = point_metric(po, m);
	struct outcome oc = { .oc_value = ci.mean, .oc_half = ci.half };

	oc.oc_error_pct = metric_error_pct(m, ci.mean, ce->ce_value);
	oc.oc_ok = fabs(oc.oc_error_pct) <= ce->ce_tolerance_pct;
	return oc;
}

/* A block for each point. */
static void
print_text(struct scenario *sc, const struct point *po, int n)
{
	const struct setup_run *sr = &po[0].po_setup.su_run;
	const struct scenario_cell *ce;
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];
	struct outcome oc;

	printf("%s: %s\n", sc->sc_name, sc->sc_setup.su_title);
	if (sc->sc_setup.su_source[0] != '\0')
		printf("%s\n", sc->sc_setup.su_source);
	printf("seed %u, %d replication%s of %s after %s\n",
	    (unsigned)sr->sr_seed, po[0].po_reps, po[0].po_reps > 1 ? "s" : "",
	    unit_print(UNIT_TIME, sr->sr_measure, a),
	    unit_print(UNIT_TIME, sr->sr_warmup, b));
	printf("\n%-14s %12s %12s%s %7s %7s %s\n", "", "published", "simulated",
	    po[0].po_reps > 1 ? "        +-" : "", "error", "within", "role");
	for (int p = 0; p < n; p++) {
		printf("%s\n", po[p].po_label);
		for (int i = 0; i < sc->sc_ncells; i++) {
			ce = &sc->sc_cells[i];
			if (ce->ce_point != po[p].po_point)
				continue;
			oc = evaluate(ce, &po[p]);
			print_row(ce, &oc);
		}
		printf("\n");
	}
}

static void
print_row(const struct scenario_cell *ce, const struct outcome *oc)
{
	enum metric m = metric_of(ce->ce_metric);
	const char *points =
	    ce->ce_metric->km_unit == UNIT_PERCENT ? "pt" : "%";
	char published[METRIC_TEXT_MAX], simulated[METRIC_TEXT_MAX];
	char half[METRIC_TEXT_MAX] = "";

	if (isfinite(oc->oc_half))
		metric_text(m, oc->oc_half, half);
	printf(" %-13s %12s %12s", ce->ce_metric->km_name,
	    metric_text(m, ce->ce_value, published),
	    metric_text(m, oc->oc_value, simulated));
	if (half[0] != '\0')
		printf(" %9s", half);
	printf(" %+6.2f%s %6.2f%s %-9s ", oc->oc_error_pct, points,
	    ce->ce_tolerance_pct, points,
	    ce->ce_fitted ? "fitted" : "predicted");
	if (oc->oc_ok)
		printf("ok%s\n", ce->ce_missed ? " (was a known miss)" : "");
	else if (ce->ce_missed != NULL)
		printf("MISS (known: %s)\n", ce->ce_missed);
	else
		printf("MISS\n");
}

static void
print_json(struct scenario *sc, const struct scenario_cell *ce,
    const struct outcome *oc)
{
	enum metric m = metric_of(ce->ce_metric);

	printf("{\"scenario\": ");
	output_json_string(stdout, sc->sc_name);
	printf(", \"where\": ");
	output_json_params(stdout, ce->ce_params, ce->ce_nparams);
	printf(", \"metric\": \"%s\", \"published\": ", ce->ce_metric->km_json);
	metric_json(m, ce->ce_value, stdout);
	printf(", \"simulated\": ");
	metric_json(m, oc->oc_value, stdout);
	printf(", \"ci95\": ");
	metric_json(m, oc->oc_half, stdout);
	printf(", \"error_pct\": %.4f, \"tolerance_pct\": %.4f, \"role\": "
	       "\"%s\", \"ok\": %s}\n",
	    oc->oc_error_pct, ce->ce_tolerance_pct,
	    ce->ce_fitted ? "fitted" : "predicted",
	    oc->oc_ok ? "true" : "false");
}
