/*
 * DragonFly BSD: how a machine is put together.
 */
#include "model/kernel/kernel.h"

#include <string.h>

#include "model/dev/em.h"
#include "model/dev/ix.h"
#include "model/net/ifpoll.h"
#include "model/net/netisr.h"
#include "model/netinet/tcp_kern.h"

static bool machine_shares(const struct machine *);
static bool process_shares(
    const struct machine *, const struct setup_process *);
static void boot_cpu(
    struct machine *, int i, int where, const struct cpu_marks *, bool exact);
static void boot_interfaces(struct machine *, const struct port_wires *);
static void boot_nginx(struct machine *, const struct setup_process *);

const struct kernel_ops *
kernel_find(enum setup_kernel kernel)
{
	static const struct kernel_ops *const kernels[] = {
		[KERNEL_DRAGONFLY_2011] = &kernel_dragonfly_2011,
		[KERNEL_DRAGONFLY_2017] = &kernel_dragonfly_2017,
		[KERNEL_FREEBSD_2007] = &kernel_freebsd_2007,
	};

	return kernels[kernel];
}

void
dragonfly_boot(struct machine *m, const struct port_wires *wires, int where,
    const struct cpu_marks *marks, bool exact)
{
	const struct setup_machine *sm = m->m_setup;

	m->m_ncpus = sm->sm_hw.hw_ncpus;
	m->m_netisr_ncpus = machine_netisr_ncpus(sm);
	m->m_shares = machine_shares(m);
	cache_init(&m->m_cache, sm->sm_hw.hw_cache_knee,
	    sm->sm_hw.hw_cache_touch, sm->sm_hw.hw_cost[COST_cache_miss]);
	for (int n = 0; n < sm->sm_nnics; n++)
		m->m_nifnets += sm->sm_nics[n].sn_ports;
	m->m_ifnets = sim_calloc(m->m_nifnets, sizeof(*m->m_ifnets));
	m->m_gd = sim_calloc(m->m_ncpus, sizeof(*m->m_gd));
	m->m_pcbinfo = sim_calloc(1, sizeof(*m->m_pcbinfo));
	m->m_procs = sim_calloc(1, sizeof(*m->m_procs));
	for (int i = 0; i < m->m_ncpus; i++)
		boot_cpu(m, i, where + i, marks, exact);
	/* Siblings are half the machine apart, as the BIOS numbers them. */
	if (sm->sm_hw.hw_threads_per_core == 2)
		for (int i = 0; i < m->m_ncpus; i++)
			m->m_gd[i]->gd_sibling =
			    m->m_gd[(i + m->m_ncpus / 2) % m->m_ncpus];
	boot_interfaces(m, wires);
	for (int i = 0; i < sm->sm_nprocs; i++)
		boot_nginx(m, &sm->sm_procs[i]);
}

/* Do CPUs exchange messages, or use each other's sockets? */
static bool
machine_shares(const struct machine *m)
{
	const struct setup_machine *sm = m->m_setup;

	if (!m->m_rules->kr_rcvd_async || !sm->sm_sysctl.soaccept_pred_fast)
		return true;
	for (int n = 0; n < sm->sm_nnics; n++)
		if (sm->sm_nics[n].sn_model == NIC_EM ||
		    ix_ring_count(sm->sm_nics[n].sn_model, m->m_sysctl->ix_rxr,
			m->m_netisr_ncpus) < m->m_netisr_ncpus)
			return true;
	for (int i = 0; i < sm->sm_nprocs; i++)
		if (process_shares(m, &sm->sm_procs[i]))
			return true;
	return false;
}

/*
 * Unless each hash value's protocol thread, listener and worker are on one CPU.
 */
static bool
process_shares(const struct machine *m, const struct setup_process *sp)
{
	if (!sp->sp_reuseport && sp->sp_workers > 1)
		return true;
	for (int v = 0; v < NIC_RSS_VALUES; v++)
		if (dragonfly_worker_cpu(m, sp, v % sp->sp_workers) !=
		    netisr_hashcpu(m, (uint32_t)v))
			return true;
	return false;
}

int
dragonfly_worker_cpu(
    const struct machine *m, const struct setup_process *sp, int worker)
{
	if (sp->sp_affinity == AFFINITY_CPUHINT)
		return worker % m->m_netisr_ncpus;
	return (sp->sp_cpu + worker) % m->m_ncpus;
}

static void
boot_cpu(struct machine *m, int i, int where, const struct cpu_marks *marks,
    bool exact)
{
	struct globaldata *gd = sim_arena(1, sizeof(*gd));
	bool polling = false;

	m->m_gd[i] = gd;
	gd->gd_machine = m;
	cpu_init(
	    &gd->gd_cpu, i, where, m->m_setup->sm_hw.hw_cost, marks, exact);
	netisr_init(gd);
	if (m->m_shares)
		ipiq_init(gd);
	sched_init(gd);
	gd->gd_ifsubq = sim_calloc(m->m_nifnets, sizeof(*gd->gd_ifsubq));
	tcp_kern_init(gd, m->m_rng);
	for (int n = 0; n < m->m_setup->sm_nnics; n++)
		polling |= m->m_setup->sm_nics[n].sn_polling;
	if (polling && i < m->m_netisr_ncpus)
		ifpoll_init(gd, m->m_sysctl->pollhz);
}

static struct ifnet *
interface_attach(struct machine *m, const struct setup_nic *sn, int port,
    int index, struct wire *rx, struct wire *tx)
{
	if (sn->sn_model == NIC_EM)
		return em_attach(m, sn, index, rx, tx);
	return ix_attach(m, sn, port, index, rx, tx);
}

static void
boot_interfaces(struct machine *m, const struct port_wires *wires)
{
	int index = 0;

	for (int n = 0; n < m->m_setup->sm_nnics; n++) {
		const struct setup_nic *sn = &m->m_setup->sm_nics[n];

		for (int port = 0; port < sn->sn_ports; port++, index++) {
			struct ifnet *ifp = interface_attach(m, sn, port, index,
			    wires[index].pw_rx, wires[index].pw_tx);

			ifp->if_input = ip_input;
			ifp->if_prefetch = ip_prefetch;
			m->m_ifnets[index] = ifp;
		}
	}
}

/*
 * listen(2): a backlog of -1 takes kern.ipc.somaxconn. With SO_REUSEPORT each
 * worker has a listening socket of its own in the group.
 */
static void
boot_nginx(struct machine *m, const struct setup_process *sp)
{
	struct machine_procs *mp = m->m_procs;
	struct inpcbinfo *ipi = m->m_pcbinfo;
	int64_t limit = m->m_sysctl->somaxconn;

	if (sp->sp_backlog >= 0 && sp->sp_backlog < limit)
		limit = sp->sp_backlog;
	mp->mp_nworkers = sp->sp_workers;
	mp->mp_nlisteners = sp->sp_reuseport ? sp->sp_workers : 1;
	mp->mp_workers = sim_calloc(mp->mp_nworkers, sizeof(*mp->mp_workers));
	mp->mp_listeners =
	    sim_calloc(mp->mp_nlisteners, sizeof(*mp->mp_listeners));
	for (int i = 0; i < mp->mp_nlisteners; i++) {
		mp->mp_listeners[i] = sim_calloc(1, sizeof(**mp->mp_listeners));
		solisten(mp->mp_listeners[i], m, dragonfly_worker_cpu(m, sp, i),
		    (int)limit, i);
	}
	for (int i = 0; i < mp->mp_nworkers; i++)
		mp->mp_workers[i] = ngx_worker_create(m,
		    m->m_gd[dragonfly_worker_cpu(m, sp, i)], sp,
		    mp->mp_listeners[i % mp->mp_nlisteners], i, m->m_rng);
	ipi->ipi_group = mp->mp_listeners;
	ipi->ipi_ngroup = mp->mp_nlisteners;
}

void
dragonfly_shutdown(struct machine *m)
{
	struct machine_procs *mp = m->m_procs;

	for (int i = 0; i < mp->mp_nworkers; i++)
		ngx_worker_destroy(mp->mp_workers[i]);
	for (int i = 0; i < mp->mp_nlisteners; i++)
		sim_free(mp->mp_listeners[i]);
	sim_free(mp->mp_workers);
	sim_free(mp->mp_listeners);
	sim_free(mp);
	for (int i = 0; i < m->m_nifnets; i++)
		m->m_ifnets[i]->if_detach(m, m->m_ifnets[i]);
	for (int i = 0; i < m->m_ncpus; i++) {
		struct globaldata *gd = m->m_gd[i];

		ifpoll_fini(gd);
		ipiq_fini(gd);
		tcp_kern_fini(gd);
		sched_fini(gd);
		sim_free(gd->gd_ifsubq);
	}
	sim_free(m->m_ifnets);
	sim_free(m->m_gd);
	sim_free(m->m_pcbinfo);
	sim_free(m->m_toks);
}
