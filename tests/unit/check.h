#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

/*
 * Tests that need an engine run in a process of their own each (one engine per
 * process), where cmocka's assertions cannot jump: they use CHECK and
 * CHECK_EQ, which print and go on.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define CHECK(e)                                                         \
	do {                                                             \
		if (!(e))                                                \
			check_fail(__FILE__, __LINE__, #e, 0, 1, false); \
	} while (0)

#define CHECK_EQ(got, want)                                             \
	do {                                                            \
		long long check_got = (long long)(got);                 \
		long long check_want = (long long)(want);               \
                                                                        \
		if (check_got != check_want)                            \
			check_fail(__FILE__, __LINE__, #got, check_got, \
			    check_want, true);                          \
	} while (0)

static int check_failures;

static inline void
check_fail(const char *file, int line, const char *what, long long got,
    long long want, bool values)
{
	fprintf(stderr, "%s:%d: %s", file, line, what);
	if (values)
		fprintf(stderr, " is %lld, want %lld", got, want);
	fprintf(stderr, "\n");
	check_failures++;
}

/* Run fn in a process of its own; its failures are this test's. */
static inline void
check_forked(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* cmocka would catch it, and go on with its list here. */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGFPE, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		signal(SIGILL, SIG_DFL);
		fn();
		exit(check_failures != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
