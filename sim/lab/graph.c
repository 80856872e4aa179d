#include "sim/lab/graph.h"

#include <string.h>

#include "sim/lab/graph_impl.h"
#include "sim/lab/scenario.h"

static void machine(struct drawing *);
static void peers(FILE *, const struct setup *, double share);
static void peer_load(FILE *, const struct setup_peer *);

void
graph_dot(FILE *fp, const struct setup *su, struct record *const *rds, int n)
{
	struct drawing dr = {
		.dr_fp = fp, .dr_su = su, .dr_rds = rds, .dr_n = n
	};

	fputs("digraph solab {\n"
	      "\tgraph [rankdir=LR, nodesep=0.12, ranksep=0.5, pad=0.1,\n"
	      "\t    bgcolor=white, newrank=true, labelloc=t,\n"
	      "\t    fontname=\"Helvetica,Arial,sans-serif\", fontsize=13,\n"
	      "\t    ",
	    fp);
	graph_tooltip(fp, su->su_title);
	fputs(", label=", fp);
	graph_quote(fp, su->su_title, 90);
	fputs("]\n"
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
	peers(fp, su, graph_link_share(su, rds, n));
	graph_legend(fp, su, n > 0);
	fputs("}\n", fp);
}

static void
machine(struct drawing *dr)
{
	const struct setup_hardware *hw = &dr->dr_sm->sm_hw;
	FILE *fp = dr->dr_fp;

	dr->dr_ncpus = hw->hw_ncpus;
	dr->dr_netisrs = setup_netisr_ncpus(dr->dr_sm);
	graph_choose(dr);
	fprintf(fp,
	    "\tsubgraph cluster_m%d {\n"
	    "\t\tcolor=\"#999999\"; style=rounded; labeljust=l; ",
	    dr->dr_machine);
	graph_tooltip(fp, hw->hw_name);
	fputs("\n\t\tlabel=\"", fp);
	graph_text(fp, dr->dr_sm->sm_name, GRAPH_NAME);
	fprintf(fp, ": %d CPUs, ", dr->dr_ncpus);
	graph_text(fp, hw->hw_name, GRAPH_NAME);
	graph_totals(dr);
	fputs("\"\n", fp);
	graph_machine(dr);
	fputs("\t}\n", fp);
}

static void
peers(FILE *fp, const struct setup *su, double share)
{
	for (int i = 0; i < su->su_npeers; i++) {
		const struct setup_peer *pe = &su->su_peers[i];

		fprintf(fp, "\tp%d [shape=box3d, fillcolor=\"#f4ecd8\", ", i);
		graph_tooltip(fp, pe->pe_name);
		fputs(", label=\"", fp);
		graph_text(fp, pe->pe_name, GRAPH_NAME);
		peer_load(fp, pe);
		fprintf(fp,
		    "\"]\n\tp%d -> m%d_n%d_p%d [dir=both, penwidth=%.2f]\n", i,
		    pe->pe_machine, pe->pe_nic, pe->pe_port, 1.5 + 4 * share);
	}
}

static void
peer_load(FILE *fp, const struct setup_peer *pe)
{
	static const char *const tools[] = {
		[TOOL_WRK] = "wrk",
		[TOOL_OPEN] = "open loop",
		[TOOL_HTTPERF] = "httperf",
		[TOOL_NETPERF] = "netperf",
	};

	fprintf(fp, "\\n%s, %d CPU%s\\n", tools[pe->pe_tool], pe->pe_threads,
	    pe->pe_threads > 1 ? "s" : "");
	switch (pe->pe_tool) {
	case TOOL_WRK:
		fprintf(fp, "%lld connections", (long long)pe->pe_connections);
		break;
	case TOOL_OPEN:
		fprintf(fp, "%.6g connections/s", pe->pe_rate);
		break;
	case TOOL_HTTPERF:
		fprintf(fp, "%d processes", pe->pe_processes);
		break;
	case TOOL_NETPERF:
		fprintf(fp, "TCP_SENDFILE");
		break;
	}
}
