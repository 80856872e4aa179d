/*
 * The first segments of a stream, from the card to the process, on a machine
 * that was idle: the interrupt finds CPU 0 halted and makes the card's thread
 * runnable; that thread takes the frame through TCP under the inpcb's mutex,
 * appends it under the socket buffer's and wakes the reader, for which it calls
 * CPU 1 by IPI. Every second segment is acknowledged by the interrupt thread.
 * The reader finds the mutexes taken now and then, and spins.
 */
#include "tests/trace/story.h"

int
main(void)
{
	static const struct story sy = {
		.sy_file = "stream.yaml",
		.sy_sets = { "measure=1ms" },
		.sy_from = 102000,
		.sy_to = 116000,
		.sy_kinds = STORY_ALL,
		.sy_server_only = true,
	};

	story_print(&sy);
	return 0;
}
