/* Ranges as values: 1..256*2, 10us..50us+10us. */
#include <math.h>
#include <string.h>

#include "sim/lab/scenario_sweep.h"

#define MAX_VALUES 1000 /* of one range */
#define MAX_FACTOR 1000000000LL
#define NANO 1000000000LL

/*
 * Exact: values and step are in base units, or in 1e-9 of them where a key
 * takes fractions; a factor is in 1e-9.
 */
struct range {
	const struct key *rg_key;
	const struct ynode *rg_yn;
	struct diag *rg_d;
	bool rg_times;		    /* * or + */
	bool rg_nano;		    /* the key takes fractions */
	size_t rg_end_at, rg_op_at; /* in the text: END, and the * or + */
	__int128 rg_now, rg_end, rg_step;
};

static bool ends_load(struct range *, struct ypool *);
static bool step_load(struct range *);
static bool step_check(struct range *);
static bool scale(struct range *, const struct diag_span *, double real,
    int64_t whole, bool nano, __int128 *out);
static bool advance(struct range *);
static const char *value_text(const struct range *, char *buf);

bool
scenario_takes_ranges(const struct key *k)
{
	return k->k_type == KEY_NUMBER || k->k_type == KEY_REAL ||
	       k->k_type == KEY_QUANTITY;
}

bool
scenario_is_range(const struct key *k, const struct ynode *yn)
{
	return scenario_takes_ranges(k) && yn->yn_kind == YNODE_SCALAR &&
	       strstr(yn->yn_text, "..") != NULL;
}

int
scenario_range(const struct key *k, const struct ynode *yn, struct ypool *yp,
    struct ynode ***values, struct diag *d)
{
	struct range rg = { .rg_key = k, .rg_yn = yn, .rg_d = d };
	char buf[UNIT_TEXT_MAX];
	int n = 0;

	rg.rg_nano = k->k_store == STORE_DOUBLE || k->k_store == STORE_FRACTION;
	if (!ends_load(&rg, yp) || !step_load(&rg) || !step_check(&rg))
		return 0;
	*values = ypool_alloc(yp, MAX_VALUES * sizeof(**values));
	while (rg.rg_now <= rg.rg_end) {
		if (n == MAX_VALUES) {
			diag_error(d, yn->yn_at, "%s: more than %d values",
			    key_name(k), MAX_VALUES);
			return 0;
		}
		(*values)[n++] = ynode_scalar(
		    yp, ypool_strdup(yp, value_text(&rg, buf)), yn->yn_at);
		if (!advance(&rg))
			return 0;
	}
	return n;
}

/* START..END, which end before the step. */
static bool
ends_load(struct range *rg, struct ypool *yp)
{
	const char *text = rg->rg_yn->yn_text, *end = strstr(text, "..") + 2;
	size_t n = strcspn(end, "*+");
	struct ynode ends = *rg->rg_yn;
	struct key_value lo, hi;
	struct diag_span at;
	char *cut;

	rg->rg_end_at = (size_t)(end - text);
	rg->rg_op_at = rg->rg_end_at + n;
	if (end[n] == '\0' || end[n + 1] == '\0') {
		diag_error(rg->rg_d, rg->rg_yn->yn_at,
		    "%s: want START..END*FACTOR or START..END+STEP",
		    key_name(rg->rg_key));
		return false;
	}
	rg->rg_times = end[n] == '*';
	cut = ypool_strdup(yp, text);
	cut[rg->rg_op_at] = '\0';
	ends.yn_text = cut;
	if (!key_parse_range(rg->rg_key, &ends, yp, &lo, &hi, rg->rg_d))
		return false;
	at = ynode_part(rg->rg_yn, 0, rg->rg_end_at - 2);
	if (!scale(rg, &at, lo.kv_real, lo.kv_int, rg->rg_nano, &rg->rg_now))
		return false;
	at = ynode_part(rg->rg_yn, rg->rg_end_at, n);
	if (!scale(rg, &at, hi.kv_real, hi.kv_int, rg->rg_nano, &rg->rg_end))
		return false;
	if (rg->rg_now <= rg->rg_end)
		return true;
	diag_error(rg->rg_d, at, "%s: %s ends before it begins",
	    key_name(rg->rg_key), text);
	return false;
}

static bool
step_load(struct range *rg)
{
	size_t at = rg->rg_op_at + 1;
	const char *text = rg->rg_yn->yn_text + at;
	struct diag_span span = ynode_part(rg->rg_yn, at, strlen(text));
	char buf[UNIT_TEXT_MAX];
	struct unit_error ue;
	struct quantity q;

	if (!unit_parse(
		rg->rg_times ? UNIT_NONE : rg->rg_key->k_unit, text, &q, &ue)) {
		diag_error(rg->rg_d,
		    ynode_part(rg->rg_yn, at + ue.ue_at, ue.ue_width), "%s: %s",
		    key_name(rg->rg_key), ue.ue_text);
		return false;
	}
	if (!rg->rg_times && !rg->rg_nano && !q.q_whole) {
		diag_error(rg->rg_d, span,
		    "%s: '%s', want a whole multiple of %s",
		    key_name(rg->rg_key), text,
		    unit_print(rg->rg_key->k_unit, 1, buf));
		return false;
	}
	return scale(rg, &span, q.q_real, q.q_int, rg->rg_times || rg->rg_nano,
	    &rg->rg_step);
}

/* Whether it goes anywhere. */
static bool
step_check(struct range *rg)
{
	struct diag_span at = ynode_part(
	    rg->rg_yn, rg->rg_op_at, strlen(rg->rg_yn->yn_text + rg->rg_op_at));
	const char *name = key_name(rg->rg_key);
	const char *text = rg->rg_yn->yn_text + rg->rg_op_at + 1;

	if (!rg->rg_times && rg->rg_step <= 0)
		diag_error(rg->rg_d, at, "%s: with a step of %s it never ends",
		    name, text);
	else if (rg->rg_times && rg->rg_step <= NANO)
		diag_error(rg->rg_d, at,
		    "%s: with a factor of %s it never ends, want more than 1",
		    name, text);
	else if (rg->rg_times && rg->rg_step > MAX_FACTOR * NANO)
		diag_error(rg->rg_d, at,
		    "%s: a factor of %s, want at most %lld", name, text,
		    MAX_FACTOR);
	else if (rg->rg_times && rg->rg_now <= 0)
		diag_error(rg->rg_d,
		    ynode_part(rg->rg_yn, 0, rg->rg_end_at - 2),
		    "%s: a range with a factor begins above 0, as in "
		    "[0, 1..256*2]",
		    name);
	else
		return true;
	return false;
}

static bool
scale(struct range *rg, const struct diag_span *at, double real, int64_t whole,
    bool nano, __int128 *out)
{
	double x = real * (double)NANO;

	*out = nano ? (__int128)nearbyint(x) : whole;
	if (!nano || fabs(x - nearbyint(x)) < 1e-4 + 1e-15 * fabs(x))
		return true;
	diag_error(rg->rg_d, *at, "%s: want at most 9 decimals in a range",
	    key_name(rg->rg_key));
	return false;
}

/*
 * To the next value. What a key that takes no fractions cannot have is an error
 * before the end only.
 */
static bool
advance(struct range *rg)
{
	char buf[UNIT_TEXT_MAX], one[UNIT_TEXT_MAX];
	__int128 product;

	if (!rg->rg_times) {
		rg->rg_now += rg->rg_step;
		return true;
	}
	product = rg->rg_now * rg->rg_step;
	rg->rg_now = (product + (rg->rg_nano ? NANO / 2 : NANO - 1)) / NANO;
	if (rg->rg_nano || product % NANO == 0 || rg->rg_now > rg->rg_end)
		return true;
	unit_print_real(
	    rg->rg_key->k_unit, (double)product / (double)NANO, buf);
	diag_error(rg->rg_d, rg->rg_yn->yn_at,
	    "%s: %s is in it, want whole multiples of %s", key_name(rg->rg_key),
	    buf, unit_print(rg->rg_key->k_unit, 1, one));
	return false;
}

static const char *
value_text(const struct range *rg, char *buf)
{
	if (rg->rg_nano)
		return unit_print_real(
		    rg->rg_key->k_unit, (double)rg->rg_now / (double)NANO, buf);
	return unit_print(rg->rg_key->k_unit, (int64_t)rg->rg_now, buf);
}
