#!/usr/bin/env bash
# What a sweep survives: killed at any moment, workers that crash or hang, a
# full disk; and what is no store is refused, with nothing written.
set -euo pipefail
cd "$SRCDIR"
unset SIM_FACTORY # hundreds of short runs, which thread contexts make long
tmp=$(mktemp -d)
mounted=
cleanup()
{
	# shellcheck disable=SC2046
	kill -KILL $(jobs -p) 2>/dev/null || true
	[ -z "$mounted" ] || umount "$mounted"
	rm -rf "$tmp"
}
trap cleanup EXIT
failed=0
first=
RANDOM=7

complain()
{
	echo "$*"
	failed=1
}

# sweep DB ARGS...: 40 points of some 50 ms each.
sweep()
{
	db=$1
	shift
	$first "$SOLAB" sweep scenarios/soavailconn.yaml \
	    --set client0.connections=50 --set client1.connections=50 \
	    --set run.start=smooth --set run.ramp=5ms --set object=1KiB \
	    --warmup 10ms --measure 20ms \
	    --set "soavailconn=$(seq -s, 1 40)" --db "$db" "$@"
}

# start ARGS...: a sweep in the background, as $pid.
start()
{
	(first=exec && sweep "$@") >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until [ "$(ps -o comm= -p $pid)" != bash ]; do sleep 0.01; done
}

# kill SIGNAL: one of its workers, as soon as there is one
kill_worker()
{
	for _ in $(seq 200); do
		worker=$(pgrep -P "$pid" | head -n 1 || true)
		[ -n "$worker" ] && kill "$1" "$worker" 2>/dev/null && return
		sleep 0.01
	done
}

content()
{
	"$SOLAB" export "$1" --json | sed 's/, "run": {.*//'
}

# whole DB: SQLite finds nothing wrong, and it equals an undisturbed one.
whole()
{
	[ "$(sqlite3 "$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ] ||
	    complain "$1: not whole"
	content "$1" | cmp -s - "$tmp/wanted" || complain "$1: $2: other content"
}

status()
{
	rc=0
	"$@" || rc=$?
}

sweep "$tmp/ref.db" --jobs 1 >/dev/null 2>&1
content "$tmp/ref.db" >"$tmp/wanted"
[ "$(wc -l <"$tmp/wanted")" = 40 ] || complain "not 40 runs"
sweep "$tmp/jobs.db" --jobs 3 >/dev/null 2>&1
whole "$tmp/jobs.db" 'with --jobs 3'

# SIGKILL of the sweep, or of one of its workers, at random moments.
for round in $(seq 20); do
	start "$tmp/killed.db"
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	if [ $((round % 2)) = 1 ]; then
		kill_worker -KILL || true
		sleep "0.0$((RANDOM % 10))"
	fi
	kill -KILL $pid 2>/dev/null || true
	status wait $pid
done 2>/dev/null
left=$(sqlite3 "$tmp/killed.db" "SELECT count(*) FROM run WHERE state = 'done'")
status sweep "$tmp/killed.db" --resume >/dev/null 2>"$tmp/err"
[ $rc = 0 ] || complain "resume after kills: status $rc: $(cat "$tmp/err")"
whole "$tmp/killed.db" 'killed 20 times'
grep -q "$((40 - left)) runs done, $left were in" "$tmp/err" || [ "$left" = 0 ] ||
    complain "resume did not take the $left that were done: $(tail -n 1 "$tmp/err")"

# Ctrl-C stops cleanly.
start "$tmp/int.db"
kill_worker -0
kill -INT $pid
status wait $pid
[ $rc = 130 ] || complain "SIGINT: status $rc"
grep -q -- '--resume goes on' "$tmp/err" || complain 'SIGINT: no word'
[ "$(sqlite3 "$tmp/int.db" "SELECT count(*) FROM run WHERE state = 'running'")" = 0 ] ||
    complain 'SIGINT: runs left claimed'
sweep "$tmp/int.db" --resume >/dev/null 2>&1
whole "$tmp/int.db" interrupted

# A worker that crashes, and one that hangs: recorded, the rest goes on, and the
# next time they are tried again. Their runs are long enough to be hit.
long=(--jobs 1 --set 'soavailconn=8,9' --measure 500ms)
begin=$(date +%s)
sweep "$tmp/time.db" "${long[@]}" >/dev/null 2>&1
limit=$((3 * ($(date +%s) - begin) + 3))
start "$tmp/crash.db" "${long[@]}"
kill_worker -ABRT
status wait $pid
[ $rc = 3 ] || complain "crash: status $rc"
sqlite3 "$tmp/crash.db" "SELECT message FROM run WHERE state = 'failed'" >"$tmp/message"
grep -q 'killed by signal 6' "$tmp/message" || complain 'crash: no message in the store'
grep -q 'seed 1, replication 0: killed by signal 6' "$tmp/err" || complain 'crash: not said'
[ "$(sqlite3 "$tmp/crash.db" "SELECT count(*) FROM run WHERE state = 'done'")" = 1 ] ||
    complain 'crash: the rest did not go on'
"$SOLAB" export "$tmp/crash.db" --json | grep -c '"failed": "killed by signal 6' >/dev/null ||
    complain 'crash: not exported'
sweep "$tmp/crash.db" "${long[@]}" --resume >/dev/null 2>&1
cmp -s <(content "$tmp/crash.db") <(content "$tmp/time.db") ||
    complain 'crash: other content'
start "$tmp/hang.db" "${long[@]}" --time-limit ${limit}s
kill_worker -STOP
status wait $pid
[ $rc = 3 ] || complain "hang: status $rc"
grep -q 'took longer than --time-limit' "$tmp/err" || complain 'hang: not said'
[ "$(sqlite3 "$tmp/hang.db" "SELECT count(*) FROM run WHERE state = 'done'")" = 1 ] ||
    complain 'hang: the other one did not run'

# Too much memory.
status sweep "$tmp/memory.db" --memory-limit 1MB --set soavailconn=8,9 >/dev/null 2>"$tmp/err"
[ $rc = 3 ] || complain "memory: status $rc"
grep -q 'took more memory than --memory-limit' "$tmp/err" || complain 'memory: not said'

# No process can be started: said, nothing left claimed, and no success.
for more in '' '--precision throughput:1%'; do
	rc=0
	# shellcheck disable=SC2086
	(ulimit -n 8 && first='timeout 60' && sweep "$tmp/files.db" $more) \
	    >/dev/null 2>"$tmp/err" || rc=$?
	[ $rc = 1 ] && grep -q 'Too many open files' "$tmp/err" ||
	    complain "few files: status $rc: $(cat "$tmp/err")"
done
[ "$(sqlite3 "$tmp/files.db" 'SELECT count(*) FROM run')" = 0 ] || complain 'few files: claimed'

# Two sweeps, one store: nothing is done twice.
sweep "$tmp/two.db" --jobs 1 >/dev/null 2>"$tmp/err1" &
one=$!
sweep "$tmp/two.db" --jobs 1 >/dev/null 2>"$tmp/err2" &
two=$!
wait $one || complain 'two sweeps: the first failed'
wait $two || complain 'two sweeps: the second failed'
whole "$tmp/two.db" 'two sweeps'
done_=$(cat "$tmp/err1" "$tmp/err2" | sed -n 's/^solab: \([0-9]*\) runs* done.*/\1/p' | paste -sd+)
[ "$((done_))" = 40 ] || complain "two sweeps: $done_ runs, not 40"

# What cannot be a store is refused, and stays as it is.
refused()
{
	what=$1 file=$2 word=$3
	sum=$(cksum "$file" 2>&1 || true)
	status sweep "$file" >/dev/null 2>"$tmp/err"
	[ $rc = 2 ] || complain "$what: status $rc"
	grep -q -- "$word" "$tmp/err" || complain "$what: $(cat "$tmp/err")"
	[ "$sum" = "$(cksum "$file" 2>&1 || true)" ] || complain "$what: was changed"
}
echo 'not a store, but a text' >"$tmp/text.db"
refused text "$tmp/text.db" 'not a database'
sqlite3 "$tmp/other.db" 'CREATE TABLE t (x); INSERT INTO t VALUES (1)'
refused 'other database' "$tmp/other.db" 'of another program'
sqlite3 "$tmp/ref.db" '.backup '"$tmp/newer.db"
sqlite3 "$tmp/newer.db" 'PRAGMA user_version = 99'
refused 'newer store' "$tmp/newer.db" 'a newer solab (schema 99'
mkdir "$tmp/folder.db"
refused folder "$tmp/folder.db" 'a folder, not a store'
mkfifo "$tmp/fifo.db"
for c in "sweep scenarios/soavailconn.yaml --db $tmp/fifo.db" "export --json $tmp/fifo.db" \
    "merge $tmp/fifo.db -o $tmp/out.db" "merge $tmp/ref.db -o /dev/null"; do
	# shellcheck disable=SC2086
	status timeout 20 "$SOLAB" $c >/dev/null 2>"$tmp/err"
	[ $rc = 2 ] && grep -q 'no regular file, not a store' "$tmp/err" ||
	    complain "$c: status $rc: $(cat "$tmp/err")"
done
status sweep '' >/dev/null 2>"$tmp/err"
[ $rc = 2 ] && grep -q 'a store needs a name' "$tmp/err" || complain "no name: status $rc"
# Any other name is one.
ln -s "$SRCDIR/scenarios" "$tmp/scenarios"
for name in ':memory:' "/$tmp/two slashes.db" 'file:a?b#c%41.db' "quote'\".db"; do
	(cd "$tmp" && sweep "$name" --set soavailconn=8) >/dev/null 2>&1
	(cd "$tmp" && [ -s "$name" ]) || complain "$name: no such file"
done
refused 'no such folder' "$tmp/none/s.db" 'unable to open'
status sweep "$tmp/absent.db" --resume >/dev/null 2>"$tmp/err"
[ $rc = 2 ] && grep -q 'no such store' "$tmp/err" && [ ! -e "$tmp/absent.db" ] ||
    complain "resume of nothing: status $rc"
truncate -s 0 "$tmp/empty.db"
status "$SOLAB" export "$tmp/empty.db" --json 2>"$tmp/err"
[ $rc = 2 ] || complain "empty file: status $rc"

# A folder that may not be written, and a store in it that may be read.
mkdir "$tmp/ro"
cp "$tmp/ref.db" "$tmp/ro"
cp "$tmp/ref.db" "$tmp/ro/old.db"
sqlite3 "$tmp/ro/old.db" 'ALTER TABLE cpu DROP COLUMN interrupt; PRAGMA user_version = 1'
cp "$tmp/ro/old.db" "$tmp/old.db"
chmod 755 "$tmp" && chmod 555 "$tmp/ro"
as_user=
[ "$(id -u)" != 0 ] || as_user='runuser -u nobody --'
if [ -z "$as_user" ] || $as_user test -x "$SOLAB" -a -r "$SRCDIR/scenarios/soavailconn.yaml"; then
	status $as_user "$SOLAB" sweep "$SRCDIR/scenarios/soavailconn.yaml" \
	    --db "$tmp/ro/s.db" 2>"$tmp/err"
	[ $rc = 2 ] && grep -q 'unable to open' "$tmp/err" && [ ! -e "$tmp/ro/s.db" ] ||
	    complain "read-only folder: status $rc: $(cat "$tmp/err")"
	status $as_user "$SOLAB" export "$tmp/ro/ref.db" --json >"$tmp/out" 2>"$tmp/err"
	[ $rc = 0 ] && [ "$(wc -l <"$tmp/out")" = 40 ] ||
	    complain "read-only store: status $rc: $(cat "$tmp/err")"
	status $as_user "$SOLAB" export "$tmp/ro/old.db" --json 2>"$tmp/err"
	[ $rc = 2 ] && grep -q 'of an older solab, and it may not be written' "$tmp/err" ||
	    complain "read-only store of schema 1: status $rc: $(cat "$tmp/err")"
	cmp -s "$tmp/ro/old.db" "$tmp/old.db" || complain 'read-only store: changed'
	mkdir -m 777 "$tmp/rw"
	status $as_user "$SOLAB" merge "$tmp/ro/ref.db" -o "$tmp/rw/all.db" 2>"$tmp/err"
	[ $rc = 0 ] && whole "$tmp/rw/all.db" merged ||
	    complain "merging a read-only store: status $rc: $(cat "$tmp/err")"
else
	echo 'note: the program cannot be run as another user: read-only folder not tried'
fi
chmod 755 "$tmp/ro"

# A full disk: what is stored stays, and the sweep can go on elsewhere.
mkdir "$tmp/small"
if mount -t tmpfs -o size=20m tmpfs "$tmp/small" 2>/dev/null; then
	mounted=$tmp/small
	start "$tmp/small/s.db"
	until [ "$(sqlite3 "$tmp/small/s.db" 'SELECT count(*) FROM metric' \
	    2>/dev/null || echo 0)" -gt 0 ]; do sleep 0.05; done
	kill -STOP $pid
	used=$(df -k --output=used "$tmp/small" | tail -n 1 | tr -d ' ')
	mount -o "remount,size=${used}k" "$tmp/small"
	kill -CONT $pid
	status wait $pid
	[ $rc = 1 ] || complain "full disk: status $rc"
	grep -q 'full' "$tmp/err" || complain "full disk: $(cat "$tmp/err")"
	grep -q -- '--resume goes on' "$tmp/err" || complain 'full disk: no way on'
	mount -o remount,size=20m "$tmp/small"
	left=$(sqlite3 "$tmp/small/s.db" "SELECT count(*) FROM run WHERE state = 'done'")
	[ "$left" -gt 0 ] || complain 'full disk: nothing was kept'
	status sweep "$tmp/small/s.db" --resume >/dev/null 2>"$tmp/err"
	[ $rc = 0 ] || complain "full disk, resume: status $rc: $(cat "$tmp/err")"
	whole "$tmp/small/s.db" 'full disk'
	umount "$tmp/small"
	mounted=
else
	echo 'note: no right to mount: full disk not tried'
fi
exit $failed
