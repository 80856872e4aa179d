#include "model/kern/syscalls.h"

#include <errno.h>
#include <string.h>

#include "model/kern/sched.h"
#include "model/trace.h"

#define PAGE_SIZE 4096
#define SO_LOWAT 2048 /* ssb_lowat of so_snd: a page may overshoot */

static void so_pru_send_handler(struct globaldata *, struct netmsg *);
static void so_pru_rcvd_handler(struct globaldata *, struct netmsg *);
static void so_pru_ctloutput_handler(struct globaldata *, struct netmsg *);
static void so_pru_close_handler(struct globaldata *, struct netmsg *);
static void so_pru_senda(struct so *, uint32_t len);

static void
so_touch(struct so *so)
{
	struct globaldata *gd = so->so_gd;

	cache_touch(&gd->gd_cpu, &gd->gd_machine->m_cache, &so->so_touched);
}

int
sys_kevent(struct proc *p, struct kqueue *kq, const struct kevent *changes,
    int nchanges, struct kevent *ev, int nevents)
{
	int n;

	userenter(p->p_gd);
	n = kern_kevent(p, kq, changes, nchanges, ev, nevents);
	userexit(p->p_gd);
	return n;
}

void
sys_open_fstat_close(struct proc *p)
{
	userenter(p->p_gd);
	gd_run(p->p_gd, COST_vfs_open);
	userexit(p->p_gd);
	for (int i = 0; i < 2; i++) {
		userenter(p->p_gd);
		userexit(p->p_gd);
	}
}

int
sys_accept(struct proc *p, int lfd)
{
	struct globaldata *gd = p->p_gd;
	struct so_listen *head = (struct so_listen *)fd_so(p, lfd);
	struct so *so;
	int fd = -EWOULDBLOCK;

	userenter(gd);
	gd_run(gd, COST_accept);
	so = soaccept_predicate(head);
	if (so != NULL) {
		so_touch(so);
		sowakeup(&head->sl_so, EVFILT_READ);
		fd = fd_alloc(p, so);
	}
	userexit(gd);
	return fd;
}

int64_t
sys_recv(struct proc *p, int fd, int64_t len)
{
	struct globaldata *gd = p->p_gd;
	struct so *so = fd_so(p, fd);
	int64_t n = so->so_rcv_cc < len ? so->so_rcv_cc : len;

	userenter(gd);
	gd_run(gd, COST_recv);
	so_touch(so);
	if (n > 0) {
		cpu_run_bytes(&gd->gd_cpu, COST_copyout, n);
		so->so_rcv_cc -= n;
		so->so_rcvd += n;
		if (!so->so_rcvdmsg.nm_queued) {
			so->so_rcvdmsg.nm_dispatch = so_pru_rcvd_handler;
			lwkt_sendmsg_oncpu(gd, &so->so_rcvdmsg);
		}
		so->so_read = gd->gd_cpu.c_now;
		__builtin_prefetch(so->so_stages, 1);
	} else if (so->so_error != 0) {
		n = -so->so_error;
		so->so_error = 0;
	} else if ((so->so_state & SS_CANTRCVMORE) == 0) {
		n = -EWOULDBLOCK;
	}
	userexit(gd);
	return n;
}

/* kern.ipc.sendfile_async: the caller is done when the pages are queued. */
int64_t
sys_sendfile(struct proc *p, int fd, int64_t hdr, int64_t len)
{
	struct globaldata *gd = p->p_gd;
	struct so *so = fd_so(p, fd);
	int64_t sent = 0, left = len, head = hdr;

	userenter(gd);
	gd_run(gd, COST_sendfile);
	while (left > 0 || head > 0) {
		int64_t page = left < PAGE_SIZE ? left : PAGE_SIZE;

		int64_t space = so_snd_space(so);

		if (space <= 0 || (space < page + head && space < SO_LOWAT))
			break;
		gd_run(gd, COST_sendfile_page);
		so_pru_senda(so, page + head);
		sent += page + head;
		left -= page;
		head = 0;
	}
	if (left == 0 && head == 0)
		so_stamp(so, gd->gd_cpu.c_now);
	userexit(gd);
	return sent > 0 ? sent : -EWOULDBLOCK;
}

/* Space is taken from so_snd at once: ssb_preallocstream. */
static void
so_pru_senda(struct so *so, uint32_t len)
{
	struct globaldata *gd = so->so_gd;
	struct mbuf *m = sim_pool_get(&gd->gd_mbuf_pool);

	memset(m, 0, sizeof(*m));
	m->m_msg.nm_dispatch = so_pru_send_handler;
	m->m_so = so;
	m->m_len = len;
	so->so_snd_cc += len;
	lwkt_sendmsg_oncpu(gd, &m->m_msg);
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
	struct so *so = msg_owner(nm, struct so, so_rcvdmsg);
	uint32_t len = so->so_rcvd;

	gd_run(gd, COST_so_pru_rcvd);
	so->so_rcvd = 0;
	if ((so->so_state & SS_PCBGONE) == 0)
		so->so_proto->pru_rcvd(so, len);
}

int
sys_setsockopt_nodelay(struct proc *p, int fd)
{
	struct globaldata *gd = p->p_gd;
	struct mbuf *m;

	userenter(gd);
	gd_run(gd, COST_setsockopt);
	m = sim_pool_get(&gd->gd_mbuf_pool);
	memset(m, 0, sizeof(*m));
	m->m_msg.nm_dispatch = so_pru_ctloutput_handler;
	m->m_so = fd_so(p, fd);
	lwkt_sendmsg_oncpu(gd, &m->m_msg);
	userexit(gd);
	return 0;
}

static void
so_pru_ctloutput_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct mbuf *m = msg_owner(nm, struct mbuf, m_msg);
	struct so *so = m->m_so;

	sim_pool_put(&gd->gd_mbuf_pool, m);
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

	userenter(gd);
	gd_run(gd, COST_close);
	so_touch(so);
	knote_fdclose(so);
	fd_free(p, fd);
	so->so_clomsg.nm_dispatch = so_pru_close_handler;
	lwkt_sendmsg_oncpu(gd, &so->so_clomsg);
	userexit(gd);
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
