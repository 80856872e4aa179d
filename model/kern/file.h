#ifndef MODEL_KERN_FILE_H
#define MODEL_KERN_FILE_H

/*
 * Processes and their descriptors.
 *
 * Kernel: struct filedesc, sys/kern/kern_descrip.c
 * Differs: sockets only; a closed descriptor is the next to be handed out
 *          (real: the lowest free one).
 */
#include "model/kern/socket.h"

struct proc {
	struct globaldata *p_gd; /* [I] where it is bound */
	struct thread *p_thread;
	struct so **p_files; /* by descriptor */
	int *p_free;	     /* stack of free descriptors */
	int p_nfiles, p_nfree;
};

void proc_init(struct proc *, struct globaldata *);
void proc_fini(struct proc *);

/* Find a free descriptor and let it refer to so. Grows without limit. */
int fd_alloc(struct proc *, struct so *so);
void fd_free(struct proc *, int fd);

static inline struct so *
fd_so(const struct proc *p, int fd)
{
	return fd >= 0 && fd < p->p_nfiles ? p->p_files[fd] : NULL;
}

#endif
