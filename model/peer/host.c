#include "model/peer/host.h"

#include <string.h>

#include "model/trace.h"

#define HOST_SERVER_PORT 80
#define HOST_HIGH_RTOBASE 3 /* s */
#define HOST_PREFETCH 12    /* segments; more would push each other out */

static void host_cpu_init(struct host *, int i, const struct host_place *);
static void host_hardclock(struct cpu *, struct cpu_source *);
static void host_intr(struct nic_vector *);
static void host_input(struct host_cpu *, const struct pkt *);
static void host_pay(struct host_cpu *);
static uint32_t host_iss(const struct host_cpu *);
static int host_port_search(
    struct host_cpu *, int addr, struct host_conn **ports, uint8_t *rss);
static const struct tcp_ops host_tcp_ops;

struct host *
host_create(const struct setup_peer *pe, const struct host_tool_ops *tool,
    const struct host_place *hp)
{
	struct host *h = sim_calloc(1, sizeof(*h));
	int tables = (int)pe->pe_sysctl.netisr_ncpus;

	h->h_setup = pe;
	h->h_linux = pe->pe_tool == TOOL_NETPERF;
	h->h_toeplitz = hp->hp_toeplitz;
	h->h_tool = tool;
	h->h_engine_host = hp->hp_engine_host;
	h->h_ncpus = pe->pe_threads;
	h->h_nports = tables > pe->pe_threads ? tables : pe->pe_threads;
	h->h_addr0 = hp->hp_addr0;
	h->h_ip0 = hp->hp_ip0;
	h->h_server = hp->hp_server;
	h->h_flows = hp->hp_flows;
	h->h_ports = sim_calloc(pe->pe_addresses, sizeof(*h->h_ports));
	for (int i = 0; i < pe->pe_addresses; i++)
		h->h_ports[i] = sim_arena(65536, sizeof(**h->h_ports));
	h->h_cpus = sim_calloc(h->h_ncpus, sizeof(*h->h_cpus));
	for (int i = 0; i < h->h_ncpus; i++)
		host_cpu_init(h, i, hp);
	return h;
}

static void
host_cpu_init(struct host *h, int i, const struct host_place *hp)
{
	const struct setup_host_sysctl *ctl = &h->h_setup->pe_sysctl;
	struct host_cpu *ho = sim_arena(1, sizeof(*ho));

	h->h_cpus[i] = ho;
	cpu_init(&ho->ho_cpu, i, hp->hp_where + i, h->h_setup->pe_hw.hw_cost,
	    hp->hp_marks, hp->hp_exact);
	ho->ho_host = h;
	ho->ho_index = i;
	ho->ho_tcp = (struct tcp_host){
		.th_ops = &host_tcp_ops,
		.th_wheel = &ho->ho_wheel,
		.th_stats = &ho->ho_tcpstat,
		.th_sendspace = (uint32_t)ctl->sendspace,
		.th_recvspace = (uint32_t)ctl->recvspace,
		.th_mss = hp->hp_mss,
		.th_iwmaxsegs = (int)ctl->iw,
		.th_tso = ctl->tso,
		.th_tso_win_divisor = (int)ctl->tso_win_divisor,
		.th_delayed_ack = ctl->delayed_ack,
		.th_delack_ticks = callout_ms_to_ticks(ctl->delacktime),
		.th_rexmit_min_ticks = callout_ms_to_ticks(ctl->rexmt_min),
		.th_rexmit_slop_ticks = callout_ms_to_ticks(ctl->rexmit_slop),
		.th_rtobase_ticks =
		    (ctl->low_rtobase ? 1 : HOST_HIGH_RTOBASE) * CALLOUT_HZ,
		.th_msl_ticks = callout_ms_to_ticks(ctl->msl),
		.th_syn_retries = (int)ctl->syn_retries,
	};
	callwheel_init(&ho->ho_wheel);
	ho->ho_hardclock.cs_fire = host_hardclock;
	cpu_source_add(&ho->ho_cpu, &ho->ho_hardclock);
	cpu_source_arm(&ho->ho_cpu, &ho->ho_hardclock, CALLOUT_TICK_NS);
	txring_init(&ho->ho_tx, hp->hp_tx);
	sim_pool_init(&ho->ho_conns, sizeof(struct host_conn), 256);
	rng_init(&ho->ho_rng, hp->hp_run, "host.connect",
	    (uint64_t)h->h_addr0 << 16 | (unsigned)i);
	ho->ho_iss = rng_u32(&ho->ho_rng);
}

void
host_set_rx(struct host *h, struct wire *rx)
{
	for (int i = 0; i < h->h_ncpus; i++) {
		struct host_cpu *ho = h->h_cpus[i];

		nic_vector_init(&ho->ho_vector, &ho->ho_cpu, &ho->ho_rxq, rx,
		    1000000000 / h->h_setup->pe_intr_rate, host_intr, ho);
	}
}

void
host_destroy(struct host *h)
{
	if (h == NULL)
		return;
	for (int i = 0; i < h->h_ncpus; i++) {
		struct host_cpu *ho = h->h_cpus[i];

		sim_pool_fini(&ho->ho_conns, 1);
		pktq_fini(&ho->ho_rxq);
		txring_fini(&ho->ho_tx);
	}
	sim_free(h->h_ports);
	sim_free(h->h_cpus);
	sim_free(h);
}

/* A port belongs to the thread that owns its table, for ever. */
void
host_rx_arrive(void *arg, const struct pkt *p)
{
	struct host *h = arg;
	int table = (int)flow_port(p->p_flow) % h->h_nports;

	pktq_push(&h->h_cpus[table % h->h_ncpus]->ho_rxq, p);
}

static struct host_conn **
host_lookup(const struct host *h, uint32_t flow)
{
	return &h->h_ports[flow_addr(flow) - h->h_addr0][flow_port(flow)];
}

/*
 * Tell the processor what the segments that have arrived will touch. All at
 * once: one miss takes as long as ten.
 */
static void
host_prefetch(const struct host_cpu *ho)
{
	const struct host *h = ho->ho_host;
	const struct pktq *q = &ho->ho_rxq;
	uint32_t n = pktq_len(q);
	const struct host_conn *hc;

	if (n > HOST_PREFETCH)
		n = HOST_PREFETCH;
	for (uint32_t i = q->pq_head; i != q->pq_head + n; i++)
		__builtin_prefetch(
		    host_lookup(h, q->pq_buf[i & q->pq_mask].p_flow));
	for (uint32_t i = q->pq_head; i != q->pq_head + n; i++) {
		hc = *host_lookup(h, q->pq_buf[i & q->pq_mask].p_flow);
		for (size_t b = 0; hc != NULL && b < sizeof(*hc); b += 64)
			__builtin_prefetch((const char *)hc + b, 1);
	}
	for (uint32_t i = q->pq_head; i != q->pq_head + n; i++) {
		hc = *host_lookup(h, q->pq_buf[i & q->pq_mask].p_flow);
		if (hc != NULL) {
			__builtin_prefetch(hc->hc_slot, 1);
			__builtin_prefetch((const char *)hc->hc_slot + 64, 1);
		}
	}
}

/*
 * A receive interrupt: all segments that have arrived. cpu_run() comes before
 * each change of state and never within one, so no interrupt of this CPU can
 * see one half done.
 */
static void
host_intr(struct nic_vector *nv)
{
	struct host_cpu *ho = nv->nv_arg;
	sim_ns now = ho->ho_cpu.c_now;

	host_prefetch(ho);
	if (ho->ho_host->h_linux)
		cpu_run(&ho->ho_cpu, COST_lnx_intr);
	while (pktq_len(&ho->ho_rxq) != 0 &&
	       pktq_first(&ho->ho_rxq)->p_time <= now) {
		struct pkt p = *pktq_first(&ho->ho_rxq);

		ho->ho_rxq.pq_head++;
		ho->ho_rx_frames += p.p_nseg;
		cpu_run(&ho->ho_cpu,
		    ho->ho_host->h_linux ? COST_lnx_ack : COST_host_rx);
		host_input(ho, &p);
		if (ho->ho_host->h_linux)
			host_pay(ho);
	}
	host_pay(ho);
	while (txring_reclaim(&ho->ho_tx, now) != NULL)
		;
}

/* For the segments that were sent, outside of any change of state. */
static void
host_pay(struct host_cpu *ho)
{
	sim_ns debt = ho->ho_debt;

	ho->ho_debt = 0;
	if (debt > 0)
		cpu_run_ns(&ho->ho_cpu,
		    ho->ho_host->h_linux ? COST_lnx_tso : COST_host_ack, debt);
}

static void
host_input(struct host_cpu *ho, const struct pkt *p)
{
	struct host *h = ho->ho_host;
	struct host_conn *hc =
	    h->h_ports[flow_addr(p->p_flow) - h->h_addr0][flow_port(p->p_flow)];
	struct pkt rst;

	ho->ho_rx_time = p->p_time;
	if (hc != NULL) {
		tcp_input(&hc->hc_tp, p);
		return;
	}
	ho->ho_stats.hs_stray++;
	if (p->p_flags & TH_RST)
		return;
	ho->ho_stats.hs_rst_sent++;
	tcp_respond_rst(p, &rst);
	rst.p_time = ho->ho_cpu.c_now;
	wire_post(&ho->ho_tx, &rst);
}

static void
host_hardclock(struct cpu *c, struct cpu_source *cs)
{
	struct host_cpu *ho = cpu_host(c);

	cpu_source_arm(c, cs, cs->cs_next + CALLOUT_TICK_NS);
	callwheel_tick(&ho->ho_wheel);
}

/*
 * Choose a local port: from a random one of the thread's table step to the
 * next free one; the first porthash_trycount tries also want a hash that
 * belongs to this CPU.
 *
 * Kernel: in_pcbbind_remote(), sys/netinet/in_pcb.c
 */
static int
host_port_search(
    struct host_cpu *ho, int addr, struct host_conn **ports, uint8_t *rss)
{
	struct host *h = ho->ho_host;
	const struct setup_host_sysctl *ctl = &h->h_setup->pe_sysctl;
	int step = h->h_nports, ncpus = (int)ctl->netisr_ncpus;
	uint32_t base = toeplitz_hash(
	    h->h_toeplitz, h->h_ip0 + addr, h->h_server, HOST_SERVER_PORT, 0);
	uint32_t cut = rng_u32(&ho->ho_rng);

	for (int table = ho->ho_index; table < step; table += h->h_ncpus) {
		int first = (int)ctl->portrange_first, last, port, count;
		int tries = (int)ctl->porthash_trycount;

		first += (table - first % step + step) % step;
		last = (int)ctl->portrange_last;
		last -= (last - table) % step;
		if (last < first)
			continue;
		count = (last - first) / step + tries;
		port = last > first ? (int)(cut % (unsigned)(last - first)) : 0;
		port = port / step * step + first;
		for (; count >= 0; count--, port += step) {
			if (port > last)
				port = first;
			ho->ho_stats.hs_ports_searched++;
			*rss =
			    (base ^ toeplitz_word(h->h_toeplitz, port)) & 127;
			if (tries > 0 && --tries > 0 &&
			    *rss % ncpus != table % ncpus)
				continue;
			__builtin_prefetch(
			    &h->h_flows[h->h_addr0 + addr][port], 1);
			if (ports[port] == NULL)
				return port;
		}
	}
	return -1;
}

/*
 * Initial sequence numbers rise with time, 4 a microsecond, so that a port used
 * again is past what the server remembers of it in TIME_WAIT.
 *
 * Kernel: tcp_new_isn(), sys/netinet/tcp_subr.c
 * Differs: no secret for each connection.
 */
static uint32_t
host_iss(const struct host_cpu *ho)
{
	return ho->ho_iss + (uint32_t)(ho->ho_cpu.c_now >> 8);
}

struct host_conn *
host_connect(struct host_cpu *ho, int addr, void *slot, struct stages *sg)
{
	struct host *h = ho->ho_host;
	struct host_conn *hc;
	uint8_t rss;
	uint32_t flow;
	int port;

	cpu_run(&ho->ho_cpu, COST_host_connect);
	ho->ho_stats.hs_connects++;
	port = host_port_search(ho, addr, h->h_ports[addr], &rss);
	if (port < 0) {
		ho->ho_stats.hs_connect_errors++;
		return NULL;
	}
	hc = sim_pool_get(&ho->ho_conns);
	memset(hc, 0, sizeof(*hc));
	hc->hc_cpu = ho;
	hc->hc_slot = slot;
	h->h_ports[addr][port] = hc;
	flow = flow_make(h->h_addr0 + addr, port);
	h->h_flows[h->h_addr0 + addr][port].fl_stages = sg;
	tcp_init(&hc->hc_tp, &ho->ho_tcp, flow, rss);
	tcp_connect(&hc->hc_tp, host_iss(ho));
	return hc;
}

void
host_write(struct host_cpu *ho, struct host_conn **hcp, uint32_t len)
{
	cpu_run(&ho->ho_cpu, COST_host_write);
	if (*hcp == NULL)
		return;
	tcp_append(&(*hcp)->hc_tp, len);
	tcp_output(&(*hcp)->hc_tp, 0, NULL);
}

void
host_sendfile(struct host_cpu *ho, struct host_conn **hcp, uint32_t len)
{
	cpu_run_bytes(&ho->ho_cpu, COST_lnx_sendfile, len);
	if (*hcp == NULL)
		return;
	tcp_append(&(*hcp)->hc_tp, len);
	tcp_output(&(*hcp)->hc_tp, 0, NULL);
	host_pay(ho);
}

uint32_t
host_read(struct host_cpu *ho, struct host_conn **hcp, uint32_t len)
{
	struct host_conn *hc;
	uint32_t n;

	cpu_run(&ho->ho_cpu, COST_host_read);
	hc = *hcp;
	if (hc == NULL)
		return 0;
	n = hc->hc_unread < len ? hc->hc_unread : len;
	hc->hc_unread -= n;
	if (n > 0 && tcp_usr_rcvd(&hc->hc_tp, n))
		tcp_output(&hc->hc_tp, 0, NULL);
	return n;
}

bool
host_close(struct host_cpu *ho, struct host_conn **hcp)
{
	struct host_conn *hc;
	bool unsent; /* tcp_usrclosed() ends it at once */

	cpu_run(&ho->ho_cpu, COST_host_close);
	hc = *hcp;
	if (hc == NULL)
		return false;
	*hcp = NULL;
	hc->hc_slot = NULL;
	unsent = hc->hc_tp.t_state == TCPS_SYN_SENT;
	tcp_usrclosed(&hc->hc_tp);
	if (!unsent)
		tcp_output(&hc->hc_tp, 0, NULL);
	return true;
}

/*
 * struct tcp_ops
 */

static struct host_conn *
tp_conn(struct tcpcb *tp)
{
	return (struct host_conn *)tp;
}

static void
conn_output(struct tcpcb *tp, struct pkt *p)
{
	struct host_conn *hc = tp_conn(tp);
	struct host_cpu *ho = hc->hc_cpu;

	if (ho->ho_host->h_linux)
		ho->ho_debt += ho->ho_cpu.c_cost[COST_lnx_tso];
	else if (p->p_len == 0 && p->p_flags == TH_ACK)
		ho->ho_debt += ho->ho_cpu.c_cost[COST_host_ack];
	if (p->p_flags & TH_SYN) {
		struct flow *fl =
		    &ho->ho_host
			 ->h_flows[flow_addr(p->p_flow)][flow_port(p->p_flow)];

		if (tp->t_rxtshift > 0) {
			ho->ho_stats.hs_syn_retries++;
			ho->ho_debt += ho->ho_cpu.c_cost[COST_host_retry];
		}
		fl->fl_stages->sg_at[STAMP_SYN] = ho->ho_cpu.c_now;
	}
	p->p_time = ho->ho_cpu.c_now;
	wire_post(&ho->ho_tx, p);
}

static void
conn_connected(struct tcpcb *tp)
{
	struct host_conn *hc = tp_conn(tp);

	if (hc->hc_slot != NULL)
		hc->hc_cpu->ho_host->h_tool->ht_writable(
		    hc->hc_cpu, hc->hc_slot);
}

static void
conn_readable(struct tcpcb *tp, uint32_t len, bool eof)
{
	struct host_conn *hc = tp_conn(tp);

	hc->hc_unread += len;
	hc->hc_eof |= eof;
	if (len > 0)
		hc->hc_last_data = hc->hc_cpu->ho_rx_time;
	if (hc->hc_slot != NULL)
		hc->hc_cpu->ho_host->h_tool->ht_readable(
		    hc->hc_cpu, hc->hc_slot);
}

static void
conn_acked(struct tcpcb *tp, uint32_t acked)
{
	(void)tp;
	(void)acked;
}

static void
conn_closed(struct tcpcb *tp, enum tcp_end end)
{
	struct host_conn *hc = tp_conn(tp);
	struct host_cpu *ho = hc->hc_cpu;
	struct host *h = ho->ho_host;

	ho->ho_stats.hs_ended[end]++;
	h->h_ports[flow_addr(tp->t_flow) - h->h_addr0][flow_port(tp->t_flow)] =
	    NULL;
	if (hc->hc_slot != NULL)
		h->h_tool->ht_failed(ho, hc->hc_slot, end);
	sim_pool_put(&ho->ho_conns, hc);
}

static sim_ns
conn_now(struct tcpcb *tp)
{
	return tp_conn(tp)->hc_cpu->ho_cpu.c_now;
}

static const struct tcp_ops host_tcp_ops = {
	.to_output = conn_output,
	.to_connected = conn_connected,
	.to_readable = conn_readable,
	.to_acked = conn_acked,
	.to_closed = conn_closed,
	.to_now = conn_now,
};
