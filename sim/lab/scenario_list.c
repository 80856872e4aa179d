#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/scenario_sweep.h"
#include "sim/lab/text.h"

#define LABEL_MAX 4096

static void print_alternatives(const struct scenario_axis *, FILE *);
static bool is_of_point(const struct key *);
static bool resolve_one(const struct scenario *, const struct ynode *root,
    const struct scenario_path *, int point, struct key_value *,
    enum scenario_origin *);
static enum scenario_origin written_by(const struct scenario *,
    const struct scenario_path *, const struct ynode *, int point);
static void profile_value(const struct scenario *, const struct ynode *root,
    const struct scenario_path *, struct key_value *);

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

void
scenario_print_points(struct scenario *sc, FILE *fp)
{
	int n = scenario_npoints(sc), width = snprintf(NULL, 0, "%d", n);
	char label[LABEL_MAX];

	for (int i = 0; i < n; i++) {
		fprintf(fp, "%*d  ", width, i + 1);
		text_print(
		    fp, scenario_point_label(sc, i, label, sizeof(label)));
		fputc('\n', fp);
	}
}

int
scenario_params(const struct scenario *sc, int i, struct scenario_param *params)
{
	const struct scenario_axis *ax;

	for (int a = 0; a < sc->sc_naxes; a++) {
		ax = &sc->sc_axes[a];
		params[a].pa_path = ax->ax_name;
		params[a].pa_short = ax->ax_short;
		params[a].pa_value = scenario_axis_value(sc, a, i)->va_text;
		params[a].pa_bare =
		    ax->ax_path != NULL &&
		    key_text_is_bare(ax->ax_path->sp_key, params[a].pa_value);
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

int
scenario_resolved(struct scenario *sc, int i, struct ypool *yp,
    struct scenario_resolved **out)
{
	struct ypool mine = { NULL };
	struct ynode *root = scenario_tree_point(sc, &mine, i);
	struct scenario_resolved *sv;
	char buf[UNIT_TEXT_MAX + 300], *path;
	struct key_value kv;
	int n = 0;

	*out = ypool_alloc(yp, sc->sc_npaths * sizeof(**out));
	for (size_t p = 0; p < sc->sc_npaths; p++) {
		const struct scenario_path *sp = &sc->sc_paths[p];

		sv = &(*out)[n];
		if (!is_of_point(sp->sp_key) ||
		    !resolve_one(sc, root, sp, i, &kv, &sv->sv_from))
			continue;
		n++;
		path = ypool_strdup(yp, sp->sp_name);
		if (sp->sp_key->k_type == KEY_PROFILE)
			*strrchr(path, '.') = '\0';
		sv->sv_path = path;
		key_print(sp->sp_key, &kv, buf, sizeof(buf));
		sv->sv_value = ypool_strdup(yp, buf);
		sv->sv_bare = key_text_is_bare(sp->sp_key, sv->sv_value);
	}
	ypool_fini(&mine);
	return n;
}

/* Whether a key says what is simulated, and not only how often. */
static bool
is_of_point(const struct key *k)
{
	return strcmp(k->k_path, "run.seed") != 0 &&
	       strcmp(k->k_path, "run.replications") != 0;
}

/* Returns: false when the kernel lacks it. */
static bool
resolve_one(const struct scenario *sc, const struct ynode *root,
    const struct scenario_path *sp, int point, struct key_value *kv,
    enum scenario_origin *from)
{
	const struct ynode *yn =
	    scenario_tree_get(root, sp->sp_steps, sp->sp_nsteps);
	struct diag d;

	if (yn != NULL) {
		diag_init(&d);
		key_parse(sp->sp_key, yn, kv, &d);
		SIM_ASSERT(d.d_nerrors == 0);
		diag_fini(&d);
		*from = written_by(sc, sp, yn, point);
		return true;
	}
	return scenario_unwritten(sc, root, sp, kv, from);
}

bool
scenario_unwritten(const struct scenario *sc, const struct ynode *root,
    const struct scenario_path *sp, struct key_value *kv,
    enum scenario_origin *from)
{
	if (sp->sp_key->k_scope == KEY_OF_HARDWARE) {
		profile_value(sc, root, sp, kv);
		*from = SCENARIO_FROM_PROFILE;
		return true;
	}
	*from = SCENARIO_FROM_DEFAULT;
	return scenario_default(root, sp, kv);
}

/* Copies of a node, as who extends a sibling gets, share its text. */
static enum scenario_origin
written_by(const struct scenario *sc, const struct scenario_path *sp,
    const struct ynode *yn, int point)
{
	for (int a = 0; a < sc->sc_naxes; a++) {
		const struct scenario_value *va =
		    scenario_axis_value(sc, a, point);

		for (int s = 0; s < va->va_n; s++) {
			const struct scenario_setting *se = &va->va_settings[s];

			if (se->se_path->sp_key == sp->sp_key &&
			    se->se_node != NULL &&
			    se->se_node->yn_text == yn->yn_text)
				return SCENARIO_FROM_AXIS;
		}
	}
	return SCENARIO_FROM_FILE;
}

/* What a profile need not say is 0, as in struct setup. */
static void
profile_value(const struct scenario *sc, const struct ynode *root,
    const struct scenario_path *sp, struct key_value *kv)
{
	const char *const steps[] = { sp->sp_steps[0], sp->sp_steps[1],
		"hardware", "profile" };
	const struct ynode *name = scenario_tree_get(root, steps, 4);
	const struct hardware *ha = sc->sc_hardware;
	const struct hardware_entry *he;

	SIM_ASSERT(name != NULL);
	while (strcmp(ha->ha_name, name->yn_text) != 0)
		ha = ha->ha_next;
	he = hardware_entry(ha, sp->sp_key);
	if (he != NULL)
		*kv = he->he_value;
	else
		*kv = (struct key_value){ 0 };
}
