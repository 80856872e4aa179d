#ifndef MODEL_KERNEL_KERNEL_H
#define MODEL_KERNEL_KERNEL_H

/*
 * A kernel: how a machine is put together. What kernels share is in kern/,
 * net/ and netinet/.
 */
#include "model/kern/machine.h"
#include "model/user/nginx.h"

/* The wires of a port of a card, by interface index. */
struct port_wires {
	struct wire *pw_rx, *pw_tx;
};

struct kernel_ops {
	const char *ko_name;
	/*
	 * Boot: CPUs, protocol threads, interfaces, processes. The machine's
	 * setup, flows and rng are set; wires by interface index.
	 */
	void (*ko_boot)(struct machine *, const struct port_wires *, int where,
	    const struct cpu_marks *, bool exact);
	void (*ko_shutdown)(struct machine *);
	/* Counters of one CPU since boot, into out[COUNTER_N]. */
	void (*ko_counters)(const struct globaldata *, int64_t *out);
	/* A CPU passes the start of the measurement. */
	void (*ko_mark)(struct globaldata *);
	/* Assert what must always hold between its counts. */
	void (*ko_check)(const struct machine *);
};

const struct kernel_ops *kernel_find(enum setup_kernel);

/* Processes of a machine: workers in order of their group index. */
struct machine_procs {
	struct ngx_worker **mp_workers;
	struct so_listen **mp_listeners;
	int mp_nworkers;
};

extern const struct kernel_ops kernel_dragonfly_2017;

#endif
