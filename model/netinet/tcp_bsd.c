#include "model/netinet/tcp_bsd.h"

#include "model/netinet/in_pcb.h"
#include "model/netinet/tcp_timer.h"
#include "model/trace.h"

#define MXGEFW_PAD 2 /* bytes before a frame, so that IP is aligned */
#define HEADERS 66   /* Ethernet, IP, TCP with timestamps */
#define ISS_STEP 65536

static void input_embryonic(
    struct thread *, struct tcp_bsd *, const struct pkt *);
static void input_syn(struct thread *, struct tcp_bsd *, const struct pkt *);
static struct bsd_inpcb *input_third_ack(struct tcp_bsd *, const struct pkt *);
static void send_syn_ack(struct thread *, struct tcp_bsd *, const struct pkt *);
static void send_rst(struct thread *, struct tcp_bsd *, const struct pkt *);
static void append(struct bsd_inpcb *, uint32_t len);
static void tcp_usr_rcvd_bsd(struct thread *, struct bsd_so *);
static void tcp_usr_space(struct bsd_so *, uint32_t len);

static const struct tcp_ops tcp_bsd_ops;
static const struct bsd_usrreqs tcp_bsd_usrreqs = {
	.pru_rcvd = tcp_usr_rcvd_bsd,
	.pru_space = tcp_usr_space,
};

void
tcp_bsd_init(struct tcp_bsd *tb, struct machine *m, struct ifnet *ifp,
    uint32_t rcvbuf, uint32_t mss, uint32_t bigsize)
{
	const struct setup_sysctl *ctl = m->m_sysctl;

	*tb = (struct tcp_bsd){
		.tb_machine = m,
		.tb_ifp = ifp,
		.tb_rcvbuf = rcvbuf,
		.tb_bigsize = bigsize,
	};
	mtx_init(&tb->tb_tcbinfo, "tcbinfo");
	tb->tb_host = (struct tcp_host){
		.th_ops = &tcp_bsd_ops,
		.th_wheel = &m->m_gd[0]->gd_wheel,
		.th_stats = &tb->tb_tcpstat,
		.th_mss = mss,
		.th_sendspace = (uint32_t)ctl->sendspace,
		.th_recvspace = rcvbuf,
		.th_iwmaxsegs = (int)ctl->iw,
		.th_delayed_ack = ctl->delayed_ack,
		.th_winup_segs = 2,
		.th_tell_first = true,
		.th_delack_ticks = callout_ms_to_ticks(ctl->delacktime),
		.th_rexmit_min_ticks = callout_ms_to_ticks(ctl->rexmt_min),
		.th_rexmit_slop_ticks = callout_ms_to_ticks(ctl->rexmit_slop),
		.th_rtobase_ticks = 3 * CALLOUT_HZ,
		.th_msl_ticks = callout_ms_to_ticks(ctl->msl),
		.th_syn_retries = 12,
	};
}

void
tcp_bsd_fini(struct tcp_bsd *tb)
{
	struct bsd_inpcb *inp;

	while ((inp = tb->tb_inpcbs) != NULL) {
		tb->tb_inpcbs = inp->inp_next;
		so_bsd_fini(&inp->inp_so);
		sim_free(inp);
	}
}

static struct bsd_inpcb *
tp_bsd(struct tcpcb *tp)
{
	return (struct bsd_inpcb *)tp;
}

static struct bsd_inpcb *
so_bsd(struct bsd_so *so)
{
	return msg_owner(so, struct bsd_inpcb, inp_so);
}

void
tcp_bsd_input(struct thread *td, struct tcp_bsd *tb, const struct pkt *p)
{
	struct flow *fl = flow_of(tb->tb_machine, p->p_flow);
	struct bsd_inpcb *inp;

	td_run(td, COST_tcp_input_fast);
	mtx_lock(td, &tb->tb_tcbinfo);
	inp = fl->fl_pcb;
	if (inp == NULL && (p->p_flags & (TH_ACK | TH_RST | TH_SYN)) == TH_ACK)
		inp = input_third_ack(tb, p);
	if (inp == NULL) {
		mtx_unlock(td, &tb->tb_tcbinfo);
		input_embryonic(td, tb, p);
		return;
	}
	mtx_lock(td, &inp->inp_mtx);
	mtx_unlock(td, &tb->tb_tcbinfo);
	inp->inp_arrived = p->p_time;
	if (!inp->inp_gone)
		tcp_input(&inp->inp_tp, p);
	mtx_unlock(td, &inp->inp_mtx);
}

/* No connection: a SYN, or a stray. */
static void
input_embryonic(struct thread *td, struct tcp_bsd *tb, const struct pkt *p)
{
	if ((p->p_flags & (TH_SYN | TH_ACK | TH_RST)) == TH_SYN)
		input_syn(td, tb, p);
	else if ((p->p_flags & TH_RST) == 0)
		send_rst(td, tb, p);
	else
		tb->tb_stats.tb_stray++;
}

static void
input_syn(struct thread *td, struct tcp_bsd *tb, const struct pkt *p)
{
	tb->tb_stats.tb_syns++;
	if (!tb->tb_embryonic || tb->tb_syn_flow != p->p_flow ||
	    tb->tb_syn_seq != p->p_seq)
		tb->tb_iss += ISS_STEP;
	tb->tb_embryonic = true;
	tb->tb_syn_flow = p->p_flow;
	tb->tb_syn_seq = p->p_seq;
	send_syn_ack(td, tb, p);
}

static void
send_syn_ack(struct thread *td, struct tcp_bsd *tb, const struct pkt *syn)
{
	struct pkt p = {
		.p_flow = syn->p_flow,
		.p_rss = syn->p_rss,
		.p_seq = tb->tb_iss,
		.p_ack = syn->p_seq + 1,
		.p_win = (uint32_t)sim_min(tb->tb_rcvbuf, TCP_MAXWIN),
		.p_flags = TH_SYN | TH_ACK,
		.p_nseg = 1,
	};

	td_run(td, COST_tcp_ack_build);
	p.p_time = td_cpu(td)->c_now;
	tb->tb_start(tb->tb_ifp, &p);
}

static void
send_rst(struct thread *td, struct tcp_bsd *tb, const struct pkt *to)
{
	struct pkt p;

	tcp_respond_rst(to, &p);
	tb->tb_stats.tb_rst_sent++;
	td_run(td, COST_tcp_ack_build);
	p.p_time = td_cpu(td)->c_now;
	tb->tb_start(tb->tb_ifp, &p);
}

/* Kernel: syncache_expand(), sonewconn(). Context: tcbinfo. Time: none. */
static struct bsd_inpcb *
input_third_ack(struct tcp_bsd *tb, const struct pkt *p)
{
	struct bsd_inpcb *inp;
	struct flow *fl = flow_of(tb->tb_machine, p->p_flow);

	if (!tb->tb_embryonic || tb->tb_syn_flow != p->p_flow ||
	    p->p_ack != tb->tb_iss + 1)
		return NULL;
	tb->tb_embryonic = false;
	inp = sim_calloc(1, sizeof(*inp));
	inp->inp_tcp = tb;
	inp->inp_next = tb->tb_inpcbs;
	tb->tb_inpcbs = inp;
	mtx_init(&inp->inp_mtx, "inp");
	inp->inp_so.so_machine = tb->tb_machine;
	inp->inp_so.so_proto = &tcp_bsd_usrreqs;
	sb_init(&inp->inp_so.so_rcv, tb->tb_rcvbuf,
	    tb->tb_machine->m_sysctl->maxsockbuf);
	tcp_init(&inp->inp_tp, &tb->tb_host, p->p_flow, p->p_rss);
	tcp_accept(&inp->inp_tp, tb->tb_iss, tb->tb_syn_seq, p, 0);
	fl->fl_pcb = inp;
	return inp;
}

struct bsd_inpcb *
tcp_bsd_accept(struct thread *td, struct tcp_bsd *tb)
{
	struct bsd_inpcb *inp;

	while (tb->tb_comp == NULL) {
		tb->tb_acceptor = td;
		bsd_msleep(td, NULL, PSOCK);
	}
	inp = tb->tb_comp;
	tb->tb_comp = NULL;
	tb->tb_stats.tb_accepted++;
	return inp;
}

void
tcp_bsd_close(struct thread *td, struct bsd_inpcb *inp)
{
	mtx_lock(td, &inp->inp_mtx);
	if (!inp->inp_gone) {
		tcp_usrclosed(&inp->inp_tp);
		if (!inp->inp_gone)
			tcp_output(&inp->inp_tp, 0, NULL);
	}
	mtx_unlock(td, &inp->inp_mtx);
}

void
tcp_bsd_timers(struct thread *td)
{
	struct tcp_bsd *tb = td->td_gd->gd_machine->m_bsd->bm_tcp;
	struct bsd_inpcb *first = tb->tb_inpcbs, *inp;

	for (inp = first; inp != NULL; inp = inp->inp_next)
		mtx_lock(td, &inp->inp_mtx);
	bsd_softclock(td);
	for (inp = first; inp != NULL; inp = inp->inp_next)
		mtx_unlock(td, &inp->inp_mtx);
}

uint32_t
mbuf_data(const struct tcp_bsd *tb, bool first)
{
	uint32_t mss = tb->tb_host.th_mss;
	uint32_t len = tb->tb_bigsize - (first ? MXGEFW_PAD + HEADERS : 0);

	return len < mss ? len : mss;
}

/*
 * The mbufs of a segment's data; of several frames, if the card merged them.
 * Context: sb_mtx.
 */
static void
append(struct bsd_inpcb *inp, uint32_t len)
{
	struct tcp_bsd *tb = inp->inp_tcp;
	struct sockbuf *sb = &inp->inp_so.so_rcv;
	uint32_t frame = 0, n;

	for (; len > 0; len -= n) {
		n = mbuf_data(tb, frame == 0);
		if (n > tb->tb_host.th_mss - frame)
			n = tb->tb_host.th_mss - frame;
		if (n > len)
			n = len;
		sb_append(sb, &(struct sb_mbuf){
				  .m_len = n,
				  .m_size = SB_MSIZE + tb->tb_bigsize,
				  .m_arrived = inp->inp_arrived,
				  .m_appended = engine_now(),
			      });
		frame = (frame + n) % tb->tb_host.th_mss;
	}
}

/*
 * struct tcp_ops: called with inp_mtx held, by its owner.
 */

static void
bsd_output(struct tcpcb *tp, struct pkt *p)
{
	struct bsd_inpcb *inp = tp_bsd(tp);

	td_run(inp->inp_mtx.mtx_owner, COST_tcp_ack_build);
	p->p_time = engine_now();
	inp->inp_tcp->tb_start(inp->inp_tcp->tb_ifp, p);
}

static void
bsd_connected(struct tcpcb *tp)
{
	struct bsd_inpcb *inp = tp_bsd(tp);
	struct tcp_bsd *tb = inp->inp_tcp;

	tb->tb_comp = inp;
	if (tb->tb_acceptor != NULL)
		bsd_wakeup(inp->inp_mtx.mtx_owner, tb->tb_acceptor);
	tb->tb_acceptor = NULL;
}

/* sbappendstream_locked(), and sorwakeup_locked() under the same lock. */
static void
bsd_readable(struct tcpcb *tp, uint32_t len, bool eof)
{
	struct bsd_inpcb *inp = tp_bsd(tp);
	struct sockbuf *sb = &inp->inp_so.so_rcv;
	struct thread *td = inp->inp_mtx.mtx_owner, *waiter;

	mtx_lock(td, &sb->sb_mtx);
	append(inp, len);
	sb->sb_cantrcvmore |= eof;
	waiter = sb->sb_waiter;
	sb->sb_waiter = NULL;
	if (waiter != NULL) {
		td_run(td, COST_sorwakeup);
		bsd_wakeup(td, waiter);
	}
	mtx_unlock(td, &sb->sb_mtx);
}

static void
bsd_acked(struct tcpcb *tp, uint32_t acked)
{
	(void)tp;
	(void)acked;
}

static void
bsd_closed(struct tcpcb *tp, enum tcp_end end)
{
	struct bsd_inpcb *inp = tp_bsd(tp);

	(void)end;
	inp->inp_gone = true;
	flow_of(inp->inp_tcp->tb_machine, tp->t_flow)->fl_pcb = NULL;
	bsd_readable(tp, 0, true);
}

static sim_ns
bsd_now(struct tcpcb *tp)
{
	(void)tp;
	return engine_now();
}

static uint32_t
bsd_mbspace(const struct tcpcb *tp)
{
	return sb_mbspace(&((const struct bsd_inpcb *)tp)->inp_so.so_rcv);
}

static const struct tcp_ops tcp_bsd_ops = {
	.to_mbspace = bsd_mbspace,
	.to_output = bsd_output,
	.to_connected = bsd_connected,
	.to_readable = bsd_readable,
	.to_acked = bsd_acked,
	.to_closed = bsd_closed,
	.to_now = bsd_now,
};

/*
 * struct bsd_usrreqs
 */

static void
tcp_usr_rcvd_bsd(struct thread *td, struct bsd_so *so)
{
	struct bsd_inpcb *inp = so_bsd(so);

	mtx_lock(td, &inp->inp_mtx);
	td_run(td, COST_pru_rcvd);
	if (!inp->inp_gone && tcp_usr_rcvd(&inp->inp_tp, 0)) {
		inp->inp_tcp->tb_stats.tb_window_updates++;
		SIM_TRACE(engine_now(), td_cpu(td)->c_where, TRACE_WINUP,
		    inp->inp_tp.t_flow, tcp_rcvspace(&inp->inp_tp),
		    inp->inp_tp.rcv_cc);
		tcp_output(&inp->inp_tp, 0, NULL);
	}
	mtx_unlock(td, &inp->inp_mtx);
}

static void
tcp_usr_space(struct bsd_so *so, uint32_t len)
{
	struct bsd_inpcb *inp = so_bsd(so);

	if (!inp->inp_gone)
		inp->inp_tp.rcv_cc -= len;
}
