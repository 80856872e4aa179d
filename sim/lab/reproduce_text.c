#include "sim/lab/reproduce.h"

#include <math.h>
#include <string.h>

#include "sim/lab/text.h"

#define NAME_MIN 13 /* width of the column of names */
#define NAME_MAX_TEXT 60

static void heading(struct scenario *, int wname);
static void point_text(
    struct scenario *, const struct point *, const struct outcome *, int wname);
static void row(
    const struct scenario_cell *, const struct outcome *, int wname);
static void ranges_text(const struct scenario *, const struct scenario_cell *,
    const struct ranges *);
static void ranges_note(
    const struct scenario *, const struct outcome *, bool asked);
static char *name_text(const struct scenario_cell *, char *buf);
static char *gain_text(double pct, char *buf);

void
reproduce_text(struct scenario *sc, const struct point *po, int n,
    const struct outcome *outcomes, bool ranges)
{
	int wname = NAME_MIN, len;
	char name[NAME_MAX_TEXT];

	for (int i = 0; i < sc->sc_ncells; i++) {
		len = (int)strlen(name_text(&sc->sc_cells[i], name));
		wname = len > wname ? len : wname;
	}
	heading(sc, wname);
	for (int p = 0; p < n; p++) {
		if (po[p].po_variant == 0)
			point_text(sc, &po[p], outcomes, wname);
	}
	ranges_note(sc, outcomes, ranges);
}

static void
heading(struct scenario *sc, int wname)
{
	const struct setup_run *sr = &sc->sc_setup.su_run;
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];
	bool several = sr->sr_replications > 1;

	text_print(stdout, sc->sc_name);
	fputs(": ", stdout);
	text_print(stdout, sc->sc_setup.su_title);
	putchar('\n');
	text_print(stdout, sc->sc_setup.su_source);
	if (sc->sc_setup.su_source[0] != '\0')
		putchar('\n');
	printf("seed %u, %d replication%s of %s after %s\n",
	    (unsigned)sr->sr_seed, sr->sr_replications, several ? "s" : "",
	    unit_print(UNIT_TIME, sr->sr_measure, a),
	    sr->sr_warmup_auto ? "a warm-up by pilots"
			       : unit_print(UNIT_TIME, sr->sr_warmup, b));
	printf("\n%-*s %12s %12s%s %7s %7s %s\n", wname + 1, "", "published",
	    "simulated", several ? "        +-" : "", "error", "within",
	    "role");
}

/* Its values, then its gains over other points. */
static void
point_text(struct scenario *sc, const struct point *po,
    const struct outcome *outcomes, int wname)
{
	const struct scenario_cell *ce;
	const char *over = NULL;
	bool any = false;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < sc->sc_ncells; i++) {
			ce = &sc->sc_cells[i];
			if (ce->ce_point != po->po_point ||
			    (ce->ce_ratio != NULL) != (pass == 1))
				continue;
			if (!any) {
				text_print(stdout, po->po_label);
				putchar('\n');
			}
			any = true;
			if (pass == 1 &&
			    (over == NULL || strcmp(over, ce->ce_ratio) != 0)) {
				over = ce->ce_ratio;
				printf("  over %s:\n", over);
			}
			row(ce, &outcomes[i], wname);
			if (outcomes[i].oc_ranged)
				ranges_text(sc, ce, &outcomes[i].oc_ranges);
		}
	}
	if (any)
		printf("\n");
}

static void
row(const struct scenario_cell *ce, const struct outcome *oc, int wname)
{
	enum metric m = metric_of(ce->ce_metric);
	bool ratio = ce->ce_ratio != NULL;
	const char *points =
	    ratio || ce->ce_metric->km_unit == UNIT_PERCENT ? "pt" : "%";
	char name[NAME_MAX_TEXT];
	char published[METRIC_TEXT_MAX], simulated[METRIC_TEXT_MAX];
	char half[METRIC_TEXT_MAX] = "";

	if (isfinite(oc->oc_half) && ratio)
		snprintf(half, sizeof(half), "%.2f %%", oc->oc_half);
	else if (isfinite(oc->oc_half))
		metric_text(m, oc->oc_half, half);
	if (ce->ce_unpublished)
		snprintf(published, sizeof(published), "-");
	else if (ratio)
		gain_text(ce->ce_value, published);
	else
		metric_text(m, ce->ce_value, published);
	printf(" %-*s %12s %12s", wname, name_text(ce, name), published,
	    ratio ? gain_text(oc->oc_value, simulated)
		  : metric_text(m, oc->oc_value, simulated));
	if (half[0] != '\0')
		printf(" %9s", half);
	if (ce->ce_unpublished) {
		printf(" %7s  %7s  variant\n", "-", "-");
		return;
	}
	if (isfinite(oc->oc_error_pct))
		printf(" %+6.2f%s ", oc->oc_error_pct, points);
	else
		printf(" %7s  ", "-");
	if (ce->ce_by_ranges)
		printf("%8s", "ranges");
	else
		printf("%6.2f%s", ce->ce_tolerance_pct, points);
	printf(" %-9s ", ce->ce_fitted ? "fitted" : "predicted");
	if (oc->oc_ok)
		printf("ok%s\n", ce->ce_missed ? " (was a known miss)" : "");
	else if (ce->ce_missed != NULL)
		printf("MISS (known: %s)\n", ce->ce_missed);
	else
		printf("MISS\n");
}

/* How far the gain can be trusted, and what that hangs on. */
static void
ranges_text(const struct scenario *sc, const struct scenario_cell *ce,
    const struct ranges *rn)
{
	const struct ranges_group *rx = rn->rn_groups;
	char a[METRIC_TEXT_MAX], b[METRIC_TEXT_MAX];
	double value = ce->ce_value;

	printf("   %-20s %10s %10s %9s\n", "cost ranges", "low", "high",
	    "variance");
	for (int g = 0; g < rn->rn_n; g++)
		printf("   %-20s %10s %10s %7.0f %%\n",
		    sc->sc_groups[g].gr_name, gain_text(rx[g].rx_low, a),
		    gain_text(rx[g].rx_high, b), 100 * rx[g].rx_share);
	printf("   %-20s %10s %10s   %s\n", "all (the ends)",
	    gain_text(rn->rn_all_low, a), gain_text(rn->rn_all_high, b),
	    value >= fmin(rn->rn_all_low, rn->rn_all_high) &&
		    value <= fmax(rn->rn_all_low, rn->rn_all_high)
		? "published inside"
		: "published OUTSIDE");
	printf("   %-20s %10s %10s   %s\n", "5-95 % range",
	    gain_text(rn->rn_p5, a), gain_text(rn->rn_p95, b),
	    ranges_likely(rn, value) ? "published inside"
				     : "published OUTSIDE");
	printf("   %-20s %10s\n", "centre", gain_text(rn->rn_centre, a));
	if (rn->rn_dominant >= 0)
		printf("   dominant: %s (%.0f %% of the variance)\n",
		    sc->sc_groups[rn->rn_dominant].gr_name,
		    100 * rx[rn->rn_dominant].rx_share);
}

/* Say it when ranges could have been run and were not: of published gains. */
static void
ranges_note(
    const struct scenario *sc, const struct outcome *outcomes, bool asked)
{
	int ratios = 0, ranged = 0;

	for (int i = 0; i < sc->sc_ncells; i++) {
		if (sc->sc_cells[i].ce_ratio == NULL ||
		    sc->sc_cells[i].ce_point < 0 ||
		    sc->sc_cells[i].ce_unpublished)
			continue;
		ratios++;
		ranged += outcomes[i].oc_ranged;
	}
	if (asked && ranged == 0)
		printf("cost ranges: none (no %s here)\n",
		    ratios == 0 ? "published ratio_to" : "ranges");
	else if (!asked && sc->sc_ngroups > 0 && ranged < ratios && ranged == 0)
		printf("cost ranges: not run (--ranges)\n");
	else if (!asked && sc->sc_ngroups > 0 && ranged < ratios)
		printf("cost ranges: run for %d of %d ratios (--ranges)\n",
		    ranged, ratios);
}

/* "request_rate", or "request_rate gain". Returns: buf. */
static char *
name_text(const struct scenario_cell *ce, char *buf)
{
	snprintf(buf, NAME_MAX_TEXT, "%s%s", ce->ce_metric->km_name,
	    ce->ce_ratio != NULL ? " gain" : "");
	return buf;
}

/*
 * "+5.32 %"; "-" over nothing, as where no request was answered. Returns: buf,
 * of METRIC_TEXT_MAX bytes.
 */
static char *
gain_text(double pct, char *buf)
{
	if (isfinite(pct))
		snprintf(buf, METRIC_TEXT_MAX, "%+.2f %%", pct);
	else
		snprintf(buf, METRIC_TEXT_MAX, "-");
	return buf;
}
