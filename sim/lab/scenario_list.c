#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/scenario_impl.h"

static struct ynode *base_tree(struct scenario *, struct ypool *);

void
scenario_print_params(struct scenario *sc, FILE *fp)
{
	struct ypool yp = { NULL };
	struct ynode *root = base_tree(sc, &yp), *yn;
	char range[200];

	for (size_t i = 0; i < sc->sc_npaths; i++) {
		const struct scenario_path *sp = &sc->sc_paths[i];
		const char *value = NULL, *from = "";

		yn = scenario_tree_get(root, sp->sp_steps, sp->sp_nsteps);
		if (yn != NULL && yn->yn_kind == YNODE_SCALAR)
			value = yn->yn_text;
		else if (sp->sp_key->k_default != NULL)
			value = sp->sp_key->k_default, from = " (default)";
		/* A cost of the profile, or what is said at the sibling. */
		if (value == NULL || sp->sp_inherited ||
		    sp->sp_key->k_type == KEY_TEXT)
			continue;
		key_range(sp->sp_key, range, sizeof(range));
		fprintf(fp, "  %-52s %s%s%s%s%s\n", sp->sp_name, value, from,
		    range[0] != '\0' ? "  [" : "", range,
		    range[0] != '\0' ? "]" : "");
	}
	ypool_fini(&yp);
}

/* As scenario_point() resolves it: overrides in, siblings extended. */
static struct ynode *
base_tree(struct scenario *sc, struct ypool *yp)
{
	struct ynode *root = ynode_clone(yp, sc->sc_tree);
	struct diag d;

	for (int i = 0; i < sc->sc_naxes; i++) {
		if (sc->sc_axes[i].ax_n > 0)
			scenario_tree_set(yp, root, sc->sc_axes[i].ax_path,
			    sc->sc_axes[i].ax_base_node);
	}
	diag_init(&d);
	scenario_tree_extend(yp, root, &d);
	diag_fini(&d);
	return root;
}
