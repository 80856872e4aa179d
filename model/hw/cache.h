#ifndef MODEL_HW_CACHE_H
#define MODEL_HW_CACHE_H

/*
 * The cache as far as it decides what touching a connection costs: its state
 * (socket, pcb, mbufs, the process's own memory) has been pushed out by what
 * was touched on the same CPU since, more or less of it:
 *
 *	cost = cache_miss * (1 - exp(-distance / knee))
 *
 * distance is in bytes touched on the CPU since the connection's last touch.
 * One constant of the L2's size makes batches dearer than small steps, and
 * makes CPUs slow down as transmit queues grow.
 */
#include <stdint.h>

#include "model/hw/cpu.h"

#define CACHE_STEPS 1024 /* of the table, over 0 .. 8 knees */

struct cache {
	int64_t ca_knee;		 /* bytes */
	int64_t ca_touch;		 /* bytes that one touch moves */
	double ca_scale;		 /* steps a byte */
	sim_ns ca_cost[CACHE_STEPS + 1]; /* ns by step */
};

void cache_init(struct cache *, int64_t knee, int64_t touch, sim_ns miss);

/* Cost of a touch after this distance. Pure. */
static inline sim_ns
cache_cost(const struct cache *ca, uint64_t distance)
{
	double step = (double)distance * ca->ca_scale;

	if (step >= CACHE_STEPS)
		return ca->ca_cost[CACHE_STEPS];
	return ca->ca_cost[(int)step];
}

/*
 * Touch what *mark stands for. Context: CPU c. Time: runs cache_miss, by
 * distance.
 */
static inline void
cache_touch(struct cpu *c, const struct cache *ca, uint64_t *mark)
{
	uint64_t distance = c->c_touched - *mark;

	c->c_touched += ca->ca_touch;
	*mark = c->c_touched;
	cpu_run_ns(c, COST_cache_miss, cache_cost(ca, distance));
}

/*
 * Where a copy goes: has the target left the cache since it was last written? A
 * set-associative cache of `size` bytes, `way` bytes a way, holds a page until
 * as many others as it has ways came to the page's colour. Physical pages are
 * random, so what `distance` bytes bring there is Poisson distributed.
 */
struct lru {
	double lr_scale;		   /* steps a byte */
	uint32_t lr_left[CACHE_STEPS + 1]; /* share that has left, of 1 << 16 */
};

/* size 0: nothing leaves. */
void lru_init(struct lru *, int64_t size, int64_t way);

/* Share of what was written `distance` bytes ago that has left, of 1 << 16. */
static inline uint32_t
lru_left(const struct lru *lr, uint64_t distance)
{
	double step = (double)distance * lr->lr_scale;

	return lr->lr_left[step >= CACHE_STEPS ? CACHE_STEPS : (int)step];
}

#endif
