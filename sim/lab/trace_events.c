#include "sim/lab/trace_events.h"

#include <stdlib.h>

#include "model/net/pkt.h"
#include "sim/core/alloc.h"
#include "sim/lab/output.h"
#include "sim/lab/timeline.h"
#include "sim/lab/trace_record.h"

#define KIND(name) 1ull << TRACE_##name

/* Not what would be drawn nowhere. */
const uint64_t trace_events_kinds =
    ~(KIND(POLL) | KIND(DOMSG) | KIND(NOTIFY) | KIND(TOKEN_REL) | KIND(IPI) |
	KIND(FRAME) | KIND(RING_DROP));

/* Where an event stands. At one time what ends comes before what begins. */
struct place {
	sim_ns pl_time;
	uint64_t pl_item;
	enum { PLACE_END, PLACE_BEGIN, PLACE_INSTANT, PLACE_TAKEN } pl_rank;
};

struct idler;

static struct place *places_make(const struct timeline *, uint64_t *n);
static void item_place(
    struct place *, uint64_t *n, const struct timeline_item *, uint64_t i);
static void idler_place(struct place *, uint64_t *n, struct idler *,
    const struct timeline_item *cost);
static int places_compare(const void *, const void *);
static void names_put(FILE *, const struct model *);
static void name_put(FILE *, const char *what, int pid, int tid, const char *);
static void event_put(FILE *, const struct timeline *, const struct place *);
static void who_put(FILE *, const struct timeline *, const struct place *);
static void span_put(FILE *, const struct timeline *, const struct place *,
    const char *category, const char *name);
static void mark_put(
    FILE *, const struct timeline *, const struct timeline_item *);
static void message_put(FILE *, const struct timeline *, const struct place *);
static void counter_put(
    FILE *, const struct timeline *, const struct timeline_item *);
static void begin(FILE *, const struct timeline *, const char *phase,
    const char *category, int cpu, sim_ns t);

bool
trace_events(
    FILE *fp, const char *name, struct sim_trace *st, const struct model *md)
{
	struct timeline tl;
	struct place *places;
	uint64_t n;

	(void)name;
	timeline_init(&tl, st, md);
	timeline_sort(&tl, false);
	places = places_make(&tl, &n);
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":", fp);
	output_json_string(fp, md->md_setup->su_title);
	fprintf(fp,
	    ",\"from_ns\":%lld,\"to_ns\":%lld,\"lost_records\":%llu},\n",
	    (long long)tl.tl_from, (long long)tl.tl_to,
	    (unsigned long long)st->st_lost);
	fputs("\"traceEvents\":[\n", fp);
	names_put(fp, md);
	for (uint64_t i = 0; i < n; i++)
		event_put(fp, &tl, &places[i]);
	fputs("\n]}\n", fp);
	sim_free(places);
	timeline_fini(&tl);
	return true;
}

/* The idle thread of a CPU: shown while it is charged. */
struct idler {
	uint64_t id_item;  /* it has the CPU */
	sim_ns id_end;	   /* until */
	uint64_t id_shown; /* where its last end stands, from 1 */
};

static struct place *
places_make(const struct timeline *tl, uint64_t *n)
{
	struct place *places =
	    sim_calloc((size_t)tl->tl_n * 4 + 1, sizeof(*places));
	struct idler *idlers =
	    sim_calloc((size_t)tl->tl_model->md_ncpus, sizeof(*idlers));

	*n = 0;
	for (uint64_t i = 0; i < tl->tl_n; i++) {
		const struct timeline_item *ti = &tl->tl_items[i];
		struct idler *id = &idlers[ti->ti_cpu];

		if (ti->ti_what == TIMELINE_WHO && ti->ti_n == TIMELINE_IDLE) {
			*id = (struct idler){ i, ti->ti_end, 0 };
			continue;
		}
		if (ti->ti_what == TIMELINE_COST && ti->ti_start < id->id_end)
			idler_place(places, n, id, ti);
		item_place(places, n, ti, i);
	}
	qsort(places, *n, sizeof(*places), places_compare);
	sim_free(idlers);
	return places;
}

static void
item_place(struct place *places, uint64_t *n, const struct timeline_item *ti,
    uint64_t i)
{
	bool span = ti->ti_what <= TIMELINE_COST;

	places[(*n)++] = (struct place){ ti->ti_start, i,
		span ? PLACE_BEGIN : PLACE_INSTANT };
	if (span || ti->ti_what == TIMELINE_MESSAGE)
		places[(*n)++] = (struct place){ ti->ti_end, i,
			span ? PLACE_END : PLACE_TAKEN };
}

static void
idler_place(struct place *places, uint64_t *n, struct idler *id,
    const struct timeline_item *cost)
{
	struct place *last =
	    id->id_shown != 0 ? &places[id->id_shown - 1] : NULL;

	if (last != NULL && last->pl_time == cost->ti_start) {
		last->pl_time = cost->ti_end;
		return;
	}
	places[(*n)++] =
	    (struct place){ cost->ti_start, id->id_item, PLACE_BEGIN };
	places[(*n)++] = (struct place){ cost->ti_end, id->id_item, PLACE_END };
	id->id_shown = *n;
}

/*
 * Items are in order already: what holds others first, messages last. Of those
 * that end the last to begin is the first.
 */
static int
places_compare(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;
	int order = (a->pl_item > b->pl_item) - (a->pl_item < b->pl_item);

	if (a->pl_time != b->pl_time)
		return a->pl_time < b->pl_time ? -1 : 1;
	if (a->pl_rank != b->pl_rank)
		return a->pl_rank < b->pl_rank ? -1 : 1;
	return a->pl_rank == PLACE_END ? -order : order;
}

static int
pid(const struct model *md, int cpu)
{
	return md->md_cpus[cpu].mc_machine + 1;
}

/* Perfetto takes a thread with its process's number for the main thread. */
static int
tid(const struct model *md, int cpu)
{
	return 1000 * pid(md, cpu) + md->md_cpus[cpu].mc_cpu->c_id;
}

static void
names_put(FILE *fp, const struct model *md)
{
	char text[32];

	for (int i = 0; i < md->md_ncpus; i++) {
		const struct model_cpu *mc = &md->md_cpus[i];
		bool first = mc->mc_cpu->c_id == 0;

		if (i > 0)
			fputs(",\n", fp);
		if (first) {
			name_put(fp, "process_name", pid(md, i), -1,
			    trace_machine_name(md, mc->mc_machine));
			fputs(",\n", fp);
		}
		snprintf(text, sizeof(text), "CPU %d", mc->mc_cpu->c_id);
		name_put(fp, "thread_name", pid(md, i), tid(md, i), text);
	}
}

static void
name_put(FILE *fp, const char *what, int process, int thread, const char *name)
{
	fprintf(fp, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d", what, process);
	if (thread >= 0)
		fprintf(fp, ",\"tid\":%d", thread);
	fputs(",\"args\":{\"name\":", fp);
	output_json_string(fp, name);
	fputs("}}", fp);
}

static void
event_put(FILE *fp, const struct timeline *tl, const struct place *pl)
{
	const struct timeline_item *ti = &tl->tl_items[pl->pl_item];
	char call[32];

	switch (ti->ti_what) {
	case TIMELINE_WHO:
		who_put(fp, tl, pl);
		break;
	case TIMELINE_CALL:
		/* There is a cost of the same name. */
		snprintf(call, sizeof(call), "%s(2)", trace_calls[ti->ti_n]);
		span_put(fp, tl, pl, "syscall", call);
		break;
	case TIMELINE_COST:
		span_put(fp, tl, pl, "cost", cost_infos[ti->ti_n].ci_name);
		break;
	case TIMELINE_QLEN:
		counter_put(fp, tl, ti);
		break;
	case TIMELINE_MARK:
		mark_put(fp, tl, ti);
		break;
	case TIMELINE_MESSAGE:
		message_put(fp, tl, pl);
		break;
	}
}

static void
who_put(FILE *fp, const struct timeline *tl, const struct place *pl)
{
	const struct timeline_item *ti = &tl->tl_items[pl->pl_item];
	const char *name = ti->ti_name;

	if (ti->ti_n == TIMELINE_IDLE)
		name = "idle";
	else if (name[0] == '\0')
		name = "interrupt";
	span_put(fp, tl, pl, timeline_who_names[ti->ti_n], name);
}

static void
ts_put(FILE *fp, sim_ns t)
{
	fprintf(fp, ",\"ts\":%lld.%03lld", (long long)(t / 1000),
	    (long long)(t % 1000));
}

/* The caller goes on with a comma. */
static void
begin(FILE *fp, const struct timeline *tl, const char *phase,
    const char *category, int cpu, sim_ns t)
{
	fprintf(fp, ",\n{\"ph\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d",
	    phase, category, pid(tl->tl_model, cpu), tid(tl->tl_model, cpu));
	ts_put(fp, t);
}

/*
 * Not as one complete event ("X") with a duration: readers add it to the start,
 * both rounded to binary, and then neighbours overlap. speedscope 1.25.0 finds
 * the end of a span by name and arguments, and takes a span that ends for one
 * of no time when the next is called the same: then they may not hold others.
 */
static void
span_put(FILE *fp, const struct timeline *tl, const struct place *pl,
    const char *category, const char *name)
{
	const struct timeline_item *ti = &tl->tl_items[pl->pl_item];

	begin(fp, tl, pl->pl_rank == PLACE_END ? "E" : "B", category,
	    ti->ti_cpu, pl->pl_time);
	fputs(",\"name\":", fp);
	output_json_string(fp, name);
	if (ti->ti_what == TIMELINE_CALL && ti->ti_value >= 0) {
		fprintf(fp, ",\"args\":{\"fd\":%lld", (long long)ti->ti_value);
		if (ti->ti_id != 0)
			fprintf(fp, ",\"client\":\"%u:%u\"",
			    flow_addr(ti->ti_id), flow_port(ti->ti_id));
		fputc('}', fp);
	}
	fputc('}', fp);
}

/* Drops are seen from afar: a line through the whole process. */
static void
mark_put(FILE *fp, const struct timeline *tl, const struct timeline_item *ti)
{
	const struct sim_trace_rec *tr = ti->ti_rec;
	char text[TRACE_RECORD_MAX];
	bool drop =
	    tr->tr_kind == TRACE_SYN_DROP || tr->tr_kind == TRACE_REFUSED;

	begin(fp, tl, "i", timeline_mark(tr), ti->ti_cpu, ti->ti_start);
	fprintf(fp, ",\"s\":\"%c\",\"name\":", drop ? 'p' : 't');
	output_json_string(fp, trace_kinds[tr->tr_kind].tk_name);
	fputs(",\"args\":{\"text\":", fp);
	output_json_string(fp, trace_record_text(text, tl->tl_model, tr));
	fputs("}}", fp);
}

static void
message_put(FILE *fp, const struct timeline *tl, const struct place *pl)
{
	const struct timeline_item *ti = &tl->tl_items[pl->pl_item];
	bool taken = pl->pl_rank == PLACE_TAKEN;

	begin(fp, tl, taken ? "f" : "s", "message",
	    taken ? ti->ti_cpu : ti->ti_from, pl->pl_time);
	fprintf(fp, ",\"id\":%llu%s,\"name\":", (unsigned long long)pl->pl_item,
	    taken ? ",\"bp\":\"e\"" : "");
	output_json_string(
	    fp, ti->ti_n >= 0 ? cost_infos[ti->ti_n].ci_name : "message");
	fputc('}', fp);
}

static void
counter_put(FILE *fp, const struct timeline *tl, const struct timeline_item *ti)
{
	fprintf(
	    fp, ",\n{\"ph\":\"C\",\"pid\":%d", pid(tl->tl_model, ti->ti_cpu));
	ts_put(fp, ti->ti_start);
	fprintf(fp,
	    ",\"name\":\"so_qlen #%d\",\"args\":{\"connections\":%lld}}",
	    ti->ti_n, (long long)ti->ti_value);
}
