#include <ctype.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/core/stat_steady.h"
#include "sim/lab/kernels.h"
#include "sim/lab/scenario_impl.h"

#define PATTERN_MAX 160

struct fill {
	struct scenario *fl_sc;
	struct setup *fl_su;
	struct diag *fl_d;
	void *fl_base[KEY_OF_HARDWARE + 1]; /* struct being filled, by scope */
	enum setup_kernel fl_kernel;	    /* of the machine being filled */
	bool fl_any_sysctl;   /* its kernel is not known: refuse no sysctl */
	unsigned fl_bad_nics; /* machines with errors there, a bit each */
	char fl_bad[256];     /* the profile that could not be loaded */
};

static void fill_map(
    struct fill *, const char *pattern, const struct ynode *map);
static void fill_key(struct fill *, const char *pattern,
    const struct ynode *key, const struct ynode *val);
static void fill_leaf(
    struct fill *, const struct key *, const struct ynode *val);
static void fill_link(struct fill *, const struct ynode *val);
static int find_port(const struct setup_machine *, const char *name, int *nic);
static void fill_hardware(
    struct fill *, const char *pattern, const struct ynode *map);
static struct hardware *profile_get(struct fill *, const struct ynode *name);
static void fill_nics(struct fill *, const char *section, const struct ynode *);
static void fill_entities(
    struct fill *, const char *section, const struct ynode *map);
static void check_role(struct fill *, enum key_scope, const struct ynode *map);
static void *entity_begin(
    struct fill *, enum key_scope, const char *name, int *n);
static bool name_ok(
    struct fill *, const char *section, const struct ynode *key);
static void fill_defaults(struct fill *, enum key_scope);
static void list_missing(struct fill *, enum key_scope, const char *pattern,
    struct diag_span, const struct ynode *map);
static bool is_section(const char *pattern, const char *more);
static void unknown_key(
    struct fill *, const char *pattern, const struct ynode *key);
static bool lacks(const struct fill *, const struct key *);
static void absent_sysctl(
    struct fill *, const char *pattern, const struct ynode *key);
static void note_sysctls(struct fill *, const char *pattern);
static bool ends_with(const char *s, const char *end);
static void fill_auto(struct setup_run *);

/* Maps whose keys are names that the user gives. */
static const struct entity {
	const char *en_section;
	enum key_scope en_scope;
	int en_max;
} entities[] = {
	{ "machines", KEY_OF_MACHINE, SETUP_MAX_MACHINES },
	{ "machines.*.nics", KEY_OF_NIC, SETUP_MAX_NICS },
	{ "machines.*.processes", KEY_OF_PROCESS, SETUP_MAX_PROCS },
	{ "peers", KEY_OF_PEER, SETUP_MAX_PEERS },
};

void
scenario_fill(struct scenario *sc, const struct ynode *root, struct setup *su,
    struct diag *d)
{
	static const char *const order[] = { "title", "source", "machines",
		"peers", "run" };
	struct fill fl = { .fl_sc = sc, .fl_su = su, .fl_d = d };
	struct ynode *key;

	memset(su, 0, sizeof(*su));
	fl.fl_base[KEY_OF_SETUP] = su;
	fill_defaults(&fl, KEY_OF_SETUP);
	/* Links need the machines, whatever the order in the file. */
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		struct ynode *val = ynode_get(root, order[i], &key);

		if (val != NULL)
			fill_key(&fl, "", key, val);
		else if (i == 0 || i == 2 || i == 3)
			diag_error(d, root->yn_at, "'%s' is missing", order[i]);
	}
	for (size_t i = 0; i < root->yn_n; i++) {
		const char *name = root->yn_keys[i]->yn_text;
		size_t o = 0;

		while (o < sizeof(order) / sizeof(order[0]) &&
		       strcmp(order[o], name) != 0)
			o++;
		if (o == sizeof(order) / sizeof(order[0]) &&
		    strcmp(name, "sweep") != 0 && strcmp(name, "fit") != 0 &&
		    strcmp(name, "ranges") != 0 &&
		    strcmp(name, "published") != 0)
			unknown_key(&fl, "", root->yn_keys[i]);
	}
	fill_auto(&su->su_run);
}

/* slice: auto is 100ms, or finer or coarser so that there are 60 to 4096. */
static void
fill_auto(struct setup_run *sr)
{
	static const sim_ns lengths[] = { 100, 50, 20, 10, 5, 2, 1, 200, 500,
		1000, 2000, 5000 };
	static const size_t finest = 6, n = sizeof(lengths) / sizeof(*lengths);
	size_t i = 0;

	if (sr->sr_warmup == KEY_AUTO) {
		sr->sr_warmup = 0;
		sr->sr_warmup_auto = true;
	}
	if (sr->sr_slice != KEY_AUTO)
		return;
	sr->sr_slice = sim_ms(lengths[0]);
	while (i < finest && setup_nslices(sr) < STAT_MIN_SLICES)
		sr->sr_slice = sim_ms(lengths[++i]);
	for (i = finest; i + 1 < n && setup_nslices(sr) > SETUP_MAX_SLICES;)
		sr->sr_slice = sim_ms(lengths[++i]);
}

static void
fill_map(struct fill *fl, const char *pattern, const struct ynode *map)
{
	for (size_t i = 0; i < map->yn_n; i++)
		fill_key(fl, pattern, map->yn_keys[i], map->yn_vals[i]);
}

static void
fill_key(struct fill *fl, const char *pattern, const struct ynode *key,
    const struct ynode *val)
{
	char child[PATTERN_MAX];
	const struct key *k;
	bool dotted;
	int n;

	n = snprintf(child, sizeof(child), "%s%s%s", pattern,
	    pattern[0] != '\0' ? "." : "", key->yn_text);
	dotted =
	    strchr(key->yn_text, '.') != NULL && !ends_with(pattern, ".sysctl");
	k = key_find(child);
	if (n >= (int)sizeof(child) || dotted || strchr(key->yn_text, '*') ||
	    (k == NULL && ends_with(pattern, ".sysctl")))
		unknown_key(fl, pattern, key);
	else if (k != NULL && lacks(fl, k))
		absent_sysctl(fl, pattern, key);
	else if (k != NULL)
		fill_leaf(fl, k, val);
	else if (!is_section(child, "."))
		unknown_key(fl, pattern, key);
	else if (val->yn_kind != YNODE_MAP)
		diag_error(fl->fl_d, val->yn_at, "%s: want a map, not %s",
		    key->yn_text, ynode_kind_name(val));
	else if (ends_with(child, ".nics"))
		fill_nics(fl, child, val);
	else if (is_section(child, ".*."))
		fill_entities(fl, child, val);
	else if (ends_with(child, ".hardware"))
		fill_hardware(fl, child, val);
	else
		fill_map(fl, child, val);
}

static void
fill_leaf(struct fill *fl, const struct key *k, const struct ynode *val)
{
	struct key_value kv;

	if (!key_parse(k, val, &kv, fl->fl_d))
		return;
	if (k->k_type == KEY_LINK)
		fill_link(fl, val);
	else if (k->k_store != STORE_NONE)
		key_store(k, fl->fl_base[k->k_scope], &kv);
}

/* MACHINE.NICPORT */
static void
fill_link(struct fill *fl, const struct ynode *val)
{
	struct setup_peer *pe = fl->fl_base[KEY_OF_PEER];
	const char *dot = strchr(val->yn_text, '.');
	const struct setup_machine *sm;
	size_t len = dot != NULL ? (size_t)(dot - val->yn_text) : 0;

	SIM_ASSERT(pe != NULL);
	for (int m = 0; m < fl->fl_su->su_nmachines && dot != NULL; m++) {
		sm = &fl->fl_su->su_machines[m];
		if (strlen(sm->sm_name) != len ||
		    strncmp(sm->sm_name, val->yn_text, len) != 0)
			continue;
		pe->pe_machine = m;
		pe->pe_port = find_port(sm, dot + 1, &pe->pe_nic);
		if (pe->pe_port < 0 && (fl->fl_bad_nics >> m & 1) == 0)
			diag_error(fl->fl_d, val->yn_at,
			    "link: %s has no port '%s'", sm->sm_name, dot + 1);
		return;
	}
	diag_error(fl->fl_d, val->yn_at,
	    "link: '%s' is not MACHINE.NICPORT, as in server.ix0",
	    val->yn_text);
}

/* Returns: the port, or -1. */
static int
find_port(const struct setup_machine *sm, const char *name, int *nic)
{
	const struct setup_nic *sn;
	const char *digits;
	size_t len;

	for (int i = 0; i < sm->sm_nnics; i++) {
		sn = &sm->sm_nics[i];
		len = strlen(sn->sn_name);
		digits = name + len;
		if (strncmp(sn->sn_name, name, len) != 0 ||
		    !isdigit((unsigned char)digits[0]) || digits[1] != '\0' ||
		    digits[0] - '0' >= sn->sn_ports)
			continue;
		*nic = i;
		return digits[0] - '0';
	}
	return -1;
}

/* The profile first: what else the map says is laid on it. */
static void
fill_hardware(struct fill *fl, const char *pattern, const struct ynode *map)
{
	bool peer = strncmp(pattern, "peers", 5) == 0;
	struct setup_machine *sm = fl->fl_base[KEY_OF_MACHINE];
	struct setup_peer *pe = fl->fl_base[KEY_OF_PEER];
	struct setup_hardware *hw;
	struct ynode *name = ynode_get(map, "profile", NULL);
	struct hardware *ha;

	SIM_ASSERT(peer ? pe != NULL : sm != NULL);
	hw = peer ? &pe->pe_hw : &sm->sm_hw;
	fl->fl_base[KEY_OF_HARDWARE] = hw;
	if (name != NULL && name->yn_kind == YNODE_SCALAR) {
		ha = profile_get(fl, name);
		if (ha != NULL)
			*hw = ha->ha_setup;
	}
	fill_map(fl, pattern, map);
}

static struct hardware *
profile_get(struct fill *fl, const struct ynode *name)
{
	struct scenario *sc = fl->fl_sc;
	const char *dirs[3], *from = "";
	char *copy, *beside;
	size_t ndirs = 0;
	struct hardware *ha = sc->sc_hardware;

	while (ha != NULL && strcmp(ha->ha_name, name->yn_text) != 0)
		ha = ha->ha_next;
	if (ha != NULL || strcmp(fl->fl_bad, name->yn_text) == 0)
		return ha;
	copy = ypool_strdup(&sc->sc_pool, sc->sc_file);
	beside = ypool_printf(&sc->sc_pool, "%s/hardware", dirname(copy));
	dirs[ndirs++] = beside;
	if (name->yn_at.ds_file != NULL)
		from = name->yn_at.ds_file->df_name;
	if (from[0] != '\0' && from[0] != '<') {
		copy = ypool_strdup(&sc->sc_pool, from);
		copy = ypool_printf(&sc->sc_pool, "%s/hardware", dirname(copy));
		if (strcmp(copy, beside) != 0)
			dirs[ndirs++] = copy;
	}
	if (sc->sc_hardware_dir != NULL)
		dirs[ndirs++] = sc->sc_hardware_dir;
	ha = hardware_load(name->yn_text, dirs, ndirs, name->yn_at, fl->fl_d);
	if (ha == NULL) {
		snprintf(fl->fl_bad, sizeof(fl->fl_bad), "%s", name->yn_text);
		return NULL;
	}
	ha->ha_next = sc->sc_hardware;
	sc->sc_hardware = ha;
	return ha;
}

/* Remembers whether links to this machine can be judged. */
static void
fill_nics(struct fill *fl, const char *section, const struct ynode *map)
{
	int nerrors = fl->fl_d->d_nerrors;

	fill_entities(fl, section, map);
	if (fl->fl_d->d_nerrors > nerrors)
		fl->fl_bad_nics |= 1u << (fl->fl_su->su_nmachines - 1);
}

static void
fill_entities(struct fill *fl, const char *section, const struct ynode *map)
{
	const struct entity *en = entities;
	char pattern[PATTERN_MAX];
	const struct ynode *key, *val;
	int n = 0;

	while (strcmp(en->en_section, section) != 0)
		en++;
	snprintf(pattern, sizeof(pattern), "%s.*", section);
	for (size_t i = 0; i < map->yn_n; i++) {
		key = map->yn_keys[i];
		val = map->yn_vals[i];
		if (!name_ok(fl, section, key))
			continue;
		if (n == en->en_max) {
			diag_error(fl->fl_d, key->yn_at, "more than %d %s",
			    en->en_max,
			    strrchr(section, '.') ? strrchr(section, '.') + 1
						  : section);
			return;
		}
		if (val->yn_kind != YNODE_MAP) {
			diag_error(fl->fl_d, val->yn_at,
			    "%s: want a map, not %s", key->yn_text,
			    ynode_kind_name(val));
			continue;
		}
		if (en->en_scope == KEY_OF_MACHINE)
			fl->fl_any_sysctl = !kernel_of(val, &fl->fl_kernel);
		fl->fl_base[en->en_scope] =
		    entity_begin(fl, en->en_scope, key->yn_text, &n);
		fill_defaults(fl, en->en_scope);
		fill_map(fl, pattern, val);
		check_role(fl, en->en_scope, val);
		list_missing(fl, en->en_scope, pattern, key->yn_at, val);
	}
}

/* The profile of a machine is its kernel's, that of a peer its tool's. */
static void
check_role(struct fill *fl, enum key_scope scope, const struct ynode *map)
{
	const struct setup_peer *pe = fl->fl_base[KEY_OF_PEER];
	bool netperf = scope == KEY_OF_PEER && pe->pe_tool == TOOL_NETPERF;
	struct ynode *hw = ynode_get(map, "hardware", NULL), *name = NULL;
	enum hardware_role want = netperf ? HARDWARE_LINUX : HARDWARE_CLIENT;
	const struct hardware *ha = fl->fl_sc->sc_hardware;
	char why[60];

	if (hw != NULL && hw->yn_kind == YNODE_MAP)
		name = ynode_get(hw, "profile", NULL);
	if (name == NULL || name->yn_kind != YNODE_SCALAR ||
	    (scope != KEY_OF_MACHINE && scope != KEY_OF_PEER))
		return;
	while (ha != NULL && strcmp(ha->ha_name, name->yn_text) != 0)
		ha = ha->ha_next;
	snprintf(why, sizeof(why), "tool: %s",
	    netperf ? "netperf" : "wrk, open or httperf");
	if (scope == KEY_OF_MACHINE) {
		want = fl->fl_kernel == KERNEL_FREEBSD_2007 ? HARDWARE_FREEBSD
							    : HARDWARE_SERVER;
		snprintf(
		    why, sizeof(why), "kernel: %s", kernel_name(fl->fl_kernel));
		/* Its kernel is an error already. */
		if (fl->fl_any_sysctl && ha != NULL &&
		    ha->ha_role == HARDWARE_FREEBSD)
			return;
	}
	for (size_t i = 0; ha != NULL && i < hw->yn_n; i++)
		if (ha->ha_role == want &&
		    hardware_lacks(want, hw->yn_keys[i]->yn_text))
			diag_error(fl->fl_d, hw->yn_keys[i]->yn_at,
			    "%s: not a cost of role: %s",
			    hw->yn_keys[i]->yn_text, hardware_role_name(want));
	if (ha != NULL && ha->ha_role != want)
		diag_error(fl->fl_d, name->yn_at,
		    "hardware: '%s' has role: %s, want %s with %s", ha->ha_name,
		    hardware_role_name(ha->ha_role), hardware_role_name(want),
		    why);
}

/* Take the next element of the array of this scope. */
static void *
entity_begin(struct fill *fl, enum key_scope scope, const char *name, int *n)
{
	struct setup *su = fl->fl_su;
	struct setup_machine *sm = fl->fl_base[KEY_OF_MACHINE];
	int i = (*n)++;

	SIM_ASSERT(
	    sm != NULL || (scope != KEY_OF_NIC && scope != KEY_OF_PROCESS));
	switch (scope) {
	case KEY_OF_MACHINE:
		su->su_nmachines = *n;
		su->su_machines[i].sm_name = name;
		return &su->su_machines[i];
	case KEY_OF_NIC:
		sm->sm_nnics = *n;
		sm->sm_nics[i].sn_name = name;
		return &sm->sm_nics[i];
	case KEY_OF_PROCESS:
		sm->sm_nprocs = *n;
		sm->sm_procs[i].sp_name = name;
		return &sm->sm_procs[i];
	case KEY_OF_PEER:
		su->su_npeers = *n;
		su->su_peers[i].pe_name = name;
		return &su->su_peers[i];
	case KEY_OF_SETUP:
	case KEY_OF_HARDWARE:
		break;
	}
	return NULL;
}

/* Names are parts of paths; a card's gets a port number at its end. */
static bool
name_ok(struct fill *fl, const char *section, const struct ynode *key)
{
	const char *s = key->yn_text;
	bool nic = ends_with(section, ".nics");

	if (scenario_name_ok(s) &&
	    !(nic && isdigit((unsigned char)s[strlen(s) - 1])))
		return true;
	diag_error(fl->fl_d, key->yn_at,
	    "'%.40s' is not a name: up to 32 letters, digits, - and _, "
	    "a letter first%s",
	    s, nic ? ", no digit last" : "");
	return false;
}

bool
scenario_name_ok(const char *name)
{
	bool ok = isalpha((unsigned char)*name);

	for (const char *s = name; *s != '\0'; s++)
		ok = ok &&
		     (isalnum((unsigned char)*s) || *s == '-' || *s == '_');
	return ok && strlen(name) <= 32;
}

static void
fill_defaults(struct fill *fl, enum key_scope scope)
{
	struct key_value kv;

	for (size_t i = 0; i < keys_n; i++) {
		if (keys[i].k_scope != scope || keys[i].k_default == NULL)
			continue;
		kernel_default(fl->fl_kernel, &keys[i], &kv);
		key_store(&keys[i], fl->fl_base[scope], &kv);
	}
}

static void
list_missing(struct fill *fl, enum key_scope scope, const char *pattern,
    struct diag_span at, const struct ynode *map)
{
	size_t len = strlen(pattern);
	const struct setup_process *sp = fl->fl_base[KEY_OF_PROCESS];
	const char *rest;
	struct ynode *found;

	/* What a process must say is all nginx's. */
	if (scope == KEY_OF_PROCESS && sp->sp_program == PROGRAM_NETSERVER)
		return;
	for (size_t i = 0; i < keys_n; i++) {
		if (keys[i].k_scope != scope || keys[i].k_default != NULL)
			continue;
		rest = keys[i].k_path + len + 1;
		if (strcmp(rest, "hardware.profile") == 0) {
			rest = "hardware";
			found = ynode_get(map, rest, NULL);
			if (found != NULL && found->yn_kind == YNODE_MAP) {
				rest = "hardware.profile";
				found = ynode_get(found, "profile", NULL);
			}
		} else {
			found = ynode_get(map, rest, NULL);
		}
		if (found == NULL)
			diag_error(fl->fl_d, at, "'%s' is missing", rest);
	}
}

static bool
is_section(const char *pattern, const char *more)
{
	size_t n = strlen(pattern), m = strlen(more);

	for (size_t i = 0; i < keys_n; i++) {
		if (strncmp(keys[i].k_path, pattern, n) == 0 &&
		    strncmp(keys[i].k_path + n, more, m) == 0)
			return true;
	}
	return false;
}

/* With what is nearest; for sysctls with all that are modelled. */
static void
unknown_key(struct fill *fl, const char *pattern, const struct ynode *key)
{
	const char **names = sim_calloc(keys_n + 6, sizeof(*names)), *near;
	static const char *const top[] = { "extends", "sweep", "published",
		"fit", "ranges" };
	bool sysctl = ends_with(pattern, ".sysctl");
	size_t n = 0, len = strlen(pattern) + (pattern[0] != '\0');
	struct ypool yp = { NULL };

	for (size_t i = 0; i < keys_n; i++) {
		char *name;

		if (strncmp(keys[i].k_path, pattern, strlen(pattern)) != 0 ||
		    (len > 0 && keys[i].k_path[len - 1] != '.') ||
		    lacks(fl, &keys[i]))
			continue;
		name = ypool_strdup(&yp, keys[i].k_path + len);
		if (!sysctl)
			name[strcspn(name, ".")] = '\0';
		names[n++] = name;
	}
	for (size_t i = 0; len == 0 && i < sizeof(top) / sizeof(top[0]); i++)
		names[n++] = top[i];
	near = diag_nearest(key->yn_text, names, n);
	diag_error(fl->fl_d, key->yn_at,
	    sysctl ? "sysctl '%s' is not modelled%s%s%s"
		   : "unknown key '%s'%s%s%s",
	    key->yn_text, near ? ", did you mean '" : "", near ? near : "",
	    near ? "'?" : "");
	if (sysctl)
		note_sysctls(fl, pattern);
	ypool_fini(&yp);
	sim_free(names);
}

/* Whether the kernel of the machine being filled lacks this sysctl. */
static bool
lacks(const struct fill *fl, const struct key *k)
{
	return !fl->fl_any_sysctl && kernel_lacks(fl->fl_kernel, k);
}

static void
absent_sysctl(struct fill *fl, const char *pattern, const struct ynode *key)
{
	diag_error(fl->fl_d, key->yn_at, "%s: %s does not have it",
	    key->yn_text, kernel_name(fl->fl_kernel));
	note_sysctls(fl, pattern);
}

/* Those that are modelled of this kernel. */
static void
note_sysctls(struct fill *fl, const char *pattern)
{
	size_t len = strlen(pattern);
	struct ypool yp = { NULL };
	const char *list = "";

	for (size_t i = 0; i < keys_n; i++) {
		if (strncmp(keys[i].k_path, pattern, len) == 0 &&
		    keys[i].k_path[len] == '.' && !lacks(fl, &keys[i]))
			list = ypool_printf(&yp, "%s%s%s", list,
			    list[0] != '\0' ? ", " : "",
			    keys[i].k_path + len + 1);
	}
	diag_note(fl->fl_d, diag_whole(NULL), "modelled: %s", list);
	ypool_fini(&yp);
}

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}
