#include <sys/wait.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/core/alloc.h"

/* AddressSanitizer would rather stop than return NULL for a huge size. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void
want_petabytes(void)
{
	sim_calloc(1000, (size_t)1 << 50);
}

static void
want_more_than_size_t(void)
{
	sim_calloc(SIZE_MAX / 2, 3);
}

static void
grow_past_size_t(void)
{
	sim_realloc(NULL, (size_t)1 << 33, (size_t)1 << 33);
}

static void
pool_of_huge_slabs(void)
{
	struct sim_pool sp;

	sim_pool_init(&sp, (size_t)1 << 40, (size_t)1 << 40);
	sim_pool_get(&sp);
}

static void
pool_of_size_max(void)
{
	struct sim_pool sp;

	sim_pool_init(&sp, SIZE_MAX, 1);
}

static void
pool_fini_in_use(void)
{
	struct sim_pool sp;

	sim_pool_init(&sp, 8, 8);
	sim_pool_get(&sp);
	sim_pool_fini(&sp, 0);
}

/* Run fn in a child; its stderr goes to text. Returns the wait status. */
static int
run_in_child(void (*fn)(void), char *text, size_t size)
{
	int fd[2], status;
	ssize_t n, len = 0;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* cmocka would take the child's abort() for its own test's. */
		signal(SIGABRT, SIG_DFL);
		dup2(fd[1], STDERR_FILENO);
		close(fd[0]);
		close(fd[1]);
		fn();
		_exit(0);
	}
	close(fd[1]);
	while ((n = read(fd[0], text + len, size - 1 - (size_t)len)) > 0)
		len += n;
	text[len] = '\0';
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void
check_refused(void (*fn)(void), const char *line)
{
	char text[4096];
	const int status = run_in_child(fn, text, sizeof(text));

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	/* AddressSanitizer adds a warning of its own before it. */
	assert_non_null(strstr(text, line));
}

static void
test_out_of_memory_is_one_line_and_exit_1(void **state)
{
	(void)state;
	check_refused(want_petabytes,
	    "solab: out of memory (1125899906842624000 bytes wanted)\n");
}

static void
test_overflowing_sizes_are_refused(void **state)
{
	const char *line =
	    "solab: out of memory (18446744073709551615 bytes wanted)\n";

	(void)state;
	check_refused(want_more_than_size_t, line);
	check_refused(grow_past_size_t, line);
	check_refused(pool_of_huge_slabs, line);
	check_refused(pool_of_size_max, line);
}

static void
test_calloc_is_zeroed_and_takes_zero(void **state)
{
	unsigned char *p = sim_calloc(1000, 7);
	void *none = sim_calloc(0, 8);

	(void)state;
	for (int i = 0; i < 7000; i++)
		assert_int_equal(p[i], 0);
	assert_non_null(none);
	none = sim_realloc(none, 0, 8);
	assert_non_null(none);
	sim_free(none);
	sim_free(p);
	sim_free(NULL);
}

static void
test_realloc_keeps_and_strdup_copies(void **state)
{
	int *p = sim_realloc(NULL, 4, sizeof(*p));
	char *s = sim_strdup("sonewconn");

	(void)state;
	for (int i = 0; i < 4; i++)
		p[i] = i;
	p = sim_realloc(p, 4000, sizeof(*p));
	for (int i = 0; i < 4; i++)
		assert_int_equal(p[i], i);
	assert_string_equal(s, "sonewconn");
	sim_free(p);
	sim_free(s);
}

static void
test_pool_objects_are_distinct_zeroed_and_aligned(void **state)
{
	struct sim_pool sp;
	unsigned char *p[100];

	(void)state;
	sim_pool_init(&sp, 24, 7);
	for (int i = 0; i < 100; i++) {
		p[i] = sim_pool_get(&sp);
		assert_int_equal((uintptr_t)p[i] % _Alignof(max_align_t), 0);
		for (int j = (int)sizeof(void *); j < 24; j++)
			assert_int_equal(p[i][j], 0);
		memset(p[i], i + 1, 24);
	}
	assert_int_equal(sp.sp_nslabs, 15);
	assert_int_equal(sp.sp_inuse, 100);
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 24; j++)
			assert_int_equal(p[i][j], i + 1);
		sim_pool_put(&sp, p[i]);
	}
	sim_pool_fini(&sp, 0);
}

static void
test_pool_reuses_the_last_one_put(void **state)
{
	struct sim_pool sp;
	void *a, *b;

	(void)state;
	sim_pool_init(&sp, 1, 4);
	a = sim_pool_get(&sp);
	b = sim_pool_get(&sp);
	assert_ptr_equal((char *)b - (char *)a, sp.sp_size);
	sim_pool_put(&sp, a);
	assert_ptr_equal(sim_pool_get(&sp), a);
	assert_int_equal(sp.sp_nslabs, 1);
	sim_pool_fini(&sp, 1);
}

static void
test_pool_fini_asserts_that_nothing_is_in_use(void **state)
{
	char text[4096];
	const int status = run_in_child(pool_fini_in_use, text, sizeof(text));

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_non_null(strstr(text, "solab: bug: "));
	assert_non_null(strstr(text, "sp->sp_inuse == 0"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_out_of_memory_is_one_line_and_exit_1),
		cmocka_unit_test(test_overflowing_sizes_are_refused),
		cmocka_unit_test(test_calloc_is_zeroed_and_takes_zero),
		cmocka_unit_test(test_realloc_keeps_and_strdup_copies),
		cmocka_unit_test(
		    test_pool_objects_are_distinct_zeroed_and_aligned),
		cmocka_unit_test(test_pool_reuses_the_last_one_put),
		cmocka_unit_test(test_pool_fini_asserts_that_nothing_is_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
