#ifndef SIM_LAB_TRACE_FILES_H
#define SIM_LAB_TRACE_FILES_H

/*
 * The traces that the options of `solab run` ask for: which files, in which
 * form (by the file's suffix), of which window, of which connection, and how
 * long.
 *
 * Context: a process that has not opened the engine. Time: none.
 */
#include "sim/lab/cli.h"
#include "sim/lab/run.h"

/*
 * Open the files. Says what is wrong.
 * Returns: EXIT_OK, or the exit status; nothing is open then.
 */
int trace_files_open(struct run_trace *, const struct cli_args *);
void trace_files_close(struct run_trace *);

/* The window of a text, A..B. Returns: whether it is one. */
bool trace_window(const char *text, struct run_trace *);

#endif
