#ifndef SIM_LAB_PCAPNG_H
#define SIM_LAB_PCAPNG_H

/*
 * A capture of the frames at the servers' ports, as Wireshark reads it: pcapng
 * with an interface a port, times in ns, directions, and a comment where a
 * frame met its end ("listen queue full: so_qlen 257 > 256"). The comment of
 * the section is the scenario's title.
 *
 * Frames are whole: Ethernet, IPv4 and TCP with checksums and the options that
 * the model counts (MSS and window scale on a SYN, timestamps on all). Requests
 * and responses are HTTP as far as their lengths allow. Addresses are the
 * model's, MAC addresses are made up. There is no time of day: the first second
 * of a run is the first of 1970.
 */
#include <stdio.h>

#include "sim/lab/capture.h"

/* A run_trace_writer (sim/lab/run.h), of capture_kinds. */
bool pcapng_write(
    FILE *, const char *name, struct sim_trace *, const struct model *);

/* The Internet checksum of n bytes, added to a sum that is not yet folded. */
uint32_t pcapng_sum(const uint8_t *bytes, size_t n, uint32_t sum);
uint16_t pcapng_checksum(uint32_t sum);

#endif
