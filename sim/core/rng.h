#ifndef SIM_CORE_RNG_H
#define SIM_CORE_RNG_H

/*
 * Random numbers that belong to an entity and an occasion, not to the order of
 * calls: Philox4x32-10 with key = (seed, replication) and counter = (hash of
 * purpose and entity, how manieth use). Adding a component shifts nobody
 * else's numbers, and variants of a scenario share them.
 *
 *	struct rng r;
 *	rng_init(&r, run, "client0.connect.port", 17);
 *	x = rng_u32(&r);
 */
#include <stdint.h>

#include "sim/core/time.h"

struct rng_run {
	uint32_t rr_seed;
	uint32_t rr_rep;
};

struct rng {
	uint32_t rg_key[2];
	uint64_t rg_stream; /* hash of purpose and entity */
	uint64_t rg_use;    /* how many 128-bit blocks were drawn */
	uint32_t rg_block[4];
	uint32_t rg_left; /* words of rg_block not yet handed out */
};

/* A stream for `purpose` (a constant string) of the entity with this number. */
void rng_init(
    struct rng *, struct rng_run run, const char *purpose, uint64_t entity);

/* Refill; called by the draws below. */
void rng_refill(struct rng *);

static inline uint32_t
rng_u32(struct rng *r)
{
	if (r->rg_left == 0)
		rng_refill(r);
	return r->rg_block[--r->rg_left];
}

uint64_t rng_u64(struct rng *);

/* Uniform in (0, 1), 53 bits; never 0 or 1. */
double rng_uniform(struct rng *);

/* Uniform integer in [0, n), without bias. n > 0. */
uint32_t rng_below(struct rng *, uint32_t n);

/* Exponential with this mean, by inversion (one uniform each), >= 0. */
sim_ns rng_exponential(struct rng *, sim_ns mean);

#endif
