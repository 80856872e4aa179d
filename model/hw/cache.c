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

void
lru_init(struct lru *lr, int64_t size, int64_t way)
{
	int ways = way > 0 ? (int)(size / way) : 0;

	*lr = (struct lru){ 0 };
	if (ways == 0)
		return;
	lr->lr_scale = CACHE_STEPS / (4.0 * (double)size);
	for (int i = 0; i <= CACHE_STEPS; i++) {
		double mean = 4.0 * ways * i / CACHE_STEPS;
		double term = exp(-mean), fewer = 0;

		for (int n = 0; n < ways; n++) {
			fewer += term;
			term *= mean / (n + 1);
		}
		lr->lr_left[i] = (uint32_t)lround(65536 * (1 - fewer));
	}
}
