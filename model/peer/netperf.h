#ifndef MODEL_PEER_NETPERF_H
#define MODEL_PEER_NETPERF_H

/*
 * netperf TCP_SENDFILE on a Linux 2.6.19 host of one CPU: one connection, and
 * sendfile(2) of a message after the other for as long as the run lasts.
 *
 * ACKs are handled in the receive interrupt (NAPI), each alone, and send what
 * they release; the process fills the send buffer when a third of it is free.
 * This host pays lnx_* costs, not those of the other load generators.
 *
 * There are no requests, and so no latencies: what was received is counted by
 * the receiver (netserver_bytes).
 *
 * Differs: no control connection; the test does not end before the run does.
 */
#include "model/peer/peer.h"

extern const struct peer_ops netperf_ops;

#endif
