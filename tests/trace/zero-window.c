/*
 * A receiver that stops reading after a millisecond. The window shrinks with
 * every ACK until what is left is too small to send; five seconds later the
 * sender's persist timer sends that, and the window is closed (win 0). Its next
 * probe has one byte, which does not fit and is answered with an ACK. When the
 * process reads again its window update lets the stream go on.
 */
#include "tests/trace/story.h"

int
main(void)
{
	static const struct story sy = {
		.sy_file = "stream.yaml",
		.sy_sets = { "rome.nics.mxge.latency=100us", "rcvbuf=16KiB",
		    "pause_at=1ms", "pause=12s", "measure=12010ms" },
		.sy_from = 700000,
		.sy_to = 12001500000,
		.sy_frames = true,
		.sy_kinds = STORY_KIND(FRAME) | STORY_KIND(SORECEIVE) |
			    STORY_KIND(SBWAIT) | STORY_KIND(WINUP),
	};

	story_print(&sy);
	return 0;
}
