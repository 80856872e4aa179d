#include <math.h>
#include <string.h>
#include <time.h>

#include "model/counter.h"
#include "sim/core/alloc.h"
#include "sim/core/engine.h"
#include "sim/lab/metric.h"
#include "sim/lab/report_impl.h"
#include "sim/lab/series.h"
#include "sim/lab/text.h"

static void scenarios_json(FILE *, const struct report_data *);
static bool sessions_json(FILE *, const struct report_data *);
static void models_json(FILE *, const struct report_data *);
static void metrics_json(FILE *);
static void counters_json(FILE *);
static void series_json(FILE *);
static void axes_json(FILE *, const struct report_data *);
static bool points_json(FILE *, const struct report_data *);
static void timelines_json(FILE *, const struct report_data *);
static void members_copy(FILE *to, FILE *from);

bool
report_json(FILE *fp, const struct report_data *rd)
{
	bool ok;

	fputs("{\"version\":1,\"program\":", fp);
	report_string(fp, SOLAB_VERSION);
	fputs(",\"simgrid\":", fp);
	report_string(fp, engine_version());
	fputs(",\"store\":", fp);
	report_string(fp, rd->rd_report->rp_name);
	scenarios_json(fp, rd);
	ok = sessions_json(fp, rd);
	models_json(fp, rd);
	metrics_json(fp);
	counters_json(fp);
	series_json(fp);
	axes_json(fp, rd);
	fputs(",\n", fp);
	report_percentiles_json(fp);
	ok = ok && points_json(fp, rd) && report_published_json(fp, rd) &&
	     report_graphs_json(fp, rd);
	timelines_json(fp, rd);
	fputc('}', fp);
	return ok;
}

static void
scenarios_json(FILE *fp, const struct report_data *rd)
{
	fputs(",\n\"scenarios\":[", fp);
	for (int i = 0; i < rd->rd_nabouts; i++) {
		const struct store_about *sb = &rd->rd_abouts[i];

		fputs(i > 0 ? ",{\"name\":" : "{\"name\":", fp);
		report_string(fp, sb->sb_name);
		fputs(",\"title\":", fp);
		report_string(fp, sb->sb_title);
		fputs(",\"source\":", fp);
		report_string(fp, sb->sb_origin);
		fputs(",\"file\":", fp);
		report_string(fp, sb->sb_file);
		fputc('}', fp);
	}
	fputc(']', fp);
}

static bool
sessions_json(FILE *fp, const struct report_data *rd)
{
	struct ypool yp = { NULL };
	struct store_writer *list;
	int n = store_writers(rd->rd_store, &list, &yp);

	fputs(",\n\"sessions\":[", fp);
	for (int i = 0; i < n; i++) {
		time_t started = (time_t)(list[i].sw_started / 1000000000);
		struct tm tm;
		char when[40] = "";

		if (gmtime_r(&started, &tm) != NULL)
			strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
		fputs(i > 0 ? ",{\"command\":" : "{\"command\":", fp);
		report_string(fp, list[i].sw_command);
		fputs(",\"version\":", fp);
		report_string(fp, list[i].sw_version);
		fputs(",\"simgrid\":", fp);
		report_string(fp, list[i].sw_simgrid);
		fputs(",\"host\":", fp);
		report_string(fp, list[i].sw_host);
		fprintf(fp, ",\"started\":\"%s\"}", when);
	}
	fputc(']', fp);
	sim_free(list);
	ypool_fini(&yp);
	return n >= 0;
}

static void
models_json(FILE *fp, const struct report_data *rd)
{
	fputs(",\"models\":[", fp);
	for (int i = 0; i < rd->rd_nmodels; i++) {
		fputs(i > 0 ? "," : "", fp);
		report_string(fp, rd->rd_models[i]);
	}
	fputc(']', fp);
}

static void
metrics_json(FILE *fp)
{
	static const char *const units[UNIT_NKINDS] = {
		[UNIT_NONE] = "",
		[UNIT_TIME] = "ns",
		[UNIT_SIZE] = "B",
		[UNIT_RATE] = "bit/s",
		[UNIT_FREQUENCY] = "1/s",
		[UNIT_PERCENT] = "%",
	};

	fputs(",\n\"metrics\":[", fp);
	for (int m = 0; m < METRIC_N; m++) {
		fprintf(fp,
		    "%s{\"name\":\"%s\",\"label\":\"%s\",\"unit\":"
		    "\"%s\",\"help\":",
		    m > 0 ? "," : "", key_metrics[m].km_json,
		    key_metrics[m].km_name, units[key_metrics[m].km_unit]);
		report_string(fp, key_metrics[m].km_help);
		fputc('}', fp);
	}
	fputc(']', fp);
}

static void
counters_json(FILE *fp)
{
	fputs(",\n\"counters\":{", fp);
	for (int i = 0; i < COUNTER_N; i++) {
		fprintf(fp, "%s\"%s\":", i > 0 ? "," : "",
		    counter_infos[i].cn_name);
		report_string(fp, counter_infos[i].cn_help);
	}
	fputc('}', fp);
}

/* What the names of time series mean; those of a point are with it. */
static void
series_json(FILE *fp)
{
	fputs(",\n\"series\":{", fp);
	for (int s = 0; s < SERIES_N; s++) {
		const struct series_info *si = &series_infos[s];

		fprintf(fp,
		    "%s\"%s\":{\"kind\":\"%s\",\"unit\":", s > 0 ? "," : "",
		    si->si_name, series_kind_name(si->si_kind));
		report_string(fp, si->si_unit);
		fputs(",\"help\":", fp);
		report_string(fp, si->si_help);
		fputc('}', fp);
	}
	fputc('}', fp);
}

static void
axes_json(FILE *fp, const struct report_data *rd)
{
	fputs(",\n\"axes\":[", fp);
	for (int i = 0; i < rd->rd_naxes; i++) {
		const struct report_axis *ra = &rd->rd_axes[i];

		fputs(i > 0 ? ",{\"path\":" : "{\"path\":", fp);
		report_string(fp, ra->ra_path);
		fputs(",\"short\":", fp);
		report_string(fp, ra->ra_short);
		fputs(",\"values\":[", fp);
		for (int k = 0; k < ra->ra_n; k++) {
			fputs(k > 0 ? "," : "", fp);
			report_string(fp, ra->ra_values[k]);
		}
		fputs(ra->ra_numbers != NULL ? "],\"numbers\":["
					     : "],\"numbers\":null}",
		    fp);
		for (int k = 0; k < ra->ra_n && ra->ra_numbers != NULL; k++) {
			fputs(k > 0 ? "," : "", fp);
			report_number(fp, ra->ra_numbers[k], 17);
		}
		fputs(ra->ra_numbers != NULL ? "]}" : "", fp);
	}
	fputc(']', fp);
}

static bool
points_json(FILE *fp, const struct report_data *rd)
{
	bool ok = true;

	fprintf(fp, ",\"detailed\":%d,\n\"points\":[", REPORT_MAX_DETAILED);
	for (int i = 0; i < rd->rd_npoints && ok; i++) {
		fputs(i > 0 ? ",\n" : "", fp);
		ok = report_point_json(
		    fp, rd, &rd->rd_points[i], i < REPORT_MAX_DETAILED);
	}
	fputc(']', fp);
	return ok;
}

static void
timelines_json(FILE *fp, const struct report_data *rd)
{
	const struct report *rp = rd->rd_report;

	fputs(",\n\"timelines\":[", fp);
	for (int i = 0; i < rp->rp_ntimelines; i++) {
		const struct report_timeline *rm = &rp->rp_timelines[i];
		const struct report_point *rt =
		    report_point_of(rd, rm->rm_point);

		fprintf(fp, "%s{\"point\":%lld,\"label\":", i > 0 ? ",\n" : "",
		    (long long)rm->rm_point);
		report_string(fp, rt != NULL ? rt->rt_point->sp_label : "");
		fputc(',', fp);
		members_copy(fp, rm->rm_json);
	}
	fputc(']', fp);
}

/* An object without its `{`. Outside strings JSON has no `<`. */
static void
members_copy(FILE *to, FILE *from)
{
	int c;

	rewind(from);
	while ((c = getc(from)) != EOF && c != '{')
		;
	while ((c = getc(from)) != EOF) {
		if (c == '<')
			fputs("\\u003c", to);
		else if (c != '\n')
			putc(c, to);
	}
}

void
report_string(FILE *fp, const char *s)
{
	const char *end = s + strlen(s);
	uint32_t code;
	int n;

	fputc('"', fp);
	for (; s < end; s += n) {
		n = text_decode(s, end, &code);
		if (code == '"' || code == '\\')
			fprintf(fp, "\\%c", *s);
		else if (code < ' ' || code == '<' || code == 0xfffd)
			fprintf(fp, "\\u%04x", (unsigned)code);
		else
			fwrite(s, 1, (size_t)n, fp);
	}
	fputc('"', fp);
}

void
report_number(FILE *fp, double value, int digits)
{
	if (isfinite(value))
		fprintf(fp, "%.*g", digits, value);
	else
		fputs("null", fp);
}
