/*
 * solab reproduce: every published cell beside the simulated one.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/lookup.h"
#include "sim/lab/reproduce.h"

struct tally {
	int ta_cells, ta_ok, ta_outside;
};

/* All that a scenario's cells need, run at once. */
struct batch {
	struct scenario *bt_sc;
	bool bt_ranges; /* --ranges */
	struct point *bt_points;
	int bt_n;
};

static int load_all(
    const struct cli_args *, struct scenario **, int max, int *n);
static int load_named(
    const struct cli_args *, struct scenario **, int max, int *n);
static int reproduce(
    struct scenario *, const struct cli_args *, struct tally *);
static void judge(struct batch *, const struct cli_args *, struct tally *);
static void batch_fill(struct batch *);
static void batch_fini(struct batch *);
static void batch_add(struct batch *, int point, int variant);
static void batch_vary(const struct batch *, struct point *);
static const struct point *batch_get(
    const struct batch *, int point, int variant);
static bool is_ranged(const struct batch *, const struct scenario_cell *);
static int variants(const struct scenario *);
static int all_groups(const struct scenario *, bool high);
static void evaluate(
    const struct batch *, const struct scenario_cell *, struct outcome *);
static double gain(
    const struct batch *, const struct scenario_cell *, int variant);
static void evaluate_ranges(
    const struct batch *, const struct scenario_cell *, struct ranges *);

/*
 * Which costs of a point are moved: none; group g to its low end (1 + 2g) or
 * its high one (2 + 2g); all of them, see all_groups().
 */
#define CENTRE 0

static_assert(SCENARIO_MAX_GROUPS <= RANGES_MAX, "room for every group");

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
	if (!ca->ca_json && ta.ta_outside > 0)
		printf("%d published gain%s outside the cost ranges\n",
		    ta.ta_outside, ta.ta_outside > 1 ? "s" : "");
	return ta.ta_ok == ta.ta_cells && ta.ta_outside == 0 ? EXIT_OK
							     : EXIT_FAILED;
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
	struct batch bt = { .bt_sc = sc, .bt_ranges = ca->ca_ranges };
	int status = EXIT_OK;

	batch_fill(&bt);
	switch (points_run(bt.bt_points, bt.bt_n, NULL, &ro)) {
	case RUN_DONE:
		judge(&bt, ca, ta);
		break;
	case RUN_FAILED:
		status = EXIT_FAILED;
		break;
	case RUN_INTERRUPTED:
		status = EXIT_INTERRUPTED;
		break;
	}
	batch_fini(&bt);
	return status;
}

/* Count and print what has run. */
static void
judge(struct batch *bt, const struct cli_args *ca, struct tally *ta)
{
	struct scenario *sc = bt->bt_sc;
	struct outcome *oc = sim_calloc(sc->sc_ncells, sizeof(*oc));

	for (int i = 0; i < sc->sc_ncells; i++) {
		const struct scenario_cell *ce = &sc->sc_cells[i];

		if (ce->ce_point < 0)
			continue;
		evaluate(bt, ce, &oc[i]);
		ta->ta_cells += !ce->ce_unpublished;
		ta->ta_ok += oc[i].oc_ok && !ce->ce_unpublished;
		ta->ta_outside += oc[i].oc_outside;
		if (ca->ca_json)
			reproduce_json(sc, ce, &oc[i]);
	}
	if (!ca->ca_json)
		reproduce_text(sc, bt->bt_points, bt->bt_n, oc, bt->bt_ranges);
	fflush(stdout);
	sim_free(oc);
}

/* Each point once, in the order of the cells; then those with moved costs. */
static void
batch_fill(struct batch *bt)
{
	const struct scenario *sc = bt->bt_sc;
	const struct scenario_cell *ce;
	int n = variants(sc);

	bt->bt_points =
	    sim_calloc((size_t)sc->sc_ncells * 2 * n, sizeof(*bt->bt_points));
	for (int v = CENTRE; v < n; v++) {
		for (int i = 0; i < sc->sc_ncells; i++) {
			ce = &sc->sc_cells[i];
			if (ce->ce_point < 0 ||
			    (v != CENTRE && !is_ranged(bt, ce)))
				continue;
			batch_add(bt, ce->ce_point, v);
			if (ce->ce_ratio != NULL)
				batch_add(bt, ce->ce_ratio_point, v);
		}
	}
}

static void
batch_fini(struct batch *bt)
{
	for (int i = 0; i < bt->bt_n; i++)
		point_fini(&bt->bt_points[i]);
	sim_free(bt->bt_points);
}

static void
batch_add(struct batch *bt, int point, int variant)
{
	struct point *po = &bt->bt_points[bt->bt_n];

	if (batch_get(bt, point, variant) != NULL)
		return;
	bt->bt_n++;
	point_init(po, bt->bt_sc, point);
	po->po_variant = variant;
	if (variant == CENTRE)
		return;
	po->po_reps = 1; /* they tell the slopes */
	batch_vary(bt, po);
}

/* Move the costs. */
static void
batch_vary(const struct batch *bt, struct point *po)
{
	const struct scenario *sc = bt->bt_sc;
	bool high = po->po_variant % 2 == 0;
	int group = (po->po_variant - 1) / 2;
	size_t n = strlen(po->po_label);

	if (group < sc->sc_ngroups)
		scenario_group_set(sc, group, high, &po->po_setup);
	for (int g = 0; group >= sc->sc_ngroups && g < sc->sc_ngroups; g++)
		scenario_group_set(sc, g, high, &po->po_setup);
	snprintf(po->po_label + n, sizeof(po->po_label) - n, ", %s %s",
	    group < sc->sc_ngroups ? sc->sc_groups[group].gr_name
				   : "all ranges",
	    high ? "high" : "low");
}

static const struct point *
batch_get(const struct batch *bt, int point, int variant)
{
	for (int i = 0; i < bt->bt_n; i++) {
		if (bt->bt_points[i].po_point == point &&
		    bt->bt_points[i].po_variant == variant)
			return &bt->bt_points[i];
	}
	return NULL;
}

static bool
is_ranged(const struct batch *bt, const struct scenario_cell *ce)
{
	return ce->ce_ratio != NULL && !ce->ce_unpublished &&
	       bt->bt_sc->sc_ngroups > 0 && (bt->bt_ranges || ce->ce_by_ranges);
}

static int
variants(const struct scenario *sc)
{
	return sc->sc_ngroups > 0 ? all_groups(sc, true) + 1 : 1;
}

/* The only group is all of them. */
static int
all_groups(const struct scenario *sc, bool high)
{
	return (sc->sc_ngroups > 1 ? 1 + 2 * sc->sc_ngroups : 1) + high;
}

static void
evaluate(
    const struct batch *bt, const struct scenario_cell *ce, struct outcome *oc)
{
	enum metric m = metric_of(ce->ce_metric);
	const struct point *po = batch_get(bt, ce->ce_point, CENTRE);
	struct stat_ci ci;

	if (ce->ce_ratio != NULL) {
		ci = point_gain(
		    po, batch_get(bt, ce->ce_ratio_point, CENTRE), m);
		oc->oc_error_pct = ci.mean - ce->ce_value;
	} else {
		ci = point_metric(po, m);
		oc->oc_error_pct = metric_error_pct(m, ci.mean, ce->ce_value);
	}
	oc->oc_value = ci.mean;
	oc->oc_half = ci.half;
	oc->oc_ranged = is_ranged(bt, ce);
	if (oc->oc_ranged) {
		evaluate_ranges(bt, ce, &oc->oc_ranges);
		oc->oc_outside = !ranges_possible(&oc->oc_ranges, ce->ce_value);
	}
	oc->oc_ok = ce->ce_by_ranges
			? ranges_possible(&oc->oc_ranges, ce->ce_value)
			: fabs(oc->oc_error_pct) <= ce->ce_tolerance_pct;
}

static double
gain(const struct batch *bt, const struct scenario_cell *ce, int variant)
{
	return point_gain(batch_get(bt, ce->ce_point, variant),
	    batch_get(bt, ce->ce_ratio_point, variant),
	    metric_of(ce->ce_metric))
	    .mean;
}

static void
evaluate_ranges(
    const struct batch *bt, const struct scenario_cell *ce, struct ranges *rn)
{
	const struct scenario *sc = bt->bt_sc;

	rn->rn_n = sc->sc_ngroups;
	rn->rn_centre = gain(bt, ce, CENTRE);
	for (int g = 0; g < sc->sc_ngroups; g++) {
		rn->rn_groups[g].rx_low = gain(bt, ce, 1 + 2 * g);
		rn->rn_groups[g].rx_high = gain(bt, ce, 2 + 2 * g);
	}
	rn->rn_all_low = gain(bt, ce, all_groups(sc, false));
	rn->rn_all_high = gain(bt, ce, all_groups(sc, true));
	ranges_add_up(rn);
}
