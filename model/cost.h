#ifndef MODEL_COST_H
#define MODEL_COST_H

/*
 * Names of all costs (model/cost.def). A machine holds their values in ns as
 * an array indexed by these; COST_NONE is time that costs nobody's CPU.
 */
enum cost_id {
#define COST(name, unit, help) COST_##name,
#define HOST_COST(name, unit, help) COST_##name,
#include "model/cost.def"
#undef COST
#undef HOST_COST
	COST_work, /* work of a process that the scenario states itself */
	COST_N
};

struct cost_info {
	const char *ci_name, *ci_unit, *ci_help;
	int ci_host; /* a load generator's */
};

extern const struct cost_info cost_infos[COST_N];

#endif
