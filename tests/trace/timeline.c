/*
 * The report's timeline (sim/lab/timeline.h) of the same as in trace-events.c:
 * JSON that tests/lab/trace.sh looks at too.
 */
#include "sim/lab/timeline.h"
#include "tests/trace/story.h"

static void
end(FILE *f, const struct model *md)
{
	timeline_json(f, "", sim_trace_on, md);
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
