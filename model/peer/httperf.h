#ifndef MODEL_PEER_HTTPERF_H
#define MODEL_PEER_HTTPERF_H

/*
 * httperf 0.9.0 with --wsess=N,1,1: processes that each have one connection at
 * a time, with one request on it. A process connects, writes, reads and
 * closes, and asks select(2) with a zero timeout in between: it polls, and is
 * never idle. What a select(2) finds is one event, handled before the next: a
 * connection takes three that find something.
 *
 * Process p runs on CPU p % threads. Those of one CPU take turns of 100 ms
 * (usched_dfly); one that has not the CPU notices nothing. A process ends with
 * its last session, and then takes no turns.
 *
 * A session whose connection fails (no port, a reset, a time-out, an early
 * EOF) is over as well; its request may have been sent or not.
 *
 * The request rate is what each process prints at its end, summed: requests
 * sent by the time that its core loop ran, whatever the warm-up. Processes
 * that the run cut short print theirs at its end. Where not all run at the same
 * time (start: smooth, few sessions) the sum is more than ever was served.
 *
 * Differs: a process gives up the CPU only between two events, a switch costs
 *          nothing, and there are no priorities: one that starts waits for the
 *          turns of those before it; no process moves to another CPU; the
 *          tool's own code is charged once a request, before its clock starts.
 */
#include "model/peer/peer.h"

extern const struct peer_ops httperf_ops;

/* How a process is doing. Context: outside of the run, or between events. */
struct httperf_report {
	int hr_cpu;
	int hr_conns;				   /* held now: 0 or 1 */
	uint64_t hr_opened, hr_sent, hr_completed; /* since the start */
	sim_ns hr_start; /* its core loop began; 0: not yet */
	sim_ns hr_end;	 /* ... ended; 0: not yet */
};

/* Process i of a peer whose tool this is. */
struct httperf_report httperf_report(const struct peer *, int i);

#endif
