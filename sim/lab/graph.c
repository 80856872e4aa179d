#include "sim/lab/graph.h"

#include <math.h>
#include <string.h>

#include "model/hw/nic.h"
#include "sim/lab/scenario.h"
#include "sim/lab/units.h"

#define NAME_MAX_CHARS 36 /* of a name in a label */

/* A machine that is drawn. */
struct drawing {
	FILE *dr_fp;
	const struct setup *dr_su;
	const struct setup_machine *dr_sm;
	int dr_machine, dr_ncpus, dr_netisrs;
	bool dr_shown[SETUP_MAX_CPUS]; /* CPUs */
	int dr_hidden;
	struct record *const *dr_rds;
	int dr_n;		/* replications */
	double dr_busiest_rate; /* accepted a second, of a listener */
};

/* Means over replications. */
struct cpu_load {
	double cl_busy, cl_netisr;
};
struct socket_load {
	double sl_mean, sl_rate, sl_drops;
	int64_t sl_max, sl_limit;
};

static void machine(struct drawing *);
static void choose(struct drawing *);
static bool has_role(const struct drawing *, int cpu);
static void extremes(struct drawing *);
static void ports(struct drawing *);
static void rings(struct drawing *);
static void ring(struct drawing *, int nic, int port, int index, int cpu);
static void cpus(struct drawing *);
static void cpu(struct drawing *, int cpu);
static void column(struct drawing *);
static void processes(struct drawing *);
static void socket_node(
    struct drawing *, const struct setup_process *, int proc, int index);
static void worker(
    struct drawing *, const struct setup_process *, int proc, int index);
static void feeds(struct drawing *, const struct setup_process *, int proc);
static void peers(FILE *, const struct setup *);
static void legend(FILE *);
static int worker_cpu(
    const struct drawing *, const struct setup_process *, int worker);
static int listeners(const struct setup_process *);
static bool cpu_load(const struct drawing *, int cpu, struct cpu_load *);
static bool socket_load(
    const struct drawing *, int index, struct socket_load *);

void
graph_dot(FILE *fp, const struct setup *su, struct record *const *rds, int n)
{
	struct drawing dr = {
		.dr_fp = fp, .dr_su = su, .dr_rds = rds, .dr_n = n
	};

	fputs("digraph solab {\n"
	      "\tgraph [rankdir=LR, nodesep=0.12, ranksep=0.55, pad=0.1,\n"
	      "\t    bgcolor=white, newrank=true, labelloc=t,\n"
	      "\t    fontname=\"Helvetica,Arial,sans-serif\", fontsize=13,\n"
	      "\t    label=",
	    fp);
	fputc('"', fp);
	graph_text(fp, su->su_title, 90);
	if (n > 0)
		legend(fp);
	fputs("\"]\n"
	      "\tnode [shape=box, style=filled, fillcolor=white,\n"
	      "\t    color=\"#555555\", margin=\"0.1,0.05\", height=0.3,\n"
	      "\t    fontname=\"Helvetica,Arial,sans-serif\", fontsize=11]\n"
	      "\tedge [color=\"#555555\", arrowsize=0.6,\n"
	      "\t    fontname=\"Helvetica,Arial,sans-serif\", fontsize=10]\n",
	    fp);
	for (int i = 0; i < su->su_nmachines; i++) {
		dr.dr_machine = i;
		dr.dr_sm = &su->su_machines[i];
		machine(&dr);
	}
	peers(fp, su);
	fputs("}\n", fp);
}

static void
machine(struct drawing *dr)
{
	FILE *fp = dr->dr_fp;
	struct socket_load sl;

	dr->dr_ncpus = dr->dr_sm->sm_hw.hw_ncpus;
	dr->dr_netisrs = setup_netisr_ncpus(dr->dr_sm);
	dr->dr_busiest_rate = 0;
	for (int i = 0; socket_load(dr, i, &sl); i++)
		dr->dr_busiest_rate = fmax(dr->dr_busiest_rate, sl.sl_rate);
	choose(dr);
	fprintf(fp,
	    "\tsubgraph cluster_m%d {\n"
	    "\t\tcolor=\"#999999\"; style=rounded; labeljust=l; tooltip=",
	    dr->dr_machine);
	graph_quote(fp, dr->dr_sm->sm_name, 0);
	fputs("\n\t\tlabel=\"", fp);
	graph_text(fp, dr->dr_sm->sm_name, NAME_MAX_CHARS);
	fprintf(fp, ": %d CPUs, ", dr->dr_ncpus);
	graph_text(fp, dr->dr_sm->sm_hw.hw_name, NAME_MAX_CHARS);
	fputs("\"\n", fp);
	ports(dr);
	rings(dr);
	cpus(dr);
	processes(dr);
	fputs("\t}\n", fp);
}

/* Which CPUs are drawn: all that have a part, or some of many. */
static void
choose(struct drawing *dr)
{
	int roles = 0, last = 0;

	memset(dr->dr_shown, 0, sizeof(dr->dr_shown));
	for (int i = 0; i < dr->dr_ncpus; i++)
		if (has_role(dr, i)) {
			roles++;
			last = i;
		}
	dr->dr_hidden = 0;
	if (roles <= GRAPH_MAX_LANES) {
		for (int i = 0; i < dr->dr_ncpus; i++)
			dr->dr_shown[i] = has_role(dr, i);
		return;
	}
	dr->dr_shown[0] = dr->dr_shown[1] = dr->dr_shown[last] = true;
	for (int n = 0; n < dr->dr_sm->sm_nnics; n++)
		if (dr->dr_sm->sm_nics[n].sn_model == NIC_EM)
			dr->dr_shown[dr->dr_sm->sm_nics[n].sn_intr_cpu] = true;
	extremes(dr);
	for (int i = 0; i < dr->dr_ncpus; i++)
		dr->dr_hidden += has_role(dr, i) && !dr->dr_shown[i];
}

static bool
has_role(const struct drawing *dr, int cpu)
{
	if (cpu < dr->dr_netisrs)
		return true;
	for (int n = 0; n < dr->dr_sm->sm_nnics; n++)
		if (dr->dr_sm->sm_nics[n].sn_model == NIC_EM &&
		    dr->dr_sm->sm_nics[n].sn_intr_cpu == cpu)
			return true;
	for (int p = 0; p < dr->dr_sm->sm_nprocs; p++) {
		const struct setup_process *sp = &dr->dr_sm->sm_procs[p];

		for (int i = 0; i < sp->sp_workers; i++)
			if (worker_cpu(dr, sp, i) == cpu)
				return true;
	}
	return false;
}

/* The busiest and the idlest CPU, the longest queue, the most drops. */
static void
extremes(struct drawing *dr)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[0];
	struct socket_load sl, longest = { 0 }, dropping = { 0 };
	struct cpu_load cl, most = { -1, 0 }, least = { 2, 0 };
	int busy = 0, idle = 0, queue = 0, drops = 0;

	if (dr->dr_n == 0)
		return;
	for (int i = 0; i < dr->dr_ncpus; i++) {
		if (!has_role(dr, i) || !cpu_load(dr, i, &cl))
			continue;
		if (cl.cl_busy > most.cl_busy) {
			most = cl;
			busy = i;
		}
		if (cl.cl_busy < least.cl_busy) {
			least = cl;
			idle = i;
		}
	}
	for (int i = 0; socket_load(dr, i, &sl); i++) {
		if (sl.sl_mean > longest.sl_mean) {
			longest = sl;
			queue = worker_cpu(dr, sp, i);
		}
		if (sl.sl_drops > dropping.sl_drops) {
			dropping = sl;
			drops = worker_cpu(dr, sp, i);
		}
	}
	dr->dr_shown[busy] = dr->dr_shown[idle] = true;
	dr->dr_shown[queue] = dr->dr_shown[drops] = true;
}

static void
ports(struct drawing *dr)
{
	char rate[UNIT_TEXT_MAX], latency[UNIT_TEXT_MAX];

	for (int n = 0; n < dr->dr_sm->sm_nnics; n++) {
		const struct setup_nic *sn = &dr->dr_sm->sm_nics[n];

		for (int p = 0; p < sn->sn_ports; p++) {
			fprintf(dr->dr_fp, "\t\tm%d_n%d_p%d [label=\"",
			    dr->dr_machine, n, p);
			graph_text(dr->dr_fp, sn->sn_name, NAME_MAX_CHARS);
			fprintf(dr->dr_fp, "%d\\n%s, %s\\n", p,
			    unit_print(UNIT_RATE, sn->sn_bps, rate),
			    unit_print(UNIT_TIME, sn->sn_latency, latency));
			if (sn->sn_polling)
				fprintf(dr->dr_fp, "polled at %lld/s",
				    (long long)dr->dr_sm->sm_sysctl.pollhz);
			else
				fprintf(dr->dr_fp, "at most %lld interrupts/s",
				    (long long)sn->sn_intr_rate);
			fputs("\", fillcolor=\"#e4e8ee\"]\n", dr->dr_fp);
		}
	}
}

/* A ring and its CPU, of each port; rings that are not drawn have no edge. */
static void
rings(struct drawing *dr)
{
	for (int n = 0; n < dr->dr_sm->sm_nnics; n++) {
		const struct setup_nic *sn = &dr->dr_sm->sm_nics[n];
		int nrings = setup_rx_rings(dr->dr_sm, sn);

		for (int p = 0; p < sn->sn_ports; p++)
			for (int r = 0; r < nrings; r++)
				ring(dr, n, p, r,
				    sn->sn_model == NIC_EM ? sn->sn_intr_cpu
							   : r);
	}
}

static void
ring(struct drawing *dr, int nic, int port, int index, int cpu)
{
	const struct setup_nic *sn = &dr->dr_sm->sm_nics[nic];
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine;

	if (!dr->dr_shown[cpu])
		return;
	/* Rings of all ports that one CPU takes are one node. */
	if (port == 0) {
		fprintf(fp, "\t\tm%d_n%d_r%d [label=\"ring %d", m, nic, index,
		    index);
		if (sn->sn_ports > 1)
			fprintf(fp, " of each port");
		fputs("\", fillcolor=\"#e4e8ee\"]\n", fp);
		fprintf(fp, "\t\tm%d_n%d_r%d -> m%d_c%d [label=\"%s\"]\n", m,
		    nic, index, m, cpu,
		    sn->sn_polling	     ? "poll"
		    : sn->sn_model == NIC_EM ? "interrupt"
					     : "vector");
	}
	fprintf(fp, "\t\tm%d_n%d_p%d -> m%d_n%d_r%d\n", m, nic, port, m, nic,
	    index);
}

static void
cpus(struct drawing *dr)
{
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine;

	for (int i = 0; i < dr->dr_ncpus; i++)
		if (dr->dr_shown[i])
			cpu(dr, i);
	if (dr->dr_hidden > 0)
		fprintf(fp,
		    "\t\tm%d_more [label=\"... %d CPUs more,\\nwith rings, "
		    "sockets, workers\", shape=plain]\n",
		    m, dr->dr_hidden);
	column(dr);
	/* Without RSS the interrupted CPU spreads what it takes. */
	for (int n = 0; n < dr->dr_sm->sm_nnics; n++) {
		const struct setup_nic *sn = &dr->dr_sm->sm_nics[n];

		if (sn->sn_model != NIC_EM)
			continue;
		for (int i = 0; i < dr->dr_netisrs; i++)
			if (dr->dr_shown[i] && i != sn->sn_intr_cpu)
				fprintf(fp,
				    "\t\tm%d_c%d -> m%d_c%d "
				    "[color=\"#b07020\", "
				    "constraint=false]\n",
				    m, sn->sn_intr_cpu, m, i);
	}
}

/*
 * CPUs one below the other, in order, those left out before the last. dot puts
 * the head of an edge within a rank above its tail.
 */
static void
column(struct drawing *dr)
{
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine, n = 0;

	fputs("\t\t{ rank=same; ", fp);
	for (int i = dr->dr_ncpus - 1; i >= 0; i--) {
		if (!dr->dr_shown[i])
			continue;
		fprintf(fp, "%sm%d_c%d", n++ > 0 ? " -> " : "", m, i);
		if (n == 1 && dr->dr_hidden > 0)
			fprintf(fp, " -> m%d_more", m);
	}
	fputs(n > 1 ? " [style=invis] }\n" : " }\n", fp);
}

/* White, over yellow and orange, to red. */
static void
heat(FILE *fp, double share)
{
	double s = fmin(1, fmax(0, share));

	fprintf(fp, "fillcolor=\"%.3f %.3f 1.000\"", 0.14 - 0.12 * s,
	    0.05 + 0.5 * s);
}

static void
cpu(struct drawing *dr, int cpu)
{
	FILE *fp = dr->dr_fp;
	struct cpu_load cl;

	fprintf(fp, "\t\tm%d_c%d [label=\"CPU %d", dr->dr_machine, cpu, cpu);
	if (cpu < dr->dr_netisrs)
		fprintf(fp, "\\nnetisr %d", cpu);
	if (cpu_load(dr, cpu, &cl)) {
		fprintf(fp, "\\n%.0f %% busy", 100 * cl.cl_busy);
		if (cl.cl_netisr > 0)
			fprintf(fp, ", netisr %.0f %%", 100 * cl.cl_netisr);
		fputs("\", ", fp);
		heat(fp, cl.cl_busy);
		fputs("]\n", fp);
	} else {
		fputs("\"]\n", fp);
	}
}

static void
processes(struct drawing *dr)
{
	for (int p = 0; p < dr->dr_sm->sm_nprocs; p++) {
		const struct setup_process *sp = &dr->dr_sm->sm_procs[p];

		for (int i = 0; i < listeners(sp); i++)
			if (!sp->sp_reuseport ||
			    dr->dr_shown[worker_cpu(dr, sp, i)])
				socket_node(dr, sp, p, i);
		for (int i = 0; i < sp->sp_workers; i++)
			if (dr->dr_shown[worker_cpu(dr, sp, i)])
				worker(dr, sp, p, i);
		feeds(dr, sp, p);
	}
}

static void
socket_node(
    struct drawing *dr, const struct setup_process *sp, int proc, int index)
{
	FILE *fp = dr->dr_fp;
	int64_t limit = dr->dr_sm->sm_sysctl.somaxconn;
	struct socket_load sl;

	if (sp->sp_backlog >= 0 && sp->sp_backlog < limit)
		limit = sp->sp_backlog;
	fprintf(fp,
	    "\t\tm%d_s%d_%d [shape=cds, margin=\"0.15,0.1\", "
	    "label=\"so_comp",
	    dr->dr_machine, proc, index);
	if (sp->sp_reuseport)
		fprintf(fp, " %d", index);
	if (proc == 0 && socket_load(dr, index, &sl)) {
		fprintf(fp, "\\n%.0f of %lld, at most %lld", sl.sl_mean,
		    (long long)sl.sl_limit, (long long)sl.sl_max);
		if (sl.sl_drops > 0)
			fprintf(fp, "\\n%.0f SYNs dropped", sl.sl_drops);
		fputs("\", ", fp);
		heat(
		    fp, sl.sl_limit > 0 ? sl.sl_mean / (double)sl.sl_limit : 1);
	} else {
		fprintf(fp, "\\nlimit %lld\"", (long long)limit);
	}
	fputs("]\n", fp);
}

static void
worker(struct drawing *dr, const struct setup_process *sp, int proc, int index)
{
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine, at = worker_cpu(dr, sp, index);
	int socket = index % listeners(sp);
	struct socket_load sl;
	bool own = sp->sp_reuseport && dr->dr_netisrs == sp->sp_workers;

	fprintf(fp,
	    "\t\tm%d_w%d_%d [shape=box, style=\"filled,rounded\", "
	    "fillcolor=\"#dcebdc\", tooltip=",
	    m, proc, index);
	graph_quote(fp, sp->sp_name, 0);
	fputs(", label=\"", fp);
	graph_text(fp, sp->sp_name, NAME_MAX_CHARS);
	fprintf(fp, " %d\\non CPU %d\"]\n", index, at);
	fprintf(fp, "\t\tm%d_s%d_%d -> m%d_w%d_%d", m, proc, socket, m, proc,
	    index);
	if (proc == 0 && sp->sp_reuseport && socket_load(dr, socket, &sl))
		fprintf(fp, " [label=\"%.0f/s\", penwidth=%.2f]", sl.sl_rate,
		    0.6 + 3 * sl.sl_rate / fmax(1, dr->dr_busiest_rate));
	fputc('\n', fp);
	/* Elsewhere than its connections: say so. */
	if (!own && dr->dr_shown[at])
		fprintf(fp,
		    "\t\tm%d_w%d_%d -> m%d_c%d [style=dotted, "
		    "constraint=false, arrowhead=none]\n",
		    m, proc, index, m, at);
	if (!dr->dr_sm->sm_sysctl.soaccept_pred_fast && dr->dr_shown[0])
		fprintf(fp,
		    "\t\tm%d_w%d_%d -> m%d_c0 [color=\"#b03020\", "
		    "fontcolor=\"#b03020\", dir=both, constraint=false%s]\n",
		    m, proc, index, m,
		    index == 0 ? ", label=\"accept(2): a message\"" : "");
}

/* Which protocol threads put connections on which socket. */
static void
feeds(struct drawing *dr, const struct setup_process *sp, int proc)
{
	int n = listeners(sp), m = dr->dr_machine;
	bool done[SETUP_MAX_CPUS] = { false };

	for (int s = 0; s < n; s++) {
		if (sp->sp_reuseport && !dr->dr_shown[worker_cpu(dr, sp, s)])
			continue;
		memset(done, 0, sizeof(done));
		for (int v = s; v < NIC_RSS_VALUES; v += n) {
			int from = v % dr->dr_netisrs;

			if (done[from] || !dr->dr_shown[from])
				continue;
			done[from] = true;
			fprintf(dr->dr_fp, "\t\tm%d_c%d -> m%d_s%d_%d\n", m,
			    from, m, proc, s);
		}
	}
}

static void
peers(FILE *fp, const struct setup *su)
{
	static const char *const tools[] = {
		[TOOL_WRK] = "wrk",
		[TOOL_OPEN] = "open loop",
		[TOOL_HTTPERF] = "httperf",
	};

	for (int i = 0; i < su->su_npeers; i++) {
		const struct setup_peer *pe = &su->su_peers[i];

		fprintf(fp,
		    "\tp%d [shape=box3d, fillcolor=\"#f4ecd8\", tooltip=", i);
		graph_quote(fp, pe->pe_name, 0);
		fputs(", label=\"", fp);
		graph_text(fp, pe->pe_name, NAME_MAX_CHARS);
		fprintf(fp, "\\n%s, %d CPU%s\\n", tools[pe->pe_tool],
		    pe->pe_threads, pe->pe_threads > 1 ? "s" : "");
		if (pe->pe_tool == TOOL_OPEN)
			fprintf(fp, "%.6g connections/s\"]\n", pe->pe_rate);
		else if (pe->pe_tool == TOOL_HTTPERF)
			fprintf(fp, "%d processes\"]\n", pe->pe_processes);
		else
			fprintf(fp, "%lld connections\"]\n",
			    (long long)pe->pe_connections);
		fprintf(fp, "\tp%d -> m%d_n%d_p%d [dir=both, penwidth=1.5]\n",
		    i, pe->pe_machine, pe->pe_nic, pe->pe_port);
	}
}

static void
legend(FILE *fp)
{
	fputs("\\ncolour: how busy a CPU is, how full a queue is on the mean; "
	      "width: accepted a second",
	    fp);
}

static int
worker_cpu(const struct drawing *dr, const struct setup_process *sp, int worker)
{
	if (sp->sp_affinity == AFFINITY_CPUHINT)
		return worker % dr->dr_netisrs;
	return (sp->sp_cpu + worker) % dr->dr_ncpus;
}

static int
listeners(const struct setup_process *sp)
{
	return sp->sp_reuseport ? sp->sp_workers : 1;
}

/* Returns: whether the records know of this CPU. */
static bool
cpu_load(const struct drawing *dr, int cpu, struct cpu_load *cl)
{
	int n = 0;

	*cl = (struct cpu_load){ 0 };
	for (int r = 0; r < dr->dr_n; r++)
		for (int i = 0; i < dr->dr_rds[r]->rd_ncpus; i++) {
			const struct record_cpu *ru =
			    &dr->dr_rds[r]->rd_cpus[i];

			if (ru->ru_cpu != cpu ||
			    strcmp(ru->ru_machine, dr->dr_sm->sm_name) != 0)
				continue;
			cl->cl_busy += ru->ru_busy;
			cl->cl_netisr += ru->ru_netisr;
			n++;
		}
	if (n == 0)
		return false;
	cl->cl_busy /= n;
	cl->cl_netisr /= n;
	return true;
}

/* The same for a listening socket; drops are those of all replications. */
static bool
socket_load(const struct drawing *dr, int index, struct socket_load *sl)
{
	int n = 0;

	*sl = (struct socket_load){ 0 };
	for (int r = 0; r < dr->dr_n; r++)
		for (int i = 0; i < dr->dr_rds[r]->rd_nlisteners; i++) {
			const struct record_listener *rl =
			    &dr->dr_rds[r]->rd_listeners[i];

			if (rl->rl_index != index ||
			    strcmp(rl->rl_machine, dr->dr_sm->sm_name) != 0)
				continue;
			sl->sl_mean += rl->rl_qlen_mean;
			sl->sl_rate += (double)rl->rl_accepted * 1e9 /
				       (double)dr->dr_rds[r]->rd_measure_ns;
			sl->sl_drops += (double)rl->rl_syn_drops;
			sl->sl_max = rl->rl_qlen_max > sl->sl_max
					 ? rl->rl_qlen_max
					 : sl->sl_max;
			sl->sl_limit = rl->rl_qlimit;
			n++;
		}
	if (n == 0)
		return false;
	sl->sl_mean /= n;
	sl->sl_rate /= n;
	return true;
}
