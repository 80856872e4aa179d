#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "model/hw/nic.h"
#include "sim/core/alloc.h"
#include "sim/lab/graph_impl.h"
#include "sim/lab/scenario.h"
#include "sim/lab/units.h"

/* Nodes one below the other. */
struct column {
	char (*co_nodes)[32];
	int co_n;
};

static void ports(struct drawing *);
static void port(struct drawing *, int nic, int port);
static void rings(struct drawing *);
static void ring(struct drawing *, int nic, int index);
static void cpus(struct drawing *);
static void cpu(struct drawing *, int cpu);
static int gap(struct drawing *, int cpu);
static void spread(struct drawing *, int nic);
static void sockets(struct drawing *);
static void socket_node(struct drawing *, int proc, int index);
static void feeds(struct drawing *, int proc, int index);
static void workers(struct drawing *);
static int worker_gap(struct drawing *, int proc, int index);
static void worker(struct drawing *, int proc, int index);
static void worker_edges(struct drawing *, int proc, int index);
static void column_add(struct column *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void column_end(FILE *, struct column *);

void
graph_machine(struct drawing *dr)
{
	if (dr->dr_sm->sm_kernel == KERNEL_FREEBSD_2007) {
		graph_receive(dr);
		return;
	}
	ports(dr);
	rings(dr);
	cpus(dr);
	sockets(dr);
	workers(dr);
}

static void
column_add(struct column *co, const char *fmt, ...)
{
	va_list ap;

	co->co_nodes =
	    sim_realloc(co->co_nodes, co->co_n + 1, sizeof(*co->co_nodes));
	va_start(ap, fmt);
	vsnprintf(co->co_nodes[co->co_n++], sizeof(*co->co_nodes), fmt, ap);
	va_end(ap);
}

/*
 * In the order in which they were added: from left to right dot puts the head
 * of an edge within a rank above its tail. (But not where edges have labels,
 * nor outside of clusters: there it takes the order of declarations.)
 */
static void
column_end(FILE *fp, struct column *co)
{
	if (co->co_n > 1) {
		fputs("\t\t{ rank=same; ", fp);
		for (int i = co->co_n - 1; i >= 0; i--)
			fprintf(
			    fp, "%s%s", co->co_nodes[i], i > 0 ? " -> " : "");
		fputs(" [style=invis] }\n", fp);
	}
	sim_free(co->co_nodes);
}

static void
ports(struct drawing *dr)
{
	struct column co = { 0 };

	for (int n = 0; n < dr->dr_sm->sm_nnics; n++)
		for (int p = 0; p < dr->dr_sm->sm_nics[n].sn_ports; p++) {
			port(dr, n, p);
			column_add(&co, "m%d_n%d_p%d", dr->dr_machine, n, p);
		}
	column_end(dr->dr_fp, &co);
}

static void
port(struct drawing *dr, int nic, int index)
{
	const struct setup_nic *sn = &dr->dr_sm->sm_nics[nic];
	char rate[UNIT_TEXT_MAX], latency[UNIT_TEXT_MAX];

	fprintf(dr->dr_fp, "\t\tm%d_n%d_p%d [fillcolor=\"#e4e8ee\", label=\"",
	    dr->dr_machine, nic, index);
	graph_text(dr->dr_fp, sn->sn_name, GRAPH_NAME);
	fprintf(dr->dr_fp, "%d\\n%s, %s\\n", index,
	    unit_print(UNIT_RATE, sn->sn_bps, rate),
	    unit_print(UNIT_TIME, sn->sn_latency, latency));
	if (sn->sn_polling)
		fprintf(dr->dr_fp, "polled at %lld/s",
		    (long long)dr->dr_sm->sm_sysctl.pollhz);
	else
		fprintf(dr->dr_fp, "at most %lld interrupts/s",
		    (long long)sn->sn_intr_rate);
	fputs("\", ", dr->dr_fp);
	graph_tooltip(dr->dr_fp, sn->sn_name);
	fputs("]\n", dr->dr_fp);
}

/* Card by card, as the ports: a card's are in the order of CPUs. */
static void
rings(struct drawing *dr)
{
	struct column co = { 0 };

	for (int n = 0; n < dr->dr_sm->sm_nnics; n++) {
		const struct setup_nic *sn = &dr->dr_sm->sm_nics[n];

		for (int r = 0; r < graph_rings(dr, sn); r++) {
			if (!dr->dr_shown[graph_ring_cpu(sn, r)])
				continue;
			ring(dr, n, r);
			column_add(&co, "m%d_n%d_r%d", dr->dr_machine, n, r);
		}
	}
	column_end(dr->dr_fp, &co);
}

/* The rings of that number of all ports are one node. */
static void
ring(struct drawing *dr, int nic, int index)
{
	const struct setup_nic *sn = &dr->dr_sm->sm_nics[nic];
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine;
	bool receives = index < setup_rx_rings(dr->dr_sm, sn);
	const char *dir = receives ? "both" : "back";

	fprintf(fp, "\t\tm%d_n%d_r%d [fillcolor=\"#e4e8ee\", label=\"", m, nic,
	    index);
	if (dr->dr_sm->sm_nnics > 1) {
		graph_text(fp, sn->sn_name, GRAPH_NAME);
		fputs(": ", fp);
	}
	fprintf(fp, "%s %d", receives ? "RX, TX ring" : "TX ring", index);
	if (sn->sn_ports > 1)
		fputs("\\nof each port", fp);
	if (sn->sn_model == NIC_EM)
		fprintf(fp, "\\ninterrupts CPU %d", sn->sn_intr_cpu);
	fputs("\"]\n", fp);
	for (int p = 0; p < sn->sn_ports; p++)
		fprintf(fp, "\t\tm%d_n%d_p%d -> m%d_n%d_r%d [dir=%s]\n", m, nic,
		    p, m, nic, index, dir);
	fprintf(fp, "\t\tm%d_n%d_r%d -> m%d_c%d [dir=%s]\n", m, nic, index, m,
	    graph_ring_cpu(sn, index), dir);
}

static void
cpus(struct drawing *dr)
{
	struct column co = { 0 };

	for (int i = 0; i < dr->dr_ncpus; i++) {
		if (dr->dr_shown[i]) {
			cpu(dr, i);
			column_add(&co, "m%d_c%d", dr->dr_machine, i);
		} else if (dr->dr_role[i]) {
			column_add(&co, "m%d_c%d", dr->dr_machine, i);
			i = gap(dr, i);
		}
	}
	column_end(dr->dr_fp, &co);
	for (int n = 0; n < dr->dr_sm->sm_nnics; n++)
		spread(dr, n);
}

static void
cpu(struct drawing *dr, int cpu)
{
	FILE *fp = dr->dr_fp;
	struct cpu_load cl;

	fprintf(fp, "\t\tm%d_c%d [label=\"CPU %d", dr->dr_machine, cpu, cpu);
	if (cpu < dr->dr_netisrs)
		fprintf(fp, ", netisr %d", cpu);
	if (!graph_cpu_load(dr, cpu, &cl)) {
		fputs("\"]\n", fp);
		return;
	}
	fprintf(fp, "\\n%.0f %% busy\\nnetisr %.0f %%", 100 * cl.cl_busy,
	    100 * cl.cl_netisr);
	/* An older store does not know: NAN. */
	if (cl.cl_interrupt >= 0.005)
		fprintf(fp, ", interrupts %.0f %%", 100 * cl.cl_interrupt);
	fputs("\", fillcolor=", fp);
	graph_heat(fp, cl.cl_busy);
	fputs("]\n", fp);
}

/*
 * A note in place of CPUs that are not drawn, from this one to the next that
 * is. Returns: the last of them.
 */
static int
gap(struct drawing *dr, int cpu)
{
	FILE *fp = dr->dr_fp;
	double least = INFINITY, most = -1;
	struct cpu_load cl;
	int n = 0, last = cpu, i;

	for (i = cpu; i < dr->dr_ncpus && !dr->dr_shown[i]; i++) {
		if (!dr->dr_role[i])
			continue;
		n++;
		last = i;
		if (!graph_cpu_load(dr, i, &cl))
			continue;
		least = fmin(least, cl.cl_busy);
		most = fmax(most, cl.cl_busy);
	}
	fprintf(fp,
	    "\t\tm%d_c%d [shape=none, margin=\"0.08,0\", "
	    "label=\"... %d CPUs, %d to %d",
	    dr->dr_machine, cpu, n, cpu, last);
	if (most >= 0) {
		fputs(",\\n", fp);
		if (most - least >= 0.005)
			fprintf(fp, "%.0f to ", 100 * least);
		fprintf(fp, "%.0f %% busy", 100 * most);
	}
	fputs("\"]\n", fp);
	return i - 1;
}

/*
 * Frames whose hash names the protocol thread of a CPU other than that of the
 * ring go there as messages.
 */
static void
spread(struct drawing *dr, int nic)
{
	const struct setup_nic *sn = &dr->dr_sm->sm_nics[nic];
	int rings = setup_rx_rings(dr->dr_sm, sn), m = dr->dr_machine;

	for (int to = 0; to < dr->dr_netisrs && to < NIC_RSS_VALUES; to++) {
		int from = graph_ring_cpu(sn, to % rings);

		if (from != to && dr->dr_shown[from] && dr->dr_shown[to])
			fprintf(dr->dr_fp,
			    "\t\tm%d_c%d -> m%d_c%d [color=\"#b07020\", "
			    "constraint=false]\n",
			    m, from, m, to);
	}
}

static void
sockets(struct drawing *dr)
{
	struct column co = { 0 };

	for (int p = 0; p < dr->dr_sm->sm_nprocs; p++) {
		const struct setup_process *sp = &dr->dr_sm->sm_procs[p];

		for (int i = 0; i < graph_listeners(sp); i++) {
			if (sp->sp_reuseport && !graph_shows(dr, p, i))
				continue;
			socket_node(dr, p, i);
			feeds(dr, p, i);
			column_add(&co, "m%d_s%d_%d", dr->dr_machine, p, i);
		}
	}
	column_end(dr->dr_fp, &co);
}

static void
socket_node(struct drawing *dr, int proc, int index)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[proc];
	FILE *fp = dr->dr_fp;
	int64_t limit = dr->dr_sm->sm_sysctl.somaxconn;
	struct socket_load sl;

	if (sp->sp_backlog >= 0 && sp->sp_backlog < limit)
		limit = sp->sp_backlog;
	fprintf(fp,
	    "\t\tm%d_s%d_%d [shape=cds, margin=\"0.15,0.1\", tooltip=\"%s\", "
	    "label=\"so_comp",
	    dr->dr_machine, proc, index,
	    sp->sp_reuseport ? "listening socket, of an SO_REUSEPORT group"
			     : "listening socket, of all workers");
	if (sp->sp_reuseport)
		fprintf(fp, " %d", index);
	if (proc != 0 || !graph_socket_load(dr, index, &sl)) {
		fprintf(fp, "\\nlimit %lld\"]\n", (long long)limit);
		return;
	}
	fprintf(fp, "\\n%.0f of %lld, at most %lld", sl.sl_mean,
	    (long long)sl.sl_limit, (long long)sl.sl_max);
	if (sl.sl_drops > 0)
		fprintf(fp, "\\n%.*f SYNs dropped/s", sl.sl_drops < 10 ? 1 : 0,
		    sl.sl_drops);
	fputs("\", fillcolor=", fp);
	graph_heat(fp, sl.sl_limit > 0 ? sl.sl_mean / (double)sl.sl_limit : 1);
	fputs("]\n", fp);
}

/*
 * Which protocol threads put connections on a socket. Those that are not drawn
 * do so too, where it is the only one.
 */
static void
feeds(struct drawing *dr, int proc, int index)
{
	int n = graph_listeners(&dr->dr_sm->sm_procs[proc]);
	int m = dr->dr_machine;
	bool feeds[SETUP_MAX_CPUS] = { false }, noted = false;

	for (int v = index; v < NIC_RSS_VALUES; v += n)
		feeds[v % dr->dr_netisrs] = true;
	for (int i = 0; i < dr->dr_netisrs; i++) {
		if (feeds[i] &&
		    (dr->dr_shown[i] ||
			(!dr->dr_sm->sm_procs[proc].sp_reuseport && !noted)))
			fprintf(dr->dr_fp, "\t\tm%d_c%d -> m%d_s%d_%d\n", m, i,
			    m, proc, index);
		noted = !dr->dr_shown[i];
	}
}

static void
workers(struct drawing *dr)
{
	struct column co = { 0 };

	for (int p = 0; p < dr->dr_sm->sm_nprocs; p++)
		for (int i = 0; i < dr->dr_sm->sm_procs[p].sp_workers; i++) {
			bool shown = graph_shows(dr, p, i);

			/* Those with a socket each are where their CPUs are. */
			if (!shown && (dr->dr_sm->sm_procs[p].sp_reuseport ||
					  graph_more_workers(dr, p, 0) > 0))
				continue;
			column_add(&co, "m%d_w%d_%d", dr->dr_machine, p, i);
			if (shown) {
				worker(dr, p, i);
				worker_edges(dr, p, i);
			} else {
				i = worker_gap(dr, p, i);
			}
		}
	column_end(dr->dr_fp, &co);
}

/* Workers that are not drawn. Returns: the last of them. */
static int
worker_gap(struct drawing *dr, int proc, int index)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[proc];
	int m = dr->dr_machine, last = index;

	while (last + 1 < sp->sp_workers && !graph_shows(dr, proc, last + 1))
		last++;
	fprintf(dr->dr_fp,
	    "\t\tm%d_w%d_%d [shape=none, margin=\"0.08,0\", "
	    "label=\"... %d workers, %d to "
	    "%d\"]\n"
	    "\t\tm%d_s%d_0 -> m%d_w%d_%d\n",
	    m, proc, index, last - index + 1, index, last, m, proc, m, proc,
	    index);
	return last;
}

static void
worker(struct drawing *dr, int proc, int index)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[proc];
	FILE *fp = dr->dr_fp;
	int more = graph_more_workers(dr, proc, index);
	struct socket_load sl;

	fprintf(fp,
	    "\t\tm%d_w%d_%d [style=\"filled,rounded\", "
	    "fillcolor=\"#dcebdc\", ",
	    dr->dr_machine, proc, index);
	graph_tooltip(fp, sp->sp_name);
	fputs(", label=\"", fp);
	graph_text(fp, sp->sp_name, GRAPH_NAME);
	fprintf(fp, " %d", index);
	if (more > 0)
		fprintf(fp, " and %d more", more);
	fprintf(fp, "\\non CPU %d", graph_worker_cpu(dr, sp, index));
	if (proc == 0 && sp->sp_reuseport && graph_socket_load(dr, index, &sl))
		fprintf(fp, "\\n%.0f accepted/s", sl.sl_rate);
	fputs("\"]\n", fp);
}

static void
worker_edges(struct drawing *dr, int proc, int index)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[proc];
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine, at = graph_worker_cpu(dr, sp, index);
	int socket = index % graph_listeners(sp);
	struct socket_load sl;

	fprintf(fp, "\t\tm%d_s%d_%d -> m%d_w%d_%d", m, proc, socket, m, proc,
	    index);
	if (proc == 0 && sp->sp_reuseport && graph_socket_load(dr, socket, &sl))
		fprintf(fp, " [penwidth=%.2f]",
		    0.6 + 3 * sl.sl_rate / fmax(1, dr->dr_busiest_rate));
	fputc('\n', fp);
	/* Of many it is said in the label only. */
	if (sp->sp_workers <= 2)
		fprintf(fp,
		    "\t\tm%d_w%d_%d -> m%d_c%d [style=dotted, "
		    "constraint=false, arrowhead=none]\n",
		    m, proc, index, m, at);
	if (!dr->dr_sm->sm_sysctl.soaccept_pred_fast)
		fprintf(fp,
		    "\t\tm%d_w%d_%d -> m%d_c0 [color=\"#b03020\", dir=both, "
		    "constraint=false]\n",
		    m, proc, index, m);
}
