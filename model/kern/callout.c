#include "model/kern/callout.h"

#include <stddef.h>
#include <string.h>

#include "sim/core/assert.h"

static void callout_unlink(struct callout *);
static void callout_link(struct callout **head, struct callout *);

void
callwheel_init(struct callwheel *cw)
{
	memset(cw, 0, sizeof(*cw));
}

void
callout_reset(
    struct callwheel *cw, struct callout *co, int ticks, callout_fn *fn)
{
	SIM_ASSERT(ticks >= 1);
	SIM_ASSERT(cw->cw_tick <= INT32_MAX - ticks);
	if (callout_pending(co))
		callout_unlink(co);
	else
		cw->cw_armed++;
	co->co_fn = fn;
	co->co_tick = cw->cw_tick + ticks;
	callout_link(&cw->cw_bucket[(uint32_t)co->co_tick % CALLOUT_WHEEL], co);
}

void
callout_stop(struct callwheel *cw, struct callout *co)
{
	if (!callout_pending(co))
		return;
	callout_unlink(co);
	cw->cw_armed--;
}

int
callwheel_tick(struct callwheel *cw)
{
	struct callout *co, *next, *due = NULL;
	int ran = 0;

	cw->cw_tick++;
	co = cw->cw_bucket[(uint32_t)cw->cw_tick % CALLOUT_WHEEL];
	/*
	 * A bucket has the youngest first; what is due moves one by one to the
	 * front of a list of its own, which turns the order around. It stays
	 * linked, so that a function may stop or move one that is yet to run.
	 */
	for (; co != NULL; co = next) {
		next = co->co_next;
		if (co->co_tick != cw->cw_tick)
			continue;
		callout_unlink(co);
		callout_link(&due, co);
	}
	while ((co = due) != NULL) {
		callout_unlink(co);
		/* A callout stands at the end of what it times. */
		for (int line = -3; due != NULL && line <= 1; line++)
			__builtin_prefetch((char *)due + 64 * line, 1);
		cw->cw_armed--;
		ran++;
		co->co_fn(co);
	}
	return ran;
}

static void
callout_link(struct callout **head, struct callout *co)
{
	co->co_next = *head;
	co->co_prevp = head;
	if (co->co_next != NULL)
		co->co_next->co_prevp = &co->co_next;
	*head = co;
}

static void
callout_unlink(struct callout *co)
{
	*co->co_prevp = co->co_next;
	if (co->co_next != NULL)
		co->co_next->co_prevp = co->co_prevp;
	co->co_next = NULL;
	co->co_prevp = NULL;
}
