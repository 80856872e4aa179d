/*
 * peak FILE COMMAND...: run a command and write its peak memory, in KiB, to
 * FILE. The exit status is the command's.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct rusage ru;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3 || (pid = fork()) < 0)
		return 2;
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &ru) != pid)
		return 2;
	f = fopen(argv[1], "w");
	if (f == NULL || fprintf(f, "%ld\n", ru.ru_maxrss) < 0 ||
	    fclose(f) != 0)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
