#ifndef MODEL_COST_H
#define MODEL_COST_H

/*
 * Names of all costs (model/cost.def). A machine holds their values in ns as
 * an array indexed by these; COST_NONE is time that costs nobody's CPU.
 */
enum cost_id {
#define COST(name, unit, help) COST_##name,
#define HOST_COST(name, unit, help) COST_##name,
#define FREEBSD_COST(name, unit, help) COST_##name,
#define LINUX_COST(name, unit, help) COST_##name,
#include "model/cost.def"
#undef COST
#undef HOST_COST
#undef FREEBSD_COST
#undef LINUX_COST
	COST_work, /* work of a process that the scenario states itself */
	COST_N
};

/* Whose costs: a hardware profile has all of a family, by its role. */
enum cost_family {
	COSTS_DRAGONFLY, /* kernel, drivers and servers */
	COSTS_HOST,	 /* a load generator's lumped kernel and tool */
	COSTS_FREEBSD,	 /* freebsd-2007 */
	COSTS_LINUX,	 /* netperf's sender */
};

struct cost_info {
	const char *ci_name, *ci_unit, *ci_help;
	enum cost_family ci_family;
};

extern const struct cost_info cost_infos[COST_N];

#endif
