/*
 * 16 KiB over a link of 100 Mbit/s that is always full: the throughput is what
 * the frames leave room for. Each frame costs 90 bytes besides its data, a SYN
 * 8 more; a connection sends to the client
 *
 *	SYN|ACK		98
 *	data		16384 + 254, and 90 for each of its segments
 *	ACK of FIN	90
 *	FIN		90
 *
 * The segments are counted by the run (tx_frames less the three others), as
 * they depend on how ACKs come; 12 would be the fewest. Within 0.5 %.
 */
#include "tests/theory/theory.h"

#define DATA (16384 + 254)
#define RATE 100e6

int
main(void)
{
	static struct measured me[THEORY_MAX_REPS];
	struct theory th = { { "tool=wrk", "connections=40", "work=0ns",
				 "nics.ix.rate=100Mbps", "latency=100us",
				 "object=16KiB", "header=254B", "measure=20s" },
		1 };
	double conns, segments, bits, want, off;

	theory_replicate(&th, me);
	conns = (double)me->me_counters[COUNTER_tcps_sc_added];
	segments = (double)me->me_counters[COUNTER_tx_frames] / conns - 3;
	bits = 8 * (98 + DATA + 90 * segments + 90 + 90);
	want = RATE / bits;
	off = me->me_throughput / want - 1;
	printf("%.3f segments a response, %.0f bits a connection\n", segments,
	    bits);
	printf("throughput %.2f /s, wire arithmetic %.2f /s, off by %.3f %%\n",
	    me->me_throughput, want, 100 * off);
	printf("retransmitted %lld\n",
	    (long long)me->me_counters[COUNTER_tcps_sndrexmitpack]);
	return !(fabs(off) < 0.005 && segments >= 12 && segments < 16);
}
