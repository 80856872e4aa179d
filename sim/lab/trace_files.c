#include "sim/lab/trace_files.h"

#include <errno.h>
#include <string.h>

#include "sim/lab/pcapng.h"
#include "sim/lab/trace_events.h"
#include "sim/lab/trace_text.h"
#include "sim/lab/units.h"

#define TRACE_BYTES (128ll << 20)

/* A form, and what it is made from. */
struct form {
	const char *fo_suffix; /* of the file; NULL: any */
	run_trace_writer *fo_write;
	const uint64_t *fo_kinds;
	/* Of the file for a record, rather too few: more need not be kept. */
	int fo_bytes;
};

/* Frames are for captures. */
static const uint64_t all_kinds =
    ~(1ull << TRACE_FRAME | 1ull << TRACE_RING_DROP);

static const struct form capture = { NULL, pcapng_write, &capture_kinds, 100 };

static const struct form forms[] = {
	{ ".json", trace_events, &trace_events_kinds, 80 },
	{ NULL, trace_text, &all_kinds, 48 },
};

static int options(struct run_trace *, const struct cli_args *);
static bool connection(const char *text, uint32_t *flow);
static const struct form *form_of(const char *file);
static bool file_add(struct run_trace *, const char *file, const struct form *);

int
trace_files_open(struct run_trace *rt, const struct cli_args *ca)
{
	int status;

	*rt = (struct run_trace){ .rt_to = SIM_NEVER };
	status = options(rt, ca);
	if (status != EXIT_OK)
		return status;
	if ((ca->ca_trace != NULL &&
		!file_add(rt, ca->ca_trace, form_of(ca->ca_trace))) ||
	    (ca->ca_pcap != NULL && !file_add(rt, ca->ca_pcap, &capture))) {
		trace_files_close(rt);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static int
options(struct run_trace *rt, const struct cli_args *ca)
{
	const char *alone = NULL;

	if (ca->ca_trace_window != NULL) {
		alone = "--trace-window";
		if (!trace_window(ca->ca_trace_window, rt))
			return cli_usage("run",
			    "--trace-window: '%s', want A..B, as in "
			    "1s..1001ms",
			    ca->ca_trace_window);
	}
	if (ca->ca_trace_connection != NULL) {
		alone = "--trace-connection";
		if (!connection(ca->ca_trace_connection, &rt->rt_only))
			return cli_usage("run",
			    "--trace-connection: '%s', want the ADDR:PORT of a "
			    "client as traces print it, as in 0:1025",
			    ca->ca_trace_connection);
	}
	if (ca->ca_trace_limit != 0)
		alone = "--trace-limit";
	rt->rt_bytes =
	    ca->ca_trace_limit != 0 ? ca->ca_trace_limit : TRACE_BYTES;
	if (alone != NULL && ca->ca_trace == NULL && ca->ca_pcap == NULL)
		return cli_usage("run", "%s without --trace or --pcap", alone);
	if (ca->ca_trace != NULL && ca->ca_pcap != NULL &&
	    strcmp(ca->ca_trace, ca->ca_pcap) == 0)
		return cli_usage("run", "--trace and --pcap to one file");
	return EXIT_OK;
}

void
trace_files_close(struct run_trace *rt)
{
	for (int i = 0; i < rt->rt_n; i++)
		fclose(rt->rt_files[i].rf_fp);
	rt->rt_n = 0;
}

bool
trace_window(const char *text, struct run_trace *rt)
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

/* A number without sign or blanks. */
static bool
number(const char **text, uint32_t most, uint32_t *n)
{
	const char *digits = *text;

	for (*n = 0; **text >= '0' && **text <= '9' && *n <= most; (*text)++)
		*n = *n * 10 + (uint32_t)(**text - '0');
	return *text > digits && *n <= most;
}

static bool
connection(const char *text, uint32_t *flow)
{
	uint32_t addr, port;

	if (!number(&text, SETUP_MAX_ADDRESSES - 1, &addr) || *text++ != ':' ||
	    !number(&text, UINT16_MAX, &port) || *text != '\0' || port == 0)
		return false;
	*flow = flow_make(addr, port);
	return true;
}

static const struct form *
form_of(const char *file)
{
	const struct form *fo = forms;
	size_t len = strlen(file);

	for (; fo->fo_suffix != NULL; fo++) {
		size_t n = strlen(fo->fo_suffix);

		if (len > n && strcmp(file + len - n, fo->fo_suffix) == 0)
			break;
	}
	return fo;
}

static bool
file_add(struct run_trace *rt, const char *file, const struct form *fo)
{
	uint64_t limit = (uint64_t)(rt->rt_bytes / fo->fo_bytes);
	FILE *fp = fopen(file, "we");

	if (fp == NULL) {
		fprintf(stderr, "solab: %s: %s\n", file, strerror(errno));
		return false;
	}
	rt->rt_kinds |= *fo->fo_kinds;
	if (limit > rt->rt_limit)
		rt->rt_limit = limit;
	rt->rt_files[rt->rt_n++] =
	    (struct run_trace_file){ fp, file, fo->fo_write };
	return true;
}
