#include "model/net/ifpoll.h"

#include <string.h>

#include "model/net/netisr.h"
#include "model/trace.h"

#define IFPOLL_STALLED 100 /* pending polls after which a poll has stalled */

static void ifpoll_tick(struct cpu *, struct cpu_source *);
static void rxpoll_handler(struct globaldata *, struct netmsg *);
static void rxpoll_rest(struct globaldata *);
static void rxpollmore(struct globaldata *);
static void txpoll_handler(struct globaldata *, struct netmsg *);
static sim_ns ifpoll_next(const struct iopoll_ctx *);

/* Frequencies differ a little so that CPUs do not poll in step. */
void
ifpoll_init(struct globaldata *gd, int64_t hz)
{
	struct iopoll_ctx *io = sim_calloc(1, sizeof(*io));
	int cpu = gd->gd_cpu.c_id;

	gd->gd_iopoll = io;
	io->io_hz = hz + 3 * cpu % 50;
	io->io_burst = gd->gd_machine->m_sysctl->each_burst;
	io->io_rxmsg.nm_dispatch = rxpoll_handler;
	io->io_txmsg.nm_dispatch = txpoll_handler;
	io->io_systimer.cs_fire = ifpoll_tick;
	io->io_nticks = 1;
	cpu_source_add(&gd->gd_cpu, &io->io_systimer);
	cpu_source_arm(&gd->gd_cpu, &io->io_systimer, ifpoll_next(io));
}

void
ifpoll_fini(struct globaldata *gd)
{
	sim_free(gd->gd_iopoll);
	gd->gd_iopoll = NULL;
}

static sim_ns
ifpoll_next(const struct iopoll_ctx *io)
{
	return io->io_nticks * 1000000000 / io->io_hz;
}

void
ifpoll_register(
    struct globaldata *gd, struct ifnet *ifp, const struct ifpoll_ops *ops)
{
	struct iopoll_ctx *io = gd->gd_iopoll;

	SIM_ASSERT(io->io_nifs < IFPOLL_MAX);
	io->io_if[io->io_nifs] = ifp;
	io->io_ops[io->io_nifs] = ops;
	io->io_nifs++;
}

static void
iopoll_send(struct globaldata *gd, struct netmsg *nm)
{
	if (!nm->nm_queued)
		netisr_post(gd, nm);
}

/* The systimer's interrupt: it only posts messages. */
static void
ifpoll_tick(struct cpu *c, struct cpu_source *cs)
{
	struct globaldata *gd = cpu_gd(c);
	struct iopoll_ctx *io = gd->gd_iopoll;

	io->io_nticks++;
	cpu_source_arm(c, cs, ifpoll_next(io));
	intr_enter(gd);
	if (io->io_pending > IFPOLL_STALLED) {
		io->io_stalled++;
		io->io_pending = 0;
		io->io_phase = 0;
	}
	if (io->io_phase <= 2) {
		io->io_phase = 2;
		iopoll_send(gd, &io->io_rxmsg);
	}
	if (io->io_pending++ > 0)
		io->io_lost++;
	if (io->io_txfrac-- == 0) {
		io->io_txfrac = gd->gd_machine->m_sysctl->tx_frac;
		iopoll_send(gd, &io->io_txmsg);
	}
}

/*
 * One round: each interface hands up to each_burst frames to the protocols.
 */
static void
rxpoll_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct iopoll_ctx *io = gd->gd_iopoll;
	int64_t each = gd->gd_machine->m_sysctl->each_burst, cycles;

	(void)nm;
	io->io_phase = 3;
	if (io->io_residual == 0) {
		io->io_start = gd->gd_cpu.c_now;
		io->io_residual = io->io_burst;
		io->io_polls++;
		for (int i = 0; i < io->io_nifs; i++)
			nic_rx_sync(&gd->gd_cpu, io->io_if[i]->if_port->np_rx);
	}
	cycles = io->io_residual < each ? io->io_residual : each;
	io->io_residual -= cycles;
	io->io_rounds++;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_POLL, 0,
	    io->io_rounds, io->io_residual);
	for (int i = 0; i < io->io_nifs; i++)
		io->io_ops[i]->ip_rxpoll(
		    gd, io->io_if[i], (int)cycles, io->io_start);
	rxpoll_rest(gd);
	io->io_phase = 4;
	rxpollmore(gd);
}

/*
 * When every ring is empty, the other rounds of the tick will find nothing:
 * they are paid for at once. (Unless other messages wait: these take turns
 * with the rounds.)
 */
static void
rxpoll_rest(struct globaldata *gd)
{
	struct iopoll_ctx *io = gd->gd_iopoll;
	int64_t each = gd->gd_machine->m_sysctl->each_burst, rounds;
	const sim_ns *cost = gd->gd_cpu.c_cost;

	if (io->io_residual == 0 || netisr_pending(gd))
		return;
	for (int i = 0; i < io->io_nifs; i++)
		if (io->io_ops[i]->ip_rxready(gd, io->io_if[i], io->io_start))
			return;
	rounds = (io->io_residual + each - 1) / each;
	io->io_residual = 0;
	io->io_rounds += rounds;
	gd->gd_netisr.ni_messages += rounds;
	cpu_run_ns(
	    &gd->gd_cpu, COST_msg_dispatch, rounds * cost[COST_msg_dispatch]);
	cpu_run_ns(&gd->gd_cpu, COST_poll_round,
	    rounds * io->io_nifs * cost[COST_poll_round]);
}

/*
 * Another round, or the end of this tick's polling: the burst is adapted to
 * the share of the tick that it took.
 */
static void
rxpollmore(struct globaldata *gd)
{
	struct iopoll_ctx *io = gd->gd_iopoll;
	const struct setup_sysctl *sc = gd->gd_machine->m_sysctl;
	int64_t load;

	io->io_phase = 5;
	if (io->io_residual > 0) {
		iopoll_send(gd, &io->io_rxmsg);
		return;
	}
	load = (gd->gd_cpu.c_now - io->io_start) * io->io_hz * 100 / 1000000000;
	if (load > 100 - sc->user_frac) {
		if (io->io_burst > 1)
			io->io_burst--;
	} else if (io->io_burst < sc->burst_max) {
		io->io_burst++;
	}
	if (--io->io_pending == 0) {
		io->io_phase = 0;
		return;
	}
	io->io_burst -= io->io_burst / 8;
	if (io->io_burst < 1)
		io->io_burst = 1;
	io->io_phase = 6;
	iopoll_send(gd, &io->io_rxmsg);
}

/*
 * Transmit reclaim sees what had left one receive latency before the last
 * polling began: so far, all that others did is known without waiting for them.
 */
static void
txpoll_handler(struct globaldata *gd, struct netmsg *nm)
{
	struct iopoll_ctx *io = gd->gd_iopoll;

	(void)nm;
	for (int i = 0; i < io->io_nifs; i++) {
		struct ifnet *ifp = io->io_if[i];

		io->io_ops[i]->ip_txpoll(
		    gd, ifp, io->io_start - ifp->if_port->np_rx->w_latency);
	}
}
