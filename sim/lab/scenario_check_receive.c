/*
 * Checks of freebsd-2007: one card, one process and one sender, which go with
 * nothing else. What they have not is refused elsewhere, not left out.
 */
#include "sim/lab/kernels.h"
#include "sim/lab/scenario_impl.h"

#define MCLBYTES 2048
#define MSIZE 256
#define MAX_WAYS 64 /* of the caches together */

static bool
is_freebsd(const struct setup_machine *sm)
{
	return sm->sm_kernel == KERNEL_FREEBSD_2007;
}

static void
check_cache(struct checker *ck, const struct setup_machine *sm)
{
	int64_t size = sm->sm_hw.hw_cache_size, way = sm->sm_hw.hw_cache_way;

	if (size == 0 || (way > 0 && size >= way && size / way <= MAX_WAYS))
		return;
	diag_error(ck->ck_d,
	    check_at_machine(ck, sm->sm_name, "hardware", NULL, NULL),
	    "cache.size: %lldB, want 1 to %d times cache.way_size (%lldB), or "
	    "0B",
	    (long long)size, MAX_WAYS, (long long)way);
}

void
check_receive_machine(struct checker *ck, const struct setup_machine *sm)
{
	const struct setup *su = ck->ck_su;

	if (!is_freebsd(sm)) {
		if (sm->sm_soreceive != SORECEIVE_GENERIC)
			diag_error(ck->ck_d,
			    check_at_machine(
				ck, sm->sm_name, "soreceive", NULL, NULL),
			    "soreceive: only with kernel: freebsd-2007");
		return;
	}
	check_cache(ck, sm);
	if (su->su_nmachines > 1)
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "kernel", NULL, NULL),
		    "kernel: freebsd-2007 is modelled on the only machine, "
		    "there are %d",
		    su->su_nmachines);
	if (su->su_npeers > 1)
		diag_error(ck->ck_d,
		    check_at_peer(ck, su->su_peers[1].pe_name, NULL, NULL),
		    "%s: want one peer with kernel: freebsd-2007",
		    su->su_peers[1].pe_name);
	if (sm->sm_nnics > 1)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "nics", sm->sm_nics[1].sn_name, NULL),
		    "%s: want one nic with kernel: freebsd-2007",
		    sm->sm_nics[1].sn_name);
	if (sm->sm_nprocs > 1)
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "processes",
			sm->sm_procs[1].sp_name, NULL),
		    "%s: want one process with kernel: freebsd-2007",
		    sm->sm_procs[1].sp_name);
}

bool
check_receive_nic(struct checker *ck, const struct setup_machine *sm,
    const struct setup_nic *sn)
{
	const char *nic = sn->sn_name;
	bool mxge = sn->sn_model == NIC_MXGE;

	if (mxge != is_freebsd(sm)) {
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "nics", nic, "model"),
		    "model: freebsd-2007 is modelled with mxge only, and mxge "
		    "with freebsd-2007 only");
		return false;
	}
	if (!mxge && sn->sn_mtu != 1500)
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "nics", nic, "mtu"),
		    "mtu: %lldB, want 1500B but with model: mxge",
		    (long long)sn->sn_mtu);
	if (!mxge && sn->sn_ithread != CPU_ANY)
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "nics", nic, "ithread"),
		    "ithread: only with model: mxge");
	if (mxge && sn->sn_ithread >= sm->sm_hw.hw_ncpus)
		diag_error(ck->ck_d,
		    check_at_machine(ck, sm->sm_name, "nics", nic, "ithread"),
		    "ithread: %d, want 0..%d, the CPUs of %s, or any",
		    sn->sn_ithread, sm->sm_hw.hw_ncpus - 1, sm->sm_hw.hw_name);
	return true;
}

/* sbreserve_locked() refuses what sb_max_adj, for full clusters, is below. */
static void
check_rcvbuf(struct checker *ck, const struct setup_machine *sm,
    const struct setup_process *sp)
{
	int64_t max = sm->sm_sysctl.maxsockbuf * MCLBYTES / (MSIZE + MCLBYTES);

	if (sp->sp_rcvbuf > max)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "processes", sp->sp_name, "rcvbuf"),
		    "rcvbuf: %lldB, want at most %lldB: 2048/2304 of "
		    "kern.ipc.maxsockbuf (%lld)",
		    (long long)sp->sp_rcvbuf, (long long)max,
		    (long long)sm->sm_sysctl.maxsockbuf);
}

static void
check_netserver(struct checker *ck, const struct setup_machine *sm,
    const struct setup_process *sp)
{
	if (sp->sp_workers > 0)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "processes", sp->sp_name, "workers"),
		    "workers: only with program: nginx");
	if (sp->sp_cpu == CPU_OTHER_CORE && sm->sm_hw.hw_ncpus < 2)
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "processes", sp->sp_name, "cpu"),
		    "cpu: other-core, but %s has one CPU", sm->sm_hw.hw_name);
	check_rcvbuf(ck, sm, sp);
}

bool
check_receive_process(struct checker *ck, const struct setup_machine *sm,
    const struct setup_process *sp)
{
	bool netserver = sp->sp_program == PROGRAM_NETSERVER;

	if (netserver != is_freebsd(sm)) {
		diag_error(ck->ck_d,
		    check_at_machine(
			ck, sm->sm_name, "processes", sp->sp_name, "program"),
		    "program: freebsd-2007 is modelled with netserver only, "
		    "and netserver with freebsd-2007 only");
		return false;
	}
	if (netserver) {
		check_netserver(ck, sm, sp);
		return true;
	}
	if (sp->sp_cpu >= 0)
		return true;
	diag_error(ck->ck_d,
	    check_at_machine(ck, sm->sm_name, "processes", sp->sp_name, "cpu"),
	    "cpu: words only with program: netserver, want 0..%d, the CPUs "
	    "of %s",
	    sm->sm_hw.hw_ncpus - 1, sm->sm_hw.hw_name);
	return false;
}

void
check_receive_peer(struct checker *ck, const struct setup_peer *pe)
{
	const struct setup_machine *sm =
	    &ck->ck_su->su_machines[pe->pe_machine];
	bool netperf = pe->pe_tool == TOOL_NETPERF;

	if (netperf != is_freebsd(sm)) {
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "tool", NULL),
		    "tool: netperf loads a netserver, of freebsd-2007, only, "
		    "and that no other tool");
		return;
	}
	if (!netperf)
		return;
	if (pe->pe_threads != 1)
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "threads", NULL),
		    "threads: %d, want 1 with tool: netperf", pe->pe_threads);
	if (pe->pe_connections != 0)
		diag_error(ck->ck_d,
		    check_at_peer(ck, pe->pe_name, "connections", NULL),
		    "connections: not with tool: netperf, which has one");
}
