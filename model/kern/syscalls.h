#ifndef MODEL_KERN_SYSCALLS_H
#define MODEL_KERN_SYSCALLS_H

/*
 * System calls on sockets, as the 2017 kernel does them for non-blocking
 * descriptors: none of them waits for the protocol thread. What they ask of it
 * goes by message, and it runs when the call returns.
 *
 * All: Context: process p in user mode. Time: runs syscall and the named
 * costs; the protocol thread may run before the return. Errors: -errno.
 *
 * Kernel: sys/kern/uipc_syscalls.c, uipc_msg.c, uipc_socket.c
 */
#include "model/kern/file.h"

/*
 * accept(2): a new descriptor, or -EWOULDBLOCK.
 * Differs: kern.ipc.soaccept_pred_fast=0 (a message to netisr 0) is not here.
 */
int sys_accept(struct proc *, int fd);

/* recv(2): bytes taken, 0 at end of file, -EWOULDBLOCK, or -error. */
int64_t sys_recv(struct proc *, int fd, int64_t len);

/*
 * sendfile(2) of len bytes from an open file, after hdr bytes of header: one
 * message a 4 KB page, the header before the first. Returns bytes accepted
 * (of header and file together), or -EWOULDBLOCK when so_snd has no room.
 */
int64_t sys_sendfile(struct proc *, int fd, int64_t hdr, int64_t len);

/* setsockopt(2) of TCP_NODELAY: asynchronous. */
int sys_setsockopt_nodelay(struct proc *, int fd);

/* close(2) of a socket; kern.ipc.soclose_fast: asynchronous. */
void sys_close(struct proc *, int fd);

/*
 * open(2), fstat(2) and close(2) of a file in the name cache: three calls.
 * Differs: no file system; their work is one cost.
 */
void sys_open_fstat_close(struct proc *);

/* kevent(2), see kern_kevent(). */
int sys_kevent(struct proc *, struct kqueue *, const struct kevent *changes,
    int nchanges, struct kevent *ev, int nevents);

#endif
