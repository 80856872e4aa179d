/*
 * Who works on what. A session is a process with a command line; a run that is
 * `running` belongs to one. On the same machine a process that has died is
 * found out at once; elsewhere it is one that gave no sign of life for a while.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/core/engine.h"
#include "sim/lab/progress.h"
#include "sim/lab/store_impl.h"

#define BEAT_NS 10000000000LL /* a sign of life, and 12 are missed */
#define SILENT_NS 120000000000LL

static void boot_id(char *buf, size_t size);
static int64_t process_started(pid_t);
static int claim_row(struct store *, int64_t point, int64_t seed, int64_t rep);

bool
store_session(struct store *st, const char *command)
{
	char host[256] = "", boot[64];
	int64_t now = store_now();

	gethostname(host, sizeof(host) - 1);
	boot_id(boot, sizeof(boot));
	if (!sql_do(st,
		"INSERT INTO session (command, version, simgrid, host, boot, "
		"pid, pid_started, started, beat) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"tttttiiii", command, SOLAB_VERSION, engine_version(), host,
		boot, (int64_t)getpid(), process_started(getpid()), now, now))
		return false;
	st->st_session = sqlite3_last_insert_rowid(st->st_db);
	st->st_beaten = wall_ns();
	return true;
}

void
store_alone(struct store *st)
{
	st->st_alone = true;
}

bool
store_beat(struct store *st)
{
	if (st->st_session == 0 || wall_ns() - st->st_beaten < BEAT_NS)
		return true;
	st->st_beaten = wall_ns();
	return sql_do(st, "UPDATE session SET beat = ? WHERE id = ?", "ii",
	    store_now(), st->st_session);
}

bool
store_session_lives(struct store *st, int64_t session, bool *lives)
{
	char host[256] = "", boot[64];
	const char *its_host, *its_boot;
	sqlite3_stmt *q;
	pid_t pid;
	int got;

	*lives = session == st->st_session;
	if (*lives || st->st_alone)
		return true;
	q = sql_query(st,
	    "SELECT host, boot, pid, pid_started, beat FROM session "
	    "WHERE id = ?",
	    "i", session);
	got = q != NULL ? sql_next(st, q) : -1;
	if (got <= 0)
		return got == 0;
	gethostname(host, sizeof(host) - 1);
	boot_id(boot, sizeof(boot));
	its_host = (const char *)sqlite3_column_text(q, 0);
	its_boot = (const char *)sqlite3_column_text(q, 1);
	pid = (pid_t)sqlite3_column_int64(q, 2);
	if (strcmp(host, its_host) == 0 && strcmp(boot, its_boot) == 0)
		*lives = (kill(pid, 0) == 0 || errno == EPERM) &&
			 process_started(pid) == sqlite3_column_int64(q, 3);
	else
		*lives = store_now() - sqlite3_column_int64(q, 4) < SILENT_NS;
	sql_end(q);
	return true;
}

int
store_state(struct store *st, int64_t point, uint32_t seed, uint32_t rep)
{
	enum store_state state = STORE_ABSENT;
	int64_t session = 0;
	const char *word;
	sqlite3_stmt *q;
	bool lives;
	int got;

	q = sql_query(st,
	    "SELECT state, session FROM run "
	    "WHERE point = ? AND seed = ? AND replication = ?",
	    "iii", point, (int64_t)seed, (int64_t)rep);
	got = q != NULL ? sql_next(st, q) : -1;
	if (got <= 0)
		return got < 0 ? -1 : STORE_ABSENT;
	word = (const char *)sqlite3_column_text(q, 0);
	session = sqlite3_column_int64(q, 1);
	if (strcmp(word, "done") == 0)
		state = STORE_DONE;
	else if (strcmp(word, "failed") == 0)
		state = STORE_FAILED;
	else
		state = STORE_RUNNING;
	sql_end(q);
	if (state != STORE_RUNNING)
		return state;
	if (!store_session_lives(st, session, &lives))
		return -1;
	return lives ? STORE_RUNNING : STORE_ABSENT;
}

int
store_claim(struct store *st, int64_t point, uint32_t seed, uint32_t rep)
{
	int claimed;

	if (!sql_begin(st))
		return -1;
	claimed = claim_row(st, point, seed, rep);
	return sql_finish(st, claimed >= 0) ? claimed : -1;
}

static int
claim_row(struct store *st, int64_t point, int64_t seed, int64_t rep)
{
	int state = store_state(st, point, (uint32_t)seed, (uint32_t)rep);

	if (state < 0)
		return -1;
	if (state == STORE_DONE || state == STORE_RUNNING)
		return 0;
	if (!sql_do(st,
		"INSERT INTO run (point, seed, replication, state, session, "
		"started) VALUES (?1, ?2, ?3, 'running', ?4, ?5) "
		"ON CONFLICT DO UPDATE SET state = 'running', "
		"message = NULL, session = ?4, started = ?5, ended = NULL",
		"iiiii", point, seed, rep, st->st_session, store_now()))
		return -1;
	return 1;
}

bool
store_unclaim_all(struct store *st)
{
	return sql_do(st,
	    "DELETE FROM run WHERE state = 'running' AND session = ?", "i",
	    st->st_session);
}

int64_t
store_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void
boot_id(char *buf, size_t size)
{
	FILE *fp = fopen("/proc/sys/kernel/random/boot_id", "re");

	buf[0] = '\0';
	if (fp == NULL)
		return;
	if (fgets(buf, (int)size, fp) != NULL)
		buf[strcspn(buf, "\n")] = '\0';
	fclose(fp);
}

/* In ticks since the boot: field 22, after the name in parentheses. 0: gone. */
static int64_t
process_started(pid_t pid)
{
	char path[64], line[1024], *s;
	size_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = (size_t)read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n >= sizeof(line))
		return 0;
	line[n] = '\0';
	s = strrchr(line, ')');
	for (int field = 2; s != NULL && field < 22; field++)
		s = strchr(s + 1, ' ');
	return s != NULL ? strtoll(s, NULL, 10) : 0;
}
