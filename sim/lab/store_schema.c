/*
 * The tables, version by version. What is here is never changed once it is
 * released: a new version is a new text at the end. docs/results.md explains
 * them.
 */
#include "sim/lab/store_impl.h"

static const char version_1[] =
    "CREATE TABLE session ("
    " id INTEGER PRIMARY KEY,"
    " command TEXT NOT NULL," /* as typed */
    " version TEXT NOT NULL,"
    " simgrid TEXT NOT NULL,"
    " host TEXT NOT NULL,"
    " boot TEXT NOT NULL," /* of the host: a pid means something in one */
    " pid INTEGER NOT NULL,"
    " pid_started INTEGER NOT NULL," /* in the kernel's ticks */
    " started INTEGER NOT NULL,"     /* Unix time, ns */
    " beat INTEGER NOT NULL"	     /* likewise: the last sign of life */
    ") STRICT;"

    "CREATE TABLE scenario ("
    " id INTEGER PRIMARY KEY,"
    " hash TEXT NOT NULL UNIQUE," /* of all that follows */
    " name TEXT NOT NULL,"
    " title TEXT NOT NULL,"
    " origin TEXT NOT NULL,"	  /* its `source:` */
    " file TEXT NOT NULL,"	  /* as it was given */
    " hardware_dir TEXT NOT NULL" /* the last folder of profiles; '' */
    ") STRICT;"

    /* Every file that the scenario was read from: itself, what it extends,
     * its hardware profiles. */
    "CREATE TABLE source ("
    " scenario INTEGER NOT NULL REFERENCES scenario,"
    " place INTEGER NOT NULL,"
    " file TEXT NOT NULL,"
    " text BLOB NOT NULL,"
    " PRIMARY KEY (scenario, place)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE point ("
    " id INTEGER PRIMARY KEY,"
    " key TEXT NOT NULL UNIQUE," /* of scenario name, parameters, model */
    " scenario INTEGER NOT NULL REFERENCES scenario,"
    " model TEXT NOT NULL,"
    " label TEXT NOT NULL"
    ") STRICT;"

    /* What was swept or set, as for --set. A point that several sweeps reach
     * has what each of them set; `made` are those of the first, which make it
     * again. */
    "CREATE TABLE axis ("
    " point INTEGER NOT NULL REFERENCES point,"
    " path TEXT NOT NULL,"
    " place INTEGER NOT NULL,"
    " short TEXT NOT NULL,"
    " value TEXT NOT NULL,"
    " bare INTEGER NOT NULL CHECK (bare IN (0, 1)),"
    " made INTEGER NOT NULL CHECK (made IN (0, 1)),"
    " PRIMARY KEY (point, path)"
    ") STRICT, WITHOUT ROWID;"

    /* All parameters, resolved: defaults and costs too. */
    "CREATE TABLE parameter ("
    " point INTEGER NOT NULL REFERENCES point,"
    " path TEXT NOT NULL,"
    " value TEXT NOT NULL,"
    " origin TEXT NOT NULL"
    "  CHECK (origin IN ('axis', 'file', 'default', 'profile')),"
    " PRIMARY KEY (point, path)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE run ("
    " id INTEGER PRIMARY KEY,"
    " point INTEGER NOT NULL REFERENCES point,"
    " seed INTEGER NOT NULL,"
    " replication INTEGER NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed')),"
    " message TEXT," /* of a failed one: what it wrote, how it ended */
    " session INTEGER NOT NULL REFERENCES session,"
    " warmup_ns INTEGER, measure_ns INTEGER, slice_ns INTEGER,"
    " steady TEXT,"
    /* Not functions of scenario and seed: */
    " started INTEGER NOT NULL, ended INTEGER," /* Unix time, ns */
    " simulated_ns INTEGER, wall_ns INTEGER, engine_calls INTEGER,"
    " events INTEGER, peak_rss_bytes INTEGER,"
    " UNIQUE (point, seed, replication)"
    ") STRICT;"

    "CREATE TABLE metric ("
    " run INTEGER NOT NULL REFERENCES run,"
    " name TEXT NOT NULL,"
    " value REAL," /* NULL: not a number */
    " place INTEGER NOT NULL,"
    " PRIMARY KEY (run, name)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE stage ("
    " run INTEGER NOT NULL REFERENCES run,"
    " name TEXT NOT NULL,"
    " counted INTEGER NOT NULL CHECK (counted IN (0, 1)),"
    " mean_ns REAL,"	/* over all requests */
    " slowest_ns REAL," /* over the slowest 1 % */
    " place INTEGER NOT NULL,"
    " PRIMARY KEY (run, name, counted)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE counter ("
    " run INTEGER NOT NULL REFERENCES run,"
    " name TEXT NOT NULL,"
    " value INTEGER NOT NULL,"
    " place INTEGER NOT NULL,"
    " PRIMARY KEY (run, name)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE cpu ("
    " run INTEGER NOT NULL REFERENCES run,"
    " machine TEXT NOT NULL,"
    " cpu INTEGER NOT NULL,"
    " busy REAL NOT NULL,"   /* 0..1 */
    " netisr REAL NOT NULL," /* of this, by protocol threads */
    " place INTEGER NOT NULL,"
    " PRIMARY KEY (run, machine, cpu)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE cost ("
    " run INTEGER NOT NULL REFERENCES run,"
    " machine TEXT NOT NULL,"
    " name TEXT NOT NULL,"
    " ns INTEGER NOT NULL," /* charged to all its CPUs */
    " place INTEGER NOT NULL,"
    " PRIMARY KEY (run, machine, name)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE token ("
    " run INTEGER NOT NULL REFERENCES run,"
    " machine TEXT NOT NULL,"
    " name TEXT NOT NULL,"
    " count INTEGER NOT NULL, gets INTEGER NOT NULL,"
    " waits INTEGER NOT NULL, collisions INTEGER NOT NULL,"
    " hold_mean_ns REAL NOT NULL, hold_max_ns INTEGER NOT NULL,"
    " wait_mean_ns REAL NOT NULL, wait_max_ns INTEGER NOT NULL,"
    " busiest_pct REAL NOT NULL,"
    " place INTEGER NOT NULL,"
    " PRIMARY KEY (run, machine, name)"
    ") STRICT, WITHOUT ROWID;"

    "CREATE TABLE listener ("
    " run INTEGER NOT NULL REFERENCES run,"
    " machine TEXT NOT NULL,"
    " place INTEGER NOT NULL,"
    " listener INTEGER NOT NULL,"
    " cpu INTEGER NOT NULL,"
    " qlen_end INTEGER NOT NULL, qlen_mean REAL NOT NULL,"
    " qlen_max INTEGER NOT NULL, qlimit INTEGER NOT NULL,"
    " syn_drops INTEGER NOT NULL, refused INTEGER NOT NULL,"
    " accepted INTEGER NOT NULL,"
    " PRIMARY KEY (run, machine, place)"
    ") STRICT, WITHOUT ROWID;"

    /* Of the measured time, from its start. */
    "CREATE TABLE series ("
    " run INTEGER NOT NULL REFERENCES run,"
    " name TEXT NOT NULL,"
    " slice INTEGER NOT NULL,"
    " value REAL,"
    " PRIMARY KEY (run, name, slice)"
    ") STRICT, WITHOUT ROWID;"

    /* HdrHistogram V2, compressed. */
    "CREATE TABLE histogram ("
    " run INTEGER NOT NULL REFERENCES run,"
    " name TEXT NOT NULL,"
    " samples INTEGER NOT NULL,"
    " over INTEGER NOT NULL," /* above its range, in no bucket */
    " v2 BLOB NOT NULL,"
    " PRIMARY KEY (run, name)"
    ") STRICT, WITHOUT ROWID;"

    /* For people: one row a run that is done. */
    "CREATE VIEW result AS SELECT"
    " scenario.name AS scenario, point.id AS point, point.label AS label,"
    " run.seed AS seed, run.replication AS replication,"
    " max(iif(metric.name = 'throughput_rps', value, NULL))"
    "  AS throughput_rps,"
    " max(iif(metric.name = 'latency_mean_ns', value, NULL)) / 1e6"
    "  AS latency_ms,"
    " max(iif(metric.name = 'latency_p99_ns', value, NULL)) / 1e6 AS p99_ms,"
    " max(iif(metric.name = 'cycle_mean_ns', value, NULL)) / 1e6 AS cycle_ms"
    " FROM run JOIN point ON point.id = run.point"
    " JOIN scenario ON scenario.id = point.scenario"
    " JOIN metric ON metric.run = run.id"
    " WHERE run.state = 'done' GROUP BY run.id;";

/* Of the time, in interrupts; NULL: by a version that did not tell. */
static const char version_2[] = "ALTER TABLE cpu ADD COLUMN interrupt REAL;";

const char *const store_migrations[] = { version_1, version_2 };
const int store_nmigrations =
    sizeof(store_migrations) / sizeof(*store_migrations);
