#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/scenario_sweep.h"

static char *name_of(const char *file);
static void defaults_find(struct scenario *);
static void sources_keep(struct scenario *, const struct diag *);
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
	scenario_sweep_load(sc, ynode_get(sc->sc_tree, "sweep", NULL), d);
	for (int i = 0; i < nsets; i++)
		scenario_set_load(sc, sets[i], d);
	scenario_sets_end(sc, d->d_nerrors == nerrors, d);
	for (int i = 0; i < sc->sc_naxes; i++)
		scenario_axis_base(sc, &sc->sc_axes[i], extended, d);
	resolve(sc, SCENARIO_BASE, &sc->sc_setup, d->d_nerrors == nerrors, d);
	if (d->d_nerrors > nerrors)
		goto fail;
	defaults_find(sc);
	if (!scenario_points_make(sc, d))
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
		n += strcmp(df->df_name, SCENARIO_COMMAND_LINE) != 0;
	sc->sc_sources = ypool_alloc(
	    &sc->sc_pool, ((size_t)n + 1) * sizeof(*sc->sc_sources));
	sc->sc_nsources = n;
	i = n;
	for (const struct diag_file *df = d->d_files; df; df = df->df_next) {
		char *text;

		if (strcmp(df->df_name, SCENARIO_COMMAND_LINE) == 0)
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
	sim_free(sc->sc_points);
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

/* What `points:` leaves out has the base point's value. */
static void
defaults_find(struct scenario *sc)
{
	struct ypool yp = { NULL };
	struct ynode *root = scenario_tree_point(sc, &yp, SCENARIO_BASE);

	for (int i = 0; i < sc->sc_naxes; i++)
		scenario_axis_default(sc, &sc->sc_axes[i], root);
	ypool_fini(&yp);
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
