#ifndef SIM_LAB_TRACE_TEXT_H
#define SIM_LAB_TRACE_TEXT_H

/*
 * A trace as text, one record a line, in order of time:
 *
 *	    time_ns     cost  where     what
 *	 1000200300     +150  server/3  poll_round   sum 450, until 1000200450
 *	 1000200450           server/3  ix_rxeof     0:40000 flags 02 len 0
 *
 * A cost is charged from its time on. `sum` counts the costs of that CPU since
 * its first line here: it must equal the difference of the times, plus what
 * the CPU was idle or did before the trace began. A connection is the client's
 * address (index in the model) and port.
 */
#include <stdio.h>

#include "model/model.h"
#include "sim/core/trace.h"

/* Sorts the trace. Errors of the file are for the caller to look at. */
void trace_text(FILE *, struct sim_trace *, const struct model *);

#endif
