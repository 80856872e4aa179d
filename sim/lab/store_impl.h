#ifndef SIM_LAB_STORE_IMPL_H
#define SIM_LAB_STORE_IMPL_H

/*
 * What the files store*.c share: statements with values, transactions, errors.
 * An error is said once, where it happens; whoever called returns at once.
 */
#include <sqlite3.h>

#include "sim/lab/store.h"

#define STORE_MAX_STATEMENTS 64

struct store {
	sqlite3 *st_db;
	char *st_name; /* for messages */
	char *st_uri;  /* how SQLite opened it; NULL: in memory */
	bool st_alone;
	int64_t st_session; /* 0: none yet */
	int64_t st_beaten;  /* wall: the last sign of life */
	struct store_statement {
		const char *ss_sql; /* by its address */
		sqlite3_stmt *ss_stmt;
	} st_statements[STORE_MAX_STATEMENTS];
	int st_nstatements;
};

/* store_schema.c */

#define STORE_APPLICATION 0x736f6c62 /* "solb" */

/* SQL that makes version i + 1 of version i. */
extern const char *const store_migrations[];
extern const int store_nmigrations;

/* store_sql.c */

/* Say what SQLite found wrong. Returns: false. */
bool store_error(struct store *);

/*
 * Run a constant statement. One letter a value: i int64_t, d double (NULL when
 * not finite), t text (NULL too), b bytes and their size_t.
 */
bool sql_do(struct store *, const char *sql, const char *types, ...);

/*
 * Begin a query. Returns: NULL after an error. It ends with sql_next()'s last
 * row, or sql_end().
 */
sqlite3_stmt *sql_query(
    struct store *, const char *sql, const char *types, ...);

/* Returns: 1 a row, 0 no more, -1 after an error. */
int sql_next(struct store *, sqlite3_stmt *);
void sql_end(sqlite3_stmt *);

/* The first value of the first row; `none` when there is no row. */
bool sql_int(struct store *, int64_t *out, int64_t none, const char *sql,
    const char *types, ...);

/* Texts of several statements, not cached. */
bool sql_script(struct store *, const char *sql);

/* A transaction that may write. End it in any case. */
bool sql_begin(struct store *);

/* Commit when ok, else roll back. Returns: whether it was committed. */
bool sql_finish(struct store *, bool ok);

/* Copies of a column's text or bytes, "" for NULL. */
const char *sql_text(struct ypool *, sqlite3_stmt *, int column);
double sql_real(sqlite3_stmt *, int column); /* NAN for NULL */

/* store_point.c */

/* Make a point's label anew, from its axes. */
bool store_label(struct store *, int64_t point);

/* store_claim.c */

/* Unix time, ns. */
int64_t store_now(void);

/* Whether the process of a session lives, as far as can be told. */
bool store_session_lives(struct store *, int64_t session, bool *lives);

#endif
