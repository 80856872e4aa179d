/*
 * One accept(2) on a machine of two CPUs that does not ask the predicate first,
 * from the system call to the return: the worker on CPU 1 sends a message to
 * netisr 0, which sleeps, and sleeps itself until the reply. An IPI each way,
 * two switches on each CPU: to idle and back here, to netisr 0 and back there.
 */
#include "tests/trace/story.h"

int
main(void)
{
	static const struct story sy = {
		.sy_file = "two.yaml",
		.sy_sets = { "server.hardware.cpus=2", "soaccept_pred_fast=0" },
		.sy_from = 175757,
		.sy_to = 202000,
		.sy_kinds = STORY_ALL,
		.sy_server_only = true,
	};

	story_print(&sy);
	return 0;
}
