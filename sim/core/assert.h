#ifndef SIM_CORE_ASSERT_H
#define SIM_CORE_ASSERT_H

/*
 * A bug of ours stops the program with what is needed to see it again:
 * simulated time, actor, place, seed.
 *
 * SIM_ASSERT is always in. SIM_INVARIANT (-Dinvariants=true) is for checks
 * too dear for every run.
 */
#include "sim/core/time.h"

#define SIM_LIKELY(x) __builtin_expect(!!(x), 1)
#define SIM_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define SIM_ASSERT(e)                                                    \
	do {                                                             \
		if (SIM_UNLIKELY(!(e)))                                  \
			sim_bug(__FILE__, __LINE__, __func__, "%s", #e); \
	} while (0)

#ifdef SIM_INVARIANTS
#define SIM_INVARIANT(e) SIM_ASSERT(e)
#else
#define SIM_INVARIANT(e) ((void)0)
#endif

#define SIM_BUG(...) sim_bug(__FILE__, __LINE__, __func__, __VA_ARGS__)

/*
 * What a crash report prints beside the place: set once before a run, asked
 * only when it happens. `where` writes e.g. "at 1.000200300 s, cpu 3".
 */
struct sim_bug_context {
	uint64_t bc_seed;
	const char *bc_scenario;	   /* borrowed */
	void (*bc_where)(char *, int len); /* may be NULL */
};

void sim_bug_set_context(const struct sim_bug_context *);

/* Print the report on stderr and abort(). Never returns. */
void sim_bug(const char *file, int line, const char *func, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 4, 5), cold));

#endif
