/*
 * A closed system: N connections of wrk, each either "thinking" or at the one
 * server with exponential work S. Thinking is the link here: after the response
 * has left it takes 1 ms to the client, 1 ms each for SYN, SYN|ACK and the
 * request, 4 ms in all, without queueing. With the think time in a
 * station with as many servers as customers this is a product-form network,
 * and the throughput depends on the think time through its mean Z only (it need
 * not be exponential). Mean value analysis gives the exact throughput:
 *
 *	R(n) = S (1 + Q(n - 1)),  X(n) = n / (Z + R(n)),  Q(n) = X(n) R(n)
 *
 * With connections kept (connreqs 0) Z is 2 ms: request and response.
 */
#include "tests/theory/theory.h"

static void
mva(int n, double s, double z, double *x, double *r)
{
	double q = 0;

	for (int i = 1; i <= n; i++) {
		*r = s * (1 + q);
		*x = i / (z + *r);
		q = *x * *r;
	}
}

int
main(void)
{
	static const struct {
		const char *connections, *connreqs;
		int n;
		double z;
	} cases[] = {
		{ "connections=1", "connreqs=1", 1, 4e-3 },
		{ "connections=3", "connreqs=1", 3, 4e-3 },
		{ "connections=3", "connreqs=0", 3, 2e-3 },
		{ "connections=20", "connreqs=1", 20, 4e-3 },
	};
	static struct measured me[THEORY_MAX_REPS];
	int bad = 0;

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct theory th = { { "tool=wrk", "measure=8s", "warmup=1s",
					 cases[c].connections,
					 cases[c].connreqs },
			12 };
		double x[THEORY_MAX_REPS], t[THEORY_MAX_REPS], want_x = 0,
							       want_r = 0;

		theory_replicate(&th, me);
		mva(cases[c].n, 1e-3, cases[c].z, &want_x, &want_r);
		for (int i = 0; i < th.th_reps; i++) {
			x[i] = me[i].me_throughput;
			/* wrk's clock has one way of the link at each end. */
			t[i] = me[i].me_latency - 2e-3;
		}
		printf("%s, %s\n", cases[c].connections, cases[c].connreqs);
		bad += theory_check("throughput, 1/s", x, th.th_reps, want_x,
		    0.025, 1e-4 * want_x);
		bad += theory_check(
		    "time at the server, s", t, th.th_reps, want_r, 0.05, 1e-7);
	}
	return bad != 0;
}
