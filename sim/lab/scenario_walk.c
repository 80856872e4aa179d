/* Axes that are walked together: `zip:` and `points:` of a sweep. */
#include <string.h>

#include "sim/lab/scenario_sweep.h"

/* `points:` while it is read. */
struct lister {
	struct scenario *li_sc;
	struct diag *li_d;
	const struct ynode *li_list;
	int li_order; /* of its next axis */
	int li_walk;  /* of its axes, -1: none yet */
};

static void zip_load(
    struct scenario *, const struct ynode *names, struct diag *);
static struct scenario_axis *zip_axis(
    struct scenario *, const struct ynode *name, struct diag *);
static void zip_lengths(const struct scenario_axis *first,
    const struct scenario_axis *, const struct ynode *name, struct diag *);
static void listed_entry(struct lister *, int entry);
static struct scenario_axis *listed_axis(
    struct lister *, const struct ynode *key);

/* zip: [[PATH, PATH, ...], ...] */
void
scenario_zips_load(
    struct scenario *sc, const struct ynode *zips, struct diag *d)
{
	int nerrors = d->d_nerrors;

	if (zips == NULL)
		return;
	if (zips->yn_kind != YNODE_SEQ || zips->yn_n == 0 ||
	    zips->yn_vals[0]->yn_kind != YNODE_SEQ) {
		diag_error(d, zips->yn_at,
		    "zip: want a list of lists of swept parameters, as in "
		    "[[object, workers]]");
		return;
	}
	for (size_t i = 0; i < zips->yn_n && d->d_nerrors == nerrors; i++)
		zip_load(sc, zips->yn_vals[i], d);
}

static void
zip_load(struct scenario *sc, const struct ynode *names, struct diag *d)
{
	struct scenario_axis *first = NULL, *ax;
	int nerrors = d->d_nerrors;

	if (names->yn_kind != YNODE_SEQ || names->yn_n < 2) {
		diag_error(d, names->yn_at,
		    "zip: want a list of at least two swept parameters");
		return;
	}
	for (size_t i = 0; i < names->yn_n; i++) {
		ax = zip_axis(sc, names->yn_vals[i], d);
		if (ax == NULL)
			return;
		if (ax == first || scenario_axis_zipped(sc, ax) != NULL)
			diag_error(d, names->yn_vals[i]->yn_at,
			    "zip: '%s' is there twice", ax->ax_name);
		else if (first == NULL)
			first = ax;
		else
			zip_lengths(first, ax, names->yn_vals[i], d);
		if (d->d_nerrors > nerrors)
			return;
		ax->ax_walk = first->ax_walk;
	}
}

/* Returns: the swept parameter of this name, or NULL after an error. */
static struct scenario_axis *
zip_axis(struct scenario *sc, const struct ynode *name, struct diag *d)
{
	const struct scenario_axis *found;
	const struct scenario_path *sp;
	struct scenario_axis *ax;

	if (name->yn_kind != YNODE_SCALAR) {
		diag_error(d, name->yn_at, "zip: want a parameter, not %s",
		    ynode_kind_name(name));
		return NULL;
	}
	if (!scenario_param_find(
		sc, name->yn_text, name->yn_at, &sp, &found, d))
		return NULL;
	ax = scenario_axis_meant(sc, sp, found);
	if (ax != NULL && !ax->ax_listed)
		return ax;
	diag_error(d, name->yn_at,
	    ax != NULL ? "zip: '%s' is in 'points' already"
		       : "zip: '%s' is not swept",
	    ax != NULL ? ax->ax_name : sp->sp_name);
	return NULL;
}

static void
zip_lengths(const struct scenario_axis *first, const struct scenario_axis *ax,
    const struct ynode *name, struct diag *d)
{
	if (ax->ax_nentries == first->ax_nentries)
		return;
	diag_error(d, name->yn_at, "zip: '%s' has %d values, but '%s' has %d",
	    ax->ax_short, ax->ax_nentries, first->ax_short, first->ax_nentries);
}

/* points: [{PATH: VALUE, ...}, ...] */
void
scenario_listed_load(
    struct scenario *sc, const struct ynode *list, int order, struct diag *d)
{
	struct lister li = { sc, d, list, order, -1 };

	if (list->yn_kind != YNODE_SEQ || list->yn_n == 0) {
		diag_error(d, list->yn_at,
		    "points: want a list of points, {PATH: VALUE, ...}");
		return;
	}
	for (size_t i = 0; i < list->yn_n; i++)
		listed_entry(&li, (int)i);
}

static void
listed_entry(struct lister *li, int entry)
{
	const struct ynode *map = li->li_list->yn_vals[entry];
	struct scenario_axis *ax;

	if (map->yn_kind != YNODE_MAP || map->yn_n == 0) {
		diag_error(
		    li->li_d, map->yn_at, "points: want {PATH: VALUE, ...}");
		return;
	}
	for (size_t i = 0; i < map->yn_n; i++) {
		ax = listed_axis(li, map->yn_keys[i]);
		if (ax == NULL)
			continue;
		if (ax->ax_entries[entry] >= 0)
			diag_error(li->li_d, map->yn_keys[i]->yn_at,
			    "points: '%s' is there twice", ax->ax_name);
		else
			ax->ax_entries[entry] = scenario_axis_read(
			    li->li_sc, ax, map->yn_vals[i], li->li_d);
	}
}

/*
 * Returns: the axis of a parameter, which has its base value in all entries
 * when this is the first to name it; NULL after an error.
 */
static struct scenario_axis *
listed_axis(struct lister *li, const struct ynode *key)
{
	struct scenario *sc = li->li_sc;
	const struct scenario_path *sp;
	const struct scenario_axis *found;
	struct scenario_axis *ax;

	if (!scenario_param_find(
		sc, key->yn_text, key->yn_at, &sp, &found, li->li_d))
		return NULL;
	ax = scenario_axis_meant(sc, sp, found);
	if (ax != NULL && ax->ax_listed)
		return ax;
	if (found == NULL) {
		if (scenario_is_swept(sc, sp, NULL, key->yn_at, li->li_d))
			return NULL;
		ax = scenario_axis_add(
		    sc, sp, sp->sp_name, key->yn_at, li->li_d);
	}
	if (ax == NULL)
		return NULL;
	scenario_axis_clear(ax);
	for (size_t i = 0; i < li->li_list->yn_n; i++)
		scenario_axis_entry(sc, ax, -1);
	if (li->li_walk < 0)
		li->li_walk = ax->ax_walk;
	ax->ax_walk = li->li_walk;
	ax->ax_listed = true;
	ax->ax_order = li->li_order++;
	return ax;
}
