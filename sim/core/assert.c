#include "sim/core/assert.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static struct sim_bug_context bug_context;
static bool bug_context_set;

void
sim_bug_set_context(const struct sim_bug_context *bc)
{
	bug_context_set = bc != NULL;
	bug_context = bc != NULL ? *bc : (struct sim_bug_context){ 0 };
}

void
sim_bug(const char *file, int line, const char *func, const char *fmt, ...)
{
	static int depth;
	char where[256] = "";
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "solab: bug: %s:%d: %s: ", file, line, func);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);

	/* bc_where() looks at the model and may itself find a bug. */
	if (depth++ == 0 && bug_context.bc_where != NULL) {
		bug_context.bc_where(where, sizeof(where));
		fprintf(stderr, "solab: %s\n", where);
	}
	if (bug_context_set)
		fprintf(stderr, "solab: scenario %s, seed %llu\n",
		    bug_context.bc_scenario != NULL ? bug_context.bc_scenario
						    : "(none)",
		    (unsigned long long)bug_context.bc_seed);
	abort();
}
