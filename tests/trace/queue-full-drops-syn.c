/*
 * so_qlimit is 2, and the worker takes 700 ms for a request. Six clients come
 * 10 ms apart. The first is being served; the next three fill the queue, for a
 * SYN may enter while so_qlen <= so_qlimit; the last two find 3 > 2, and their
 * SYNs are dropped in silence. They come again 1 s later, in time for the queue
 * that was emptied at 0.71 s. (The first client comes back then, and the others
 * as they are served.)
 */
#include "tests/trace/story.h"

static void
end(FILE *f, const struct model *md)
{
	story_counter(f, md, COUNTER_syns);
	story_counter(f, md, COUNTER_drop_syn_queue_full);
	story_counter(f, md, COUNTER_drop_ack_queue_full);
	story_counter(f, md, COUNTER_client_connects);
	story_counter(f, md, COUNTER_client_syn_retries);
	story_counter(f, md, COUNTER_client_timeouts);
	story_counter(f, md, COUNTER_client_resets);
	story_counter(f, md, COUNTER_rst_sent);
	story_counter(f, md, COUNTER_tcps_listendrop);
	story_counter(f, md, COUNTER_sockets_completed);
	story_counter(f, md, COUNTER_sockets_accepted);
	story_counter(f, md, COUNTER_nginx_requests);
}

int
main(void)
{
	static const struct story sy = {
		.sy_file = "one.yaml",
		.sy_sets = { "somaxconn=2", "work=700ms", "polling=false",
		    "latency=200us", "connections=6", "start=smooth",
		    "ramp=60ms", "measure=2900ms" },
		.sy_to = INT64_MAX,
		.sy_kinds = STORY_EVENTS & ~STORY_KIND(INTR) & ~STORY_KIND(TX),
		.sy_end = end,
	};

	story_print(&sy);
	return 0;
}
