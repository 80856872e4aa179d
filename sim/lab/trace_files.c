#include "sim/lab/trace_files.h"

#include <errno.h>
#include <string.h>

#include "model/trace.h"
#include "sim/lab/trace_text.h"
#include "sim/lab/units.h"

#define TRACE_LIMIT 5000000

/* A form, and what it is made from. */
struct form {
	run_trace_writer *fo_write;
	uint64_t fo_kinds;
};

static const struct form text_form = { trace_text, UINT64_MAX };

static bool window(const char *text, struct run_trace *);
static bool file_add(struct run_trace *, const char *file, const struct form *);

int
trace_files_open(struct run_trace *rt, const struct cli_args *ca)
{
	*rt = (struct run_trace){ .rt_to = SIM_NEVER, .rt_limit = TRACE_LIMIT };
	if (ca->ca_trace_window != NULL && !window(ca->ca_trace_window, rt))
		return cli_usage("run",
		    "--trace-window: '%s', want A..B, as in 1s..1001ms",
		    ca->ca_trace_window);
	if (ca->ca_trace_window != NULL && ca->ca_trace == NULL)
		return cli_usage("run", "--trace-window without --trace");
	if (ca->ca_trace != NULL && !file_add(rt, ca->ca_trace, &text_form)) {
		trace_files_close(rt);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

void
trace_files_close(struct run_trace *rt)
{
	for (int i = 0; i < rt->rt_n; i++)
		fclose(rt->rt_files[i].rf_fp);
	rt->rt_n = 0;
}

/* A..B */
static bool
window(const char *text, struct run_trace *rt)
{
	const char *dots = strstr(text, "..");
	struct unit_error ue;
	struct quantity from, to;
	char a[UNIT_TEXT_MAX];

	if (dots == NULL || dots - text >= (ptrdiff_t)sizeof(a))
		return false;
	snprintf(a, sizeof(a), "%.*s", (int)(dots - text), text);
	if (!unit_parse(UNIT_TIME, a, &from, &ue) ||
	    !unit_parse(UNIT_TIME, dots + 2, &to, &ue))
		return false;
	rt->rt_from = from.q_int;
	rt->rt_to = to.q_int;
	return from.q_whole && to.q_whole && from.q_int < to.q_int;
}

static bool
file_add(struct run_trace *rt, const char *file, const struct form *fo)
{
	FILE *fp = fopen(file, "we");

	if (fp == NULL) {
		fprintf(stderr, "solab: %s: %s\n", file, strerror(errno));
		return false;
	}
	rt->rt_kinds |= fo->fo_kinds;
	rt->rt_files[rt->rt_n++] =
	    (struct run_trace_file){ fp, file, fo->fo_write };
	return true;
}
