/* --set. */
#include <string.h>

#include "sim/lab/scenario_sweep.h"

static struct scenario_axis *set_axis(
    struct scenario *, const char *name, struct diag_span, struct diag *);
static void set_walk(struct scenario *, struct scenario_axis *, struct diag *);
static int others_entries(
    const struct scenario *, const struct scenario_axis *);

/* PATH=V1,V2,... or NAME=ALTERNATIVE,... */
void
scenario_set_load(struct scenario *sc, const char *set, struct diag *d)
{
	const char *prefix = "--set ";
	char *text = ypool_printf(&sc->sc_pool, "%s%s", prefix, set), *eq, *end;
	struct diag_span at = { NULL, 1, 1, 1 };
	struct scenario_axis *ax;

	at.ds_file =
	    diag_add_file(d, SCENARIO_COMMAND_LINE, text, strlen(text));
	at.ds_col = (int)strlen(prefix) + 1;
	at.ds_width = (int)strlen(set);
	eq = strchr(text, '=');
	if (eq == NULL || eq[1] == '\0' || eq == text + strlen(prefix)) {
		diag_error(d, at, "want PATH=VALUE");
		return;
	}
	*eq = '\0';
	at.ds_width = (int)(eq - text) - at.ds_col + 1;
	ax = set_axis(sc, text + strlen(prefix), at, d);
	if (ax == NULL)
		return;
	for (char *s = eq + 1; s != NULL; s = end) {
		end = strchr(s, ',');
		if (end != NULL)
			*end++ = '\0';
		at.ds_col = (int)(s - text) + 1;
		at.ds_width = *s != '\0' ? (int)strlen(s) : 1;
		scenario_axis_load(
		    sc, ax, ynode_scalar(&sc->sc_pool, s, at), d);
	}
}

/* Returns: the axis that is meant, a new one when none has this path. */
static struct scenario_axis *
set_axis(
    struct scenario *sc, const char *name, struct diag_span at, struct diag *d)
{
	const struct scenario_path *sp;
	const struct scenario_axis *found;
	struct scenario_axis *ax;

	if (!scenario_param_find(sc, name, at, &sp, &found, d))
		return NULL;
	ax = scenario_axis_meant(sc, sp, found);
	if (ax == NULL)
		ax = scenario_axis_add(sc, sp, sp->sp_name, at, d);
	if (ax == NULL)
		return NULL;
	scenario_axis_clear(ax);
	ax->ax_set = true;
	ax->ax_at = at;
	if (ax->ax_listed)
		ax->ax_walk = sc->sc_nwalks++;
	ax->ax_listed = false;
	return ax;
}

void
scenario_sets_end(struct scenario *sc, bool good, struct diag *d)
{
	for (int i = 0; i < sc->sc_naxes; i++) {
		if (good && sc->sc_axes[i].ax_set)
			set_walk(sc, &sc->sc_axes[i], d);
	}
	for (int i = 0; i < sc->sc_naxes; i++) {
		if (sc->sc_axes[i].ax_set)
			scenario_axis_once(sc, &sc->sc_axes[i], d);
	}
}

/* One value leaves a zip, as many as the others have stay in it. */
static void
set_walk(struct scenario *sc, struct scenario_axis *ax, struct diag *d)
{
	const struct scenario_axis *other = scenario_axis_zipped(sc, ax);
	int n = others_entries(sc, ax);

	if (other == NULL || ax->ax_nentries == n)
		return;
	if (ax->ax_nentries == 1)
		ax->ax_walk = sc->sc_nwalks++;
	else if (n == 1)
		diag_error(d, ax->ax_at,
		    "'%s' is zipped with '%s': want 1 value, not %d",
		    ax->ax_name, other->ax_name, ax->ax_nentries);
	else
		diag_error(d, ax->ax_at,
		    "'%s' is zipped with '%s': want 1 value or %d, not %d",
		    ax->ax_name, other->ax_name, n, ax->ax_nentries);
}

/* Of those in its zip: what is in the file, else the first --set of several. */
static int
others_entries(const struct scenario *sc, const struct scenario_axis *ax)
{
	const struct scenario_axis *other;
	int n = 1;

	for (int i = 0; i < sc->sc_naxes; i++) {
		other = &sc->sc_axes[i];
		if (other->ax_walk != ax->ax_walk)
			continue;
		if (!other->ax_set)
			return other->ax_nentries;
		if (n == 1)
			n = other->ax_nentries;
	}
	return n;
}
