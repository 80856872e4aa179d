#ifndef MODEL_PEER_HOST_H
#define MODEL_PEER_HOST_H

/*
 * The lumped kernel of all load generators: a client host whose system calls
 * and received segments cost one fixed amount each, with what matters of a
 * real one: local ports chosen as DragonFly does, SYN retransmission,
 * TIME_WAIT, a TCP end point, moderated receive interrupts, a send queue.
 *
 * Each thread of the tool is bound to a CPU of its own with its own ports
 * and connections, so CPUs of a host share nothing.
 *
 * Differs: a connection's segments are always handled by its thread's CPU;
 *          when all of a thread's port tables are full, connect(2) fails
 *          (real: it tries the other CPUs' tables).
 */
#include <sys/queue.h>

#include "model/hw/nic.h"
#include "model/hw/wire.h"
#include "model/kern/callout.h"
#include "model/net/toeplitz.h"
#include "model/netinet/tcp_var.h"
#include "model/setup.h"
#include "model/stage.h"
#include "sim/core/alloc.h"
#include "sim/core/hist.h"
#include "sim/core/rng.h"

struct host;
struct host_cpu;

/* Where a host stands in its model: all that is not its own choice. */
struct host_place {
	const struct toeplitz *hp_toeplitz;
	struct flow **hp_flows; /* the machine's */
	struct wire *hp_tx;	/* the wire that leaves */
	uint32_t hp_addr0;	/* index of its first address, over all peers */
	uint32_t hp_ip0;	/* its first address, IPv4 host order */
	uint32_t hp_server;	/* the server's */
	uint32_t hp_mss; /* bytes of a segment, of both ends of its link */
	int hp_engine_host;
	int hp_where; /* of its first CPU, in traces */
	const struct cpu_marks *hp_marks;
	bool hp_exact;
	struct rng_run hp_run;
};

/* What the tool wants to hear of a connection. Called by receive interrupts. */
struct host_tool_ops {
	/* Connected; or data or EOF came; or it ended (error). */
	void (*ht_writable)(struct host_cpu *, void *slot);
	void (*ht_readable)(struct host_cpu *, void *slot);
	/* Ended by a reset or a time-out; the handle is gone. */
	void (*ht_failed)(struct host_cpu *, void *slot, enum tcp_end);
};

/* A connection; lives through TIME_WAIT when the slot has long moved on. */
struct host_conn {
	struct tcpcb hc_tp; /* first */
	struct host_cpu *hc_cpu;
	void *hc_slot; /* NULL once closed by the tool */
	bool hc_eof;
	uint32_t hc_unread;  /* bytes */
	sim_ns hc_last_data; /* arrival of the last data segment */
};

struct host_stats {
	uint64_t hs_connects, hs_connect_errors; /* EADDRNOTAVAIL */
	uint64_t hs_syn_retries;
	uint64_t hs_ended[TCP_NENDS];
	uint64_t hs_stray, hs_rst_sent;
	uint64_t hs_ports_searched;
};

/* One thread's CPU. */
struct host_cpu {
	struct cpu ho_cpu; /* first */
	struct host *ho_host;
	int ho_index;
	struct tcp_host ho_tcp;
	struct tcp_stats ho_tcpstat;
	struct host_stats ho_stats;
	struct callwheel ho_wheel;
	struct cpu_source ho_hardclock;
	struct nic_vector ho_vector;
	struct pktq ho_rxq;
	struct txring ho_tx;
	struct sim_pool ho_conns;
	struct rng ho_rng; /* ports */
	uint32_t ho_iss;   /* sequence numbers start here */
	sim_ns ho_debt;	   /* ns of ACKs sent, to be charged */
	sim_ns ho_rx_time; /* arrival of the segment being handled */
	uint64_t ho_rx_frames;
	void *ho_tool; /* the tool's thread */
};

struct host {
	const struct setup_peer *h_setup;
	bool h_linux; /* [I] pays lnx_* costs: netperf's sender */
	const struct toeplitz *h_toeplitz;
	const struct host_tool_ops *h_tool;
	int h_engine_host;
	int h_ncpus;
	int h_nports;	       /* port tables */
	uint32_t h_addr0;      /* index of its first address, over all peers */
	uint32_t h_ip0;	       /* its first address, IPv4 host order */
	uint32_t h_server;     /* the server's */
	struct flow **h_flows; /* of the model, by address index */
	struct host_conn ***h_ports; /* by address, then port */
	struct host_cpu **h_cpus;
};

/*
 * Build a host. The arriving wire is given afterwards by host_set_rx(), for
 * its w_deliver is host_rx_arrive() of this host.
 */
struct host *host_create(const struct setup_peer *,
    const struct host_tool_ops *, const struct host_place *);
void host_set_rx(struct host *, struct wire *rx);
void host_destroy(struct host *);

void host_rx_arrive(void *host, const struct pkt *);

/*
 * socket(2) and connect(2) from address `addr` (0 .. addresses - 1).
 *
 * Context: the thread. Time: runs host_connect.
 * Returns: the connection, SYN sent; NULL: EADDRNOTAVAIL.
 */
struct host_conn *host_connect(
    struct host_cpu *, int addr, void *slot, struct stages *);

/*
 * The calls below take time first, during which the connection may end (the
 * tool is told by ht_failed, which clears *hcp): then they do nothing more.
 */

/* write(2) of len bytes. Time: runs host_write. */
void host_write(struct host_cpu *, struct host_conn **hcp, uint32_t len);

/* sendfile(2) of len bytes. Time: runs lnx_sendfile, and lnx_tso. */
void host_sendfile(struct host_cpu *, struct host_conn **hcp, uint32_t len);

/* read(2) of at most len. Time: runs host_read. Returns: bytes. */
uint32_t host_read(struct host_cpu *, struct host_conn **hcp, uint32_t len);

/*
 * close(2): the slot lets go of it. Time: runs host_close. *hcp is NULL after.
 * Returns: false when the connection had ended meanwhile (ht_failed).
 */
bool host_close(struct host_cpu *, struct host_conn **hcp);

static inline struct host_cpu *
cpu_host(struct cpu *c)
{
	return (struct host_cpu *)c;
}

#endif
