#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/scenario_impl.h"

#define WHERE_MAX SCENARIO_MAX_AXES

/*
 * One `where: {PATH: VALUE, ...}`: first axes of alternatives, then paths in
 * the order of their list.
 */
struct where {
	int wh_n;
	struct where_pair {
		const struct scenario_axis *wp_axis; /* NULL: wp_path */
		const struct scenario_path *wp_path;
		struct key_value wp_value; /* of wp_path */
		const struct ynode *wp_val;
		const char *wp_text;
		size_t wp_order;
	} wh_pairs[WHERE_MAX];
	int wh_point;
	const char *wh_text;
};

struct cells {
	struct scenario *cl_sc;
	const struct ynode *cl_extended;
	struct diag *cl_d;
};

static void entry_load(struct cells *, const struct ynode *entry);
static bool where_load(struct cells *, const struct ynode *map, struct where *);
static bool pair_load(struct cells *, struct where_pair *,
    const struct ynode *key, const struct ynode *val);
static const char *pair_name(const struct where_pair *);
static const char *pair_short(struct cells *, const struct where_pair *);
static void where_point(struct cells *, struct where *, struct diag_span);
static bool pair_is(const struct where_pair *, const struct scenario_axis *);
static int pair_index(const struct where_pair *, const struct scenario_axis *);
static bool where_base(struct cells *, const struct where_pair *);
static void cell_load(struct cells *, const struct where *,
    const struct key_metric *, const struct ynode *key, const struct ynode *val,
    const struct ynode *fitted);
static void cell_numbers(
    struct cells *, struct scenario_cell *, const struct ynode *val);
static bool number_load(struct cells *, const char *name, enum unit_kind,
    const struct ynode *, double *);
static void fitted_check(
    struct cells *, const struct ynode *entry, const struct ynode *fitted);
static bool list_has(const struct ynode *list, const char *name);
static const struct key_metric *metric_find(const char *name);
static void unknown_in(struct cells *, const struct ynode *key,
    const char *const *words, bool metrics);
static void fit_load(struct cells *, const struct ynode *entry);
static void fit_cost(
    struct cells *, struct scenario_fit *, const struct ynode *);
static void fit_range(
    struct cells *, struct scenario_fit *, const struct ynode *);
static void fit_cell(
    struct cells *, struct scenario_fit *, const struct ynode *);
static const struct ynode *list_get(struct cells *, const char *name);

void
scenario_cells_load(
    struct scenario *sc, const struct ynode *extended, struct diag *d)
{
	struct cells cl = { sc, extended, d };
	const struct ynode *list;
	int nerrors = d->d_nerrors;

	list = list_get(&cl, "published");
	for (size_t i = 0; list != NULL && i < list->yn_n; i++)
		entry_load(&cl, list->yn_vals[i]);
	list = list_get(&cl, "fit");
	for (size_t i = 0; list != NULL && i < list->yn_n; i++) {
		if (d->d_nerrors == nerrors)
			fit_load(&cl, list->yn_vals[i]);
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
entry_load(struct cells *cl, const struct ynode *entry)
{
	static const char *const words[] = { "where", "fitted", NULL };
	const struct ynode *fitted = ynode_get(entry, "fitted", NULL), *key;
	const struct ynode *map = ynode_get(entry, "where", NULL);
	const struct key_metric *km;
	struct where wh = { 0 };

	if (entry->yn_kind != YNODE_MAP) {
		diag_error(cl->cl_d, entry->yn_at,
		    "published: want a map, not %s", ynode_kind_name(entry));
		return;
	}
	if (!where_load(cl, map, &wh))
		return;
	where_point(cl, &wh, map != NULL ? map->yn_at : entry->yn_at);
	fitted_check(cl, entry, fitted);
	for (size_t i = 0; i < entry->yn_n; i++) {
		key = entry->yn_keys[i];
		km = metric_find(key->yn_text);
		if (km != NULL)
			cell_load(cl, &wh, km, key, entry->yn_vals[i], fitted);
		else if (strcmp(key->yn_text, "where") != 0 &&
			 strcmp(key->yn_text, "fitted") != 0)
			unknown_in(cl, key, words, true);
	}
}

static int
pair_compare(const void *a, const void *b)
{
	const struct where_pair *x = a, *y = b;

	return (x->wp_order > y->wp_order) - (x->wp_order < y->wp_order);
}

/* Returns: false after errors. No map is an empty one. */
static bool
where_load(struct cells *cl, const struct ynode *map, struct where *wh)
{
	struct ypool *yp = &cl->cl_sc->sc_pool;
	bool ok = true;

	wh->wh_text = "";
	if (map == NULL)
		return true;
	if (map->yn_kind != YNODE_MAP || map->yn_n > WHERE_MAX) {
		diag_error(cl->cl_d, map->yn_at,
		    "where: want a map of up to %d values", WHERE_MAX);
		return false;
	}
	for (size_t i = 0; i < map->yn_n; i++)
		ok &= pair_load(cl, &wh->wh_pairs[wh->wh_n++], map->yn_keys[i],
		    map->yn_vals[i]);
	if (!ok)
		return false;
	qsort(wh->wh_pairs, wh->wh_n, sizeof(*wh->wh_pairs), pair_compare);
	for (int i = 0; i < wh->wh_n; i++)
		wh->wh_text = ypool_printf(yp, "%s%s%s=%s", wh->wh_text,
		    i > 0 ? ", " : "", pair_short(cl, &wh->wh_pairs[i]),
		    wh->wh_pairs[i].wp_text);
	return true;
}

/* Returns: false after an error. */
static bool
pair_load(struct cells *cl, struct where_pair *wp, const struct ynode *key,
    const struct ynode *val)
{
	struct scenario *sc = cl->cl_sc;
	const struct scenario_value *va;
	const struct scenario_axis *ax;
	char buf[300];

	wp->wp_val = val;
	if (!scenario_param_find(sc, key->yn_text, key->yn_at, &wp->wp_path,
		&wp->wp_axis, cl->cl_d))
		return false;
	if (wp->wp_axis != NULL) {
		va = scenario_alternative(wp->wp_axis, val, cl->cl_d);
		wp->wp_text = va != NULL ? va->va_text : NULL;
		wp->wp_order = (size_t)(wp->wp_axis - sc->sc_axes);
		return va != NULL;
	}
	ax = scenario_axis_of(sc, wp->wp_path, NULL);
	if (ax != NULL && ax->ax_path == NULL) {
		diag_error(cl->cl_d, key->yn_at,
		    "where: '%s' is set by the alternatives of '%s': name one "
		    "of them",
		    wp->wp_path->sp_name, ax->ax_name);
		return false;
	}
	if (!key_parse(wp->wp_path->sp_key, val, &wp->wp_value, cl->cl_d))
		return false;
	key_print(wp->wp_path->sp_key, &wp->wp_value, buf, sizeof(buf));
	wp->wp_text = ypool_strdup(&sc->sc_pool, buf);
	wp->wp_order = SCENARIO_MAX_AXES + (size_t)(wp->wp_path - sc->sc_paths);
	return true;
}

static const char *
pair_name(const struct where_pair *wp)
{
	return wp->wp_axis ? wp->wp_axis->ax_name : wp->wp_path->sp_name;
}

static const char *
pair_short(struct cells *cl, const struct where_pair *wp)
{
	return wp->wp_axis ? wp->wp_axis->ax_short
			   : scenario_path_short(cl->cl_sc, wp->wp_path);
}

/*
 * Find the point of the sweep. With --set the matrix is another one, and a cell
 * may have no place in it; without, that is an error.
 */
static void
where_point(struct cells *cl, struct where *wh, struct diag_span at)
{
	const struct scenario *sc = cl->cl_sc;
	const struct where_pair *lost = NULL;
	const struct scenario_axis *ax, *vague = NULL;
	bool used[WHERE_MAX] = { false }, set = false;
	int point = 0, k;

	for (int a = 0; a < sc->sc_naxes; a++) {
		ax = &sc->sc_axes[a];
		set = set || ax->ax_set;
		k = ax->ax_base;
		for (int i = 0; i < wh->wh_n; i++) {
			if (!pair_is(&wh->wh_pairs[i], ax))
				continue;
			used[i] = true;
			k = pair_index(&wh->wh_pairs[i], ax);
			lost = k < 0 ? &wh->wh_pairs[i] : lost;
		}
		vague = k < 0 && lost == NULL ? ax : vague;
		point = point * ax->ax_n + (k < 0 ? 0 : k);
	}
	for (int i = 0; i < wh->wh_n; i++) {
		if (!used[i] && !where_base(cl, &wh->wh_pairs[i]))
			lost = &wh->wh_pairs[i];
	}
	wh->wh_point = lost != NULL || vague != NULL ? -1 : point;
	if (set)
		return;
	if (lost != NULL)
		diag_error(cl->cl_d, lost->wp_val->yn_at,
		    "no point of the sweep has %s=%s", pair_name(lost),
		    lost->wp_text);
	else if (vague != NULL)
		diag_error(cl->cl_d, at,
		    "where: name '%s', as its base value (%s) is not swept",
		    vague->ax_name, vague->ax_base_value.va_text);
}

static bool
pair_is(const struct where_pair *wp, const struct scenario_axis *ax)
{
	return ax->ax_path == NULL ? wp->wp_axis == ax
				   : wp->wp_path == ax->ax_path;
}

/* Returns: which value of its axis this is, or -1. */
static int
pair_index(const struct where_pair *wp, const struct scenario_axis *ax)
{
	const struct scenario_value *va;
	int k = ax->ax_n - 1;

	for (; k >= 0; k--) {
		va = &ax->ax_values[k];
		if (ax->ax_path == NULL
			? strcmp(va->va_text, wp->wp_text) == 0
			: key_equal(ax->ax_path->sp_key,
			      &va->va_settings[0].se_value, &wp->wp_value))
			break;
	}
	return k;
}

/* Whether a parameter that is not swept has this value. */
static bool
where_base(struct cells *cl, const struct where_pair *wp)
{
	const struct scenario_path *sp = wp->wp_path;
	const struct ynode *yn =
	    scenario_tree_get(cl->cl_extended, sp->sp_steps, sp->sp_nsteps);
	struct key_value kv;

	if (yn != NULL && !key_parse(sp->sp_key, yn, &kv, cl->cl_d))
		return false;
	if (yn == NULL && sp->sp_key->k_default == NULL)
		return false; /* a cost from the profile */
	if (yn == NULL)
		key_default(sp->sp_key, &kv);
	return key_equal(sp->sp_key, &kv, &wp->wp_value);
}

static void
cell_load(struct cells *cl, const struct where *wh, const struct key_metric *km,
    const struct ynode *key, const struct ynode *val,
    const struct ynode *fitted)
{
	struct scenario *sc = cl->cl_sc;
	struct scenario_cell *ce;

	if (val->yn_kind != YNODE_MAP) {
		diag_error(cl->cl_d, val->yn_at,
		    "%s: want {value: ..., tolerance: ...}", key->yn_text);
		return;
	}
	for (int i = 0; i < sc->sc_ncells; i++) {
		if (sc->sc_cells[i].ce_metric == km &&
		    strcmp(sc->sc_cells[i].ce_where, wh->wh_text) == 0) {
			diag_error(cl->cl_d, key->yn_at,
			    "%s at %s is published twice", key->yn_text,
			    wh->wh_text[0] ? wh->wh_text : "base");
			return;
		}
	}
	sc->sc_cells =
	    sim_realloc(sc->sc_cells, sc->sc_ncells + 1, sizeof(*sc->sc_cells));
	ce = &sc->sc_cells[sc->sc_ncells++];
	memset(ce, 0, sizeof(*ce));
	ce->ce_point = wh->wh_point;
	ce->ce_where = wh->wh_text;
	ce->ce_nparams = wh->wh_n;
	ce->ce_params =
	    ypool_alloc(&sc->sc_pool, (wh->wh_n + 1) * sizeof(*ce->ce_params));
	for (int i = 0; i < wh->wh_n; i++) {
		const struct where_pair *wp = &wh->wh_pairs[i];

		ce->ce_params[i].pa_path = pair_name(wp);
		ce->ce_params[i].pa_short = pair_short(cl, wp);
		ce->ce_params[i].pa_value = wp->wp_text;
		ce->ce_params[i].pa_bare =
		    wp->wp_path != NULL && key_is_bare(wp->wp_path->sp_key);
	}
	ce->ce_metric = km;
	ce->ce_fitted = list_has(fitted, km->km_name);
	cell_numbers(cl, ce, val);
}

static void
cell_numbers(
    struct cells *cl, struct scenario_cell *ce, const struct ynode *val)
{
	static const char *const words[] = { "value", "tolerance", "missed",
		NULL };
	const char *name;

	for (size_t i = 0; i < val->yn_n; i++) {
		name = val->yn_keys[i]->yn_text;
		if (strcmp(name, "value") == 0)
			number_load(cl, ce->ce_metric->km_name,
			    ce->ce_metric->km_unit, val->yn_vals[i],
			    &ce->ce_value);
		else if (strcmp(name, "tolerance") == 0)
			number_load(cl, name, UNIT_PERCENT, val->yn_vals[i],
			    &ce->ce_tolerance_pct);
		else if (strcmp(name, "missed") != 0)
			unknown_in(cl, val->yn_keys[i], words, false);
		else if (val->yn_vals[i]->yn_kind == YNODE_SCALAR &&
			 val->yn_vals[i]->yn_text[0] != '\0')
			ce->ce_missed = val->yn_vals[i]->yn_text;
		else
			diag_error(cl->cl_d, val->yn_vals[i]->yn_at,
			    "missed: want the reason");
	}
	for (int i = 0; i < 2; i++) {
		if (ynode_get(val, words[i], NULL) == NULL)
			diag_error(cl->cl_d, val->yn_at, "%s: '%s' is missing",
			    ce->ce_metric->km_name, words[i]);
	}
}

/* A published number: any decimals, but more than nothing. */
static bool
number_load(struct cells *cl, const char *name, enum unit_kind unit,
    const struct ynode *yn, double *value)
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
	if (q.q_real <= 0) {
		diag_error(cl->cl_d, yn->yn_at, "%s: %s, want more than 0",
		    name, yn->yn_text);
		return false;
	}
	*value = q.q_real;
	return true;
}

static void
fitted_check(
    struct cells *cl, const struct ynode *entry, const struct ynode *fitted)
{
	const struct ynode *yn;

	if (fitted == NULL)
		return;
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
		    ynode_get(entry, yn->yn_text, NULL) == NULL)
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

static void
unknown_in(struct cells *cl, const struct ynode *key, const char *const *words,
    bool metrics)
{
	const char *names[32], *near;
	size_t n = 0;

	for (; *words != NULL; words++)
		names[n++] = *words;
	for (size_t i = 0; metrics && i < key_metrics_n; i++)
		names[n++] = key_metrics[i].km_name;
	near = diag_nearest(key->yn_text, names, n);
	diag_error(cl->cl_d, key->yn_at, "unknown key '%s'%s%s%s", key->yn_text,
	    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void
fit_load(struct cells *cl, const struct ynode *entry)
{
	static const char *const words[] = { "cost", "range", "cell", NULL };
	struct scenario *sc = cl->cl_sc;
	const struct ynode *parts[3] = { NULL };
	struct scenario_fit fi = { 0 };
	int nerrors = cl->cl_d->d_nerrors;

	if (entry->yn_kind != YNODE_MAP) {
		diag_error(cl->cl_d, entry->yn_at, "fit: want a map, not %s",
		    ynode_kind_name(entry));
		return;
	}
	for (int i = 0; i < 3; i++) {
		parts[i] = ynode_get(entry, words[i], NULL);
		if (parts[i] == NULL)
			diag_error(cl->cl_d, entry->yn_at,
			    "fit: '%s' is missing", words[i]);
	}
	for (size_t i = 0; i < entry->yn_n; i++) {
		if (entry->yn_vals[i] != parts[0] &&
		    entry->yn_vals[i] != parts[1] &&
		    entry->yn_vals[i] != parts[2])
			unknown_in(cl, entry->yn_keys[i], words, false);
	}
	if (cl->cl_d->d_nerrors == nerrors)
		fit_cost(cl, &fi, parts[0]);
	if (cl->cl_d->d_nerrors == nerrors)
		fit_range(cl, &fi, parts[1]);
	if (cl->cl_d->d_nerrors == nerrors)
		fit_cell(cl, &fi, parts[2]);
	if (cl->cl_d->d_nerrors > nerrors)
		return;
	sc->sc_fits =
	    sim_realloc(sc->sc_fits, sc->sc_nfits + 1, sizeof(*sc->sc_fits));
	sc->sc_fits[sc->sc_nfits++] = fi;
}

static void
fit_cost(struct cells *cl, struct scenario_fit *fi, const struct ynode *yn)
{
	const struct setup *su = &cl->cl_sc->sc_setup;
	const struct scenario_path *sp = NULL;

	if (yn->yn_kind == YNODE_SCALAR)
		sp = scenario_path_find(
		    cl->cl_sc, yn->yn_text, yn->yn_at, cl->cl_d);
	if (sp == NULL || sp->sp_key->k_scope != KEY_OF_HARDWARE ||
	    sp->sp_key->k_store != STORE_INT64) {
		if (yn->yn_kind != YNODE_SCALAR || sp != NULL)
			diag_error(cl->cl_d, yn->yn_at,
			    "cost: want the path of a cost, as in "
			    "server.hardware.ngx_request");
		return;
	}
	fi->fi_key = sp->sp_key;
	fi->fi_path = sp->sp_name;
	fi->fi_cost = key_name(sp->sp_key);
	for (int i = 0; i < su->su_nmachines; i++) {
		if (strcmp(su->su_machines[i].sm_name, sp->sp_steps[1]) == 0)
			fi->fi_profile = su->su_machines[i].sm_hw.hw_name;
	}
	for (int i = 0; i < su->su_npeers; i++) {
		if (strcmp(su->su_peers[i].pe_name, sp->sp_steps[1]) == 0)
			fi->fi_profile = su->su_peers[i].pe_hw.hw_name;
	}
}

/* LOW..HIGH, both with units. */
static void
fit_range(struct cells *cl, struct scenario_fit *fi, const struct ynode *yn)
{
	struct ypool *yp = &cl->cl_sc->sc_pool;
	struct key_value lo, hi;
	struct diag_span at = yn->yn_at;
	char *text, *dots;

	text = ypool_strdup(yp, yn->yn_kind == YNODE_SCALAR ? yn->yn_text : "");
	dots = strstr(text, "..");
	if (dots == NULL) {
		diag_error(
		    cl->cl_d, at, "range: want LOW..HIGH, as in 5us..80us");
		return;
	}
	*dots = '\0';
	if (!key_parse(fi->fi_key, ynode_scalar(yp, text, at), &lo, cl->cl_d))
		return;
	if (!yn->yn_quoted)
		at.ds_col += (int)(dots + 2 - text);
	at.ds_width = 1;
	if (!key_parse(
		fi->fi_key, ynode_scalar(yp, dots + 2, at), &hi, cl->cl_d))
		return;
	fi->fi_min = lo.kv_int;
	fi->fi_max = hi.kv_int;
	if (fi->fi_min <= 0 || fi->fi_min >= fi->fi_max)
		diag_error(cl->cl_d, yn->yn_at,
		    "range: %s, want 0 < LOW < HIGH", yn->yn_text);
}

static void
fit_cell(struct cells *cl, struct scenario_fit *fi, const struct ynode *yn)
{
	const struct scenario *sc = cl->cl_sc;
	const struct ynode *map = ynode_get(yn, "where", NULL), *metric;
	struct where wh = { 0 };

	metric = ynode_get(yn, "metric", NULL);
	if (metric == NULL || metric->yn_kind != YNODE_SCALAR ||
	    yn->yn_n > (map != NULL ? 2 : 1)) {
		diag_error(cl->cl_d, yn->yn_at,
		    "cell: want {where: {...}, metric: ...}");
		return;
	}
	if (!where_load(cl, map, &wh))
		return;
	for (int i = 0; i < sc->sc_ncells; i++) {
		const struct scenario_cell *ce = &sc->sc_cells[i];

		if (strcmp(ce->ce_metric->km_name, metric->yn_text) != 0 ||
		    strcmp(ce->ce_where, wh.wh_text) != 0)
			continue;
		fi->fi_cell = i;
		if (!ce->ce_fitted)
			diag_error(cl->cl_d, metric->yn_at,
			    "cell: its `published:` entry does not say "
			    "fitted: [%s]",
			    metric->yn_text);
		return;
	}
	diag_error(cl->cl_d, yn->yn_at, "cell: nothing published for %s at %s",
	    metric->yn_text, wh.wh_text[0] ? wh.wh_text : "base");
}
