#include "sim/lab/sweep.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/stat_precision.h"
#include "sim/lab/records.h"
#include "sim/lab/text.h"

#define TIME_LIMIT_NS (3600 * 1000000000LL)
#define MEMORY_PART 0.9 /* of the machine's, for all jobs together */

/* Marks of the table, and whether each was used. */
struct notes {
	bool nt_few, nt_unsteady, nt_wide;
	int nt_none; /* points without a run */
};

/* The table: which axes tell its points apart. */
struct table {
	FILE *tb_fp;
	struct store *tb_st;
	const struct precision *tb_pn;
	bool tb_varies[SCENARIO_MAX_AXES];
	int tb_width;
	struct notes tb_notes;
};

static void columns_find(struct table *, const struct trial *, int n);
static char *label(const struct table *, const struct trial *, bool varies,
    char *buf, size_t size);
static void heading(FILE *, int width, bool intervals);
static void heading_receive(FILE *, int width, bool intervals);
static bool receives(const struct trial *);
static void row_receive(FILE *, struct record *const *, int n, struct notes *);
static bool row(struct table *, const struct trial *);
static void row_values(FILE *, struct record *const *, int n, struct notes *);
static void value(FILE *, struct stat_ci, double scale, int width, int decimals,
    bool interval, const char *mark);
static void footnotes(FILE *, const struct notes *);

struct store *
experiment_store(const struct cli_args *ca, bool existing)
{
	struct store *st =
	    store_open(ca->ca_db, existing ? STORE_UPDATE : STORE_CREATE);

	if (st == NULL)
		return NULL;
	if (ca->ca_alone)
		store_alone(st);
	if ((ca->ca_db == NULL || (!ca->ca_alone && ca->ca_executor == NULL) ||
		store_between_machines(st)) &&
	    store_session(st, ca->ca_command))
		return st;
	store_close(st);
	return NULL;
}

struct run_options
experiment_options(const struct cli_args *ca, const char *scenario)
{
	struct run_options ro = {
		.ro_scenario = scenario,
		.ro_jobs = ca->ca_jobs,
		.ro_exact = ca->ca_exact,
		.ro_time_ns =
		    ca->ca_time_ns > 0 ? ca->ca_time_ns : TIME_LIMIT_NS,
		.ro_memory_bytes = ca->ca_memory_bytes,
	};
	double all =
	    (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	int jobs =
	    ca->ca_jobs > 0 ? ca->ca_jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);

	if (ro.ro_memory_bytes == 0)
		ro.ro_memory_bytes = (int64_t)(MEMORY_PART * all / jobs);
	return ro;
}

struct trial *
trials_create(struct scenario *sc, int *n)
{
	struct trial *trials;

	*n = scenario_npoints(sc);
	trials = sim_calloc((size_t)*n, sizeof(*trials));
	for (int i = 0; i < *n; i++)
		trials[i] = (struct trial){
			.tr_sc = sc,
			.tr_point = i,
			.tr_reps = sc->sc_setup.su_run.sr_replications,
		};
	return trials;
}

void
trials_destroy(struct trial *trials, int n)
{
	for (int i = 0; i < n; i++)
		trial_fini(&trials[i]);
	sim_free(trials);
}

int
trial_records(struct store *st, const struct trial *tr, struct record ***out)
{
	struct record **rds;
	int all = store_records(st, tr->tr_id, &rds), n = 0;

	for (int i = 0; i < all; i++) {
		if (rds[i]->rd_seed == tr->tr_seed &&
		    (int)rds[i]->rd_rep < tr->tr_reps)
			rds[n++] = rds[i];
		else
			record_destroy(rds[i]);
	}
	*out = rds;
	return all < 0 ? -1 : n;
}

bool
sweep_table(FILE *fp, struct store *st, const struct trial *trials, int n,
    const struct precision *pn)
{
	struct table tb = { .tb_fp = fp, .tb_st = st, .tb_pn = pn };
	bool intervals = false, ok = true;
	char text[512];

	columns_find(&tb, trials, n);
	for (int i = 0; i < n; i++) {
		int len = text_width(
		    label(&tb, &trials[i], true, text, sizeof(text)));

		tb.tb_width = len > tb.tb_width ? len : tb.tb_width;
		intervals = intervals || trials[i].tr_done > 1;
	}
	label(&tb, &trials[0], false, text, sizeof(text));
	if (text[0] != '\0')
		fprintf(fp, "all points: %s\n", text);
	if (receives(&trials[0]))
		heading_receive(fp, tb.tb_width, intervals);
	else
		heading(fp, tb.tb_width, intervals);
	for (int i = 0; i < n && ok; i++)
		ok = row(&tb, &trials[i]);
	footnotes(fp, &tb.tb_notes);
	return ok;
}

/* A lonely point is told by all its axes. */
static void
columns_find(struct table *tb, const struct trial *trials, int n)
{
	struct scenario_param first[SCENARIO_MAX_AXES], now[SCENARIO_MAX_AXES];
	int naxes = scenario_params(trials[0].tr_sc, trials[0].tr_point, first);

	tb->tb_width = 5;
	for (int i = 1; i < n; i++) {
		scenario_params(trials[i].tr_sc, trials[i].tr_point, now);
		for (int a = 0; a < naxes; a++)
			tb->tb_varies[a] =
			    tb->tb_varies[a] ||
			    strcmp(first[a].pa_value, now[a].pa_value) != 0;
	}
}

/*
 * The parameters that vary, or those that do not; not the replications. As a
 * terminal may have it.
 */
static char *
label(const struct table *tb, const struct trial *tr, bool varies, char *buf,
    size_t size)
{
	struct scenario_param params[SCENARIO_MAX_AXES];
	int n = scenario_params(tr->tr_sc, tr->tr_point, params);
	size_t len = 0;
	char value[512];

	buf[0] = '\0';
	for (int a = 0; a < n && len < size; a++) {
		if (tb->tb_varies[a] != varies ||
		    strcmp(params[a].pa_path, "run.replications") == 0)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s=%s",
		    len > 0 ? " " : "", params[a].pa_short,
		    text_escape(params[a].pa_value, value, sizeof(value)));
	}
	return buf;
}

static void
heading(FILE *fp, int width, bool intervals)
{
	int w = intervals ? 8 : 0;

	fprintf(fp,
	    "%-*s %4s %8s%*s %8s%*s %8s%*s %8s%*s %7s  %4s %5s %6s %5s\n",
	    width, "point", "reps", "1/s", w, "", "latency", w, "", "99 %", w,
	    "", "cycle,ms", w, "", "Little", "msgs", "IPIs", "switch", "given");
}

static bool
row(struct table *tb, const struct trial *tr)
{
	struct record **rds;
	char text[512];
	int n = trial_records(tb->tb_st, tr, &rds);

	if (n < 0)
		return false;
	if (n == 0 && tr->tr_failed == 0) {
		tb->tb_notes.nt_none++;
		store_records_free(rds, n);
		return true;
	}
	label(tb, tr, true, text, sizeof(text));
	fprintf(tb->tb_fp, "%s%*s %4d", text, tb->tb_width - text_width(text),
	    "", n);
	if (n > 0 && receives(tr))
		row_receive(tb->tb_fp, rds, n, &tb->tb_notes);
	else if (n > 0)
		row_values(tb->tb_fp, rds, n, &tb->tb_notes);
	if (tr->tr_failed > 0)
		fprintf(tb->tb_fp, "  %d FAILED", tr->tr_failed);
	if (n > 0 && precision_missed(tb->tb_pn, rds, n) > 1) {
		fputs(" >", tb->tb_fp);
		tb->tb_notes.nt_wide = true;
	}
	fputc('\n', tb->tb_fp);
	store_records_free(rds, n);
	return true;
}

/*
 * Little's law is off where slots wait for what does not come within the
 * measurement. Messages: those that a thread waited for; given: CPUs given up
 * for a token.
 */
static void
row_values(FILE *fp, struct record *const *rds, int n, struct notes *nt)
{
	bool few = !stat_percentile_ok(0.99, records_samples(rds, n));
	bool steady = records_steady(rds, n), ci = n > 1;

	value(fp, records_metric(rds, n, METRIC_THROUGHPUT), 1, 8, 0, ci, "");
	value(fp, records_metric(rds, n, METRIC_LATENCY_MEAN), 1e-6, 8, 2, ci,
	    steady ? "" : "!");
	value(fp, records_metric(rds, n, METRIC_LATENCY_P99), 1e-6, 8, 2, ci,
	    few ? "?" : "");
	value(
	    fp, records_metric(rds, n, METRIC_CYCLE_MEAN), 1e-6, 8, 1, ci, "");
	fprintf(fp, " %5.0f %%  %4.2f %5.2f %6.2f %5.2f",
	    records_metric(rds, n, METRIC_LITTLES_LAW_ERROR).mean,
	    records_per_request(rds, n, "domsgs"),
	    records_per_request(rds, n, "ipis"),
	    records_per_request(rds, n, "switches"),
	    records_per_request(rds, n, "token_collisions"));
	nt->nt_few = nt->nt_few || few;
	nt->nt_unsteady = nt->nt_unsteady || !steady;
}

/* Netperf and netserver, which have no requests. */
static bool
receives(const struct trial *tr)
{
	const struct setup *su = &tr->tr_sc->sc_setup;

	return su->su_machines[0].sm_procs[0].sp_program == PROGRAM_NETSERVER;
}

static void
heading_receive(FILE *fp, int width, bool intervals)
{
	int w = intervals ? 8 : 0;

	fprintf(fp, "%-*s %4s %8s%*s %8s%*s %8s%*s %8s%*s %8s%*s\n", width,
	    "point", "reps", "Mbit/s", w, "", "rcv, %", w, "", "us/KB", w, "",
	    "snd, %", w, "", "us/KB", w, "");
}

static void
row_receive(FILE *fp, struct record *const *rds, int n, struct notes *nt)
{
	static const struct {
		enum metric metric;
		double scale;
		int decimals;
	} columns[] = {
		{ METRIC_GOODPUT, 1e-6, 0 },
		{ METRIC_RECEIVER_CPU, 1, 1 },
		{ METRIC_RECEIVER_DEMAND, 1e-3, 3 },
		{ METRIC_SENDER_CPU, 1, 1 },
		{ METRIC_SENDER_DEMAND, 1e-3, 3 },
	};
	bool steady = records_steady(rds, n);

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		value(fp, records_metric(rds, n, columns[i].metric),
		    columns[i].scale, 8, columns[i].decimals, n > 1,
		    steady || i > 0 ? "" : "!");
	nt->nt_unsteady = nt->nt_unsteady || !steady;
}

/* The interval in percent of the value. */
static void
value(FILE *fp, struct stat_ci ci, double scale, int width, int decimals,
    bool interval, const char *mark)
{
	char text[64];

	if (isnan(ci.mean))
		snprintf(text, sizeof(text), "none%s", mark);
	else
		snprintf(text, sizeof(text), "%.*f%s", decimals,
		    ci.mean * scale, mark);
	fprintf(fp, " %*s", width, text);
	if (!interval)
		return;
	fprintf(fp, " %-7s",
	    sweep_interval(100 * fabs(ci.half / ci.mean), text, sizeof(text)));
}

const char *
sweep_interval(double percent, char *buf, size_t size)
{
	if (!isfinite(percent))
		return "";
	if (percent > 0 && percent < 0.005)
		return "+-<.01%";
	if (percent >= 999.5)
		return "+->999%";
	snprintf(buf, size,
	    percent >= 99.5 || percent == 0 ? "+-%.0f%%"
	    : percent < 0.0995		    ? "+-%.2f%%"
					    : "+-%.2g%%",
	    percent);
	return buf;
}

static void
footnotes(FILE *fp, const struct notes *nt)
{
	if (nt->nt_unsteady)
		fputs("!  no steady state, or the warm-up is too short\n", fp);
	if (nt->nt_few)
		fprintf(fp, "?  fewer than %lld samples\n",
		    (long long)stat_percentile_wants(0.99));
	if (nt->nt_none > 0)
		fprintf(fp, "%d point%s without a run yet\n", nt->nt_none,
		    nt->nt_none > 1 ? "s" : "");
	if (nt->nt_wide)
		fputs(">  less precise than --precision asks\n", fp);
}
