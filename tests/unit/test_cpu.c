/*
 * A CPU with two timed sources and a script of work: whatever interrupts, time
 * adds up, and nothing changes without look-ahead.
 */
#include "model/hw/cpu.h"
#include "tests/unit/check.h"

#define A_WORK COST_ngx_request /* any names */
#define A_INTR COST_intr
#define A_OTHER COST_hardclock
#define NLOG 20000

struct entry {
	char en_what; /* w: work done, 1 2: sources, m: mark */
	sim_ns en_time;
};

static sim_ns costs[COST_N];
static struct cpu cpu;
static struct cpu_source one, two;
static struct entry log_[NLOG];
static int nlog;
static sim_ns period_one, period_two, end_;
static sim_ns marks_at[8];
static int nmarks, imark, ndoreti;
static void (*script)(void);

static void
note(char what)
{
	CHECK(nlog < NLOG);
	log_[nlog++] = (struct entry){ what, cpu.c_now };
	/* Always, everywhere: */
	CHECK_EQ(cpu_account_total(&cpu), cpu.c_now - cpu.c_since);
}

static void
fire_one(struct cpu *c, struct cpu_source *cs)
{
	CHECK(c->c_masked);
	note('1');
	cpu_source_arm(c, cs, cs->cs_next + period_one);
	cpu_run(c, A_INTR);
}

static void
fire_two(struct cpu *c, struct cpu_source *cs)
{
	CHECK(c->c_masked);
	note('2');
	cpu_source_arm(c, cs,
	    period_two == SIM_NEVER ? SIM_NEVER : cs->cs_next + period_two);
	cpu_run(c, A_OTHER);
}

static void
doreti(struct cpu *c)
{
	CHECK(!c->c_masked);
	ndoreti++;
}

/* Up to now, also within one; it does not start again. */
static void
check_intr(const struct cpu *c)
{
	if (c->c_since == 0)
		CHECK_EQ(c->c_intr, c->c_spent[A_INTR] + c->c_spent[A_OTHER]);
	else
		CHECK(c->c_intr >= c->c_spent[A_INTR] + c->c_spent[A_OTHER]);
}

static sim_ns
pass(struct cpu *c, sim_ns mark, void *arg)
{
	(void)arg;
	CHECK_EQ(c->c_now, mark);
	check_intr(c);
	note('m');
	return ++imark < nmarks ? marks_at[imark] : end_;
}

static void
actor(void *arg)
{
	(void)arg;
	script();
	for (;;)
		cpu_idle(&cpu);
}

static void
run(bool exact, void (*what)(void), sim_ns end)
{
	static struct cpu_marks marks;

	engine_open(&(struct engine_platform){ .ep_nhosts = 1 });
	end_ = end;
	marks = (struct cpu_marks){ nmarks > 0 ? marks_at[0] : end, end, pass,
		NULL };
	script = what;
	cpu_init(&cpu, 0, 0, costs, &marks, exact);
	cpu.c_doreti = doreti;
	one.cs_fire = fire_one;
	two.cs_fire = fire_two;
	cpu_source_add(&cpu, &one);
	cpu_source_add(&cpu, &two);
	engine_actor_create("cpu", 0, actor, NULL);
	engine_run(end + 1);
	engine_close();
	CHECK_EQ(cpu.c_now, end);
	CHECK_EQ(cpu_account_total(&cpu), end - cpu.c_since);
	check_intr(&cpu);
}

static void
expect(int i, char what, sim_ns t)
{
	CHECK(i < nlog);
	CHECK_EQ(log_[i].en_what, what);
	CHECK_EQ(log_[i].en_time, t);
}

static void
long_work(void)
{
	cpu_source_arm(&cpu, &one, 1000);
	cpu_run_ns(&cpu, A_WORK, 10000);
	note('w');
}

/*
 * An interrupt of 100 each 1000 stretches 10,000 of work: 11 of them come
 * before it is done, at 11,100.
 */
static void
stretched(void)
{
	costs[A_INTR] = 100;
	period_one = 1000;
	run(false, long_work, 20000);
	for (int i = 0; i < 11; i++)
		expect(i, '1', 1000 * (i + 1));
	expect(11, 'w', 11100);
	CHECK_EQ(cpu.c_spent[A_WORK], 10000);
	/* The last one is at the end, which comes first. */
	CHECK_EQ(cpu.c_spent[A_INTR], 1900);
	CHECK_EQ(cpu.c_idle, 20000 - 10000 - 1900);
	CHECK_EQ(ndoreti, 19);
}

static void
both(void)
{
	cpu_source_arm(&cpu, &one, 1000);
	cpu_source_arm(&cpu, &two, 1050);
	cpu_run_ns(&cpu, A_WORK, 3000);
	note('w');
}

/*
 * The second is due while the first runs: it waits, and runs before the work
 * goes on; both within one return from interrupt.
 */
static void
masked(void)
{
	costs[A_INTR] = 100;
	costs[A_OTHER] = 30;
	period_one = 100000;
	period_two = SIM_NEVER;
	run(false, both, 10000);
	expect(0, '1', 1000);
	expect(1, '2', 1100);
	expect(2, 'w', 3130);
	CHECK_EQ(ndoreti, 1);
}

static void
tied(void)
{
	cpu_source_arm(&cpu, &two, 1000);
	cpu_source_arm(&cpu, &one, 1000);
	cpu_run_ns(&cpu, A_WORK, 3000);
}

/* Due at one time: in the order of attachment. Due earlier: first. */
static void
ordered(void)
{
	costs[A_INTR] = 100;
	costs[A_OTHER] = 30;
	period_one = period_two = 100000;
	run(false, tied, 10000);
	expect(0, '1', 1000);
	expect(1, '2', 1100);
}

/* An interrupt that is dearer than its period leaves nothing for the work. */
static void
drowned(void)
{
	costs[A_INTR] = 100;
	period_one = 100;
	run(false, long_work, 50000);
	CHECK_EQ(cpu.c_spent[A_WORK], 1000);
	CHECK_EQ(cpu.c_spent[A_INTR], 49000);
	CHECK_EQ(cpu.c_idle, 0);
}

static void
test_interrupts_stretch_work(void **state)
{
	(void)state;
	check_forked(stretched);
}

static void
test_masked_while_one_runs(void **state)
{
	(void)state;
	check_forked(masked);
}

static void
test_ties_in_order_of_attachment(void **state)
{
	(void)state;
	check_forked(ordered);
}

static void
test_interrupts_can_take_all(void **state)
{
	(void)state;
	check_forked(drowned);
}

/* Marks are passed to the ns, in work, in interrupts, and idle. */
static void
marked(void)
{
	static const sim_ns at[] = { 1, 500, 1050, 3130, 3131, 8000 };

	memcpy(marks_at, at, sizeof(at));
	nmarks = 6;
	costs[A_INTR] = 100;
	costs[A_OTHER] = 30;
	period_one = 100000;
	period_two = SIM_NEVER;
	run(false, both, 10000);
	expect(0, 'm', 1);
	expect(1, 'm', 500);
	expect(2, '1', 1000);
	expect(3, 'm', 1050);
	expect(4, '2', 1100);
	expect(5, 'm', 3130);
	expect(6, 'w', 3130);
	expect(7, 'm', 3131);
	expect(8, 'm', 8000);
	expect(9, 'm', 10000);
}

static void
test_marks_are_passed_on_time(void **state)
{
	(void)state;
	check_forked(marked);
}

static void
reset_at_500(void)
{
	cpu_run_ns(&cpu, A_WORK, 500);
	cpu_account_reset(&cpu);
	CHECK_EQ(cpu_account_total(&cpu), 0);
	cpu_run_ns(&cpu, A_WORK, 70);
	CHECK_EQ(cpu.c_spent[A_WORK], 70);
}

static void
accounts(void)
{
	run(false, reset_at_500, 1000);
	CHECK_EQ(cpu.c_idle, 430);
	CHECK_EQ(cpu.c_since, 500);
}

static void
test_accounts_start_again(void **state)
{
	(void)state;
	check_forked(accounts);
}

/* 1024 bytes are one charge; others are rounded to the next ns. */
static void
bytes(void)
{
	costs[A_WORK] = 150;
	cpu_run_bytes(&cpu, A_WORK, 1024);
	CHECK_EQ(cpu.c_now, 150);
	cpu_run_bytes(&cpu, A_WORK, 116); /* 16.99 */
	CHECK_EQ(cpu.c_now, 150 + 17);
	cpu_run_bytes(&cpu, A_WORK, 3); /* 0.44 */
	CHECK_EQ(cpu.c_now, 150 + 17);
	cpu_run_bytes(&cpu, A_WORK, 0);
	CHECK_EQ(cpu.c_now, 150 + 17);
}

static void
charged_by_bytes(void)
{
	run(false, bytes, 1000);
}

static void
test_bytes_are_charged_by_kib(void **state)
{
	(void)state;
	check_forked(charged_by_bytes);
}

/* A pseudo-random mixture, twice. */
static void
mixture(void)
{
	uint32_t x = 12345;

	cpu_source_arm(&cpu, &one, 700);
	cpu_source_arm(&cpu, &two, 777);
	for (int i = 0; i < 3000; i++) {
		x = x * 1664525 + 1013904223;
		cpu_run_ns(&cpu, A_WORK, x >> 22);
		if (i % 16 == 0)
			note('w');
		if (i % 100 == 0)
			cpu_idle(&cpu);
	}
	note('w');
}

static void
mixture_run(bool exact)
{
	static const sim_ns at[] = { 1, 7777, 100000, 100001, 1234567 };

	memcpy(marks_at, at, sizeof(at));
	nmarks = 5;
	imark = nlog = 0;
	costs[A_INTR] = 100;
	costs[A_OTHER] = 31;
	period_one = 999;
	period_two = 1234;
	run(exact, mixture, 3000000);
}

static void
print_log(void)
{
	for (int i = 0; i < nlog; i++)
		printf(
		    "%c %lld\n", log_[i].en_what, (long long)log_[i].en_time);
	for (int i = 0; i < COST_N; i++)
		printf("%lld ", (long long)cpu.c_spent[i]);
	printf("%lld %d\n", (long long)cpu.c_idle, ndoreti);
}

/* What a run prints, made in a process of its own. */
static size_t
printed(bool exact, char *buf, size_t size)
{
	FILE *f = tmpfile();
	int status;
	size_t n;
	pid_t pid;

	assert_non_null(f);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(fileno(f), 1);
		mixture_run(exact);
		print_log();
		exit(check_failures != 0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	rewind(f);
	n = fread(buf, 1, size, f);
	fclose(f);
	return n;
}

static void
test_exact_mode_changes_nothing(void **state)
{
	static char ahead[1 << 20], exact[1 << 20];
	size_t n = printed(false, ahead, sizeof(ahead));

	(void)state;
	assert_true(n > 10000 && n < sizeof(ahead));
	assert_int_equal(printed(true, exact, sizeof(exact)), n);
	assert_memory_equal(ahead, exact, n);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupts_stretch_work),
		cmocka_unit_test(test_masked_while_one_runs),
		cmocka_unit_test(test_ties_in_order_of_attachment),
		cmocka_unit_test(test_interrupts_can_take_all),
		cmocka_unit_test(test_marks_are_passed_on_time),
		cmocka_unit_test(test_accounts_start_again),
		cmocka_unit_test(test_bytes_are_charged_by_kib),
		cmocka_unit_test(test_exact_mode_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
