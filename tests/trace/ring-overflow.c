/*
 * A card with 16 receive buffers meets bursts of TSO: what finds no buffer is
 * dropped, with one counter, and sent again after three duplicate ACKs, or
 * after a timeout when too few follow.
 */
#include "tests/trace/story.h"

static void
counters(FILE *f, const struct model *md)
{
	story_counter(f, md, COUNTER_drop_rx_ring);
	story_counter(f, md, COUNTER_rx_frames);
	story_counter(f, md, COUNTER_tcps_rcvpack);
	story_counter(f, md, COUNTER_tcps_rcvoopack);
	story_counter(f, md, COUNTER_netserver_bytes);
}

int
main(void)
{
	static const struct story sy = {
		.sy_file = "stream.yaml",
		.sy_sets = { "hw.mxge.rxd=16",
		    "ethtool.tcp-segmentation-offload=1", "measure=3ms" },
		.sy_to = 300000,
		.sy_frames = true,
		.sy_kinds = STORY_KIND(FRAME) | STORY_KIND(RING_DROP),
		.sy_end = counters,
	};

	story_print(&sy);
	return 0;
}
