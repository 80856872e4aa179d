#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/scenario_impl.h"

static char *name_of(const char *file);
static void sweep_load(
    struct scenario *, const struct ynode *sweep, struct diag *);
static void set_load(struct scenario *, const char *set, struct diag *);
static struct scenario_axis *axis_add(struct scenario *,
    const struct scenario_path *, struct diag_span, struct diag *);
static void axis_value(struct scenario *, struct scenario_axis *,
    struct ynode *, int space, struct diag *);
static void axis_base(struct scenario *, struct scenario_axis *,
    const struct ynode *extended, struct diag *);
static void axis_print(
    struct scenario *, const struct scenario_axis *, int i, const char **);
static bool count_points(struct scenario *, struct diag *);
static void check_points(struct scenario *, struct diag *);
static void resolve(
    struct scenario *, int point, struct setup *, bool check, struct diag *);
static int axis_index(const struct scenario *, int axis, int point);
static struct setup_hardware *next_hardware(
    const struct scenario_fit *, struct setup *, int *i);

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
		scenario_cells_load(sc, extended, d);
	if (d->d_nerrors == nerrors)
		return sc;
fail:
	scenario_destroy(sc);
	return NULL;
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
	const struct scenario_path *sp;
	struct scenario_axis *ax;
	const struct ynode *key, *list;

	if (sweep == NULL)
		return;
	if (sweep->yn_kind != YNODE_MAP) {
		diag_error(d, sweep->yn_at, "sweep: want a map, not %s",
		    ynode_kind_name(sweep));
		return;
	}
	for (size_t i = 0; i < sweep->yn_n; i++) {
		key = sweep->yn_keys[i];
		list = sweep->yn_vals[i];
		sp = scenario_path_find(sc, key->yn_text, key->yn_at, d);
		if (list->yn_kind != YNODE_SEQ || list->yn_n == 0) {
			diag_error(d, list->yn_at, "%s: want a list of values",
			    key->yn_text);
			continue;
		}
		ax = sp != NULL ? axis_add(sc, sp, key->yn_at, d) : NULL;
		if (ax == NULL)
			continue;
		if (ax->ax_n > 0) {
			diag_error(d, key->yn_at, "'%s' is swept already",
			    sp->sp_name);
			continue;
		}
		for (size_t v = 0; v < list->yn_n; v++)
			axis_value(
			    sc, ax, list->yn_vals[v], (int)list->yn_n, d);
	}
}

/* PATH=V1,V2,... */
static void
set_load(struct scenario *sc, const char *set, struct diag *d)
{
	const char *prefix = "--set ";
	char *text = ypool_printf(&sc->sc_pool, "%s%s", prefix, set), *eq, *end;
	struct diag_span at = { NULL, 1, 1, 1 };
	const struct scenario_path *sp;
	struct scenario_axis *ax;
	int space = 1;

	at.ds_file = diag_add_file(d, "<command line>", text, strlen(text));
	at.ds_col = (int)strlen(prefix) + 1;
	at.ds_width = (int)strlen(set);
	eq = strchr(text, '=');
	if (eq == NULL || eq[1] == '\0' || eq == text + strlen(prefix)) {
		diag_error(d, at, "want PATH=VALUE");
		return;
	}
	*eq = '\0';
	at.ds_width = (int)(eq - text) - at.ds_col + 1;
	sp = scenario_path_find(sc, text + strlen(prefix), at, d);
	ax = sp != NULL ? axis_add(sc, sp, at, d) : NULL;
	if (ax == NULL)
		return;
	ax->ax_set = true;
	ax->ax_n = 0;
	for (const char *s = eq + 1; *s != '\0'; s++)
		space += *s == ',';
	for (char *s = eq + 1; s != NULL; s = end) {
		end = strchr(s, ',');
		if (end != NULL)
			*end++ = '\0';
		at.ds_col = (int)(s - text) + 1;
		at.ds_width = *s != '\0' ? (int)strlen(s) : 1;
		axis_value(sc, ax, ynode_scalar(&sc->sc_pool, s, at), space, d);
	}
}

/* Returns: the axis of this path, a new one when there is none. */
static struct scenario_axis *
axis_add(struct scenario *sc, const struct scenario_path *sp,
    struct diag_span at, struct diag *d)
{
	struct scenario_axis *ax;

	for (int i = 0; i < sc->sc_naxes; i++) {
		if (sc->sc_axes[i].ax_path == sp)
			return &sc->sc_axes[i];
	}
	if (sc->sc_naxes == SCENARIO_MAX_AXES) {
		diag_error(d, at, "more than %d parameters swept or set",
		    SCENARIO_MAX_AXES);
		return NULL;
	}
	ax = &sc->sc_axes[sc->sc_naxes++];
	ax->ax_path = sp;
	ax->ax_name = sp->sp_name;
	ax->ax_short = scenario_path_short(sc, sp);
	ax->ax_key = sp->sp_key;
	ax->ax_base_text = "";
	return ax;
}

/* Append a value; `space` is how many there will be. */
static void
axis_value(struct scenario *sc, struct scenario_axis *ax, struct ynode *yn,
    int space, struct diag *d)
{
	struct key_value kv;

	if (ax->ax_n == 0) {
		ax->ax_texts =
		    ypool_alloc(&sc->sc_pool, space * sizeof(*ax->ax_texts));
		ax->ax_values =
		    ypool_alloc(&sc->sc_pool, space * sizeof(*ax->ax_values));
		ax->ax_nodes =
		    ypool_alloc(&sc->sc_pool, space * sizeof(*ax->ax_nodes));
	}
	if (!key_parse(ax->ax_key, yn, &kv, d))
		return;
	for (int i = 0; i < ax->ax_n; i++) {
		if (key_equal(ax->ax_key, &kv, &ax->ax_values[i])) {
			diag_error(d, yn->yn_at, "%s: %s twice",
			    key_name(ax->ax_key), yn->yn_text);
			return;
		}
	}
	ax->ax_nodes[ax->ax_n] = yn;
	ax->ax_values[ax->ax_n] = kv;
	axis_print(sc, ax, ax->ax_n, &ax->ax_texts[ax->ax_n]);
	ax->ax_n++;
}

/* What the machine says, or the first value; --set says it all itself. */
static void
axis_base(struct scenario *sc, struct scenario_axis *ax,
    const struct ynode *extended, struct diag *d)
{
	struct ynode *yn = scenario_tree_get(
	    extended, ax->ax_path->sp_steps, ax->ax_path->sp_nsteps);
	char buf[UNIT_TEXT_MAX + 200];
	struct key_value kv;

	if (ax->ax_n == 0)
		return;
	ax->ax_base_text = ax->ax_texts[0];
	ax->ax_base_node = ax->ax_nodes[0];
	if (yn == NULL || !key_parse(ax->ax_key, yn, &kv, d) || ax->ax_set)
		return;
	ax->ax_base = -1;
	ax->ax_base_node = yn;
	ax->ax_base_text = ypool_strdup(
	    &sc->sc_pool, key_print(ax->ax_key, &kv, buf, sizeof(buf)));
	for (int i = 0; i < ax->ax_n; i++) {
		if (key_equal(ax->ax_key, &kv, &ax->ax_values[i]))
			ax->ax_base = i;
	}
}

static void
axis_print(struct scenario *sc, const struct scenario_axis *ax, int i,
    const char **text)
{
	char buf[UNIT_TEXT_MAX + 200];

	*text = ypool_strdup(&sc->sc_pool,
	    key_print(ax->ax_key, &ax->ax_values[i], buf, sizeof(buf)));
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
	struct ynode *root = ynode_clone(&yp, sc->sc_tree), *val;
	int nerrors = d->d_nerrors, k;

	for (int i = 0; i < sc->sc_naxes; i++) {
		k = axis_index(sc, i, point);
		val = k < 0 ? sc->sc_axes[i].ax_base_node
			    : sc->sc_axes[i].ax_nodes[k];
		if (sc->sc_axes[i].ax_n > 0)
			scenario_tree_set(
			    &yp, root, sc->sc_axes[i].ax_path, val);
	}
	scenario_tree_extend(&yp, root, d);
	scenario_fill(sc, root, su, d);
	if (check && d->d_nerrors == nerrors)
		scenario_check(su, root, d);
	ypool_fini(&yp);
}

/* Returns: which value of the axis the point has; -1: its base value. */
static int
axis_index(const struct scenario *sc, int axis, int point)
{
	if (point == SCENARIO_BASE)
		return -1;
	for (int i = sc->sc_naxes - 1; i > axis; i--)
		point /= sc->sc_axes[i].ax_n;
	return point % sc->sc_axes[axis].ax_n;
}

int
scenario_params(const struct scenario *sc, int i, struct scenario_param *params)
{
	const struct scenario_axis *ax;
	int k;

	for (int a = 0; a < sc->sc_naxes; a++) {
		ax = &sc->sc_axes[a];
		k = axis_index(sc, a, i);
		params[a].pa_path = ax->ax_name;
		params[a].pa_short = ax->ax_short;
		params[a].pa_value = k < 0 ? ax->ax_base_text : ax->ax_texts[k];
		params[a].pa_bare = key_is_bare(ax->ax_key);
	}
	return sc->sc_naxes;
}

char *
scenario_point_label(const struct scenario *sc, int i, char *buf, size_t size)
{
	struct scenario_param params[SCENARIO_MAX_AXES];
	int n = scenario_params(sc, i, params);
	size_t len = 0;

	snprintf(buf, size, "base");
	for (int a = 0; a < n && len < size; a++)
		len += snprintf(buf + len, size - len, "%s%s=%s",
		    a > 0 ? " " : "", params[a].pa_short, params[a].pa_value);
	return buf;
}

void
scenario_fit_set(
    const struct scenario *sc, int fit, struct setup *su, int64_t value)
{
	const struct scenario_fit *fi = &sc->sc_fits[fit];
	struct key_value kv = { value, (double)value, NULL };
	struct setup_hardware *hw;
	int i = 0;

	while ((hw = next_hardware(fi, su, &i)) != NULL)
		key_store(fi->fi_key, hw, &kv);
}

int64_t
scenario_fit_get(const struct scenario *sc, int fit, const struct setup *su)
{
	const struct scenario_fit *fi = &sc->sc_fits[fit];
	struct setup_hardware *hw;
	int i = 0;

	hw = next_hardware(fi, (struct setup *)su, &i);
	SIM_ASSERT(hw != NULL);
	return *(int64_t *)((char *)hw + fi->fi_key->k_offset);
}

/* Walk over machines and peers with this profile. */
static struct setup_hardware *
next_hardware(const struct scenario_fit *fi, struct setup *su, int *i)
{
	struct setup_hardware *hw;
	int n = su->su_nmachines + su->su_npeers;

	while (*i < n) {
		hw = *i < su->su_nmachines
			 ? &su->su_machines[*i].sm_hw
			 : &su->su_peers[*i - su->su_nmachines].pe_hw;
		++*i;
		if (hw->hw_name != NULL &&
		    strcmp(hw->hw_name, fi->fi_profile) == 0)
			return hw;
	}
	return NULL;
}
