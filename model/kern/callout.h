#ifndef MODEL_KERN_CALLOUT_H
#define MODEL_KERN_CALLOUT_H

/*
 * A CPU's callout wheel: hz = 100, so everything is a multiple of 10 ms.
 *
 * Kernel: callout_reset(), callout_stop(), softclock_handler(),
 *         sys/kern/kern_timeout.c
 * Differs: no softclock thread of its own: due callouts run where the wheel is
 *          advanced; a callout never moves to another CPU.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/time.h"

#define CALLOUT_HZ 100
#define CALLOUT_TICK_NS (1000000000 / CALLOUT_HZ)
#define CALLOUT_WHEEL 1024 /* buckets, a power of two; a bucket is a tick */

struct callout;
typedef void callout_fn(struct callout *);

/* 32 bytes; embedded in what it times. */
struct callout {
	struct callout *co_next, **co_prevp; /* NULL prevp: not armed */
	callout_fn *co_fn;
	int32_t co_tick; /* when it is due */
};

struct callwheel {
	int32_t cw_tick; /* softticks: every callout up to here has run */
	uint32_t cw_armed;
	struct callout *cw_bucket[CALLOUT_WHEEL];
};

void callwheel_init(struct callwheel *);

/* Arm (or move) co to run `ticks` >= 1 ticks from now (cw_tick). */
void callout_reset(
    struct callwheel *, struct callout *co, int ticks, callout_fn *);

/* Disarm; nothing happens when it is not armed. */
void callout_stop(struct callwheel *, struct callout *co);

static inline bool
callout_pending(const struct callout *co)
{
	return co->co_prevp != NULL;
}

/*
 * hardclock: go to the next tick and run what is due, in the order in which
 * it was armed. A callout is disarmed before its function runs, which may arm
 * it or others again. Returns how many ran.
 */
int callwheel_tick(struct callwheel *);

/* ms to ticks as the kernel rounds sysctls: up, at least 1. */
static inline int
callout_ms_to_ticks(int64_t ms)
{
	int64_t t = (ms * CALLOUT_HZ + 999) / 1000;

	return t < 1 ? 1 : (int)t;
}

#endif
