#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/kernels.h"
#include "sim/lab/scenario_impl.h"

#define PATH_MAX_TEXT 256
#define LISTED_MAX 12 /* candidates that a message names */

static void path_expand(struct scenario *, const struct ynode *root,
    const struct key *, const struct scenario_path *, const char *rest,
    const struct ynode *at);
static void path_add(
    struct scenario *, const struct key *, const struct scenario_path *);
static bool path_inherited(
    const struct scenario *, const struct scenario_path *);
static const struct scenario_path *path_find(const struct scenario *,
    const char *text, bool axes, struct diag_span, struct diag *);
static size_t paths_match(const struct scenario *, const char *text,
    const struct scenario_path **found, size_t max);
static bool path_ends(const struct scenario_path *, const char *text);
static void ambiguous(const char *text, const struct scenario_path **found,
    size_t n, struct diag_span, struct diag *);
static void unknown(const struct scenario *, const char *text, bool axes,
    struct diag_span, struct diag *);
static const char *suffix_of(const char *path, int parts);

void
scenario_paths_make(struct scenario *sc, const struct ynode *extended)
{
	struct scenario_path none = { 0 };

	for (size_t i = 0; i < keys_n; i++) {
		if (keys[i].k_type == KEY_TEXT)
			continue;
		path_expand(
		    sc, extended, &keys[i], &none, keys[i].k_path, extended);
	}
}

/* Walk the pattern `rest`; at a `*` go on with every name of the map `at`. */
static void
path_expand(struct scenario *sc, const struct ynode *root, const struct key *k,
    const struct scenario_path *head, const char *rest, const struct ynode *at)
{
	struct scenario_path sp = *head;
	const char *dot = strchr(rest, '.');
	bool sysctl;

	sysctl = sp.sp_nsteps > 0 &&
		 strcmp(sp.sp_steps[sp.sp_nsteps - 1], "sysctl") == 0;
	if (dot == NULL || sysctl) {
		sp.sp_steps[sp.sp_nsteps++] = rest;
		path_add(sc, k, &sp);
		return;
	}
	if (*rest != '*') {
		char *step = ypool_strdup(&sc->sc_pool, rest);

		step[dot - rest] = '\0';
		sp.sp_steps[sp.sp_nsteps++] = step;
		path_expand(
		    sc, root, k, &sp, dot + 1, ynode_get(at, step, NULL));
		return;
	}
	if (at == NULL || at->yn_kind != YNODE_MAP)
		return;
	for (size_t i = 0; i < at->yn_n; i++) {
		sp.sp_steps[head->sp_nsteps] = at->yn_keys[i]->yn_text;
		sp.sp_nsteps = head->sp_nsteps + 1;
		path_expand(sc, root, k, &sp, dot + 1, at->yn_vals[i]);
	}
}

static void
path_add(
    struct scenario *sc, const struct key *k, const struct scenario_path *sp)
{
	char buf[PATH_MAX_TEXT];
	struct scenario_path *new;
	size_t n = 0;

	for (int i = 0; i < sp->sp_nsteps && n < sizeof(buf); i++)
		n += snprintf(buf + n, sizeof(buf) - n, "%s%s",
		    i > 0 ? "." : "", sp->sp_steps[i]);
	if (n >= sizeof(buf))
		return; /* its name is refused anyway */
	if ((sc->sc_npaths & (sc->sc_npaths - 1)) == 0)
		sc->sc_paths = sim_realloc(sc->sc_paths,
		    sc->sc_npaths > 0 ? 2 * sc->sc_npaths : 1, sizeof(*new));
	new = &sc->sc_paths[sc->sc_npaths++];
	*new = *sp;
	new->sp_key = k;
	new->sp_full = ypool_strdup(&sc->sc_pool, buf);
	new->sp_name = new->sp_full;
	if (strncmp(buf, "machines.", 9) == 0)
		new->sp_name += 9;
	else if (strncmp(buf, "peers.", 6) == 0)
		new->sp_name += 6;
	new->sp_inherited = path_inherited(sc, new);
}

static bool
path_inherited(const struct scenario *sc, const struct scenario_path *sp)
{
	struct ynode *owner = NULL;
	bool extends = false;

	for (int i = 1; i < sp->sp_nsteps; i++) {
		owner = scenario_tree_get(sc->sc_tree, sp->sp_steps, i);
		if (ynode_get(owner, "extends", NULL) != NULL)
			extends = true;
	}
	return extends && scenario_tree_get(
			      sc->sc_tree, sp->sp_steps, sp->sp_nsteps) == NULL;
}

const struct scenario_path *
scenario_path_find(const struct scenario *sc, const char *text,
    struct diag_span at, struct diag *d)
{
	return path_find(sc, text, false, at, d);
}

bool
scenario_param_find(const struct scenario *sc, const char *text,
    struct diag_span at, const struct scenario_path **sp,
    const struct scenario_axis **ax, struct diag *d)
{
	*sp = NULL;
	for (int i = 0; i < sc->sc_naxes; i++) {
		*ax = &sc->sc_axes[i];
		if ((*ax)->ax_path == NULL && strcmp((*ax)->ax_name, text) == 0)
			return true;
	}
	*ax = NULL;
	*sp = path_find(sc, text, true, at, d);
	return *sp != NULL;
}

const struct scenario_path *
scenario_path_like(const struct scenario *sc, const char *text)
{
	const struct scenario_path *found[1] = { NULL };

	paths_match(sc, text, found, 1);
	return found[0];
}

/* `axes`: whether a slip of the pen may have meant one. */
static const struct scenario_path *
path_find(const struct scenario *sc, const char *text, bool axes,
    struct diag_span at, struct diag *d)
{
	const struct scenario_path *found[LISTED_MAX];
	size_t n = paths_match(sc, text, found, LISTED_MAX);

	if (n == 1)
		return found[0];
	if (n > 1)
		ambiguous(text, found, n, at, d);
	else
		unknown(sc, text, axes, at, d);
	return NULL;
}

/*
 * A full path means itself even where it is the end of another one. A suffix
 * means what somebody wrote, not what others inherit from it.
 */
static size_t
paths_match(const struct scenario *sc, const char *text,
    const struct scenario_path **found, size_t max)
{
	char longer[PATH_MAX_TEXT];
	size_t n = 0, len = strlen(text);

	if (strcmp(text, "hardware") == 0 ||
	    (len > 9 && strcmp(text + len - 9, ".hardware") == 0)) {
		snprintf(longer, sizeof(longer), "%s.profile", text);
		text = longer;
	}
	for (size_t i = 0; i < sc->sc_npaths; i++) {
		if (strcmp(sc->sc_paths[i].sp_full, text) == 0 ||
		    strcmp(sc->sc_paths[i].sp_name, text) == 0) {
			found[0] = &sc->sc_paths[i];
			return 1;
		}
	}
	for (size_t i = 0; i < sc->sc_npaths; i++) {
		if (sc->sc_paths[i].sp_inherited ||
		    !path_ends(&sc->sc_paths[i], text))
			continue;
		if (n < max)
			found[n] = &sc->sc_paths[i];
		n++;
	}
	return n;
}

static bool
path_ends(const struct scenario_path *sp, const char *text)
{
	size_t len = strlen(sp->sp_name), n = strlen(text);

	return n > 0 && n < len && sp->sp_name[len - n - 1] == '.' &&
	       strcmp(sp->sp_name + len - n, text) == 0;
}

static void
ambiguous(const char *text, const struct scenario_path **found, size_t n,
    struct diag_span at, struct diag *d)
{
	char buf[LISTED_MAX * PATH_MAX_TEXT];
	size_t len = 0;

	for (size_t i = 0; i < n && i < LISTED_MAX; i++)
		len += snprintf(buf + len, sizeof(buf) - len, "%s%s",
		    i > 0 ? ", " : "", found[i]->sp_name);
	diag_error(d, at, "'%s' may mean %s%s", text, buf,
	    n > LISTED_MAX ? ", ..." : "");
}

static void
unknown(const struct scenario *sc, const char *text, bool axes,
    struct diag_span at, struct diag *d)
{
	const char **names, *near;
	size_t n = sc->sc_npaths;
	int parts = 1;

	for (const char *s = text; *s != '\0'; s++)
		parts += *s == '.';
	names = sim_calloc(n + SCENARIO_MAX_AXES, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = suffix_of(sc->sc_paths[i].sp_name, parts);
	for (int i = 0; axes && i < sc->sc_naxes; i++) {
		if (sc->sc_axes[i].ax_path == NULL)
			names[n++] = sc->sc_axes[i].ax_name;
	}
	near = diag_nearest(text, names, n);
	if (near != NULL)
		diag_error(d, at, "unknown parameter '%s', did you mean '%s'?",
		    text, near);
	else
		diag_error(d, at, "unknown parameter '%s'", text);
	sim_free(names);
}

/* The last so many parts of a path. */
static const char *
suffix_of(const char *path, int parts)
{
	const char *s = path + strlen(path);

	for (; s > path; s--) {
		if (s[-1] == '.' && --parts == 0)
			break;
	}
	return s;
}

bool
scenario_default(const struct ynode *root, const struct scenario_path *sp,
    struct key_value *kv)
{
	enum setup_kernel kernel;

	if (sp->sp_key->k_default == NULL)
		return false;
	if (sp->sp_key->k_scope != KEY_OF_MACHINE) {
		key_default(sp->sp_key, kv);
		return true;
	}
	if (kernel_of(scenario_tree_get(root, sp->sp_steps, 2), &kernel) &&
	    kernel_lacks(kernel, sp->sp_key))
		return false;
	kernel_default(kernel, sp->sp_key, kv);
	return true;
}

const struct scenario_axis *
scenario_axis_of(const struct scenario *sc, const struct scenario_path *sp,
    const struct scenario_axis *but)
{
	const struct scenario_axis *ax;
	const struct scenario_value *va;

	for (int i = 0; i < sc->sc_naxes; i++) {
		ax = &sc->sc_axes[i];
		if (ax == but)
			continue;
		if (ax->ax_path == sp)
			return ax;
		for (int v = 0; v < ax->ax_nall; v++) {
			va = &ax->ax_all[v];
			for (int s = 0; s < va->va_n; s++) {
				if (va->va_settings[s].se_path == sp)
					return ax;
			}
		}
	}
	return NULL;
}

const struct scenario_value *
scenario_alternative(
    const struct scenario_axis *ax, const struct ynode *name, struct diag *d)
{
	struct ypool yp = { NULL };
	const char *list = "";

	if (name->yn_kind != YNODE_SCALAR) {
		diag_error(d, name->yn_at, "%s: want a name, not %s",
		    ax->ax_name, ynode_kind_name(name));
		return NULL;
	}
	for (int i = 0; i < ax->ax_nall; i++) {
		if (strcmp(ax->ax_all[i].va_text, name->yn_text) == 0)
			return &ax->ax_all[i];
	}
	for (int i = 0; i < ax->ax_nall; i++)
		list = ypool_printf(&yp, "%s%s%s", list, i > 0 ? "|" : "",
		    ax->ax_all[i].va_text);
	diag_error(d, name->yn_at, "%s: '%s', want %s", ax->ax_name,
	    name->yn_text, list);
	ypool_fini(&yp);
	return NULL;
}

const char *
scenario_path_short(struct scenario *sc, const struct scenario_path *sp)
{
	const struct scenario_path *found[1];
	const char *s;

	for (int parts = 1;; parts++) {
		s = suffix_of(sp->sp_name, parts);
		if (s == sp->sp_name ||
		    (paths_match(sc, s, found, 1) == 1 && found[0] == sp))
			return s;
	}
}
