#ifndef SIM_LAB_RUN_CHILD_H
#define SIM_LAB_RUN_CHILD_H

/*
 * The child's side of run_jobs(), and what it sends: frames of a header and a
 * body, in the machine's own representation.
 */
#include "sim/lab/run.h"

enum run_frame_kind {
	RUN_FRAME_PROGRESS, /* sim_ns: how far */
	RUN_FRAME_RESULT,   /* struct result */
};

struct run_frame {
	uint32_t rf_kind;
	uint32_t rf_size; /* bytes of the body */
};

/* Run, send, exit. */
void run_child(const struct run_job *, const struct run_options *, int fd)
    __attribute__((noreturn));

#endif
