#include "model/cost.h"

const struct cost_info cost_infos[COST_N] = {
#define COST(name, unit, help) [COST_##name] = { #name, #unit, help, 0 },
#define HOST_COST(name, unit, help) [COST_##name] = { #name, #unit, help, 1 },
#include "model/cost.def"
#undef COST
#undef HOST_COST
	[COST_work] = { "work", "once", "work stated by the scenario", 0 },
};
