#include "model/user/netserver.h"

#define NETSERVER_BUFFERS 2 /* recv_width of netperf's default */

static void netserver_entry(struct thread *);
static void netserver_timer(struct cpu *, struct cpu_source *);
static void netserver_serve(struct thread *, struct netserver *);

void
netserver_init(struct netserver *ns, struct machine *m, struct tcp_bsd *tb,
    const char *name, uint32_t size, int bound)
{
	uint64_t pieces = (size + UIO_PIECE - 1) / UIO_PIECE;

	*ns = (struct netserver){ .ns_tcp = tb, .ns_size = size };
	ns->ns_target.ut_pieces = NETSERVER_BUFFERS * pieces;
	ns->ns_target.ut_marks = sim_calloc(
	    ns->ns_target.ut_pieces, sizeof(*ns->ns_target.ut_marks));
	ns->ns_thread =
	    bsd_thread_create(m, name, PUSER, bound, true, netserver_entry, ns);
}

void
netserver_pause(
    struct netserver *ns, struct machine *m, sim_ns at, sim_ns pause)
{
	struct cpu *c = &m->m_gd[0]->gd_cpu;

	ns->ns_pause_at = at;
	ns->ns_pause = pause;
	ns->ns_timer.cs_fire = netserver_timer;
	ns->ns_timer.cs_arg = ns;
	cpu_source_add(c, &ns->ns_timer);
	cpu_source_arm(c, &ns->ns_timer, at + pause);
}

/* The pause is over. */
static void
netserver_timer(struct cpu *c, struct cpu_source *cs)
{
	struct netserver *ns = cs->cs_arg;

	cpu_source_arm(c, cs, SIM_NEVER);
	ns->ns_pause = 0;
	bsd_intr_enter(cpu_gd(c));
	bsd_sched_ithread(cpu_gd(c), ns->ns_thread);
}

void
netserver_fini(struct netserver *ns)
{
	sim_free(ns->ns_target.ut_marks);
}

static void
netserver_entry(struct thread *td)
{
	for (;;)
		netserver_serve(td, td->td_arg);
}

static void
netserver_serve(struct thread *td, struct netserver *ns)
{
	struct bsd_inpcb *inp = tcp_bsd_accept(td, ns->ns_tcp);
	struct uio_target *ut = &ns->ns_target;
	uint32_t got;

	inp->inp_so.so_account = ns->ns_account;
	inp->inp_so.so_account_arg = ns->ns_account_arg;
	do {
		td->td_bsd.bt_pri_base = PUSER;
		if (td->td_bsd.bt_held == NULL)
			bsd_setpri(td, PUSER);
		while (ns->ns_pause > 0 && engine_now() >= ns->ns_pause_at)
			bsd_msleep(td, NULL, PUSER);
		td_run(td, COST_netserver_call);
		ut->ut_next =
		    ut->ut_pieces / NETSERVER_BUFFERS * (ns->ns_calls++ % 2);
		got = soreceive(td, &inp->inp_so, ut, ns->ns_size);
		ns->ns_bytes += got;
	} while (got > 0);
	tcp_bsd_close(td, inp);
}
