#include "model/trace.h"

const struct sim_trace_kind trace_kinds[TRACE_N] = {
#define TRACE(NAME, name, format) [TRACE_##NAME] = { name, format },
#include "model/trace.def"
#undef TRACE
};
