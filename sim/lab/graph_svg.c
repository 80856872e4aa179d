#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/graph.h"
#include "sim/lab/spawn.h"

#define DOT_MS 30000 /* it may take */

extern char **environ;

static bool dot_run(FILE *in, FILE *out);
static bool dot_wait(pid_t);
static char *read_all(FILE *);

bool
graph_can_draw(void)
{
	return spawn_known("dot");
}

char *
graph_svg(const char *dot)
{
	FILE *in, *out;
	char *svg = NULL;

	if (!graph_can_draw()) {
		fputs(
		    "solab: no dot to draw with (Debian: graphviz)\n", stderr);
		return NULL;
	}
	/* Files, so that neither side waits for the other. */
	in = tmpfile();
	out = tmpfile();
	if (in == NULL || out == NULL || fputs(dot, in) < 0 || fflush(in) != 0)
		fprintf(
		    stderr, "solab: a temporary file: %s\n", strerror(errno));
	else if (dot_run(in, out))
		svg = read_all(out);
	if (in != NULL)
		fclose(in);
	if (out != NULL)
		fclose(out);
	return svg;
}

static bool
dot_run(FILE *in, FILE *out)
{
	char *argv[] = { "dot", "-Tsvg", NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int error;

	rewind(in);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	error = posix_spawnp(&pid, "dot", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0) {
		fprintf(stderr, "solab: dot: %s\n", strerror(error));
		return false;
	}
	return dot_wait(pid);
}

static bool
dot_wait(pid_t pid)
{
	int status, ms = 0;
	pid_t got;

	while ((got = waitpid(pid, &status, WNOHANG)) == 0 && ms < DOT_MS) {
		usleep(5000);
		ms += 5;
	}
	if (got == 0) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		fprintf(
		    stderr, "solab: dot took more than %d s\n", DOT_MS / 1000);
		return false;
	}
	if (got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	fputs("solab: dot failed\n", stderr);
	return false;
}

/* NULL when there is nothing. */
static char *
read_all(FILE *fp)
{
	char *text = NULL;
	size_t n = 0, got;

	rewind(fp);
	do {
		text = sim_realloc(text, n + 65536 + 1, 1);
		got = fread(text + n, 1, 65536, fp);
		n += got;
	} while (got > 0);
	text[n] = '\0';
	if (n > 0)
		return text;
	sim_free(text);
	fputs("solab: dot printed nothing\n", stderr);
	return NULL;
}
