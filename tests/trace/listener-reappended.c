/*
 * The listening socket is registered without EV_CLEAR. Each time that kevent(2)
 * reports it, its knote goes back to the tail of the pending list: behind
 * whatever waited there, before the connections that the next kevent(2)
 * registers. So a cycle is "accept n, then serve the n accepted in the cycle
 * before", here with n = 2 (kern.ipc.soavailconn) and nine clients 1 ms apart;
 * the first request takes 20 ms, in which the others come. The ends of
 * connections that are closed meanwhile stand before the listener when they
 * came before it was put back. When the queue is empty the knote is found false
 * and dropped: that costs a kevent_event, and reports nothing.
 */
#include "tests/trace/story.h"

int
main(void)
{
	static const struct story sy = {
		.sy_file = "one.yaml",
		.sy_sets = { "soavailconn=2", "work=20ms", "polling=false",
		    "connections=9", "start=smooth", "ramp=9ms",
		    "measure=110ms" },
		.sy_to = INT64_MAX,
		.sy_kinds = STORY_KIND(KEVENT) | STORY_KIND(SONEWCONN) |
			    STORY_KIND(ACCEPT),
	};

	story_print(&sy);
	return 0;
}
