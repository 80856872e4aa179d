/*
 * Netisr 0 puts a connection on the queue and wants the token of the worker's
 * kqueue (token 2), which kevent(2) holds on CPU 1. It looks once and
 * lwkt.token_spin times more, 30 ns each; gives up the CPU, and with it token 1
 * (the listener's knotes); as there is nobody else, the scheduler makes the
 * same tries, with both tokens, and then tries for token 2 until it is free.
 * Two IPIs interrupt it, after each of which the tries begin anew. CPU 1 drops
 * the token at 1078535 ns; the tries from 1069141 on come at 1078531 and
 * 1078561: there it takes token 1, and the one that it waited for without
 * looking again.
 */
#include "tests/trace/story.h"

int
main(void)
{
	static const struct story sy = {
		.sy_file = "two.yaml",
		.sy_sets = { "server.hardware.cpus=2", "connections=6",
		    "em.intr_rate=100k/s" },
		.sy_from = 1056511,
		.sy_to = 1078660,
		.sy_kinds = STORY_ALL,
		.sy_server_only = true,
	};

	story_print(&sy);
	return 0;
}
