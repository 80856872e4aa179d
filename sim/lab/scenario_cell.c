#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/scenario_impl.h"

struct cells {
	struct scenario *cl_sc;
	struct diag *cl_d;
};

/* An entry of `published:`: one point, or one against another. */
struct entry {
	const struct ynode *en_map, *en_fitted;
	struct scenario_where en_where;
	bool en_ratio;
	struct scenario_where en_other; /* of a ratio */
};

static const struct ynode *list_get(struct cells *, const char *name);
static void entry_load(struct cells *, const struct ynode *map);
static bool other_load(
    struct cells *, struct entry *, const struct ynode *ratio_to);
static void cell_load(struct cells *, const struct entry *,
    const struct key_metric *, const struct ynode *key,
    const struct ynode *val);
static bool cell_twice(
    struct cells *, const struct scenario_cell *, const struct ynode *key);
static void cell_numbers(
    struct cells *, struct scenario_cell *, const struct ynode *val);
static void cell_word(struct cells *, struct scenario_cell *,
    const struct ynode *key, const struct ynode *val);
static void cell_complete(
    struct cells *, const struct scenario_cell *, const struct ynode *val);
static bool number_load(struct cells *, const char *name, enum unit_kind,
    bool any_sign, const struct ynode *, double *);
static void fitted_check(struct cells *, const struct entry *);
static bool list_has(const struct ynode *list, const char *name);
static const struct key_metric *metric_find(const char *name);

void
scenario_cells_load(struct scenario *sc, struct diag *d)
{
	struct cells cl = { sc, d };
	const struct ynode *list;
	int nerrors = d->d_nerrors;

	list = list_get(&cl, "published");
	for (size_t i = 0; list != NULL && i < list->yn_n; i++)
		entry_load(&cl, list->yn_vals[i]);
	list = list_get(&cl, "fit");
	for (size_t i = 0; list != NULL && i < list->yn_n; i++) {
		if (d->d_nerrors == nerrors)
			scenario_fit_load(sc, list->yn_vals[i], d);
	}
}

static const struct ynode *
list_get(struct cells *cl, const char *name)
{
	const struct ynode *list = ynode_get(cl->cl_sc->sc_tree, name, NULL);

	if (list == NULL || list->yn_kind == YNODE_SEQ)
		return list;
	diag_error(cl->cl_d, list->yn_at, "%s: want a list, not %s", name,
	    ynode_kind_name(list));
	return NULL;
}

static void
entry_load(struct cells *cl, const struct ynode *map)
{
	static const char *const words[] = { "where", "ratio_to", "fitted",
		NULL };
	const struct ynode *where = ynode_get(map, "where", NULL), *key;
	const struct ynode *ratio_to = ynode_get(map, "ratio_to", NULL);
	const struct key_metric *km;
	struct entry en = { .en_map = map };

	if (map->yn_kind != YNODE_MAP) {
		diag_error(cl->cl_d, map->yn_at,
		    "published: want a map, not %s", ynode_kind_name(map));
		return;
	}
	en.en_fitted = ynode_get(map, "fitted", NULL);
	if (!scenario_where_load(
		cl->cl_sc, where, "where", &en.en_where, cl->cl_d))
		return;
	scenario_where_find(cl->cl_sc, &en.en_where, "where",
	    where != NULL ? where->yn_at : map->yn_at, cl->cl_d);
	if (ratio_to != NULL && !other_load(cl, &en, ratio_to))
		return;
	fitted_check(cl, &en);
	for (size_t i = 0; i < map->yn_n; i++) {
		key = map->yn_keys[i];
		km = metric_find(key->yn_text);
		if (km != NULL)
			cell_load(cl, &en, km, key, map->yn_vals[i]);
		else if (map->yn_vals[i] != where &&
			 map->yn_vals[i] != ratio_to &&
			 map->yn_vals[i] != en.en_fitted)
			scenario_unknown_word(key, words, true, cl->cl_d);
	}
}

/* Returns: false after an error. */
static bool
other_load(struct cells *cl, struct entry *en, const struct ynode *ratio_to)
{
	const struct scenario_where *a = &en->en_where;
	struct scenario_where *b = &en->en_other;

	en->en_ratio = true;
	if (!scenario_where_other(cl->cl_sc, ratio_to, a, b, cl->cl_d))
		return false;
	scenario_where_find(
	    cl->cl_sc, b, "ratio_to", ratio_to->yn_at, cl->cl_d);
	if (b->wh_text[0] != '\0' &&
	    (a->wh_point < 0 || a->wh_point != b->wh_point))
		return true;
	diag_error(
	    cl->cl_d, ratio_to->yn_at, "ratio_to: the same point as 'where'");
	return false;
}

static void
cell_load(struct cells *cl, const struct entry *en, const struct key_metric *km,
    const struct ynode *key, const struct ynode *val)
{
	struct scenario *sc = cl->cl_sc;
	struct scenario_cell ce = { .ce_metric = km };

	ce.ce_unpublished = val->yn_kind == YNODE_SCALAR &&
			    strcmp(val->yn_text, "unpublished") == 0;
	if (val->yn_kind != YNODE_MAP && !ce.ce_unpublished) {
		diag_error(cl->cl_d, val->yn_at,
		    "%s: want {value: ..., tolerance: ...}, or 'unpublished'",
		    key->yn_text);
		return;
	}
	if (en->en_ratio && km->km_unit == UNIT_PERCENT) {
		diag_error(cl->cl_d, key->yn_at, "%s: no ratio of percentages",
		    key->yn_text);
		return;
	}
	ce.ce_point = en->en_where.wh_point;
	ce.ce_where = en->en_where.wh_text;
	ce.ce_nparams = en->en_where.wh_n;
	ce.ce_params = scenario_where_params(sc, &en->en_where);
	ce.ce_fitted = list_has(en->en_fitted, km->km_name);
	if (en->en_ratio) {
		ce.ce_ratio = en->en_other.wh_text;
		ce.ce_ratio_point = en->en_other.wh_point;
		ce.ce_nratio_params = en->en_other.wh_n;
		ce.ce_ratio_params = scenario_where_params(sc, &en->en_other);
		if (ce.ce_ratio_point < 0)
			ce.ce_point = -1;
	}
	if (cell_twice(cl, &ce, key))
		return;
	if (ce.ce_unpublished)
		ce.ce_value = ce.ce_tolerance_pct = NAN;
	else
		cell_numbers(cl, &ce, val);
	if (ce.ce_unpublished && ce.ce_fitted)
		diag_error(cl->cl_d, val->yn_at,
		    "%s: nothing can be fitted to what is not published",
		    key->yn_text);
	sc->sc_cells =
	    sim_realloc(sc->sc_cells, sc->sc_ncells + 1, sizeof(*sc->sc_cells));
	sc->sc_cells[sc->sc_ncells++] = ce;
}

/* Returns: true after an error. */
static bool
cell_twice(
    struct cells *cl, const struct scenario_cell *ce, const struct ynode *key)
{
	const struct scenario *sc = cl->cl_sc;
	const char *ratio = ce->ce_ratio != NULL ? ce->ce_ratio : "";

	for (int i = 0; i < sc->sc_ncells; i++) {
		const struct scenario_cell *other = &sc->sc_cells[i];

		if (other->ce_metric != ce->ce_metric ||
		    strcmp(other->ce_where, ce->ce_where) != 0 ||
		    strcmp(other->ce_ratio ? other->ce_ratio : "", ratio) != 0)
			continue;
		diag_error(cl->cl_d, key->yn_at,
		    "%s at %s%s%s is published twice", key->yn_text,
		    ce->ce_where[0] ? ce->ce_where : "base",
		    ratio[0] ? " over " : "", ratio);
		return true;
	}
	return false;
}

static void
cell_numbers(
    struct cells *cl, struct scenario_cell *ce, const struct ynode *val)
{
	int nerrors = cl->cl_d->d_nerrors;

	for (size_t i = 0; i < val->yn_n; i++)
		cell_word(cl, ce, val->yn_keys[i], val->yn_vals[i]);
	if (cl->cl_d->d_nerrors == nerrors)
		cell_complete(cl, ce, val);
}

static void
cell_word(struct cells *cl, struct scenario_cell *ce, const struct ynode *key,
    const struct ynode *val)
{
	static const char *const words[] = { "value", "tolerance", "within",
		"missed", NULL };
	const char *name = key->yn_text;
	bool ratio = ce->ce_ratio != NULL;

	if (strcmp(name, "value") == 0) {
		number_load(cl, ce->ce_metric->km_name,
		    ratio ? UNIT_PERCENT : ce->ce_metric->km_unit, ratio, val,
		    &ce->ce_value);
	} else if (strcmp(name, "tolerance") == 0) {
		number_load(
		    cl, name, UNIT_PERCENT, false, val, &ce->ce_tolerance_pct);
	} else if (strcmp(name, "within") == 0) {
		ce->ce_by_ranges = true;
		if (val->yn_kind != YNODE_SCALAR ||
		    strcmp(val->yn_text, "ranges") != 0)
			diag_error(cl->cl_d, val->yn_at,
			    "within: want 'ranges', or 'tolerance: N%%' in its "
			    "place");
		else if (!ratio)
			diag_error(cl->cl_d, key->yn_at,
			    "within: only of ratios (ratio_to)");
		else if (cl->cl_sc->sc_ngroups == 0)
			diag_error(cl->cl_d, val->yn_at,
			    "within: this scenario has no 'ranges:'");
	} else if (strcmp(name, "missed") != 0) {
		scenario_unknown_word(key, words, false, cl->cl_d);
	} else if (val->yn_kind == YNODE_SCALAR && val->yn_text[0] != '\0') {
		ce->ce_missed = val->yn_text;
	} else {
		diag_error(cl->cl_d, val->yn_at, "missed: want the reason");
	}
}

static void
cell_complete(
    struct cells *cl, const struct scenario_cell *ce, const struct ynode *val)
{
	struct ynode *within = NULL, *tolerance = NULL;

	ynode_get(val, "within", &within);
	ynode_get(val, "tolerance", &tolerance);
	if (ynode_get(val, "value", NULL) == NULL)
		diag_error(cl->cl_d, val->yn_at, "%s: 'value' is missing",
		    ce->ce_metric->km_name);
	if (tolerance == NULL && within == NULL)
		diag_error(cl->cl_d, val->yn_at, "%s: 'tolerance' is missing",
		    ce->ce_metric->km_name);
	if (tolerance != NULL && within != NULL)
		diag_error(cl->cl_d, within->yn_at,
		    "%s: want 'tolerance' or 'within', not both",
		    ce->ce_metric->km_name);
}

/* A published number: any decimals, but more than nothing; a gain has a sign.
 */
static bool
number_load(struct cells *cl, const char *name, enum unit_kind unit,
    bool any_sign, const struct ynode *yn, double *value)
{
	struct unit_error ue;
	struct quantity q;

	if (yn->yn_kind != YNODE_SCALAR) {
		diag_error(cl->cl_d, yn->yn_at, "%s: want a value, not %s",
		    name, ynode_kind_name(yn));
		return false;
	}
	if (!unit_parse(unit, yn->yn_text, &q, &ue)) {
		diag_error(cl->cl_d, yn->yn_at, "%s: %s", name, ue.ue_text);
		return false;
	}
	if (q.q_real <= 0 && !any_sign) {
		diag_error(cl->cl_d, yn->yn_at, "%s: %s, want more than 0",
		    name, yn->yn_text);
		return false;
	}
	*value = q.q_real;
	return true;
}

static void
fitted_check(struct cells *cl, const struct entry *en)
{
	const struct ynode *fitted = en->en_fitted, *yn;

	if (fitted == NULL)
		return;
	if (en->en_ratio) {
		diag_error(cl->cl_d, fitted->yn_at,
		    "fitted: not of a ratio: costs are fitted to single "
		    "points");
		return;
	}
	if (fitted->yn_kind != YNODE_SEQ) {
		diag_error(cl->cl_d, fitted->yn_at,
		    "fitted: want a list of metrics, not %s",
		    ynode_kind_name(fitted));
		return;
	}
	for (size_t i = 0; i < fitted->yn_n; i++) {
		yn = fitted->yn_vals[i];
		if (yn->yn_kind != YNODE_SCALAR ||
		    metric_find(yn->yn_text) == NULL ||
		    ynode_get(en->en_map, yn->yn_text, NULL) == NULL)
			diag_error(cl->cl_d, yn->yn_at,
			    "fitted: want metrics that are published here");
	}
}

static bool
list_has(const struct ynode *list, const char *name)
{
	if (list == NULL || list->yn_kind != YNODE_SEQ)
		return false;
	for (size_t i = 0; i < list->yn_n; i++) {
		if (list->yn_vals[i]->yn_kind == YNODE_SCALAR &&
		    strcmp(list->yn_vals[i]->yn_text, name) == 0)
			return true;
	}
	return false;
}

static const struct key_metric *
metric_find(const char *name)
{
	for (size_t i = 0; i < key_metrics_n; i++) {
		if (strcmp(key_metrics[i].km_name, name) == 0)
			return &key_metrics[i];
	}
	return NULL;
}

void
scenario_unknown_word(const struct ynode *key, const char *const *words,
    bool metrics, struct diag *d)
{
	const char *names[32], *near;
	size_t n = 0;

	for (; *words != NULL; words++)
		names[n++] = *words;
	for (size_t i = 0; metrics && i < key_metrics_n; i++)
		names[n++] = key_metrics[i].km_name;
	near = diag_nearest(key->yn_text, names, n);
	diag_error(d, key->yn_at, "unknown key '%s'%s%s%s", key->yn_text,
	    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}
