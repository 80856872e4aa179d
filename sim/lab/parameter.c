#include "sim/lab/parameter.h"

#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/scenario_impl.h"

static bool can_move(const struct key *);
static double base_value(struct scenario *, const struct scenario_path *);

bool
parameter_parse(struct scenario *sc, const char *option, const char *text,
    struct parameter *pm, struct diag *d)
{
	char *line = ypool_printf(&sc->sc_pool, "%s%s", option, text), *eq;
	const int skip = (int)strlen(option);
	struct diag_span at = { NULL, 1, skip + 1, 1 };
	const struct scenario_path *sp;
	struct key_value low, high;

	at.ds_file = diag_add_file(d, "<command line>", line, strlen(line));
	at.ds_width = *text != '\0' ? (int)strlen(text) : 1;
	eq = strchr(line + skip, '=');
	if (eq == NULL || eq == line + skip) {
		diag_error(
		    d, at, "want PATH=LOW..HIGH, as in soavailconn=1..256");
		return false;
	}
	*eq = '\0';
	at.ds_width = (int)(eq - line) - skip;
	sp = scenario_path_find(sc, line + skip, at, d);
	if (sp == NULL)
		return false;
	if (!can_move(sp->sp_key)) {
		diag_error(
		    d, at, "%s: want a number or a quantity", sp->sp_name);
		return false;
	}
	at.ds_col = (int)(eq - line) + 2;
	at.ds_width = eq[1] != '\0' ? (int)strlen(eq + 1) : 1;
	if (!key_parse_range(sp->sp_key, ynode_scalar(&sc->sc_pool, eq + 1, at),
		&sc->sc_pool, &low, &high, d))
		return false;
	if (low.kv_real >= high.kv_real) {
		diag_error(d, at, "%s, want LOW below HIGH", eq + 1);
		return false;
	}
	*pm = (struct parameter){
		.pm_key = sp->sp_key,
		.pm_path = sp->sp_name,
		.pm_short = scenario_path_short(sc, sp),
		.pm_whole = parameter_is_whole(sp->sp_key),
		.pm_base = base_value(sc, sp),
		.pm_low = low.kv_real,
		.pm_high = high.kv_real,
	};
	return true;
}

static bool
can_move(const struct key *k)
{
	return k->k_type == KEY_NUMBER || k->k_type == KEY_REAL ||
	       k->k_type == KEY_QUANTITY;
}

bool
parameter_is_whole(const struct key *k)
{
	return k->k_store != STORE_DOUBLE && k->k_store != STORE_FRACTION;
}

static double
base_value(struct scenario *sc, const struct scenario_path *sp)
{
	struct ypool yp = { NULL };
	struct scenario_resolved *sv;
	const int n = scenario_resolved(sc, SCENARIO_BASE, &yp, &sv);
	struct quantity q = { 0 };
	struct unit_error ue;

	for (int i = 0; i < n; i++) {
		if (strcmp(sv[i].sv_path, sp->sp_name) == 0 &&
		    !unit_parse(sp->sp_key->k_unit, sv[i].sv_value, &q, &ue))
			SIM_BUG("%s: %s", sv[i].sv_path, ue.ue_text);
	}
	ypool_fini(&yp);
	return q.q_real;
}

char *
parameter_text(const struct key *k, double value, char *buf, size_t size)
{
	const struct key_value kv = {
		.kv_int = llround(value),
		.kv_real = value,
	};

	return key_print(k, &kv, buf, size);
}

char *
parameter_set(const struct key *k, const char *path, double value)
{
	char text[UNIT_TEXT_MAX];
	const size_t size = strlen(path) + sizeof(text) + 1;
	char *set = sim_calloc(1, size);

	parameter_text(k, value, text, sizeof(text));
	snprintf(set, size, "%s=%s", path, text);
	return set;
}
