/*
 * M/D/1: as mm1-wait.c, with work of 1 ms each time. The mean time in the
 * system is 1 / mu + rho / (2 mu (1 - rho)), half the waiting of M/M/1.
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
	} cases[] = { { "client.rate=300/s", 300, 0.015 },
		{ "client.rate=700/s", 700, 0.05 } };
	static struct measured me[THEORY_MAX_REPS];
	int bad = 0;

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct theory th = { { "tool=open", "connections=0",
					 cases[c].rate,
					 "work_distribution=fixed" },
			16 };
		double t[THEORY_MAX_REPS], busy[THEORY_MAX_REPS];
		double rho = cases[c].lambda / MU;

		theory_replicate(&th, me);
		for (int i = 0; i < th.th_reps; i++) {
			t[i] = me[i].me_latency - LINK;
			busy[i] = me[i].me_busy;
		}
		printf("lambda %g, mu %g\n", cases[c].lambda, MU);
		bad += theory_check("mean time in system, s", t, th.th_reps,
		    1 / MU + rho / (2 * MU * (1 - rho)), cases[c].narrow, 1e-7);
		bad +=
		    theory_check("utilisation", busy, th.th_reps, rho, 0.02, 0);
	}
	return bad != 0;
}
