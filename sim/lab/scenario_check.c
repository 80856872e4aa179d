#include <stdio.h>
#include <string.h>

#include "sim/core/stat_steady.h"
#include "sim/lab/scenario_impl.h"

static void check_machine(struct checker *, const struct setup_machine *);
static void check_nic(
    struct checker *, const struct setup_machine *, const struct setup_nic *);
static void check_one_vector(struct checker *, const struct setup_machine *,
    const struct setup_nic *, const char *model);
static void check_process(struct checker *, const struct setup_machine *,
    const struct setup_process *);
static void check_peer(struct checker *, int peer);
static void check_httperf(
    struct checker *, const struct setup_peer *, int64_t ports);
static void check_link(struct checker *, int peer);
static void check_names(struct checker *);
static void check_run(struct checker *);
static int card_rx_rings(const struct setup_nic *);

void
scenario_check(const struct setup *su, const struct ynode *root, struct diag *d)
{
	struct checker ck = { root, d, su };
	int64_t addresses = 0;

	if (su->su_nmachines == 0)
		diag_error(d,
		    scenario_tree_at(
			root, (const char *const[]){ "machines" }, 1),
		    "machines: want at least one");
	if (su->su_npeers == 0)
		diag_error(d,
		    scenario_tree_at(root, (const char *const[]){ "peers" }, 1),
		    "peers: want at least one");
	check_names(&ck);
	check_run(&ck);
	for (int i = 0; i < su->su_nmachines; i++)
		check_machine(&ck, &su->su_machines[i]);
	for (int i = 0; i < su->su_npeers; i++) {
		check_peer(&ck, i);
		addresses += su->su_peers[i].pe_addresses;
		if (addresses > SETUP_MAX_ADDRESSES &&
		    addresses - su->su_peers[i].pe_addresses <=
			SETUP_MAX_ADDRESSES)
			diag_error(d,
			    check_at_peer(&ck, su->su_peers[i].pe_name,
				"addresses", NULL),
			    "addresses: %lld in all, want at most %d",
			    (long long)addresses, SETUP_MAX_ADDRESSES);
	}
}

int
setup_netisr_ncpus(const struct setup_machine *sm)
{
	int n = 1;

	if (sm->sm_sysctl.netisr_ncpus > 0)
		return (int)sm->sm_sysctl.netisr_ncpus;
	while (2 * n <= sm->sm_hw.hw_ncpus)
		n *= 2;
	return n;
}

int
setup_rx_rings(const struct setup_machine *sm, const struct setup_nic *sn)
{
	int n = card_rx_rings(sn), ncpus = setup_netisr_ncpus(sm);

	if (sm->sm_sysctl.ix_rxr > 0 && sm->sm_sysctl.ix_rxr < n)
		n = (int)sm->sm_sysctl.ix_rxr;
	return n < ncpus ? n : ncpus;
}

static int
card_rx_rings(const struct setup_nic *sn)
{
	switch (sn->sn_model) {
	case NIC_82599:
	case NIC_X540:
		return 16;
	case NIC_X550:
		return 64;
	case NIC_EM:
	case NIC_MXGE:
		return 1;
	}
	return 0;
}

static void
check_machine(struct checker *ck, const struct setup_machine *sm)
{
	int ncpus = setup_netisr_ncpus(sm), cpus = sm->sm_hw.hw_ncpus;

	if (sm->sm_nnics == 0)
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "nics", NULL, NULL),
		    "%s has no nics", sm->sm_name);
	if (sm->sm_nprocs == 0)
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "processes", NULL, NULL),
		    "%s has no processes", sm->sm_name);
	if (cpus % sm->sm_hw.hw_threads_per_core != 0)
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "hardware", "cpus", NULL),
		    "cpus: %d, want a multiple of threads_per_core (%d)", cpus,
		    sm->sm_hw.hw_threads_per_core);
	if (ncpus > cpus) {
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "sysctl", "net.netisr.ncpus", NULL),
		    "net.netisr.ncpus: %d, want 0..%d, the CPUs of %s", ncpus,
		    cpus, sm->sm_hw.hw_name);
		return;
	}
	check_receive_machine(ck, sm);
	for (int i = 0; i < sm->sm_nnics; i++)
		check_nic(ck, sm, &sm->sm_nics[i]);
	for (int i = 0; i < sm->sm_nprocs; i++)
		check_process(ck, sm, &sm->sm_procs[i]);
}

static void
check_nic(struct checker *ck, const struct setup_machine *sm,
    const struct setup_nic *sn)
{
	int card = card_rx_rings(sn), ncpus = setup_netisr_ncpus(sm);
	int64_t tx = sm->sm_sysctl.ix_txr;
	bool em = sn->sn_model == NIC_EM;

	if (em != (sm->sm_kernel == KERNEL_DRAGONFLY_2011)) {
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "nics", sn->sn_name, "model"),
		    "model: dragonfly-2011 is modelled with em only, and em "
		    "with dragonfly-2011 only");
		return;
	}
	if (!check_receive_nic(ck, sm, sn))
		return;
	if (em || sn->sn_model == NIC_MXGE) {
		check_one_vector(ck, sm, sn, em ? "em" : "mxge");
		return;
	}
	if (sm->sm_sysctl.ix_rxr > card)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "sysctl", "hw.ix.rxr", NULL),
		    "hw.ix.rxr: %d, want 0..%d, the rings of nic '%s'",
		    (int)sm->sm_sysctl.ix_rxr, card, sn->sn_name);
	else if (tx > 0 && tx < ncpus)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "sysctl", "hw.ix.txr", NULL),
		    "%d transmit rings for %d protocol CPUs: rings served by "
		    "several CPUs are not modelled yet",
		    (int)tx, ncpus);
}

static void
check_one_vector(struct checker *ck, const struct setup_machine *sm,
    const struct setup_nic *sn, const char *model)
{
	if (sn->sn_intr_cpu >= sm->sm_hw.hw_ncpus)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "nics", sn->sn_name, "intr_cpu"),
		    "intr_cpu: %d, want 0..%d, the CPUs of %s", sn->sn_intr_cpu,
		    sm->sm_hw.hw_ncpus - 1, sm->sm_hw.hw_name);
	if (sn->sn_polling)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "nics", sn->sn_name, "polling"),
		    "polling: not modelled for %s", model);
	if (sn->sn_ports > 1)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "nics", sn->sn_name, "ports"),
		    "ports: %d, want 1 with %s", sn->sn_ports, model);
}

static void
check_process(struct checker *ck, const struct setup_machine *sm,
    const struct setup_process *sp)
{
	if (!check_receive_process(ck, sm, sp))
		return;
	if (sp->sp_cpu >= sm->sm_hw.hw_ncpus)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "processes", sp->sp_name, "cpu"),
		    "cpu: %d, want 0..%d, the CPUs of %s", sp->sp_cpu,
		    sm->sm_hw.hw_ncpus - 1, sm->sm_hw.hw_name);
	else if (sp->sp_cpu > 0 && sp->sp_affinity != AFFINITY_PER_CPU)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "processes", sp->sp_name, "cpu"),
		    "cpu: only with affinity: per-cpu");
	if (sp->sp_reuseport && sm->sm_kernel == KERNEL_DRAGONFLY_2011)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "processes", sp->sp_name, "reuseport"),
		    "reuseport: dragonfly-2011 has no SO_REUSEPORT groups");
}

static void
check_peer(struct checker *ck, int peer)
{
	const struct setup_peer *pe = &ck->ck_su->su_peers[peer];
	const struct setup_host_sysctl *sys = &pe->pe_sysctl;
	int64_t ports =
	    (sys->portrange_last - sys->portrange_first + 1) * pe->pe_addresses;

	check_link(ck, peer);
	check_httperf(ck, pe, ports);
	check_receive_peer(ck, pe);
	if (sys->portrange_first > sys->portrange_last)
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "sysctl",
			"net.inet.ip.portrange.last"),
		    "net.inet.ip.portrange.last: %lld, want at least "
		    "net.inet.ip.portrange.first (%lld)",
		    (long long)sys->portrange_last,
		    (long long)sys->portrange_first);
	else if (ports < pe->pe_connections)
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "connections", NULL),
		    "connections: %lld, but there are only %lld local ports "
		    "(net.inet.ip.portrange.first to .last, for each address)",
		    (long long)pe->pe_connections, (long long)ports);
	if (pe->pe_hw.hw_ncpus % pe->pe_hw.hw_threads_per_core != 0)
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "hardware", "cpus"),
		    "cpus: %d, want a multiple of threads_per_core (%d)",
		    pe->pe_hw.hw_ncpus, pe->pe_hw.hw_threads_per_core);
	if (pe->pe_tool == TOOL_WRK && pe->pe_connections < pe->pe_threads)
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "connections", NULL),
		    "connections: %lld, want at least one for each of the %d "
		    "threads",
		    (long long)pe->pe_connections, pe->pe_threads);
	if (pe->pe_tool != TOOL_OPEN && pe->pe_rate > 0)
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "rate", NULL),
		    "rate: only with tool: open");
	if (pe->pe_tool == TOOL_OPEN && pe->pe_rate <= 0)
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "rate", NULL),
		    "rate: want more than 0/s with tool: open");
}

static void
check_httperf(struct checker *ck, const struct setup_peer *pe, int64_t ports)
{
	struct diag *d = ck->ck_d;

	if (pe->pe_tool != TOOL_HTTPERF) {
		if (pe->pe_processes != 1)
			diag_error(d,
			    check_at_peer(ck, pe->pe_name, "processes", NULL),
			    "processes: only with tool: httperf");
		if (pe->pe_sessions != 0)
			diag_error(d,
			    check_at_peer(ck, pe->pe_name, "sessions", NULL),
			    "sessions: only with tool: httperf");
		return;
	}
	if (pe->pe_processes < pe->pe_threads)
		diag_error(d, check_at_peer(ck, pe->pe_name, "processes", NULL),
		    "processes: %d, want at least one for each of the %d "
		    "threads",
		    pe->pe_processes, pe->pe_threads);
	else if (pe->pe_processes > ports)
		diag_error(d, check_at_peer(ck, pe->pe_name, "processes", NULL),
		    "processes: %d, but there are only %lld local ports "
		    "(net.inet.ip.portrange.first to .last, for each address)",
		    pe->pe_processes, (long long)ports);
	if (pe->pe_connections != 0)
		diag_error(d,
		    check_at_peer(ck, pe->pe_name, "connections", NULL),
		    "connections: not with tool: httperf, whose processes "
		    "have one each");
	if (pe->pe_connreqs != 1)
		diag_error(d, check_at_peer(ck, pe->pe_name, "connreqs", NULL),
		    "connreqs: %lld, want 1 with tool: httperf",
		    (long long)pe->pe_connreqs);
	for (int i = 0; i < 2; i++) {
		static const char *const names[] = { "host_select",
			"host_connect" };
		static const int costs[] = { COST_host_select,
			COST_host_connect };

		if (pe->pe_hw.hw_cost[costs[i]] == 0)
			diag_error(d,
			    check_at_peer(
				ck, pe->pe_name, "hardware", names[i]),
			    "%s: want more than 0ns with tool: httperf, whose "
			    "processes poll",
			    names[i]);
	}
}

static void
check_link(struct checker *ck, int peer)
{
	const struct setup_peer *pe = &ck->ck_su->su_peers[peer], *other;

	for (int i = 0; i < peer; i++) {
		other = &ck->ck_su->su_peers[i];
		if (other->pe_machine != pe->pe_machine ||
		    other->pe_nic != pe->pe_nic ||
		    other->pe_port != pe->pe_port)
			continue;
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "link", NULL),
		    "link: the port is taken by '%s'", other->pe_name);
		diag_note(ck->ck_d,
		    check_at_peer(ck, other->pe_name, "link", NULL), "here");
		return;
	}
}

/* A path may leave out `machines.` and `peers.`, so names must differ. */
static void
check_names(struct checker *ck)
{
	static const char *const words[] = { "machines", "peers", "run",
		"sweep", "published", "fit", "ranges" };
	const struct setup *su = ck->ck_su;
	const char *name;

	for (int p = 0; p < su->su_npeers; p++) {
		name = su->su_peers[p].pe_name;
		for (int m = 0; m < su->su_nmachines; m++) {
			if (strcmp(name, su->su_machines[m].sm_name) == 0)
				diag_error(ck->ck_d,
				    check_at_peer(ck, name, NULL, NULL),
				    "'%s' is a machine already", name);
		}
	}
	for (int i = 0; i < su->su_nmachines + su->su_npeers; i++) {
		bool peer = i >= su->su_nmachines;

		name = peer ? su->su_peers[i - su->su_nmachines].pe_name
			    : su->su_machines[i].sm_name;
		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
			if (strcmp(name, words[w]) == 0)
				diag_error(ck->ck_d,
				    peer ? check_at_peer(ck, name, NULL, NULL)
					 : check_at_machine(
					       ck, name, NULL, NULL, NULL),
				    "'%s' is a word of scenarios, not a name",
				    name);
		}
	}
}

static void
check_run(struct checker *ck)
{
	static const char *const slice[] = { "run", "slice" };
	static const char *const warmup[] = { "run", "warmup" };
	const struct setup_run *sr = &ck->ck_su->su_run;
	char a[UNIT_TEXT_MAX], b[UNIT_TEXT_MAX];

	if (setup_nslices(sr) > SETUP_MAX_SLICES)
		diag_error(ck->ck_d, scenario_tree_at(ck->ck_root, slice, 2),
		    "slice: %s, but of `measure` (%s) there may be at most %d "
		    "slices",
		    unit_print(UNIT_TIME, sr->sr_slice, a),
		    unit_print(UNIT_TIME, sr->sr_measure, b), SETUP_MAX_SLICES);
	else if (sr->sr_warmup_auto && setup_nslices(sr) < STAT_MIN_SLICES)
		diag_error(ck->ck_d, scenario_tree_at(ck->ck_root, warmup, 2),
		    "warmup: auto wants at least %d slices, there are %d of %s "
		    "in `measure` (%s)",
		    STAT_MIN_SLICES, (int)setup_nslices(sr),
		    unit_print(UNIT_TIME, sr->sr_slice, a),
		    unit_print(UNIT_TIME, sr->sr_measure, b));
}

struct diag_span
check_at_machine(const struct checker *ck, const char *machine, const char *sub,
    const char *name, const char *key)
{
	const char *steps[] = { "machines", machine, sub, name, key };
	int n = 0;

	while (n < 5 && steps[n] != NULL)
		n++;
	return scenario_tree_at(ck->ck_root, steps, n);
}

struct diag_span
check_at_peer(const struct checker *ck, const char *peer, const char *sub,
    const char *key)
{
	const char *steps[] = { "peers", peer, sub, key };
	int n = 0;

	while (n < 4 && steps[n] != NULL)
		n++;
	return scenario_tree_at(ck->ck_root, steps, n);
}
