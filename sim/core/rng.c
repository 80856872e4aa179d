#include "sim/core/rng.h"

#include <Random123/philox.h>
#include <math.h>

#include "sim/core/assert.h"

static uint64_t rng_hash(const char *);
static uint64_t rng_mix(uint64_t);

/*
 * For one purpose the map from entity to stream is one to one, so entities of
 * a purpose cannot collide.
 */
void
rng_init(
    struct rng *r, struct rng_run run, const char *purpose, uint64_t entity)
{
	*r = (struct rng){
		.rg_key = { run.rr_seed, run.rr_rep },
		.rg_stream = rng_mix(rng_mix(rng_hash(purpose)) + entity),
	};
}

void
rng_refill(struct rng *r)
{
	philox4x32_ctr_t c = { {
	    (uint32_t)r->rg_stream,
	    (uint32_t)(r->rg_stream >> 32),
	    (uint32_t)r->rg_use,
	    (uint32_t)(r->rg_use >> 32),
	} };
	philox4x32_key_t k = { { r->rg_key[0], r->rg_key[1] } };

	c = philox4x32_R(10, c, k);
	for (int i = 0; i < 4; i++)
		r->rg_block[i] = c.v[i];
	r->rg_use++;
	r->rg_left = 4;
}

uint64_t
rng_u64(struct rng *r)
{
	uint64_t high = rng_u32(r);

	return high << 32 | rng_u32(r);
}

/* Odd multiples of 2^-53: neither end can come up, the mean is exactly 1/2. */
double
rng_uniform(struct rng *r)
{
	return (double)(rng_u64(r) >> 11 | 1) * 0x1p-53;
}

/*
 * Lemire, "Fast random integer generation in an interval" (2019): the high
 * word of x * n, where the 2^32 mod n surplus values of x are drawn again.
 */
uint32_t
rng_below(struct rng *r, uint32_t n)
{
	uint64_t m;

	SIM_ASSERT(n > 0);
	m = (uint64_t)rng_u32(r) * n;
	if ((uint32_t)m < n) {
		const uint32_t surplus = -n % n;

		while ((uint32_t)m < surplus)
			m = (uint64_t)rng_u32(r) * n;
	}
	return m >> 32;
}

/* -log of the smallest uniform is under 37, so the product fits. */
sim_ns
rng_exponential(struct rng *r, sim_ns mean)
{
	SIM_ASSERT(mean >= 0 && mean <= SIM_NEVER / 64);
	return (sim_ns)(-log(rng_uniform(r)) * (double)mean + 0.5);
}

/* FNV-1a, 64 bits. */
static uint64_t
rng_hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3;
	return h;
}

/* A step of splitmix64; one to one. */
static uint64_t
rng_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}
