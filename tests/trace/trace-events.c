/*
 * One connection to a worker on the other CPU, in trace-event form: a record
 * for a machine, so tests/lab/trace.sh looks whether it is well-formed. Here:
 * that it is the same without look-ahead, and stays what it was.
 */
#include "sim/lab/trace_events.h"
#include "tests/trace/story.h"

static void
end(FILE *f, const struct model *md)
{
	trace_events(f, "", sim_trace_on, md);
}

int
main(void)
{
	static const struct story sy = {
		.sy_file = "two.yaml",
		.sy_sets = { "server.hardware.cpus=2", "soaccept_pred_fast=0" },
		.sy_to = 260000,
		.sy_end = end,
	};

	story_print(&sy);
	return 0;
}
