/*
 * N = X * cycle: the mean number of slots in a cycle, integrated over time,
 * against throughput times the mean cycle of those that ended. Exact but for
 * the cycles cut at both ends of the measurement, at most a slot's worth each:
 * N cycles of X * T. In a closed system N is the number of connections. Also
 * with a full queue and SYNs that are dropped and come again after seconds.
 */
#include "tests/theory/theory.h"

static int
law(const char *what, const struct measured *me, double slots, double within)
{
	double product = me->me_throughput * me->me_cycle;
	bool ok = fabs(product / me->me_slots - 1) <= within &&
		  (slots == 0 || fabs(me->me_slots / slots - 1) <= 1e-9);

	printf("%-28s N %10.4f  X * cycle %10.4f  %+.3f %% %s\n", what,
	    me->me_slots, product, 100 * (product / me->me_slots - 1),
	    ok ? "ok" : "NOT OK");
	return ok ? 0 : 1;
}

int
main(void)
{
	static struct measured me[THEORY_MAX_REPS];
	struct theory closed = {
		{ "tool=wrk", "connections=25", "measure=20s" }, 1
	};
	struct theory open = {
		{ "tool=open", "connections=0", "client.rate=600/s" }, 1
	};
	struct theory dropping = { { "tool=wrk", "connections=60",
				       "somaxconn=20", "measure=100s",
				       "warmup=20s" },
		1 };
	int bad = 0;

	theory_replicate(&closed, me);
	bad += law("closed", me, 25, 0.002);
	theory_replicate(&open, me);
	bad += law("open", me, 0, 0.002);
	theory_replicate(&dropping, me);
	printf("%lld of %lld SYNs dropped\n",
	    (long long)me->me_counters[COUNTER_drop_syn_queue_full],
	    (long long)me->me_counters[COUNTER_syns]);
	bad += law("closed, dropping SYNs", me, 60, 0.005);
	bad += me->me_counters[COUNTER_drop_syn_queue_full] < 1000;
	return bad != 0;
}
