#include "sim/core/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/core/assert.h"

#define ARENA_CHUNK ((size_t)64 << 20) /* bytes of address space */
#define ARENA_LINE 64
#define ARENA_HUGE ((size_t)2 << 20)

static void alloc_failed(size_t n, size_t size) __attribute__((noreturn, cold));

void *
sim_calloc(size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		alloc_failed(n, size);
	p = calloc(1, bytes != 0 ? bytes : 1);
	if (p == NULL)
		alloc_failed(n, size);
	return p;
}

void *
sim_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		alloc_failed(n, size);
	p = realloc(p, bytes != 0 ? bytes : 1);
	if (p == NULL)
		alloc_failed(n, size);
	return p;
}

/*
 * Address space is taken in large chunks, memory as it is touched. Random
 * access to tens of megabytes costs twice as much on small pages.
 */
void *
sim_arena(size_t n, size_t size)
{
	static char *next;
	static size_t left;
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    bytes > SIZE_MAX - ARENA_CHUNK)
		alloc_failed(n, size);
	bytes = (bytes + ARENA_LINE - 1) / ARENA_LINE * ARENA_LINE;
	if (bytes > left) {
		size_t chunk =
		    (bytes + ARENA_CHUNK - 1) / ARENA_CHUNK * ARENA_CHUNK +
		    ARENA_HUGE;

		next = mmap(NULL, chunk, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (next == MAP_FAILED)
			alloc_failed(n, size);
		left = chunk - (-(uintptr_t)next & (ARENA_HUGE - 1));
		next += -(uintptr_t)next & (ARENA_HUGE - 1);
		madvise(next, left, MADV_HUGEPAGE);
	}
	p = next;
	next += bytes;
	left -= bytes;
	return p;
}

char *
sim_strdup(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(sim_calloc(len, 1), s, len);
}

void
sim_free(void *p)
{
	free(p);
}

void
sim_pool_init(struct sim_pool *sp, size_t size, size_t per_slab)
{
	const size_t align =
	    size < ARENA_LINE ? _Alignof(max_align_t) : ARENA_LINE;

	SIM_ASSERT(size > 0 && per_slab > 0);
	if (size > SIZE_MAX - align)
		alloc_failed(per_slab, size);
	*sp = (struct sim_pool){
		.sp_size = (size + align - 1) / align * align,
		.sp_per_slab = per_slab,
	};
}

/* The first object of the new slab is handed out first. */
void
sim_pool_grow(struct sim_pool *sp)
{
	char *slab;

	sp->sp_slabs =
	    sim_realloc(sp->sp_slabs, sp->sp_nslabs + 1, sizeof(*sp->sp_slabs));
	slab = sim_arena(sp->sp_per_slab, sp->sp_size);
	sp->sp_slabs[sp->sp_nslabs++] = slab;
	for (size_t i = sp->sp_per_slab; i-- > 0;) {
		void *p = slab + i * sp->sp_size;

		*(void **)p = sp->sp_free;
		sp->sp_free = p;
	}
}

void
sim_pool_fini(struct sim_pool *sp, int abandon)
{
	SIM_ASSERT(abandon || sp->sp_inuse == 0);
	sim_free(sp->sp_slabs);
	*sp = (struct sim_pool){ 0 };
}

/* A product that does not fit is reported as the largest size there is. */
static void
alloc_failed(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		bytes = SIZE_MAX;
	fprintf(stderr, "solab: out of memory (%zu bytes wanted)\n", bytes);
	exit(1);
}
