#include <math.h>
#include <string.h>

#include "sim/lab/graph_impl.h"
#include "sim/lab/keys.h"
#include "sim/lab/metric.h"
#include "sim/lab/scenario.h"

/* A count as a rate; of a run that measured no time it is 0. */
static double
per_second(int64_t count, const struct record *rd)
{
	if (rd->rd_measure_ns <= 0)
		return 0;
	return (double)count * 1e9 / (double)rd->rd_measure_ns;
}

bool
graph_cpu_load(const struct drawing *dr, int cpu, struct cpu_load *cl)
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
			cl->cl_interrupt += ru->ru_interrupt;
			n++;
		}
	if (n == 0)
		return false;
	cl->cl_busy /= n;
	cl->cl_netisr /= n;
	cl->cl_interrupt /= n;
	return true;
}

bool
graph_socket_load(const struct drawing *dr, int index, struct socket_load *sl)
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
			sl->sl_rate +=
			    per_second(rl->rl_accepted, dr->dr_rds[r]);
			sl->sl_drops +=
			    per_second(rl->rl_syn_drops, dr->dr_rds[r]);
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
	sl->sl_drops /= n;
	return true;
}

/* A counter a second, the mean over replications; 0: not there. */
static double
counter_rate(struct record *const *rds, int n, const char *name)
{
	double sum = 0;

	for (int r = 0; r < n; r++)
		for (int i = 0; i < rds[r]->rd_ncounters; i++)
			if (strcmp(rds[r]->rd_counters[i].rn_name, name) == 0)
				sum += per_second(
				    rds[r]->rd_counters[i].rn_value, rds[r]);
	return n > 0 ? sum / n : 0;
}

static double
links_bps(const struct setup *su)
{
	double sum = 0;

	for (int i = 0; i < su->su_npeers; i++)
		sum += (double)su->su_machines[su->su_peers[i].pe_machine]
			   .sm_nics[su->su_peers[i].pe_nic]
			   .sn_bps;
	return sum;
}

double
graph_link_share(const struct setup *su, struct record *const *rds, int n)
{
	double bps = links_bps(su);

	if (bps <= 0)
		return 0;
	return fmin(1, 8 * counter_rate(rds, n, "tcps_sndbyte") / bps);
}

/* Counters are of all machines together: of one only they say something. */
void
graph_totals(const struct drawing *dr)
{
	static const char *const drops[][2] = {
		{ "drop_syn_queue_full", "SYNs" },
		{ "drop_rx_ring", "frames at receive rings" },
		{ "drop_tx_queue", "packets at transmit queues" },
	};
	double requests = 0, sent, lost;
	const char *before = "\\ldropped: ";

	if (dr->dr_n == 0 || dr->dr_su->su_nmachines > 1)
		return;
	for (int r = 0; r < dr->dr_n; r++)
		requests += record_metric(dr->dr_rds[r],
				key_metrics[METRIC_THROUGHPUT].km_json) /
			    dr->dr_n;
	sent = counter_rate(dr->dr_rds, dr->dr_n, "tcps_sndbyte");
	fprintf(dr->dr_fp,
	    "\\l%.0f requests/s; %.2f Gbit/s of data sent, %.0f %% of the "
	    "links",
	    requests, 8e-9 * sent,
	    100 * graph_link_share(dr->dr_su, dr->dr_rds, dr->dr_n));
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
		lost = counter_rate(dr->dr_rds, dr->dr_n, drops[i][0]);
		if (lost <= 0)
			continue;
		fprintf(dr->dr_fp, "%s%.0f/s %s", before, lost, drops[i][1]);
		before = ", ";
	}
	fputs("\\l", dr->dr_fp);
}

void
graph_heat(FILE *fp, double share)
{
	double s = fmin(1, fmax(0, share));

	fprintf(fp, "\"%.3f %.3f 1.000\"", 0.14 - 0.12 * s, 0.05 + 0.5 * s);
}

/* Is there a card whose frames go on to other protocol threads? */
static bool
spreads(const struct setup *su)
{
	for (int m = 0; m < su->su_nmachines; m++) {
		const struct setup_machine *sm = &su->su_machines[m];

		for (int n = 0; n < sm->sm_nnics; n++)
			if (setup_rx_rings(sm, &sm->sm_nics[n]) <
				setup_netisr_ncpus(sm) ||
			    graph_ring_cpu(&sm->sm_nics[n], 0) != 0)
				return true;
	}
	return false;
}

static bool
asks_by_message(const struct setup *su)
{
	for (int m = 0; m < su->su_nmachines; m++)
		if (!su->su_machines[m].sm_sysctl.soaccept_pred_fast)
			return true;
	return false;
}

/* An HTML-like label with nothing of the user's in it. */
void
graph_legend(FILE *fp, const struct setup *su, bool loads)
{
	if (!loads && !spreads(su) && !asks_by_message(su))
		return;
	fputs("\tlegend [shape=plain, fillcolor=white, label=<<TABLE "
	      "BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
	      "CELLPADDING=\"2\">\n",
	    fp);
	if (loads) {
		fputs("\t    <TR>", fp);
		for (int i = 0; i <= 4; i++) {
			fputs("<TD BGCOLOR=", fp);
			graph_heat(fp, i / 4.0);
			fprintf(fp, ">%d %%</TD>", 25 * i);
		}
		fputs("</TR>\n\t    <TR><TD COLSPAN=\"5\" ALIGN=\"LEFT\">"
		      "CPU busy; queue, mean of limit</TD></TR>\n"
		      "\t    <TR><TD COLSPAN=\"5\" ALIGN=\"LEFT\">"
		      "width: accepted/s; data sent</TD></TR>\n",
		    fp);
	}
	if (spreads(su))
		fputs("\t    <TR><TD COLSPAN=\"5\" ALIGN=\"LEFT\">"
		      "<FONT COLOR=\"#a06010\">&rarr; to the netisr of the hash"
		      "</FONT></TD></TR>\n",
		    fp);
	if (asks_by_message(su))
		fputs("\t    <TR><TD COLSPAN=\"5\" ALIGN=\"LEFT\">"
		      "<FONT COLOR=\"#b03020\">&harr; accept(2): a message"
		      "</FONT></TD></TR>\n",
		    fp);
	fputs("\t    </TABLE>>]\n", fp);
}
