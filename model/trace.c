#include "model/trace.h"

const struct sim_trace_kind trace_kinds[TRACE_N] = {
#define TRACE(NAME, name, format) [TRACE_##NAME] = { name, format },
#include "model/trace.def"
#undef TRACE
};

const char *const trace_calls[TRACE_CALL_N] = {
#define TRACE_CALL(name) [TRACE_CALL_##name] = #name,
#include "model/trace_call.def"
#undef TRACE_CALL
};

bool
trace_who_next(struct trace_who *tw, const struct sim_trace_rec *tr)
{
	switch (tr->tr_kind) {
	case TRACE_INTR_ENTER:
		tw->tw_intr = true;
		tw->tw_ithread = false;
		return true;
	case TRACE_INTR_LEAVE:
		tw->tw_intr = false;
		return true;
	case TRACE_THREAD:
		tw->tw_thread = (int)tr->tr_a;
		tw->tw_index = (int)tr->tr_b;
		return true;
	case TRACE_ITHREAD:
		tw->tw_ithread = true;
		return true;
	default:
		return false;
	}
}

const char *
trace_who_name(const struct trace_who *tw)
{
	static const char *const names[] = {
		[TRACE_TD_IDLE] = "idle",
		[TRACE_TD_USER] = "user",
		[TRACE_TD_NETISR] = "netisr",
	};

	if (tw->tw_intr)
		return tw->tw_ithread ? "ithread" : "intr";
	return names[tw->tw_thread];
}
