#ifndef SIM_LAB_STORE_H
#define SIM_LAB_STORE_H

/*
 * The results store: an SQLite file that says of itself what was run, with
 * what, by whom, and what came of it (docs/results.md has its tables).
 *
 * A point is the key (scenario, all its parameters with defaults and costs,
 * model version); a run is (point, seed, replication). A run is a pure function
 * of these, so what is there is never run again. Every change is one
 * transaction: whoever is killed, and whenever, leaves a whole store.
 *
 * Several processes may write one store. A run that somebody works on is
 * claimed; a claim ends with the process that made it.
 *
 * Errors: said on stderr in words ("solab: s.db: database or disk is full"),
 * and false or NULL returned.
 */
#include "sim/lab/record.h"

struct store;

enum store_mode {
	STORE_READ,   /* must exist; what an older solab made is upgraded */
	STORE_UPDATE, /* must exist */
	STORE_CREATE, /* may exist */
};

/* file: NULL is a store in memory that ends with the process. */
struct store *store_open(const char *file, enum store_mode);
void store_close(struct store *);

/* Whether both names are of one file. */
bool store_same_file(const char *a, const char *b);

/* Claims and runs from now on are those of this command line. */
bool store_session(struct store *, const char *command);

/* Let others see that we live. To be called every few seconds. */
bool store_beat(struct store *);

/*
 * Nobody else writes this store, whatever it looks like: the runs of others are
 * free. For a task that a batch system starts again elsewhere.
 */
void store_alone(struct store *);

/*
 * Other machines open this store too, by whatever file system: it does without
 * the log that processes share in memory, now and later. Nobody else may have
 * it open. Returns: false after an error.
 */
bool store_between_machines(struct store *);

/*
 * Put in a point of a scenario (SCENARIO_BASE too), if it is not there.
 * Returns: its id, -1 after an error.
 */
int64_t store_point(struct store *, struct scenario *, int point);

/* The key of a point, in hex; it is the same in all stores. */
#define STORE_KEY_SIZE 65
void store_point_key(struct scenario *, int point, char *hex);

/* The key that it had with another version of the model. */
void store_point_key_of(
    struct scenario *, int point, const char *model, char *hex);

/* Returns: the id of such a point, 0 when it is not there, -1 after an error.
 */
int64_t store_point_known(struct store *, struct scenario *, int point);

/* Of this program: a hash of the sources that results hang on. */
const char *store_model_version(void);

const char *store_sqlite_version(void);

enum store_state {
	STORE_ABSENT,  /* never run, or its runner died */
	STORE_RUNNING, /* claimed by a process that lives */
	STORE_DONE,
	STORE_FAILED,
};

/* Returns: -1 after an error, else enum store_state. */
int store_state(struct store *, int64_t point, uint32_t seed, uint32_t rep);

/*
 * Claim a run. Returns: 1 when it is ours now, 0 when somebody else has it or
 * it is done, -1 after an error. A failed one is taken.
 */
int store_claim(struct store *, int64_t point, uint32_t seed, uint32_t rep);

/* Give back all that was claimed and is not done. */
bool store_unclaim_all(struct store *);

/* A claimed run is done, or failed. */
bool store_put(struct store *, int64_t point, const struct record *);
bool store_put_failed(struct store *, int64_t point, uint32_t seed,
    uint32_t rep, const char *message);

/*
 * Read a run that is done. Returns: NULL when there is none, or after an error.
 */
struct record *store_get(
    struct store *, int64_t point, uint32_t seed, uint32_t rep);

/* A record with nothing but what is known of the point. */
struct record *store_get_point(struct store *, int64_t point);

/* Add all parameters of the point to a record: rd_parameters. */
bool store_get_parameters(struct store *, int64_t point, struct record *);

/*
 * All replications of a point that are done, in order of seed and replication.
 * Returns: how many, -1 after an error; *records and each of them is the
 * caller's: store_records_free().
 */
int store_records(struct store *, int64_t point, struct record ***records);
void store_records_free(struct record **, int n);

/* A point as it stands in a store. Texts are the list's. */
struct store_point {
	int64_t sp_id;
	const char *sp_scenario, *sp_label, *sp_key, *sp_model;
	int64_t sp_about; /* its scenario: sb_id */
	int sp_done, sp_failed, sp_running;
};

/* Returns: how many, -1 after an error; *points for sim_free(). */
int store_points(struct store *, struct store_point **points, struct ypool *);

/* A run as it stands in a store. */
struct store_run {
	int64_t sn_point;
	uint32_t sn_seed, sn_rep;
	enum store_state sn_state;
	const char *sn_message; /* of a failed one */
};

/* As store_points(), in the order of points, seeds, replications. */
int store_runs(struct store *, struct store_run **, struct ypool *);

/*
 * Load the scenario of a point from what the store keeps of it, set so that
 * the only point of its sweep is this one. Says what is wrong.
 * Returns: NULL after an error.
 */
struct scenario *store_scenario(struct store *, int64_t point, uint32_t seed);

/* The same scenario with its own sweep, and only these sets. */
struct scenario *store_scenario_with(
    struct store *, int64_t point, const char *const *sets, int nsets);

/* A scenario as it was read, and somebody who wrote. Texts are the list's. */
struct store_about {
	int64_t sb_id;
	const char *sb_name, *sb_title, *sb_origin, *sb_file;
};
struct store_writer {
	const char *sw_command, *sw_version, *sw_simgrid, *sw_host;
	int64_t sw_started; /* Unix time, ns */
};

/* As store_points(), in the order in which they came. */
int store_abouts(struct store *, struct store_about **, struct ypool *);
int store_writers(struct store *, struct store_writer **, struct ypool *);

/*
 * Put all that another store has into this one; what is there stays.
 * Returns: false after an error. *added: runs; *differing: runs that both have,
 * with the same key and other results.
 */
bool store_merge(
    struct store *, const char *from, int64_t *added, int64_t *differing);

/*
 * Find one point: its id ("17"), or parameters "PATH=VALUE,...", each PATH a
 * suffix of a parameter's path, quantities as they are printed. Says which
 * points there are when none or several fit.
 * Returns: its id, -1 after an error.
 */
int64_t store_find(struct store *, const char *text);

#endif
