/*
 * M/M/1 through the engine: at 0.5 its slices say that it is steady, at 1.2
 * that there is no steady state. The levels of the verdict let one steady run
 * in a hundred be called otherwise.
 */
#include "tests/theory/theory.h"

#define REPS 10

static int
count(const char *rate, enum stat_steady verdict)
{
	static struct measured me[THEORY_MAX_REPS];
	struct theory th = { { "tool=open", "connections=0", rate,
				 "slice=200ms", "measure=20s" },
		REPS };
	int n = 0;

	theory_replicate(&th, me);
	for (int i = 0; i < REPS; i++)
		n += me[i].me_steady == verdict;
	printf("%s: %d of %d as expected\n", rate, n, REPS);
	return n;
}

int
main(void)
{
	return count("client.rate=500/s", STAT_STEADY) < REPS - 1 ||
	       count("client.rate=1200/s", STAT_NO_STEADY_STATE) < REPS;
}
