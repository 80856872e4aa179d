#include "model/peer/netperf.h"

/* A long message is queued in pieces: what is queued may leave. */
#define SENDFILE_PIECE 65536

struct netperf {
	struct peer np_peer; /* first */
	struct peer_thread np_thread;
	struct cpu_source np_start;
	struct host_conn *np_conn;
	struct stages np_stages;
	bool np_started, np_connected;
};

static struct peer *netperf_create(const struct setup_peer *,
    const struct setup_run *, const struct host_place *, int64_t response);
static void netperf_destroy(struct peer *);
static double netperf_request_rate(const struct peer *);
static void netperf_start(struct cpu *, struct cpu_source *);
static void netperf_actor(void *);
static bool netperf_room(const struct netperf *);
static void netperf_connected(struct host_cpu *, void *);
static void netperf_readable(struct host_cpu *, void *);
static void netperf_failed(struct host_cpu *, void *, enum tcp_end);

static const struct host_tool_ops netperf_tool_ops = { netperf_connected,
	netperf_readable, netperf_failed };

const struct peer_ops netperf_ops = {
	.po_create = netperf_create,
	.po_destroy = netperf_destroy,
	.po_request_rate = netperf_request_rate,
};

static struct peer *
netperf_create(const struct setup_peer *pe, const struct setup_run *sr,
    const struct host_place *hp, int64_t response)
{
	struct netperf *np = sim_calloc(1, sizeof(*np));
	struct host *h;

	peer_init(&np->np_peer, &netperf_ops, &netperf_tool_ops, pe, sr, hp,
	    response);
	h = np->np_peer.pp_host;
	peer_thread_init(&np->np_thread, &np->np_peer, 0);
	np->np_start.cs_fire = netperf_start;
	np->np_start.cs_arg = np;
	cpu_source_add(&h->h_cpus[0]->ho_cpu, &np->np_start);
	cpu_source_arm(&h->h_cpus[0]->ho_cpu, &np->np_start, 1);
	engine_actor_create(
	    np->np_thread.pt_name, h->h_engine_host, netperf_actor, np);
	return &np->np_peer;
}

static void
netperf_destroy(struct peer *pp)
{
	peer_fini(pp);
	sim_free((struct netperf *)pp);
}

static double
netperf_request_rate(const struct peer *pp)
{
	(void)pp;
	return 0;
}

static void
netperf_start(struct cpu *c, struct cpu_source *cs)
{
	struct netperf *np = cs->cs_arg;

	cpu_source_arm(c, cs, SIM_NEVER);
	np->np_started = true;
}

static void
netperf_actor(void *arg)
{
	struct netperf *np = arg;
	struct host_cpu *ho = np->np_thread.pt_ho;
	uint32_t len =
	    (uint32_t)sim_min(np->np_peer.pp_setup->pe_message, SENDFILE_PIECE);

	while (!np->np_started)
		cpu_idle(&ho->ho_cpu);
	np->np_conn = host_connect(ho, 0, np, &np->np_stages);
	if (np->np_conn != NULL)
		peer_opened(&np->np_thread);
	for (;;) {
		if (np->np_connected && np->np_conn != NULL && netperf_room(np))
			host_sendfile(ho, &np->np_conn, len);
		else
			cpu_idle(&ho->ho_cpu);
	}
}

/* Kernel: sk_stream_wspace() >= sk_stream_min_wspace(), Linux 2.6.19 */
static bool
netperf_room(const struct netperf *np)
{
	const struct tcpcb *tp = &np->np_conn->hc_tp;
	uint32_t size = tp->t_host->th_sendspace;

	return tp->snd_cc < size && size - tp->snd_cc >= tp->snd_cc / 2;
}

/*
 * struct host_tool_ops: called by interrupts.
 */

static void
netperf_connected(struct host_cpu *ho, void *arg)
{
	(void)ho;
	((struct netperf *)arg)->np_connected = true;
}

static void
netperf_readable(struct host_cpu *ho, void *arg)
{
	(void)ho;
	(void)arg;
}

static void
netperf_failed(struct host_cpu *ho, void *arg, enum tcp_end end)
{
	struct netperf *np = arg;

	(void)ho;
	np->np_conn = NULL;
	np->np_connected = false;
	peer_ended(&np->np_thread, end);
}
