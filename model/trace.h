#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

/*
 * Kinds of trace records that the model makes (model/trace.def), and how to
 * print them. Kind 0 is a cost, charged from tr_time on: a = cost_id, b = ns.
 */
#include "sim/core/trace.h"

enum trace_kind {
#define TRACE(NAME, name, format) TRACE_##NAME,
#include "model/trace.def"
#undef TRACE
	TRACE_N
};

extern const struct sim_trace_kind trace_kinds[TRACE_N];

#endif
