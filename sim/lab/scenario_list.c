#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/scenario_impl.h"

static void print_alternatives(const struct scenario_axis *, FILE *);

void
scenario_print_params(struct scenario *sc, FILE *fp)
{
	struct ypool yp = { NULL };
	struct ynode *root = scenario_tree_point(sc, &yp, SCENARIO_BASE), *yn;
	char range[200], dflt[UNIT_TEXT_MAX + 200];
	struct key_value kv;

	for (size_t i = 0; i < sc->sc_npaths; i++) {
		const struct scenario_path *sp = &sc->sc_paths[i];
		const char *value = NULL, *from = "";

		yn = scenario_tree_get(root, sp->sp_steps, sp->sp_nsteps);
		if (yn != NULL && yn->yn_kind == YNODE_SCALAR)
			value = yn->yn_text;
		else if (scenario_default(root, sp, &kv))
			value = key_print(sp->sp_key, &kv, dflt, sizeof(dflt)),
			from = " (default)";
		/*
		 * A cost of the profile, a sysctl that the kernel lacks, or
		 * what is said at the sibling.
		 */
		if (value == NULL || sp->sp_inherited ||
		    sp->sp_key->k_type == KEY_TEXT)
			continue;
		key_range(sp->sp_key, range, sizeof(range));
		fprintf(fp, "  %-52s %s%s%s%s%s\n", sp->sp_name, value, from,
		    range[0] != '\0' ? "  [" : "", range,
		    range[0] != '\0' ? "]" : "");
	}
	for (int i = 0; i < sc->sc_naxes; i++) {
		if (sc->sc_axes[i].ax_path == NULL)
			print_alternatives(&sc->sc_axes[i], fp);
	}
	ypool_fini(&yp);
}

/* Like a parameter with a choice of values. */
static void
print_alternatives(const struct scenario_axis *ax, FILE *fp)
{
	fprintf(fp, "  %-52s %s  [", ax->ax_name, ax->ax_base_value.va_text);
	for (int i = 0; i < ax->ax_nall; i++)
		fprintf(fp, "%s%s", i > 0 ? "|" : "", ax->ax_all[i].va_text);
	fprintf(fp, "]\n");
}

int
scenario_params(const struct scenario *sc, int i, struct scenario_param *params)
{
	const struct scenario_axis *ax;
	int k;

	for (int a = 0; a < sc->sc_naxes; a++) {
		ax = &sc->sc_axes[a];
		k = scenario_axis_index(sc, a, i);
		params[a].pa_path = ax->ax_name;
		params[a].pa_short = ax->ax_short;
		params[a].pa_value = k < 0 ? ax->ax_base_value.va_text
					   : ax->ax_values[k].va_text;
		params[a].pa_bare =
		    ax->ax_path != NULL && key_is_bare(ax->ax_path->sp_key);
	}
	return sc->sc_naxes;
}

char *
scenario_point_label(const struct scenario *sc, int i, char *buf, size_t size)
{
	struct scenario_param params[SCENARIO_MAX_AXES];
	int n = scenario_params(sc, i, params);
	size_t len = 0;
	const char *quote;

	snprintf(buf, size, "base");
	for (int a = 0; a < n && len < size; a++) {
		quote = strchr(params[a].pa_value, ' ') != NULL ? "\"" : "";
		len += snprintf(buf + len, size - len, "%s%s=%s%s%s",
		    a > 0 ? " " : "", params[a].pa_short, quote,
		    params[a].pa_value, quote);
	}
	return buf;
}
