#include "model/netinet/tcp_syncache.h"

#include <string.h>

#include "model/netinet/tcp_kern.h"
#include "model/trace.h"

static struct syncache_entry *syncache_lookup(
    struct globaldata *, uint32_t flow);
static void syncache_insert(struct globaldata *, struct syncache_entry *);
static void syncache_drop(struct globaldata *, struct syncache_entry *);
static void syncache_respond(struct globaldata *, struct syncache_entry *);
static void syncache_timer(struct callout *);
static struct inpcb *syncache_socket(
    struct globaldata *, struct syncache_entry *, const struct pkt *);

void
syncache_init(struct globaldata *gd, struct rng_run run)
{
	const struct setup_sysctl *ctl = gd->gd_machine->m_sysctl;
	struct syncache *sca = sim_calloc(1, sizeof(*sca));
	int n = (int)ctl->syncache_hashsize;

	gd->gd_syncache = sca;
	sca->sca_buckets = sim_calloc(n, sizeof(*sca->sca_buckets));
	sca->sca_length = sim_calloc(n, sizeof(*sca->sca_length));
	for (int i = 0; i < n; i++)
		TAILQ_INIT(&sca->sca_buckets[i]);
	rng_init(&sca->sca_iss, run, "syncache.iss", gd->gd_cpu.c_where);
	sca->sca_secret = rng_u32(&sca->sca_iss);
	sim_pool_init(&gd->gd_sc_pool, sizeof(struct syncache_entry), 128);
}

void
syncache_fini(struct globaldata *gd)
{
	struct syncache *sca = gd->gd_syncache;

	sim_pool_fini(&gd->gd_sc_pool, 1);
	sim_free(sca->sca_buckets);
	sim_free(sca->sca_length);
	sim_free(sca);
}

static int
syncache_hash(struct globaldata *gd, uint32_t flow)
{
	uint64_t h = (flow ^ gd->gd_syncache->sca_secret) * 0x9e3779b97f4a7c15u;

	return (int)((h >> 32) %
		     (uint64_t)gd->gd_machine->m_sysctl->syncache_hashsize);
}

static struct syncache_entry *
syncache_lookup(struct globaldata *gd, uint32_t flow)
{
	struct syncache *sca = gd->gd_syncache;
	struct syncache_entry *sc;

	TAILQ_FOREACH (sc, &sca->sca_buckets[syncache_hash(gd, flow)], sc_hash)
		if (sc->sc_flow == flow)
			return sc;
	return NULL;
}

void
syncache_add(struct globaldata *gd, struct ifnet *ifp, struct so_listen *head,
    const struct pkt *p)
{
	struct syncache *sca = gd->gd_syncache;
	struct syncache_entry *sc;

	gd_run(gd, COST_syncache_add);
	sc = syncache_lookup(gd, p->p_flow);
	if (sc != NULL) {
		/* Our SYN|ACK was lost, or is late: answer again. */
		sca->sca_stats.tcps_sc_dupsyn++;
		sc->sc_irs = p->p_seq;
		syncache_respond(gd, sc);
		return;
	}
	sc = sim_pool_get(&gd->gd_sc_pool);
	memset(sc, 0, sizeof(*sc));
	sc->sc_gd = gd;
	sc->sc_head = head;
	sc->sc_flow = p->p_flow;
	sc->sc_irs = p->p_seq;
	sc->sc_iss = rng_u32(&sca->sca_iss);
	sc->sc_ifindex = ifp->if_index;
	sc->sc_rss = p->p_rss;
	syncache_insert(gd, sc);
	sca->sca_stats.tcps_sc_added++;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SYNCACHE_ADD,
	    sc->sc_flow, sca->sca_count, sca->sca_stats.tcps_sc_added);
	syncache_respond(gd, sc);
}

/* A full bucket drops its oldest entry, a full cache that of any bucket. */
static void
syncache_insert(struct globaldata *gd, struct syncache_entry *sc)
{
	const struct setup_sysctl *ctl = gd->gd_machine->m_sysctl;
	struct syncache *sca = gd->gd_syncache;
	int b = syncache_hash(gd, sc->sc_flow);

	if (sca->sca_length[b] >= ctl->syncache_bucketlimit) {
		syncache_drop(gd, TAILQ_FIRST(&sca->sca_buckets[b]));
		sca->sca_stats.tcps_sc_bucketoverflow++;
	} else if (sca->sca_count >= ctl->syncache_cachelimit) {
		int i = b;

		while (TAILQ_EMPTY(&sca->sca_buckets[i]))
			i = (i + 1) % (int)ctl->syncache_hashsize;
		syncache_drop(gd, TAILQ_FIRST(&sca->sca_buckets[i]));
		sca->sca_stats.tcps_sc_cacheoverflow++;
	}
	sc->sc_bucket = b;
	TAILQ_INSERT_TAIL(&sca->sca_buckets[b], sc, sc_hash);
	sca->sca_length[b]++;
	sca->sca_count++;
}

static void
syncache_drop(struct globaldata *gd, struct syncache_entry *sc)
{
	struct syncache *sca = gd->gd_syncache;

	callout_stop(&gd->gd_wheel, &sc->sc_timer);
	TAILQ_REMOVE(&sca->sca_buckets[sc->sc_bucket], sc, sc_hash);
	sca->sca_length[sc->sc_bucket]--;
	sca->sca_count--;
	sim_pool_put(&gd->gd_sc_pool, sc);
}

/*
 * SYN|ACK out, and the timer for the next: 1, 1, 2, 4, 8 s; without
 * low_rtobase 3, 6, 12, 24 s.
 */
static void
syncache_respond(struct globaldata *gd, struct syncache_entry *sc)
{
	static const int low[] = { 1, 1, 2, 4, 8, 16, 32, 64, 64, 64, 64 };
	static const int high[] = { 1, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64 };
	int rtobase = gd->gd_tcp->tc_host.th_rtobase_ticks;
	struct pkt p = {
		.p_flow = sc->sc_flow,
		.p_seq = sc->sc_iss,
		.p_ack = sc->sc_irs + 1,
		.p_win = (uint32_t)gd->gd_machine->m_sysctl->recvspace,
		.p_flags = TH_SYN | TH_ACK,
		.p_nseg = 1,
		.p_rss = sc->sc_rss,
		.p_prio = 1,
	};

	gd_run(gd, COST_syncache_respond);
	sc->sc_sent = gd->gd_wheel.cw_tick;
	callout_reset(&gd->gd_wheel, &sc->sc_timer,
	    rtobase * (rtobase > CALLOUT_HZ ? high : low)[sc->sc_rxtslot],
	    syncache_timer);
	ip_output(gd, sc->sc_ifindex, &p);
}

static void
syncache_timer(struct callout *co)
{
	struct syncache_entry *sc =
	    msg_owner(co, struct syncache_entry, sc_timer);
	struct globaldata *gd = sc->sc_gd;
	struct syncache *sca = gd->gd_syncache;

	sc->sc_rxtused += gd->gd_wheel.cw_tick - sc->sc_sent;
	if (sc->sc_rxtslot >= gd->gd_machine->m_sysctl->syncache_rexmtlimit) {
		sca->sca_stats.tcps_sc_stale++;
		syncache_drop(gd, sc);
		return;
	}
	sc->sc_rxtslot++;
	sca->sca_stats.tcps_sc_retransmitted++;
	syncache_respond(gd, sc);
}

struct inpcb *
syncache_expand(
    struct globaldata *gd, struct ifnet *ifp, const struct pkt *p, bool *rst)
{
	struct syncache *sca = gd->gd_syncache;
	struct syncache_entry *sc = syncache_lookup(gd, p->p_flow);
	struct inpcb *inp;

	(void)ifp;
	*rst = false;
	if (sc == NULL || p->p_ack != sc->sc_iss + 1) {
		*rst = true;
		return NULL;
	}
	gd_run(gd, COST_syncache_expand);
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SYNCACHE_EXPAND,
	    sc->sc_flow, sca->sca_count, sc->sc_rxtslot);
	inp = syncache_socket(gd, sc, p);
	syncache_drop(gd, sc);
	return inp;
}

static struct inpcb *
syncache_socket(
    struct globaldata *gd, struct syncache_entry *sc, const struct pkt *p)
{
	struct so_listen *head = sc->sc_head;
	struct inpcb *inp;

	if (so_queue_full(head)) {
		head->sl_refused++;
		gd->gd_tcp->tc_stats.tcps_listendrop++;
		gd->gd_syncache->sca_stats.tcps_sc_aborted++;
		SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_REFUSED,
		    sc->sc_flow, head->so_qlen, head->so_qlimit);
		return NULL;
	}
	inp = tcp_attach(gd, sc->sc_flow, sc->sc_rss, sc->sc_ifindex);
	tcp_accept(&inp->inp_tp, sc->sc_iss, sc->sc_irs, p, sc->sc_rxtused);
	inp->inp_tp.t_rttick = sc->sc_sent;
	gd->gd_syncache->sca_stats.tcps_sc_completed++;
	sonewconn(head, &inp->inp_so);
	return inp;
}

void
syncache_chkrst(struct globaldata *gd, const struct pkt *p)
{
	struct syncache_entry *sc = syncache_lookup(gd, p->p_flow);

	if (sc != NULL && p->p_seq == sc->sc_irs + 1) {
		gd->gd_syncache->sca_stats.tcps_sc_reset++;
		syncache_drop(gd, sc);
	}
}
