#ifndef MODEL_SLICE_H
#define MODEL_SLICE_H

/*
 * What came together in a slice of the measurement, over all CPUs: whole
 * numbers, to which each CPU adds its part when it passes the slice's end. So
 * it does not matter which comes first, and the sums over all slices are those
 * of the measurement. What requests do is in struct peer_slice.
 */
#include <stdint.h>

enum slice_counter {
#define SLICE_COUNTER(name) SLICE_##name,
#include "model/slice.def"
#undef SLICE_COUNTER
	SLICE_NCOUNTERS
};

struct slice {
	int64_t sc_counters[SLICE_NCOUNTERS];
	int64_t sc_qsum;	  /* ns: integral of so_qlen, all listeners */
	int64_t sc_qmax;	  /* largest so_qlen of any: a max */
	int64_t sc_tx_backlog;	  /* packets on transmit rings, at the end */
	int64_t sc_conns;	  /* connections that clients hold, likewise */
	int64_t sc_token_wait_ns; /* waits for tokens that ended in it */
	int64_t sc_busy_ns;	  /* of the servers' CPUs: not idle */
	int64_t sc_netisr_ns;	  /* ... in protocol threads */
	int64_t sc_intr_ns;	  /* ... in interrupts */
	int64_t sc_busiest_ns;	  /* ... not idle: the busiest one's, a max */
};

#endif
