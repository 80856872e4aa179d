#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "sim/lab/scenario_impl.h"

#define MAX_FILES 16 /* of a chain of `extends:` */

/* A file and who extends it. */
struct chain {
	const char *ch_path, *ch_real;
	const struct chain *ch_from;
	int ch_depth;
};

/* Sections whose maps may extend each other. */
struct extender {
	struct ypool *ex_pool;
	struct diag *ex_diag;
	size_t ex_weight; /* nodes made */
};

static struct ynode *file_load(struct scenario *, const char *path,
    const struct chain *from, struct diag_span, struct diag *);
static struct ynode *base_load(
    struct scenario *, struct ynode *base, const struct chain *, struct diag *);
static struct ynode *matrix_drop(
    struct ypool *, struct ynode *under, const struct ynode *over);
static bool said_last(const struct diag *, struct diag_span);
static bool chain_has(
    struct scenario *, const struct chain *, struct diag_span, struct diag *);
static void hardware_normalise(struct ypool *, struct ynode *section);
static struct ynode *map_without(
    struct ypool *, const struct ynode *, const char *name);
static void section_extend(
    struct extender *, struct ynode *section, const char *const *subs);
static void entity_extend(
    struct extender *, struct ynode *section, size_t i, int depth);
static void extend_cycle(
    struct extender *, const struct ynode *section, size_t i);
static size_t section_index(const struct ynode *section, const char *name);

struct ynode *
scenario_tree_load(struct scenario *sc, const char *file, struct diag *d)
{
	return file_load(sc, file, NULL, diag_whole(NULL), d);
}

static struct ynode *
file_load(struct scenario *sc, const char *path, const struct chain *from,
    struct diag_span at, struct diag *d)
{
	struct chain ch = { path, path, from, from ? from->ch_depth + 1 : 0 };
	char *real = realpath(path, NULL);
	struct ynode *root, *base, *under;

	if (real != NULL)
		ch.ch_real = ypool_strdup(&sc->sc_pool, real);
	free(real);
	if (chain_has(sc, &ch, at, d))
		return NULL;
	root = ynode_load(path, &sc->sc_pool, d, at);
	if (root == NULL)
		return NULL;
	if (root->yn_kind != YNODE_MAP) {
		diag_error(d, root->yn_at, "a scenario is a map, not %s",
		    ynode_kind_name(root));
		return NULL;
	}
	hardware_normalise(&sc->sc_pool, ynode_get(root, "machines", NULL));
	hardware_normalise(&sc->sc_pool, ynode_get(root, "peers", NULL));
	base = ynode_get(root, "extends", NULL);
	if (base == NULL)
		return root;
	under = base_load(sc, base, &ch, d);
	if (under == NULL)
		return NULL;
	root = map_without(&sc->sc_pool, root, "extends");
	under = matrix_drop(&sc->sc_pool, under, root);
	return ynode_merge(&sc->sc_pool, under, root);
}

/*
 * A sweep is replaced as a whole, and with it what names its points; published
 * cells as well, and with them the costs to fit to them. So are ranges, alone.
 */
static struct ynode *
matrix_drop(struct ypool *yp, struct ynode *under, const struct ynode *over)
{
	static const char *const words[] = { "sweep", "published", "fit" };
	bool replaced = false;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		replaced = replaced || ynode_get(over, words[i], NULL) != NULL;
		if (replaced)
			under = map_without(yp, under, words[i]);
	}
	if (ynode_get(over, "ranges", NULL) != NULL)
		under = map_without(yp, under, "ranges");
	return under;
}

/* Relative to the file that says it. */
static struct ynode *
base_load(struct scenario *sc, struct ynode *base, const struct chain *ch,
    struct diag *d)
{
	struct ynode *under;
	char *copy, *path;

	if (base->yn_kind != YNODE_SCALAR || base->yn_text[0] == '\0') {
		diag_error(d, base->yn_at, "extends: want the name of a file");
		return NULL;
	}
	copy = ypool_strdup(&sc->sc_pool, ch->ch_path);
	if (base->yn_text[0] == '/' || strchr(ch->ch_path, '/') == NULL)
		path = ypool_strdup(&sc->sc_pool, base->yn_text);
	else
		path = ypool_printf(
		    &sc->sc_pool, "%s/%s", dirname(copy), base->yn_text);
	under = file_load(sc, path, ch, base->yn_at, d);
	if (under == NULL && !said_last(d, base->yn_at))
		diag_note(d, base->yn_at, "extended from here");
	return under;
}

/* Whether the last message was about this place. */
static bool
said_last(const struct diag *d, struct diag_span at)
{
	const struct diag_item *di = d->d_first;

	while (di != NULL && di->di_next != NULL)
		di = di->di_next;
	return di != NULL && di->di_at.ds_file == at.ds_file &&
	       di->di_at.ds_line == at.ds_line && di->di_at.ds_col == at.ds_col;
}

/* Whether the file is in its own chain, or the chain is too long. */
static bool
chain_has(struct scenario *sc, const struct chain *ch, struct diag_span at,
    struct diag *d)
{
	const char *text = ch->ch_path;

	if (ch->ch_depth >= MAX_FILES) {
		diag_error(
		    d, at, "more than %d files extend each other", MAX_FILES);
		return true;
	}
	for (const struct chain *c = ch->ch_from; c != NULL; c = c->ch_from) {
		text = ypool_printf(
		    &sc->sc_pool, "%s extends %s", c->ch_path, text);
		if (strcmp(c->ch_real, ch->ch_real) == 0) {
			diag_error(d, at, "extends: a cycle: %s", text);
			return true;
		}
	}
	return false;
}

/* `hardware: NAME` is short for `hardware: {profile: NAME}`. */
static void
hardware_normalise(struct ypool *yp, struct ynode *section)
{
	struct ynode *entity, *hw, *key, *map;

	if (section == NULL || section->yn_kind != YNODE_MAP)
		return;
	for (size_t i = 0; i < section->yn_n; i++) {
		entity = section->yn_vals[i];
		hw = ynode_get(entity, "hardware", &key);
		if (hw == NULL || hw->yn_kind != YNODE_SCALAR)
			continue;
		map = ynode_map(yp, hw->yn_at);
		ynode_put(yp, map, ynode_scalar(yp, "profile", hw->yn_at), hw);
		ynode_put(yp, entity, key, map);
	}
}

static struct ynode *
map_without(struct ypool *yp, const struct ynode *map, const char *name)
{
	struct ynode *out = ynode_map(yp, map->yn_at);

	for (size_t i = 0; i < map->yn_n; i++) {
		if (strcmp(map->yn_keys[i]->yn_text, name) != 0)
			ynode_put(yp, out, map->yn_keys[i], map->yn_vals[i]);
	}
	return out;
}

void
scenario_tree_extend(struct ypool *yp, struct ynode *root, struct diag *d)
{
	static const char *const machine_subs[] = { "nics", "processes", NULL };
	static const char *const peer_subs[] = { NULL };
	struct extender ex = { yp, d, 0 };

	section_extend(&ex, ynode_get(root, "machines", NULL), machine_subs);
	section_extend(&ex, ynode_get(root, "peers", NULL), peer_subs);
}

static void
section_extend(
    struct extender *ex, struct ynode *section, const char *const *subs)
{
	static const char *const none[] = { NULL };

	if (section == NULL || section->yn_kind != YNODE_MAP)
		return;
	for (size_t i = 0; i < section->yn_n; i++)
		entity_extend(ex, section, i, 0);
	for (size_t i = 0; i < section->yn_n && *subs != NULL; i++) {
		for (const char *const *sub = subs; *sub != NULL; sub++)
			section_extend(ex,
			    ynode_get(section->yn_vals[i], *sub, NULL), none);
	}
}

/* Bases first; a chain longer than the section is a cycle. */
static void
entity_extend(struct extender *ex, struct ynode *section, size_t i, int depth)
{
	struct ynode *entity = section->yn_vals[i], *base, *own;
	size_t b;

	base = ynode_get(entity, "extends", NULL);
	if (base == NULL)
		return;
	own = map_without(ex->ex_pool, entity, "extends");
	if (base->yn_kind != YNODE_SCALAR) {
		diag_error(ex->ex_diag, base->yn_at,
		    "extends: want the name of a sibling");
		section->yn_vals[i] = own;
		return;
	}
	b = section_index(section, base->yn_text);
	if (b == section->yn_n) {
		diag_error(ex->ex_diag, base->yn_at,
		    "extends: no '%s' beside '%s'", base->yn_text,
		    section->yn_keys[i]->yn_text);
		section->yn_vals[i] = own;
		return;
	}
	if (depth > SETUP_MAX_PEERS || b == i) {
		extend_cycle(ex, section, i);
		section->yn_vals[i] = own;
		return;
	}
	entity_extend(ex, section, b, depth + 1);
	if (ynode_get(section->yn_vals[i], "extends", NULL) == NULL)
		return; /* a cycle, cut below */
	ex->ex_weight += section->yn_vals[b]->yn_weight + own->yn_weight;
	if (ex->ex_weight > YNODE_MAX_NODES)
		diag_error(ex->ex_diag, base->yn_at,
		    "extends: more than %d nodes in all", YNODE_MAX_NODES);
	else
		own = ynode_merge(ex->ex_pool, section->yn_vals[b], own);
	section->yn_vals[i] = own;
}

static void
extend_cycle(struct extender *ex, const struct ynode *section, size_t i)
{
	const char *text = section->yn_keys[i]->yn_text;
	struct ynode *base = ynode_get(section->yn_vals[i], "extends", NULL);
	size_t at = i;

	for (size_t n = 0; n <= SETUP_MAX_PEERS; n++) {
		struct ynode *next =
		    ynode_get(section->yn_vals[at], "extends", NULL);

		if (next == NULL)
			break;
		text = ypool_printf(
		    ex->ex_pool, "%s extends %s", text, next->yn_text);
		at = section_index(section, next->yn_text);
		if (at == i || at == section->yn_n)
			break;
	}
	diag_error(ex->ex_diag, base->yn_at, "extends: a cycle: %s", text);
}

static size_t
section_index(const struct ynode *section, const char *name)
{
	size_t i = 0;

	while (i < section->yn_n &&
	       strcmp(section->yn_keys[i]->yn_text, name) != 0)
		i++;
	return i;
}

struct ynode *
scenario_tree_get(const struct ynode *root, const char *const *steps, int n)
{
	struct ynode *yn = NULL;

	for (int i = 0; i < n; i++) {
		yn = ynode_get(i == 0 ? root : yn, steps[i], NULL);
		if (yn == NULL)
			return NULL;
	}
	return yn;
}

void
scenario_tree_set(struct ypool *yp, struct ynode *root,
    const struct scenario_path *sp, struct ynode *val)
{
	struct ynode *map = root, *next, *key;
	int last = sp->sp_nsteps - 1;

	for (int i = 0; i < last; i++) {
		key = NULL;
		next = ynode_get(map, sp->sp_steps[i], &key);
		if (key == NULL)
			key = ynode_scalar(yp, sp->sp_steps[i], val->yn_at);
		if (next == NULL || next->yn_kind != YNODE_MAP) {
			next = ynode_map(yp, val->yn_at);
			ynode_put(yp, map, key, next);
		}
		map = next;
	}
	key = ynode_scalar(yp, sp->sp_steps[last], val->yn_at);
	ynode_put(yp, map, key, val);
}

void
scenario_tree_apply(
    struct ypool *yp, struct ynode *root, const struct scenario_value *va)
{
	for (int i = 0; i < va->va_n; i++) {
		if (va->va_settings[i].se_node != NULL)
			scenario_tree_set(yp, root, va->va_settings[i].se_path,
			    va->va_settings[i].se_node);
	}
}

struct diag_span
scenario_tree_at(const struct ynode *root, const char *const *steps, int n)
{
	const struct ynode *map = root;
	struct diag_span at = root->yn_at;
	struct ynode *key, *val;

	for (int i = 0; i < n; i++) {
		val = ynode_get(map, steps[i], &key);
		if (val == NULL)
			break;
		map = val;
		at = val->yn_kind == YNODE_SCALAR ? val->yn_at : key->yn_at;
	}
	return at;
}
