/*
 * so_qlimit is 2, the worker takes 300 ms for a request, and the link is long
 * (5 ms one way), so that eight SYNs, 500 us apart, are all there before the
 * first third ACK. The first connection is served; sonewconn() takes the next
 * four (so_qlen 4) and refuses the others, for 4 > 3 * 2 / 2: the syncache
 * entry goes, no reset is sent. Their clients believe to be connected; the
 * request that follows finds nobody and is answered by a reset, whereupon they
 * connect again, and their SYNs, dropped at first, are let in by the retry.
 * None hangs: all eight are accepted. (Clients keep their connections.)
 */
#include "tests/trace/story.h"

static void
end(FILE *f, const struct model *md)
{
	story_counter(f, md, COUNTER_syns);
	story_counter(f, md, COUNTER_drop_syn_queue_full);
	story_counter(f, md, COUNTER_drop_ack_queue_full);
	story_counter(f, md, COUNTER_tcps_listendrop);
	story_counter(f, md, COUNTER_tcps_sc_added);
	story_counter(f, md, COUNTER_tcps_sc_completed);
	story_counter(f, md, COUNTER_tcps_sc_aborted);
	story_counter(f, md, COUNTER_rst_sent);
	story_counter(f, md, COUNTER_client_resets);
	story_counter(f, md, COUNTER_client_connects);
	story_counter(f, md, COUNTER_client_syn_retries);
	story_counter(f, md, COUNTER_client_timeouts);
	story_counter(f, md, COUNTER_sockets_accepted);
	story_counter(f, md, COUNTER_nginx_requests);
}

#define SETS                                                           \
	"somaxconn=2", "work=300ms", "latency=5ms", "polling=false",   \
	    "connections=8", "connreqs=0", "start=smooth", "ramp=4ms", \
	    "measure=4s"

int
main(void)
{
	static const struct story handshakes = {
		.sy_file = "one.yaml",
		.sy_sets = { SETS },
		.sy_to = 30000000,
		.sy_kinds = STORY_KIND(RX) | STORY_KIND(TX) |
			    STORY_KIND(SYN_DROP) | STORY_KIND(REFUSED) |
			    STORY_KIND(SONEWCONN) | STORY_KIND(ACCEPT) |
			    STORY_KIND(KEVENT),
	};
	static const struct story later = {
		.sy_file = "one.yaml",
		.sy_sets = { SETS },
		.sy_from = 30000000,
		.sy_to = INT64_MAX,
		.sy_kinds = STORY_KIND(SYN_DROP) | STORY_KIND(REFUSED) |
			    STORY_KIND(SONEWCONN) | STORY_KIND(ACCEPT),
		.sy_end = end,
	};

	story_print(&handshakes);
	story_print(&later);
	return 0;
}
