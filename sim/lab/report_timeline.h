#ifndef SIM_LAB_REPORT_TIMELINE_H
#define SIM_LAB_REPORT_TIMELINE_H

/*
 * What CPUs do in a window of time, for the page: a point of the store is run
 * again, from what the store keeps of it, with a trace of the window. A run is
 * a function of these, so it is the run that the results came from, if the
 * program is the same. Only the first CPUs are shown, of a machine before those
 * of load generators: `solab run --trace` has all.
 *
 * Context: a process that has not opened the engine. Time: real.
 */
#include "sim/lab/cli.h"
#include "sim/lab/report.h"

/*
 * Make those that --timeline asks for; `first` is the point that is meant when
 * it names none, -1 if there is none.
 * Returns: EXIT_OK, or the exit status after an error, which was said. Fini in
 * any case.
 */
int report_timelines(struct report *, const struct cli_args *, int64_t first);
void report_timelines_fini(struct report *);

#endif
