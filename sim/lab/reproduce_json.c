#include "sim/lab/reproduce.h"

#include <math.h>
#include <string.h>

static void gain_json(const char *name, double);
static void ranges_json(const struct scenario *, const struct scenario_cell *,
    const struct ranges *);

void
reproduce_json(const struct scenario *sc, const struct scenario_cell *ce,
    const struct outcome *oc)
{
	enum metric m = metric_of(ce->ce_metric);

	printf("{\"scenario\": ");
	output_json_string(stdout, sc->sc_name);
	printf(", \"where\": ");
	output_json_params(stdout, ce->ce_params, ce->ce_nparams);
	if (ce->ce_ratio != NULL) {
		printf(", \"ratio_to\": ");
		output_json_params(
		    stdout, ce->ce_ratio_params, ce->ce_nratio_params);
		printf(", \"metric\": \"%s_gain_pct\"", ce->ce_metric->km_name);
		gain_json("published", ce->ce_value);
		gain_json("simulated", oc->oc_value);
		gain_json("ci95", oc->oc_half);
	} else {
		printf(", \"metric\": \"%s\", \"published\": ",
		    ce->ce_metric->km_json);
		metric_json(m, ce->ce_value, stdout);
		printf(", \"simulated\": ");
		metric_json(m, oc->oc_value, stdout);
		printf(", \"ci95\": ");
		metric_json(m, oc->oc_half, stdout);
	}
	gain_json("error_pct", oc->oc_error_pct);
	gain_json(
	    "tolerance_pct", ce->ce_by_ranges ? NAN : ce->ce_tolerance_pct);
	if (ce->ce_unpublished)
		printf(", \"role\": \"variant\", \"ok\": null");
	else
		printf(", \"role\": \"%s\", \"ok\": %s",
		    ce->ce_fitted ? "fitted" : "predicted",
		    oc->oc_ok ? "true" : "false");
	if (oc->oc_ranged)
		ranges_json(sc, ce, &oc->oc_ranges);
	printf("}\n");
}

/* , "name": percent */
static void
gain_json(const char *name, double value)
{
	printf(", \"%s\": ", name);
	if (isfinite(value))
		printf("%.4f", value);
	else
		printf("null");
}

static void
ranges_json(const struct scenario *sc, const struct scenario_cell *ce,
    const struct ranges *rn)
{
	/* Names are those of YAML keys that were checked: no quotes in them. */
	printf(", \"ranges\": {\"judges\": %s",
	    ce->ce_by_ranges ? "true" : "false");
	gain_json("centre_pct", rn->rn_centre);
	gain_json("p5_pct", rn->rn_p5);
	gain_json("p95_pct", rn->rn_p95);
	gain_json("all_low_pct", rn->rn_all_low);
	gain_json("all_high_pct", rn->rn_all_high);
	printf(", \"inside_p5_p95\": %s, \"possible\": %s, \"dominant\": ",
	    ranges_likely(rn, ce->ce_value) ? "true" : "false",
	    ranges_possible(rn, ce->ce_value) ? "true" : "false");
	if (rn->rn_dominant >= 0)
		printf("\"%s\"", sc->sc_groups[rn->rn_dominant].gr_name);
	else
		printf("null");
	printf(", \"groups\": [");
	for (int g = 0; g < rn->rn_n; g++) {
		printf("%s{\"name\": \"%s\"", g > 0 ? ", " : "",
		    sc->sc_groups[g].gr_name);
		gain_json("low_pct", rn->rn_groups[g].rx_low);
		gain_json("high_pct", rn->rn_groups[g].rx_high);
		printf(
		    ", \"variance_share\": %.4f}", rn->rn_groups[g].rx_share);
	}
	printf("]}");
}
