#include "sim/lab/seek.h"

#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

#define LEVEL 0.95
#define MAX_MOVES 8 /* of the best */
#define MAX_SCAN 64

struct seeker {
	const struct seek_problem *sr_sk;
	struct seek_result *sr_se;
	double sr_level; /* of the interval that a verdict hangs on */
	bool sr_best_known;
};

static bool scan(struct seeker *);
static int scan_values(const struct seek_problem *, int64_t *values);
static bool search(struct seeker *);
static bool walk(struct seeker *);
static bool gap_next(const struct seeker *, int64_t *value);
static void best_pick(struct seeker *);
static bool best_moves(struct seeker *);
static bool decide(struct seeker *, int64_t value);
static bool ensure(struct seeker *, const int64_t *values, int n, int reps);
static void judge_all(struct seeker *);
static void judge(struct seeker *, struct seek_probe *);
static void judge_numbers(
    struct seeker *, struct seek_probe *, const double *x, int n);
static double *ratios(struct seeker *, const struct seek_probe *, int *n);
static struct seek_probe *probe_at(struct seeker *, int64_t value);
static struct seek_probe *nth(const struct seeker *, int i);
static int first_keeper(const struct seeker *);
static void conclude(struct seeker *);
static void contradict(struct seeker *, int keeper);

void
seek_solve(const struct seek_problem *sk, struct seek_result *se)
{
	const bool by_best = sk->sk_condition.sn_relation == SEEK_NEAR_BEST;
	struct seeker sr = {
		.sr_sk = sk,
		.sr_se = se,
		.sr_level = seek_level(sk->sk_min_reps, sk->sk_max_reps),
	};
	bool going = true;

	SIM_ASSERT(sk->sk_low < sk->sk_high && sk->sk_step >= 1);
	SIM_ASSERT(!sk->sk_geometric || sk->sk_low >= 1);
	SIM_ASSERT(2 <= sk->sk_min_reps && sk->sk_min_reps <= sk->sk_max_reps);
	*se = (struct seek_result){ .se_end = SEEK_STOPPED };
	/* An end that keeps a limit is the answer, whatever lies beyond. */
	if (!by_best)
		going = decide(&sr, sk->sk_largest ? sk->sk_high : sk->sk_low);
	if (going && first_keeper(&sr) < 0)
		going = scan(&sr) && search(&sr);
	for (int moves = 0; going && by_best && best_moves(&sr); moves++) {
		if (moves == MAX_MOVES) {
			se->se_restless = true;
			break;
		}
		going = search(&sr);
	}
	if (going)
		conclude(&sr);
}

void
seek_fini(struct seek_result *se)
{
	for (int i = 0; i < se->se_n; i++)
		sim_free(se->se_probes[i].sb_y);
	sim_free(se->se_probes);
	se->se_probes = NULL;
	se->se_n = 0;
}

int
seek_more(int n, int max)
{
	const int more = (3 * n + 1) / 2;

	return more < max ? more : max;
}

double
seek_level(int min_reps, int max_reps)
{
	int looks = 1;

	for (int n = min_reps; n < max_reps; n = seek_more(n, max_reps))
		looks++;
	return 1 - (1 - LEVEL) / looks;
}

/* All values together, as one batch: most of the runs are here. */
static bool
scan(struct seeker *sr)
{
	int64_t values[MAX_SCAN];
	const int n = scan_values(sr->sr_sk, values);

	if (!ensure(sr, values, n, sr->sr_sk->sk_min_reps))
		return false;
	if (sr->sr_sk->sk_condition.sn_relation == SEEK_NEAR_BEST)
		best_pick(sr);
	judge_all(sr);
	return true;
}

/*
 * The largest power of sk_round that is at most `tolerance`, and the multiple
 * of it that is nearest to a value. With a step: the nearest of its values.
 */
static int64_t
rounded(const struct seek_problem *sk, double value, double tolerance)
{
	int64_t q = 1;

	if (sk->sk_step > 1)
		return sk->sk_low + llround((value - (double)sk->sk_low) /
					    (double)sk->sk_step) *
					sk->sk_step;
	while ((double)(q * sk->sk_round) <= tolerance)
		q *= sk->sk_round;
	return llround(value / (double)q) * q;
}

/* Round to 5 % at most: it is a scan. */
static int
scan_values(const struct seek_problem *sk, int64_t *values)
{
	const double low = (double)sk->sk_low, high = (double)sk->sk_high;
	const int steps = sk->sk_scan - 1;
	int n = 0;

	SIM_ASSERT(sk->sk_scan >= 2 && sk->sk_scan <= MAX_SCAN);
	values[n++] = sk->sk_low;
	for (int i = 1; i < steps; i++) {
		const double at = (double)i / steps;
		const double x = sk->sk_geometric ? low * pow(high / low, at)
						  : low + (high - low) * at;
		const int64_t v = rounded(sk, x, 0.05 * fabs(x));

		if (v > values[n - 1] && v < sk->sk_high)
			values[n++] = v;
	}
	values[n++] = sk->sk_high;
	return n;
}

bool
seek_between(
    const struct seek_problem *sk, int64_t low, int64_t high, int64_t *middle)
{
	const double least =
	    fmin(fabs((double)low), fabs((double)high)) * sk->sk_near;
	const double tolerance = fmax((double)sk->sk_step, least);
	double x = ((double)low + (double)high) / 2;

	if ((double)(high - low) <= tolerance)
		return false;
	if (sk->sk_geometric)
		x = sqrt((double)low * (double)high);
	*middle = rounded(sk, x, least);
	if (*middle <= low && sk->sk_step > 1)
		*middle += sk->sk_step;
	if (*middle >= high && sk->sk_step > 1)
		*middle -= sk->sk_step;
	if (*middle <= low || *middle >= high)
		*middle = low + (high - low) / 2;
	return *middle > low && *middle < high;
}

/* Narrow the crossing until its neighbours are near enough. */
static bool
search(struct seeker *sr)
{
	int64_t value;

	for (;;) {
		if (!walk(sr))
			return false;
		if (!gap_next(sr, &value))
			return true;
		if (!decide(sr, value))
			return false;
	}
}

/* Decide from the asked side up to the first value that keeps it. */
static bool
walk(struct seeker *sr)
{
	for (int i = 0; i < sr->sr_se->se_n; i++) {
		if (!decide(sr, nth(sr, i)->sb_value))
			return false;
		if (nth(sr, i)->sb_verdict == SEEK_KEEPS)
			break;
	}
	return true;
}

/*
 * The next value to look at: before the first that keeps it, else behind the
 * last that fails, when undecided ones stand between.
 */
static bool
gap_next(const struct seeker *sr, int64_t *value)
{
	const struct seek_problem *sk = sr->sr_sk;
	const int keeper = first_keeper(sr);
	int fails = keeper - 1;

	if (keeper <= 0)
		return false;
	while (fails >= 0 && nth(sr, fails)->sb_verdict != SEEK_FAILS)
		fails--;
	for (int at = keeper;; at = fails + 1) {
		int64_t a = nth(sr, at - 1)->sb_value;
		int64_t b = nth(sr, at)->sb_value;

		if (seek_between(sk, a < b ? a : b, a < b ? b : a, value))
			return true;
		if (fails < 0 || at == fails + 1)
			return false;
	}
}

/* There is none when nothing was answered anywhere. */
static void
best_pick(struct seeker *sr)
{
	const bool highest = sr->sr_sk->sk_condition.sn_highest_best;
	double best = 0;

	sr->sr_best_known = false;
	for (int i = 0; i < sr->sr_se->se_n; i++) {
		struct seek_probe *sb = &sr->sr_se->se_probes[i];
		const double y = stat_mean(sb->sb_y, sb->sb_reps);

		if (!isfinite(y) || y <= 0 ||
		    (sr->sr_best_known && (highest ? y <= best : y >= best)))
			continue;
		best = y;
		sr->sr_se->se_best = sb->sb_value;
		sr->sr_best_known = true;
	}
}

/* Whether a value is surely better than what was taken for the best. */
static bool
best_moves(struct seeker *sr)
{
	const bool highest = sr->sr_sk->sk_condition.sn_highest_best;
	const int64_t before = sr->sr_se->se_best;
	bool better = false;

	for (int i = 0; i < sr->sr_se->se_n; i++) {
		const struct stat_ci *ci = &sr->sr_se->se_probes[i].sb_ratio;

		better |=
		    highest ? ci->mean - ci->half > 1 : ci->mean + ci->half < 1;
	}
	if (!better)
		return false;
	best_pick(sr);
	if (sr->sr_se->se_best == before)
		return false;
	judge_all(sr);
	return true;
}

static bool
decide(struct seeker *sr, int64_t value)
{
	const struct seek_problem *sk = sr->sr_sk;
	struct seek_probe *sb = probe_at(sr, value);
	int reps = sb->sb_reps;

	for (;;) {
		const int64_t both[] = { value, sr->sr_se->se_best };

		if (reps < sk->sk_min_reps)
			reps = sk->sk_min_reps;
		if (!ensure(sr, both, sr->sr_best_known ? 2 : 1, reps))
			return false;
		sb = probe_at(sr, value);
		judge(sr, sb);
		if (sb->sb_verdict != SEEK_UNDECIDED || sb->sb_broken ||
		    reps == sk->sk_max_reps)
			return true;
		reps = seek_more(reps, sk->sk_max_reps);
	}
}

/* Have so many replications of each value, by one call. */
static bool
ensure(struct seeker *sr, const int64_t *values, int n, int reps)
{
	struct seek_want sw[MAX_SCAN];
	int nwants = 0;
	bool going = true;

	for (int i = 0; i < n; i++) {
		struct seek_probe *sb = probe_at(sr, values[i]);

		if (sb->sb_reps >= reps || (i > 0 && values[i] == values[0]))
			continue;
		sw[nwants++] = (struct seek_want){
			.sw_value = values[i],
			.sw_from = sb->sb_reps,
			.sw_to = reps,
			.sw_y = sim_calloc(reps, sizeof(double)),
		};
	}
	if (nwants > 0)
		going = sr->sr_sk->sk_evaluate(sr->sr_sk->sk_arg, sw, nwants);
	for (int i = 0; i < nwants; i++) {
		struct seek_probe *sb = probe_at(sr, sw[i].sw_value);

		for (int r = sb->sb_reps; going && r < reps; r++) {
			sb->sb_y[r] = sw[i].sw_y[r - sw[i].sw_from];
			sb->sb_broken |= isnan(sb->sb_y[r]);
			sr->sr_se->se_runs++;
		}
		if (going)
			sb->sb_reps = reps;
		sb->sb_unsteady |= sw[i].sw_unsteady;
		sim_free(sw[i].sw_y);
	}
	return going;
}

static void
judge_all(struct seeker *sr)
{
	for (int i = 0; i < sr->sr_se->se_n; i++)
		judge(sr, &sr->sr_se->se_probes[i]);
}

static void
judge(struct seeker *sr, struct seek_probe *sb)
{
	const bool by_best =
	    sr->sr_sk->sk_condition.sn_relation == SEEK_NEAR_BEST;
	double *x;
	int n;

	sb->sb_verdict = SEEK_UNDECIDED;
	sb->sb_metric = stat_t_interval(sb->sb_y, sb->sb_reps, LEVEL);
	sb->sb_ratio = (struct stat_ci){ NAN, NAN };
	if (sb->sb_broken)
		return;
	if (!isfinite(sb->sb_metric.mean)) {
		sb->sb_metric.half = 0;
		sb->sb_verdict = SEEK_FAILS;
		return;
	}
	if (!by_best) {
		judge_numbers(sr, sb, sb->sb_y, sb->sb_reps);
		return;
	}
	if (!sr->sr_best_known) {
		sb->sb_verdict = SEEK_FAILS;
		return;
	}
	x = ratios(sr, sb, &n);
	if (x == NULL)
		return;
	sb->sb_ratio = stat_t_interval(x, n, LEVEL);
	judge_numbers(sr, sb, x, n);
	sim_free(x);
}

/* x: metrics, or ratios to the best's. */
static void
judge_numbers(struct seeker *sr, struct seek_probe *sb, const double *x, int n)
{
	const struct seek_condition *sn = &sr->sr_sk->sk_condition;
	const struct stat_ci ci = stat_t_interval(x, n, sr->sr_level);
	bool at_least = sn->sn_relation == SEEK_AT_LEAST;
	double limit = sn->sn_limit, low, high;

	if (sn->sn_relation == SEEK_NEAR_BEST) {
		at_least = sn->sn_highest_best;
		limit = 1 + (at_least ? -limit : limit) / 100;
	}
	low = ci.mean - ci.half;
	high = ci.mean + ci.half;
	if (at_least ? low >= limit : high <= limit)
		sb->sb_verdict = SEEK_KEEPS;
	else if (at_least ? high < limit : low > limit)
		sb->sb_verdict = SEEK_FAILS;
}

/*
 * Returns: the metric over the best's, of the replications that both have; NULL
 * when one of the best's is 0.
 */
static double *
ratios(struct seeker *sr, const struct seek_probe *sb, int *n)
{
	const struct seek_probe *best;
	double *x;

	best = probe_at(sr, sr->sr_se->se_best);
	*n = sb->sb_reps < best->sb_reps ? sb->sb_reps : best->sb_reps;
	x = sim_calloc(*n, sizeof(*x));
	for (int r = 0; r < *n; r++) {
		x[r] = sb->sb_y[r] / best->sb_y[r];
		if (isfinite(x[r]))
			continue;
		sim_free(x);
		return NULL;
	}
	return x;
}

/* Returns: the probe of a value, a new one when there is none yet. */
static struct seek_probe *
probe_at(struct seeker *sr, int64_t value)
{
	struct seek_result *se = sr->sr_se;
	struct seek_probe *sb;
	int i = 0;

	while (i < se->se_n && se->se_probes[i].sb_value < value)
		i++;
	if (i < se->se_n && se->se_probes[i].sb_value == value)
		return &se->se_probes[i];
	se->se_probes =
	    sim_realloc(se->se_probes, se->se_n + 1, sizeof(*se->se_probes));
	sb = &se->se_probes[i];
	memmove(sb + 1, sb, (se->se_n - i) * sizeof(*sb));
	se->se_n++;
	*sb = (struct seek_probe){
		.sb_value = value,
		.sb_y = sim_calloc(sr->sr_sk->sk_max_reps, sizeof(double)),
		.sb_ratio = { NAN, NAN },
	};
	return sb;
}

/* The probes from the asked side. */
static struct seek_probe *
nth(const struct seeker *sr, int i)
{
	const struct seek_result *se = sr->sr_se;

	return &se->se_probes[sr->sr_sk->sk_largest ? se->se_n - 1 - i : i];
}

/* Returns: which one from the asked side keeps it; -1: none. */
static int
first_keeper(const struct seeker *sr)
{
	for (int i = 0; i < sr->sr_se->se_n; i++) {
		if (nth(sr, i)->sb_verdict == SEEK_KEEPS)
			return i;
	}
	return -1;
}

static void
conclude(struct seeker *sr)
{
	struct seek_result *se = sr->sr_se;
	const int keeper = first_keeper(sr);

	for (int i = 0; i < se->se_n; i++) {
		struct seek_probe *sb = nth(sr, i);

		se->se_broken |= sb->sb_broken;
		if (keeper >= 0 && i >= keeper)
			continue;
		se->se_undecided += sb->sb_verdict == SEEK_UNDECIDED;
		if (sb->sb_verdict == SEEK_FAILS) {
			se->se_failing = true;
			se->se_fails = sb->sb_value;
		}
	}
	if (keeper >= 0) {
		se->se_end = SEEK_FOUND;
		se->se_keeps = nth(sr, keeper)->sb_value;
		contradict(sr, keeper);
	} else {
		se->se_end = se->se_undecided > 0 ? SEEK_UNSURE : SEEK_NOWHERE;
	}
}

/* What lies beyond the answer, seen from the asked side. */
static void
contradict(struct seeker *sr, int keeper)
{
	struct seek_result *se = sr->sr_se;
	bool again = false;

	for (int i = keeper + 1; i < se->se_n; i++) {
		struct seek_probe *sb = nth(sr, i);

		sb->sb_contradicts = sb->sb_verdict == SEEK_FAILS;
		again |= se->se_contradicted && sb->sb_verdict == SEEK_KEEPS;
		se->se_contradicted |= sb->sb_contradicts;
	}
	se->se_reversed = se->se_contradicted && !se->se_failing && !again;
	for (int i = 0; se->se_reversed && i < se->se_n; i++)
		nth(sr, i)->sb_contradicts = false;
}
