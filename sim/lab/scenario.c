#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/scenario_impl.h"

#define COMMAND_LINE "<command line>"

static char *name_of(const char *file);
static void sweep_load(
    struct scenario *, const struct ynode *sweep, struct diag *);
static void values_load(struct scenario *, const struct ynode *key,
    const struct ynode *list, struct diag *);
static void alternatives_load(struct scenario *, const struct ynode *key,
    const struct ynode *map, struct diag *);
static void alternative_load(struct scenario *, struct scenario_axis *,
    const struct ynode *key, const struct ynode *map, struct diag *);
static void setting_load(struct scenario *, const struct scenario_axis *,
    struct scenario_value *, const struct ynode *key, struct ynode *val,
    struct diag *);
static bool alternative_name_ok(const char *name);
static bool is_swept(const struct scenario *, const struct scenario_path *,
    const struct scenario_axis *but, struct diag_span, struct diag *);
static void set_load(struct scenario *, const char *set, struct diag *);
static struct scenario_axis *set_axis(
    struct scenario *, const char *name, struct diag_span, struct diag *);
static struct scenario_axis *axis_add(struct scenario *,
    const struct scenario_path *, const char *name, struct diag_span,
    struct diag *);
static void axis_room(struct scenario *, struct scenario_axis *, size_t n);
static void axis_value(
    struct scenario *, struct scenario_axis *, struct ynode *, struct diag *);
static void value_single(struct scenario *, const struct scenario_path *,
    const struct key_value *, struct ynode *, struct scenario_value *);
static bool value_equal(
    const struct scenario_value *, const struct scenario_value *);
static void axis_base(struct scenario *, struct scenario_axis *,
    const struct ynode *extended, struct diag *);
static void sources_keep(struct scenario *, const struct diag *);
static bool count_points(struct scenario *, struct diag *);
static void check_points(struct scenario *, struct diag *);
static struct ynode *overridden(
    const struct scenario *, struct ypool *, int point);
static void resolve(
    struct scenario *, int point, struct setup *, bool check, struct diag *);

struct scenario *
scenario_load(const char *file, const char *const *sets, int nsets,
    const char *hardware_dir, struct diag *d)
{
	struct scenario *sc = sim_calloc(1, sizeof(*sc));
	struct ynode *extended;
	int nerrors = d->d_nerrors;

	sc->sc_file = sim_strdup(file);
	sc->sc_name = name_of(file);
	if (hardware_dir != NULL)
		sc->sc_hardware_dir = sim_strdup(hardware_dir);
	sc->sc_tree = scenario_tree_load(sc, file, d);
	if (sc->sc_tree == NULL)
		goto fail;
	extended = ynode_clone(&sc->sc_pool, sc->sc_tree);
	scenario_tree_extend(&sc->sc_pool, extended, d);
	if (d->d_nerrors > nerrors)
		goto fail;
	scenario_paths_make(sc, extended);
	sweep_load(sc, ynode_get(sc->sc_tree, "sweep", NULL), d);
	for (int i = 0; i < nsets; i++)
		set_load(sc, sets[i], d);
	for (int i = 0; i < sc->sc_naxes; i++)
		axis_base(sc, &sc->sc_axes[i], extended, d);
	resolve(sc, SCENARIO_BASE, &sc->sc_setup, d->d_nerrors == nerrors, d);
	if (d->d_nerrors > nerrors || !count_points(sc, d))
		goto fail;
	check_points(sc, d);
	if (d->d_nerrors == nerrors)
		scenario_groups_load(sc, d);
	if (d->d_nerrors == nerrors)
		scenario_cells_load(sc, d);
	if (d->d_nerrors == nerrors) {
		sources_keep(sc, d);
		return sc;
	}
fail:
	scenario_destroy(sc);
	return NULL;
}

/* Every file once. The diag lists the last one first. */
static void
sources_keep(struct scenario *sc, const struct diag *d)
{
	int n = 0, i;

	for (const struct diag_file *df = d->d_files; df; df = df->df_next)
		n += strcmp(df->df_name, COMMAND_LINE) != 0;
	sc->sc_sources = ypool_alloc(
	    &sc->sc_pool, ((size_t)n + 1) * sizeof(*sc->sc_sources));
	sc->sc_nsources = n;
	i = n;
	for (const struct diag_file *df = d->d_files; df; df = df->df_next) {
		char *text;

		if (strcmp(df->df_name, COMMAND_LINE) == 0)
			continue;
		text = ypool_alloc(&sc->sc_pool, df->df_size + 1);
		memcpy(text, df->df_text, df->df_size + 1);
		sc->sc_sources[--i] = (struct scenario_source){
			ypool_strdup(&sc->sc_pool, df->df_name), text,
			df->df_size
		};
	}
}

void
scenario_destroy(struct scenario *sc)
{
	struct hardware *ha;

	if (sc == NULL)
		return;
	while ((ha = sc->sc_hardware) != NULL) {
		sc->sc_hardware = ha->ha_next;
		hardware_destroy(ha);
	}
	ypool_fini(&sc->sc_pool);
	sim_free(sc->sc_paths);
	sim_free(sc->sc_cells);
	sim_free(sc->sc_fits);
	sim_free(sc->sc_groups);
	sim_free(sc->sc_hardware_dir);
	sim_free(sc->sc_name);
	sim_free(sc->sc_file);
	sim_free(sc);
}

static char *
name_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *name = sim_strdup(slash != NULL ? slash + 1 : file);
	size_t n = strlen(name);

	if (n > 5 && strcmp(name + n - 5, ".yaml") == 0)
		name[n - 5] = '\0';
	return name;
}

static void
sweep_load(struct scenario *sc, const struct ynode *sweep, struct diag *d)
{
	if (sweep == NULL)
		return;
	if (sweep->yn_kind != YNODE_MAP) {
		diag_error(d, sweep->yn_at, "sweep: want a map, not %s",
		    ynode_kind_name(sweep));
		return;
	}
	for (size_t i = 0; i < sweep->yn_n; i++) {
		if (sweep->yn_vals[i]->yn_kind == YNODE_MAP)
			alternatives_load(
			    sc, sweep->yn_keys[i], sweep->yn_vals[i], d);
		else
			values_load(
			    sc, sweep->yn_keys[i], sweep->yn_vals[i], d);
	}
}

/* PATH: [V1, V2, ...] */
static void
values_load(struct scenario *sc, const struct ynode *key,
    const struct ynode *list, struct diag *d)
{
	const struct scenario_path *sp;
	struct scenario_axis *ax;

	sp = scenario_path_find(sc, key->yn_text, key->yn_at, d);
	if (list->yn_kind != YNODE_SEQ || list->yn_n == 0) {
		diag_error(
		    d, list->yn_at, "%s: want a list of values", key->yn_text);
		return;
	}
	if (sp == NULL || is_swept(sc, sp, NULL, key->yn_at, d))
		return;
	ax = axis_add(sc, sp, sp->sp_name, key->yn_at, d);
	if (ax == NULL)
		return;
	axis_room(sc, ax, list->yn_n);
	for (size_t v = 0; v < list->yn_n; v++)
		axis_value(sc, ax, list->yn_vals[v], d);
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
	ax = axis_add(sc, NULL, key->yn_text, key->yn_at, d);
	if (ax == NULL)
		return;
	axis_room(sc, ax, map->yn_n);
	for (size_t i = 0; i < map->yn_n; i++)
		alternative_load(sc, ax, map->yn_keys[i], map->yn_vals[i], d);
	ax->ax_all = ax->ax_values;
	ax->ax_nall = ax->ax_n;
}

static void
alternative_load(struct scenario *sc, struct scenario_axis *ax,
    const struct ynode *key, const struct ynode *map, struct diag *d)
{
	struct scenario_value *va = &ax->ax_values[ax->ax_n];
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
	for (int i = 0; i < ax->ax_n && d->d_nerrors == nerrors; i++) {
		if (value_equal(&ax->ax_values[i], va))
			diag_error(d, key->yn_at,
			    "%s: '%s' sets the same as '%s'", ax->ax_name,
			    va->va_text, ax->ax_values[i].va_text);
	}
	ax->ax_n++;
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
	    is_swept(sc, se->se_path, ax, key->yn_at, d) ||
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

/* Returns: true after an error. */
static bool
is_swept(const struct scenario *sc, const struct scenario_path *sp,
    const struct scenario_axis *but, struct diag_span at, struct diag *d)
{
	const struct scenario_axis *ax = scenario_axis_of(sc, sp, but);

	if (ax == NULL)
		return false;
	diag_error(d, at, "'%s' is swept already", sp->sp_name);
	diag_note(d, ax->ax_at, "here");
	return true;
}

/* PATH=V1,V2,... or NAME=ALTERNATIVE,... */
static void
set_load(struct scenario *sc, const char *set, struct diag *d)
{
	const char *prefix = "--set ";
	char *text = ypool_printf(&sc->sc_pool, "%s%s", prefix, set), *eq, *end;
	struct diag_span at = { NULL, 1, 1, 1 };
	struct scenario_axis *ax;
	size_t space = 1;

	at.ds_file = diag_add_file(d, COMMAND_LINE, text, strlen(text));
	at.ds_col = (int)strlen(prefix) + 1;
	at.ds_width = (int)strlen(set);
	eq = strchr(text, '=');
	if (eq == NULL || eq[1] == '\0' || eq == text + strlen(prefix)) {
		diag_error(d, at, "want PATH=VALUE");
		return;
	}
	*eq = '\0';
	at.ds_width = (int)(eq - text) - at.ds_col + 1;
	ax = set_axis(sc, text + strlen(prefix), at, d);
	if (ax == NULL)
		return;
	for (const char *s = eq + 1; *s != '\0'; s++)
		space += *s == ',';
	axis_room(sc, ax, space);
	for (char *s = eq + 1; s != NULL; s = end) {
		end = strchr(s, ',');
		if (end != NULL)
			*end++ = '\0';
		at.ds_col = (int)(s - text) + 1;
		at.ds_width = *s != '\0' ? (int)strlen(s) : 1;
		axis_value(sc, ax, ynode_scalar(&sc->sc_pool, s, at), d);
	}
}

/* Returns: the axis that is meant, a new one when none has this path. */
static struct scenario_axis *
set_axis(
    struct scenario *sc, const char *name, struct diag_span at, struct diag *d)
{
	const struct scenario_path *sp;
	const struct scenario_axis *found;
	struct scenario_axis *ax = NULL;

	if (!scenario_param_find(sc, name, at, &sp, &found, d))
		return NULL;
	for (int i = 0; i < sc->sc_naxes && ax == NULL; i++) {
		if (found != NULL ? found == &sc->sc_axes[i]
				  : sc->sc_axes[i].ax_path == sp)
			ax = &sc->sc_axes[i];
	}
	if (ax == NULL)
		ax = axis_add(sc, sp, sp->sp_name, at, d);
	if (ax != NULL)
		ax->ax_set = true;
	return ax;
}

static struct scenario_axis *
axis_add(struct scenario *sc, const struct scenario_path *sp, const char *name,
    struct diag_span at, struct diag *d)
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
	ax->ax_at = at;
	return ax;
}

/* Forget the values, for n others. */
static void
axis_room(struct scenario *sc, struct scenario_axis *ax, size_t n)
{
	ax->ax_n = 0;
	ax->ax_values = ypool_alloc(&sc->sc_pool, n * sizeof(*ax->ax_values));
}

/* Append a value, or an alternative by its name. */
static void
axis_value(struct scenario *sc, struct scenario_axis *ax, struct ynode *yn,
    struct diag *d)
{
	const struct scenario_value *named;
	struct scenario_value *va = &ax->ax_values[ax->ax_n];
	struct key_value kv;

	if (ax->ax_path == NULL) {
		named = scenario_alternative(ax, yn, d);
		if (named == NULL)
			return;
		*va = *named;
	} else {
		if (!key_parse(ax->ax_path->sp_key, yn, &kv, d))
			return;
		value_single(sc, ax->ax_path, &kv, yn, va);
	}
	for (int i = 0; i < ax->ax_n; i++) {
		if (!value_equal(&ax->ax_values[i], va))
			continue;
		diag_error(d, yn->yn_at, "%s: %s twice",
		    ax->ax_path ? key_name(ax->ax_path->sp_key) : ax->ax_name,
		    yn->yn_text);
		return;
	}
	ax->ax_n++;
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

/* Whether both set the same paths to the same values, in any order. */
static bool
value_equal(const struct scenario_value *a, const struct scenario_value *b)
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

/* What the machine says, or the first value; --set says it all itself. */
static void
axis_base(struct scenario *sc, struct scenario_axis *ax,
    const struct ynode *extended, struct diag *d)
{
	const struct scenario_path *sp = ax->ax_path;
	struct ynode *yn;
	struct key_value kv;

	if (ax->ax_n == 0)
		return;
	ax->ax_base_value = ax->ax_values[0];
	if (sp == NULL)
		return;
	yn = scenario_tree_get(extended, sp->sp_steps, sp->sp_nsteps);
	if (yn == NULL || !key_parse(sp->sp_key, yn, &kv, d) || ax->ax_set)
		return;
	value_single(sc, sp, &kv, yn, &ax->ax_base_value);
	ax->ax_base = -1;
	for (int i = 0; i < ax->ax_n; i++) {
		if (value_equal(&ax->ax_values[i], &ax->ax_base_value))
			ax->ax_base = i;
	}
}

static bool
count_points(struct scenario *sc, struct diag *d)
{
	int64_t n = 1;

	for (int i = 0; i < sc->sc_naxes && n <= SCENARIO_MAX_POINTS; i++)
		n *= sc->sc_axes[i].ax_n;
	if (n <= SCENARIO_MAX_POINTS)
		return true;
	diag_error(d, diag_whole(sc->sc_tree->yn_at.ds_file),
	    "sweep: more than %d points", SCENARIO_MAX_POINTS);
	return false;
}

int
scenario_npoints(const struct scenario *sc)
{
	int n = 1;

	for (int i = 0; i < sc->sc_naxes; i++)
		n *= sc->sc_axes[i].ax_n;
	return n;
}

/* Stops at the first point with errors: the others tend to have the same. */
static void
check_points(struct scenario *sc, struct diag *d)
{
	struct setup *su = sim_calloc(1, sizeof(*su));
	int n = scenario_npoints(sc), nerrors = d->d_nerrors;
	char label[512];

	for (int i = 0; i < n && d->d_nerrors == nerrors; i++) {
		resolve(sc, i, su, true, d);
		if (d->d_nerrors > nerrors)
			diag_note(d, diag_whole(NULL),
			    "at this point of the sweep: %s",
			    scenario_point_label(sc, i, label, sizeof(label)));
	}
	sim_free(su);
}

void
scenario_point(struct scenario *sc, int i, struct setup *out)
{
	struct diag d;

	SIM_ASSERT(i >= SCENARIO_BASE && i < scenario_npoints(sc));
	diag_init(&d);
	resolve(sc, i, out, false, &d);
	SIM_ASSERT(d.d_nerrors == 0);
	diag_fini(&d);
}

static void
resolve(struct scenario *sc, int point, struct setup *su, bool check,
    struct diag *d)
{
	struct ypool yp = { NULL };
	struct ynode *root = overridden(sc, &yp, point);
	int nerrors = d->d_nerrors;

	scenario_tree_extend(&yp, root, d);
	scenario_fill(sc, root, su, d);
	if (check && d->d_nerrors == nerrors)
		scenario_check(su, root, d);
	ypool_fini(&yp);
}

/* The tree with what the axes set at a point. */
static struct ynode *
overridden(const struct scenario *sc, struct ypool *yp, int point)
{
	struct ynode *root = ynode_clone(yp, sc->sc_tree);

	for (int i = 0; i < sc->sc_naxes; i++)
		scenario_tree_apply(
		    yp, root, scenario_axis_value(sc, i, point));
	return root;
}

struct ynode *
scenario_tree_point(const struct scenario *sc, struct ypool *yp, int point)
{
	struct ynode *root = overridden(sc, yp, point);
	struct diag d;

	diag_init(&d);
	scenario_tree_extend(yp, root, &d);
	diag_fini(&d);
	return root;
}

const struct scenario_value *
scenario_axis_value(const struct scenario *sc, int axis, int point)
{
	const struct scenario_axis *ax = &sc->sc_axes[axis];

	if (point == SCENARIO_BASE)
		return &ax->ax_base_value;
	for (int i = sc->sc_naxes - 1; i > axis; i--)
		point /= sc->sc_axes[i].ax_n;
	return &ax->ax_values[point % ax->ax_n];
}
