#ifndef SIM_LAB_OUTPUT_H
#define SIM_LAB_OUTPUT_H

/*
 * What `solab run` prints for people, and what JSON writers share.
 */
#include <stdio.h>

#include "sim/lab/points.h"

/* All replications together. `all`: every listener, peer and counter. */
void output_text(
    FILE *, const struct scenario *, const struct point *, bool all);

/*
 * A netserver's metrics, counters and CPU time per KiB, in place of those of
 * requests.
 */
void output_receive(FILE *, const struct point *);

/* How long it took: not a result. */
void output_speed(FILE *, const struct result *);

/* {"PATH": VALUE, ...} */
void output_json_params(FILE *, const struct scenario_param *, int n);

/* What is not UTF-8 becomes U+FFFD; controls of a terminal are escaped. */
void output_json_string(FILE *, const char *);

#endif
