#ifndef MODEL_KERN_IPIQ_H
#define MODEL_KERN_IPIQ_H

/*
 * IPI messages: functions that one CPU lets another run at interrupt level.
 *
 * A message is queued with the other CPU, and an IPI is sent unless one is on
 * its way there already (gd_npoll); the IPI runs all that is queued when it
 * comes, and what comes meanwhile. In 2011 the latter needs no IPI. CPUs that
 * exchange messages are in lockstep (hw/cpu.h), so a CPU sees what others did
 * before, at one instant those of a lower number.
 *
 * Kernel: lwkt_send_ipiq3(), lwkt_process_ipiq(), sys/kern/lwkt_ipiq.c
 * Differs: the FIFO of 32 entries for each pair of CPUs is one queue for each
 *          target, and not bounded: there are no more messages under way than
 *          threads and packets in a batch.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "model/hw/cpu.h"

struct globaldata;

/* Embedded in what it carries. */
struct ipimsg {
	STAILQ_ENTRY(ipimsg) im_link;
	/* Context: interrupt of the target. Time: runs. Borrows. */
	void (*im_func)(struct globaldata *, struct ipimsg *);
	bool im_queued;
};

STAILQ_HEAD(ipimsg_queue, ipimsg);

struct ipiq {
	struct ipimsg_queue iq_queue;
	struct cpu_source iq_source;
	bool iq_npoll; /* an IPI has been sent and not been taken */
	uint64_t iq_nsent, iq_ntaken; /* messages, ever */
};

/* Call on each CPU of a machine whose CPUs exchange messages. */
void ipiq_init(struct globaldata *);
void ipiq_fini(struct globaldata *);

/*
 * Let CPU `to`, another one, run a message.
 *
 * Context: CPU `from`. Time: runs msg_send, and ipi_send when an IPI is sent.
 * Owns:    the target until it has run.
 */
void lwkt_send_ipiq(
    struct globaldata *from, struct globaldata *to, struct ipimsg *);

#endif
