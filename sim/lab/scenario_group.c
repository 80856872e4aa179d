/* `ranges:` of a scenario. */
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/scenario_impl.h"

struct grouper {
	struct scenario *gp_sc;
	struct diag *gp_d;
	const struct ynode *gp_map; /* of all groups */
};

static void group_load(
    struct grouper *, const struct ynode *key, const struct ynode *list);
static void cost_load(
    struct grouper *, struct scenario_group *, const struct ynode *);
static bool is_cost(const struct scenario_path *);
static bool cost_twice(struct grouper *, const struct scenario_group *now,
    const struct scenario_path *, const struct ynode *);
static bool profile_is_set(
    const struct scenario *, const struct scenario_path *);

void
scenario_groups_load(struct scenario *sc, struct diag *d)
{
	struct grouper gp = { sc, d, ynode_get(sc->sc_tree, "ranges", NULL) };
	const struct ynode *map = gp.gp_map;

	if (map == NULL)
		return;
	if (map->yn_kind != YNODE_MAP || map->yn_n > SCENARIO_MAX_GROUPS) {
		diag_error(d, map->yn_at,
		    "ranges: want a map of up to %d groups, "
		    "NAME: [COST, ...]",
		    SCENARIO_MAX_GROUPS);
		return;
	}
	sc->sc_groups = sim_calloc(map->yn_n + 1, sizeof(*sc->sc_groups));
	for (size_t i = 0; i < map->yn_n; i++)
		group_load(&gp, map->yn_keys[i], map->yn_vals[i]);
}

static void
group_load(
    struct grouper *gp, const struct ynode *key, const struct ynode *list)
{
	struct scenario *sc = gp->gp_sc;
	struct scenario_group *gr = &sc->sc_groups[sc->sc_ngroups];

	if (!scenario_name_ok(key->yn_text)) {
		diag_error(gp->gp_d, key->yn_at,
		    "'%.40s' is not a name: up to 32 letters, digits, - and _, "
		    "a letter first",
		    key->yn_text);
		return;
	}
	if (list->yn_kind != YNODE_SEQ || list->yn_n == 0) {
		diag_error(gp->gp_d, list->yn_at,
		    "%s: want a list of costs, as in "
		    "[server.hardware.ipi_send]",
		    key->yn_text);
		return;
	}
	gr->gr_name = key->yn_text;
	gr->gr_costs =
	    ypool_alloc(&sc->sc_pool, list->yn_n * sizeof(*gr->gr_costs));
	sc->sc_ngroups++;
	for (size_t i = 0; i < list->yn_n; i++)
		cost_load(gp, gr, list->yn_vals[i]);
}

static void
cost_load(struct grouper *gp, struct scenario_group *gr, const struct ynode *yn)
{
	const struct hardware *ha = gp->gp_sc->sc_hardware;
	struct scenario_group_cost *gc = &gr->gr_costs[gr->gr_n];
	const struct scenario_path *sp = NULL;
	const struct hardware_entry *he;

	if (yn->yn_kind == YNODE_SCALAR) {
		sp = scenario_path_find(
		    gp->gp_sc, yn->yn_text, yn->yn_at, gp->gp_d);
		if (sp == NULL)
			return;
	}
	if (sp == NULL || !is_cost(sp)) {
		diag_error(gp->gp_d, yn->yn_at,
		    "%s: want the path of a cost, as in "
		    "server.hardware.ipi_send",
		    gr->gr_name);
		return;
	}
	if (cost_twice(gp, gr, sp, yn))
		return;
	gc->gc_key = sp->sp_key;
	gc->gc_path = sp->sp_name;
	gc->gc_profile = scenario_profile_of(gp->gp_sc, sp);
	while (strcmp(ha->ha_name, gc->gc_profile) != 0)
		ha = ha->ha_next;
	he = hardware_entry(ha, sp->sp_key);
	if (he != NULL && he->he_ranged) {
		gc->gc_low = he->he_low;
		gc->gc_high = he->he_high;
		gr->gr_n++;
	} else if (!profile_is_set(gp->gp_sc, sp)) {
		diag_error(gp->gp_d, yn->yn_at,
		    "%s: %s has no 'range' in the profile '%s'", gr->gr_name,
		    key_name(sp->sp_key), ha->ha_name);
		diag_note(gp->gp_d, diag_whole(NULL), "in %s", ha->ha_file);
	}
}

/* What may vary without anything else having to. */
static bool
is_cost(const struct scenario_path *sp)
{
	return sp->sp_key->k_scope == KEY_OF_HARDWARE &&
	       (sp->sp_key->k_store == STORE_INT64 ||
		   sp->sp_key->k_store == STORE_DOUBLE);
}

/* Returns: true after an error. A profile's cost has one range for all. */
static bool
cost_twice(struct grouper *gp, const struct scenario_group *now,
    const struct scenario_path *sp, const struct ynode *yn)
{
	const char *profile = scenario_profile_of(gp->gp_sc, sp);
	const struct scenario_group *gr = gp->gp_sc->sc_groups;

	for (; gr <= now; gr++) {
		for (int i = 0; i < gr->gr_n; i++) {
			const struct scenario_group_cost *gc = &gr->gr_costs[i];

			if (gc->gc_key != sp->sp_key ||
			    strcmp(gc->gc_profile, profile) != 0)
				continue;
			diag_error(gp->gp_d, yn->yn_at,
			    "%s: %s of '%s' is in '%s' already", now->gr_name,
			    key_name(sp->sp_key), profile, gr->gr_name);
			return true;
		}
	}
	return false;
}

/*
 * With another profile from the command line, costs that have no range there
 * stay where they are: it must be possible to ask what else would do.
 */
static bool
profile_is_set(const struct scenario *sc, const struct scenario_path *sp)
{
	const struct scenario_axis *ax;

	for (int i = 0; i < sc->sc_naxes; i++) {
		ax = &sc->sc_axes[i];
		if (ax->ax_set && ax->ax_path != NULL &&
		    ax->ax_path->sp_key->k_type == KEY_PROFILE &&
		    strcmp(ax->ax_path->sp_steps[1], sp->sp_steps[1]) == 0)
			return true;
	}
	return false;
}

void
scenario_group_set(
    const struct scenario *sc, int group, bool high, struct setup *su)
{
	const struct scenario_group *gr = &sc->sc_groups[group];
	struct setup_hardware *hw;

	for (int c = 0; c < gr->gr_n; c++) {
		const struct scenario_group_cost *gc = &gr->gr_costs[c];
		int i = 0;

		while ((hw = scenario_next_hardware(gc->gc_profile, su, &i)) !=
		       NULL)
			key_store(
			    gc->gc_key, hw, high ? &gc->gc_high : &gc->gc_low);
	}
}
