#include "model/hw/cache.h"

#include <math.h>

void
cache_init(struct cache *ca, int64_t knee, int64_t touch, sim_ns miss)
{
	ca->ca_knee = knee;
	ca->ca_touch = touch;
	ca->ca_scale = CACHE_STEPS / (8.0 * (double)knee);
	for (int i = 0; i <= CACHE_STEPS; i++) {
		double d = 8.0 * i / CACHE_STEPS;

		ca->ca_cost[i] = llround((double)miss * (1 - exp(-d)));
	}
}
