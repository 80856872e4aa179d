#include "sim/lab/keys.h"

#include <string.h>

static const struct key_choice *word_find(const struct key *, const char *);
static bool parse_choice(const struct key *, const struct ynode *,
    struct key_value *, struct diag *);
static bool parse_bool(const struct key *, const struct ynode *,
    struct key_value *, struct diag *);
static bool parse_number(const struct key *, const struct ynode *,
    struct key_value *, struct diag *);
static bool check_range(const struct key *, const struct ynode *,
    const struct key_value *, struct diag *);
static const char *choice_name(const struct key *, int64_t value);
static bool is_auto(const struct key *, const struct key_value *);
static bool takes_fractions(const struct key *);
static const char *range_example(const struct key *);

const char *
key_name(const struct key *k)
{
	static const char *const sections[] = { ".sysctl.", ".hardware." };
	const char *s;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		s = strstr(k->k_path, sections[i]);
		if (s != NULL)
			return s + strlen(sections[i]);
	}
	s = strrchr(k->k_path, '.');
	return s != NULL ? s + 1 : k->k_path;
}

const struct key *
key_find(const char *pattern)
{
	for (size_t i = 0; i < keys_n; i++) {
		if (strcmp(keys[i].k_path, pattern) == 0)
			return &keys[i];
	}
	return NULL;
}

bool
key_parse(const struct key *k, const struct ynode *yn, struct key_value *kv,
    struct diag *d)
{
	memset(kv, 0, sizeof(*kv));
	if (yn->yn_kind != YNODE_SCALAR) {
		diag_error(d, yn->yn_at, "%s: want a value, not %s",
		    key_name(k), ynode_kind_name(yn));
		return false;
	}
	if (yn->yn_text[0] == '\0' && !yn->yn_quoted) {
		diag_error(d, yn->yn_at, "%s: no value", key_name(k));
		return false;
	}
	switch (k->k_type) {
	case KEY_TEXT:
	case KEY_PROFILE:
	case KEY_LINK:
		kv->kv_text = yn->yn_text;
		return true;
	case KEY_CHOICE:
		return parse_choice(k, yn, kv, d);
	case KEY_BOOL:
		return parse_bool(k, yn, kv, d);
	case KEY_NUMBER:
	case KEY_REAL:
	case KEY_QUANTITY:
		return parse_number(k, yn, kv, d);
	}
	return false;
}

/* The word of a number's, or NULL. */
static const struct key_choice *
word_find(const struct key *k, const char *text)
{
	const struct key_choice *kc = k->k_choices;

	if (k->k_type != KEY_NUMBER || kc == NULL)
		return NULL;
	while (kc->kc_name != NULL && strcmp(kc->kc_name, text) != 0)
		kc++;
	return kc->kc_name != NULL ? kc : NULL;
}

static bool
parse_choice(const struct key *k, const struct ynode *yn, struct key_value *kv,
    struct diag *d)
{
	char buf[200];

	for (const struct key_choice *kc = k->k_choices; kc->kc_name != NULL;
	     kc++) {
		if (strcmp(kc->kc_name, yn->yn_text) == 0) {
			kv->kv_int = kc->kc_value;
			return true;
		}
	}
	diag_error(d, yn->yn_at, "%s: '%s', want %s", key_name(k), yn->yn_text,
	    key_range(k, buf, sizeof(buf)));
	return false;
}

static bool
parse_bool(const struct key *k, const struct ynode *yn, struct key_value *kv,
    struct diag *d)
{
	kv->kv_int = strcmp(yn->yn_text, "true") == 0;
	if (kv->kv_int == 1 || strcmp(yn->yn_text, "false") == 0)
		return true;
	diag_error(d, yn->yn_at, "%s: '%s', want true or false", key_name(k),
	    yn->yn_text);
	return false;
}

static bool
parse_number(const struct key *k, const struct ynode *yn, struct key_value *kv,
    struct diag *d)
{
	const struct key_choice *kc;
	struct unit_error ue;
	struct quantity q;
	char buf[200];

	kc = word_find(k, yn->yn_text);
	if (kc != NULL) {
		*kv = (struct key_value){ kc->kc_value, kc->kc_value, NULL };
		return true;
	}
	if (k->k_auto && strcmp(yn->yn_text, "auto") == 0) {
		kv->kv_int = KEY_AUTO;
		kv->kv_real = KEY_AUTO;
		return true;
	}
	if (!unit_parse(k->k_unit, yn->yn_text, &q, &ue)) {
		if (k->k_choices != NULL)
			diag_error(d, yn->yn_at, "%s: '%s', want %s",
			    key_name(k), yn->yn_text,
			    key_range(k, buf, sizeof(buf)));
		else
			diag_error(d, ynode_part(yn, ue.ue_at, ue.ue_width),
			    "%s: %s%s", key_name(k), ue.ue_text,
			    k->k_auto ? ", nor auto" : "");
		return false;
	}
	if (!q.q_whole && !takes_fractions(k)) {
		diag_error(d, yn->yn_at,
		    "%s: '%s', want a whole multiple of %s", key_name(k),
		    yn->yn_text, unit_print(k->k_unit, 1, buf));
		return false;
	}
	kv->kv_int = q.q_int;
	kv->kv_real = q.q_real;
	return check_range(k, yn, kv, d);
}

static bool
check_range(const struct key *k, const struct ynode *yn,
    const struct key_value *kv, struct diag *d)
{
	char buf[200];

	if (kv->kv_real >= (double)k->k_min && kv->kv_real <= (double)k->k_max)
		return true;
	diag_error(d, yn->yn_at, "%s: %s, want %s", key_name(k), yn->yn_text,
	    key_range(k, buf, sizeof(buf)));
	return false;
}

static bool
is_auto(const struct key *k, const struct key_value *kv)
{
	return k->k_auto && kv->kv_int == KEY_AUTO;
}

static bool
takes_fractions(const struct key *k)
{
	return k->k_store == STORE_DOUBLE || k->k_store == STORE_FRACTION;
}

bool
key_parse_range(const struct key *k, const struct ynode *yn, struct ypool *yp,
    struct key_value *low, struct key_value *high, struct diag *d)
{
	char *text =
	    ypool_strdup(yp, yn->yn_kind == YNODE_SCALAR ? yn->yn_text : "");
	char *dots = strstr(text, "..");
	struct ynode *lo, *hi;
	struct key plain = *k;
	size_t at, n;

	/* Words are at no end of a range. */
	if (k->k_type == KEY_NUMBER)
		plain.k_choices = NULL;
	if (dots == NULL) {
		diag_error(d, yn->yn_at, "range: want LOW..HIGH, as in %s",
		    range_example(k));
		return false;
	}
	*dots = '\0';
	n = strlen(dots + 2);
	at = (size_t)(dots - text);
	lo = ynode_scalar(yp, text, ynode_part(yn, 0, at > 0 ? at : 1));
	hi = ynode_scalar(yp, dots + 2, ynode_part(yn, at + 2, n > 0 ? n : 1));
	lo->yn_quoted = hi->yn_quoted = yn->yn_quoted;
	return key_parse(&plain, lo, low, d) && key_parse(&plain, hi, high, d);
}

static const char *
range_example(const struct key *k)
{
	switch (k->k_unit) {
	case UNIT_TIME:
		return "5us..80us";
	case UNIT_SIZE:
		return "100KiB..2MiB";
	case UNIT_NONE:
	case UNIT_RATE:
	case UNIT_FREQUENCY:
	case UNIT_PERCENT:
	case UNIT_NKINDS:
		break;
	}
	return "1..2";
}

void
key_default(const struct key *k, struct key_value *kv)
{
	const struct key_choice *word = word_find(k, k->k_default);
	struct quantity q = { 0 };
	struct unit_error ue;

	memset(kv, 0, sizeof(*kv));
	kv->kv_text = k->k_default;
	if (k->k_type == KEY_BOOL) {
		kv->kv_int = strcmp(k->k_default, "true") == 0;
	} else if (k->k_type == KEY_CHOICE) {
		for (const struct key_choice *kc = k->k_choices;
		     kc->kc_name != NULL; kc++) {
			if (strcmp(kc->kc_name, k->k_default) == 0)
				kv->kv_int = kc->kc_value;
		}
	} else if (word != NULL) {
		kv->kv_int = word->kc_value;
		kv->kv_real = word->kc_value;
	} else if (k->k_auto && strcmp(k->k_default, "auto") == 0) {
		kv->kv_int = KEY_AUTO;
		kv->kv_real = KEY_AUTO;
	} else if (k->k_type != KEY_TEXT) {
		unit_parse(k->k_unit, k->k_default, &q, &ue);
		kv->kv_int = q.q_int;
		kv->kv_real = q.q_real;
	}
}

void
key_store(const struct key *k, void *base, const struct key_value *kv)
{
	char *at = (char *)base + k->k_offset;

	switch (k->k_store) {
	case STORE_NONE:
		break;
	case STORE_TEXT:
		*(const char **)at = kv->kv_text;
		break;
	case STORE_INT:
		*(int *)at = (int)kv->kv_int;
		break;
	case STORE_UINT32:
		*(uint32_t *)at = (uint32_t)kv->kv_int;
		break;
	case STORE_INT64:
		*(int64_t *)at = kv->kv_int;
		break;
	case STORE_BOOL:
		*(bool *)at = kv->kv_int != 0;
		break;
	case STORE_DOUBLE:
		*(double *)at = kv->kv_real;
		break;
	case STORE_FRACTION:
		*(double *)at = kv->kv_real / 100;
		break;
	}
}

bool
key_equal(
    const struct key *k, const struct key_value *a, const struct key_value *b)
{
	if (k->k_type == KEY_TEXT || k->k_type == KEY_PROFILE ||
	    k->k_type == KEY_LINK)
		return strcmp(a->kv_text, b->kv_text) == 0;
	return a->kv_int == b->kv_int && a->kv_real == b->kv_real;
}

static const char *
choice_name(const struct key *k, int64_t value)
{
	const struct key_choice *kc = k->k_choices;

	while (kc->kc_name != NULL && kc->kc_value != value)
		kc++;
	return kc->kc_name;
}

char *
key_print(
    const struct key *k, const struct key_value *kv, char *buf, size_t size)
{
	char tmp[UNIT_TEXT_MAX];
	const char *s = tmp;

	switch (k->k_type) {
	case KEY_TEXT:
	case KEY_PROFILE:
	case KEY_LINK:
		s = kv->kv_text;
		break;
	case KEY_CHOICE:
		s = choice_name(k, kv->kv_int);
		break;
	case KEY_BOOL:
		s = kv->kv_int ? "true" : "false";
		break;
	case KEY_NUMBER:
	case KEY_REAL:
	case KEY_QUANTITY:
		if (is_auto(k, kv))
			s = "auto";
		else if (k->k_choices != NULL && kv->kv_int < 0)
			s = choice_name(k, kv->kv_int);
		else if (takes_fractions(k))
			unit_print_real(k->k_unit, kv->kv_real, tmp);
		else
			unit_print(k->k_unit, kv->kv_int, tmp);
		break;
	}
	snprintf(buf, size, "%s", s);
	return buf;
}

bool
key_is_bare(const struct key *k)
{
	return k->k_type == KEY_BOOL || k->k_type == KEY_NUMBER ||
	       k->k_type == KEY_REAL;
}

bool
key_text_is_bare(const struct key *k, const char *text)
{
	return key_is_bare(k) && word_find(k, text) == NULL;
}

char *
key_range(const struct key *k, char *buf, size_t size)
{
	char lo[UNIT_TEXT_MAX], hi[UNIT_TEXT_MAX];
	size_t n = 0;

	buf[0] = '\0';
	if (k->k_type == KEY_BOOL) {
		snprintf(buf, size, "true|false");
	} else if (k->k_min == k->k_max && k->k_max != 0) {
		snprintf(buf, size, "%s", unit_print(k->k_unit, k->k_min, lo));
	} else if (k->k_max != 0) {
		n = snprintf(buf, size, "%s..%s%s",
		    unit_print(k->k_unit, k->k_min, lo),
		    unit_print(k->k_unit, k->k_max, hi),
		    k->k_auto ? "|auto" : "");
	}
	for (const struct key_choice *kc = k->k_choices;
	     kc != NULL && kc->kc_name != NULL && n < size; kc++)
		n += snprintf(
		    buf + n, size - n, "%s%s", n > 0 ? "|" : "", kc->kc_name);
	return buf;
}
