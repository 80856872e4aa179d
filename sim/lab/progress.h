#ifndef SIM_LAB_PROGRESS_H
#define SIM_LAB_PROGRESS_H

/*
 * How far a batch of runs is, on stderr: one line that rewrites itself about
 * five times a second on a terminal; otherwise (also with CI set, or TERM=dumb)
 * a line every tenth of the way or every 30 s. Wall time: nothing that is
 * printed here is a result.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sim/core/time.h"

struct progress {
	bool pg_tty;
	bool pg_drawn;	  /* the terminal's line is on the screen */
	int64_t pg_start; /* wall, ns */
	int64_t pg_last;  /* wall, ns: when something was printed */
	int pg_tenths;	  /* last tenth printed */
};

struct progress_state {
	int ps_runs, ps_done, ps_running, ps_failed;
	sim_ns ps_total_ns, ps_done_ns; /* simulated time of all runs */
};

void progress_init(struct progress *);

/* `now`: print in any case. */
void progress_update(
    struct progress *, const struct progress_state *, bool now);

/* Take the line away, before something else is printed, or at the end. */
void progress_clear(struct progress *);

/* Monotonic real time. */
int64_t wall_ns(void);

#endif
