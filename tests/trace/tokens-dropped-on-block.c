/*
 * kevent(2) of 2011 holds the kqueue's token (token 2) from its beginning. With
 * nothing to report it sleeps, and drops it at the switch to idle; netisr 0
 * takes it for a connection that has come (after the listener's, 0, and that of
 * its knotes, 1), and wakes the worker. On the way from idle to the worker the
 * token is taken again, before the switch, and held until the return.
 */
#include "tests/trace/story.h"

int
main(void)
{
	static const struct story sy = {
		.sy_file = "two.yaml",
		.sy_sets = { "server.hardware.cpus=2" },
		.sy_from = 0,
		.sy_to = 167000,
		.sy_kinds = STORY_KIND(TOKEN_GET) | STORY_KIND(TOKEN_REL) |
			    STORY_KIND(SONEWCONN) | STORY_KIND(IPI) |
			    STORY_KIND(KEVENT),
		.sy_server_only = true,
	};

	story_print(&sy);
	return 0;
}
