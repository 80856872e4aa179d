#include "model/netinet/tcp_kern.h"

#include <errno.h>
#include <string.h>

#include "model/net/netisr.h"
#include "model/netinet/tcp_syncache.h"
#include "model/trace.h"

#define IX_TSOLEN (8 * 1500) /* bytes: if_tsolen of ix(4) */

static void tcp_input_connected(
    struct globaldata *, struct inpcb *, const struct pkt *);
static void tcp_input_listen(
    struct globaldata *, struct ifnet *, const struct pkt *);
static void tcp_input_ack(
    struct globaldata *, struct ifnet *, const struct pkt *);
static void tcp_dropwithreset(
    struct globaldata *, struct ifnet *, const struct pkt *);
static void tcp_willblock(struct globaldata *);
static const struct tcp_ops tcp_kern_ops;
static const struct pr_usrreqs tcp_usrreqs;

void
tcp_kern_init(struct globaldata *gd, struct rng_run run)
{
	const struct setup_sysctl *ctl = gd->gd_machine->m_sysctl;
	struct tcp_cpu *tc = sim_calloc(1, sizeof(*tc));

	gd->gd_tcp = tc;
	TAILQ_INIT(&tc->tc_outputq);
	tc->tc_host = (struct tcp_host){
		.th_ops = &tcp_kern_ops,
		.th_wheel = &gd->gd_wheel,
		.th_stats = &tc->tc_tcpstat,
		.th_sendspace = (uint32_t)ctl->sendspace,
		.th_recvspace = (uint32_t)ctl->recvspace,
		.th_mss = PKT_MSS,
		.th_iwmaxsegs = (int)ctl->iw,
		.th_tsolen = IX_TSOLEN,
		.th_fairsend = (int)ctl->fairsend,
		.th_delayed_ack = ctl->delayed_ack,
		.th_aggregate_acks = ctl->aggregate_acks,
		.th_tso = ctl->tso,
		.th_delack_ticks = callout_ms_to_ticks(ctl->delacktime),
		.th_rexmit_min_ticks = callout_ms_to_ticks(ctl->rexmt_min),
		.th_rexmit_slop_ticks = callout_ms_to_ticks(ctl->rexmit_slop),
		.th_rtobase_ticks = (ctl->low_rtobase ? 1 : 3) * CALLOUT_HZ,
		.th_msl_ticks = callout_ms_to_ticks(ctl->msl),
		.th_syn_retries = 12,
	};
	sim_pool_init(&gd->gd_so_pool, sizeof(struct inpcb), 256);
	sim_pool_init(&gd->gd_knote_pool, sizeof(struct knote), 256);
	sim_pool_init(&gd->gd_mbuf_pool, sizeof(struct mbuf), 256);
	syncache_init(gd, run);
	netisr_register_rollup(gd, tcp_willblock);
}

void
tcp_kern_fini(struct globaldata *gd)
{
	syncache_fini(gd);
	sim_pool_fini(&gd->gd_so_pool, 1);
	sim_pool_fini(&gd->gd_knote_pool, 1);
	sim_pool_fini(&gd->gd_mbuf_pool, 1);
	sim_free(gd->gd_tcp);
}

size_t
tcp_kern_connections(const struct globaldata *gd)
{
	return gd->gd_so_pool.sp_inuse;
}

void
ip_output(struct globaldata *gd, int ifindex, struct pkt *p)
{
	struct ifnet *ifp = gd->gd_machine->m_ifnets[ifindex];

	ifp->if_start(gd, ifp, p);
}

void
ip_prefetch(const struct globaldata *gd, const struct rxring *rr, uint32_t n)
{
	const struct machine *m = gd->gd_machine;

	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(flow_of(m, nic_rx_peek(rr, i)->p_flow));
	for (uint32_t i = 0; i < n; i++) {
		const struct flow *fl = flow_of(m, nic_rx_peek(rr, i)->p_flow);
		const char *inp = fl->fl_pcb;

		if (inp == NULL) {
			__builtin_prefetch(fl->fl_stages);
			continue;
		}
		for (size_t b = 0; b < sizeof(struct inpcb); b += 64)
			__builtin_prefetch(inp + b, 1);
	}
}

/* Who is this segment for? Its connection, a listener, the syncache. */
void
ip_input(struct globaldata *gd, struct ifnet *ifp, const struct pkt *p)
{
	struct inpcb *inp = flow_of(gd->gd_machine, p->p_flow)->fl_pcb;

	SIM_INVARIANT(
	    netisr_hashcpu(gd->gd_machine, p->p_rss) == gd->gd_cpu.c_id);
	gd_run(gd, COST_tcp_lookup);
	if (inp != NULL && (p->p_flags & TH_SYN) != 0 &&
	    tcp_timewait_reusable(&inp->inp_tp, p)) {
		struct so *so = &inp->inp_so;

		tcp_drop(&inp->inp_tp, false);
		tcp_kern_ops.to_closed(&so_inpcb(so)->inp_tp, TCP_END_NORMAL);
		inp = NULL;
	}
	if (inp != NULL)
		tcp_input_connected(gd, inp, p);
	else if (p->p_flags & TH_RST)
		syncache_chkrst(gd, p);
	else if ((p->p_flags & (TH_SYN | TH_ACK)) == TH_SYN)
		tcp_input_listen(gd, ifp, p);
	else if (p->p_flags & TH_ACK)
		tcp_input_ack(gd, ifp, p);
	else
		gd->gd_tcp->tc_stats.stray++;
}

/* The steps of the segment are paid for here, its consequences as they come. */
static void
tcp_input_connected(
    struct globaldata *gd, struct inpcb *inp, const struct pkt *p)
{
	struct tcp_cpu *tc = gd->gd_tcp;
	struct tcpcb *tp = &inp->inp_tp;

	so_touch(gd, &inp->inp_so);
	if (p->p_len > 0)
		gd_run(gd, COST_tcp_data);
	if (SEQ_GT(p->p_ack, tp->snd_una))
		gd_run(gd, COST_tcp_ack);
	if (p->p_flags & TH_FIN)
		gd_run(gd, COST_tcp_fin);
	tc->tc_current = inp;
	tcp_input(tp, p);
	if (tc->tc_current != inp)
		return;
	tc->tc_current = NULL;
	if (tcp_ackpending(tp) && (tp->t_flags & TF_ONOUTPUTQ) == 0) {
		tp->t_flags |= TF_ONOUTPUTQ;
		TAILQ_INSERT_TAIL(&tc->tc_outputq, inp, inp_outputq);
	}
}

/*
 * A SYN for a listener: silently dropped while so_qlen > so_qlimit, so that
 * the client tries again.
 */
static void
tcp_input_listen(struct globaldata *gd, struct ifnet *ifp, const struct pkt *p)
{
	struct machine *m = gd->gd_machine;
	struct so_listen *head = inp_localgroup_lookup(m->m_pcbinfo, p->p_rss);
	struct tcp_kern_stats *st = &gd->gd_tcp->tc_stats;

	if (head == NULL) {
		st->tcps_badsyn++;
		tcp_dropwithreset(gd, ifp, p);
		return;
	}
	st->syns++;
	if (!so_queue_open(head)) {
		gd_run(gd, COST_syn_drop);
		st->syns_dropped++;
		head->sl_syn_drops++;
		SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SYN_DROP,
		    p->p_flow, head->so_qlen, head->so_qlimit);
		return;
	}
	syncache_add(gd, ifp, head, p);
}

/* An ACK out of nowhere: the third of a handshake, or of a lost cause. */
static void
tcp_input_ack(struct globaldata *gd, struct ifnet *ifp, const struct pkt *p)
{
	bool rst;
	struct inpcb *inp = syncache_expand(gd, ifp, p, &rst);

	if (inp != NULL)
		tcp_input_connected(gd, inp, p);
	else if (rst)
		tcp_dropwithreset(gd, ifp, p);
}

/*
 * net.inet.icmp.icmplim resets a second.
 * Differs: each protocol CPU has its share of them (real: one count for all).
 */
static void
tcp_dropwithreset(struct globaldata *gd, struct ifnet *ifp, const struct pkt *p)
{
	struct machine *m = gd->gd_machine;
	struct tcp_cpu *tc = gd->gd_tcp;
	int64_t limit = m->m_sysctl->icmplim;
	sim_ns second = gd->gd_cpu.c_now / SIM_SECOND;
	struct pkt rst;

	if (second != tc->tc_rst_second) {
		tc->tc_rst_second = second;
		tc->tc_rst_count = 0;
	}
	if (limit > 0 && tc->tc_rst_count * m->m_netisr_ncpus >= limit) {
		tc->tc_stats.rst_limited++;
		return;
	}
	tc->tc_rst_count++;
	tc->tc_stats.rst_sent++;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_RST, p->p_flow,
	    tc->tc_stats.rst_sent, tc->tc_stats.rst_limited);
	gd_run(gd, COST_tcp_rst);
	tcp_respond_rst(p, &rst);
	ip_output(gd, ifp->if_index, &rst);
}

struct inpcb *
tcp_attach(struct globaldata *gd, uint32_t flow, uint8_t rss, int ifindex)
{
	struct tcp_cpu *tc = gd->gd_tcp;
	struct flow *fl = flow_of(gd->gd_machine, flow);
	struct inpcb *inp = sim_pool_get(&gd->gd_so_pool);
	struct so *so = &inp->inp_so;

	so_init(so, gd, &tcp_usrreqs, flow);
	so->so_stages = fl->fl_stages;
	so->so_request = fl->fl_stages->sg_request;
	so->so_gen = fl->fl_stages->sg_gen;
	so->so_touched = gd->gd_cpu.c_touched;
	tcp_init(&inp->inp_tp, &tc->tc_host, flow, rss);
	so->so_ifindex = (uint8_t)ifindex;
	memset(&inp->inp_sndmore, 0, sizeof(inp->inp_sndmore));
	SIM_ASSERT(fl->fl_pcb == NULL);
	fl->fl_pcb = inp;
	return inp;
}

/* Rollup: the ACKs that this batch of segments has called for. */
static void
tcp_willblock(struct globaldata *gd)
{
	struct tcp_cpu *tc = gd->gd_tcp;
	struct inpcb *inp;

	while ((inp = TAILQ_FIRST(&tc->tc_outputq)) != NULL) {
		TAILQ_REMOVE(&tc->tc_outputq, inp, inp_outputq);
		inp->inp_tp.t_flags &= ~TF_ONOUTPUTQ;
		tcp_output(&inp->inp_tp, 0, NULL);
	}
}

/*
 * What control blocks ask of their kernel (struct tcp_ops).
 */

static void
kern_output(struct tcpcb *tp, struct pkt *p)
{
	struct inpcb *inp = tp_inpcb(tp);
	struct globaldata *gd = inp->inp_so.so_gd;

	gd_run(gd, p->p_len > 0 || (p->p_flags & (TH_FIN | TH_SYN)) != 0
		       ? COST_tcp_output
		       : COST_tcp_ack_output);
	ip_output(gd, inp->inp_so.so_ifindex, p);
}

static void
kern_connected(struct tcpcb *tp)
{
	struct globaldata *gd = tp_inpcb(tp)->inp_so.so_gd;

	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_ESTABLISHED,
	    tp->t_flow, tp->t_state, tp->rcv_cc);
	(void)gd;
}

static void
kern_readable(struct tcpcb *tp, uint32_t len, bool eof)
{
	struct so *so = &tp_inpcb(tp)->inp_so;

	so->so_rcv_cc += len;
	if (eof)
		so->so_state |= SS_CANTRCVMORE;
	sowakeup(so->so_gd, so, EVFILT_READ);
}

static void
kern_acked(struct tcpcb *tp, uint32_t acked)
{
	struct so *so = &tp_inpcb(tp)->inp_so;

	so->so_snd_cc -= acked;
	sowakeup(so->so_gd, so, EVFILT_WRITE);
}

/*
 * The pcb leaves the table. The socket goes with it unless a process, or a
 * completion queue, still has it.
 */
static void
kern_closed(struct tcpcb *tp, enum tcp_end end)
{
	struct inpcb *inp = tp_inpcb(tp);
	struct so *so = &inp->inp_so;
	struct globaldata *gd = so->so_gd;
	struct tcp_cpu *tc = gd->gd_tcp;

	tc->tc_stats.ended[end]++;
	if (tp->t_flags & TF_ONOUTPUTQ)
		TAILQ_REMOVE(&tc->tc_outputq, inp, inp_outputq);
	if (tc->tc_current == inp)
		tc->tc_current = NULL;
	flow_of(gd->gd_machine, tp->t_flow)->fl_pcb = NULL;
	gd_run(gd, COST_tcp_close);
	so->so_state |= SS_PCBGONE;
	if (end == TCP_END_RESET)
		so->so_error = ECONNRESET;
	else if (end == TCP_END_TIMEOUT)
		so->so_error = ETIMEDOUT;
	if (so->so_state & SS_COMP) {
		((struct so_listen *)so->so_head)->sl_closed++;
		so->so_state |= SS_CANTRCVMORE;
	} else if (so->so_state & SS_NOFDREF) {
		so->so_proto->pru_free(so);
	} else {
		so->so_state |= SS_CANTRCVMORE;
		sowakeup(so->so_gd, so, EVFILT_READ);
		sowakeup(so->so_gd, so, EVFILT_WRITE);
	}
}

static sim_ns
kern_now(struct tcpcb *tp)
{
	return tp_inpcb(tp)->inp_so.so_gd->gd_cpu.c_now;
}

static void
sndmore_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct inpcb *inp = msg_owner(nm, struct inpcb, inp_sndmore);

	(void)gd;
	if (inp->inp_so.so_state & SS_PCBGONE) {
		if (inp->inp_so.so_state & SS_NOFDREF)
			inp->inp_so.so_proto->pru_free(&inp->inp_so);
		return;
	}
	tcp_sndmore(&inp->inp_tp);
}

static void
kern_sndmore(struct tcpcb *tp)
{
	struct inpcb *inp = tp_inpcb(tp);

	inp->inp_sndmore.nm_dispatch = sndmore_handler;
	lwkt_sendmsg_oncpu(inp->inp_so.so_gd, &inp->inp_sndmore);
}

static const struct tcp_ops tcp_kern_ops = {
	.to_output = kern_output,
	.to_connected = kern_connected,
	.to_readable = kern_readable,
	.to_acked = kern_acked,
	.to_closed = kern_closed,
	.to_now = kern_now,
	.to_sndmore = kern_sndmore,
};

/*
 * What sockets ask of TCP, in the protocol thread (struct pr_usrreqs).
 */

static void
tcp_usr_send(struct so *so, uint32_t len)
{
	struct tcpcb *tp = &so_inpcb(so)->inp_tp;

	tcp_append(tp, len);
	if ((tp->t_flags & TF_ONOUTPUTQ) == 0)
		tcp_output_fair(tp);
}

static void
tcp_usr_rcvd_handler(struct so *so, uint32_t len)
{
	struct tcpcb *tp = &so_inpcb(so)->inp_tp;

	if (tcp_usr_rcvd(tp, len))
		tcp_output(tp, 0, NULL);
}

static void
tcp_usr_nodelay(struct so *so)
{
	so_inpcb(so)->inp_tp.t_flags |= TF_NODELAY;
}

static void
tcp_usr_close(struct so *so)
{
	struct inpcb *inp = so_inpcb(so);
	struct tcp_cpu *tc = so->so_gd->gd_tcp;

	tc->tc_current = inp;
	tcp_usrclosed(&inp->inp_tp);
	if (tc->tc_current == inp) {
		tcp_output(&inp->inp_tp, 0, NULL);
		tc->tc_current = NULL;
	}
}

/* A message that is still under way keeps the memory. */
static void
tcp_usr_free(struct so *so)
{
	struct inpcb *inp = so_inpcb(so);

	SIM_ASSERT((so->so_state & SS_PCBGONE) && so->so_note == NULL);
	if (inp->inp_sndmore.nm_queued || so->so_rcvdmsg.nm_queued)
		return;
	sim_pool_put(&so->so_gd->gd_so_pool, inp);
}

static const struct pr_usrreqs tcp_usrreqs = {
	.pru_send = tcp_usr_send,
	.pru_rcvd = tcp_usr_rcvd_handler,
	.pru_nodelay = tcp_usr_nodelay,
	.pru_close = tcp_usr_close,
	.pru_free = tcp_usr_free,
};
