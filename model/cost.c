#include "model/cost.h"

const struct cost_info cost_infos[COST_N] = {
#define INFO(name, unit, help, family) \
	[COST_##name] = { #name, #unit, help, family },
#define COST(name, unit, help) INFO(name, unit, help, COSTS_DRAGONFLY)
#define HOST_COST(name, unit, help) INFO(name, unit, help, COSTS_HOST)
#define FREEBSD_COST(name, unit, help) INFO(name, unit, help, COSTS_FREEBSD)
#define LINUX_COST(name, unit, help) INFO(name, unit, help, COSTS_LINUX)
#include "model/cost.def"
#undef INFO
#undef COST
#undef HOST_COST
#undef FREEBSD_COST
#undef LINUX_COST
	[COST_work] = { "work", "once", "work stated by the scenario",
	    COSTS_DRAGONFLY },
};
