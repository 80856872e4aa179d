#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/store_impl.h"

static bool sources_give(struct store *, int64_t scenario, struct diag *);
static int sets_make(struct store *, int64_t point, uint32_t seed,
    struct ypool *, const char **sets);

struct scenario *
store_scenario(struct store *st, int64_t point, uint32_t seed)
{
	const char *sets[SCENARIO_MAX_AXES + 1]; /* and seed */
	struct scenario *sc = NULL;
	struct ypool yp = { NULL };
	int n = sets_make(st, point, seed, &yp, sets);

	if (n >= 0)
		sc = store_scenario_with(st, point, sets, n);
	ypool_fini(&yp);
	return sc;
}

struct scenario *
store_scenario_with(
    struct store *st, int64_t point, const char *const *sets, int nsets)
{
	const char *file, *dir;
	struct scenario *sc = NULL;
	struct ypool yp = { NULL };
	struct diag d;
	sqlite3_stmt *q;
	int64_t id;

	q = sql_query(st,
	    "SELECT scenario.id, file, hardware_dir FROM point "
	    "JOIN scenario ON scenario.id = point.scenario WHERE point.id = ?",
	    "i", point);
	if (q == NULL || sql_next(st, q) != 1)
		return NULL;
	id = sqlite3_column_int64(q, 0);
	file = sql_text(&yp, q, 1);
	dir = sql_text(&yp, q, 2);
	sql_end(q);
	diag_init(&d);
	if (sources_give(st, id, &d)) {
		sc = scenario_load(
		    file, sets, nsets, *dir != '\0' ? dir : NULL, &d);
		diag_print(&d, stderr);
	}
	diag_fini(&d);
	ypool_fini(&yp);
	return sc;
}

int
store_abouts(struct store *st, struct store_about **out, struct ypool *yp)
{
	struct store_about *list = NULL;
	sqlite3_stmt *q;
	int n = 0, got;

	q = sql_query(st,
	    "SELECT id, name, title, origin, file FROM scenario ORDER BY id",
	    "");
	while ((got = q != NULL ? sql_next(st, q) : -1) == 1) {
		list = sim_realloc(list, (size_t)n + 1, sizeof(*list));
		list[n++] = (struct store_about){
			sqlite3_column_int64(q, 0),
			sql_text(yp, q, 1),
			sql_text(yp, q, 2),
			sql_text(yp, q, 3),
			sql_text(yp, q, 4),
		};
	}
	*out = list;
	return got == 0 ? n : -1;
}

int
store_writers(struct store *st, struct store_writer **out, struct ypool *yp)
{
	struct store_writer *list = NULL;
	sqlite3_stmt *q;
	int n = 0, got;

	q = sql_query(st,
	    "SELECT command, version, simgrid, host, started FROM session "
	    "ORDER BY id",
	    "");
	while ((got = q != NULL ? sql_next(st, q) : -1) == 1) {
		list = sim_realloc(list, (size_t)n + 1, sizeof(*list));
		list[n++] = (struct store_writer){
			sql_text(yp, q, 0),
			sql_text(yp, q, 1),
			sql_text(yp, q, 2),
			sql_text(yp, q, 3),
			sqlite3_column_int64(q, 4),
		};
	}
	*out = list;
	return got == 0 ? n : -1;
}

static bool
sources_give(struct store *st, int64_t scenario, struct diag *d)
{
	sqlite3_stmt *q;
	int got, n = 0;

	q = sql_query(st,
	    "SELECT file, text FROM source WHERE scenario = ? ORDER BY place",
	    "i", scenario);
	for (; (got = q != NULL ? sql_next(st, q) : -1) == 1; n++)
		diag_give(d, (const char *)sqlite3_column_text(q, 0),
		    sqlite3_column_blob(q, 1),
		    (size_t)sqlite3_column_bytes(q, 1));
	/* Files of today are not what the point was made from. */
	if (got == 0 && n == 0)
		fprintf(stderr, "solab: %s: the scenario's texts are gone\n",
		    st->st_name);
	return got == 0 && n > 0;
}

/* PATH=VALUE of what made the point, and the seed. Returns: -1 after an error.
 */
static int
sets_make(struct store *st, int64_t point, uint32_t seed, struct ypool *yp,
    const char **sets)
{
	sqlite3_stmt *q;
	int n = 0, got;

	q = sql_query(st,
	    "SELECT path, value FROM axis WHERE point = ? AND made "
	    "AND NOT (bare AND value = 'null') "
	    "ORDER BY place",
	    "i", point);
	while ((got = q != NULL ? sql_next(st, q) : -1) == 1) {
		if (n < SCENARIO_MAX_AXES)
			sets[n++] =
			    ypool_printf(yp, "%s=%s", sqlite3_column_text(q, 0),
				sqlite3_column_text(q, 1));
	}
	if (n < SCENARIO_MAX_AXES + 1)
		sets[n++] = ypool_printf(yp, "run.seed=%u", (unsigned)seed);
	return got == 0 ? n : -1;
}
