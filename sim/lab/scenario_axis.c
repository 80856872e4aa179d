/* Axes and their values, whoever makes them. */
#include <stdio.h>
#include <string.h>

#include "sim/lab/scenario_sweep.h"

static int value_find(
    const struct scenario_axis *, const struct scenario_value *);
static void *grown(struct ypool *, void *array, int n, size_t size);
static void value_single(struct scenario *, const struct scenario_path *,
    const struct key_value *, struct ynode *, struct scenario_value *);

struct scenario_axis *
scenario_axis_add(struct scenario *sc, const struct scenario_path *sp,
    const char *name, struct diag_span at, struct diag *d)
{
	struct scenario_axis *ax;

	if (sc->sc_naxes == SCENARIO_MAX_AXES) {
		diag_error(d, at, "more than %d parameters swept or set",
		    SCENARIO_MAX_AXES);
		return NULL;
	}
	ax = &sc->sc_axes[sc->sc_naxes++];
	ax->ax_path = sp;
	ax->ax_name = name;
	ax->ax_short = sp != NULL ? scenario_path_short(sc, sp) : name;
	ax->ax_base_value.va_text = "";
	ax->ax_walk = sc->sc_nwalks++;
	ax->ax_at = at;
	return ax;
}

struct scenario_axis *
scenario_axis_meant(struct scenario *sc, const struct scenario_path *sp,
    const struct scenario_axis *named)
{
	for (int i = 0; i < sc->sc_naxes; i++) {
		if (named != NULL ? named == &sc->sc_axes[i]
				  : sc->sc_axes[i].ax_path == sp)
			return &sc->sc_axes[i];
	}
	return NULL;
}

void
scenario_axis_clear(struct scenario_axis *ax)
{
	ax->ax_n = ax->ax_nentries = 0;
	ax->ax_twice = NULL;
}

void
scenario_axis_load(struct scenario *sc, struct scenario_axis *ax,
    struct ynode *yn, struct diag *d)
{
	struct ynode **nodes = &yn;
	int n = 1, before, index;

	if (ax->ax_path != NULL && scenario_is_range(ax->ax_path->sp_key, yn))
		n = scenario_range(
		    ax->ax_path->sp_key, yn, &sc->sc_pool, &nodes, d);
	if (ax->ax_nentries + n > SCENARIO_MAX_POINTS) {
		diag_error(d, ax->ax_at, "%s: more than %d values",
		    ax->ax_short, SCENARIO_MAX_POINTS);
		return;
	}
	for (int i = 0; i < n; i++) {
		before = ax->ax_n;
		index = scenario_axis_read(sc, ax, nodes[i], d);
		if (index < 0)
			continue;
		scenario_axis_entry(sc, ax, index);
		if (ax->ax_n == before && ax->ax_twice == NULL)
			ax->ax_twice = nodes[i];
	}
}

int
scenario_axis_read(struct scenario *sc, struct scenario_axis *ax,
    struct ynode *yn, struct diag *d)
{
	const struct scenario_value *named;
	struct scenario_value va;
	struct key_value kv;

	if (ax->ax_path == NULL) {
		named = scenario_alternative(ax, yn, d);
		return named != NULL ? scenario_axis_put(sc, ax, named) : -1;
	}
	if (!key_parse(ax->ax_path->sp_key, yn, &kv, d))
		return -1;
	value_single(sc, ax->ax_path, &kv, yn, &va);
	return scenario_axis_put(sc, ax, &va);
}

int
scenario_axis_put(struct scenario *sc, struct scenario_axis *ax,
    const struct scenario_value *va)
{
	int i = value_find(ax, va);

	if (i >= 0)
		return i;
	ax->ax_values = grown(
	    &sc->sc_pool, ax->ax_values, ax->ax_n, sizeof(*ax->ax_values));
	ax->ax_values[ax->ax_n] = *va;
	return ax->ax_n++;
}

void
scenario_axis_entry(struct scenario *sc, struct scenario_axis *ax, int index)
{
	ax->ax_entries = grown(&sc->sc_pool, ax->ax_entries, ax->ax_nentries,
	    sizeof(*ax->ax_entries));
	ax->ax_entries[ax->ax_nentries++] = index;
}

/* Returns: an array with room for one more than n, from powers of two. */
static void *
grown(struct ypool *yp, void *array, int n, size_t size)
{
	void *more;

	if ((n & (n - 1)) != 0)
		return array;
	more = ypool_alloc(yp, (n > 0 ? 2 * (size_t)n : 1) * size);
	if (n > 0)
		memcpy(more, array, (size_t)n * size);
	return more;
}

/* Make *va one setting. */
static void
value_single(struct scenario *sc, const struct scenario_path *sp,
    const struct key_value *kv, struct ynode *yn, struct scenario_value *va)
{
	char buf[UNIT_TEXT_MAX + 200];

	key_print(sp->sp_key, kv, buf, sizeof(buf));
	va->va_text = ypool_strdup(&sc->sc_pool, buf);
	va->va_settings = ypool_alloc(&sc->sc_pool, sizeof(*va->va_settings));
	va->va_settings[0] = (struct scenario_setting){ sp, *kv, yn };
	va->va_n = 1;
}

/* Returns: the index of an equal value, or -1. */
static int
value_find(const struct scenario_axis *ax, const struct scenario_value *va)
{
	for (int i = 0; i < ax->ax_n; i++) {
		if (scenario_value_equal(&ax->ax_values[i], va))
			return i;
	}
	return -1;
}

bool
scenario_value_equal(
    const struct scenario_value *a, const struct scenario_value *b)
{
	const struct scenario_setting *x, *y;
	int same = 0;

	for (int i = 0; i < a->va_n; i++) {
		for (int k = 0; k < b->va_n; k++) {
			x = &a->va_settings[i];
			y = &b->va_settings[k];
			same += x->se_path == y->se_path &&
				key_equal(x->se_path->sp_key, &x->se_value,
				    &y->se_value);
		}
	}
	return same == a->va_n && same == b->va_n;
}

void
scenario_axis_once(
    const struct scenario *sc, const struct scenario_axis *ax, struct diag *d)
{
	if (ax->ax_twice == NULL || ax->ax_listed ||
	    scenario_axis_zipped(sc, ax) != NULL)
		return;
	diag_error(d, ax->ax_twice->yn_at, "%s: %s twice",
	    ax->ax_path ? key_name(ax->ax_path->sp_key) : ax->ax_name,
	    ax->ax_twice->yn_text);
}

const struct scenario_axis *
scenario_axis_zipped(const struct scenario *sc, const struct scenario_axis *ax)
{
	for (int i = 0; i < sc->sc_naxes; i++) {
		if (&sc->sc_axes[i] != ax && !ax->ax_listed &&
		    sc->sc_axes[i].ax_walk == ax->ax_walk)
			return &sc->sc_axes[i];
	}
	return NULL;
}

void
scenario_axis_base(struct scenario *sc, struct scenario_axis *ax,
    const struct ynode *extended, struct diag *d)
{
	const struct scenario_path *sp = ax->ax_path;
	struct ynode *yn = NULL;
	struct key_value kv;

	if (ax->ax_n == 0)
		return;
	ax->ax_base_value = ax->ax_values[0];
	if (sp == NULL && ax->ax_listed) {
		ax->ax_base_value = ax->ax_all[0];
	} else if (sp != NULL) {
		yn = scenario_tree_get(extended, sp->sp_steps, sp->sp_nsteps);
		if (yn != NULL && !key_parse(sp->sp_key, yn, &kv, d))
			return;
	}
	if (yn != NULL && !ax->ax_set)
		value_single(sc, sp, &kv, yn, &ax->ax_base_value);
	else if (sp != NULL && ax->ax_listed)
		ax->ax_base_value = (struct scenario_value){ .va_text = "" };
	ax->ax_base = value_find(ax, &ax->ax_base_value);
}

void
scenario_axis_default(
    struct scenario *sc, struct scenario_axis *ax, const struct ynode *root)
{
	enum scenario_origin from;
	struct key_value kv;

	if (ax->ax_path == NULL || ax->ax_base_value.va_n > 0)
		return;
	if (scenario_unwritten(sc, root, ax->ax_path, &kv, &from)) {
		value_single(sc, ax->ax_path, &kv, NULL, &ax->ax_base_value);
		ax->ax_base = value_find(ax, &ax->ax_base_value);
	} else {
		ax->ax_base_value.va_text = "null";
	}
}
