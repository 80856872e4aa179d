#ifndef SIM_CORE_ENGINE_H
#define SIM_CORE_ENGINE_H

/*
 * The discrete-event engine: SimGrid behind a small fence. Hosts, actors that
 * run on them, doorbells that wake them, and the links' parameters. One engine
 * per process; the calls between engine_open() and engine_close() are made by
 * one thread.
 *
 * One actor runs at a time, in the order of the times that they wait for, at
 * one instant in the order of their ranks; simulated time is kept by the
 * callers in sim_ns (a CPU's clock may be ahead of engine_now(), never behind).
 */
#include <limits.h>
#include <stdbool.h>

#include "sim/core/time.h"

struct engine_actor;
struct engine_bell;

/* A point-to-point link between two hosts, both directions alike. */
struct engine_link {
	int64_t el_bps; /* bit/s */
	sim_ns el_latency;
};

/* A machine is a host of SimGrid; hosts are known by index. */
struct engine_platform {
	int ep_nhosts;
	const struct engine_link *ep_links;
	int ep_nlinks;
};

/* What a run cost the engine. */
struct engine_stats {
	uint64_t es_calls;  /* calls into SimGrid */
	uint64_t es_waits;  /* of these: steps of its clock */
	uint64_t es_rings;  /* doorbells rung */
	uint64_t es_actors; /* actors created */
};

/*
 * Start SimGrid with this platform (written as XML into a memfd).
 *
 * Context: main thread, once per process.
 * Errors:  a bug of ours aborts.
 */
void engine_open(const struct engine_platform *);

/* What SimGrid holds for a link's route from a to b, or (down) from b to a. */
int64_t engine_route_bps(int link, bool down);
sim_ns engine_route_latency(int link, bool down);

#define ENGINE_LAST INT_MAX /* after all others of an instant */

/*
 * Create an actor that runs fn(arg) on a host from time 0 (or from now).
 * It ends when fn returns or when the run ends. The actors of one CPU, of which
 * one at a time has something to do, have one rank: then what happens at one
 * instant does not depend on how often anybody has waited before.
 */
struct engine_actor *engine_actor_create_ranked(
    const char *name, int host, int rank, void (*fn)(void *), void *arg);

/* Likewise, with rank ENGINE_LAST: for who shares nothing with the others. */
struct engine_actor *engine_actor_create(
    const char *name, int host, void (*fn)(void *), void *arg);
const char *engine_actor_name(void);

/*
 * Block the calling actor until simulated time t.
 *
 * Context: an actor. Time: sleeps. Returns at once when t is not ahead.
 */
void engine_wait_until(sim_ns t);

/* Block the calling actor until the run ends. */
void engine_park(void) __attribute__((noreturn));

/*
 * A doorbell: one actor waits on it, others ring it. A ring before the wait is
 * kept (once).
 *
 * engine_bell_wait() returns true when rung, false when t came first.
 * engine_bell_advance() lets who waits wake at t, if that is earlier than what
 * it waits for; it does not ring.
 */
struct engine_bell *engine_bell_create(void);
void engine_bell_ring(struct engine_bell *);

/*
 * Ring for an actor that goes on with another CPU: it has this rank from now
 * on. It must wait for the bell alone, or not yet wait.
 */
void engine_bell_ring_ranked(struct engine_bell *, int rank);
bool engine_bell_wait(struct engine_bell *, sim_ns t);
void engine_bell_advance(struct engine_bell *, sim_ns t);

/* Time of the actor that runs: at or before every CPU's clock. */
sim_ns engine_now(void);

/*
 * Run until every actor has ended or is parked and `end` has come; then all
 * actors are killed.
 */
void engine_run(sim_ns end);
void engine_close(void);

const struct engine_stats *engine_statistics(void);
const char *engine_version(void);

#endif
