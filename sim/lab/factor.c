#include "sim/lab/factor.h"

#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/morris.h"
#include "sim/lab/scenario_impl.h"

struct maker {
	struct scenario *fm_sc;
	const struct factor_options *fm_fo;
	struct factors *fm_fs;
	struct diag *fm_d;
};

static bool param_add(struct maker *, const char *text);
static void costs_add(struct maker *);
static void cost_add(struct maker *, const struct scenario_path *,
    const struct scenario_resolved *);
static const struct hardware_entry *uncertain(
    struct maker *, const struct scenario_path *);
static const struct hardware *profile_of(
    const struct scenario *, const struct scenario_path *);
static bool is_named(const struct factors *, const char *path);
static struct factor *factor_of(
    struct maker *, const struct key *, const struct hardware *);
static struct factor *factor_new(struct maker *);
static void path_add(struct maker *, struct factor *, const char *path);
static void range_make(const struct factor_options *, struct factor *);
static void ends_make(const struct factor_options *, struct factor *);

bool
factors_make(struct scenario *sc, const struct factor_options *fo,
    struct factors *fs, struct diag *d)
{
	struct maker fm = { sc, fo, fs, d };
	bool good = true;

	*fs = (struct factors){ 0 };
	for (int i = 0; i < fo->fo_nparams; i++)
		good &= param_add(&fm, fo->fo_params[i]);
	if (good)
		costs_add(&fm);
	for (int i = 0; i < fs->fs_n; i++) {
		range_make(fo, &fs->fs_list[i]);
		ends_make(fo, &fs->fs_list[i]);
	}
	return good;
}

void
factors_fini(struct factors *fs)
{
	ypool_fini(&fs->fs_pool);
	sim_free(fs->fs_list);
	sim_free(fs->fs_set);
	*fs = (struct factors){ 0 };
}

static bool
param_add(struct maker *fm, const char *text)
{
	struct parameter pm;
	struct factor *fa;

	if (!parameter_parse(fm->fm_sc, "--param ", text, &pm, fm->fm_d))
		return false;
	if (is_named(fm->fm_fs, pm.pm_path)) {
		diag_error(fm->fm_d, diag_whole(NULL), "--param: %s twice",
		    pm.pm_path);
		return false;
	}
	fa = factor_new(fm);
	fa->fa_key = pm.pm_key;
	fa->fa_name = pm.pm_short;
	fa->fa_base = pm.pm_base;
	fa->fa_low = pm.pm_low;
	fa->fa_high = pm.pm_high;
	fa->fa_ranged = true;
	path_add(fm, fa, pm.pm_path);
	return true;
}

static void
costs_add(struct maker *fm)
{
	struct scenario *sc = fm->fm_sc;
	struct scenario_resolved *sv;
	const int n =
	    scenario_resolved(sc, SCENARIO_BASE, &fm->fm_fs->fs_pool, &sv);
	size_t p = 0;

	/* Both are in the order of sc_paths. */
	for (int i = 0; i < n; i++) {
		while (p < sc->sc_npaths &&
		       strcmp(sc->sc_paths[p].sp_name, sv[i].sv_path) != 0)
			p++;
		if (p == sc->sc_npaths)
			p = 0; /* `hardware`, whose path is shorter */
		else
			cost_add(fm, &sc->sc_paths[p], &sv[i]);
	}
}

static void
cost_add(struct maker *fm, const struct scenario_path *sp,
    const struct scenario_resolved *sv)
{
	struct factors *fs = fm->fm_fs;
	const struct hardware_entry *he = uncertain(fm, sp);
	struct factor *fa;

	if (he == NULL || is_named(fs, sp->sp_name))
		return;
	if (sv->sv_from != SCENARIO_FROM_PROFILE) {
		fs->fs_set = sim_realloc(
		    fs->fs_set, (size_t)fs->fs_nset + 1, sizeof(*fs->fs_set));
		fs->fs_set[fs->fs_nset++] = sp->sp_name;
		return;
	}
	fa = factor_of(fm, sp->sp_key, profile_of(fm->fm_sc, sp));
	if (fa->fa_npaths == 0) {
		fa->fa_entry = he;
		fa->fa_name = he->he_name;
		fa->fa_base = he->he_value.kv_real;
		fa->fa_ranged = he->he_ranged;
		fa->fa_low = he->he_low.kv_real;
		fa->fa_high = he->he_high.kv_real;
	}
	path_add(fm, fa, sp->sp_name);
}

/* Returns: what the profile says of a guessed or fitted cost, else NULL. */
static const struct hardware_entry *
uncertain(struct maker *fm, const struct scenario_path *sp)
{
	const struct key *k = sp->sp_key;
	const struct hardware_entry *he;

	if (k->k_scope != KEY_OF_HARDWARE ||
	    (k->k_store != STORE_INT64 && k->k_store != STORE_DOUBLE))
		return NULL;
	if (!fm->fm_fo->fo_peers && strcmp(sp->sp_steps[0], "peers") == 0)
		return NULL;
	he = hardware_entry(profile_of(fm->fm_sc, sp), k);
	if (he == NULL ||
	    (he->he_kind != HARDWARE_GUESS && he->he_kind != HARDWARE_FITTED))
		return NULL;
	return he;
}

static const struct hardware *
profile_of(const struct scenario *sc, const struct scenario_path *sp)
{
	const char *name = scenario_profile_of(sc, sp);
	const struct hardware *ha = sc->sc_hardware;

	while (ha != NULL && strcmp(ha->ha_name, name) != 0)
		ha = ha->ha_next;
	SIM_ASSERT(ha != NULL);
	return ha;
}

static bool
is_named(const struct factors *fs, const char *path)
{
	for (int i = 0; i < fs->fs_n; i++) {
		for (int p = 0; p < fs->fs_list[i].fa_npaths; p++) {
			if (strcmp(fs->fs_list[i].fa_paths[p], path) == 0)
				return true;
		}
	}
	return false;
}

/* One factor for a profile's cost, however many machines have it. */
static struct factor *
factor_of(struct maker *fm, const struct key *k, const struct hardware *ha)
{
	struct factor *fa;

	for (int i = 0; i < fm->fm_fs->fs_n; i++) {
		fa = &fm->fm_fs->fs_list[i];
		if (fa->fa_key == k && fa->fa_profile == ha->ha_name)
			return fa;
	}
	fa = factor_new(fm);
	fa->fa_key = k;
	fa->fa_profile = ha->ha_name;
	return fa;
}

static struct factor *
factor_new(struct maker *fm)
{
	struct factors *fs = fm->fm_fs;

	fs->fs_list = sim_realloc(
	    fs->fs_list, (size_t)fs->fs_n + 1, sizeof(*fs->fs_list));
	fs->fs_list[fs->fs_n] = (struct factor){ 0 };
	return &fs->fs_list[fs->fs_n++];
}

static void
path_add(struct maker *fm, struct factor *fa, const char *path)
{
	const char **paths = ypool_alloc(
	    &fm->fm_fs->fs_pool, ((size_t)fa->fa_npaths + 1) * sizeof(*paths));

	for (int i = 0; i < fa->fa_npaths; i++)
		paths[i] = fa->fa_paths[i];
	paths[fa->fa_npaths++] = path;
	fa->fa_paths = paths;
}

static void
range_make(const struct factor_options *fo, struct factor *fa)
{
	const double min = (double)fa->fa_key->k_min;
	const double max = (double)fa->fa_key->k_max;

	if (!fa->fa_ranged) {
		fa->fa_low = fmax(fa->fa_base / fo->fo_spread, min);
		fa->fa_high = fmin(fa->fa_base * fo->fo_spread, max);
	}
	fa->fa_log = fa->fa_low > 0;
}

static void
ends_make(const struct factor_options *fo, struct factor *fa)
{
	const double min = (double)fa->fa_key->k_min;
	const double max = (double)fa->fa_key->k_max;
	int64_t down, up;

	if (parameter_is_whole(fa->fa_key)) {
		fa->fa_moves =
		    elasticity_ends(llround(fa->fa_base), fo->fo_step,
			fa->fa_key->k_min, fa->fa_key->k_max, &down, &up);
		fa->fa_down = (double)down;
		fa->fa_up = (double)up;
		return;
	}
	fa->fa_down = fmax(fa->fa_base / (1 + fo->fo_step), min);
	fa->fa_up = fmin(fa->fa_base * (1 + fo->fo_step), max);
	fa->fa_moves = fa->fa_down > 0 && fa->fa_down < fa->fa_up;
}

double
factor_at(const struct factor *fa, double place)
{
	double value = fa->fa_low + (fa->fa_high - fa->fa_low) * place;

	if (fa->fa_log)
		value = fa->fa_low * pow(fa->fa_high / fa->fa_low, place);
	return parameter_is_whole(fa->fa_key) ? rint(value) : value;
}

int
factor_sets(const struct factor *fa, double value, char **sets)
{
	for (int i = 0; i < fa->fa_npaths; i++)
		sets[i] = parameter_set(fa->fa_key, fa->fa_paths[i], value);
	return fa->fa_npaths;
}

bool
factor_is_time(const struct factor *fa)
{
	return fa->fa_entry != NULL && fa->fa_key->k_unit == UNIT_TIME;
}

const char *
factor_kind(const struct factor *fa)
{
	return fa->fa_entry != NULL ? hardware_kind_name(fa->fa_entry->he_kind)
				    : "param";
}
