/*
 * The points of a sweep: an explicit table, for with zips, lists and what is
 * left out no formula gives a point's place.
 */
#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/scenario_sweep.h"

/* Axes walked together, as the table is made. */
struct walk {
	const struct scenario_axis *wa_first;
	int *wa_entries; /* which of its entries: each point once */
	int wa_n;
};

/* An entry of `leave_out:`. */
struct scenario_leave {
	const struct ynode *le_map;
	int le_want[SCENARIO_MAX_AXES];
	bool le_lost; /* no point can have it */
	int le_points;
};

static int walks_make(struct scenario *, struct walk *, struct diag *);
static void walk_make(struct scenario *, struct walk *, struct diag *);
static bool entries_same(
    const struct scenario *, const struct scenario_axis *first, int a, int b);
static void said_twice(struct scenario *, const struct scenario_axis *first,
    int a, int b, struct diag *);
static int count_points(
    struct scenario *, const struct walk *, int n, struct diag *);
static void table_fill(struct scenario *, const struct walk *, int n);
static void leaves_load(
    struct scenario *, const struct ynode *list, struct diag *);
static void leave_load(
    struct scenario *, const struct ynode *map, struct diag *);
static void leave_out(
    struct scenario *, const struct ynode *list, struct diag *);
static bool point_fits(const struct scenario *, int point, const int *want);
static int canonical(const struct scenario *, int axis, int index);
static short *row_of(const struct scenario *, int point);

bool
scenario_points_make(struct scenario *sc, struct diag *d)
{
	const struct ynode *sweep = ynode_get(sc->sc_tree, "sweep", NULL);
	const struct ynode *list = NULL;
	struct walk walks[SCENARIO_MAX_AXES];
	int n, nerrors = d->d_nerrors;

	n = walks_make(sc, walks, d);
	if (d->d_nerrors == nerrors)
		sc->sc_npoints = count_points(sc, walks, n, d);
	if (d->d_nerrors == nerrors)
		table_fill(sc, walks, n);
	if (sweep != NULL)
		list = ynode_get(sweep, "leave_out", NULL);
	if (list != NULL && d->d_nerrors == nerrors)
		leaves_load(sc, list, d);
	if (list != NULL && d->d_nerrors == nerrors)
		leave_out(sc, list, d);
	return d->d_nerrors == nerrors;
}

/* In the order of their first axes. Returns: how many. */
static int
walks_make(struct scenario *sc, struct walk *walks, struct diag *d)
{
	const struct scenario_axis *ax;
	int n = 0, w;

	for (int a = 0; a < sc->sc_naxes; a++) {
		ax = &sc->sc_axes[a];
		w = 0;
		while (w < n && walks[w].wa_first->ax_walk != ax->ax_walk)
			w++;
		if (w < n)
			continue;
		walks[n].wa_first = ax;
		walk_make(sc, &walks[n++], d);
	}
	return n;
}

/* With --set, entries that have become the same are one. */
static void
walk_make(struct scenario *sc, struct walk *wa, struct diag *d)
{
	int n = wa->wa_first->ax_nentries, before;

	wa->wa_n = 0;
	wa->wa_entries =
	    ypool_alloc(&sc->sc_pool, (size_t)n * sizeof(*wa->wa_entries));
	for (int i = 0; i < n; i++) {
		before = 0;
		while (before < i && !entries_same(sc, wa->wa_first, before, i))
			before++;
		if (before == i)
			wa->wa_entries[wa->wa_n++] = i;
		else if (!scenario_any_set(sc))
			said_twice(sc, wa->wa_first, before, i, d);
	}
}

static bool
entries_same(
    const struct scenario *sc, const struct scenario_axis *first, int a, int b)
{
	const struct scenario_axis *ax;

	for (int i = 0; i < sc->sc_naxes; i++) {
		ax = &sc->sc_axes[i];
		if (ax->ax_walk == first->ax_walk &&
		    canonical(sc, i, ax->ax_entries[a]) !=
			canonical(sc, i, ax->ax_entries[b]))
			return false;
	}
	return true;
}

static void
said_twice(struct scenario *sc, const struct scenario_axis *first, int a, int b,
    struct diag *d)
{
	const struct ynode *list;
	int want[SCENARIO_MAX_AXES] = { 0 };

	for (int i = 0; i < sc->sc_naxes; i++) {
		const struct scenario_axis *ax = &sc->sc_axes[i];

		want[i] = ax->ax_walk == first->ax_walk ? ax->ax_entries[b]
							: SCENARIO_ANY;
	}
	if (!first->ax_listed) {
		diag_error(d, first->ax_at, "zip: %s twice",
		    scenario_want_text(sc, want));
		return;
	}
	list = ynode_get(ynode_get(sc->sc_tree, "sweep", NULL), "points", NULL);
	diag_error(d, list->yn_vals[b]->yn_at, "points: %s twice",
	    scenario_want_text(sc, want));
	diag_note(d, list->yn_vals[a]->yn_at, "first here");
}

static int
count_points(
    struct scenario *sc, const struct walk *walks, int n, struct diag *d)
{
	int64_t total = 1;

	for (int i = 0; i < n && total <= SCENARIO_MAX_POINTS; i++)
		total *= walks[i].wa_n;
	if (total > SCENARIO_MAX_POINTS)
		diag_error(d, diag_whole(sc->sc_tree->yn_at.ds_file),
		    "sweep: more than %d points", SCENARIO_MAX_POINTS);
	return (int)total;
}

/* The last walk varies fastest. */
static void
table_fill(struct scenario *sc, const struct walk *walks, int n)
{
	int entry, rest;
	short *row;

	sc->sc_points =
	    sim_calloc((size_t)sc->sc_npoints * (size_t)(sc->sc_naxes + 1),
		sizeof(*sc->sc_points));
	for (int p = 0; p < sc->sc_npoints; p++) {
		row = row_of(sc, p);
		rest = p;
		for (int w = n - 1; w >= 0; w--) {
			entry = walks[w].wa_entries[rest % walks[w].wa_n];
			rest /= walks[w].wa_n;
			for (int a = 0; a < sc->sc_naxes; a++) {
				const struct scenario_axis *ax =
				    &sc->sc_axes[a];

				if (ax->ax_walk == walks[w].wa_first->ax_walk)
					row[a] = (short)ax->ax_entries[entry];
			}
		}
	}
}

/* leave_out: [{PATH: VALUE, ...}, ...] */
static void
leaves_load(struct scenario *sc, const struct ynode *list, struct diag *d)
{
	if (list->yn_kind != YNODE_SEQ || list->yn_n == 0) {
		diag_error(d, list->yn_at,
		    "leave_out: want a list of partial points, {PATH: VALUE, "
		    "...}");
		return;
	}
	sc->sc_leaves =
	    ypool_alloc(&sc->sc_pool, list->yn_n * sizeof(*sc->sc_leaves));
	for (size_t i = 0; i < list->yn_n; i++)
		leave_load(sc, list->yn_vals[i], d);
}

/* With --set the matrix is another one, and there may be nothing to leave. */
static void
leave_load(struct scenario *sc, const struct ynode *map, struct diag *d)
{
	struct scenario_leave *le = &sc->sc_leaves[sc->sc_nleaves];
	const struct scenario_where_pair *lost;
	struct scenario_where wh;
	bool used[2 * SCENARIO_MAX_WHERE], any = false;

	if (map->yn_kind != YNODE_MAP || map->yn_n == 0) {
		diag_error(d, map->yn_at, "leave_out: want {PATH: VALUE, ...}");
		return;
	}
	if (!scenario_where_load(sc, map, "leave_out", &wh, d))
		return;
	lost = scenario_where_want(sc, &wh, le->le_want, used);
	for (int i = 0; i < wh.wh_n; i++) {
		if (used[i])
			continue;
		diag_error(d, wh.wh_pairs[i].wp_val->yn_at,
		    "leave_out: '%s' is not swept",
		    wh.wh_pairs[i].wp_path->sp_name);
		return;
	}
	for (int p = 0; p < sc->sc_npoints && lost == NULL && !any; p++)
		any = point_fits(sc, p, le->le_want);
	le->le_map = map;
	if (any)
		sc->sc_nleaves++;
	else if (!scenario_any_set(sc))
		diag_error(d, map->yn_at,
		    "leave_out: no point of the sweep has %s", wh.wh_text);
}

/* Take the points out of the table. */
static void
leave_out(struct scenario *sc, const struct ynode *list, struct diag *d)
{
	size_t size = (size_t)sc->sc_naxes * sizeof(*sc->sc_points);
	int n = 0, l;

	for (int p = 0; p < sc->sc_npoints; p++) {
		l = 0;
		while (l < sc->sc_nleaves &&
		       !point_fits(sc, p, sc->sc_leaves[l].le_want))
			l++;
		if (l == sc->sc_nleaves)
			memmove(row_of(sc, n++), row_of(sc, p), size);
	}
	sc->sc_npoints = n;
	if (n == 0)
		diag_error(d, list->yn_at, "leave_out: no point is left");
}

bool
scenario_any_set(const struct scenario *sc)
{
	for (int i = 0; i < sc->sc_naxes; i++) {
		if (sc->sc_axes[i].ax_set)
			return true;
	}
	return false;
}

int
scenario_point_find(const struct scenario *sc, const int *want)
{
	for (int p = 0; p < sc->sc_npoints; p++) {
		if (point_fits(sc, p, want))
			return p;
	}
	return -1;
}

const struct ynode *
scenario_left_out(const struct scenario *sc, const int *want)
{
	for (int l = 0; l < sc->sc_nleaves; l++) {
		const int *left = sc->sc_leaves[l].le_want;
		int a = 0;

		while (a < sc->sc_naxes &&
		       (left[a] == SCENARIO_ANY || left[a] == want[a]))
			a++;
		if (a == sc->sc_naxes)
			return sc->sc_leaves[l].le_map;
	}
	return NULL;
}

static bool
point_fits(const struct scenario *sc, int point, const int *want)
{
	const short *row = row_of(sc, point);

	for (int a = 0; a < sc->sc_naxes; a++) {
		if (want[a] != SCENARIO_ANY &&
		    want[a] != canonical(sc, a, row[a]))
			return false;
	}
	return true;
}

/* A base value that is among the values has their index. */
static int
canonical(const struct scenario *sc, int axis, int index)
{
	return index < 0 ? sc->sc_axes[axis].ax_base : index;
}

const char *
scenario_want_text(struct scenario *sc, const int *want)
{
	const struct scenario_value *va;
	const struct scenario_axis *ax;
	const char *text = "";

	for (int a = 0; a < sc->sc_naxes; a++) {
		ax = &sc->sc_axes[a];
		if (want[a] == SCENARIO_ANY)
			continue;
		va = want[a] < 0 ? &ax->ax_base_value : &ax->ax_values[want[a]];
		text = ypool_printf(&sc->sc_pool, "%s%s%s=%s", text,
		    text[0] != '\0' ? ", " : "", ax->ax_short, va->va_text);
	}
	return text;
}

int
scenario_npoints(const struct scenario *sc)
{
	return sc->sc_npoints;
}

const struct scenario_value *
scenario_axis_value(const struct scenario *sc, int axis, int point)
{
	const struct scenario_axis *ax = &sc->sc_axes[axis];
	int index = -1;

	if (point != SCENARIO_BASE)
		index = row_of(sc, point)[axis];
	return index < 0 ? &ax->ax_base_value : &ax->ax_values[index];
}

static short *
row_of(const struct scenario *sc, int point)
{
	return sc->sc_points + (size_t)point * (size_t)sc->sc_naxes;
}
