/* `sweep:` of a scenario. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lab/scenario_sweep.h"

/* Keys of `sweep:` that are no parameters. */
static const char *const words[] = { "zip", "points", "leave_out" };

static bool is_word(const char *);
static bool slip_of(struct scenario *, const struct ynode *key, struct diag *);
static void values_load(struct scenario *, const struct ynode *key,
    struct ynode *val, struct diag *);
static void alternatives_load(struct scenario *, const struct ynode *key,
    const struct ynode *map, struct diag *);
static void alternative_load(struct scenario *, struct scenario_axis *,
    const struct ynode *key, const struct ynode *map, struct diag *);
static void setting_load(struct scenario *, const struct scenario_axis *,
    struct scenario_value *, const struct ynode *key, struct ynode *val,
    struct diag *);
static bool alternative_name_ok(const char *name);
static int axis_compare(const void *, const void *);

void
scenario_sweep_load(
    struct scenario *sc, const struct ynode *sweep, struct diag *d)
{
	int before, nerrors = d->d_nerrors;

	if (sweep == NULL)
		return;
	if (sweep->yn_kind != YNODE_MAP) {
		diag_error(d, sweep->yn_at, "sweep: want a map, not %s",
		    ynode_kind_name(sweep));
		return;
	}
	for (size_t i = 0; i < sweep->yn_n; i++) {
		before = sc->sc_naxes;
		if (is_word(sweep->yn_keys[i]->yn_text))
			continue;
		if (sweep->yn_vals[i]->yn_kind == YNODE_MAP)
			alternatives_load(
			    sc, sweep->yn_keys[i], sweep->yn_vals[i], d);
		else
			values_load(
			    sc, sweep->yn_keys[i], sweep->yn_vals[i], d);
		if (sc->sc_naxes > before)
			sc->sc_axes[before].ax_order =
			    (int)i * SCENARIO_MAX_AXES;
	}
	for (size_t i = 0; i < sweep->yn_n; i++) {
		if (strcmp(sweep->yn_keys[i]->yn_text, "points") == 0)
			scenario_listed_load(sc, sweep->yn_vals[i],
			    (int)i * SCENARIO_MAX_AXES, d);
	}
	qsort(sc->sc_axes, (size_t)sc->sc_naxes, sizeof(sc->sc_axes[0]),
	    axis_compare);
	if (d->d_nerrors == nerrors)
		scenario_zips_load(sc, ynode_get(sweep, "zip", NULL), d);
	for (int i = 0; i < sc->sc_naxes; i++)
		scenario_axis_once(sc, &sc->sc_axes[i], d);
}

static bool
is_word(const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i], text) == 0)
			return true;
	}
	return false;
}

static int
axis_compare(const void *a, const void *b)
{
	const struct scenario_axis *x = a, *y = b;

	return (x->ax_order > y->ax_order) - (x->ax_order < y->ax_order);
}

/* PATH: [V1, V2, ...] or PATH: RANGE */
static void
values_load(struct scenario *sc, const struct ynode *key, struct ynode *val,
    struct diag *d)
{
	const struct scenario_path *sp;
	struct scenario_axis *ax;
	bool range;

	if (slip_of(sc, key, d))
		return;
	sp = scenario_path_find(sc, key->yn_text, key->yn_at, d);
	if (sp == NULL)
		return;
	range = scenario_is_range(sp->sp_key, val);
	if (!range && (val->yn_kind != YNODE_SEQ || val->yn_n == 0)) {
		diag_error(d, val->yn_at, "%s: want a list of values%s",
		    key->yn_text,
		    scenario_takes_ranges(sp->sp_key) ? " or a range" : "");
		return;
	}
	if (scenario_is_swept(sc, sp, NULL, key->yn_at, d))
		return;
	ax = scenario_axis_add(sc, sp, sp->sp_name, key->yn_at, d);
	if (ax == NULL)
		return;
	if (range)
		scenario_axis_load(sc, ax, val, d);
	for (size_t v = 0; !range && v < val->yn_n; v++)
		scenario_axis_load(sc, ax, val->yn_vals[v], d);
}

/* Returns: true after an error: a word is meant. */
static bool
slip_of(struct scenario *sc, const struct ynode *key, struct diag *d)
{
	const char *near;

	if (scenario_path_like(sc, key->yn_text) != NULL)
		return false;
	near =
	    diag_nearest(key->yn_text, words, sizeof(words) / sizeof(words[0]));
	if (near != NULL)
		diag_error(d, key->yn_at,
		    "unknown parameter '%s', did you mean '%s'?", key->yn_text,
		    near);
	return near != NULL;
}

/* NAME: {ALTERNATIVE: {PATH: VALUE, ...}, ...} */
static void
alternatives_load(struct scenario *sc, const struct ynode *key,
    const struct ynode *map, struct diag *d)
{
	const struct scenario_path *sp = scenario_path_like(sc, key->yn_text);
	struct scenario_axis *ax;

	if (sp != NULL) {
		diag_error(d, key->yn_at,
		    "'%s' means %s: want a list of values, or another name for "
		    "alternatives",
		    key->yn_text, sp->sp_name);
		return;
	}
	if (!scenario_name_ok(key->yn_text)) {
		diag_error(d, key->yn_at,
		    "'%.40s' is not a name: up to 32 letters, digits, - and _, "
		    "a letter first",
		    key->yn_text);
		return;
	}
	if (map->yn_n == 0) {
		diag_error(d, map->yn_at,
		    "%s: want alternatives, as in NAME: {PATH: VALUE, ...}",
		    key->yn_text);
		return;
	}
	ax = scenario_axis_add(sc, NULL, key->yn_text, key->yn_at, d);
	if (ax == NULL)
		return;
	ax->ax_all = ypool_alloc(&sc->sc_pool, map->yn_n * sizeof(*ax->ax_all));
	for (size_t i = 0; i < map->yn_n; i++)
		alternative_load(sc, ax, map->yn_keys[i], map->yn_vals[i], d);
	for (int i = 0; i < ax->ax_nall; i++)
		scenario_axis_entry(
		    sc, ax, scenario_axis_put(sc, ax, &ax->ax_all[i]));
}

static void
alternative_load(struct scenario *sc, struct scenario_axis *ax,
    const struct ynode *key, const struct ynode *map, struct diag *d)
{
	struct scenario_value *va = &ax->ax_all[ax->ax_nall];
	int nerrors = d->d_nerrors;

	if (!alternative_name_ok(key->yn_text))
		diag_error(d, key->yn_at,
		    "%s: '%.70s' is not a name: up to 64 printable characters, "
		    "no comma or quote, no blank first or last",
		    ax->ax_name, key->yn_text);
	if (map->yn_kind != YNODE_MAP || map->yn_n == 0) {
		diag_error(d, map->yn_at,
		    "%s: '%.70s': want {PATH: VALUE, ...}", ax->ax_name,
		    key->yn_text);
		return;
	}
	va->va_text = key->yn_text;
	va->va_n = 0;
	va->va_settings =
	    ypool_alloc(&sc->sc_pool, map->yn_n * sizeof(*va->va_settings));
	for (size_t i = 0; i < map->yn_n; i++)
		setting_load(sc, ax, va, map->yn_keys[i], map->yn_vals[i], d);
	for (int i = 0; i < ax->ax_nall && d->d_nerrors == nerrors; i++) {
		if (scenario_value_equal(&ax->ax_all[i], va))
			diag_error(d, key->yn_at,
			    "%s: '%s' sets the same as '%s'", ax->ax_name,
			    va->va_text, ax->ax_all[i].va_text);
	}
	ax->ax_nall++;
}

static void
setting_load(struct scenario *sc, const struct scenario_axis *ax,
    struct scenario_value *va, const struct ynode *key, struct ynode *val,
    struct diag *d)
{
	struct scenario_setting *se = &va->va_settings[va->va_n];

	se->se_path = scenario_path_find(sc, key->yn_text, key->yn_at, d);
	se->se_node = val;
	if (se->se_path == NULL ||
	    scenario_is_swept(sc, se->se_path, ax, key->yn_at, d) ||
	    !key_parse(se->se_path->sp_key, val, &se->se_value, d))
		return;
	for (int i = 0; i < va->va_n; i++) {
		if (va->va_settings[i].se_path != se->se_path)
			continue;
		diag_error(
		    d, key->yn_at, "'%s' is set twice", se->se_path->sp_name);
		diag_note(d, va->va_settings[i].se_node->yn_at, "first here");
		return;
	}
	va->va_n++;
}

/* --set separates by commas, labels use quotes. */
static bool
alternative_name_ok(const char *name)
{
	size_t n = strlen(name);

	for (const char *s = name; *s != '\0'; s++) {
		if ((unsigned char)*s < ' ' || *s == ',' || *s == '"')
			return false;
	}
	return n > 0 && n <= 64 && name[0] != ' ' && name[n - 1] != ' ';
}

bool
scenario_is_swept(const struct scenario *sc, const struct scenario_path *sp,
    const struct scenario_axis *but, struct diag_span at, struct diag *d)
{
	const struct scenario_axis *ax = scenario_axis_of(sc, sp, but);

	if (ax == NULL)
		return false;
	diag_error(d, at, "'%s' is swept already", sp->sp_name);
	diag_note(d, ax->ax_at, "here");
	return true;
}
