#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "sim/core/assert.h"
#include "sim/lab/store_impl.h"

static sqlite3_stmt *prepare(struct store *, const char *sql);
static void bind(struct store *, sqlite3_stmt *, const char *types, va_list);

bool
store_error(struct store *st)
{
	fprintf(
	    stderr, "solab: %s: %s\n", st->st_name, sqlite3_errmsg(st->st_db));
	return false;
}

/* A statement's text is a constant, so its address tells it. */
static sqlite3_stmt *
prepare(struct store *st, const char *sql)
{
	struct store_statement *ss = st->st_statements;

	for (int i = 0; i < st->st_nstatements; i++, ss++) {
		if (ss->ss_sql == sql)
			return ss->ss_stmt;
	}
	SIM_ASSERT(st->st_nstatements < STORE_MAX_STATEMENTS);
	ss->ss_sql = sql;
	if (sqlite3_prepare_v3(st->st_db, sql, -1, SQLITE_PREPARE_PERSISTENT,
		&ss->ss_stmt, NULL) != SQLITE_OK) {
		store_error(st);
		return NULL;
	}
	st->st_nstatements++;
	return ss->ss_stmt;
}

static void
bind(struct store *st, sqlite3_stmt *stmt, const char *types, va_list ap)
{
	const void *bytes;
	double d;
	int rc = SQLITE_OK;

	SIM_ASSERT((int)strlen(types) == sqlite3_bind_parameter_count(stmt));
	for (int i = 1; *types != '\0' && rc == SQLITE_OK; types++, i++) {
		switch (*types) {
		case 'i':
			rc = sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
			break;
		case 'd':
			d = va_arg(ap, double);
			rc = isfinite(d) ? sqlite3_bind_double(stmt, i, d)
					 : sqlite3_bind_null(stmt, i);
			break;
		case 't':
			rc = sqlite3_bind_text(stmt, i,
			    va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
			break;
		case 'b':
			bytes = va_arg(ap, const void *);
			rc = sqlite3_bind_blob64(stmt, i, bytes,
			    va_arg(ap, size_t), SQLITE_TRANSIENT);
			break;
		default:
			SIM_BUG("'%c' is no type", *types);
		}
	}
	if (rc != SQLITE_OK)
		SIM_BUG("%s: %s", st->st_name, sqlite3_errmsg(st->st_db));
}

bool
sql_do(struct store *st, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt = prepare(st, sql);
	va_list ap;
	int rc;

	if (stmt == NULL)
		return false;
	va_start(ap, types);
	bind(st, stmt, types, ap);
	va_end(ap);
	rc = sqlite3_step(stmt);
	SIM_ASSERT(rc != SQLITE_ROW);
	if (rc != SQLITE_DONE)
		store_error(st);
	sql_end(stmt);
	return rc == SQLITE_DONE;
}

sqlite3_stmt *
sql_query(struct store *st, const char *sql, const char *types, ...)
{
	sqlite3_stmt *stmt = prepare(st, sql);
	va_list ap;

	if (stmt == NULL)
		return NULL;
	va_start(ap, types);
	bind(st, stmt, types, ap);
	va_end(ap);
	return stmt;
}

int
sql_next(struct store *st, sqlite3_stmt *stmt)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		store_error(st);
	sql_end(stmt);
	return rc == SQLITE_DONE ? 0 : -1;
}

void
sql_end(sqlite3_stmt *stmt)
{
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

bool
sql_int(struct store *st, int64_t *out, int64_t none, const char *sql,
    const char *types, ...)
{
	sqlite3_stmt *stmt = prepare(st, sql);
	va_list ap;
	int got;

	*out = none;
	if (stmt == NULL)
		return false;
	va_start(ap, types);
	bind(st, stmt, types, ap);
	va_end(ap);
	got = sql_next(st, stmt);
	if (got == 1) {
		*out = sqlite3_column_int64(stmt, 0);
		sql_end(stmt);
	}
	return got >= 0;
}

bool
sql_script(struct store *st, const char *sql)
{
	return sqlite3_exec(st->st_db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       store_error(st);
}

bool
sql_begin(struct store *st)
{
	return sql_do(st, "BEGIN IMMEDIATE", "");
}

bool
sql_finish(struct store *st, bool ok)
{
	if (ok && sql_do(st, "COMMIT", ""))
		return true;
	/* After some errors SQLite has done so itself. */
	if (!sqlite3_get_autocommit(st->st_db))
		sqlite3_exec(st->st_db, "ROLLBACK", NULL, NULL, NULL);
	return false;
}

const char *
sql_text(struct ypool *yp, sqlite3_stmt *stmt, int column)
{
	const unsigned char *s = sqlite3_column_text(stmt, column);

	return ypool_strdup(yp, s != NULL ? (const char *)s : "");
}

double
sql_real(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		   ? (double)NAN
		   : sqlite3_column_double(stmt, column);
}
