#include "sim/lab/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/output.h"
#include "sim/lab/trace_record.h"

#define MAX_MESSAGES 20000

#define KIND(name) 1ull << TRACE_##name

const uint64_t timeline_kinds =
    TRACE_STATES | KIND(COST) | KIND(SYSCALL) | KIND(SYSRET) | KIND(INTR) |
    KIND(MSG_SEND) | KIND(MSG_TAKE) | KIND(IPIQ_SEND) | KIND(IPIQ_TAKE) |
    KIND(SO_QLEN) | KIND(SYN_DROP) | KIND(REFUSED) | KIND(RST) | KIND(ACCEPT) |
    KIND(WAKEUP) | KIND(TOKEN_GET) | KIND(TOKEN_COLLISION);

static void names_put(FILE *, const char *key, const char *const *, int n);
static void cpus_put(FILE *, const struct timeline *);
static void spans_put(FILE *, const struct timeline *, uint64_t first,
    uint64_t end, enum timeline_what);
static uint64_t messages_put(FILE *, const struct timeline *);
static void marks_put(FILE *, const struct timeline *);
static void counters_put(FILE *, struct timeline *);
static bool drawn(const struct timeline_item *);

bool
timeline_json(
    FILE *fp, const char *name, struct sim_trace *st, const struct model *md)
{
	const char *costs[COST_N];
	struct timeline tl;
	uint64_t left;

	(void)name;
	timeline_init(&tl, st, md);
	for (int i = 0; i < COST_N; i++)
		costs[i] = cost_infos[i].ci_name;
	fprintf(fp, "{\"from_ns\":%lld,\"to_ns\":%lld", (long long)tl.tl_from,
	    (long long)tl.tl_to);
	names_put(fp, "costs", costs, COST_N);
	names_put(fp, "syscalls", trace_calls, TRACE_CALL_N);
	names_put(fp, "kinds", timeline_who_names, TIMELINE_NWHO);
	timeline_sort(&tl, true);
	cpus_put(fp, &tl);
	timeline_sort(&tl, false);
	left = messages_put(fp, &tl);
	marks_put(fp, &tl);
	counters_put(fp, &tl);
	fprintf(fp, ",\"cut\":%llu,\"cut_messages\":%llu}\n",
	    (unsigned long long)st->st_lost, (unsigned long long)left);
	timeline_fini(&tl);
	return true;
}

static void
names_put(FILE *fp, const char *key, const char *const *names, int n)
{
	fprintf(fp, ",\"%s\":[", key);
	for (int i = 0; i < n; i++) {
		fputs(i > 0 ? "," : "", fp);
		output_json_string(fp, names[i]);
	}
	fputc(']', fp);
}

/* Of the window's start. */
static long long
at(const struct timeline *tl, sim_ns t)
{
	return (long long)(t - tl->tl_from);
}

/* Sorted by CPU. */
static void
cpus_put(FILE *fp, const struct timeline *tl)
{
	const struct model *md = tl->tl_model;
	uint64_t first = 0, end;

	fputs(",\n\"cpus\":[", fp);
	for (int i = 0; i < md->md_ncpus; i++, first = end) {
		const struct model_cpu *mc = &md->md_cpus[i];

		for (end = first;
		     end < tl->tl_n && tl->tl_items[end].ti_cpu == i; end++)
			continue;
		fputs(i > 0 ? ",\n{\"machine\":" : "\n{\"machine\":", fp);
		output_json_string(fp, trace_machine_name(md, mc->mc_machine));
		fprintf(fp, ",\"cpu\":%d,\"peer\":%s,\n\"threads\":[",
		    mc->mc_cpu->c_id,
		    i >= md->md_nserver_cpus ? "true" : "false");
		spans_put(fp, tl, first, end, TIMELINE_WHO);
		fputs("],\n\"costs\":[", fp);
		spans_put(fp, tl, first, end, TIMELINE_COST);
		fputs("],\n\"calls\":[", fp);
		spans_put(fp, tl, first, end, TIMELINE_CALL);
		fputs("]}", fp);
	}
	fputc(']', fp);
}

static void
idle_put(FILE *fp, const struct timeline *tl, sim_ns from, sim_ns to,
    const char **comma)
{
	if (from == to)
		return;
	fprintf(fp, "%s[%lld,%lld,%d,\"\"]", *comma, at(tl, from), at(tl, to),
	    TIMELINE_IDLE);
	*comma = ",";
}

/* Who has the CPU is told without gaps: nobody is idle. */
static void
spans_put(FILE *fp, const struct timeline *tl, uint64_t first, uint64_t end,
    enum timeline_what what)
{
	const char *comma = "";
	sim_ns told = tl->tl_from;

	for (uint64_t i = first; i < end; i++) {
		const struct timeline_item *ti = &tl->tl_items[i];
		long long start = at(tl, ti->ti_start);

		if (ti->ti_what != what)
			continue;
		if (what == TIMELINE_WHO)
			idle_put(fp, tl, told, ti->ti_start, &comma);
		told = ti->ti_end;
		fprintf(fp, "%s[%lld,%lld,%d", comma, start,
		    what == TIMELINE_COST ? at(tl, ti->ti_end) - start
					  : at(tl, ti->ti_end),
		    ti->ti_n);
		if (what == TIMELINE_WHO) {
			fputc(',', fp);
			output_json_string(fp, ti->ti_name);
		}
		fputc(']', fp);
		comma = ",";
	}
	if (what == TIMELINE_WHO)
		idle_put(fp, tl, told, tl->tl_to, &comma);
}

/* Returns: how many were left out. */
static uint64_t
messages_put(FILE *fp, const struct timeline *tl)
{
	uint64_t n = 0;

	fputs(",\n\"messages\":[", fp);
	for (uint64_t i = 0; i < tl->tl_n; i++) {
		const struct timeline_item *ti = &tl->tl_items[i];

		if (ti->ti_what != TIMELINE_MESSAGE || n++ >= MAX_MESSAGES)
			continue;
		fprintf(fp, "%s[%lld,%d,%lld,%d,", n > 1 ? "," : "",
		    at(tl, ti->ti_start), ti->ti_from, at(tl, ti->ti_end),
		    ti->ti_cpu);
		output_json_string(
		    fp, ti->ti_n >= 0 ? cost_infos[ti->ti_n].ci_name : "");
		fputc(']', fp);
	}
	fputc(']', fp);
	return n > MAX_MESSAGES ? n - MAX_MESSAGES : 0;
}

static bool
drawn(const struct timeline_item *ti)
{
	return ti->ti_what == TIMELINE_MARK &&
	       (timeline_kinds >> ti->ti_rec->tr_kind & 1) != 0;
}

static void
marks_put(FILE *fp, const struct timeline *tl)
{
	char text[TRACE_RECORD_MAX];
	const char *comma = "";

	fputs(",\n\"marks\":[", fp);
	for (uint64_t i = 0; i < tl->tl_n; i++) {
		const struct timeline_item *ti = &tl->tl_items[i];

		if (!drawn(ti))
			continue;
		fprintf(
		    fp, "%s[%lld,%d,", comma, at(tl, ti->ti_start), ti->ti_cpu);
		output_json_string(
		    fp, trace_record_text(text, tl->tl_model, ti->ti_rec));
		fprintf(fp, ",\"%s\"]", timeline_mark(ti->ti_rec));
		comma = ",";
	}
	fputc(']', fp);
}

static int
machine_of(const struct timeline *tl, const struct timeline_item *ti)
{
	return tl->tl_model->md_cpus[ti->ti_cpu].mc_machine;
}

/* By machine and listener; those of one stay in the order of time. */
static int
counters_compare(const void *va, const void *vb, void *arg)
{
	const struct timeline_item *a =
	    *(const struct timeline_item *const *)va;
	const struct timeline_item *b =
	    *(const struct timeline_item *const *)vb;
	const struct timeline *tl = arg;

	if (machine_of(tl, a) != machine_of(tl, b))
		return machine_of(tl, a) < machine_of(tl, b) ? -1 : 1;
	if (a->ti_n != b->ti_n)
		return a->ti_n < b->ti_n ? -1 : 1;
	return (a > b) - (a < b);
}

static void
counter_begin(
    FILE *fp, const struct timeline *tl, const struct timeline_item *ti)
{
	const char *machine =
	    trace_machine_name(tl->tl_model, machine_of(tl, ti));
	size_t size = strlen(machine) + 32;
	char *name = sim_calloc(size, 1);

	snprintf(name, size, "so_qlen %s #%d", machine, ti->ti_n);
	fputs("{\"name\":", fp);
	output_json_string(fp, name);
	fputs(",\"points\":[", fp);
	sim_free(name);
}

static void
counters_put(FILE *fp, struct timeline *tl)
{
	const struct timeline_item **tis =
	    sim_calloc((size_t)tl->tl_n + 1, sizeof(const void *));
	size_t n = 0;

	for (uint64_t i = 0; i < tl->tl_n; i++)
		if (tl->tl_items[i].ti_what == TIMELINE_QLEN)
			tis[n++] = &tl->tl_items[i];
	qsort_r(tis, n, sizeof(*tis), counters_compare, tl);
	fputs(",\n\"counters\":[", fp);
	for (size_t i = 0; i < n; i++) {
		bool first =
		    i == 0 || tis[i]->ti_n != tis[i - 1]->ti_n ||
		    machine_of(tl, tis[i]) != machine_of(tl, tis[i - 1]);

		if (first && i > 0)
			fputs("]},\n", fp);
		if (first)
			counter_begin(fp, tl, tis[i]);
		fprintf(fp, "%s[%lld,%lld]", first ? "" : ",",
		    at(tl, tis[i]->ti_start), (long long)tis[i]->ti_value);
	}
	fputs(n > 0 ? "]}]" : "]", fp);
	sim_free(tis);
}
