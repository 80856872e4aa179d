/*
 * A link that loses frames. A lost segment is found by three duplicate ACKs and
 * sent again at once, with all that came after it (the receiver keeps none of
 * that); what nothing follows, by the retransmission timeout.
 */
#include "tests/trace/story.h"

static void
counters(FILE *f, const struct model *md)
{
	story_counter(f, md, COUNTER_drop_wire);
	story_counter(f, md, COUNTER_tcps_rcvpack);
	story_counter(f, md, COUNTER_tcps_rcvoopack);
	story_counter(f, md, COUNTER_tcps_rcvduppack);
}

int
main(void)
{
	static const struct story sy = {
		.sy_file = "stream.yaml",
		.sy_sets = { "loss=3%", "measure=200ms", "rcvbuf=8KiB" },
		.sy_to = 190200000,
		.sy_frames = true,
		.sy_kinds = STORY_KIND(FRAME),
		.sy_end = counters,
	};

	story_print(&sy);
	return 0;
}
