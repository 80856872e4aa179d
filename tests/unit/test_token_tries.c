/*
 * A CPU that waits for a token steps through no tries: who drops it finds the
 * one whose try comes next. Here random programs run on four CPUs twice: with
 * the model's tokens, and with plain ones that are tried at each instant. Every
 * token must be taken at the same time by the same CPU.
 *
 * Then the same with interrupts, protocol threads and sleeps, which the plain
 * ones know nothing of: nobody is left waiting, and no two hold one token.
 */
#include <sys/mman.h>

#include "tests/unit/share.h"

#define NCPUS 4
#define NTOKS 3
#define NOPS 60
#define NPROGRAMS 60

/* Take one token, and perhaps another one inside. */
struct op {
	sim_ns op_before, op_inside, op_nested, op_after;
	int op_outer, op_inner; /* op_inner -1: none */
	sim_ns op_got, op_got_inner, op_end;
};

/* What both runs of a program share. */
struct program {
	uint64_t pr_seed;
	int pr_spin; /* lwkt.token_spin */
	sim_ns pr_token, pr_token_spin;
	struct op pr_ops[NCPUS][NOPS];
	int pr_done[NCPUS];
};

struct plain {
	const struct thread *pl_owner;
};

/* What a thread of the plain machine holds or wants. */
struct wants {
	int wa_toks[2];
	bool wa_held[2];
	int wa_n;
};

static struct tok toks[NTOKS];
static struct plain plains[NTOKS];
static bool plainly;
static struct program *pr;
static struct thread *threads[NCPUS];

static uint64_t
rnd(uint64_t n)
{
	pr->pr_seed = pr->pr_seed * 6364136223846793005u + 1442695040888963407u;
	return (pr->pr_seed >> 33) % n;
}

/* Short and few different times: many things happen at one instant. */
static void
program_make(uint64_t seed)
{
	memset(pr, 0, sizeof(*pr));
	pr->pr_seed = seed;
	pr->pr_spin = (int)rnd(7);
	pr->pr_token = 1 + (sim_ns)rnd(10);
	pr->pr_token_spin = 1 + (sim_ns)rnd(20);
	for (int c = 0; c < NCPUS; c++)
		for (int i = 0; i < NOPS; i++) {
			struct op *op = &pr->pr_ops[c][i];
			bool nested = rnd(3) == 0;

			op->op_before = (sim_ns)rnd(8) * 10;
			op->op_inside = (sim_ns)rnd(i % 8 == 0 ? 400 : 40);
			op->op_nested = (sim_ns)rnd(8) * 5;
			op->op_after = (sim_ns)rnd(30);
			op->op_outer = (int)rnd(NTOKS);
			op->op_inner = -1;
			if (nested && op->op_outer + 1 < NTOKS)
				op->op_inner = op->op_outer + 1;
		}
}

static bool
plain_take(const struct globaldata *gd, struct wants *wa, int i)
{
	struct plain *pl = &plains[wa->wa_toks[i]];

	if (pl->pl_owner != NULL)
		return false;
	pl->pl_owner = gd->gd_curthread;
	wa->wa_held[i] = true;
	return true;
}

static void
plain_drop(struct wants *wa, int i)
{
	if (wa->wa_held[i])
		plains[wa->wa_toks[i]].pl_owner = NULL;
	wa->wa_held[i] = false;
}

static bool
plain_try(struct globaldata *gd, struct wants *wa, int i, int spin)
{
	gd_run(gd, COST_token);
	if (plain_take(gd, wa, i))
		return true;
	while (spin-- > 0) {
		gd_run(gd, COST_token_spin);
		gd_run(gd, COST_token);
		if (plain_take(gd, wa, i))
			return true;
	}
	return false;
}

/* Returns: -1, or the one that is held. */
static int
plain_getall(struct globaldata *gd, struct wants *wa, int ready)
{
	for (int i = 0; i < wa->wa_n; i++) {
		if (i == ready && plain_take(gd, wa, i))
			continue;
		if (plain_try(gd, wa, i, i + 1 == wa->wa_n ? pr->pr_spin : 0))
			continue;
		for (int k = i; k-- > 0;)
			plain_drop(wa, k);
		return i;
	}
	return -1;
}

static void
plain_get(struct globaldata *gd, struct wants *wa, int tok)
{
	int ready = -1, held;

	wa->wa_toks[wa->wa_n++] = tok;
	if (plain_try(gd, wa, wa->wa_n - 1, pr->pr_spin))
		return;
	for (int i = wa->wa_n; i-- > 0;)
		plain_drop(wa, i);
	while ((held = plain_getall(gd, wa, ready)) >= 0) {
		do {
			gd_run(gd, COST_token_spin);
			gd_run(gd, COST_token);
		} while (plains[wa->wa_toks[held]].pl_owner != NULL);
		ready = held;
	}
}

static void
get(struct globaldata *gd, struct wants *wa, int tok)
{
	if (plainly)
		plain_get(gd, wa, tok);
	else
		lwkt_gettoken(gd, &toks[tok]);
}

static void
rel(struct globaldata *gd, struct wants *wa, int tok)
{
	if (plainly)
		plain_drop(wa, --wa->wa_n);
	else
		lwkt_reltoken(gd, &toks[tok]);
}

static void
work(struct globaldata *gd, sim_ns ns)
{
	cpu_run_ns(&gd->gd_cpu, COST_work, ns);
}

static void
run_op(struct globaldata *gd, struct op *op)
{
	struct wants wa = { .wa_n = 0 };

	work(gd, op->op_before);
	get(gd, &wa, op->op_outer);
	op->op_got = gd->gd_cpu.c_now;
	work(gd, op->op_inside);
	if (op->op_inner >= 0) {
		get(gd, &wa, op->op_inner);
		op->op_got_inner = gd->gd_cpu.c_now;
		work(gd, op->op_nested);
		rel(gd, &wa, op->op_inner);
	}
	work(gd, op->op_after);
	rel(gd, &wa, op->op_outer);
	op->op_end = gd->gd_cpu.c_now;
}

static void
thread(struct thread *td)
{
	int cpu = td->td_gd->gd_cpu.c_id;

	for (int i = 0; i < NOPS; i++) {
		run_op(td->td_gd, &pr->pr_ops[cpu][i]);
		pr->pr_done[cpu]++;
	}
	share_done(td);
}

static void
open_machine(void (*entry)(struct thread *))
{
	struct setup_machine *sm = &rig.rg_setup.su_machines[0];

	share_init(NCPUS, KERNEL_DRAGONFLY_2011);
	rig.rg_setup.su_run.sr_measure = sim_ms(1);
	sm->sm_sysctl.token_spin = pr->pr_spin;
	sm->sm_hw.hw_cost[COST_token] = pr->pr_token;
	sm->sm_hw.hw_cost[COST_token_spin] = pr->pr_token_spin;
	share_open();
	for (int i = 0; i < NTOKS; i++)
		tok_init(rig.rg_m, &toks[i], "test", i);
	for (int i = 0; i < NCPUS; i++)
		threads[i] =
		    sched_thread_create(share_gd(i), "thread", entry, NULL);
}

static void
close_machine(void)
{
	for (int i = 0; i < NTOKS; i++)
		CHECK(toks[i].t_owner == NULL);
	for (int i = 0; i < NCPUS; i++) {
		CHECK_EQ(pr->pr_done[i], NOPS);
		sched_thread_destroy(threads[i]);
	}
	rig_close(&rig);
}

static void
run_program(void)
{
	open_machine(thread);
	share_run();
	close_machine();
}

static void
compare(const struct program *a, const struct program *b)
{
	for (int c = 0; c < NCPUS; c++)
		for (int i = 0; i < NOPS; i++) {
			const struct op *oa = &a->pr_ops[c][i];
			const struct op *ob = &b->pr_ops[c][i];

			assert_int_equal(oa->op_got, ob->op_got);
			assert_int_equal(oa->op_got_inner, ob->op_got_inner);
			assert_int_equal(oa->op_end, ob->op_end);
		}
}

static void
test_as_if_each_try_was_made(void **state)
{
	struct program *two = mmap(NULL, 2 * sizeof(*two),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(two != MAP_FAILED);
	for (uint64_t seed = 1; seed <= NPROGRAMS; seed++) {
		for (int i = 0; i < 2; i++) {
			pr = &two[i];
			program_make(seed);
			plainly = i == 1;
			check_forked(run_program);
		}
		compare(&two[0], &two[1]);
	}
	munmap(two, 2 * sizeof(*two));
}

/*
 * With all that may come between: who is inside counts itself, and is alone.
 */
static int inside[NTOKS];
static uint64_t taken[NTOKS], handled;
static sim_ns held_ns[NTOKS];
static struct netmsg messages[NCPUS][NCPUS]; /* by sender */

static void
hold(struct globaldata *gd, int tok, sim_ns ns)
{
	sim_ns since;

	lwkt_gettoken(gd, &toks[tok]);
	since = gd->gd_cpu.c_now;
	CHECK_EQ(inside[tok]++, 0);
	work(gd, ns);
	CHECK_EQ(--inside[tok], 0);
	held_ns[tok] += gd->gd_cpu.c_now - since;
	taken[tok]++;
	lwkt_reltoken(gd, &toks[tok]);
}

static void
handler(struct globaldata *gd, struct netmsg *nm)
{
	(void)nm;
	handled++;
	hold(gd, (int)rnd(NTOKS), (sim_ns)rnd(100));
	wakeup(gd, threads[rnd(NCPUS)]);
}

static void
tickle(struct globaldata *gd, void *arg)
{
	(void)arg;
	work(gd, (sim_ns)rnd(300));
	wakeup(gd, threads[rnd(NCPUS)]);
}

static void
busy_thread(struct thread *td)
{
	struct globaldata *gd = td->td_gd;
	int cpu = gd->gd_cpu.c_id;

	userexit(gd);
	for (int i = 0; i < NOPS; i++) {
		int to = (int)rnd(NCPUS);

		work(gd, (sim_ns)rnd(200));
		userenter(gd);
		hold(gd, (int)rnd(NTOKS), (sim_ns)rnd(300));
		if (!messages[cpu][to].nm_queued)
			lwkt_sendmsg(gd, share_gd(to), &messages[cpu][to]);
		userexit(gd);
		pr->pr_done[cpu]++;
	}
	share_done(td);
}

static void
interrupted_programs(void)
{
	uint64_t waits = 0;

	open_machine(busy_thread);
	for (int i = 0; i < NCPUS; i++)
		for (int k = 0; k < NCPUS; k++)
			messages[i][k].nm_dispatch = handler;
	for (int i = 0; i < SHARE_EVENTS; i++)
		share_intr_at((int)rnd(NCPUS), sim_us(5) + (sim_ns)rnd(600000),
		    tickle, NULL);
	share_run();
	CHECK(handled > NOPS);
	for (int i = 0; i < NTOKS; i++) {
		CHECK_EQ(toks[i].t_gets, taken[i]);
		/* It is also held during the switch to who waited for it. */
		CHECK(toks[i].t_hold_ns >= held_ns[i]);
		waits += toks[i].t_waits;
		CHECK(toks[i].t_wait_max <= toks[i].t_wait_ns);
	}
	CHECK(waits > 0);
	close_machine();
}

static void
test_nobody_is_left_waiting(void **state)
{
	static struct program one;

	(void)state;
	pr = &one;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		program_make(seed * 77);
		check_forked(interrupted_programs);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_if_each_try_was_made),
		cmocka_unit_test(test_nobody_is_left_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
