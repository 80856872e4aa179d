#include "sim/core/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <simgrid/version.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

/*
 * SimGrid's clock follows the actors in steps of this, see dispatch(). It
 * decides nothing: the order of the actors is the agenda's.
 */
#define CLOCK_STEP ((sim_ns)50000)

struct engine_actor {
	void (*ea_fn)(void *);
	void *ea_arg;
	sg_actor_t ea_actor;
	sg_sem_t ea_turn; /* released when it is this actor's turn */
	int ea_rank;	  /* changed by engine_bell_ring_ranked() only */
	sim_ns ea_time;	  /* on the agenda for then */
	uint64_t ea_order;
	int ea_index; /* on the agenda; -1: waits for a bell only */
};

struct engine_bell {
	struct engine_actor *eb_waiter;
	bool eb_rung;	/* rung and not yet taken */
	bool eb_ranked; /* who takes it gets eb_rank */
	int eb_rank;
};

static struct {
	sg_host_t *hosts; /* by index of the platform */
	int nhosts;
	char **names;
	struct engine_actor **actors;
	size_t nactors;
	struct engine_bell **bells;
	size_t nbells;
	struct engine_stats stats;
	sim_ns now;
	sim_ns clock; /* SimGrid's, at or before now */
	struct engine_actor *current;
	/* The agenda: a heap by (time, rank, order of entry). */
	struct engine_actor **agenda;
	int nagenda;
	uint64_t order;
} engine;

static char *platform_write(const struct engine_platform *, size_t *);
static void *array_append(void *array, size_t *n, void *item);

static double
ns_to_s(sim_ns t)
{
	return (double)t * 1e-9;
}

static sim_ns
s_to_ns(double s)
{
	return (sim_ns)llround(s * 1e9);
}

/*
 * SimGrid takes its options from argv. The precision must be far below 1 ns
 * (its default merges events 1 ns apart); the network model must hand back the
 * plain figures of a link. Stacks are small: our actors recurse little.
 */
void
engine_open(const struct engine_platform *ep)
{
	const char *factory = getenv("SIM_FACTORY");
	char factory_arg[64], path[64];
	char *argv[16] = { "solab", "--cfg=surf/precision:1e-12",
		"--cfg=network/model:CM02", "--cfg=contexts/stack-size:256",
		"--log=root.thresh:error", NULL };
	int argc = 5, fd;
	char *xml;
	size_t len;

	if (factory != NULL && strcmp(factory, "thread") == 0) {
		snprintf(factory_arg, sizeof(factory_arg),
		    "--cfg=contexts/factory:%s", factory);
		argv[argc++] = factory_arg;
	}
	simgrid_init(&argc, argv);

	xml = platform_write(ep, &len);
	fd = memfd_create("platform.xml", 0);
	SIM_ASSERT(fd >= 0);
	SIM_ASSERT(write(fd, xml, len) == (ssize_t)len);
	sim_free(xml);
	/* SimGrid looks at the suffix of a platform's name: none means XML. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	simgrid_load_platform(path);
	close(fd);

	engine.nhosts = ep->ep_nhosts;
	engine.hosts = sim_calloc(ep->ep_nhosts, sizeof(engine.hosts[0]));
	for (int i = 0; i < ep->ep_nhosts; i++) {
		char name[32];

		snprintf(name, sizeof(name), "h%d", i);
		engine.hosts[i] = sg_host_by_name(name);
		SIM_ASSERT(engine.hosts[i] != NULL);
	}
}

/*
 * One router-less zone with the routes stated one by one. A link of the
 * platform becomes two of SimGrid's, one a direction. Hosts are named by their
 * index, so nothing of the user's needs to be escaped; several links between
 * the same two hosts are kept apart by a host of their own at each end.
 */
static char *
platform_write(const struct engine_platform *ep, size_t *lenp)
{
	char *xml;
	FILE *f = open_memstream(&xml, lenp);

	SIM_ASSERT(f != NULL);
	fprintf(f, "<?xml version='1.0'?>\n"
		   "<!DOCTYPE platform SYSTEM "
		   "\"https://simgrid.org/simgrid.dtd\">\n"
		   "<platform version=\"4.1\">\n"
		   "<zone id=\"world\" routing=\"Full\">\n");
	for (int i = 0; i < ep->ep_nhosts; i++)
		fprintf(f, "<host id=\"h%d\" speed=\"1Gf\"/>\n", i);
	for (int i = 0; i < ep->ep_nlinks; i++)
		fprintf(f,
		    "<host id=\"p%da\" speed=\"1Gf\"/>\n"
		    "<host id=\"p%db\" speed=\"1Gf\"/>\n",
		    i, i);
	for (int i = 0; i < ep->ep_nlinks; i++)
		fprintf(f,
		    "<link id=\"l%d\" bandwidth=\"%lldbps\" "
		    "latency=\"%lldns\" "
		    "sharing_policy=\"SPLITDUPLEX\"/>\n",
		    i, (long long)ep->ep_links[i].el_bps,
		    (long long)ep->ep_links[i].el_latency);
	for (int i = 0; i < ep->ep_nlinks; i++)
		fprintf(f,
		    "<route src=\"p%da\" dst=\"p%db\" "
		    "symmetrical=\"NO\"><link_ctn id=\"l%d\" "
		    "direction=\"UP\"/></route>\n"
		    "<route src=\"p%db\" dst=\"p%da\" "
		    "symmetrical=\"NO\"><link_ctn id=\"l%d\" "
		    "direction=\"DOWN\"/></route>\n",
		    i, i, i, i, i, i);
	fprintf(f, "</zone>\n</platform>\n");
	SIM_ASSERT(fclose(f) == 0);
	return xml;
}

static sg_host_t
port_host(int link, char end)
{
	char name[32];
	sg_host_t h;

	snprintf(name, sizeof(name), "p%d%c", link, end);
	h = sg_host_by_name(name);
	SIM_ASSERT(h != NULL);
	return h;
}

int64_t
engine_route_bps(int link, bool down)
{
	return llround(
	    sg_host_get_route_bandwidth(port_host(link, down ? 'b' : 'a'),
		port_host(link, down ? 'a' : 'b')) *
	    8);
}

sim_ns
engine_route_latency(int link, bool down)
{
	return s_to_ns(
	    sg_host_get_route_latency(port_host(link, down ? 'b' : 'a'),
		port_host(link, down ? 'a' : 'b')));
}

static bool
agenda_before(const struct engine_actor *a, const struct engine_actor *b)
{
	if (a->ea_time != b->ea_time)
		return a->ea_time < b->ea_time;
	if (a->ea_rank != b->ea_rank)
		return a->ea_rank < b->ea_rank;
	return a->ea_order < b->ea_order;
}

static void
agenda_set(int i, struct engine_actor *ea)
{
	engine.agenda[i] = ea;
	ea->ea_index = i;
}

static void
agenda_rise(struct engine_actor *ea, int i)
{
	while (i > 0 && agenda_before(ea, engine.agenda[(i - 1) / 2])) {
		agenda_set(i, engine.agenda[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	agenda_set(i, ea);
}

/* Enter an actor, or bring it forward to an earlier time. */
static void
agenda_enter(struct engine_actor *ea, sim_ns t)
{
	ea->ea_time = t;
	ea->ea_order = engine.order++;
	agenda_rise(ea, ea->ea_index >= 0 ? ea->ea_index : engine.nagenda++);
}

static struct engine_actor *
agenda_take(void)
{
	struct engine_actor *first = engine.agenda[0], *last;
	int i = 0, child;

	SIM_ASSERT(engine.nagenda > 0);
	last = engine.agenda[--engine.nagenda];
	first->ea_index = -1;
	if (first == last)
		return first;
	while ((child = 2 * i + 1) < engine.nagenda) {
		if (child + 1 < engine.nagenda &&
		    agenda_before(
			engine.agenda[child + 1], engine.agenda[child]))
			child++;
		if (!agenda_before(engine.agenda[child], last))
			break;
		agenda_set(i, engine.agenda[child]);
		i = child;
	}
	agenda_set(i, last);
	return first;
}

/* It is t now. */
static void
advance(sim_ns t)
{
	engine.now = t;
	if (t < engine.clock + CLOCK_STEP)
		return;
	engine.stats.es_calls++;
	engine.stats.es_waits++;
	sg_actor_sleep_until(ns_to_s(t));
	engine.clock = t;
}

/*
 * Let the first of the agenda run, until it is self's turn. One actor runs at
 * a time; all others wait for their turns, so the one that runs also moves
 * SimGrid's clock. A sleep of SimGrid's for each wait would cost more than
 * twice as much (docs/architecture.md).
 */
static void
dispatch(struct engine_actor *self)
{
	struct engine_actor *next = agenda_take();

	if (next->ea_time > engine.now)
		advance(next->ea_time);
	if (next != self) {
		engine.stats.es_calls += 2;
		sg_sem_release(next->ea_turn);
		sg_sem_acquire(self->ea_turn);
	}
	engine.current = self;
}

static void
actor_main(int argc, char **argv)
{
	struct engine_actor *ea = sg_actor_get_data(sg_actor_self());

	(void)argc;
	(void)argv;
	sg_sem_acquire(ea->ea_turn);
	engine.current = ea;
	ea->ea_fn(ea->ea_arg);
	engine_park();
}

/* An actor on the agenda for now, whose SimGrid side runs `main`. */
static struct engine_actor *
actor_new(const char *name, int host, int rank, xbt_main_func_t main_fn,
    void (*fn)(void *), void *arg)
{
	struct engine_actor *ea = sim_calloc(1, sizeof(*ea));

	SIM_ASSERT(host >= 0 && host < engine.nhosts);
	ea->ea_fn = fn;
	ea->ea_arg = arg;
	ea->ea_rank = rank;
	ea->ea_turn = sg_sem_init(0);
	ea->ea_index = -1;
	ea->ea_actor = sg_actor_init(name, engine.hosts[host]);
	sg_actor_set_data(ea->ea_actor, ea);
	sg_actor_start(ea->ea_actor, main_fn, 0, NULL);
	engine.actors = array_append(engine.actors, &engine.nactors, ea);
	engine.stats.es_actors++;
	engine.agenda = sim_realloc(
	    engine.agenda, engine.nactors, sizeof(engine.agenda[0]));
	agenda_enter(ea, engine.now);
	return ea;
}

struct engine_actor *
engine_actor_create_ranked(
    const char *name, int host, int rank, void (*fn)(void *), void *arg)
{
	return actor_new(name, host, rank, actor_main, fn, arg);
}

struct engine_actor *
engine_actor_create(const char *name, int host, void (*fn)(void *), void *arg)
{
	return actor_new(name, host, ENGINE_LAST, actor_main, fn, arg);
}

const char *
engine_actor_name(void)
{
	return sg_actor_self() == NULL ? "main" : sg_actor_self_get_name();
}

/* Nobody else has anything to do before t? */
static bool
alone_until(sim_ns t)
{
	const struct engine_actor *first = engine.agenda[0];

	return engine.nagenda == 0 || t < first->ea_time ||
	       (t == first->ea_time &&
		   engine.current->ea_rank < first->ea_rank);
}

void
engine_wait_until(sim_ns t)
{
	struct engine_actor *self = engine.current;

	if (t <= engine.now)
		return;
	if (alone_until(t)) {
		advance(t);
		return;
	}
	agenda_enter(self, t);
	dispatch(self);
}

void
engine_park(void)
{
	for (;;)
		dispatch(engine.current);
}

struct engine_bell *
engine_bell_create(void)
{
	struct engine_bell *eb = sim_calloc(1, sizeof(*eb));

	engine.bells = array_append(engine.bells, &engine.nbells, eb);
	return eb;
}

void
engine_bell_ring(struct engine_bell *eb)
{
	if (eb->eb_rung)
		return;
	eb->eb_rung = true;
	engine.stats.es_rings++;
	if (eb->eb_waiter != NULL)
		agenda_enter(eb->eb_waiter, engine.now);
}

void
engine_bell_ring_ranked(struct engine_bell *eb, int rank)
{
	struct engine_actor *ea = eb->eb_waiter;

	SIM_ASSERT(!eb->eb_rung && (ea == NULL || ea->ea_index < 0));
	if (ea != NULL)
		ea->ea_rank = rank;
	else
		eb->eb_ranked = true;
	eb->eb_rank = rank;
	engine_bell_ring(eb);
}

bool
engine_bell_wait(struct engine_bell *eb, sim_ns t)
{
	bool rung;

	if (!eb->eb_rung && t != SIM_NEVER && alone_until(t)) {
		if (t > engine.now)
			advance(t);
		return false;
	}
	if (!eb->eb_rung) {
		eb->eb_waiter = engine.current;
		if (t != SIM_NEVER)
			agenda_enter(engine.current, t);
		dispatch(engine.current);
		eb->eb_waiter = NULL;
	}
	rung = eb->eb_rung;
	eb->eb_rung = false;
	if (eb->eb_ranked)
		engine.current->ea_rank = eb->eb_rank;
	eb->eb_ranked = false;
	return rung;
}

void
engine_bell_advance(struct engine_bell *eb, sim_ns t)
{
	struct engine_actor *ea = eb->eb_waiter;

	if (ea != NULL && ea->ea_index >= 0 && t < ea->ea_time)
		agenda_enter(ea, sim_max(t, engine.now));
}

sim_ns
engine_now(void)
{
	return engine.now;
}

static void
director(void *arg)
{
	engine_wait_until(*(sim_ns *)arg);
	sg_actor_kill_all();
}

/* Not chosen by anybody: it starts the others. */
static void
director_main(int argc, char **argv)
{
	struct engine_actor *ea = sg_actor_get_data(sg_actor_self());

	(void)argc;
	(void)argv;
	dispatch(ea);
	ea->ea_fn(ea->ea_arg);
}

void
engine_run(sim_ns end)
{
	actor_new("director", 0, ENGINE_LAST, director_main, director, &end);
	simgrid_run();
}

void
engine_close(void)
{
	for (size_t i = 0; i < engine.nbells; i++)
		sim_free(engine.bells[i]);
	for (size_t i = 0; i < engine.nactors; i++) {
		sg_sem_destroy(engine.actors[i]->ea_turn);
		sim_free(engine.actors[i]);
	}
	sim_free(engine.bells);
	sim_free(engine.actors);
	sim_free(engine.agenda);
	sim_free(engine.hosts);
	memset(&engine, 0, sizeof(engine));
}

static void *
array_append(void *array, size_t *n, void *item)
{
	void **p = array;

	if ((*n & (*n - 1)) == 0)
		p = sim_realloc(p, *n == 0 ? 1 : *n * 2, sizeof(*p));
	p[(*n)++] = item;
	return p;
}

const struct engine_stats *
engine_statistics(void)
{
	return &engine.stats;
}

const char *
engine_version(void)
{
	static char version[32];
	int major, minor, patch;

	sg_version_get(&major, &minor, &patch);
	snprintf(version, sizeof(version), "%d.%d", major, minor);
	return version;
}
