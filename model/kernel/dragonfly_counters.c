/*
 * What a machine counts, and what must add up in the end.
 */
#include <string.h>

#include "model/counter.h"
#include "model/kernel/kernel.h"
#include "model/net/ifpoll.h"
#include "model/netinet/tcp_kern.h"
#include "model/netinet/tcp_syncache.h"

static void
counters_tcp(const struct globaldata *gd, int64_t *out)
{
	const struct tcp_kern_stats *tk = &gd->gd_tcp->tc_stats;
	const struct tcp_stats *ts = &gd->gd_tcp->tc_tcpstat;
	const struct syncache_stats *sc = &gd->gd_syncache->sca_stats;

	out[COUNTER_drop_syncache_bucket] = sc->tcps_sc_bucketoverflow;
	out[COUNTER_drop_syncache_full] = sc->tcps_sc_cacheoverflow;
	out[COUNTER_drop_syncache_stale] = sc->tcps_sc_stale;
	out[COUNTER_drop_syncache_reset] = sc->tcps_sc_reset;
	out[COUNTER_drop_stray] = tk->stray;
	out[COUNTER_rst_sent] = tk->rst_sent;
	out[COUNTER_rst_limited] = tk->rst_limited;
	out[COUNTER_syns] = tk->syns;
	out[COUNTER_tcps_accepts] = ts->tcps_accepts;
	out[COUNTER_tcps_connects] = ts->tcps_connects;
	out[COUNTER_tcps_closed] = ts->tcps_closed;
	out[COUNTER_tcps_listendrop] = tk->tcps_listendrop;
	out[COUNTER_tcps_badsyn] = tk->tcps_badsyn;
	out[COUNTER_tcps_sc_added] = sc->tcps_sc_added;
	out[COUNTER_tcps_sc_completed] = sc->tcps_sc_completed;
	out[COUNTER_tcps_sc_retransmitted] = sc->tcps_sc_retransmitted;
	out[COUNTER_tcps_sc_dupsyn] = sc->tcps_sc_dupsyn;
	out[COUNTER_tcps_sc_aborted] = sc->tcps_sc_aborted;
	out[COUNTER_tcps_sndtotal] = ts->tcps_sndtotal;
	out[COUNTER_tcps_sndpack] = ts->tcps_sndpack;
	out[COUNTER_tcps_sndbyte] = ts->tcps_sndbyte;
	out[COUNTER_tcps_sndrexmitpack] = ts->tcps_sndrexmitpack;
	out[COUNTER_tcps_sndacks] = ts->tcps_sndacks;
	out[COUNTER_tcps_delack] = ts->tcps_delack;
	out[COUNTER_tcps_rcvtotal] = ts->tcps_rcvtotal;
	out[COUNTER_tcps_rcvackpack] = ts->tcps_rcvackpack;
	out[COUNTER_tcps_rcvdupack] = ts->tcps_rcvdupack;
	out[COUNTER_tcps_rcvpack] = ts->tcps_rcvpack;
	out[COUNTER_tcps_rcvduppack] = ts->tcps_rcvduppack;
	out[COUNTER_tcps_rcvoopack] = ts->tcps_rcvoopack;
	out[COUNTER_tcps_rexmttimeo] = ts->tcps_rexmttimeo;
}

static void
counters_interfaces(const struct globaldata *gd, int64_t *out)
{
	const struct machine *m = gd->gd_machine;
	const struct iopoll_ctx *io = gd->gd_iopoll;
	int cpu = gd->gd_cpu.c_id;

	for (int i = 0; i < m->m_nifnets; i++) {
		const struct ifnet *ifp = m->m_ifnets[i];

		if (cpu >= ifp->if_ntxr)
			continue;
		if (cpu < ifp->if_nrxr) {
			const struct rxring *rr = &ifp->if_port->np_rxr[cpu];

			out[COUNTER_drop_rx_ring] += rr->rr_drops;
			out[COUNTER_rx_frames] += rr->rr_frames;
		}
		out[COUNTER_drop_tx_queue] += gd->gd_ifsubq[i].ifs_drops;
		out[COUNTER_tx_frames] += gd->gd_ifsubq[i].ifs_frames;
		out[COUNTER_interrupts] += ifp->if_interrupts(ifp, cpu);
	}
	if (io != NULL) {
		out[COUNTER_polls] = io->io_polls;
		out[COUNTER_poll_rounds] = io->io_rounds;
		out[COUNTER_polls_lost] = io->io_lost;
	}
}

static void
counters_processes(const struct globaldata *gd, int64_t *out)
{
	const struct machine_procs *mp = gd->gd_machine->m_procs;
	int cpu = gd->gd_cpu.c_id;

	for (int i = 0; i < mp->mp_nlisteners; i++) {
		const struct so_listen *head = mp->mp_listeners[i];

		if (head->sl_cpu != cpu)
			continue;
		out[COUNTER_drop_syn_queue_full] += head->sl_syn_drops;
		out[COUNTER_drop_ack_queue_full] += head->sl_refused;
		out[COUNTER_sockets_completed] += head->sl_completed;
		out[COUNTER_sockets_accepted] += head->sl_accepted;
		out[COUNTER_sockets_closed_queued] += head->sl_closed;
	}
	for (int i = 0; i < mp->mp_nworkers; i++) {
		const struct ngx_stats *ng =
		    ngx_worker_stats(mp->mp_workers[i]);
		const struct kqueue *kq = ngx_worker_kqueue(mp->mp_workers[i]);

		if (kq->kq_gd != gd)
			continue;
		out[COUNTER_nginx_requests] += ng->ng_requests;
		out[COUNTER_nginx_eagain] += ng->ng_eagain;
		out[COUNTER_kevent_calls] += kq->kq_calls;
		out[COUNTER_kevent_events] += kq->kq_events;
		out[COUNTER_kevent_changes] += kq->kq_changes;
	}
}

void
dragonfly_counters(const struct globaldata *gd, int64_t *out)
{
	memset(out, 0, COUNTER_N * sizeof(*out));
	counters_tcp(gd, out);
	counters_interfaces(gd, out);
	counters_processes(gd, out);
	out[COUNTER_netisr_messages] = gd->gd_netisr.ni_messages;
	out[COUNTER_netisr_runs] = gd->gd_netisr.ni_runs;
	out[COUNTER_switches] = gd->gd_switches;
	out[COUNTER_wakeups] = gd->gd_wakeups;
	out[COUNTER_syscalls] = gd->gd_syscalls;
	out[COUNTER_domsgs] = gd->gd_domsgs;
	out[COUNTER_ipis] = gd->gd_ipis;
	out[COUNTER_ipis_avoided] = gd->gd_ipis_avoided;
	out[COUNTER_token_collisions] = gd->gd_collisions;
}

void
dragonfly_mark(struct globaldata *gd)
{
	struct machine *m = gd->gd_machine;
	struct machine_procs *mp = m->m_procs;
	int cpu = gd->gd_cpu.c_id;

	sched_account_reset(gd);
	for (int i = 0; i < mp->mp_nworkers; i++)
		if (ngx_worker_kqueue(mp->mp_workers[i])->kq_gd == gd)
			ngx_worker_thread(mp->mp_workers[i])->td_ns = 0;
	for (int i = 0; i < mp->mp_nlisteners; i++) {
		struct so_listen *head = mp->mp_listeners[i];

		if (head->sl_cpu != cpu)
			continue;
		head->sl_qmax = head->so_qlen;
		head->sl_qpeak = head->so_qlen;
		head->sl_qsum = head->sl_qsum0 = 0;
		head->sl_syn_drops0 = head->sl_syn_drops;
		head->sl_refused0 = head->sl_refused;
		head->sl_accepted0 = head->sl_accepted;
		head->sl_qsince = gd->gd_cpu.c_now;
	}
	if (cpu == 0)
		for (int i = 0; i < m->m_ntoks; i++)
			tok_reset(m->m_toks[i], gd->gd_cpu.c_now);
}

void
dragonfly_slice(const struct globaldata *gd, struct slice *sc)
{
	const struct machine *m = gd->gd_machine;

	for (int i = 0; i < m->m_nifnets; i++) {
		const struct ifsubq *ifs = &gd->gd_ifsubq[i];

		if (gd->gd_cpu.c_id < m->m_ifnets[i]->if_ntxr)
			sc->sc_tx_backlog += pktq_len(&ifs->ifs_ring.tr_q) +
					     pktq_len(&ifs->ifs_prio) +
					     pktq_len(&ifs->ifs_normal);
	}
}

void
dragonfly_slice_listeners(
    struct machine *m, int cpu, sim_ns edge, struct slice *sc)
{
	const struct machine_procs *mp = m->m_procs;

	for (int i = 0; i < mp->mp_nlisteners; i++) {
		struct so_listen *head = mp->mp_listeners[i];

		if (head->sl_cpu != cpu)
			continue;
		so_qlen_integrate(head, edge);
		sc->sc_qsum += head->sl_qsum - head->sl_qsum0;
		sc->sc_qmax = sim_max(sc->sc_qmax, head->sl_qpeak);
		head->sl_qsum0 = head->sl_qsum;
		head->sl_qpeak = head->so_qlen;
	}
}

int64_t
dragonfly_token_wait(const struct machine *m)
{
	int64_t sum = 0;

	for (int i = 0; i < m->m_ntoks; i++)
		sum += m->m_toks[i]->t_wait_ns;
	return sum;
}

static void check_syncache(const struct globaldata *);

/*
 * Handshakes and sockets: what came in is somewhere, or was counted out. A CPU
 * stops wherever its clock reaches the end, so one of each may be between two
 * of its counts.
 */
void
dragonfly_check(const struct machine *m)
{
	const struct machine_procs *mp = m->m_procs;
	uint64_t taken = 0, accepted = 0;

	for (int i = 0; i < m->m_ncpus; i++)
		check_syncache(m->m_gd[i]);
	for (int i = 0; i < mp->mp_nlisteners; i++) {
		const struct so_listen *head = mp->mp_listeners[i];
		const struct so *so;
		int n = 0;

		TAILQ_FOREACH (so, &head->so_comp, so_list)
			n++;
		SIM_ASSERT(n == head->so_qlen);
		SIM_ASSERT(
		    head->sl_completed == head->sl_accepted + (uint64_t)n);
		taken += head->sl_accepted;
	}
	for (int i = 0; i < mp->mp_nworkers; i++) {
		const struct ngx_stats *ng =
		    ngx_worker_stats(mp->mp_workers[i]);

		accepted += ng->ng_accepted;
		SIM_ASSERT(
		    ng->ng_accepted == ng->ng_closed + (uint64_t)ng->ng_open);
	}
	/* One of each worker may be between accept(2) and nginx. */
	SIM_ASSERT(taken - accepted <= (uint64_t)mp->mp_nworkers ||
		   mp->mp_nworkers == 0);
}

static void
check_syncache(const struct globaldata *gd)
{
	const struct syncache *sca = gd->gd_syncache;
	const struct syncache_stats *sc = &sca->sca_stats;
	uint64_t out = sc->tcps_sc_completed + sc->tcps_sc_aborted +
		       sc->tcps_sc_stale + sc->tcps_sc_reset +
		       sc->tcps_sc_bucketoverflow + sc->tcps_sc_cacheoverflow +
		       (uint64_t)sca->sca_count;

	SIM_ASSERT(out - sc->tcps_sc_added <= 1);
}
