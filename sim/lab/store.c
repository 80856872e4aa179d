#include "sim/lab/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/store_impl.h"

#define BUSY_MS 60000 /* so long we wait for another process */

static bool connect_memory(struct store *);
static bool connect_file(struct store *, enum store_mode);
static bool settings(struct store *, enum store_mode);
static bool wal(struct store *);
static bool is_wal(struct store *);
static bool is_remote(const char *file);
static bool migrate(struct store *, enum store_mode);
static bool upgrade(const struct store *);
static bool check_owner(struct store *);

struct store *
store_open(const char *file, enum store_mode mode)
{
	struct store *st = sim_calloc(1, sizeof(*st));

	st->st_name = sim_strdup(file != NULL ? file : "memory");
	/* A file of somebody else's is not touched. */
	if ((file != NULL ? connect_file(st, mode) : connect_memory(st)) &&
	    check_owner(st) && settings(st, mode) && migrate(st, mode))
		return st;
	store_close(st);
	return NULL;
}

void
store_close(struct store *st)
{
	if (st == NULL)
		return;
	for (int i = 0; i < st->st_nstatements; i++)
		sqlite3_finalize(st->st_statements[i].ss_stmt);
	sqlite3_close(st->st_db);
	sim_free(st->st_name);
	sim_free(st->st_uri);
	sim_free(st);
}

bool
store_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

const char *
store_sqlite_version(void)
{
	return sqlite3_libversion();
}

static bool
connect_memory(struct store *st)
{
	return sqlite3_open(":memory:", &st->st_db) == SQLITE_OK ||
	       store_error(st);
}

/* A name is a path, whatever it looks like: `:memory:`, `//x`, `a?b#c`. */
static int
open_uri(struct store *st, int flags, const char *options)
{
	const char *prefix = st->st_name[0] == '/' ? "file://" : "file:./";
	char *uri, *to;
	int rc;

	to = uri = sim_calloc(
	    strlen(prefix) + 3 * strlen(st->st_name) + strlen(options) + 1, 1);
	to = stpcpy(to, prefix);
	/* In a URI these end the path. */
	for (const char *s = st->st_name; *s != '\0'; s++) {
		if (strchr("?#%", *s) != NULL)
			to += snprintf(to, 4, "%%%02x", (unsigned)*s);
		else
			*to++ = *s;
	}
	strcpy(to, options);
	rc = sqlite3_open_v2(uri, &st->st_db, flags | SQLITE_OPEN_URI, NULL);
	st->st_uri = uri;
	return rc;
}

/* A pipe would be waited for, and a device take what it does not give back. */
static bool
check_kind(const struct store *st, enum store_mode mode)
{
	struct stat sb;

	if (st->st_name[0] == '\0') {
		fprintf(stderr, "solab: '': a store needs a name\n");
		return false;
	}
	if (stat(st->st_name, &sb) == 0) {
		if (S_ISREG(sb.st_mode))
			return true;
		fprintf(stderr, "solab: %s: %s, not a store\n", st->st_name,
		    S_ISDIR(sb.st_mode) ? "a folder" : "no regular file");
		return false;
	}
	if (mode == STORE_CREATE)
		return true;
	fprintf(stderr, "solab: %s: %s\n", st->st_name,
	    errno == ENOENT ? "no such store" : strerror(errno));
	return false;
}

/*
 * SQLite makes files beside the store even to read it. Where it cannot, and
 * nobody is writing, the file is read as it stands.
 */
static bool
connect_file(struct store *st, enum store_mode mode)
{
	const char *options = "?mode=ro";
	int flags = SQLITE_OPEN_READWRITE;
	char log[4096];

	if (!check_kind(st, mode))
		return false;
	if (mode != STORE_READ) {
		if (mode == STORE_CREATE)
			flags |= SQLITE_OPEN_CREATE;
		return open_uri(st, flags, "") == SQLITE_OK || store_error(st);
	}
	flags = SQLITE_OPEN_READONLY;
	snprintf(log, sizeof(log), "%s-wal", st->st_name);
	if (access(log, F_OK) != 0) {
		char folder[4096];
		char *slash;

		snprintf(folder, sizeof(folder), "%s", st->st_name);
		slash = strrchr(folder, '/');
		if (slash == NULL)
			snprintf(folder, sizeof(folder), ".");
		else
			*(slash == folder ? slash + 1 : slash) = '\0';
		if (faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) != 0)
			options = "?mode=ro&immutable=1";
	}
	return open_uri(st, flags, options) == SQLITE_OK || store_error(st);
}

/* What was made for several machines stays so. */
static bool
settings(struct store *st, enum store_mode mode)
{
	int64_t version;

	if (!sql_script(st, "PRAGMA foreign_keys = ON"))
		return false;
	if (mode == STORE_READ)
		return true;
	if (is_remote(st->st_name))
		return sql_script(st, "PRAGMA journal_mode = DELETE;"
				      "PRAGMA synchronous = FULL");
	if (!sql_int(st, &version, 0, "PRAGMA user_version", ""))
		return false;
	if (version == 0 && !wal(st))
		return false;
	return sql_script(st, is_wal(st) ? "PRAGMA synchronous = NORMAL"
					 : "PRAGMA synchronous = FULL");
}

static bool
is_wal(struct store *st)
{
	sqlite3_stmt *q = sql_query(st, "PRAGMA journal_mode", "");
	bool yes = false;

	if (q != NULL && sql_next(st, q) == 1) {
		yes =
		    strcmp((const char *)sqlite3_column_text(q, 0), "wal") == 0;
		sql_end(q);
	}
	return yes;
}

bool
store_between_machines(struct store *st)
{
	if (!sql_script(st, "PRAGMA journal_mode = DELETE;"
			    "PRAGMA synchronous = FULL"))
		return false;
	if (!is_wal(st))
		return true;
	fprintf(stderr, "solab: %s: is in use\n", st->st_name);
	return false;
}

/*
 * Two that make the store at one time find each other, and SQLite does not wait
 * for this.
 */
static bool
wal(struct store *st)
{
	for (int i = 0; i < 100; i++) {
		int rc = sqlite3_exec(
		    st->st_db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);

		if (rc == SQLITE_OK)
			return true;
		if ((rc & 0xff) != SQLITE_BUSY && (rc & 0xff) != SQLITE_LOCKED)
			break;
		usleep(20000);
	}
	return store_error(st);
}

/* A log shared in memory does not work between machines. */
static bool
is_remote(const char *file)
{
	static const unsigned long remote[] = {
		0x6969,	    /* NFS */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB2 */
		0x0bd00bd0, /* Lustre */
		0x47504653, /* GPFS */
		0x19830326, /* BeeGFS */
		0x00c36400, /* Ceph */
		0x01021997, /* 9p */
		0x65735546, /* FUSE: sshfs, glusterfs */
	};
	struct statfs sf;

	if (statfs(file, &sf) != 0)
		return false;
	for (size_t i = 0; i < sizeof(remote) / sizeof(*remote); i++) {
		if (((unsigned long)sf.f_type & 0xffffffff) == remote[i])
			return true;
	}
	return false;
}

/* Bring it to the schema that this program knows. */
static bool
migrate(struct store *st, enum store_mode mode)
{
	int64_t version;
	char set[100];
	bool ok;

	if (!sql_int(st, &version, 0, "PRAGMA user_version", ""))
		return false;
	if (version == store_nmigrations)
		return true;
	if (mode == STORE_READ && version > 0)
		return upgrade(st);
	if (mode == STORE_READ) {
		fprintf(stderr, "solab: %s: an empty file, not a store\n",
		    st->st_name);
		return false;
	}
	/* Somebody may have been faster. */
	ok = sql_begin(st) &&
	     sql_int(st, &version, 0, "PRAGMA user_version", "");
	for (; ok && version < store_nmigrations; version++) {
		snprintf(set, sizeof(set),
		    "PRAGMA application_id = %d; PRAGMA user_version = %d;",
		    STORE_APPLICATION, (int)version + 1);
		ok = sql_script(st, store_migrations[version]) &&
		     sql_script(st, set);
	}
	return sql_finish(st, ok);
}

/* Who reads it has no other way to bring it up to date. */
static bool
upgrade(const struct store *st)
{
	struct store *writer;

	if (access(st->st_name, W_OK) != 0 ||
	    strstr(st->st_uri, "immutable") != NULL) {
		fprintf(stderr,
		    "solab: %s: a store of an older solab, and it may not be "
		    "written: copy it\n",
		    st->st_name);
		return false;
	}
	writer = store_open(st->st_name, STORE_UPDATE);
	store_close(writer);
	return writer != NULL;
}

static bool
check_owner(struct store *st)
{
	int64_t application, tables, version;

	sqlite3_busy_timeout(st->st_db, BUSY_MS);
	sqlite3_extended_result_codes(st->st_db, 1);
	if (!sql_int(st, &version, 0, "PRAGMA user_version", "") ||
	    !sql_int(st, &application, 0, "PRAGMA application_id", "") ||
	    !sql_int(st, &tables, 0, "SELECT count(*) FROM sqlite_schema", ""))
		return false;
	if (application != STORE_APPLICATION &&
	    (application != 0 || version != 0 || tables != 0)) {
		fprintf(stderr,
		    "solab: %s: a database of another program, not a store\n",
		    st->st_name);
		return false;
	}
	if (version <= store_nmigrations)
		return true;
	fprintf(stderr,
	    "solab: %s: a store of a newer solab (schema %d; this is %s, "
	    "which knows %d)\n",
	    st->st_name, (int)version, SOLAB_VERSION, store_nmigrations);
	return false;
}
