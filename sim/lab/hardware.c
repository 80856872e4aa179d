#include "sim/lab/hardware.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"

static const char *const kind_names[HARDWARE_NKINDS] = {
	[HARDWARE_MEASURED] = "measured",
	[HARDWARE_PAPER] = "paper",
	[HARDWARE_DATASHEET] = "datasheet",
	[HARDWARE_FITTED] = "fitted",
	[HARDWARE_GUESS] = "guess",
};

static const struct {
	const char *ro_name;
	const char *ro_prefix; /* of its keys in the table */
	enum cost_family ro_family;
} roles[HARDWARE_NROLES] = {
	[HARDWARE_SERVER] = { "server", "machines.*.hardware.",
	    COSTS_DRAGONFLY },
	[HARDWARE_CLIENT] = { "client", "peers.*.hardware.", COSTS_HOST },
	[HARDWARE_FREEBSD] = { "freebsd", "machines.*.hardware.",
	    COSTS_FREEBSD },
	[HARDWARE_LINUX] = { "linux", "peers.*.hardware.", COSTS_LINUX },
};

/* A profile while it is read. */
struct reader {
	struct hardware *rd_ha;
	struct diag *rd_d;
	const char *rd_prefix; /* of its keys in the table */
	struct ynode *rd_root;
};

static struct ynode *find(struct hardware *, const char *name,
    const char *const *dirs, size_t ndirs, struct diag_span, struct diag *);
static bool read_role(struct reader *);
static void read_entries(
    struct reader *, const struct ynode *map, const char *section);
static void read_section(
    struct reader *, const struct ynode *map, const char *name);
static void read_entry(struct reader *, const struct key *,
    const struct ynode *key, const struct ynode *val);
static void read_property(struct reader *, struct hardware_entry *,
    const struct ynode *key, const struct ynode *val);
static void check_range(
    struct reader *, const struct hardware_entry *, const struct ynode *val);
static void read_cells(
    struct reader *, struct hardware_entry *, const struct ynode *);
static const struct key *key_of(const struct reader *, const char *name);
static bool has_section(const struct reader *, const char *name);
static void unknown_key(
    struct reader *, const struct ynode *key, const char *section);
static void list_missing(struct reader *);
static void check_cpus(struct reader *);
static bool is_optional(const struct reader *, const struct key *);
static bool is_cost(const struct key *);
static int cost_find(const char *name);
static const char *role_of_cost(int cost);
static void sort_entries(struct hardware *);
static bool name_ok(const char *name);

struct hardware *
hardware_load(const char *name, const char *const *dirs, size_t ndirs,
    struct diag_span from, struct diag *d)
{
	struct reader rd = { .rd_d = d };
	int nerrors = d->d_nerrors;
	struct hardware *ha = sim_calloc(1, sizeof(*ha));

	ha->ha_name = sim_strdup(name);
	ha->ha_setup.hw_name = ha->ha_name;
	ha->ha_entries = sim_calloc(keys_n, sizeof(*ha->ha_entries));
	rd.rd_ha = ha;
	rd.rd_root = find(ha, name, dirs, ndirs, from, d);
	if (rd.rd_root == NULL || !read_role(&rd))
		goto fail;
	read_entries(&rd, rd.rd_root, "");
	if (d->d_nerrors == nerrors)
		list_missing(&rd);
	if (d->d_nerrors == nerrors)
		check_cpus(&rd);
	if (d->d_nerrors > nerrors)
		goto fail;
	sort_entries(ha);
	return ha;
fail:
	hardware_destroy(ha);
	return NULL;
}

void
hardware_destroy(struct hardware *ha)
{
	if (ha == NULL)
		return;
	ypool_fini(&ha->ha_pool);
	sim_free(ha->ha_entries);
	sim_free(ha->ha_file);
	sim_free(ha->ha_name);
	sim_free(ha);
}

static struct ynode *
find(struct hardware *ha, const char *name, const char *const *dirs,
    size_t ndirs, struct diag_span from, struct diag *d)
{
	struct ynode *root;
	char *path = NULL;

	if (!name_ok(name)) {
		diag_error(
		    d, from, "hardware: '%s' is not a profile's name", name);
		return NULL;
	}
	for (size_t i = 0; i < ndirs && path == NULL; i++) {
		path = ypool_printf(&ha->ha_pool, "%s/%s.yaml", dirs[i], name);
		if (!diag_has_file(d, path))
			path = NULL;
	}
	if (path == NULL) {
		diag_error(d, from, "no hardware profile '%s'", name);
		for (size_t i = 0; i < ndirs; i++)
			diag_note(d, diag_whole(NULL), "no %s/%s.yaml", dirs[i],
			    name);
		return NULL;
	}
	ha->ha_file = sim_strdup(path);
	root = ynode_load(path, &ha->ha_pool, d, from);
	if (root != NULL && root->yn_kind != YNODE_MAP) {
		diag_error(d, root->yn_at, "a profile is a map, not %s",
		    ynode_kind_name(root));
		return NULL;
	}
	return root;
}

/* A name, not a path: no folders above hardware/. */
static bool
name_ok(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL &&
	       strlen(name) < 100;
}

static bool
read_role(struct reader *rd)
{
	struct ynode *yn = ynode_get(rd->rd_root, "role", NULL);

	if (yn == NULL) {
		diag_error(rd->rd_d, rd->rd_root->yn_at,
		    "'role' is missing: server, client, freebsd or linux");
		return false;
	}
	for (int r = 0; r < HARDWARE_NROLES; r++) {
		if (yn->yn_kind != YNODE_SCALAR ||
		    strcmp(yn->yn_text, roles[r].ro_name) != 0)
			continue;
		rd->rd_ha->ha_role = (enum hardware_role)r;
		rd->rd_prefix = roles[r].ro_prefix;
		return true;
	}
	diag_error(
	    rd->rd_d, yn->yn_at, "role: want server, client, freebsd or linux");
	return false;
}

static void
read_entries(struct reader *rd, const struct ynode *map, const char *section)
{
	const struct ynode *key, *val;
	const struct key *k;
	char name[100];
	bool top = section[0] == '\0';

	for (size_t i = 0; i < map->yn_n; i++) {
		key = map->yn_keys[i];
		val = map->yn_vals[i];
		if (top && strcmp(key->yn_text, "role") == 0)
			continue;
		if (top && strcmp(key->yn_text, "title") == 0) {
			rd->rd_ha->ha_title = val->yn_text;
			if (val->yn_kind != YNODE_SCALAR)
				diag_error(rd->rd_d, val->yn_at,
				    "title: want a value, not %s",
				    ynode_kind_name(val));
			continue;
		}
		snprintf(name, sizeof(name), "%s%.90s", section, key->yn_text);
		k = key_of(rd, name);
		if (k != NULL && strchr(key->yn_text, '.') == NULL)
			read_entry(rd, k, key, val);
		else if (top && has_section(rd, name) &&
			 val->yn_kind == YNODE_MAP)
			read_section(rd, val, name);
		else if (top && has_section(rd, name))
			diag_error(rd->rd_d, val->yn_at,
			    "%s: want a map, not %s", name,
			    ynode_kind_name(val));
		else
			unknown_key(rd, key, section);
	}
}

static void
read_section(struct reader *rd, const struct ynode *map, const char *name)
{
	char section[110];

	snprintf(section, sizeof(section), "%s.", name);
	read_entries(rd, map, section);
}

static void
read_entry(struct reader *rd, const struct key *k, const struct ynode *key,
    const struct ynode *val)
{
	struct hardware *ha = rd->rd_ha;
	struct hardware_entry *he = &ha->ha_entries[ha->ha_nentries];
	const char *what = is_cost(k) ? "cost" : "value";
	int nerrors = rd->rd_d->d_nerrors;

	memset(he, 0, sizeof(*he));
	he->he_key = k;
	he->he_name = key_name(k);
	he->he_kind = HARDWARE_NKINDS;
	if (val->yn_kind != YNODE_MAP) {
		diag_error(rd->rd_d, val->yn_at,
		    "%s: want {%s: ..., kind: ..., source: ...}", he->he_name,
		    what);
		return;
	}
	for (size_t i = 0; i < val->yn_n; i++)
		read_property(rd, he, val->yn_keys[i], val->yn_vals[i]);
	if (rd->rd_d->d_nerrors > nerrors)
		return;
	if (ynode_get(val, what, NULL) == NULL)
		diag_error(rd->rd_d, key->yn_at, "%s: '%s' is missing",
		    he->he_name, what);
	else if (he->he_kind == HARDWARE_NKINDS)
		diag_error(
		    rd->rd_d, key->yn_at, "%s: 'kind' is missing", he->he_name);
	else if (he->he_source == NULL || he->he_source[0] == '\0')
		diag_error(rd->rd_d, key->yn_at, "%s: 'source' is missing",
		    he->he_name);
	else if (he->he_kind == HARDWARE_FITTED && he->he_ncells == 0)
		diag_error(rd->rd_d, key->yn_at,
		    "%s: fitted, so 'cells' must name what to", he->he_name);
	else if (he->he_kind != HARDWARE_FITTED && he->he_ncells > 0)
		diag_error(rd->rd_d, key->yn_at,
		    "%s: 'cells' is for fitted values only", he->he_name);
	else
		check_range(rd, he, val);
	if (rd->rd_d->d_nerrors == nerrors)
		ha->ha_nentries++;
}

/* LOW <= value <= HIGH */
static void
check_range(
    struct reader *rd, const struct hardware_entry *he, const struct ynode *val)
{
	const struct ynode *range = ynode_get(val, "range", NULL);
	char text[UNIT_TEXT_MAX];

	if (!he->he_ranged)
		return;
	if (he->he_low.kv_real > he->he_high.kv_real)
		diag_error(rd->rd_d, range->yn_at,
		    "range: %s, want LOW <= HIGH", range->yn_text);
	else if (he->he_value.kv_real < he->he_low.kv_real ||
		 he->he_value.kv_real > he->he_high.kv_real)
		diag_error(rd->rd_d, range->yn_at,
		    "range: %s, but %s is %s, which is not in it",
		    range->yn_text, he->he_name,
		    key_print(he->he_key, &he->he_value, text, sizeof(text)));
}

static void
read_property(struct reader *rd, struct hardware_entry *he,
    const struct ynode *key, const struct ynode *val)
{
	const char *const names[] = { is_cost(he->he_key) ? "cost" : "value",
		"kind", "source", "cells", "range" };
	const char *name = key->yn_text, *near;

	if (strcmp(name, names[0]) == 0) {
		if (key_parse(he->he_key, val, &he->he_value, rd->rd_d))
			key_store(
			    he->he_key, &rd->rd_ha->ha_setup, &he->he_value);
	} else if (strcmp(name, "cells") == 0) {
		read_cells(rd, he, val);
	} else if (strcmp(name, "range") == 0) {
		he->he_ranged = key_parse_range(he->he_key, val,
		    &rd->rd_ha->ha_pool, &he->he_low, &he->he_high, rd->rd_d);
	} else if (strcmp(name, "kind") != 0 && strcmp(name, "source") != 0) {
		near = diag_nearest(name, names, 5);
		diag_error(rd->rd_d, key->yn_at, "unknown key '%s'%s%s%s", name,
		    near ? ", did you mean '" : "", near ? near : "",
		    near ? "'?" : "");
	} else if (val->yn_kind != YNODE_SCALAR) {
		diag_error(rd->rd_d, val->yn_at, "%s: want a value, not %s",
		    name, ynode_kind_name(val));
	} else if (strcmp(name, "source") == 0) {
		he->he_source = val->yn_text;
	} else {
		for (int k = 0; k < HARDWARE_NKINDS; k++) {
			if (strcmp(kind_names[k], val->yn_text) == 0)
				he->he_kind = k;
		}
		if (he->he_kind == HARDWARE_NKINDS)
			diag_error(rd->rd_d, val->yn_at,
			    "kind: '%s', want "
			    "measured|paper|datasheet|fitted|guess",
			    val->yn_text);
	}
}

static void
read_cells(
    struct reader *rd, struct hardware_entry *he, const struct ynode *val)
{
	if (val->yn_kind != YNODE_SEQ) {
		diag_error(rd->rd_d, val->yn_at, "cells: want a list, not %s",
		    ynode_kind_name(val));
		return;
	}
	he->he_cells = ypool_alloc(
	    &rd->rd_ha->ha_pool, (val->yn_n + 1) * sizeof(*he->he_cells));
	for (size_t i = 0; i < val->yn_n; i++) {
		if (val->yn_vals[i]->yn_kind != YNODE_SCALAR)
			diag_error(rd->rd_d, val->yn_vals[i]->yn_at,
			    "cells: want values, not %s",
			    ynode_kind_name(val->yn_vals[i]));
		else
			he->he_cells[he->he_ncells++] =
			    val->yn_vals[i]->yn_text;
	}
}

static const struct key *
key_of(const struct reader *rd, const char *name)
{
	char path[160];
	const struct key *k;

	snprintf(path, sizeof(path), "%s%s", rd->rd_prefix, name);
	k = key_find(path);
	return k != NULL && k->k_type != KEY_PROFILE &&
		       !hardware_lacks(rd->rd_ha->ha_role, name)
		   ? k
		   : NULL;
}

static bool
has_section(const struct reader *rd, const char *name)
{
	char path[160];
	size_t n;

	n = snprintf(path, sizeof(path), "%s%s.", rd->rd_prefix, name);
	for (size_t i = 0; i < keys_n; i++) {
		if (strncmp(keys[i].k_path, path, n) == 0)
			return true;
	}
	return false;
}

static void
unknown_key(struct reader *rd, const struct ynode *key, const char *section)
{
	const char **names, *near;
	size_t n = 0, len = strlen(section);

	if (len == 0 && hardware_lacks(rd->rd_ha->ha_role, key->yn_text)) {
		diag_error(rd->rd_d, key->yn_at,
		    "%s: a cost of role: %s, not of %s", key->yn_text,
		    role_of_cost(cost_find(key->yn_text)),
		    roles[rd->rd_ha->ha_role].ro_name);
		return;
	}
	names = sim_calloc(keys_n + 3, sizeof(*names));
	for (size_t i = 0; i < keys_n; i++) {
		if (strncmp(keys[i].k_path, rd->rd_prefix,
			strlen(rd->rd_prefix)) == 0 &&
		    keys[i].k_type != KEY_PROFILE &&
		    !hardware_lacks(rd->rd_ha->ha_role, key_name(&keys[i])) &&
		    strncmp(key_name(&keys[i]), section, len) == 0)
			names[n++] = key_name(&keys[i]) + len;
	}
	if (len == 0) {
		names[n++] = "title";
		names[n++] = "role";
		names[n++] = "cache";
	}
	near = diag_nearest(key->yn_text, names, n);
	diag_error(rd->rd_d, key->yn_at, "unknown key '%s'%s%s%s", key->yn_text,
	    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
	sim_free(names);
}

/* One error for all: a new cost in the table is one line in every profile. */
static void
list_missing(struct reader *rd)
{
	struct hardware *ha = rd->rd_ha;
	char *list = NULL;
	int n = 0;

	for (size_t i = 0; i < keys_n; i++) {
		if (strncmp(keys[i].k_path, rd->rd_prefix,
			strlen(rd->rd_prefix)) != 0 ||
		    is_optional(rd, &keys[i]) ||
		    hardware_entry(ha, &keys[i]) != NULL)
			continue;
		list = ypool_printf(&ha->ha_pool, "%s%s%s", n ? list : "",
		    n ? ", " : "", key_name(&keys[i]));
		n++;
	}
	if (n > 0)
		diag_error(rd->rd_d, diag_whole(rd->rd_root->yn_at.ds_file),
		    "%d missing: %s", n, list);
}

/* Returns: the cost of this name, or COST_work. */
static int
cost_find(const char *name)
{
	int i = 0;

	while (i < COST_work && strcmp(cost_infos[i].ci_name, name) != 0)
		i++;
	return i;
}

bool
hardware_lacks(enum hardware_role role, const char *name)
{
	int cost = cost_find(name);

	return cost < COST_work &&
	       cost_infos[cost].ci_family != roles[role].ro_family;
}

/* A peer's caches are in its lumped costs; only freebsd-2007 copies. */
static bool
is_optional(const struct reader *rd, const struct key *k)
{
	enum hardware_role role = rd->rd_ha->ha_role;

	if (k->k_type == KEY_PROFILE ||
	    hardware_lacks(rd->rd_ha->ha_role, key_name(k)))
		return true;
	if (strcmp(key_name(k), "cache.size") == 0 ||
	    strcmp(key_name(k), "cache.way_size") == 0 ||
	    strcmp(key_name(k), "cost_spread") == 0)
		return role != HARDWARE_FREEBSD;
	return (role == HARDWARE_CLIENT || role == HARDWARE_LINUX) &&
	       strncmp(key_name(k), "cache.", 6) == 0;
}

static void
check_cpus(struct reader *rd)
{
	const struct setup_hardware *hw = &rd->rd_ha->ha_setup;

	if (hw->hw_ncpus % hw->hw_threads_per_core != 0)
		diag_error(rd->rd_d,
		    ynode_get(rd->rd_root, "cpus", NULL)->yn_at,
		    "cpus: %d, want a multiple of threads_per_core (%d)",
		    hw->hw_ncpus, hw->hw_threads_per_core);
}

static bool
is_cost(const struct key *k)
{
	return k->k_unit == UNIT_TIME;
}

static int
entry_compare(const void *a, const void *b)
{
	const struct hardware_entry *x = a, *y = b;

	return (x->he_key > y->he_key) - (x->he_key < y->he_key);
}

/* By place in the key table, an array. */
static void
sort_entries(struct hardware *ha)
{
	qsort(ha->ha_entries, ha->ha_nentries, sizeof(*ha->ha_entries),
	    entry_compare);
}

const struct hardware_entry *
hardware_entry(const struct hardware *ha, const struct key *k)
{
	for (size_t i = 0; i < ha->ha_nentries; i++) {
		if (ha->ha_entries[i].he_key == k)
			return &ha->ha_entries[i];
	}
	return NULL;
}

const char *
hardware_role_name(enum hardware_role role)
{
	return roles[role].ro_name;
}

static const char *
role_of_cost(int cost)
{
	for (int r = 0; r < HARDWARE_NROLES; r++) {
		if (roles[r].ro_family == cost_infos[cost].ci_family)
			return roles[r].ro_name;
	}
	return "none";
}

const char *
hardware_kind_name(enum hardware_kind kind)
{
	return kind_names[kind];
}
