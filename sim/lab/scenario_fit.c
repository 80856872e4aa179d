/* `fit:` of a scenario. */
#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/scenario_impl.h"

struct fitter {
	struct scenario *ft_sc;
	struct diag *ft_d;
};

static void fit_cost(
    struct fitter *, struct scenario_fit *, const struct ynode *);
static void fit_range(
    struct fitter *, struct scenario_fit *, const struct ynode *);
static void fit_cell(
    struct fitter *, struct scenario_fit *, const struct ynode *);

void
scenario_fit_load(
    struct scenario *sc, const struct ynode *entry, struct diag *d)
{
	static const char *const words[] = { "cost", "range", "cell", NULL };
	const struct ynode *parts[3] = { NULL };
	struct fitter ft = { sc, d };
	struct scenario_fit fi = { 0 };
	int nerrors = d->d_nerrors;

	if (entry->yn_kind != YNODE_MAP) {
		diag_error(d, entry->yn_at, "fit: want a map, not %s",
		    ynode_kind_name(entry));
		return;
	}
	for (int i = 0; i < 3; i++) {
		parts[i] = ynode_get(entry, words[i], NULL);
		if (parts[i] == NULL)
			diag_error(
			    d, entry->yn_at, "fit: '%s' is missing", words[i]);
	}
	for (size_t i = 0; i < entry->yn_n; i++) {
		if (entry->yn_vals[i] != parts[0] &&
		    entry->yn_vals[i] != parts[1] &&
		    entry->yn_vals[i] != parts[2])
			scenario_unknown_word(
			    entry->yn_keys[i], words, false, d);
	}
	if (d->d_nerrors == nerrors)
		fit_cost(&ft, &fi, parts[0]);
	if (d->d_nerrors == nerrors)
		fit_range(&ft, &fi, parts[1]);
	if (d->d_nerrors == nerrors)
		fit_cell(&ft, &fi, parts[2]);
	if (d->d_nerrors > nerrors)
		return;
	sc->sc_fits =
	    sim_realloc(sc->sc_fits, sc->sc_nfits + 1, sizeof(*sc->sc_fits));
	sc->sc_fits[sc->sc_nfits++] = fi;
}

static void
fit_cost(struct fitter *ft, struct scenario_fit *fi, const struct ynode *yn)
{
	const struct scenario_path *sp = NULL;

	if (yn->yn_kind == YNODE_SCALAR)
		sp = scenario_path_find(
		    ft->ft_sc, yn->yn_text, yn->yn_at, ft->ft_d);
	if (sp == NULL || sp->sp_key->k_scope != KEY_OF_HARDWARE ||
	    sp->sp_key->k_store != STORE_INT64) {
		if (yn->yn_kind != YNODE_SCALAR || sp != NULL)
			diag_error(ft->ft_d, yn->yn_at,
			    "cost: want the path of a cost, as in "
			    "server.hardware.ngx_request");
		return;
	}
	fi->fi_key = sp->sp_key;
	fi->fi_path = sp->sp_name;
	fi->fi_cost = key_name(sp->sp_key);
	fi->fi_profile = scenario_profile_of(ft->ft_sc, sp);
}

const char *
scenario_profile_of(const struct scenario *sc, const struct scenario_path *sp)
{
	const struct setup *su = &sc->sc_setup;

	for (int i = 0; i < su->su_nmachines; i++) {
		if (strcmp(su->su_machines[i].sm_name, sp->sp_steps[1]) == 0)
			return su->su_machines[i].sm_hw.hw_name;
	}
	for (int i = 0; i < su->su_npeers; i++) {
		if (strcmp(su->su_peers[i].pe_name, sp->sp_steps[1]) == 0)
			return su->su_peers[i].pe_hw.hw_name;
	}
	return NULL;
}

/* LOW..HIGH, both with units. */
static void
fit_range(struct fitter *ft, struct scenario_fit *fi, const struct ynode *yn)
{
	struct key_value lo, hi;

	if (!key_parse_range(
		fi->fi_key, yn, &ft->ft_sc->sc_pool, &lo, &hi, ft->ft_d))
		return;
	fi->fi_min = lo.kv_int;
	fi->fi_max = hi.kv_int;
	if (fi->fi_min <= 0 || fi->fi_min >= fi->fi_max)
		diag_error(ft->ft_d, yn->yn_at,
		    "range: %s, want 0 < LOW < HIGH", yn->yn_text);
}

static void
fit_cell(struct fitter *ft, struct scenario_fit *fi, const struct ynode *yn)
{
	const struct scenario *sc = ft->ft_sc;
	const struct ynode *map = ynode_get(yn, "where", NULL), *metric;
	struct scenario_where wh;

	metric = ynode_get(yn, "metric", NULL);
	if (metric == NULL || metric->yn_kind != YNODE_SCALAR ||
	    yn->yn_n > (map != NULL ? 2 : 1)) {
		diag_error(ft->ft_d, yn->yn_at,
		    "cell: want {where: {...}, metric: ...}");
		return;
	}
	if (!scenario_where_load(ft->ft_sc, map, "where", &wh, ft->ft_d))
		return;
	for (int i = 0; i < sc->sc_ncells; i++) {
		const struct scenario_cell *ce = &sc->sc_cells[i];

		if (ce->ce_ratio != NULL ||
		    strcmp(ce->ce_metric->km_name, metric->yn_text) != 0 ||
		    strcmp(ce->ce_where, wh.wh_text) != 0)
			continue;
		fi->fi_cell = i;
		if (!ce->ce_fitted)
			diag_error(ft->ft_d, metric->yn_at,
			    "cell: its `published:` entry does not say "
			    "fitted: [%s]",
			    metric->yn_text);
		return;
	}
	diag_error(ft->ft_d, yn->yn_at, "cell: nothing published for %s at %s",
	    metric->yn_text, wh.wh_text[0] ? wh.wh_text : "base");
}

void
scenario_fit_set(
    const struct scenario *sc, int fit, struct setup *su, int64_t value)
{
	const struct scenario_fit *fi = &sc->sc_fits[fit];
	struct key_value kv = { value, (double)value, NULL };
	struct setup_hardware *hw;
	int i = 0;

	while ((hw = scenario_next_hardware(fi->fi_profile, su, &i)) != NULL)
		key_store(fi->fi_key, hw, &kv);
}

int64_t
scenario_fit_get(const struct scenario *sc, int fit, const struct setup *su)
{
	const struct scenario_fit *fi = &sc->sc_fits[fit];
	struct setup_hardware *hw;
	int i = 0;

	hw = scenario_next_hardware(fi->fi_profile, (struct setup *)su, &i);
	SIM_ASSERT(hw != NULL);
	return *(int64_t *)((char *)hw + fi->fi_key->k_offset);
}

struct setup_hardware *
scenario_next_hardware(const char *profile, struct setup *su, int *i)
{
	struct setup_hardware *hw;
	int n = su->su_nmachines + su->su_npeers;

	while (*i < n) {
		hw = *i < su->su_nmachines
			 ? &su->su_machines[*i].sm_hw
			 : &su->su_peers[*i - su->su_nmachines].pe_hw;
		++*i;
		if (hw->hw_name != NULL && strcmp(hw->hw_name, profile) == 0)
			return hw;
	}
	return NULL;
}
