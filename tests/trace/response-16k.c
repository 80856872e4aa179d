/*
 * 16 KiB: sendfile(2) makes a message of each 4 KiB page, the header with the
 * first; the protocol thread takes them when the call returns. The initial
 * window is four segments; what follows is clocked by the client's ACKs. Only
 * the server; the client is 200 us away, so that the round trips show.
 */
#include "tests/trace/story.h"

static void
end(FILE *f, const struct model *md)
{
	story_counter(f, md, COUNTER_tcps_sndpack);
	story_counter(f, md, COUNTER_tcps_sndbyte);
	story_counter(f, md, COUNTER_tx_frames);
}

int
main(void)
{
	static const struct story sy = {
		.sy_file = "one.yaml",
		.sy_sets = { "polling=false", "object=16KiB", "latency=200us",
		    "connreqs=0", "measure=100ms" },
		.sy_from = 640000,
		.sy_to = 2100000,
		.sy_kinds = STORY_ALL & ~STORY_KIND(POLL),
		.sy_server_only = true,
		.sy_end = end,
	};

	story_print(&sy);
	return 0;
}
