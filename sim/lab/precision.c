#include "sim/lab/precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/stat_precision.h"
#include "sim/lab/cli.h"
#include "sim/lab/sweep.h"

static bool want_parse(
    const char *command, const char *text, struct precision_want *);
static double *values(
    struct record *const *, int n, const struct precision_want *);

bool
precision_parse(const char *command, const char *text, struct precision *pn)
{
	char *copy = sim_strdup(text), *save, *one;
	bool ok = true;

	pn->pn_n = 0;
	for (one = strtok_r(copy, ",", &save); one != NULL && ok;
	     one = strtok_r(NULL, ",", &save)) {
		if (pn->pn_n == PRECISION_MAX) {
			cli_usage(command, "--precision: more than %d metrics",
			    PRECISION_MAX);
			ok = false;
		} else {
			ok =
			    want_parse(command, one, &pn->pn_wants[pn->pn_n++]);
		}
	}
	if (ok && pn->pn_n == 0) {
		cli_usage(command,
		    "--precision: '%s', want METRIC:PERCENT, as "
		    "in latency_p99:2%%",
		    text);
		ok = false;
	}
	sim_free(copy);
	return ok;
}

/* METRIC:P% */
static bool
want_parse(const char *command, const char *text, struct precision_want *pw)
{
	const char *names[METRIC_N], *colon = strchr(text, ':'), *near;
	struct unit_error ue;
	struct quantity q;
	char name[64];

	if (colon == NULL || colon - text >= (ptrdiff_t)sizeof(name)) {
		cli_usage(command,
		    "--precision: '%s', want METRIC:PERCENT, as "
		    "in latency_p99:2%%",
		    text);
		return false;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
	for (int m = 0; m < METRIC_N; m++)
		names[m] = key_metrics[m].km_name;
	pw->pw_metric = METRIC_N;
	for (int m = 0; m < METRIC_N; m++) {
		if (strcmp(name, names[m]) == 0)
			pw->pw_metric = (enum metric)m;
	}
	if (pw->pw_metric == METRIC_N) {
		near = diag_nearest(name, names, METRIC_N);
		cli_usage(command, "--precision: no metric '%s'%s%s%s", name,
		    near ? ", did you mean '" : "", near ? near : "",
		    near ? "'?" : "");
		return false;
	}
	if (!unit_parse(UNIT_PERCENT, colon + 1, &q, &ue)) {
		cli_usage(command, "--precision: '%s': %s", text, ue.ue_text);
		return false;
	}
	if (q.q_real < 0.001 || q.q_real > 100) {
		cli_usage(
		    command, "--precision: '%s', want 0.001%%..100%%", text);
		return false;
	}
	pw->pw_part = q.q_real / 100;
	return true;
}

int
precision_more(const struct precision *pn, struct store *st,
    const struct trial *tr, int cap)
{
	struct record **rds;
	int n = trial_records(st, tr, &rds), most = 0, more;
	double *x;

	for (int i = 0; i < pn->pn_n && n >= 0; i++) {
		x = values(rds, n, &pn->pn_wants[i]);
		more = stat_precision_more(x, n, pn->pn_wants[i].pw_part, cap);
		most = more > most ? more : most;
		sim_free(x);
	}
	if (n < 0)
		return -1;
	store_records_free(rds, n);
	return most;
}

double
precision_missed(const struct precision *pn, struct record *const *rds, int n)
{
	double worst = 0, *x;

	for (int i = 0; i < pn->pn_n; i++) {
		x = values(rds, n, &pn->pn_wants[i]);
		worst =
		    fmax(worst, stat_precision(x, n) / pn->pn_wants[i].pw_part);
		sim_free(x);
	}
	return worst;
}

static double *
values(struct record *const *rds, int n, const struct precision_want *pw)
{
	double *x = sim_calloc((size_t)n + 1, sizeof(*x));

	for (int i = 0; i < n; i++)
		x[i] =
		    record_metric(rds[i], key_metrics[pw->pw_metric].km_json);
	return x;
}
