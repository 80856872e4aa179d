/*
 * The life of a SYN until accept(2) has returned, on a card that is polled,
 * with direct input: every charge on the server and on the client.
 */
#include "tests/trace/story.h"

int
main(void)
{
	static const struct story sy = {
		.sy_file = "one.yaml",
		.sy_to = 371000,
		.sy_kinds = STORY_ALL,
	};

	story_print(&sy);
	return 0;
}
