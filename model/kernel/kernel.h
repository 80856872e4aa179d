#ifndef MODEL_KERNEL_KERNEL_H
#define MODEL_KERNEL_KERNEL_H

/*
 * A kernel: how a machine is put together. What kernels share is in kern/,
 * net/ and netinet/.
 */
#include "model/kern/machine.h"
#include "model/slice.h"
#include "model/user/nginx.h"

/* The wires of a port of a card, by interface index. */
struct port_wires {
	struct wire *pw_rx, *pw_tx;
};

/*
 * What a kernel is to the model. The calls are described below, where
 * DragonFly's are.
 */
struct kernel_ops {
	const char *ko_name;
	const struct kernel_rules *ko_rules;
	void (*ko_boot)(struct machine *, const struct port_wires *, int where,
	    const struct cpu_marks *, bool exact);
	void (*ko_shutdown)(struct machine *);
	void (*ko_counters)(const struct globaldata *, int64_t *out);
	void (*ko_mark)(struct globaldata *);
	void (*ko_slice)(const struct globaldata *, struct slice *);
	void (*ko_slice_listeners)(
	    struct machine *, int cpu, sim_ns edge, struct slice *);
	int64_t (*ko_token_wait)(const struct machine *);
	void (*ko_check)(const struct machine *);
};

/* Those of both DragonFly kernels. */
#define KERNEL_DRAGONFLY_OPS                                          \
	.ko_boot = dragonfly_boot, .ko_shutdown = dragonfly_shutdown, \
	.ko_counters = dragonfly_counters, .ko_mark = dragonfly_mark, \
	.ko_slice = dragonfly_slice,                                  \
	.ko_slice_listeners = dragonfly_slice_listeners,              \
	.ko_token_wait = dragonfly_token_wait, .ko_check = dragonfly_check

const struct kernel_ops *kernel_find(enum setup_kernel);

/*
 * Boot: CPUs, protocol threads, interfaces, processes. The machine's setup,
 * flows and rng are set; wires by interface index.
 */
void dragonfly_boot(struct machine *, const struct port_wires *, int where,
    const struct cpu_marks *, bool exact);
void dragonfly_shutdown(struct machine *);

/* Counters of one CPU since boot, into out[COUNTER_N]. */
void dragonfly_counters(const struct globaldata *, int64_t *out);

/* A CPU passes the start of the measurement. */
void dragonfly_mark(struct globaldata *);

/*
 * A slice of the measurement has ended: add what a CPU has waiting to be sent,
 * and what came together on the listeners whose counts are CPU `cpu`'s. Where
 * CPUs share, another one may have changed a listener at that very instant
 * already; the integral is the same.
 *
 * Context: that CPU, at the edge; of the last slice outside of the run. Time:
 * none.
 */
void dragonfly_slice(const struct globaldata *, struct slice *);
void dragonfly_slice_listeners(
    struct machine *, int cpu, sim_ns edge, struct slice *);

/* Waits for tokens that have ended, of all tokens, since the last reset. */
int64_t dragonfly_token_wait(const struct machine *);

/* Assert what must always hold between its counts. */
void dragonfly_check(const struct machine *);

/*
 * Processes of a machine: workers in order of their index, and what they listen
 * on: each its own (reuseport), or all the same.
 */
struct machine_procs {
	struct ngx_worker **mp_workers;
	int mp_nworkers;
	struct so_listen **mp_listeners;
	int mp_nlisteners;
};

/* CPU of a worker; it listens on listener i modulo mp_nlisteners. */
int dragonfly_worker_cpu(
    const struct machine *, const struct setup_process *, int worker);

extern const struct kernel_ops kernel_dragonfly_2011, kernel_dragonfly_2017;
extern const struct kernel_ops kernel_freebsd_2007;

#endif
