/*
 * A machine of freebsd-2007: from the card's interrupt to the process. Threads
 * are boxes with round corners; what they run on is said in them.
 */
#include "model/dev/mxge.h"
#include "sim/lab/graph_impl.h"
#include "sim/lab/units.h"

static void card(struct drawing *);
static void threads(struct drawing *);
static void sockbuf(struct drawing *);
static void cpus(struct drawing *);

void
graph_receive(struct drawing *dr)
{
	card(dr);
	threads(dr);
	sockbuf(dr);
	cpus(dr);
}

/* "on any CPU", "on CPU 1" */
static void
placement(const struct drawing *dr, int cpu)
{
	int intr = dr->dr_sm->sm_nics[0].sn_intr_cpu;

	if (cpu == CPU_SAME_CORE)
		cpu = intr;
	else if (cpu == CPU_OTHER_CORE)
		cpu = (intr + 1) % dr->dr_ncpus;
	if (cpu == CPU_ANY)
		fputs("on any CPU", dr->dr_fp);
	else
		fprintf(dr->dr_fp, "on CPU %d", cpu);
}

static void
card(struct drawing *dr)
{
	const struct setup_nic *sn = &dr->dr_sm->sm_nics[0];
	const struct setup_sysctl *ctl = &dr->dr_sm->sm_sysctl;
	char rate[UNIT_TEXT_MAX], latency[UNIT_TEXT_MAX];
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine;

	fprintf(fp, "\t\tm%d_n0_p0 [fillcolor=\"#e4e8ee\", label=\"", m);
	graph_text(fp, sn->sn_name, GRAPH_NAME);
	fprintf(fp, "0\\n%s, %s, MTU %lld\", ",
	    unit_print(UNIT_RATE, sn->sn_bps, rate),
	    unit_print(UNIT_TIME, sn->sn_latency, latency),
	    (long long)sn->sn_mtu);
	graph_tooltip(fp, sn->sn_name);
	fprintf(fp,
	    "]\n\t\tm%d_n0_r0 [fillcolor=\"#e4e8ee\", label=\"RX ring, %lld "
	    "buffers of %u\\none interrupt, on CPU %d\\nnot within %lld us of "
	    "the last\"]\n",
	    m, (long long)ctl->mxge_rxd, mxge_bigsize(sn->sn_mtu),
	    sn->sn_intr_cpu, (long long)ctl->intr_coal_delay);
	fprintf(fp, "\t\tm%d_n0_p0 -> m%d_n0_r0\n", m, m);
}

static void
threads(struct drawing *dr)
{
	const struct setup_process *sp = &dr->dr_sm->sm_procs[0];
	bool direct = dr->dr_sm->sm_sysctl.isr_direct;
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine;

	fprintf(fp,
	    "\t\tm%d_irq [style=\"rounded,filled\", label=\"irq: mxge0\\n", m);
	placement(dr, dr->dr_sm->sm_nics[0].sn_ithread);
	fputs("\"]\n", fp);
	fprintf(fp, "\t\tm%d_n0_r0 -> m%d_irq\n", m, m);
	if (!direct)
		fprintf(fp,
		    "\t\tm%d_swi [style=\"rounded,filled\", label=\"swi1: "
		    "net\\non any CPU\"]\n\t\tm%d_irq -> m%d_swi\n",
		    m, m, m);
	fprintf(fp, "\t\tm%d_%s -> m%d_n0_p0 [constraint=false, label=ACKs]\n",
	    m, direct ? "irq" : "swi", m);
	fprintf(fp, "\t\tm%d_proc [style=\"rounded,filled\", label=\"", m);
	graph_text(fp, sp->sp_name, GRAPH_NAME);
	fputs("\\n", fp);
	placement(dr, sp->sp_cpu);
	fputs("\", ", fp);
	graph_tooltip(fp, sp->sp_name);
	fputs("]\n", fp);
}

static void
sockbuf(struct drawing *dr)
{
	static const char *const variants[] = {
		[SORECEIVE_GENERIC] = "soreceive_generic",
		[SORECEIVE_STREAM_2007] = "soreceive_stream, cut",
		[SORECEIVE_STREAM_2009] = "soreceive_stream, dropped",
	};
	bool direct = dr->dr_sm->sm_sysctl.isr_direct;
	char size[UNIT_TEXT_MAX];
	FILE *fp = dr->dr_fp;
	int m = dr->dr_machine;

	fprintf(fp,
	    "\t\tm%d_rcv [shape=cds, label=\"so_rcv\\n%s\"]\n"
	    "\t\tm%d_%s -> m%d_rcv\n"
	    "\t\tm%d_rcv -> m%d_proc [label=\"%s\"]\n",
	    m, unit_print(UNIT_SIZE, dr->dr_sm->sm_procs[0].sp_rcvbuf, size), m,
	    direct ? "irq" : "swi", m, m, m, variants[dr->dr_sm->sm_soreceive]);
}

/* What a run put on each. */
static void
cpus(struct drawing *dr)
{
	FILE *fp = dr->dr_fp;
	struct cpu_load cl;

	for (int i = 0; i < dr->dr_ncpus; i++) {
		fprintf(
		    fp, "\t\tm%d_c%d [label=\"CPU %d", dr->dr_machine, i, i);
		if (!graph_cpu_load(dr, i, &cl)) {
			fputs("\"]\n", fp);
			continue;
		}
		fprintf(fp, "\\n%.0f %% busy\", fillcolor=", 100 * cl.cl_busy);
		graph_heat(fp, cl.cl_busy);
		fputs("]\n", fp);
	}
}
