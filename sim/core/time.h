#ifndef SIM_CORE_TIME_H
#define SIM_CORE_TIME_H

/*
 * Simulated time: int64 nanoseconds since the start of the run, everywhere.
 * double seconds exist only in sim/core/engine_*.c.
 */
#include <stdint.h>

typedef int64_t sim_ns;

#define SIM_NEVER INT64_MAX
#define SIM_SECOND ((sim_ns)1000000000)
#define SIM_HOUR (3600 * SIM_SECOND)

static inline sim_ns
sim_us(int64_t n)
{
	return n * 1000;
}

static inline sim_ns
sim_ms(int64_t n)
{
	return n * 1000000;
}

static inline sim_ns
sim_s(int64_t n)
{
	return n * 1000000000;
}

static inline sim_ns
sim_min(sim_ns a, sim_ns b)
{
	return a < b ? a : b;
}

static inline sim_ns
sim_max(sim_ns a, sim_ns b)
{
	return a > b ? a : b;
}

#endif
