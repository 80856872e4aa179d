#ifndef SIM_LAB_TRACE_RECORD_H
#define SIM_LAB_TRACE_RECORD_H

/*
 * What a trace record says, for people.
 */
#include <stddef.h>

#include "model/model.h"
#include "model/trace.h"

#define TRACE_RECORD_MAX 200 /* bytes of its text, with the NUL */

/*
 * "ix_rxeof: SA len 0 (client 0:1025)". Not of a cost. Returns: buf, of
 * TRACE_RECORD_MAX bytes.
 */
char *trace_record_text(
    char *buf, const struct model *, const struct sim_trace_rec *);

/* Name of a machine or a peer, by mc_machine. */
const char *trace_machine_name(const struct model *, int machine);

#endif
