#include "sim/lab/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 18 /* digits that always fit an int64 */

struct unit {
	const char *u_name;
	int64_t u_factor;
	bool u_parse_only; /* never chosen for printing */
};

/* Of one kind: from small to large. The first is the base unit. */
static const struct unit units_time[] = { { "ns", 1, false },
	{ "us", 1000, false }, { "ms", 1000000, false },
	{ "s", 1000000000, false }, { "min", 60000000000, true },
	{ "h", 3600000000000, true }, { NULL, 0, false } };
static const struct unit units_size[] = { { "B", 1, false },
	{ "KB", 1000, false }, { "KiB", 1024, false }, { "MB", 1000000, false },
	{ "MiB", 1048576, false }, { "GB", 1000000000, false },
	{ "GiB", 1073741824, false }, { NULL, 0, false } };
static const struct unit units_rate[] = { { "bps", 1, false },
	{ "kbps", 1000, false }, { "Mbps", 1000000, false },
	{ "Gbps", 1000000000, false }, { "Tbps", 1000000000000, false },
	{ NULL, 0, false } };
static const struct unit units_frequency[] = { { "/s", 1, false },
	{ "k/s", 1000, true }, { NULL, 0, false } };
static const struct unit units_percent[] = { { "%", 1, false },
	{ NULL, 0, false } };
static const struct unit units_none[] = { { "", 1, false },
	{ NULL, 0, false } };

static const struct {
	const char *name, *list;
	const struct unit *units;
} kinds[UNIT_NKINDS] = {
	[UNIT_NONE] = { "number", "", units_none },
	[UNIT_TIME] = { "time", "ns us ms s min h", units_time },
	[UNIT_SIZE] = { "size", "B KB KiB MB MiB GB GiB", units_size },
	[UNIT_RATE] = { "bit rate", "bps kbps Mbps Gbps Tbps", units_rate },
	[UNIT_FREQUENCY] = { "frequency", "/s k/s", units_frequency },
	[UNIT_PERCENT] = { "percentage", "%", units_percent },
};

/* A decimal number as written: digits without the point, and its place. */
struct decimal {
	bool negative;
	int64_t mantissa;
	int decimals;
	size_t len; /* bytes read */
};

static bool decimal_parse(
    const char *text, struct decimal *, struct unit_error *);
static const struct unit *unit_find(
    enum unit_kind, const char *text, size_t at, struct unit_error *);
static bool quantity_make(const struct decimal *, const struct unit *,
    const char *text, struct quantity *, struct unit_error *);
static bool decimals_print(double value, int decimals, char *buf);
static bool fail(struct unit_error *, size_t at, size_t width, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));

bool
unit_parse(enum unit_kind kind, const char *text, struct quantity *q,
    struct unit_error *ue)
{
	struct decimal dec;
	const struct unit *u;
	size_t at;

	if (!decimal_parse(text, &dec, ue))
		return false;
	at = dec.len;
	if (text[at] == ' ' && text[at + 1] != '\0')
		at++;
	u = unit_find(kind, text, at, ue);
	if (u == NULL)
		return false;
	return quantity_make(&dec, u, text, q, ue);
}

static bool
decimal_parse(const char *text, struct decimal *dec, struct unit_error *ue)
{
	const char *s = text, *start;
	int digits = 0;

	memset(dec, 0, sizeof(*dec));
	dec->negative = *s == '-';
	s += dec->negative;
	start = s;
	for (bool point = false;; s++) {
		if (*s == '.' && !point && s > start) {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			break;
		if (++digits > DIGITS_MAX)
			return fail(ue, 0, strlen(text),
			    "more than %d digits in '%.40s'", DIGITS_MAX, text);
		dec->mantissa = dec->mantissa * 10 + (*s - '0');
		dec->decimals += point;
	}
	if (digits == 0 || s[-1] == '.')
		return fail(
		    ue, 0, strlen(text), "'%.40s' is not a number", text);
	if (start[0] == '0' && start[1] >= '0' && start[1] <= '9')
		return fail(ue, 0, strlen(text),
		    "'%.40s' begins with a zero: octal is not meant, is it?",
		    text);
	dec->len = s - text;
	return true;
}

static const struct unit *
unit_find(
    enum unit_kind kind, const char *text, size_t at, struct unit_error *ue)
{
	const char *name = text + at;

	for (const struct unit *u = kinds[kind].units; u->u_name != NULL; u++) {
		if (strcmp(name, u->u_name) == 0)
			return u;
	}
	if (kind == UNIT_NONE)
		fail(
		    ue, 0, strlen(text), "'%.40s' is not a plain number", text);
	else if (*name == '\0')
		fail(ue, 0, strlen(text), "'%.40s' has no unit (%s: %s)", text,
		    kinds[kind].name, kinds[kind].list);
	else
		fail(ue, at, strlen(name), "unknown %s unit '%.40s' (use: %s)",
		    kinds[kind].name, name, kinds[kind].list);
	return NULL;
}

static bool
quantity_make(const struct decimal *dec, const struct unit *u, const char *text,
    struct quantity *q, struct unit_error *ue)
{
	__int128 value = (__int128)dec->mantissa * u->u_factor;
	int64_t scale = 1;

	for (int i = 0; i < dec->decimals; i++)
		scale *= 10;
	if (value / scale >= INT64_MAX)
		return fail(ue, 0, strlen(text), "'%.40s' is too large", text);
	if (dec->negative)
		value = -value;
	q->q_whole = value % scale == 0;
	q->q_int = (int64_t)(value / scale);
	q->q_real = (double)((long double)value / (long double)scale);
	return true;
}

char *
unit_print(enum unit_kind kind, int64_t value, char *buf)
{
	const struct unit *best = kinds[kind].units;

	for (const struct unit *u = best; u->u_name != NULL; u++) {
		if (!u->u_parse_only && value != 0 && value % u->u_factor == 0)
			best = u;
	}
	snprintf(buf, UNIT_TEXT_MAX, "%lld%s",
	    (long long)(value / best->u_factor), best->u_name);
	return buf;
}

char *
unit_print_real(enum unit_kind kind, double value, char *buf)
{
	int decimals = 9;
	size_t n;

	if (value > -9e15 && value < 9e15 && value == (double)(int64_t)value)
		return unit_print(kind, (int64_t)value, buf);
	while (!decimals_print(value, decimals, buf) && decimals < DIGITS_MAX)
		decimals++;
	if (decimals == DIGITS_MAX)
		decimals_print(value, 9, buf);
	n = strlen(buf);
	while (n > 1 && buf[n - 1] == '0' && buf[n - 2] != '.')
		buf[--n] = '\0';
	snprintf(buf + n, UNIT_TEXT_MAX - n, "%s", kinds[kind].units->u_name);
	return buf;
}

/* Returns: whether what was printed reads as the same value. */
static bool
decimals_print(double value, int decimals, char *buf)
{
	struct unit_error ue;
	struct quantity q;

	snprintf(buf, UNIT_TEXT_MAX, "%.*f", decimals, value);
	for (char *s = buf; *s != '\0'; s++) {
		if (*s == ',') /* the locale's point */
			*s = '.';
	}
	return unit_parse(UNIT_NONE, buf, &q, &ue) && q.q_real == value;
}

const char *
unit_kind_name(enum unit_kind kind)
{
	return kinds[kind].name;
}

const char *
unit_list(enum unit_kind kind)
{
	return kinds[kind].list;
}

static bool
fail(struct unit_error *ue, size_t at, size_t width, const char *fmt, ...)
{
	va_list ap;

	ue->ue_at = at;
	ue->ue_width = width > 0 ? width : 1;
	va_start(ap, fmt);
	vsnprintf(ue->ue_text, sizeof(ue->ue_text), fmt, ap);
	va_end(ap);
	return false;
}
