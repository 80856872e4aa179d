#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/store_impl.h"

#define LIST_MAX 20 /* points that a message lists */

static const char model_version[] =
#include "sim/lab/model_version.inc"
    ;

static const char *const origin_names[] = {
	[SCENARIO_FROM_AXIS] = "axis",
	[SCENARIO_FROM_FILE] = "file",
	[SCENARIO_FROM_DEFAULT] = "default",
	[SCENARIO_FROM_PROFILE] = "profile",
};

static bool point_put(struct store *, struct scenario *, int point,
    const struct scenario_resolved *, int n, const char *key, int64_t *id);
static void point_key(const struct scenario *, const struct scenario_resolved *,
    int n, const char *model, char *hex);
static void scenario_hash(const struct scenario *, char *hex);
static bool scenario_put(struct store *, const struct scenario *, int64_t *id);
static bool axes_put(
    struct store *, const struct scenario *, int point, int64_t id, bool first);
static int match(struct store *, const char *text, int64_t **ids);
static int match_pair(
    struct store *, const char *path, const char *value, int64_t **ids);
static int keep_common(int64_t *ids, int n, const int64_t *others, int m);
static void list_points(struct store *, const int64_t *ids, int n);

int64_t
store_point(struct store *st, struct scenario *sc, int point)
{
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	char key[SHA256_DIGEST_STRING_LENGTH];
	int n = scenario_resolved(sc, point, &yp, &sv);
	int64_t id = -1;
	bool ok;

	point_key(sc, sv, n, model_version, key);
	ok = sql_begin(st);
	ok = sql_finish(st, ok && point_put(st, sc, point, sv, n, key, &id));
	ypool_fini(&yp);
	return ok ? id : -1;
}

void
store_point_key(struct scenario *sc, int point, char *hex)
{
	store_point_key_of(sc, point, model_version, hex);
}

void
store_point_key_of(struct scenario *sc, int point, const char *model, char *hex)
{
	struct scenario_resolved *sv;
	struct ypool yp = { NULL };
	int n = scenario_resolved(sc, point, &yp, &sv);

	point_key(sc, sv, n, model, hex);
	ypool_fini(&yp);
}

int64_t
store_point_known(struct store *st, struct scenario *sc, int point)
{
	char key[STORE_KEY_SIZE];
	int64_t id;

	store_point_key(sc, point, key);
	return sql_int(
		   st, &id, 0, "SELECT id FROM point WHERE key = ?", "t", key)
		   ? id
		   : -1;
}

const char *
store_model_version(void)
{
	return model_version;
}

static void
hash_text(SHA2_CTX *ctx, const char *text)
{
	/* With its NUL, so that no two lists of texts are alike. */
	SHA256Update(ctx, (const uint8_t *)text, strlen(text) + 1);
}

static void
point_key(const struct scenario *sc, const struct scenario_resolved *sv, int n,
    const char *model, char *hex)
{
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	hash_text(&ctx, sc->sc_name);
	hash_text(&ctx, model);
	for (int i = 0; i < n; i++) {
		hash_text(&ctx, sv[i].sv_path);
		hash_text(&ctx, sv[i].sv_value);
	}
	SHA256End(&ctx, hex);
}

static void
scenario_hash(const struct scenario *sc, char *hex)
{
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	hash_text(&ctx, sc->sc_name);
	hash_text(&ctx, sc->sc_file);
	hash_text(&ctx, sc->sc_hardware_dir != NULL ? sc->sc_hardware_dir : "");
	for (int i = 0; i < sc->sc_nsources; i++) {
		hash_text(&ctx, sc->sc_sources[i].so_file);
		hash_text(&ctx, sc->sc_sources[i].so_text);
	}
	SHA256End(&ctx, hex);
}

static bool
point_put(struct store *st, struct scenario *sc, int point,
    const struct scenario_resolved *sv, int n, const char *key, int64_t *id)
{
	int64_t scenario;
	char label[512];

	if (!sql_int(
		st, id, -1, "SELECT id FROM point WHERE key = ?", "t", key))
		return false;
	if (*id >= 0)
		return axes_put(st, sc, point, *id, false);
	scenario_point_label(sc, point, label, sizeof(label));
	if (!scenario_put(st, sc, &scenario) ||
	    !sql_do(st,
		"INSERT INTO point (key, scenario, model, label) "
		"VALUES (?, ?, ?, ?)",
		"titt", key, scenario, model_version, label))
		return false;
	*id = sqlite3_last_insert_rowid(st->st_db);
	for (int i = 0; i < n; i++) {
		if (!sql_do(st,
			"INSERT INTO parameter (point, path, value, origin) "
			"VALUES (?, ?, ?, ?)",
			"ittt", *id, sv[i].sv_path, sv[i].sv_value,
			origin_names[sv[i].sv_from]))
			return false;
	}
	return axes_put(st, sc, point, *id, true);
}

static bool
scenario_put(struct store *st, const struct scenario *sc, int64_t *id)
{
	const struct setup *su = &sc->sc_setup;
	char hash[SHA256_DIGEST_STRING_LENGTH];

	scenario_hash(sc, hash);
	if (!sql_int(st, id, -1, "SELECT id FROM scenario WHERE hash = ?", "t",
		hash))
		return false;
	if (*id >= 0)
		return true;
	if (!sql_do(st,
		"INSERT INTO scenario (hash, name, title, origin, file, "
		"hardware_dir) VALUES (?, ?, ?, ?, ?, ?)",
		"tttttt", hash, sc->sc_name,
		su->su_title != NULL ? su->su_title : "",
		su->su_source != NULL ? su->su_source : "", sc->sc_file,
		sc->sc_hardware_dir != NULL ? sc->sc_hardware_dir : ""))
		return false;
	*id = sqlite3_last_insert_rowid(st->st_db);
	for (int i = 0; i < sc->sc_nsources; i++) {
		if (!sql_do(st,
			"INSERT INTO source (scenario, place, file, text) "
			"VALUES (?, ?, ?, ?)",
			"iitb", *id, (int64_t)i, sc->sc_sources[i].so_file,
			sc->sc_sources[i].so_text, sc->sc_sources[i].so_size))
			return false;
	}
	return true;
}

/*
 * One point may be reached by several sweeps, and each adds what it set. Seed
 * and replications are properties of runs.
 */
static bool
axes_put(struct store *st, const struct scenario *sc, int point, int64_t id,
    bool first)
{
	struct scenario_param params[SCENARIO_MAX_AXES];
	int n = scenario_params(sc, point, params);
	bool added = false;

	for (int i = 0; i < n; i++) {
		if (strcmp(params[i].pa_path, "run.seed") == 0 ||
		    strcmp(params[i].pa_path, "run.replications") == 0)
			continue;
		if (!sql_do(st,
			"INSERT INTO axis (point, place, path, short, value, "
			"bare, made) VALUES (?1, (SELECT count(*) FROM axis "
			"WHERE point = ?1), ?2, ?3, ?4, ?5, ?6) "
			"ON CONFLICT DO NOTHING",
			"itttii", id, params[i].pa_path, params[i].pa_short,
			params[i].pa_value, (int64_t)params[i].pa_bare,
			(int64_t)first))
			return false;
		added = added || sqlite3_changes(st->st_db) > 0;
	}
	return !added || store_label(st, id);
}

/* As scenario_point_label() does it. */
bool
store_label(struct store *st, int64_t point)
{
	char label[512] = "base";
	size_t len = 0;
	sqlite3_stmt *q;
	int got;

	q = sql_query(st,
	    "SELECT short, value FROM axis WHERE point = ? ORDER BY place", "i",
	    point);
	while ((got = q != NULL ? sql_next(st, q) : -1) == 1) {
		const char *value = (const char *)sqlite3_column_text(q, 1);
		const char *quote = strchr(value, ' ') != NULL ? "\"" : "";

		if (len >= sizeof(label))
			continue;
		len += (size_t)snprintf(label + len, sizeof(label) - len,
		    "%s%s=%s%s%s", len > 0 ? " " : "",
		    sqlite3_column_text(q, 0), quote, value, quote);
	}
	return got == 0 && sql_do(st, "UPDATE point SET label = ? WHERE id = ?",
			       "ti", label, point);
}

int
store_points(struct store *st, struct store_point **points, struct ypool *yp)
{
	struct store_point *list = NULL;
	sqlite3_stmt *q;
	int n = 0, got;

	q = sql_query(st,
	    "SELECT point.id, scenario.name, label, key, model, "
	    "count(iif(state = 'done', 1, NULL)), "
	    "count(iif(state = 'failed', 1, NULL)), "
	    "count(iif(state = 'running', 1, NULL)), scenario.id "
	    "FROM point JOIN scenario ON scenario.id = point.scenario "
	    "LEFT JOIN run ON run.point = point.id "
	    "GROUP BY point.id ORDER BY point.id",
	    "");
	while ((got = q != NULL ? sql_next(st, q) : -1) == 1) {
		if ((n & (n - 1)) == 0)
			list =
			    sim_realloc(list, n > 0 ? 2 * n : 1, sizeof(*list));
		list[n++] = (struct store_point){
			.sp_id = sqlite3_column_int64(q, 0),
			.sp_scenario = sql_text(yp, q, 1),
			.sp_label = sql_text(yp, q, 2),
			.sp_key = sql_text(yp, q, 3),
			.sp_model = sql_text(yp, q, 4),
			.sp_done = sqlite3_column_int(q, 5),
			.sp_failed = sqlite3_column_int(q, 6),
			.sp_running = sqlite3_column_int(q, 7),
			.sp_about = sqlite3_column_int64(q, 8),
		};
	}
	*points = list;
	if (got == 0)
		return n;
	sim_free(list);
	*points = NULL;
	return -1;
}

int64_t
store_find(struct store *st, const char *text)
{
	int64_t *ids, id = -1;
	int n = match(st, text, &ids);

	if (n == 1) {
		id = ids[0];
	} else if (n >= 0) {
		fprintf(stderr, "solab: %s: %s '%s'; there %s:\n", st->st_name,
		    n == 0 ? "no point is" : "several points are", text,
		    n == 0 ? "are" : "are these");
		list_points(st, n > 0 ? ids : NULL, n);
	}
	sim_free(ids);
	return id;
}

/* Returns: how many points fit, -1 after an error. */
static int
match(struct store *st, const char *text, int64_t **ids)
{
	char *copy = sim_strdup(text), *save, *pair, *end;
	int64_t *some = NULL, id = strtoll(text, &end, 10);
	int n = -2, m;

	*ids = NULL;
	if (*text != '\0' && *end == '\0') {
		n = sql_int(st, &id, -1, "SELECT id FROM point WHERE id = ?",
			"i", id)
			? id >= 0
			: -1;
		*ids = sim_calloc(1, sizeof(**ids));
		**ids = id;
	} else {
		for (pair = strtok_r(copy, ", ", &save);
		     pair != NULL && n != -1;
		     pair = strtok_r(NULL, ", ", &save)) {
			char *eq = strchr(pair, '=');

			if (eq != NULL)
				*eq = '\0';
			m = eq != NULL ? match_pair(st, pair, eq + 1, &some)
				       : 0;
			if (n == -2 || m < 0) {
				sim_free(*ids);
				*ids = some;
				n = m;
			} else {
				n = keep_common(*ids, n, some, m);
				sim_free(some);
			}
			some = NULL;
		}
	}
	sim_free(copy);
	return n == -2 ? 0 : n;
}

/* Points with this value of a parameter whose path ends so. */
static int
match_pair(struct store *st, const char *path, const char *value, int64_t **ids)
{
	sqlite3_stmt *q;
	int n = 0, got;

	*ids = NULL;
	q = sql_query(st,
	    "SELECT point FROM (SELECT point, path, value FROM parameter "
	    "UNION SELECT point, path, value FROM axis) WHERE value = ?2 AND "
	    "(path = ?1 OR substr(path, -length(?1) - 1) = '.' || ?1) "
	    "GROUP BY point ORDER BY point",
	    "tt", path, value);
	while ((got = q != NULL ? sql_next(st, q) : -1) == 1) {
		if ((n & (n - 1)) == 0)
			*ids =
			    sim_realloc(*ids, n > 0 ? 2 * n : 1, sizeof(**ids));
		(*ids)[n++] = sqlite3_column_int64(q, 0);
	}
	return got == 0 ? n : -1;
}

/* Both are in order. Returns: how many remain. */
static int
keep_common(int64_t *ids, int n, const int64_t *others, int m)
{
	int kept = 0;

	for (int i = 0, k = 0; i < n; i++) {
		while (k < m && others[k] < ids[i])
			k++;
		if (k < m && others[k] == ids[i])
			ids[kept++] = ids[i];
	}
	return kept;
}

/* These points, or (NULL) all. */
static void
list_points(struct store *st, const int64_t *ids, int n)
{
	struct store_point *points;
	struct ypool yp = { NULL };
	int all = store_points(st, &points, &yp), listed = 0;

	for (int i = 0; i < all; i++) {
		bool shown = ids == NULL;

		for (int k = 0; k < n && !shown; k++)
			shown = ids[k] == points[i].sp_id;
		if (shown && ++listed <= LIST_MAX)
			fprintf(stderr,
			    "  %3lld  %s: %s  (model %s, %d done)\n",
			    (long long)points[i].sp_id, points[i].sp_scenario,
			    points[i].sp_label, points[i].sp_model,
			    points[i].sp_done);
	}
	if (listed > LIST_MAX)
		fprintf(stderr, "  and %d more\n", listed - LIST_MAX);
	if (all == 0)
		fprintf(stderr, "  no points at all\n");
	sim_free(points);
	ypool_fini(&yp);
}
