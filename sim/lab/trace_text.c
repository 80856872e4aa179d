#include "sim/lab/trace_text.h"

#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/trace_record.h"

#define WHERE_MAX 80

struct place {
	sim_ns pl_end;	/* all that was charged is done */
	sim_ns pl_busy; /* since when it has not been idle */
	bool pl_seen, pl_peer;
	struct trace_who pl_who;
	char pl_name[WHERE_MAX];
};

static int places_init(struct place *, const struct model *);
static void charge(
    FILE *, struct place *, int width, const struct sim_trace_rec *);
static void event(FILE *, const struct place *, int width, const struct model *,
    const struct sim_trace_rec *);

bool
trace_text(
    FILE *fp, const char *name, struct sim_trace *st, const struct model *md)
{
	struct place *places = sim_calloc(md->md_ncpus, sizeof(*places));
	int width = places_init(places, md);

	(void)name;
	sim_trace_sort(st);
	for (uint64_t i = 0; i < st->st_n; i++) {
		const struct sim_trace_rec *tr = &st->st_recs[i];
		struct place *pl;

		/* Not on a CPU, or only says who has one. */
		if (tr->tr_where >= md->md_ncpus)
			continue;
		pl = &places[tr->tr_where];
		if (trace_who_next(&pl->pl_who, tr) ||
		    tr->tr_time < st->st_from)
			continue;
		if (tr->tr_kind == TRACE_COST)
			charge(fp, pl, width, tr);
		else
			event(fp, pl, width, md, tr);
	}
	if (st->st_lost > 0)
		fprintf(fp,
		    "%lld.%09lld  the trace is cut here: %llu records "
		    "more did not fit\n",
		    (long long)(st->st_to / 1000000000),
		    (long long)(st->st_to % 1000000000),
		    (unsigned long long)st->st_lost);
	sim_free(places);
	return true;
}

/* Returns: the width of the longest name. */
static int
places_init(struct place *places, const struct model *md)
{
	int width = 0, n;

	for (int i = 0; i < md->md_ncpus; i++) {
		const struct model_cpu *mc = &md->md_cpus[i];

		snprintf(places[i].pl_name, WHERE_MAX, "%s.%d",
		    trace_machine_name(md, mc->mc_machine), mc->mc_cpu->c_id);
		places[i].pl_peer = i >= md->md_nserver_cpus;
		n = (int)strlen(places[i].pl_name);
		width = n > width ? n : width;
	}
	return width;
}

static void
line_begin(FILE *fp, sim_ns t, const struct place *pl, int width)
{
	fprintf(fp, "%lld.%09lld  %-*s  ", (long long)(t / 1000000000),
	    (long long)(t % 1000000000), width, pl->pl_name);
}

static void
charge(FILE *fp, struct place *pl, int width, const struct sim_trace_rec *tr)
{
	if (!pl->pl_seen) {
		pl->pl_seen = true;
		pl->pl_end = pl->pl_busy = tr->tr_time;
	} else if (tr->tr_time > pl->pl_end) {
		line_begin(fp, tr->tr_time, pl, width);
		fprintf(fp, "was idle for %lld\n",
		    (long long)(tr->tr_time - pl->pl_end));
		pl->pl_end = pl->pl_busy = tr->tr_time;
	} else if (tr->tr_time < pl->pl_end && tr->tr_a == COST_intr) {
		line_begin(fp, tr->tr_time, pl, width);
		fprintf(fp, "interrupted, %lld still to run\n",
		    (long long)(pl->pl_end - tr->tr_time));
	}
	pl->pl_end += tr->tr_b;
	line_begin(fp, tr->tr_time, pl, width);
	fprintf(fp, "%-7s %7lld %8lld  %s\n",
	    pl->pl_peer ? "client" : trace_who_name(&pl->pl_who),
	    (long long)tr->tr_b, (long long)(pl->pl_end - pl->pl_busy),
	    cost_infos[tr->tr_a].ci_name);
}

static void
event(FILE *fp, const struct place *pl, int width, const struct model *md,
    const struct sim_trace_rec *tr)
{
	char text[TRACE_RECORD_MAX];

	line_begin(fp, tr->tr_time, pl, width);
	fprintf(fp, "%-7s %7s %8s  * %s\n", "", "", "",
	    trace_record_text(text, md, tr));
}
