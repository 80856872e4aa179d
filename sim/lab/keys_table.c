/*
 * The table itself, in the order of a scenario file. Defaults and ranges are
 * in base units or as written in a file; see struct key.
 */
#include "sim/lab/keys.h"

#include "sim/core/time.h"

#define KIB 1024LL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define MBPS 1000000LL
#define MS 1000000LL
#define SEC (1000 * MS)
#define HOUR (3600 * SEC)

#define AT_SETUP(m) KEY_OF_SETUP, offsetof(struct setup, m)
#define AT_MACHINE(m) KEY_OF_MACHINE, offsetof(struct setup_machine, m)
#define AT_NIC(m) KEY_OF_NIC, offsetof(struct setup_nic, m)
#define AT_PROCESS(m) KEY_OF_PROCESS, offsetof(struct setup_process, m)
#define AT_PEER(m) KEY_OF_PEER, offsetof(struct setup_peer, m)
#define AT_HARDWARE(m) KEY_OF_HARDWARE, offsetof(struct setup_hardware, m)

/* One macro a type, so that a row reads: path, place, range, default, help. */
#define TEXT(path, at, dflt, help)                                           \
	{                                                                    \
		path, KEY_TEXT, UNIT_NONE, STORE_TEXT, at, 0, 0, dflt, NULL, \
		    help, false                                              \
	}
#define CHOICE(path, at, choices, dflt, help)                           \
	{                                                               \
		path, KEY_CHOICE, UNIT_NONE, STORE_INT, at, 0, 0, dflt, \
		    choices, help, false                                \
	}
#define BOOL(path, at, dflt, help)                                           \
	{                                                                    \
		path, KEY_BOOL, UNIT_NONE, STORE_BOOL, at, 0, 1, dflt, NULL, \
		    help, false                                              \
	}
#define NUMBER(path, store, at, min, max, dflt, help)                         \
	{                                                                     \
		path, KEY_NUMBER, UNIT_NONE, store, at, min, max, dflt, NULL, \
		    help, false                                               \
	}
#define NUMBER_OR(path, store, at, min, max, choices, dflt, help)       \
	{                                                               \
		path, KEY_NUMBER, UNIT_NONE, store, at, min, max, dflt, \
		    choices, help, false                                \
	}
#define REAL(path, at, min, max, dflt, help)                                 \
	{                                                                    \
		path, KEY_REAL, UNIT_NONE, STORE_DOUBLE, at, min, max, dflt, \
		    NULL, help, false                                        \
	}
#define QUANTITY(path, unit, store, at, min, max, dflt, help)              \
	{                                                                  \
		path, KEY_QUANTITY, unit, store, at, min, max, dflt, NULL, \
		    help, false                                            \
	}
#define TIME(path, at, min, max, dflt, help)                              \
	{                                                                 \
		path, KEY_QUANTITY, UNIT_TIME, STORE_INT64, at, min, max, \
		    dflt, NULL, help, false                               \
	}
#define TIME_OR_AUTO(path, at, min, max, dflt, help)                      \
	{                                                                 \
		path, KEY_QUANTITY, UNIT_TIME, STORE_INT64, at, min, max, \
		    dflt, NULL, help, true                                \
	}
#define SIZE(path, at, min, max, dflt, help)                              \
	{                                                                 \
		path, KEY_QUANTITY, UNIT_SIZE, STORE_INT64, at, min, max, \
		    dflt, NULL, help, false                               \
	}
#define SPECIAL(path, type, at, help)                                          \
	{                                                                      \
		path, type, UNIT_NONE, STORE_NONE, at, 0, 0, NULL, NULL, help, \
		    false                                                      \
	}

/* The same rows for a machine's hardware and a peer's. */
#define HARDWARE_ROWS(prefix)                                                  \
	NUMBER(prefix "cpus", STORE_INT, AT_HARDWARE(hw_ncpus), 1,             \
	    SETUP_MAX_CPUS, NULL, "hardware threads"),                         \
	    NUMBER(prefix "threads_per_core", STORE_INT,                       \
		AT_HARDWARE(hw_threads_per_core), 1, 2, NULL,                  \
		"hardware threads that share a core"),                         \
	    REAL(prefix "smt_idle_speed", AT_HARDWARE(hw_smt_idle_speed), 1,   \
		4, NULL,                                                       \
		"speed of a thread whose sibling is idle; 1 with a busy one"), \
	    SIZE(prefix "cache.knee", AT_HARDWARE(hw_cache_knee), KIB, GIB,    \
		NULL,                                                          \
		"C in miss = 1 - exp(-distance / C), of reuse distances"),     \
	    SIZE(prefix "cache.touch", AT_HARDWARE(hw_cache_touch), 0, MIB,    \
		NULL,                                                          \
		"what one touch of a connection moves through the cache"),     \
	    SIZE(prefix "cache.size", AT_HARDWARE(hw_cache_size), 0, GIB,      \
		NULL,                                                          \
		"L1 and L2: what has been written stays in it; 0: not asked"), \
	    SIZE(prefix "cache.way_size", AT_HARDWARE(hw_cache_way), 0, GIB,   \
		NULL, "one way of these: colours of pages"),                   \
	    REAL(prefix "cost_spread", AT_HARDWARE(hw_cost_spread), 0, 1,      \
		NULL,                                                          \
		"each charge lies between 1 - this and 1 + this of its cost")
#define COST_ROW(prefix, name, help)                                          \
	{                                                                     \
		prefix #name, KEY_QUANTITY, UNIT_TIME, STORE_INT64,           \
		    KEY_OF_HARDWARE,                                          \
		    offsetof(struct setup_hardware, hw_cost[COST_##name]), 0, \
		    SEC, NULL, NULL, help, false                              \
	}

static const struct key_choice kernels[] = {
	{ "dragonfly-2017", KERNEL_DRAGONFLY_2017 },
	{ "dragonfly-2011", KERNEL_DRAGONFLY_2011 },
	{ "freebsd-2007", KERNEL_FREEBSD_2007 },
	{ NULL, 0 },
};
static const struct key_choice nic_models[] = {
	{ "82599", NIC_82599 },
	{ "x540", NIC_X540 },
	{ "x550", NIC_X550 },
	{ "em", NIC_EM },
	{ "mxge", NIC_MXGE },
	{ NULL, 0 },
};
static const struct key_choice programs[] = {
	{ "nginx", PROGRAM_NGINX },
	{ "netserver", PROGRAM_NETSERVER },
	{ NULL, 0 },
};
static const struct key_choice soreceives[] = {
	{ "generic", SORECEIVE_GENERIC },
	{ "stream-2007", SORECEIVE_STREAM_2007 },
	{ "stream-2009", SORECEIVE_STREAM_2009 },
	{ NULL, 0 },
};
static const struct key_choice ithread_cpus[] = {
	{ "any", CPU_ANY },
	{ NULL, 0 },
};
static const struct key_choice process_cpus[] = {
	{ "any", CPU_ANY },
	{ "same-core", CPU_SAME_CORE },
	{ "other-core", CPU_OTHER_CORE },
	{ NULL, 0 },
};
static const struct key_choice affinities[] = {
	{ "per-cpu", AFFINITY_PER_CPU },
	{ "cpuhint", AFFINITY_CPUHINT },
	{ NULL, 0 },
};
static const struct key_choice works[] = {
	{ "fixed", DIST_FIXED },
	{ "exponential", DIST_EXPONENTIAL },
	{ NULL, 0 },
};
static const struct key_choice arrivals[] = {
	{ "fixed", DIST_FIXED },
	{ "poisson", DIST_EXPONENTIAL },
	{ NULL, 0 },
};
static const struct key_choice tools[] = {
	{ "wrk", TOOL_WRK },
	{ "open", TOOL_OPEN },
	{ "httperf", TOOL_HTTPERF },
	{ "netperf", TOOL_NETPERF },
	{ NULL, 0 },
};
static const struct key_choice starts[] = {
	{ "smooth", START_SMOOTH },
	{ "burst", START_BURST },
	{ NULL, 0 },
};

/* clang-format off */
const struct key keys[] = {
	TEXT("title", AT_SETUP(su_title), NULL, "what the experiment asks, one line"),
	TEXT("source", AT_SETUP(su_source), "", "where the published numbers are from"),

	CHOICE("machines.*.kernel", AT_MACHINE(sm_kernel), kernels, NULL, "kernel and year, which fix its rules and sysctl defaults"),
	SPECIAL("machines.*.hardware.profile", KEY_PROFILE, AT_MACHINE(sm_hw), "profile with role: server, of kernel freebsd-2007 with role: freebsd; `hardware: NAME` is short for it"),
	HARDWARE_ROWS("machines.*.hardware."),
#define COST(name, unit, help) COST_ROW("machines.*.hardware.", name, help),
#define FREEBSD_COST(name, unit, help) COST_ROW("machines.*.hardware.", name, help),
#define HOST_COST(name, unit, help)
#define LINUX_COST(name, unit, help)
#include "model/cost.def"
#undef COST
#undef FREEBSD_COST
#undef HOST_COST
#undef LINUX_COST
	CHOICE("machines.*.soreceive", AT_MACHINE(sm_soreceive), soreceives, "generic", "freebsd-2007: how recv(2) takes data off a socket"),
	CHOICE("machines.*.nics.*.model", AT_NIC(sn_model), nic_models, NULL, "controller"),
	NUMBER("machines.*.nics.*.ports", STORE_INT, AT_NIC(sn_ports), 1, SETUP_MAX_PORTS, "1", "ports of the card"),
	QUANTITY("machines.*.nics.*.rate", UNIT_RATE, STORE_INT64, AT_NIC(sn_bps), MBPS, 1000000 * MBPS, "10Gbps", "bit rate of a port's link"),
	TIME("machines.*.nics.*.latency", AT_NIC(sn_latency), 1, 10 * SEC, NULL, "one way, of a port's link"),
	BOOL("machines.*.nics.*.polling", AT_NIC(sn_polling), "false", "ifconfig polling: rings are polled, no interrupts"),
	QUANTITY("machines.*.nics.*.intr_rate", UNIT_FREQUENCY, STORE_INT64, AT_NIC(sn_intr_rate), 1, 1000000, "8000/s", "interrupts of a vector at most, when not polling"),
	NUMBER("machines.*.nics.*.intr_cpu", STORE_INT, AT_NIC(sn_intr_cpu), 0, SETUP_MAX_CPUS - 1, "0", "em, mxge: CPU that its one interrupt goes to"),
	NUMBER_OR("machines.*.nics.*.ithread", STORE_INT, AT_NIC(sn_ithread), 0, SETUP_MAX_CPUS - 1, ithread_cpus, "any", "mxge: CPU that the interrupt thread is bound to; any: the scheduler decides"),
	SIZE("machines.*.nics.*.mtu", AT_NIC(sn_mtu), 576, 9000, "1500B", "largest IP packet, of both ends of the link"),
#define SYSCTL(field, name, unit, dflt, min, max, help) \
	NUMBER("machines.*.sysctl." name, STORE_INT64, AT_MACHINE(sm_sysctl.field), min, max, #dflt, help),
#define HOST_SYSCTL(field, name, unit, dflt, min, max, help)
#include "model/sysctl.def"
#undef SYSCTL
#undef HOST_SYSCTL
	CHOICE("machines.*.processes.*.program", AT_PROCESS(sp_program), programs, "nginx", "what runs"),
	NUMBER("machines.*.processes.*.workers", STORE_INT, AT_PROCESS(sp_workers), 1, SETUP_MAX_CPUS, NULL, "nginx: worker processes"),
	BOOL("machines.*.processes.*.reuseport", AT_PROCESS(sp_reuseport), "false", "a listening socket for each worker (SO_REUSEPORT)"),
	CHOICE("machines.*.processes.*.affinity", AT_PROCESS(sp_affinity), affinities, "per-cpu", "worker i runs on CPU `cpu` + i, or on the CPU that SO_CPUHINT names"),
	NUMBER_OR("machines.*.processes.*.cpu", STORE_INT, AT_PROCESS(sp_cpu), 0, SETUP_MAX_CPUS - 1, process_cpus, "0", "nginx, affinity per-cpu: CPU of the first worker; netserver: its CPU, any (the scheduler decides), or that of the card's interrupts (same-core), or the next one (other-core)"),
	NUMBER("machines.*.processes.*.backlog", STORE_INT64, AT_PROCESS(sp_backlog), -1, 32767, "-1", "listen(2): at most kern.ipc.somaxconn, which is what -1 means"),
	SIZE("machines.*.processes.*.object", AT_PROCESS(sp_object), 0, GIB, NULL, "nginx: the static object served"),
	SIZE("machines.*.processes.*.header", AT_PROCESS(sp_header), 1, 64 * KIB, "254B", "response header"),
	NUMBER("machines.*.processes.*.events", STORE_INT, AT_PROCESS(sp_events), 1, 65536, "512", "kqueue_events: events of one kevent(2) call"),
	NUMBER("machines.*.processes.*.changes", STORE_INT, AT_PROCESS(sp_changes), 1, 65536, "512", "kqueue_changes: changes of one kevent(2) call"),
	BOOL("machines.*.processes.*.keepalive", AT_PROCESS(sp_keepalive), "true", "the client closes first; false: the server does after a response"),
	BOOL("machines.*.processes.*.open_file_cache", AT_PROCESS(sp_open_file_cache), "true", "open_file_cache on: no open(2) for a request"),
	BOOL("machines.*.processes.*.access_log", AT_PROCESS(sp_access_log), "false", "a line of the access log, unbuffered, for each request"),
	BOOL("machines.*.processes.*.index", AT_PROCESS(sp_index), "false", "the request names a directory: one stat(2) more"),
	TIME("machines.*.processes.*.work", AT_PROCESS(sp_work), 0, 10 * SEC, "0ns", "further CPU time of a request, mean"),
	CHOICE("machines.*.processes.*.work_distribution", AT_PROCESS(sp_work_dist), works, "fixed", "how `work` varies"),
	SIZE("machines.*.processes.*.rcvbuf", AT_PROCESS(sp_rcvbuf), 2 * KIB, GIB, "64KiB", "netserver: socket receive buffer, and what one recv(2) asks for (netperf -S)"),
	TIME("machines.*.processes.*.pause_at", AT_PROCESS(sp_pause_at), 0, HOUR, "0ns", "netserver: from then on it reads nothing, for `pause`"),
	TIME("machines.*.processes.*.pause", AT_PROCESS(sp_pause), 0, HOUR, "0ns", "netserver: how long it reads nothing; 0: it does not stop"),

	SPECIAL("peers.*.hardware.profile", KEY_PROFILE, AT_PEER(pe_hw), "profile with role: client, of tool netperf with role: linux; `hardware: NAME` is short for it"),
	HARDWARE_ROWS("peers.*.hardware."),
#define COST(name, unit, help)
#define FREEBSD_COST(name, unit, help)
#define HOST_COST(name, unit, help) COST_ROW("peers.*.hardware.", name, help),
#define LINUX_COST(name, unit, help) COST_ROW("peers.*.hardware.", name, help),
#include "model/cost.def"
#undef COST
#undef FREEBSD_COST
#undef HOST_COST
#undef LINUX_COST
	SPECIAL("peers.*.link", KEY_LINK, AT_PEER(pe_machine), "the port at the other end, MACHINE.NICPORT: server.ix0"),
#define SYSCTL(field, name, unit, dflt, min, max, help)
#define HOST_SYSCTL(field, name, unit, dflt, min, max, help) \
	NUMBER("peers.*.sysctl." name, STORE_INT64, AT_PEER(pe_sysctl.field), min, max, #dflt, help),
#include "model/sysctl.def"
#undef SYSCTL
#undef HOST_SYSCTL
	CHOICE("peers.*.tool", AT_PEER(pe_tool), tools, "wrk", "wrk: closed loop; open: connections arrive at `rate`; httperf: one connection at a time for each process"),
	NUMBER("peers.*.threads", STORE_INT, AT_PEER(pe_threads), 1, SETUP_MAX_CPUS, "1", "threads of the tool, a CPU of the host for each"),
	NUMBER("peers.*.processes", STORE_INT, AT_PEER(pe_processes), 1, 4096, "1", "httperf: processes, spread over the `threads` CPUs"),
	NUMBER("peers.*.sessions", STORE_INT64, AT_PEER(pe_sessions), 0, 1000000000, "0", "httperf: connections of a process, one call each (--wsess=N,1,1); 0: no end"),
	NUMBER("peers.*.connections", STORE_INT64, AT_PEER(pe_connections), 0, 10000000, "0", "wrk: open at once, of all threads together"),
	NUMBER("peers.*.connreqs", STORE_INT64, AT_PEER(pe_connreqs), 0, 1000000000, "1", "requests of a connection; 0: no end"),
	NUMBER("peers.*.addresses", STORE_INT, AT_PEER(pe_addresses), 1, 65535, "1", "IP addresses that the peer connects from"),
	SIZE("peers.*.request", AT_PEER(pe_request), 1, 64 * KIB, "116B", "a request"),
	SIZE("peers.*.message", AT_PEER(pe_message), 1, GIB, "64KiB", "netperf: what one sendfile(2) sends"),
	TIME("peers.*.timeout", AT_PEER(pe_timeout), MS, HOUR, "2s", "wrk: responses later than this are left out"),
	QUANTITY("peers.*.intr_rate", UNIT_FREQUENCY, STORE_INT64, AT_PEER(pe_intr_rate), 1, 1000000, "8000/s", "receive interrupts of a CPU at most"),
	QUANTITY("peers.*.rate", UNIT_FREQUENCY, STORE_DOUBLE, AT_PEER(pe_rate), 0, 100000000, "0/s", "open: connections a second, of the whole peer"),
	CHOICE("peers.*.arrival", AT_PEER(pe_arrival), arrivals, "poisson", "open: gaps between arrivals"),
	QUANTITY("peers.*.loss", UNIT_PERCENT, STORE_FRACTION, AT_PEER(pe_loss), 0, 100, "0%", "frames of the link that are lost at random"),

	CHOICE("run.start", AT_SETUP(su_run.sr_start), starts, "smooth", "first connects spread over `ramp`, or all at once"),
	TIME("run.ramp", AT_SETUP(su_run.sr_ramp), 0, HOUR, "2s", "smooth: time in which all connections are opened"),
	TIME_OR_AUTO("run.warmup", AT_SETUP(su_run.sr_warmup), 0, HOUR, "5s", "simulated before measuring begins, `ramp` included; auto: what MSER-5 cuts of a pilot run as long as `measure`, up to half of it"),
	TIME("run.measure", AT_SETUP(su_run.sr_measure), MS, HOUR, "10s", "simulated and measured"),
	NUMBER("run.replications", STORE_INT, AT_SETUP(su_run.sr_replications), 1, 10000, "1", "runs with other random numbers"),
	NUMBER("run.seed", STORE_UINT32, AT_SETUP(su_run.sr_seed), 0, 4294967295LL, "1", "of all random numbers"),
	TIME_OR_AUTO("run.slice", AT_SETUP(su_run.sr_slice), MS, HOUR, "auto", "length of one point of a time series, of which there are up to 4096; auto: 100ms, or finer or coarser so that there are 60 to 4096"),
};
/* clang-format on */

const size_t keys_n = sizeof(keys) / sizeof(keys[0]);

const struct key_metric key_metrics[METRIC_N] = {
	[METRIC_THROUGHPUT] = { "throughput", "throughput_rps", UNIT_FREQUENCY,
	    "responses a second, of all peers" },
	[METRIC_LATENCY_MEAN] = { "latency_mean", "latency_mean_ns", UNIT_TIME,
	    "as the load generator defines it" },
	[METRIC_LATENCY_STDEV] = { "latency_stdev", "latency_stdev_ns",
	    UNIT_TIME, "standard deviation (n-1) of the latency" },
	[METRIC_LATENCY_P50] = { "latency_p50", "latency_p50_ns", UNIT_TIME,
	    "median latency" },
	[METRIC_LATENCY_P90] = { "latency_p90", "latency_p90_ns", UNIT_TIME,
	    "90 % are faster" },
	[METRIC_LATENCY_P99] = { "latency_p99", "latency_p99_ns", UNIT_TIME,
	    "99 % are faster" },
	[METRIC_LATENCY_P999] = { "latency_p999", "latency_p999_ns", UNIT_TIME,
	    "99.9 % are faster" },
	[METRIC_LATENCY_MAX] = { "latency_max", "latency_max_ns", UNIT_TIME,
	    "the slowest" },
	[METRIC_CYCLE_MEAN] = { "cycle_mean", "cycle_mean_ns", UNIT_TIME,
	    "from one connect of a slot to its next" },
	[METRIC_REQUESTS] = { "requests", "requests", UNIT_NONE,
	    "responses while measuring, of all peers" },
	[METRIC_CLOCKED] = { "clocked", "clocked", UNIT_NONE,
	    "requests with the tool's clock running, mean: throughput times "
	    "mean latency" },
	[METRIC_REQUEST_RATE] = { "request_rate", "request_rate_rps",
	    UNIT_FREQUENCY,
	    "httperf: the request rates that its processes print, summed" },
	[METRIC_LITTLES_LAW_ERROR] = { "littles_law_error",
	    "littles_law_error_pct", UNIT_PERCENT,
	    "how far N is from throughput times cycle" },
	[METRIC_GOODPUT] = { "goodput", "goodput_bps", UNIT_RATE,
	    "netserver: what recv(2) returned" },
	[METRIC_RECEIVER_CPU] = { "receiver_cpu", "receiver_cpu_pct",
	    UNIT_PERCENT,
	    "netserver: of all CPUs of the machine, busy with anything "
	    "(netperf -C)" },
	[METRIC_SENDER_CPU] = { "sender_cpu", "sender_cpu_pct", UNIT_PERCENT,
	    "netserver: of the peer's CPUs that are in use (netperf -c)" },
	[METRIC_RECEIVER_DEMAND] = { "receiver_demand",
	    "receiver_demand_ns_per_kib", UNIT_TIME,
	    "netserver: CPU time of the machine per 1024 bytes received "
	    "(netperf's us/KB)" },
	[METRIC_SENDER_DEMAND] = { "sender_demand", "sender_demand_ns_per_kib",
	    UNIT_TIME, "netserver: CPU time of the peer, likewise" },
	[METRIC_RECEIVER_CPU_SAMPLED] = { "receiver_cpu_sampled",
	    "receiver_cpu_sampled_pct", UNIT_PERCENT,
	    "netserver: receiver_cpu as statclock's samples show it" },
};

const size_t key_metrics_n = sizeof(key_metrics) / sizeof(key_metrics[0]);
