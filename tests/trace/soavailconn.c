/*
 * What kevent(2) tells of a listening socket on which 40 connections wait,
 * against kern.ipc.soavailconn: no more than that, and everything when it is 0
 * or negative. The worker takes 30 ms for its first request, in which the
 * others come; then each line is a kevent(2) that reports the listener, with
 * so_qlen at that time. Connections are kept, so nobody comes again.
 */
#include "tests/trace/story.h"

static void
end(FILE *f, const struct model *md)
{
	const struct sim_trace *st = sim_trace_on;
	long long qlen = 0;

	fprintf(f, "kern.ipc.soavailconn %lld:\n",
	    (long long)md->md_setup->su_machines[0].sm_sysctl.soavailconn);
	for (uint64_t i = 0; i < st->st_n; i++) {
		const struct sim_trace_rec *tr = &st->st_recs[i];

		if (tr->tr_kind == TRACE_SONEWCONN ||
		    tr->tr_kind == TRACE_ACCEPT)
			qlen = (long long)tr->tr_a;
		if (tr->tr_kind == TRACE_KEVENT && tr->tr_a == 0)
			fprintf(f, "  so_qlen %2lld, kevent reports %lld\n",
			    qlen, (long long)tr->tr_b);
	}
	story_counter(f, md, COUNTER_sockets_accepted);
	story_counter(f, md, COUNTER_nginx_eagain);
}

int
main(void)
{
	static const char *const limits[] = { "soavailconn=0", "soavailconn=-1",
		"soavailconn=1", "soavailconn=7", "soavailconn=32",
		"soavailconn=1000" };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct story sy = {
			.sy_file = "one.yaml",
			.sy_sets = { "work=30ms", "polling=false",
			    "latency=200us", "latency=200us", "connections=41",
			    "connreqs=0", "start=smooth", "ramp=20ms",
			    "measure=700ms", limits[i] },
			.sy_to = INT64_MAX,
			.sy_end = end,
		};

		story_print(&sy);
	}
	return 0;
}
