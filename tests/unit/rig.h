#ifndef TESTS_UNIT_RIG_H
#define TESTS_UNIT_RIG_H

/*
 * A machine of one CPU, without processes and with a polled card, and a far
 * end of its link that does what a script says. Use inside check_forked():
 *
 *	rig_init(&rig);  ... change rig.rg_setup ...
 *	rig_open(&rig);  ... threads, listeners ...
 *	rig_run(&rig, script);
 *	... look ...
 *	rig_close(&rig);
 */
#include <string.h>

#include "model/model.h"
#include "model/netinet/tcp_kern.h"
#include "model/netinet/tcp_syncache.h"
#include "tests/unit/check.h"

#define RIG_GOT 4096
#define RIG_RSS 0
#define RIG_ISS 1000u /* of the far end, plus the port */

struct rig {
	struct setup rg_setup;
	struct model *rg_model;
	struct machine *rg_m;
	struct globaldata *rg_gd;
	struct txring rg_tx;	 /* the far end's */
	struct flow *rg_flows;	 /* by port */
	struct stages rg_stages; /* of everybody */
	void (*rg_script)(struct rig *);
	sim_ns rg_now;		    /* of the script */
	struct pkt rg_got[RIG_GOT]; /* what the machine sent, by arrival */
	int rg_ngot, rg_taken;
	bool rg_exact;
};

static inline void
rig_init(struct rig *rg)
{
	struct setup *su = &rg->rg_setup;
	struct setup_machine *sm = &su->su_machines[0];
	struct setup_sysctl *sc = &sm->sm_sysctl;

	memset(rg, 0, sizeof(*rg));
	su->su_title = "rig";
	su->su_nmachines = 1;
	sm->sm_name = "rig";
	sm->sm_hw.hw_name = "rig";
	sm->sm_hw.hw_ncpus = 1;
	sm->sm_hw.hw_cache_knee = 1 << 20;
#define SYSCTL(field, name, unit, dflt, min, max, help) sc->field = dflt;
#define HOST_SYSCTL(field, name, unit, dflt, min, max, help)
#include "model/sysctl.def"
#undef SYSCTL
#undef HOST_SYSCTL
	sm->sm_nnics = 1;
	sm->sm_nics[0] = (struct setup_nic){
		.sn_name = "ix",
		.sn_model = NIC_X550,
		.sn_ports = 1,
		.sn_bps = 10000000000,
		.sn_latency = 5000,
		.sn_mtu = 1500,
		.sn_polling = true,
		.sn_intr_rate = 8000,
	};
	su->su_run = (struct setup_run){
		.sr_measure = sim_ms(100),
		.sr_replications = 1,
		.sr_seed = 1,
		.sr_slice = sim_ms(100),
	};
}

/* The wire's w_deliver: keep what arrives at the far end. */
static inline void
rig_arrive(void *arg, const struct pkt *p)
{
	struct rig *rg = arg;

	SIM_ASSERT(rg->rg_ngot < RIG_GOT);
	rg->rg_got[rg->rg_ngot++] = *p;
}

static inline void
rig_open(struct rig *rg)
{
	struct model_options mo = { .mo_exact = rg->rg_exact };

	rg->rg_model = model_create(&rg->rg_setup, &mo);
	rg->rg_m = &rg->rg_model->md_machines[0];
	rg->rg_gd = rg->rg_m->m_gd[0];
	rg->rg_model->md_wires[1]->w_deliver = rig_arrive;
	rg->rg_model->md_wires[1]->w_arg = rg;
	txring_init(&rg->rg_tx, rg->rg_model->md_wires[0]);
	rg->rg_flows = sim_calloc(65536, sizeof(*rg->rg_flows));
	for (int i = 0; i < 65536; i++)
		rg->rg_flows[i].fl_stages = &rg->rg_stages;
	rg->rg_m->m_flows = &rg->rg_flows;
	rg->rg_m->m_naddrs = 1;
}

/* Let `head` listen, alone. */
static inline void
rig_listen(struct rig *rg, struct so_listen **headp, int qlimit)
{
	solisten(*headp, rg->rg_m, 0, qlimit, 0);
	rg->rg_m->m_pcbinfo->ipi_group = headp;
	rg->rg_m->m_pcbinfo->ipi_ngroup = 1;
}

/* accept(2)'s predicate without a process: NULL when there is no socket. */
static inline struct so *
rig_accept(struct rig *rg, struct so_listen *head)
{
	struct netmsg_so_notify sn = { .sn_head = head, .sn_nonblock = true };

	soaccept_predicate(rg->rg_gd, &sn);
	return sn.sn_so;
}

static inline void
rig_actor(void *arg)
{
	struct rig *rg = arg;

	rg->rg_script(rg);
}

static inline void
rig_run(struct rig *rg, void (*script)(struct rig *))
{
	rg->rg_script = script;
	if (script != NULL)
		engine_actor_create("far end", 0, rig_actor, rg);
	model_run(rg->rg_model);
}

static inline void
rig_close(struct rig *rg)
{
	txring_fini(&rg->rg_tx);
	rg->rg_m->m_flows = NULL;
	model_destroy(rg->rg_model);
	sim_free(rg->rg_flows);
}

/*
 * For scripts. Time is the far end's; packets take 5 us and their own length.
 */

static inline void
rig_wait(struct rig *rg, sim_ns t)
{
	engine_wait_until(t);
	rg->rg_now = t;
	wire_advance(rg->rg_model->md_wires[1], t);
}

static inline void
rig_send(
    struct rig *rg, int flags, int port, uint32_t seq, uint32_t ack, int len)
{
	struct pkt p = {
		.p_time = rg->rg_now,
		.p_flow = flow_make(0, (uint32_t)port),
		.p_seq = seq,
		.p_ack = ack,
		.p_win = 57344,
		.p_len = (uint16_t)len,
		.p_flags = (uint8_t)flags,
		.p_nseg = 1,
		.p_rss = RIG_RSS,
	};

	wire_post(&rg->rg_tx, &p);
}

static inline void
rig_syn(struct rig *rg, int port)
{
	rig_send(rg, TH_SYN, port, RIG_ISS + (uint32_t)port, 0, 0);
}

/* The next packet that has arrived, or NULL. */
static inline const struct pkt *
rig_take(struct rig *rg)
{
	if (rg->rg_taken == rg->rg_ngot ||
	    rg->rg_got[rg->rg_taken].p_time > rg->rg_now)
		return NULL;
	return &rg->rg_got[rg->rg_taken++];
}

/* Answer every SYN|ACK that has arrived. Returns: how many. */
static inline int
rig_ack_all(struct rig *rg)
{
	const struct pkt *p;
	int n = 0;

	while ((p = rig_take(rg)) != NULL) {
		if (p->p_flags != (TH_SYN | TH_ACK))
			continue;
		rig_send(rg, TH_ACK, (int)flow_port(p->p_flow), p->p_ack,
		    p->p_seq + 1, 0);
		n++;
	}
	return n;
}

#endif
