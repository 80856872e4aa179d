/*
 * engine CALLS: what this many calls into SimGrid cost with nothing around
 * them, by 48 actors that wait for a time. Prints the wall time in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/core/engine.h"

#define ACTORS 48

static int64_t calls_each;

static int64_t
wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void
waiter(void *arg)
{
	sim_ns step = *(sim_ns *)arg;

	for (int64_t i = 1; i <= calls_each; i++)
		engine_wait_until(i * step);
}

int
main(int argc, char **argv)
{
	static sim_ns steps[ACTORS];
	const struct engine_link link = { 10000000000, sim_us(1) };
	const struct engine_platform platform = { 2, &link, 1 };
	int64_t start;

	calls_each = (argc > 1 ? atoll(argv[1]) : 1000000) / ACTORS + 1;
	engine_open(&platform);
	for (int i = 0; i < ACTORS; i++) {
		steps[i] = sim_us(166) + i;
		engine_actor_create("waiter", i % 2, waiter, &steps[i]);
	}
	start = wall_ns();
	engine_run(calls_each * sim_us(167));
	printf("%lld\n", (long long)(wall_ns() - start));
	engine_close();
	return 0;
}
