#include "model/kern/syscalls.h"

#include <errno.h>
#include <string.h>

#include "model/kern/sched.h"
#include "model/trace.h"

#define PAGE_SIZE 4096
#define SO_LOWAT 2048 /* ssb_lowat of so_snd: a page may overshoot */

static int soaccept(struct globaldata *, struct netmsg_so_notify *);
static void so_pru_rcvd(struct globaldata *, struct so *);
static void so_pru_rcvd_do(struct globaldata *, struct so *);
static void so_pru_ctloutput_do(struct globaldata *, struct so *);
static void so_pru_send_handler(struct globaldata *, struct netmsg *);
static void so_pru_rcvd_handler(struct globaldata *, struct netmsg *);
static void so_pru_ctloutput_handler(struct globaldata *, struct netmsg *);
static void so_pru_close_handler(struct globaldata *, struct netmsg *);
static void so_pru_senda(struct globaldata *, struct so *, uint32_t len);

/* To the socket's protocol thread; where it is this CPU's that is known. */
static void
so_sendmsg(struct globaldata *gd, const struct so *so, struct netmsg *nm)
{
	if (so->so_gd == gd && gd->gd_machine->m_rules->kr_wakeup_mycpu)
		lwkt_sendmsg_oncpu(gd, nm);
	else
		lwkt_sendmsg(gd, so->so_gd, nm);
}

/* Enter and leave the kernel; `flow` is the connection's, or 0. */
static void
sys_enter(struct globaldata *gd, int call, int fd, uint32_t flow)
{
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SYSCALL, flow,
	    call, fd);
	userenter(gd);
}

static void
sys_leave(struct globaldata *gd, int call, int64_t result, uint32_t flow)
{
	userexit(gd);
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_SYSRET, flow,
	    call, result);
}

int
sys_kevent(struct proc *p, struct kqueue *kq, const struct kevent *changes,
    int nchanges, struct kevent *ev, int nevents)
{
	int n;

	sys_enter(p->p_gd, TRACE_CALL_kevent, -1, 0);
	n = kern_kevent(p, kq, changes, nchanges, ev, nevents);
	sys_leave(p->p_gd, TRACE_CALL_kevent, n, 0);
	return n;
}

static void
sys_file(struct proc *p, int call, int cost)
{
	sys_enter(p->p_gd, call, -1, 0);
	gd_run(p->p_gd, cost);
	sys_leave(p->p_gd, call, 0, 0);
}

void
sys_stat(struct proc *p)
{
	sys_file(p, TRACE_CALL_stat, COST_vfs_stat);
}

void
sys_write_log(struct proc *p)
{
	sys_file(p, TRACE_CALL_write, COST_vfs_write);
}

void
sys_open_fstat(struct proc *p)
{
	sys_file(p, TRACE_CALL_open, COST_vfs_open);
	sys_enter(p->p_gd, TRACE_CALL_fstat, -1, 0);
	sys_leave(p->p_gd, TRACE_CALL_fstat, 0, 0);
}

void
sys_close_file(struct proc *p)
{
	sys_enter(p->p_gd, TRACE_CALL_close, -1, 0);
	sys_leave(p->p_gd, TRACE_CALL_close, 0, 0);
}

int
sys_accept(struct proc *p, int lfd, bool nonblock)
{
	struct globaldata *gd = p->p_gd;
	struct netmsg_so_notify sn = {
		.sn_msg.ns_msg.nm_dispatch = netmsg_so_notify_handler,
		.sn_msg.ns_abort = netmsg_so_notify_doabort,
		.sn_head = (struct so_listen *)fd_so(p, lfd),
		.sn_nonblock = nonblock,
	};
	int fd;

	sys_enter(gd, TRACE_CALL_accept, lfd, 0);
	gd_run(gd, COST_accept);
	fd = -soaccept(gd, &sn);
	if (sn.sn_so != NULL) {
		so_touch(gd, sn.sn_so);
		if (sn.sn_head->sl_so.so_filters & SOF_READ)
			knote(gd, &sn.sn_head->sl_so, EVFILT_READ);
		fd = fd_alloc(p, sn.sn_so);
	}
	sys_leave(gd, TRACE_CALL_accept, fd,
	    sn.sn_so != NULL ? sn.sn_so->so_flow : 0);
	return fd;
}

/*
 * The predicate here, if it may be asked here, or else in the listener's
 * protocol thread. Kernel: kern_accept()
 */
static int
soaccept(struct globaldata *gd, struct netmsg_so_notify *sn)
{
	struct so_listen *head = sn->sn_head;

	if (gd->gd_machine->m_sysctl->soaccept_pred_fast) {
		bool satisfied;

		lwkt_gettoken(gd, &head->sl_tok);
		satisfied = soaccept_predicate(gd, sn);
		lwkt_reltoken(gd, &head->sl_tok);
		if (satisfied)
			return sn->sn_error;
	}
	return lwkt_domsg(gd, head->sl_so.so_gd, &sn->sn_msg);
}

int64_t
sys_recv(struct proc *p, int fd, int64_t len)
{
	struct globaldata *gd = p->p_gd;
	struct so *so = fd_so(p, fd);
	uint32_t flow = so->so_flow;
	int64_t n;

	sys_enter(gd, TRACE_CALL_recv, fd, flow);
	gd_run(gd, COST_recv);
	so_touch(gd, so);
	n = so->so_rcv_cc < len ? so->so_rcv_cc : len;
	if (n > 0) {
		cpu_run_bytes(&gd->gd_cpu, COST_copyout, n);
		so->so_rcv_cc -= n;
		so->so_rcvd += n;
		so_pru_rcvd(gd, so);
		so->so_read = gd->gd_cpu.c_now;
		__builtin_prefetch(so->so_stages, 1);
	} else if (so->so_error != 0) {
		n = -so->so_error;
		so->so_error = 0;
	} else if ((so->so_state & SS_CANTRCVMORE) == 0) {
		n = -EWOULDBLOCK;
	}
	sys_leave(gd, TRACE_CALL_recv, n, flow);
	return n;
}

/* What the protocol thread is asked while the process waits. */
struct netmsg_pru {
	struct netmsg_sync np_msg; /* first */
	struct so *np_so;
	void (*np_do)(struct globaldata *, struct so *);
};

static void
netmsg_pru_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct netmsg_pru *np = msg_owner(nm, struct netmsg_pru, np_msg.ns_msg);

	np->np_do(gd, np->np_so);
	lwkt_replymsg(gd, &np->np_msg, 0);
}

static void
so_pru_sync(struct globaldata *gd, struct so *so,
    void (*fn)(struct globaldata *, struct so *))
{
	struct netmsg_pru np = {
		.np_msg.ns_msg.nm_dispatch = netmsg_pru_handler,
		.np_so = so,
		.np_do = fn,
	};

	lwkt_domsg(gd, so->so_gd, &np.np_msg);
}

/* One message is under way at most: it reports all that was read. */
static void
so_pru_rcvd(struct globaldata *gd, struct so *so)
{
	if (!gd->gd_machine->m_rules->kr_rcvd_async) {
		so_pru_sync(gd, so, so_pru_rcvd_do);
	} else if (!so->so_rcvdmsg.nm_queued) {
		so->so_rcvdmsg.nm_dispatch = so_pru_rcvd_handler;
		so_sendmsg(gd, so, &so->so_rcvdmsg);
	}
}

/* kern.ipc.sendfile_async: the caller is done when the pages are queued. */
int64_t
sys_sendfile(struct proc *p, int fd, int64_t hdr, int64_t len)
{
	struct globaldata *gd = p->p_gd;
	struct so *so = fd_so(p, fd);
	uint32_t flow = so->so_flow;
	int64_t sent = 0, left = len, head = hdr;

	sys_enter(gd, TRACE_CALL_sendfile, fd, flow);
	gd_run(gd, COST_sendfile);
	while (left > 0 || head > 0) {
		int64_t page = left < PAGE_SIZE ? left : PAGE_SIZE;

		int64_t space = so_snd_space(so);

		if (space <= 0 || (space < page + head && space < SO_LOWAT))
			break;
		gd_run(gd, COST_sendfile_page);
		so_pru_senda(gd, so, page + head);
		sent += page + head;
		left -= page;
		head = 0;
	}
	if (left == 0 && head == 0)
		so_stamp(so, gd->gd_cpu.c_now);
	if (sent == 0)
		sent = -EWOULDBLOCK;
	sys_leave(gd, TRACE_CALL_sendfile, sent, flow);
	return sent;
}

/* Space is taken from so_snd at once: ssb_preallocstream. */
static void
so_pru_senda(struct globaldata *gd, struct so *so, uint32_t len)
{
	struct mbuf *m = sim_pool_get(&so->so_gd->gd_mbuf_pool);

	memset(m, 0, sizeof(*m));
	m->m_msg.nm_dispatch = so_pru_send_handler;
	m->m_so = so;
	m->m_len = len;
	so->so_snd_cc += len;
	so_sendmsg(gd, so, &m->m_msg);
}

static void
so_pru_send_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct mbuf *m = msg_owner(nm, struct mbuf, m_msg);
	struct so *so = m->m_so;
	uint32_t len = m->m_len;

	sim_pool_put(&gd->gd_mbuf_pool, m);
	gd_run(gd, COST_so_pru_send);
	if ((so->so_state & SS_PCBGONE) == 0)
		so->so_proto->pru_send(so, len);
}

static void
so_pru_rcvd_handler(struct globaldata *gd, struct netmsg *nm)
{
	so_pru_rcvd_do(gd, msg_owner(nm, struct so, so_rcvdmsg));
}

static void
so_pru_rcvd_do(struct globaldata *gd, struct so *so)
{
	uint32_t len;

	gd_run(gd, COST_so_pru_rcvd);
	len = so->so_rcvd;
	so->so_rcvd = 0;
	if ((so->so_state & SS_PCBGONE) == 0)
		so->so_proto->pru_rcvd(so, len);
}

int
sys_setsockopt_nodelay(struct proc *p, int fd)
{
	struct globaldata *gd = p->p_gd;
	struct so *so = fd_so(p, fd);
	uint32_t flow = so->so_flow;

	sys_enter(gd, TRACE_CALL_setsockopt, fd, flow);
	gd_run(gd, COST_setsockopt);
	if (gd->gd_machine->m_rules->kr_sockopt_async) {
		struct mbuf *m = sim_pool_get(&so->so_gd->gd_mbuf_pool);

		memset(m, 0, sizeof(*m));
		m->m_msg.nm_dispatch = so_pru_ctloutput_handler;
		m->m_so = so;
		so_sendmsg(gd, so, &m->m_msg);
	} else {
		so_pru_sync(gd, so, so_pru_ctloutput_do);
	}
	sys_leave(gd, TRACE_CALL_setsockopt, 0, flow);
	return 0;
}

static void
so_pru_ctloutput_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct mbuf *m = msg_owner(nm, struct mbuf, m_msg);
	struct so *so = m->m_so;

	sim_pool_put(&gd->gd_mbuf_pool, m);
	so_pru_ctloutput_do(gd, so);
}

static void
so_pru_ctloutput_do(struct globaldata *gd, struct so *so)
{
	gd_run(gd, COST_so_pru_ctloutput);
	if ((so->so_state & SS_PCBGONE) == 0)
		so->so_proto->pru_nodelay(so);
}

/*
 * Knotes go at once; the rest is the protocol thread's, after everything that
 * was sent before.
 */
void
sys_close(struct proc *p, int fd)
{
	struct globaldata *gd = p->p_gd;
	struct so *so = fd_so(p, fd);
	uint32_t flow = so->so_flow;

	sys_enter(gd, TRACE_CALL_close, fd, flow);
	gd_run(gd, COST_close);
	so_touch(gd, so);
	knote_fdclose(so);
	fd_free(p, fd);
	so->so_clomsg.nm_dispatch = so_pru_close_handler;
	so_sendmsg(gd, so, &so->so_clomsg);
	sys_leave(gd, TRACE_CALL_close, 0, flow);
}

static void
so_pru_close_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct so *so = msg_owner(nm, struct so, so_clomsg);

	(void)gd;
	so->so_state |= SS_NOFDREF;
	if (so->so_state & SS_PCBGONE)
		so->so_proto->pru_free(so);
	else
		so->so_proto->pru_close(so);
}
