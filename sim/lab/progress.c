#include "sim/lab/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_NS 200000000LL
#define SPARSE_NS 30000000000LL
#define QUIET_NS 1000000000LL /* no two sparse lines within this */

static void print(struct progress *, const struct progress_state *);

int64_t
wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

void
progress_init(struct progress *pg)
{
	const char *term = getenv("TERM"), *ci = getenv("CI");

	*pg = (struct progress){ 0 };
	pg->pg_tty = isatty(STDERR_FILENO) && (ci == NULL || *ci == '\0') &&
		     term != NULL && strcmp(term, "dumb") != 0;
	pg->pg_start = pg->pg_last = wall_ns();
}

/* What is done of the simulated time. */
static double
part(const struct progress_state *ps)
{
	if (ps->ps_total_ns <= 0)
		return 0;
	return fmin((double)ps->ps_done_ns / (double)ps->ps_total_ns, 1);
}

void
progress_update(struct progress *pg, const struct progress_state *ps, bool now)
{
	int64_t since = wall_ns() - pg->pg_last;
	int tenths = (int)(10 * part(ps));
	bool due;

	if (pg->pg_tty)
		due = since >= REDRAW_NS;
	else
		due = since >= SPARSE_NS ||
		      (tenths > pg->pg_tenths && since >= QUIET_NS);
	if (!due && !now)
		return;
	pg->pg_tenths = tenths;
	print(pg, ps);
	if (now && pg->pg_tty) {
		fputc('\n', stderr);
		pg->pg_drawn = false;
	}
}

/* One run is told by its time, several are counted. */
static void
print(struct progress *pg, const struct progress_state *ps)
{
	double wall, rate, left;

	pg->pg_last = wall_ns();
	wall = (double)(pg->pg_last - pg->pg_start) * 1e-9;
	rate = wall > 0 ? (double)ps->ps_done_ns * 1e-9 / wall : 0;
	fprintf(stderr, "%ssolab: %3.0f %%  ", pg->pg_tty ? "\r" : "",
	    100 * part(ps));
	if (ps->ps_runs > 1)
		fprintf(stderr, "%d of %d runs, %d running, ", ps->ps_done,
		    ps->ps_runs, ps->ps_running);
	if (ps->ps_failed > 0)
		fprintf(stderr, "%d failed, ", ps->ps_failed);
	fprintf(stderr, "%.2f of %.2f s simulated, %.2f s/s",
	    (double)ps->ps_done_ns * 1e-9, (double)ps->ps_total_ns * 1e-9,
	    rate);
	if (rate > 0 && ps->ps_total_ns >= ps->ps_done_ns) {
		left = (double)(ps->ps_total_ns - ps->ps_done_ns) * 1e-9 / rate;
		fprintf(stderr, ", ETA %.0f s", left);
	}
	fputs(pg->pg_tty ? "\033[K" : "\n", stderr);
	pg->pg_drawn = pg->pg_tty;
	fflush(stderr);
}

void
progress_clear(struct progress *pg)
{
	if (!pg->pg_drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	pg->pg_drawn = false;
}
