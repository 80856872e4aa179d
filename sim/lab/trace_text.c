#include "sim/lab/trace_text.h"

#include <string.h>

#include "model/net/pkt.h"
#include "model/trace.h"
#include "sim/core/alloc.h"

static int where_width(const struct model *);
static void where_print(const struct model *, int where, char *, size_t);

void
trace_text(FILE *fp, struct sim_trace *st, const struct model *md)
{
	int64_t *sums = sim_calloc(md->md_ncpus, sizeof(*sums));
	const struct sim_trace_kind *tk;
	const struct sim_trace_rec *tr;
	int width = where_width(md);
	char where[80];

	sim_trace_sort(st);
	fprintf(fp, "%14s %8s  %-*s  %s\n", "time_ns", "cost", width, "where",
	    "what");
	for (uint64_t i = 0; i < st->st_n; i++) {
		tr = &st->st_recs[i];
		where_print(md, tr->tr_where, where, sizeof(where));
		if (tr->tr_kind == TRACE_COST) {
			sums[tr->tr_where] += tr->tr_b;
			fprintf(fp,
			    "%14lld %+8lld  %-*s  %-18s sum %lld, until "
			    "%lld\n",
			    (long long)tr->tr_time, (long long)tr->tr_b, width,
			    where, cost_infos[tr->tr_a].ci_name,
			    (long long)sums[tr->tr_where],
			    (long long)(tr->tr_time + tr->tr_b));
			continue;
		}
		tk = &st->st_kinds[tr->tr_kind];
		fprintf(fp, "%14lld %8s  %-*s  %s: ", (long long)tr->tr_time,
		    "", width, where, tk->tk_name);
		if (tr->tr_id != 0)
			fprintf(fp, "%u:%u ", flow_addr(tr->tr_id),
			    flow_port(tr->tr_id));
		fprintf(fp, tk->tk_format, (long long)tr->tr_a,
		    (long long)tr->tr_b);
		fputc('\n', fp);
	}
	if (st->st_lost > 0)
		fprintf(fp, "# %llu records more did not fit\n",
		    (unsigned long long)st->st_lost);
	sim_free(sums);
}

static int
where_width(const struct model *md)
{
	char where[80];
	int width = 5;

	for (int i = 0; i < md->md_ncpus; i++) {
		where_print(md, i, where, sizeof(where));
		if ((int)strlen(where) > width)
			width = (int)strlen(where);
	}
	return width;
}

static void
where_print(const struct model *md, int where, char *buf, size_t size)
{
	const struct setup *su = md->md_setup;
	const struct model_cpu *mc = &md->md_cpus[where];
	const char *name =
	    mc->mc_machine < su->su_nmachines
		? su->su_machines[mc->mc_machine].sm_name
		: su->su_peers[mc->mc_machine - su->su_nmachines].pe_name;

	snprintf(buf, size, "%s/%d", name, mc->mc_cpu->c_id);
}
