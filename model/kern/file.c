#include "model/kern/file.h"

#include <string.h>

void
proc_init(struct proc *p, struct globaldata *gd)
{
	memset(p, 0, sizeof(*p));
	p->p_gd = gd;
}

void
proc_fini(struct proc *p)
{
	sim_free(p->p_files);
	sim_free(p->p_free);
}

int
fd_alloc(struct proc *p, struct so *so)
{
	int fd;

	if (p->p_nfree == 0) {
		int n = p->p_nfiles == 0 ? 64 : p->p_nfiles * 2;

		p->p_files = sim_realloc(p->p_files, n, sizeof(*p->p_files));
		p->p_free = sim_realloc(p->p_free, n, sizeof(*p->p_free));
		for (int i = n; i-- > p->p_nfiles;) {
			p->p_files[i] = NULL;
			p->p_free[p->p_nfree++] = i;
		}
		p->p_nfiles = n;
	}
	fd = p->p_free[--p->p_nfree];
	p->p_files[fd] = so;
	return fd;
}

void
fd_free(struct proc *p, int fd)
{
	SIM_ASSERT(fd_so(p, fd) != NULL);
	p->p_files[fd] = NULL;
	p->p_free[p->p_nfree++] = fd;
}
