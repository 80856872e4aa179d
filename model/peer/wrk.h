#ifndef MODEL_PEER_WRK_H
#define MODEL_PEER_WRK_H

/*
 * The load generators that speak HTTP over an event loop.
 *
 * `wrk` (the fork with --connreqs): a closed loop. A slot cycles for ever:
 * connect, wait until writable, re-arm, write the request (the latency clock
 * starts), read until the response is complete (it stops), close, connect. One
 * kevent(2) wait a pass returns every ready socket; a connection needs three
 * passes at least. Responses later than the timeout are counted, and left out
 * of the latencies.
 *
 * `open`: connections arrive by themselves (Poisson, or evenly spaced), one
 * request each, in slots that are made as needed; otherwise the same loop.
 *
 * Differs: one kqueue order for both filters; no Lua; latencies in ns (wrk
 *          truncates to us).
 */
#include "model/peer/peer.h"

/* For TOOL_WRK and TOOL_OPEN. */
extern const struct peer_ops wrk_ops;

#endif
