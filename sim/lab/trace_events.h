#ifndef SIM_LAB_TRACE_EVENTS_H
#define SIM_LAB_TRACE_EVENTS_H

/*
 * A trace in Chrome's trace-event form, which Perfetto and speedscope open: a
 * machine is a process, a CPU one of its threads. On it nest who has the CPU
 * (idle only while it is charged), its system calls, and costs; messages are
 * flows from where they are sent to where they are taken; listeners' queues are
 * counters; what happens at an instant is an instant event. Times are in us,
 * with three decimals: no nanosecond is lost. Events are in order of time: at
 * one time what ends, what holds others last; what begins, what holds others
 * first; the rest.
 */
#include <stdio.h>

#include "model/model.h"
#include "sim/core/trace.h"

/* A run_trace_writer (sim/lab/run.h), and the kinds that it wants. */
extern const uint64_t trace_events_kinds;
bool trace_events(
    FILE *, const char *name, struct sim_trace *, const struct model *);

#endif
