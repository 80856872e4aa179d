#include "sim/lab/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

static int start(char *const argv[], int to, pid_t *pid);
static char *read_all(int fd);

bool
spawn_known(const char *program)
{
	const char *path = getenv("PATH"), *next;
	char file[4096];

	for (; path != NULL; path = *next != '\0' ? next + 1 : NULL) {
		next = path + strcspn(path, ":");
		int n = (int)(next - path);

		if ((size_t)snprintf(file, sizeof(file), "%.*s/%s",
			n > 0 ? n : 1, n > 0 ? path : ".",
			program) < sizeof(file) &&
		    access(file, X_OK) == 0)
			return true;
	}
	return false;
}

int
spawn_read(char *const argv[], char **out)
{
	int fds[2], error, status;
	pid_t pid;

	*out = NULL;
	if (pipe2(fds, O_CLOEXEC) != 0)
		SIM_BUG("pipe: %s", strerror(errno));
	error = start(argv, fds[1], &pid);
	close(fds[1]);
	if (error == 0)
		*out = read_all(fds[0]);
	close(fds[0]);
	if (error != 0) {
		fprintf(stderr, "solab: %s: %s\n", argv[0], strerror(error));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			SIM_BUG("waitpid: %s", strerror(errno));
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "solab: %s: ended by signal %d\n", argv[0],
	    WTERMSIG(status));
	return -1;
}

/* What we ignore it need not. Returns: 0, or an errno. */
static int
start(char *const argv[], int to, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t signals;
	int error;

	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	sigaddset(&signals, SIGUSR1);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &signals);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, to, 1);
	error = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return error;
}

static char *
read_all(int fd)
{
	size_t size = 4096, n = 0;
	char *text = sim_calloc(size, 1);
	ssize_t got;

	while ((got = read(fd, text + n, size - n - 1)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		n += (size_t)got;
		if (n == size - 1)
			text = sim_realloc(text, size *= 2, 1);
	}
	if (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return text;
}
