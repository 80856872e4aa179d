#ifndef MODEL_SETUP_H
#define MODEL_SETUP_H

/*
 * What a scenario decides about a model, resolved and checked: the only thing
 * that sim/lab hands to model/. Times in ns, sizes in bytes, rates in bit/s or
 * 1/s. Everything here is [I]mmutable during a run. Strings are owned by the
 * scenario.
 */
#include <stdbool.h>
#include <stdint.h>

#include "model/cost.h"
#include "sim/core/time.h"

#define SETUP_MAX_MACHINES 4
#define SETUP_MAX_NICS 4
#define SETUP_MAX_PORTS 4 /* of one card */
#define SETUP_MAX_PROCS 4
#define SETUP_MAX_PEERS 16
#define SETUP_MAX_CPUS 256
#define SETUP_MAX_ADDRESSES 65536 /* of all peers together */
#define SETUP_MAX_SLICES 4096	  /* of a measurement */

enum setup_kernel {
	KERNEL_DRAGONFLY_2017,
	KERNEL_DRAGONFLY_2011,
	KERNEL_FREEBSD_2007
};
enum setup_nic_model { NIC_82599, NIC_X540, NIC_X550, NIC_EM, NIC_MXGE };
enum setup_program { PROGRAM_NGINX, PROGRAM_NETSERVER };
enum setup_tool { TOOL_WRK, TOOL_OPEN, TOOL_HTTPERF, TOOL_NETPERF };
/*
 * GENERIC: mbuf by mbuf from the live chain, a lock round for each.
 * STREAM_2007: the chain is cut off the socket buffer, copied, freed.
 * STREAM_2009: it is copied where it is, then dropped under the lock.
 */
enum setup_soreceive {
	SORECEIVE_GENERIC,
	SORECEIVE_STREAM_2007,
	SORECEIVE_STREAM_2009
};
enum setup_start { START_BURST, START_SMOOTH };
enum setup_dist { DIST_FIXED, DIST_EXPONENTIAL };
/*
 * PER_CPU: worker i on CPU sp_cpu + i, modulo the number of CPUs.
 * CPUHINT: worker i on the CPU that SO_CPUHINT names for its listening socket
 *          (its index in the SO_REUSEPORT group modulo net.netisr.ncpus).
 */
enum setup_affinity { AFFINITY_PER_CPU, AFFINITY_CPUHINT };
/*
 * freebsd-2007: where a thread may run, instead of a CPU's number. ANY: the
 * scheduler decides. SAME_CORE, OTHER_CORE: by the CPU that the interrupts of
 * the machine's first card go to.
 */
enum setup_cpu { CPU_ANY = -1, CPU_SAME_CORE = -2, CPU_OTHER_CORE = -3 };

struct setup_sysctl {
#define SYSCTL(field, name, unit, dflt, min, max, help) int64_t field;
#define HOST_SYSCTL(field, name, unit, dflt, min, max, help)
#include "model/sysctl.def"
#undef SYSCTL
#undef HOST_SYSCTL
};

struct setup_host_sysctl {
#define SYSCTL(field, name, unit, dflt, min, max, help)
#define HOST_SYSCTL(field, name, unit, dflt, min, max, help) int64_t field;
#include "model/sysctl.def"
#undef SYSCTL
#undef HOST_SYSCTL
};

/* A machine's hardware, from scenarios/hardware/<name>.yaml. */
struct setup_hardware {
	const char *hw_name;
	int hw_ncpus;		  /* hardware threads */
	int hw_threads_per_core;  /* 1 or 2; CPU i shares with i + ncpus/2 */
	double hw_smt_idle_speed; /* speed with an idle sibling; busy is 1 */
	sim_ns hw_cost[COST_N];
	int64_t hw_cache_knee;	/* bytes: C in miss * (1 - exp(-d / C)) */
	int64_t hw_cache_touch; /* bytes that one touch of a connection moves */
	int64_t hw_cache_size; /* bytes: where a copy's target stays; 0: none */

	double hw_cost_spread; /* freebsd-2007: how far costs vary, of 1 */
	int64_t hw_cache_way;  /* bytes of one way of it */
};

struct setup_nic {
	const char *sn_name;
	enum setup_nic_model sn_model;
	int sn_ports;
	int64_t sn_bps;	      /* of a port */
	sim_ns sn_latency;    /* of a port's link, one way */
	bool sn_polling;      /* ifconfig polling */
	int64_t sn_intr_rate; /* 1/s and vector, when not polling */
	int sn_intr_cpu;      /* em, mxge: where its one interrupt goes */
	int sn_ithread;	      /* mxge: CPU of the interrupt thread, or ANY */
	int64_t sn_mtu;	      /* bytes of an IP packet */
};

struct setup_process {
	const char *sp_name;
	enum setup_program sp_program;
	int sp_workers;
	bool sp_reuseport;
	enum setup_affinity sp_affinity;
	int sp_cpu; /* PER_CPU: of worker 0; netserver: enum setup_cpu */
	int64_t sp_backlog; /* listen(2): -1 takes kern.ipc.somaxconn */
	int64_t sp_object;  /* bytes of the object served */
	int64_t sp_header;  /* bytes of the response header */
	int sp_events;	    /* kqueue_events */
	int sp_changes;	    /* kqueue_changes */
	bool sp_keepalive;  /* false: the server closes first */
	bool sp_open_file_cache;
	bool sp_access_log; /* write(2) a line for each request */
	bool sp_index;	    /* the URI is a directory: a stat(2) more */
	sim_ns sp_work;	    /* further work per request, mean */
	enum setup_dist sp_work_dist;
	int64_t sp_rcvbuf; /* netserver: SO_RCVBUF and recv(2)'s length */
	sim_ns sp_pause_at, sp_pause; /* netserver: reads nothing, from, for */
};

struct setup_machine {
	const char *sm_name;
	enum setup_kernel sm_kernel;
	enum setup_soreceive sm_soreceive; /* freebsd-2007 */
	struct setup_hardware sm_hw;
	struct setup_sysctl sm_sysctl;
	struct setup_nic sm_nics[SETUP_MAX_NICS];
	int sm_nnics;
	struct setup_process sm_procs[SETUP_MAX_PROCS];
	int sm_nprocs;
};

struct setup_peer {
	const char *pe_name;
	struct setup_hardware pe_hw;
	struct setup_host_sysctl pe_sysctl;
	int pe_machine, pe_nic, pe_port; /* where its link ends */
	enum setup_tool pe_tool;
	int pe_threads;	     /* CPUs of the host in use */
	int pe_processes;    /* httperf: processes, spread over these */
	int64_t pe_sessions; /* httperf: connections of a process; 0: no end */
	int64_t pe_connections; /* wrk: of the whole peer */
	int64_t pe_connreqs;	/* requests a connection; 0: no end */
	int pe_addresses;	/* client IP addresses of this peer */
	int64_t pe_request;	/* bytes of a request */
	sim_ns pe_timeout;    /* wrk: responses later than this are left out */
	int64_t pe_intr_rate; /* receive interrupts of a thread's CPU, 1/s */
	double pe_rate;	      /* open loop: connections a second, whole peer */
	enum setup_dist pe_arrival; /* FIXED or EXPONENTIAL gaps */
	int64_t pe_message;	    /* netperf: bytes of one sendfile(2) */
	double pe_loss; /* probability that a frame of the link is lost */
};

struct setup_run {
	enum setup_start sr_start;
	sim_ns sr_ramp; /* smooth: connects spread over this */
	sim_ns sr_warmup;
	bool sr_warmup_auto; /* found by a pilot; sr_warmup is 0 */
	sim_ns sr_measure;
	int sr_replications;
	uint32_t sr_seed;
	sim_ns sr_slice; /* time series, one point a slice; > 0 */
};

static inline int64_t
setup_nslices(const struct setup_run *sr)
{
	return (sr->sr_measure + sr->sr_slice - 1) / sr->sr_slice;
}

struct setup {
	const char *su_title, *su_source;
	struct setup_machine su_machines[SETUP_MAX_MACHINES];
	int su_nmachines;
	struct setup_peer su_peers[SETUP_MAX_PEERS];
	int su_npeers;
	struct setup_run su_run;
};

#endif
