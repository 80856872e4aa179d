/*
 * M/M/1: Poisson arrivals, exponential work, one server that never idles while
 * there is work. The mean time in the system is 1 / (mu - lambda), whatever
 * the order of service, as long as it does not look at the amount of work:
 * that matters here, where the worker takes connections by the batch of one
 * kevent(2).
 *
 * The system is entered when the request arrives (constant delays before that
 * leave the arrivals Poisson) and left with the response; wrk's clock holds one
 * way of the link more at each end. The server costs nothing but the work; the
 * link is so fast that frames do not count (1 ns).
 */
#include "tests/theory/theory.h"

#define MU 1000.0
#define LINK 2e-3 /* s, there and back */

int
main(void)
{
	static const struct {
		const char *rate;
		double lambda, narrow;
	} cases[] = { { "client.rate=300/s", 300, 0.04 },
		{ "client.rate=700/s", 700, 0.09 } };
	static struct measured me[THEORY_MAX_REPS];
	int bad = 0;

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct theory th = {
			{ "tool=open", "connections=0", cases[c].rate }, 16
		};
		double t[THEORY_MAX_REPS], busy[THEORY_MAX_REPS],
		    n[THEORY_MAX_REPS], rho = cases[c].lambda / MU;

		theory_replicate(&th, me);
		for (int i = 0; i < th.th_reps; i++) {
			t[i] = me[i].me_latency - LINK;
			busy[i] = me[i].me_busy;
			/* Little: the time outside the server is constant. */
			n[i] = me[i].me_throughput * t[i];
		}
		printf("lambda %g, mu %g\n", cases[c].lambda, MU);
		bad += theory_check("mean time in system, s", t, th.th_reps,
		    1 / (MU - cases[c].lambda), cases[c].narrow, 1e-7);
		bad +=
		    theory_check("utilisation", busy, th.th_reps, rho, 0.03, 0);
		bad += theory_check("mean number in system", n, th.th_reps,
		    rho / (1 - rho), 1.5 * cases[c].narrow, 0);
	}
	return bad != 0;
}
