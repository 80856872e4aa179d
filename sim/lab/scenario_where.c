#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lab/scenario_sweep.h"

/* What names the points is read for, and where errors go. */
struct finder {
	struct scenario *fi_sc;
	struct diag *fi_d;
};

static bool pairs_load(struct finder *, const struct ynode *map,
    const char *word, struct scenario_where *);
static bool pair_load(struct finder *, const char *word,
    struct scenario_where_pair *, const struct ynode *key,
    const struct ynode *val);
static bool twice(struct finder *, const char *word,
    const struct scenario_where_pair *, const struct ynode *key);
static void pairs_sort(struct scenario_where *);
static const char *pair_name(const struct scenario_where_pair *);
static const char *pair_short(
    struct scenario *, const struct scenario_where_pair *);
static const struct scenario_where_pair *pair_like(
    const struct scenario_where *, const struct scenario_where_pair *);
static void no_point(struct finder *, const int *want, struct diag_span);
static bool pair_is(
    const struct scenario_where_pair *, const struct scenario_axis *);
static bool pair_index(const struct scenario_where_pair *,
    const struct scenario_axis *, int *index);
static bool pair_equal(const struct scenario_where_pair *,
    const struct scenario_axis *, const struct scenario_value *);
static bool pair_base(
    struct finder *, const struct scenario_where_pair *, int point);

bool
scenario_where_load(struct scenario *sc, const struct ynode *map,
    const char *word, struct scenario_where *wh, struct diag *d)
{
	struct finder fi = { sc, d };

	*wh = (struct scenario_where){ .wh_text = "" };
	if (map != NULL && !pairs_load(&fi, map, word, wh))
		return false;
	pairs_sort(wh);
	for (int i = 0; i < wh->wh_n; i++)
		wh->wh_text = ypool_printf(&sc->sc_pool, "%s%s%s=%s",
		    wh->wh_text, i > 0 ? ", " : "",
		    pair_short(sc, &wh->wh_pairs[i]), wh->wh_pairs[i].wp_text);
	return true;
}

/* The text is what differs; what the map leaves out is as in `where`. */
bool
scenario_where_other(struct scenario *sc, const struct ynode *map,
    const struct scenario_where *where, struct scenario_where *other,
    struct diag *d)
{
	const struct scenario_where_pair *wp;
	struct finder fi = { sc, d };

	*other = (struct scenario_where){ .wh_text = "" };
	if (!pairs_load(&fi, map, "ratio_to", other))
		return false;
	pairs_sort(other);
	for (int i = 0; i < other->wh_n; i++) {
		wp = pair_like(where, &other->wh_pairs[i]);
		if (wp == NULL ||
		    strcmp(wp->wp_text, other->wh_pairs[i].wp_text) != 0)
			other->wh_text = ypool_printf(&sc->sc_pool, "%s%s%s=%s",
			    other->wh_text,
			    other->wh_text[0] != '\0' ? ", " : "",
			    pair_short(sc, &other->wh_pairs[i]),
			    other->wh_pairs[i].wp_text);
	}
	for (int i = 0; i < where->wh_n; i++) {
		if (pair_like(other, &where->wh_pairs[i]) == NULL)
			other->wh_pairs[other->wh_n++] = where->wh_pairs[i];
	}
	pairs_sort(other);
	return true;
}

struct scenario_param *
scenario_where_params(struct scenario *sc, const struct scenario_where *wh)
{
	struct scenario_param *params =
	    ypool_alloc(&sc->sc_pool, (wh->wh_n + 1) * sizeof(*params));

	for (int i = 0; i < wh->wh_n; i++) {
		const struct scenario_where_pair *wp = &wh->wh_pairs[i];

		params[i].pa_path = pair_name(wp);
		params[i].pa_short = pair_short(sc, wp);
		params[i].pa_value = wp->wp_text;
		params[i].pa_bare =
		    wp->wp_path != NULL &&
		    key_text_is_bare(wp->wp_path->sp_key, wp->wp_text);
	}
	return params;
}

/* Returns: false after errors. */
static bool
pairs_load(struct finder *fi, const struct ynode *map, const char *word,
    struct scenario_where *wh)
{
	bool ok = true;

	if (map->yn_kind != YNODE_MAP || map->yn_n > SCENARIO_MAX_WHERE) {
		diag_error(fi->fi_d, map->yn_at,
		    "%s: want a map of up to %d values", word,
		    SCENARIO_MAX_WHERE);
		return false;
	}
	for (size_t i = 0; i < map->yn_n; i++) {
		struct scenario_where_pair wp = { .wp_text = NULL };

		if (!pair_load(fi, word, &wp, map->yn_keys[i], map->yn_vals[i]))
			ok = false;
		else if (pair_like(wh, &wp) != NULL)
			ok = twice(fi, word, &wp, map->yn_keys[i]);
		else
			wh->wh_pairs[wh->wh_n++] = wp;
	}
	return ok;
}

/* Report a parameter that has two names, and both are there. Returns: false. */
static bool
twice(struct finder *fi, const char *word, const struct scenario_where_pair *wp,
    const struct ynode *key)
{
	diag_error(fi->fi_d, key->yn_at, "%s: '%s' is there twice", word,
	    pair_name(wp));
	return false;
}

/* Returns: false after an error. */
static bool
pair_load(struct finder *fi, const char *word, struct scenario_where_pair *wp,
    const struct ynode *key, const struct ynode *val)
{
	struct scenario *sc = fi->fi_sc;
	const struct scenario_value *va;
	const struct scenario_axis *ax;
	char buf[300];

	wp->wp_val = val;
	if (!scenario_param_find(sc, key->yn_text, key->yn_at, &wp->wp_path,
		&wp->wp_axis, fi->fi_d))
		return false;
	if (wp->wp_axis != NULL) {
		va = scenario_alternative(wp->wp_axis, val, fi->fi_d);
		wp->wp_text = va != NULL ? va->va_text : NULL;
		wp->wp_order = (size_t)(wp->wp_axis - sc->sc_axes);
		return va != NULL;
	}
	ax = scenario_axis_of(sc, wp->wp_path, NULL);
	if (ax != NULL && ax->ax_path == NULL) {
		diag_error(fi->fi_d, key->yn_at,
		    "%s: '%s' is set by the alternatives of '%s': name one "
		    "of them",
		    word, wp->wp_path->sp_name, ax->ax_name);
		return false;
	}
	if (!key_parse(wp->wp_path->sp_key, val, &wp->wp_value, fi->fi_d))
		return false;
	key_print(wp->wp_path->sp_key, &wp->wp_value, buf, sizeof(buf));
	wp->wp_text = ypool_strdup(&sc->sc_pool, buf);
	wp->wp_order = SCENARIO_MAX_AXES + (size_t)(wp->wp_path - sc->sc_paths);
	return true;
}

static int
pair_compare(const void *a, const void *b)
{
	const struct scenario_where_pair *x = a, *y = b;

	return (x->wp_order > y->wp_order) - (x->wp_order < y->wp_order);
}

/* First axes of alternatives, then paths in the order of their list. */
static void
pairs_sort(struct scenario_where *wh)
{
	qsort(wh->wh_pairs, wh->wh_n, sizeof(*wh->wh_pairs), pair_compare);
}

static const char *
pair_name(const struct scenario_where_pair *wp)
{
	return wp->wp_axis ? wp->wp_axis->ax_name : wp->wp_path->sp_name;
}

static const char *
pair_short(struct scenario *sc, const struct scenario_where_pair *wp)
{
	return wp->wp_axis ? wp->wp_axis->ax_short
			   : scenario_path_short(sc, wp->wp_path);
}

/* Returns: the pair about the same parameter, or NULL. */
static const struct scenario_where_pair *
pair_like(
    const struct scenario_where *wh, const struct scenario_where_pair *like)
{
	for (int i = 0; i < wh->wh_n; i++) {
		if (wh->wh_pairs[i].wp_axis == like->wp_axis &&
		    wh->wh_pairs[i].wp_path == like->wp_path)
			return &wh->wh_pairs[i];
	}
	return NULL;
}

const struct scenario_where_pair *
scenario_where_want(const struct scenario *sc, const struct scenario_where *wh,
    int *want, bool *used)
{
	const struct scenario_where_pair *lost = NULL;

	memset(used, 0, 2 * SCENARIO_MAX_WHERE * sizeof(*used));
	for (int a = 0; a < sc->sc_naxes; a++) {
		want[a] = SCENARIO_ANY;
		for (int i = 0; i < wh->wh_n; i++) {
			if (!pair_is(&wh->wh_pairs[i], &sc->sc_axes[a]))
				continue;
			used[i] = true;
			if (!pair_index(
				&wh->wh_pairs[i], &sc->sc_axes[a], &want[a]))
				lost = &wh->wh_pairs[i];
		}
	}
	return lost;
}

void
scenario_where_find(struct scenario *sc, struct scenario_where *wh,
    const char *word, struct diag_span at, struct diag *d)
{
	struct finder fi = { sc, d };
	const struct scenario_where_pair *lost;
	const struct scenario_axis *ax, *vague = NULL;
	bool used[2 * SCENARIO_MAX_WHERE];
	int want[SCENARIO_MAX_AXES], point;

	lost = scenario_where_want(sc, wh, want, used);
	for (int a = 0; a < sc->sc_naxes; a++) {
		ax = &sc->sc_axes[a];
		if (want[a] != SCENARIO_ANY)
			continue;
		want[a] = ax->ax_base;
		if (ax->ax_base < 0 && !ax->ax_listed && vague == NULL)
			vague = ax;
	}
	point =
	    lost == NULL && vague == NULL ? scenario_point_find(sc, want) : -1;
	for (int i = 0; i < wh->wh_n && point >= 0; i++) {
		if (!used[i] && !pair_base(&fi, &wh->wh_pairs[i], point))
			lost = &wh->wh_pairs[i];
	}
	wh->wh_point = lost == NULL ? point : -1;
	if (scenario_any_set(sc))
		return;
	if (lost != NULL)
		diag_error(d, lost->wp_val->yn_at,
		    "no point of the sweep has %s=%s", pair_name(lost),
		    lost->wp_text);
	else if (vague != NULL)
		diag_error(d, at,
		    "%s: name '%s', as its base value (%s) is not swept", word,
		    vague->ax_name, vague->ax_base_value.va_text);
	else if (point < 0)
		no_point(&fi, want, at);
}

/* Say that there is no point of all these values, and why. */
static void
no_point(struct finder *fi, const int *want, struct diag_span at)
{
	const struct ynode *left = scenario_left_out(fi->fi_sc, want);

	diag_error(fi->fi_d, at, "no point of the sweep has %s",
	    scenario_want_text(fi->fi_sc, want));
	if (left != NULL)
		diag_note(fi->fi_d, left->yn_at, "left out here");
}

static bool
pair_is(const struct scenario_where_pair *wp, const struct scenario_axis *ax)
{
	return ax->ax_path == NULL ? wp->wp_axis == ax
				   : wp->wp_path == ax->ax_path;
}

/*
 * Which value of its axis this is. What `points:` leaves out may be the base
 * value, -1. Returns: false when it is none.
 */
static bool
pair_index(const struct scenario_where_pair *wp, const struct scenario_axis *ax,
    int *index)
{
	const struct scenario_value *va;

	for (int k = ax->ax_listed ? -1 : 0; k < ax->ax_n; k++) {
		va = k < 0 ? &ax->ax_base_value : &ax->ax_values[k];
		if (!pair_equal(wp, ax, va))
			continue;
		*index = k < 0 ? ax->ax_base : k;
		return true;
	}
	return false;
}

static bool
pair_equal(const struct scenario_where_pair *wp, const struct scenario_axis *ax,
    const struct scenario_value *va)
{
	if (ax->ax_path == NULL)
		return strcmp(va->va_text, wp->wp_text) == 0;
	return va->va_n > 0 && key_equal(ax->ax_path->sp_key,
				   &va->va_settings[0].se_value, &wp->wp_value);
}

/* Whether a parameter that is not swept has this value at the point. */
static bool
pair_base(struct finder *fi, const struct scenario_where_pair *wp, int point)
{
	const struct scenario_path *sp = wp->wp_path;
	struct ypool yp = { NULL };
	const struct ynode *root, *yn;
	struct key_value kv;
	bool same;

	root = scenario_tree_point(fi->fi_sc, &yp, point);
	yn = scenario_tree_get(root, sp->sp_steps, sp->sp_nsteps);
	same = yn != NULL ? key_parse(sp->sp_key, yn, &kv, fi->fi_d)
			  : scenario_default(root, sp, &kv);
	same = same && key_equal(sp->sp_key, &kv, &wp->wp_value);
	ypool_fini(&yp);
	return same;
}
