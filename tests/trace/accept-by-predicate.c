/*
 * The same accept(2) as in accept-by-message, with the predicate asked first:
 * no message, no IPI, no switch; the listener's token is taken twice, the
 * second time by the predicate. CPU 0 sleeps on.
 */
#include "tests/trace/story.h"

int
main(void)
{
	static const struct story sy = {
		.sy_file = "two.yaml",
		.sy_sets = { "server.hardware.cpus=2", "soaccept_pred_fast=1" },
		.sy_from = 175757,
		.sy_to = 182000,
		.sy_kinds = STORY_ALL,
		.sy_server_only = true,
	};

	story_print(&sy);
	return 0;
}
