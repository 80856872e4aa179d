/*
 * heap EVENTS PENDING: the yardstick. Take the earliest of PENDING events off
 * a binary heap and put a later one on, EVENTS times, and nothing else. Prints
 * the wall time in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/core/alloc.h"
#include "sim/core/rng.h"

static int64_t
wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The root was replaced by a later time: let it sink to its place. */
static void
heap_sink(sim_ns *heap, size_t n)
{
	sim_ns t = heap[0];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= t)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = t;
}

int
main(int argc, char **argv)
{
	int64_t start, events = argc > 2 ? atoll(argv[1]) : 10000000;
	size_t pending = argc > 2 ? (size_t)atoll(argv[2]) : 1000;
	sim_ns *heap =
	    sim_calloc(pending, sizeof(*heap)); /* all at 0: a heap */
	struct rng r;

	rng_init(&r, (struct rng_run){ 1, 0 }, "bench.heap", 0);
	start = wall_ns();
	for (int64_t i = 0; i < events; i++) {
		heap[0] += 1 + (rng_u32(&r) & 0xfffff);
		heap_sink(heap, pending);
	}
	printf("%lld\n", (long long)(wall_ns() - start));
	sim_free(heap);
	return 0;
}
