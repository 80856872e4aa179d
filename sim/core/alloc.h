#ifndef SIM_CORE_ALLOC_H
#define SIM_CORE_ALLOC_H

/*
 * Memory. Running out of it ends the program with a word (exit 1), here and
 * nowhere else. Nothing on the hot path allocates: it takes from pools.
 */
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for n objects of size bytes. Free with sim_free(). */
void *sim_calloc(size_t n, size_t size);

/* As realloc(); the new part is not zeroed. */
void *sim_realloc(void *p, size_t n, size_t size);

/*
 * Zeroed memory for n objects of size bytes that lives as long as the process,
 * on a cache line of its own and on huge pages: for what connections touch.
 * There is no way to give it back.
 */
void *sim_arena(size_t n, size_t size);

char *sim_strdup(const char *);
void sim_free(void *);

/*
 * A pool of equal objects that grows by slabs (from sim_arena()) and never
 * shrinks. Objects come
 * back zeroed the first time only. Addresses are stable.
 */
struct sim_pool {
	size_t sp_size;	    /* bytes an object */
	size_t sp_per_slab; /* objects */
	void *sp_free;	    /* free list through the first word */
	void **sp_slabs;
	size_t sp_nslabs;
	size_t sp_inuse; /* objects */
};

void sim_pool_init(struct sim_pool *, size_t size, size_t per_slab);
void sim_pool_grow(struct sim_pool *);

/* Asserts that nothing is in use unless `abandon`. */
void sim_pool_fini(struct sim_pool *, int abandon);

static inline void *
sim_pool_get(struct sim_pool *sp)
{
	void *p;

	if (__builtin_expect(sp->sp_free == NULL, 0))
		sim_pool_grow(sp);
	p = sp->sp_free;
	sp->sp_free = *(void **)p;
	sp->sp_inuse++;
	return p;
}

static inline void
sim_pool_put(struct sim_pool *sp, void *p)
{
	*(void **)p = sp->sp_free;
	sp->sp_free = p;
	sp->sp_inuse--;
}

#endif
