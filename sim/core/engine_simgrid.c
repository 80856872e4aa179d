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

struct engine_actor {
	void (*ea_fn)(void *);
	void *ea_arg;
	sg_actor_t ea_actor;
};

struct engine_bell {
	sg_sem_t eb_sem;
	bool eb_rung; /* rung and not yet taken */
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

static void
actor_main(int argc, char **argv)
{
	struct engine_actor *ea = sg_actor_get_data(sg_actor_self());

	(void)argc;
	(void)argv;
	ea->ea_fn(ea->ea_arg);
}

struct engine_actor *
engine_actor_create(const char *name, int host, void (*fn)(void *), void *arg)
{
	struct engine_actor *ea = sim_calloc(1, sizeof(*ea));

	SIM_ASSERT(host >= 0 && host < engine.nhosts);
	ea->ea_fn = fn;
	ea->ea_arg = arg;
	ea->ea_actor = sg_actor_init(name, engine.hosts[host]);
	sg_actor_set_data(ea->ea_actor, ea);
	sg_actor_start(ea->ea_actor, actor_main, 0, NULL);
	engine.actors = array_append(engine.actors, &engine.nactors, ea);
	engine.stats.es_actors++;
	return ea;
}

const char *
engine_actor_name(void)
{
	return sg_actor_self() == NULL ? "main" : sg_actor_self_get_name();
}

void
engine_wait_until(sim_ns t)
{
	double s = ns_to_s(t);

	if (s <= simgrid_get_clock())
		return;
	engine.stats.es_calls++;
	engine.stats.es_waits++;
	sg_actor_sleep_until(s);
}

void
engine_park(void)
{
	for (;;)
		sg_actor_suspend(sg_actor_self());
}

struct engine_bell *
engine_bell_create(void)
{
	struct engine_bell *eb = sim_calloc(1, sizeof(*eb));

	eb->eb_sem = sg_sem_init(0);
	engine.bells = array_append(engine.bells, &engine.nbells, eb);
	return eb;
}

void
engine_bell_ring(struct engine_bell *eb)
{
	if (eb->eb_rung)
		return;
	eb->eb_rung = true;
	engine.stats.es_calls++;
	engine.stats.es_rings++;
	sg_sem_release(eb->eb_sem);
}

bool
engine_bell_wait(struct engine_bell *eb, sim_ns t)
{
	engine.stats.es_calls++;
	if (t == SIM_NEVER) {
		sg_sem_acquire(eb->eb_sem);
	} else {
		double left = ns_to_s(t) - simgrid_get_clock();

		engine.stats.es_waits++;
		if (sg_sem_acquire_timeout(eb->eb_sem, left > 0 ? left : 0) !=
		    0)
			return false;
	}
	eb->eb_rung = false;
	return true;
}

sim_ns
engine_now(void)
{
	return s_to_ns(simgrid_get_clock());
}

static void
director(void *arg)
{
	engine_wait_until(*(sim_ns *)arg);
	sg_actor_kill_all();
}

void
engine_run(sim_ns end)
{
	engine_actor_create("director", 0, director, &end);
	simgrid_run();
}

void
engine_close(void)
{
	for (size_t i = 0; i < engine.nbells; i++) {
		sg_sem_destroy(engine.bells[i]->eb_sem);
		sim_free(engine.bells[i]);
	}
	for (size_t i = 0; i < engine.nactors; i++)
		sim_free(engine.actors[i]);
	sim_free(engine.bells);
	sim_free(engine.actors);
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
