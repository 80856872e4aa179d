#include <math.h>
#include <string.h>

#include "sim/lab/graph_impl.h"
#include "sim/lab/scenario.h"

static void roles(struct drawing *);
static void extremes(struct drawing *);
static void extreme_cpus(struct drawing *);
static void extreme_sockets(struct drawing *);
static void sources(struct drawing *);
static void close_gaps(struct drawing *);
static int stride(const struct drawing *, const struct setup_process *);

/* All CPUs that have a part, or some of many. */
void
graph_choose(struct drawing *dr)
{
	int n = 0, last = 0;

	roles(dr);
	dr->dr_longest = dr->dr_dropping = -1;
	dr->dr_busiest_rate = 0;
	memset(dr->dr_shown, 0, sizeof(dr->dr_shown));
	for (int i = 0; i < dr->dr_ncpus; i++)
		if (dr->dr_role[i]) {
			n++;
			last = i;
		}
	extremes(dr);
	if (n <= GRAPH_MAX_LANES) {
		memcpy(dr->dr_shown, dr->dr_role, sizeof(dr->dr_shown));
		return;
	}
	dr->dr_shown[0] = dr->dr_shown[last] = true;
	dr->dr_shown[1] = dr->dr_role[1];
	sources(dr);
	close_gaps(dr);
}

static void
roles(struct drawing *dr)
{
	const struct setup_machine *sm = dr->dr_sm;

	for (int i = 0; i < SETUP_MAX_CPUS; i++)
		dr->dr_role[i] = i < dr->dr_netisrs;
	for (int n = 0; n < sm->sm_nnics; n++)
		if (sm->sm_nics[n].sn_model == NIC_EM)
			dr->dr_role[sm->sm_nics[n].sn_intr_cpu] = true;
	for (int p = 0; p < sm->sm_nprocs; p++)
		for (int i = 0; i < sm->sm_procs[p].sp_workers; i++)
			dr->dr_role[graph_worker_cpu(dr, &sm->sm_procs[p], i)] =
			    true;
}

/* The busiest and the idlest CPU, the longest queue, the most drops. */
static void
extremes(struct drawing *dr)
{
	if (dr->dr_n == 0)
		return;
	extreme_cpus(dr);
	extreme_sockets(dr);
}

static void
extreme_cpus(struct drawing *dr)
{
	double most = -1, least = INFINITY;
	int busy = -1, idle = -1;
	struct cpu_load cl;

	for (int i = 0; i < dr->dr_ncpus; i++) {
		if (!dr->dr_role[i] || !graph_cpu_load(dr, i, &cl))
			continue;
		if (cl.cl_busy > most) {
			most = cl.cl_busy;
			busy = i;
		}
		if (cl.cl_busy < least) {
			least = cl.cl_busy;
			idle = i;
		}
	}
	/* Either may be missing: a store can say infinite, or NaN. */
	if (busy >= 0)
		dr->dr_shown[busy] = true;
	if (idle >= 0)
		dr->dr_shown[idle] = true;
}

/* Where there is one for each worker. */
static void
extreme_sockets(struct drawing *dr)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[0];
	struct socket_load sl;
	double longest = 0, drops = 0;

	for (int i = 0; i < graph_listeners(sp); i++) {
		if (!graph_socket_load(dr, i, &sl))
			continue;
		dr->dr_busiest_rate = fmax(dr->dr_busiest_rate, sl.sl_rate);
		if (sl.sl_mean > longest) {
			longest = sl.sl_mean;
			dr->dr_longest = i;
		}
		if (sl.sl_drops > drops) {
			drops = sl.sl_drops;
			dr->dr_dropping = i;
		}
	}
	if (!sp->sp_reuseport)
		return;
	if (dr->dr_longest >= 0)
		dr->dr_shown[graph_worker_cpu(dr, sp, dr->dr_longest)] = true;
	if (dr->dr_dropping >= 0)
		dr->dr_shown[graph_worker_cpu(dr, sp, dr->dr_dropping)] = true;
}

/* Whose ring has the frames of those that have no ring. */
static void
sources(struct drawing *dr)
{
	for (int n = 0; n < dr->dr_sm->sm_nnics; n++) {
		const struct setup_nic *sn = &dr->dr_sm->sm_nics[n];
		int rings = setup_rx_rings(dr->dr_sm, sn);

		for (int i = 0; i < dr->dr_netisrs; i++)
			if (dr->dr_shown[i])
				dr->dr_shown[graph_ring_cpu(sn, i % rings)] =
				    true;
	}
}

/* Where one is missing, it takes no more room than a note that it is. */
static void
close_gaps(struct drawing *dr)
{
	for (int i = 0; i < dr->dr_ncpus; i++) {
		int n = 0, hidden = i;

		for (; i < dr->dr_ncpus && !dr->dr_shown[i]; i++)
			if (dr->dr_role[i]) {
				n++;
				hidden = i;
			}
		if (n == 1)
			dr->dr_shown[hidden] = true;
	}
}

/* The first of each CPU that is drawn, and the extremes. */
bool
graph_shows(const struct drawing *dr, int proc, int worker)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[proc];

	if (!dr->dr_shown[graph_worker_cpu(dr, sp, worker)])
		return false;
	if (sp->sp_workers <= GRAPH_MAX_LANES || worker < stride(dr, sp))
		return true;
	return proc == 0 && sp->sp_reuseport &&
	       (worker == dr->dr_longest || worker == dr->dr_dropping);
}

int
graph_more_workers(const struct drawing *dr, int proc, int worker)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[proc];

	if (sp->sp_workers <= GRAPH_MAX_LANES || worker >= stride(dr, sp))
		return 0;
	return (sp->sp_workers - 1 - worker) / stride(dr, sp);
}

/* From a worker to the next on the same CPU. */
static int
stride(const struct drawing *dr, const struct setup_process *sp)
{
	return sp->sp_affinity == AFFINITY_CPUHINT ? dr->dr_netisrs
						   : dr->dr_ncpus;
}

int
graph_worker_cpu(
    const struct drawing *dr, const struct setup_process *sp, int worker)
{
	if (sp->sp_affinity == AFFINITY_CPUHINT)
		return worker % dr->dr_netisrs;
	return (sp->sp_cpu + worker) % dr->dr_ncpus;
}

int
graph_ring_cpu(const struct setup_nic *sn, int ring)
{
	return sn->sn_model == NIC_EM ? sn->sn_intr_cpu : ring;
}

/* Receive and transmit: the latter are one a protocol CPU, of em one. */
int
graph_rings(const struct drawing *dr, const struct setup_nic *sn)
{
	return sn->sn_model == NIC_EM ? 1 : dr->dr_netisrs;
}

int
graph_listeners(const struct setup_process *sp)
{
	return sp->sp_reuseport ? sp->sp_workers : 1;
}
