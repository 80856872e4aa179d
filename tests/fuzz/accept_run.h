#ifndef TESTS_FUZZ_ACCEPT_RUN_H
#define TESTS_FUZZ_ACCEPT_RUN_H

/*
 * A sequence on a machine: its threads make their system calls, interrupts and
 * clients come when the plan says. Each thread's answers go to the reference.
 */
#include <errno.h>

#include "tests/fuzz/accept_ref.h"
#include "tests/unit/rig.h"

#include "model/kern/syscalls.h"

#define RUN_END 33100000 /* ns: all has come to rest, see plan_machine() */
#define RUN_FAR 8000000	 /* ns: clients do nothing after */
#define RUN_STEP 1000

/* A connection that a message brings into being. */
struct made {
	struct so ma_so;
	struct netmsg ma_msg;
	int ma_closed, ma_freed;
};

struct actor {
	struct proc ac_proc;
	struct kqueue ac_kq;
	struct ref_thread *ac_ref;
	int ac_index, ac_lfd, ac_fds[PLAN_OPS], ac_nfds;
	const char *ac_call; /* what it is in; NULL: it has done all */
};

/* Interrupts of a CPU. */
struct source {
	struct cpu_source sr_source;
	int sr_next;
};

/* A client's end of a connection. */
struct call {
	const struct op *ca_op;
	int ca_state;
	sim_ns ca_at; /* when it does something next */
	uint32_t ca_seq, ca_ack;
};

static struct rig run_rig;
static const struct plan *run_plan;
static struct so_listen run_listener;
static struct actor run_actors[PLAN_THREADS];
static struct source run_sources[PLAN_CPUS];
static struct made run_made[PLAN_OPS];
static struct call run_calls[PLAN_OPS];

static void
made_none(struct so *so, uint32_t len)
{
	(void)so;
	(void)len;
}

static void
made_nodelay(struct so *so)
{
	(void)so;
}

static void
made_close(struct so *so)
{
	struct made *ma = (struct made *)so;

	ma->ma_closed++;
	so->so_state |= SS_PCBGONE;
	so->so_proto->pru_free(so);
}

static void
made_free(struct so *so)
{
	((struct made *)so)->ma_freed++;
}

static const struct pr_usrreqs made_usrreqs = { made_none, made_none,
	made_nodelay, made_close, made_free };

/* As syncache_socket(). */
static void
made_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct made *ma = msg_owner(nm, struct made, ma_msg);
	struct so *so = &ma->ma_so;

	if (so_queue_full(&run_listener)) {
		ref.report->re_refused++;
		return;
	}
	so_init(so, gd, &made_usrreqs, (uint32_t)(ma - run_made) + 1);
	so->so_stages = &run_rig.rg_stages;
	so->so_rcv_cc = 100;
	sonewconn(&run_listener, so);
}

static void
run_connect(struct globaldata *gd, const struct op *op)
{
	const struct machine *m = gd->gd_machine;
	struct made *ma = &run_made[op - run_plan->pl_ops];

	ma->ma_msg.nm_dispatch = made_handler;
	lwkt_sendmsg(
	    gd, m->m_gd[op->op_arg % (uint32_t)m->m_ncpus], &ma->ma_msg);
}

static void
run_signal(struct globaldata *gd, const struct op *op)
{
	struct ref_thread *rt =
	    &ref.threads[op->op_arg % (uint32_t)ref.nthreads];

	rt->rt_hit = true;
	rt->rt_sending++;
	lwpsignal(gd, rt->rt_td);
	rt->rt_sending--;
}

static void
run_fire(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);
	struct source *sr = (struct source *)cs;
	const struct op *op = &run_plan->pl_ops[sr->sr_next];
	int i = sr->sr_next + 1;

	while (
	    i < run_plan->pl_nops && run_plan->pl_ops[i].op_who != op->op_who)
		i++;
	sr->sr_next = i;
	cpu_source_arm(c, cs,
	    i < run_plan->pl_nops ? run_plan->pl_ops[i].op_time : SIM_NEVER);
	intr_enter(gd);
	if (op->op_kind == OP_SIGNAL)
		run_signal(gd, op);
	else
		run_connect(gd, op);
}

static bool
actor_accept(struct actor *ac, bool nonblock)
{
	struct ref_thread *rt = ac->ac_ref;
	const char *name = rt->rt_td->td_name;
	int fd;

	rt->rt_hit = rt->rt_sending > 0 || rt->rt_td->td_sigipi.im_queued;
	rt->rt_served = 0;
	ac->ac_call = "accept";
	fd = sys_accept(&ac->ac_proc, ac->ac_lfd, nonblock);
	ac->ac_call = "user mode";
	if (fd >= 0) {
		uint32_t flow = fd_so(&ac->ac_proc, fd)->so_flow;

		REF_CHECK(ref.taken[flow] && !ref.given[flow],
		    "%s: given %u, of another", name, flow);
		REF_CHECK(rt->rt_served == 0 || rt->rt_served == flow,
		    "%s: given %u, want %u", name, flow, rt->rt_served);
		ref.given[flow] = true;
		ac->ac_fds[ac->ac_nfds++] = fd;
		return true;
	}
	REF_CHECK(rt->rt_served == 0, "%s: %u is lost", name, rt->rt_served);
	if (fd == -EINTR)
		REF_CHECK(rt->rt_hit && !nonblock, "%s: no signal", name);
	else
		REF_CHECK(fd == -EWOULDBLOCK && nonblock, "%s: accept(2) is %d",
		    name, fd);
	return false;
}

static void
actor_change(struct actor *ac, int fd, int flags)
{
	struct kevent kev = { .ident = fd, .filter = EVFILT_READ };

	kev.flags = (uint16_t)flags;
	sys_kevent(&ac->ac_proc, &ac->ac_kq, &kev, 1, NULL, 0);
}

static void
actor_close(struct actor *ac, int i)
{
	sys_close(&ac->ac_proc, ac->ac_fds[i]);
	ac->ac_fds[i] = ac->ac_fds[--ac->ac_nfds];
}

static void
actor_event(struct actor *ac, const struct kevent *kev, bool add)
{
	if (kev->ident == ac->ac_lfd) {
		for (int64_t n = kev->data; n > 0; n--) {
			if (!actor_accept(ac, true))
				return;
			if (add)
				actor_change(ac, ac->ac_fds[ac->ac_nfds - 1],
				    EV_ADD | EV_CLEAR);
		}
		return;
	}
	if (sys_recv(&ac->ac_proc, kev->ident, 1000) == -EWOULDBLOCK)
		return;
	for (int i = 0; i < ac->ac_nfds; i++)
		if (ac->ac_fds[i] == kev->ident && (kev->flags & EV_EOF))
			actor_close(ac, i);
}

static void
actor_kevent(struct actor *ac, bool add)
{
	struct kevent ev[4];
	int n;

	ac->ac_call = "kevent";
	n = sys_kevent(&ac->ac_proc, &ac->ac_kq, NULL, 0, ev, 4);
	ac->ac_call = "user mode";
	for (int i = 0; i < n; i++)
		actor_event(ac, &ev[i], add);
}

static void
actor_unwatch(struct actor *ac)
{
	struct globaldata *gd = ac->ac_proc.p_gd;

	actor_change(ac, ac->ac_lfd, EV_DELETE);
	cpu_run_ns(&gd->gd_cpu, COST_work, 2000);
	actor_change(
	    ac, ac->ac_lfd, EV_ADD | (run_plan->pl_clear ? EV_CLEAR : 0));
}

static void
actor_op(struct actor *ac, const struct op *op)
{
	struct globaldata *gd = ac->ac_proc.p_gd;
	int i = ac->ac_nfds > 0 ? (int)(op->op_arg % (uint32_t)ac->ac_nfds) : 0;

	if (op->op_kind == OP_ACCEPT || op->op_kind == OP_ACCEPT_NB) {
		actor_accept(ac, op->op_kind == OP_ACCEPT_NB);
	} else if (op->op_kind == OP_KEVENT) {
		actor_kevent(ac, op->op_arg & 1);
	} else if (op->op_kind == OP_UNWATCH) {
		actor_unwatch(ac);
	} else if (op->op_kind == OP_WORK) {
		cpu_run_ns(&gd->gd_cpu, COST_work, op->op_time);
	} else if (op->op_kind == OP_SIGNAL || op->op_kind == OP_CONNECT) {
		userenter(gd);
		if (op->op_kind == OP_SIGNAL)
			run_signal(gd, op);
		else
			run_connect(gd, op);
		userexit(gd);
	} else if (ac->ac_nfds > 0 && op->op_kind == OP_CLOSE) {
		actor_close(ac, i);
	} else if (ac->ac_nfds > 0 && op->op_kind == OP_RECV) {
		sys_recv(&ac->ac_proc, ac->ac_fds[i], 1000);
	} else if (ac->ac_nfds > 0) {
		sys_sendfile(&ac->ac_proc, ac->ac_fds[i], 0, 1000);
	}
}

static void
actor_entry(struct thread *td)
{
	struct actor *ac = td->td_arg;

	ac->ac_call = "user mode";
	userexit(td->td_gd);
	if (run_plan->pl_watch[ac->ac_index])
		actor_change(ac, ac->ac_lfd,
		    EV_ADD | (run_plan->pl_clear ? EV_CLEAR : 0));
	for (int i = 0; i < run_plan->pl_nops; i++)
		if (run_plan->pl_ops[i].op_who == ac->ac_index)
			actor_op(ac, &run_plan->pl_ops[i]);
	ac->ac_call = NULL;
	userenter(td->td_gd);
	for (;;)
		tsleep(td);
}

static void
call_send(struct rig *rg, struct call *ca, int flags, int len)
{
	int port = (int)(ca - run_calls) + 1;
	struct pkt p = {
		.p_time = rg->rg_now,
		.p_flow = flow_make(0, (uint32_t)port),
		.p_seq = ca->ca_seq,
		.p_ack = flags == TH_SYN ? 0 : ca->ca_ack,
		.p_win = 57344,
		.p_len = (uint16_t)len,
		.p_flags = (uint8_t)flags,
		.p_nseg = 1,
		.p_rss = (uint8_t)(port * 37 % 128),
	};

	wire_post(&rg->rg_tx, &p);
	ca->ca_seq += (uint32_t)len + ((flags & (TH_SYN | TH_FIN)) != 0);
}

/* What the client does by itself. */
static void
call_step(struct rig *rg, struct call *ca)
{
	enum op_kind kind = ca->ca_op->op_kind;

	ca->ca_at = SIM_NEVER;
	if (ca->ca_state == 0) {
		call_send(rg, ca, TH_SYN, 0);
		ca->ca_state = 1;
	} else if (ca->ca_state == 2 && kind == OP_CALL_RST) {
		call_send(rg, ca, TH_RST | TH_ACK, 0);
	} else if (ca->ca_state == 2 && kind == OP_CALL_DATA) {
		call_send(rg, ca, TH_ACK, 100);
	} else if (ca->ca_state == 2 && kind == OP_CALL_DATA_FIN) {
		call_send(rg, ca, TH_ACK, 100);
		call_send(rg, ca, TH_ACK | TH_FIN, 0);
	} else if (ca->ca_state == 2 && kind == OP_CALL_FIN) {
		call_send(rg, ca, TH_ACK | TH_FIN, 0);
	}
}

static void
call_arrive(struct rig *rg, const struct pkt *p)
{
	struct call *ca = &run_calls[flow_port(p->p_flow) - 1];

	if (p->p_flags == (TH_SYN | TH_ACK) && ca->ca_state == 1) {
		bool early = ca->ca_op->op_kind == OP_CALL_RST_EARLY;

		ca->ca_ack = p->p_seq + 1;
		call_send(rg, ca, early ? TH_RST : TH_ACK, 0);
		ca->ca_state = 2;
		ca->ca_at = rg->rg_now + ca->ca_op->op_then;
	} else if (p->p_len > 0 || (p->p_flags & TH_FIN)) {
		ca->ca_ack = p->p_seq + p->p_len + ((p->p_flags & TH_FIN) != 0);
		call_send(rg, ca, TH_ACK, 0);
	}
}

static void
run_clients(struct rig *rg)
{
	const struct pkt *p;

	for (sim_ns t = RUN_STEP; t < RUN_FAR; t += RUN_STEP) {
		rig_wait(rg, t);
		while ((p = rig_take(rg)) != NULL)
			call_arrive(rg, p);
		for (int i = 0; i < run_plan->pl_nops; i++)
			if (run_calls[i].ca_op != NULL &&
			    run_calls[i].ca_at <= t)
				call_step(rg, &run_calls[i]);
	}
}

static void
run_setup(const struct plan *pl, struct rig *rg)
{
	struct setup_machine *sm = &rg->rg_setup.su_machines[0];
	struct setup_sysctl *sc = &sm->sm_sysctl;

	rig_init(rg);
	if (pl->pl_2011) {
		sm->sm_kernel = KERNEL_DRAGONFLY_2011;
#define DEFAULT(field, value) sc->field = value;
#define ABSENT(field, value) sc->field = value;
#include "model/sysctl_2011.def"
#undef DEFAULT
#undef ABSENT
	} else {
		sc->netisr_ncpus = pl->pl_netisr_ncpus;
		sc->ix_rxr = 1;
		sc->soavailconn = pl->pl_soavailconn;
	}
	sc->soaccept_pred_fast = pl->pl_pred_fast;
	sc->token_spin = pl->pl_token_spin;
	sm->sm_hw.hw_ncpus = pl->pl_ncpus;
	plan_costs(pl, sm->sm_hw.hw_cost);
	sm->sm_nics[0].sn_polling = pl->pl_polling && !pl->pl_em;
	sm->sm_nics[0].sn_intr_rate = 100000;
	if (pl->pl_em) {
		sm->sm_nics[0].sn_model = NIC_EM;
		sm->sm_nics[0].sn_intr_cpu = pl->pl_intr_cpu;
	}
	rg->rg_setup.su_run.sr_measure = RUN_END;
}

static void
run_start(const struct plan *pl, struct rig *rg)
{
	static struct so_listen *head = &run_listener;
	static const char *const names[PLAN_THREADS] = { "0", "1", "2", "3",
		"4", "5", "6", "7", "8", "9", "10", "11" };

	rig_listen(rg, &head, pl->pl_qlimit);
	ref.m = rg->rg_m;
	ref.nthreads = pl->pl_nthreads;
	for (int t = 0; t < pl->pl_nthreads; t++) {
		struct actor *ac = &run_actors[t];
		struct globaldata *gd = rg->rg_m->m_gd[pl->pl_cpu[t]];

		ac->ac_index = t;
		ac->ac_ref = &ref.threads[t];
		proc_init(&ac->ac_proc, gd);
		kqueue_init(&ac->ac_kq, gd, t);
		ac->ac_lfd = fd_alloc(&ac->ac_proc, &run_listener.sl_so);
		ac->ac_ref->rt_td = ac->ac_proc.p_thread =
		    sched_thread_create(gd, names[t], actor_entry, ac);
	}
	for (int i = pl->pl_nops; i-- > 0;) {
		const struct op *op = &pl->pl_ops[i];
		struct source *sr = &run_sources[op->op_who % 100 % PLAN_CPUS];

		if (op->op_who == PLAN_CLIENT)
			run_calls[i] =
			    (struct call){ op, 0, op->op_time, 1000, 0 };
		else if (op->op_who >= PLAN_INTR)
			sr->sr_next = i + 1; /* in the end the first, plus 1 */
	}
	for (int i = 0; i < pl->pl_ncpus; i++) {
		struct source *sr = &run_sources[i];

		sr->sr_source.cs_fire = run_fire;
		cpu_source_add(&rg->rg_m->m_gd[i]->gd_cpu, &sr->sr_source);
		if (sr->sr_next-- > 0)
			cpu_source_arm(&rg->rg_m->m_gd[i]->gd_cpu,
			    &sr->sr_source, pl->pl_ops[sr->sr_next].op_time);
	}
	ref.head = &run_listener;
}

#endif
