#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/store_impl.h"

static bool copy(struct store *, int64_t *added, int64_t *differing);
static bool count_differing(struct store *, int64_t *n);
static bool labels(struct store *);

/* Points and what belongs to them. `from` is the other store. */
static const char copy_points[] =
    "INSERT OR IGNORE INTO scenario "
    " (hash, name, title, origin, file, hardware_dir)"
    " SELECT hash, name, title, origin, file, hardware_dir"
    " FROM other.scenario ORDER BY id;"

    "INSERT OR IGNORE INTO source (scenario, place, file, text)"
    " SELECT scenario.id, place, o.file, text FROM other.source o"
    " JOIN other.scenario os ON os.id = o.scenario"
    " JOIN main.scenario ON scenario.hash = os.hash;"

    "INSERT OR IGNORE INTO point (key, scenario, model, label)"
    " SELECT o.key, scenario.id, o.model, o.label FROM other.point o"
    " JOIN other.scenario os ON os.id = o.scenario"
    " JOIN main.scenario ON scenario.hash = os.hash ORDER BY o.id;"

    "INSERT OR IGNORE INTO parameter (point, path, value, origin)"
    " SELECT point.id, path, value, origin FROM other.parameter o"
    " JOIN other.point op ON op.id = o.point"
    " JOIN main.point ON point.key = op.key;"

    /* The axes of a point that was here do not make it as ours do. */
    "INSERT OR IGNORE INTO axis"
    " (point, path, place, short, value, bare, made)"
    " SELECT point.id, o.path, o.place, o.short, o.value, o.bare,"
    "  o.made AND NOT EXISTS"
    "   (SELECT 1 FROM main.axis a WHERE a.point = point.id)"
    " FROM other.axis o JOIN other.point op ON op.id = o.point"
    " JOIN main.point ON point.key = op.key;";

/*
 * Which runs are wanted: those that are done there and not here, and those that
 * failed there and are unknown here.
 */
static const char list_runs[] =
    "CREATE TEMP TABLE moved"
    " (source INTEGER PRIMARY KEY, point INTEGER, target INTEGER);"
    "INSERT INTO temp.moved (source, point)"
    " SELECT o.id, point.id FROM other.run o"
    " JOIN other.point op ON op.id = o.point"
    " JOIN main.point ON point.key = op.key"
    " LEFT JOIN main.run ON run.point = point.id AND run.seed = o.seed"
    "  AND run.replication = o.replication"
    " WHERE (o.state = 'done' AND run.state IS NOT 'done')"
    "  OR (o.state = 'failed' AND run.state IS NULL) ORDER BY o.id;";

static const char copy_runs[] =
    "DELETE FROM main.run WHERE id IN"
    " (SELECT run.id FROM temp.moved JOIN other.run o ON o.id = source"
    "  JOIN main.run ON run.point = moved.point AND run.seed = o.seed"
    "  AND run.replication = o.replication);"

    "INSERT INTO session (command, version, simgrid, host, boot, pid,"
    "  pid_started, started, beat)"
    " SELECT command, version, simgrid, host, boot, pid, pid_started,"
    "  started, beat FROM other.session o WHERE id IN"
    "   (SELECT session FROM other.run WHERE id IN"
    "    (SELECT source FROM temp.moved))"
    "  AND NOT EXISTS (SELECT 1 FROM main.session s"
    "   WHERE s.host = o.host AND s.boot = o.boot AND s.pid = o.pid"
    "   AND s.started = o.started) ORDER BY id;"

    "INSERT INTO run (point, seed, replication, state, message, session,"
    "  warmup_ns, measure_ns, slice_ns, steady, started, ended,"
    "  simulated_ns, wall_ns, engine_calls, events, peak_rss_bytes)"
    " SELECT moved.point, seed, replication, state, message,"
    "  (SELECT s.id FROM main.session s JOIN other.session os"
    "   ON os.host = s.host AND os.boot = s.boot AND os.pid = s.pid"
    "   AND os.started = s.started WHERE os.id = o.session),"
    "  warmup_ns, measure_ns, slice_ns, steady, o.started, ended,"
    "  simulated_ns, wall_ns, engine_calls, events, peak_rss_bytes"
    " FROM temp.moved JOIN other.run o ON o.id = source ORDER BY source;"

    "UPDATE temp.moved SET target ="
    " (SELECT run.id FROM main.run, other.run o WHERE o.id = source"
    "  AND run.point = moved.point AND run.seed = o.seed"
    "  AND run.replication = o.replication);"

    "INSERT INTO metric (run, name, value, place)"
    " SELECT target, name, value, place"
    " FROM other.metric JOIN temp.moved ON source = run;"
    "INSERT INTO stage (run, name, counted, mean_ns, slowest_ns, place)"
    " SELECT target, name, counted, mean_ns, slowest_ns, place"
    " FROM other.stage JOIN temp.moved ON source = run;"
    "INSERT INTO counter (run, name, value, place)"
    " SELECT target, name, value, place"
    " FROM other.counter JOIN temp.moved ON source = run;"
    "INSERT INTO cpu (run, machine, cpu, busy, netisr, interrupt, place)"
    " SELECT target, machine, cpu, busy, netisr, interrupt, place"
    " FROM other.cpu JOIN temp.moved ON source = run;"
    "INSERT INTO cost (run, machine, name, ns, place)"
    " SELECT target, machine, name, ns, place"
    " FROM other.cost JOIN temp.moved ON source = run;"
    "INSERT INTO token (run, machine, name, count, gets, waits, collisions,"
    "  hold_mean_ns, hold_max_ns, wait_mean_ns, wait_max_ns, busiest_pct,"
    "  place)"
    " SELECT target, machine, name, count, gets, waits, collisions,"
    "  hold_mean_ns, hold_max_ns, wait_mean_ns, wait_max_ns, busiest_pct,"
    "  place FROM other.token JOIN temp.moved ON source = run;"
    "INSERT INTO listener (run, machine, place, listener, cpu, qlen_end,"
    "  qlen_mean, qlen_max, qlimit, syn_drops, refused, accepted)"
    " SELECT target, machine, place, listener, cpu, qlen_end, qlen_mean,"
    "  qlen_max, qlimit, syn_drops, refused, accepted"
    " FROM other.listener JOIN temp.moved ON source = run;"
    "INSERT INTO series (run, name, slice, value)"
    " SELECT target, name, slice, value"
    " FROM other.series JOIN temp.moved ON source = run;"
    "INSERT INTO histogram (run, name, samples, over, v2)"
    " SELECT target, name, samples, over, v2"
    " FROM other.histogram JOIN temp.moved ON source = run;";

bool
store_merge(
    struct store *st, const char *from, int64_t *added, int64_t *differing)
{
	struct store *other = store_open(from, STORE_READ);
	bool ok;

	*added = *differing = 0;
	if (other == NULL)
		return false;
	/* It is a store, and of our schema; now as a part of this one. */
	ok = sql_do(st, "ATTACH ? AS other", "t", other->st_uri);
	store_close(other);
	if (!ok)
		return false;
	ok = sql_begin(st) && copy(st, added, differing);
	ok = sql_finish(st, ok);
	return sql_script(st, "DETACH other") && ok;
}

static bool
copy(struct store *st, int64_t *added, int64_t *differing)
{
	if (!sql_script(st, copy_points) || !labels(st) ||
	    !sql_script(st, "DROP TABLE IF EXISTS temp.moved") ||
	    !sql_script(st, list_runs) ||
	    !sql_int(st, added, 0, "SELECT count(*) FROM temp.moved", ""))
		return false;
	return count_differing(st, differing) && sql_script(st, copy_runs) &&
	       sql_script(st, "DROP TABLE temp.moved");
}

/* The same key, other results: somebody's program is not ours. */
static bool
count_differing(struct store *st, int64_t *n)
{
	return sql_int(st, n, 0,
	    "WITH both AS (SELECT o.id AS theirs, run.id AS ours "
	    " FROM other.run o JOIN other.point op ON op.id = o.point "
	    " JOIN main.point ON point.key = op.key "
	    " JOIN main.run ON run.point = point.id AND run.seed = o.seed "
	    " AND run.replication = o.replication "
	    " WHERE o.state = 'done' AND run.state = 'done') "
	    "SELECT count(*) FROM both WHERE "
	    "EXISTS (SELECT name, value FROM other.metric WHERE run = theirs "
	    " EXCEPT SELECT name, value FROM main.metric WHERE run = ours) OR "
	    "EXISTS (SELECT name, counted, mean_ns, slowest_ns "
	    " FROM other.stage WHERE run = theirs EXCEPT "
	    " SELECT name, counted, mean_ns, slowest_ns "
	    " FROM main.stage WHERE run = ours) OR "
	    "EXISTS (SELECT name, value FROM other.counter WHERE run = theirs "
	    " EXCEPT SELECT name, value FROM main.counter WHERE run = ours) OR "
	    "EXISTS (SELECT name, samples, over, v2 FROM other.histogram "
	    " WHERE run = theirs EXCEPT SELECT name, samples, over, v2 "
	    " FROM main.histogram WHERE run = ours)",
	    "");
}

/* Points may have got further axes. */
static bool
labels(struct store *st)
{
	struct store_point *points;
	struct ypool yp = { NULL };
	int n = store_points(st, &points, &yp);
	bool ok = n >= 0;

	for (int i = 0; i < n && ok; i++)
		ok = store_label(st, points[i].sp_id);
	sim_free(points);
	ypool_fini(&yp);
	return ok;
}
