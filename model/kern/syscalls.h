#ifndef MODEL_KERN_SYSCALLS_H
#define MODEL_KERN_SYSCALLS_H

/*
 * System calls on sockets. What they ask of a connection's protocol thread goes
 * by message: in 2017 none of them waits for it, and where it is this CPU's it
 * runs when the call returns; in 2011 recv(2) and setsockopt(2) wait. accept(2)
 * on an empty queue without O_NONBLOCK waits in both, and without
 * kern.ipc.soaccept_pred_fast each accept(2) waits for the protocol thread of
 * CPU 0.
 *
 * All: Context: process p in user mode. Time: runs syscall and the named
 * costs; the protocol thread may run before the return. Errors: -errno.
 *
 * Kernel: sys/kern/uipc_syscalls.c, uipc_msg.c, uipc_socket.c
 */
#include "model/kern/file.h"

/*
 * accept(2): a new descriptor; -EWOULDBLOCK where nonblock, -EINTR after a
 * signal.
 */
int sys_accept(struct proc *, int fd, bool nonblock);

/* recv(2): bytes taken, 0 at end of file, -EWOULDBLOCK, or -error. */
int64_t sys_recv(struct proc *, int fd, int64_t len);

/*
 * sendfile(2) of len bytes from an open file, after hdr bytes of header: one
 * message a 4 KB page, the header before the first. Returns bytes accepted
 * (of header and file together), or -EWOULDBLOCK when so_snd has no room.
 */
int64_t sys_sendfile(struct proc *, int fd, int64_t hdr, int64_t len);

/* setsockopt(2) of TCP_NODELAY. */
int sys_setsockopt_nodelay(struct proc *, int fd);

/* close(2) of a socket; kern.ipc.soclose_fast: asynchronous. */
void sys_close(struct proc *, int fd);

/* stat(2) of a directory; write(2) of a line to a log. */
void sys_stat(struct proc *);
void sys_write_log(struct proc *);

/*
 * open(2) and fstat(2) of a file in the name cache, and later its close(2).
 * Differs: no file system; the work of all three is one cost, vfs_open, and
 *          charged with the first.
 */
void sys_open_fstat(struct proc *);
void sys_close_file(struct proc *);

/* kevent(2), see kern_kevent(). */
int sys_kevent(struct proc *, struct kqueue *, const struct kevent *changes,
    int nchanges, struct kevent *ev, int nevents);

#endif
