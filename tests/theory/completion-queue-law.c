/*
 * Little's law for the completion queue: its mean length, as the slices of a
 * run have it (series so_qlen), is the rate at which connections go through it
 * times what each spends there (stage comp_queue): two clocks, one on the
 * listener and one on each connection. Exact but for those that are on the
 * queue, or served, at both ends of the measurement. Also with a full queue.
 */
#include "tests/theory/theory.h"

static int
law(const char *what, const struct measured *me, double least, double within)
{
	double product = me->me_throughput * me->me_queued;
	bool ok =
	    fabs(product / me->me_qlen - 1) <= within && me->me_qlen >= least;

	printf("%-28s so_qlen %9.5f  X * comp_queue %9.5f  %+.3f %% %s\n", what,
	    me->me_qlen, product, 100 * (product / me->me_qlen - 1),
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
	bad += law("closed", me, 1, 0.001);
	theory_replicate(&open, me);
	bad += law("open", me, 0.1, 0.001);
	theory_replicate(&dropping, me);
	bad += law("closed, dropping SYNs", me, 1, 0.001);
	return bad != 0;
}
