#ifndef SIM_LAB_TRACE_TEXT_H
#define SIM_LAB_TRACE_TEXT_H

/*
 * A trace as text, one record a line, in order of time:
 *
 *	0.000166766  server.0     1300     1400  idle_exit
 *	0.000169266  server.0                    * rxpoll: round 1, burst left 0
 *
 * A charge says when it begins, where, its ns, and the sum since the CPU was
 * last idle (or first seen): a line's time is that of the charge before it on
 * this CPU, and that charge's ns. What does not follow from this is said:
 * "was idle for", and "interrupted", after which the sum also holds what the
 * interrupted charge still has to run. Lines without a charge take no time. A
 * connection is the client's address (its index in the model) and port.
 */
#include <stdio.h>

#include "model/model.h"
#include "sim/core/trace.h"

/* A run_trace_writer (sim/lab/run.h). */
bool trace_text(
    FILE *, const char *name, struct sim_trace *, const struct model *);

#endif
