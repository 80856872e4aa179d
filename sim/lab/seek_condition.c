/* METRIC<=VALUE, METRIC>=VALUE, METRIC~P% */
#include <string.h>

#include "sim/lab/metric.h"
#include "sim/lab/seek.h"

/* A condition while it is read. */
struct reader {
	const char *rd_text; /* of the file */
	struct diag_span rd_at;
	struct diag *rd_d;
};

static const char *find_sign(const char *text);
static bool metric_parse(
    const struct reader *, const char *name, size_t len, enum metric *);
static bool sign_parse(const struct reader *, const char *sign,
    enum seek_relation *, const char **rest);
static bool limit_parse(
    const struct reader *, const char *text, struct seek_condition *);
static bool best_parse(
    const struct reader *, const char *text, struct seek_condition *);
static struct diag_span place(
    const struct reader *, const char *at, size_t width);
static bool best_is_highest(enum metric);
static bool best_is_lowest(enum metric);

bool
seek_condition_parse(
    const char *text, struct seek_condition *sn, struct diag *d)
{
	const struct diag_file *df =
	    diag_add_file(d, "<condition>", text, strlen(text));
	const struct reader rd = { df->df_text, { df, 1, 1, 1 }, d };
	const char *t = df->df_text, *sign, *value;
	size_t len;

	t += strspn(t, " ");
	sign = find_sign(t);
	if (*sign == '\0' || sign == t) {
		diag_error(d, place(&rd, rd.rd_text, strlen(rd.rd_text)),
		    "want METRIC<=VALUE, METRIC>=VALUE or METRIC~P%%, as in "
		    "latency_p99<=50ms");
		return false;
	}
	for (len = sign - t; len > 0 && t[len - 1] == ' ';)
		len--;
	if (!metric_parse(&rd, t, len, &sn->sn_metric) ||
	    !sign_parse(&rd, sign, &sn->sn_relation, &value))
		return false;
	value += strspn(value, " ");
	if (sn->sn_relation == SEEK_NEAR_BEST)
		return best_parse(&rd, value, sn);
	return limit_parse(&rd, value, sn);
}

static const char *
find_sign(const char *text)
{
	return text + strcspn(text, "<>~=!");
}

static bool
metric_parse(
    const struct reader *rd, const char *name, size_t len, enum metric *metric)
{
	const char *names[METRIC_N], *near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	for (size_t i = 0; i < key_metrics_n; i++) {
		names[i] = key_metrics[i].km_name;
		if (strcmp(names[i], word) != 0)
			continue;
		*metric = (enum metric)i;
		return true;
	}
	near = diag_nearest(word, names, key_metrics_n);
	diag_error(rd->rd_d, place(rd, name, len), "unknown metric '%s'%s%s%s",
	    word, near != NULL ? ", did you mean '" : "",
	    near != NULL ? near : "", near != NULL ? "'?" : "");
	return false;
}

static bool
sign_parse(const struct reader *rd, const char *sign,
    enum seek_relation *relation, const char **rest)
{
	*rest = sign + 2;
	if (strncmp(sign, "<=", 2) == 0) {
		*relation = SEEK_AT_MOST;
	} else if (strncmp(sign, ">=", 2) == 0) {
		*relation = SEEK_AT_LEAST;
	} else if (*sign == '~') {
		*relation = SEEK_NEAR_BEST;
		*rest = sign + 1;
	} else {
		diag_error(rd->rd_d, place(rd, sign, strspn(sign, "<>~=!")),
		    "want <=, >= or ~");
		return false;
	}
	return true;
}

static bool
limit_parse(
    const struct reader *rd, const char *text, struct seek_condition *sn)
{
	struct unit_error ue;
	struct quantity q;

	if (!unit_parse(key_metrics[sn->sn_metric].km_unit, text, &q, &ue)) {
		diag_error(rd->rd_d, place(rd, text + ue.ue_at, ue.ue_width),
		    "%s: %s", key_metrics[sn->sn_metric].km_name, ue.ue_text);
		return false;
	}
	sn->sn_limit = q.q_real;
	sn->sn_highest_best = false;
	return true;
}

static bool
best_parse(const struct reader *rd, const char *text, struct seek_condition *sn)
{
	const char *name = key_metrics[sn->sn_metric].km_name;
	struct unit_error ue;
	struct quantity q;

	sn->sn_highest_best = best_is_highest(sn->sn_metric);
	if (!sn->sn_highest_best && !best_is_lowest(sn->sn_metric)) {
		diag_error(rd->rd_d, place(rd, rd->rd_text, strlen(name)),
		    "%s has no best value: want <= or >=", name);
		return false;
	}
	if (!unit_parse(UNIT_PERCENT, text, &q, &ue)) {
		diag_error(rd->rd_d, place(rd, text + ue.ue_at, ue.ue_width),
		    "%s", ue.ue_text);
		return false;
	}
	if (q.q_real <= 0 || q.q_real >= 100) {
		diag_error(rd->rd_d, place(rd, text, strlen(text)),
		    "'%s', want more than 0 and less than 100 %%", text);
		return false;
	}
	sn->sn_limit = q.q_real;
	return true;
}

/* What is more with a better system. */
static bool
best_is_highest(enum metric m)
{
	return m == METRIC_THROUGHPUT || m == METRIC_GOODPUT ||
	       m == METRIC_REQUEST_RATE || m == METRIC_REQUESTS;
}

static bool
best_is_lowest(enum metric m)
{
	return key_metrics[m].km_unit == UNIT_TIME;
}

static struct diag_span
place(const struct reader *rd, const char *at, size_t width)
{
	struct diag_span ds = rd->rd_at;

	ds.ds_col = (int)(at - rd->rd_text) + 1;
	ds.ds_width = width > 0 ? (int)width : 1;
	return ds;
}

char *
seek_condition_print(const struct seek_condition *sn, char *buf, size_t size)
{
	static const char *const signs[] = {
		[SEEK_AT_MOST] = "<=",
		[SEEK_AT_LEAST] = ">=",
		[SEEK_NEAR_BEST] = "~",
	};
	const struct key_metric *km = &key_metrics[sn->sn_metric];
	char text[UNIT_TEXT_MAX];

	unit_print_real(
	    sn->sn_relation == SEEK_NEAR_BEST ? UNIT_PERCENT : km->km_unit,
	    sn->sn_limit, text);
	snprintf(
	    buf, size, "%s%s%s", km->km_name, signs[sn->sn_relation], text);
	return buf;
}
