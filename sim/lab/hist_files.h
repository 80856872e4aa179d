#ifndef SIM_LAB_HIST_FILES_H
#define SIM_LAB_HIST_FILES_H

/*
 * Files of `solab run` that HdrHistogram's tools read: `--hgrm`, the latencies
 * by percentile, in ms, and `--hlog`, a V2 log with a line for the tag latency
 * and one for cycle, in ns. Replications are merged: percentiles are of all
 * requests together, and a log has one interval, of simulated time.
 */
#include "sim/lab/cli.h"
#include "sim/lab/points.h"

struct hist_files {
	FILE *hf_hgrm, *hf_hlog; /* NULL: not wanted */
	const char *hf_hgrm_name, *hf_hlog_name;
};

/*
 * Open what the options name. Returns: EXIT_OK; or, said and with nothing open,
 * EXIT_FAILED, or EXIT_USAGE for one file that is both.
 */
int hist_files_open(struct hist_files *, const struct cli_args *);

/* Write a point that has run. Returns: EXIT_OK, or EXIT_FAILED, said. */
int hist_files_write(struct hist_files *, const struct point *);

/* Close them in any case. */
void hist_files_close(struct hist_files *);

#endif
