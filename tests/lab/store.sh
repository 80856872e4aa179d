#!/usr/bin/env bash
# What a store is good for: results are reused, points are run again from the
# store alone, parts are put together, and everything comes out again.
set -euo pipefail
cd "$SRCDIR"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
cp -r scenarios "$tmp"

complain()
{
	echo "$*"
	failed=1
}

# in_tmp COMMAND ARGS...: with small settings and the copied scenario.
in_tmp()
{
	command=$1
	shift
	(cd "$tmp" && exec "$SOLAB" "$command" scenarios/soavailconn.yaml \
	    --set client0.connections=50 --set client1.connections=50 \
	    --set run.start=smooth --set run.ramp=5ms --set object=1KiB \
	    --warmup 10ms --measure 20ms "$@")
}

content()
{
	"$SOLAB" export "$1" --json | sed 's/, "run": {.*//'
}

query()
{
	sqlite3 "$1" "$2"
}

# fails WORD STATUS COMMAND...
fails()
{
	word=$1 want=$2
	shift 2
	rc=0
	"$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	[ $rc = "$want" ] || complain "$*: status $rc, not $want"
	grep -q -- "$word" "$tmp/err" || complain "$*: no '$word': $(cat "$tmp/err")"
}

# Growing from three to five replications reuses the three.
in_tmp sweep --set soavailconn=0,8 --reps 3 --db g.db >/dev/null 2>"$tmp/err"
grep -q '^solab: 6 runs done$' "$tmp/err" || complain "first: $(tail -n 1 "$tmp/err")"
content "$tmp/g.db" >"$tmp/three"
in_tmp sweep --set soavailconn=0,8 --reps 5 --db g.db --json >"$tmp/five.json" 2>"$tmp/err"
grep -q '^solab: 4 runs done, 6 were in g.db$' "$tmp/err" || complain "grown: $(tail -n 1 "$tmp/err")"
content "$tmp/g.db" | grep -E '"rep": [012],' | cmp -s - "$tmp/three" ||
    complain 'the first three changed'
# Replications are outermost, whoever did them.
sed -E 's/.*soavailconn": ([0-9]*).*"rep": ([0-9]*).*/\2 \1/' "$tmp/five.json" | paste -sd, >"$tmp/order"
[ "$(cat "$tmp/order")" = '0 0,0 8,1 0,1 8,2 0,2 8,3 0,3 8,4 0,4 8' ] || complain "order: $(cat "$tmp/order")"

# A run and a point of a sweep are the same; look-ahead or not.
in_tmp run --set soavailconn=8 --reps 2 --db r.db --json 2>/dev/null | sed 's/, "run": {.*//' >"$tmp/run"
grep '"server.sysctl.kern.ipc.soavailconn": 8' "$tmp/five.json" | sed 's/, "run": {.*//' |
    sed -n '1,2s/.*"rep"/"rep"/p' >"$tmp/a"
sed 's/.*"rep"/"rep"/' "$tmp/run" | cmp -s - "$tmp/a" || complain 'run and sweep differ'
in_tmp sweep --set soavailconn=0,8 --reps 2 --db r.db >/dev/null 2>"$tmp/err"
grep -q '^solab: 2 runs done, 2 were in r.db$' "$tmp/err" || complain "run --db: $(tail -n 1 "$tmp/err")"
in_tmp sweep --set soavailconn=0,8 --reps 3 --no-lookahead --db exact.db >/dev/null 2>&1
content "$tmp/exact.db" | sort | cmp -s - <(sort "$tmp/three") || complain 'look-ahead changes a sweep'

# Another seed is another run of the same point; other costs are another point.
in_tmp sweep --set soavailconn=8 --seed 2 --db r.db >/dev/null 2>&1
in_tmp sweep --set soavailconn=8 --set server.hardware.sonewconn=9us --db r.db >/dev/null 2>&1
[ "$(query "$tmp/r.db" 'SELECT count(DISTINCT point), count(*), count(DISTINCT seed) FROM run')" = '3|6|2' ] ||
    complain 'points and seeds'

# From the store alone: the files are gone, the folder is another one.
"$SOLAB" export "$tmp/g.db" --json >/dev/null
mv "$tmp/scenarios" "$tmp/elsewhere"
(cd / && "$SOLAB" rerun "$tmp/g.db" soavailconn=8 2>"$tmp/err") | sed 's/, "run": {.*//' >"$tmp/again"
grep -q '^solab: 5 runs, the same as in the store$' "$tmp/err" || complain "rerun: $(cat "$tmp/err")"
sed 's/, "run": {.*//' "$tmp/five.json" | grep 'soavailconn": 8' | cmp -s - "$tmp/again" ||
    complain 'rerun prints other bytes'
(cd / && "$SOLAB" rerun "$tmp/g.db" 1 --rep 3 --no-lookahead 2>"$tmp/err") | grep -q '"rep": 3,' ||
    complain 'rerun --rep'
mv "$tmp/elsewhere" "$tmp/scenarios"
# A store whose numbers are not what the program makes is found out.
cp "$tmp/g.db" "$tmp/forged.db"
query "$tmp/forged.db" "UPDATE metric SET value = value + 1 WHERE name = 'requests'"
fails 'NOT the same' 1 "$SOLAB" rerun "$tmp/forged.db" 1 --rep 0
cp "$tmp/g.db" "$tmp/torn.db"
query "$tmp/torn.db" 'DROP TABLE metric'
fails 'replication 0 cannot be read' 1 "$SOLAB" rerun "$tmp/torn.db" 1 --rep 0
fails 'several points' 2 "$SOLAB" rerun "$tmp/g.db" object=1KiB
fails 'no point is' 2 "$SOLAB" rerun "$tmp/g.db" soavailconn=7
fails 'no such run' 2 "$SOLAB" rerun "$tmp/g.db" 1 --rep 9

# Shards put together are the whole; once more changes nothing.
for i in 1 2 3; do
	in_tmp sweep --set soavailconn=0,8 --reps 3 --db "part$i.db" --shard $i/3 >/dev/null 2>&1
done
(cd "$tmp" && "$SOLAB" merge part3.db part1.db part2.db -o all.db 2>/dev/null)
content "$tmp/all.db" | cmp -s - "$tmp/three" || complain 'shards are not the whole'
query "$tmp/all.db" .dump >"$tmp/dump"
(cd "$tmp" && "$SOLAB" merge part1.db all.db part3.db -o all.db 2>/dev/null)
query "$tmp/all.db" .dump | cmp -s - "$tmp/dump" || complain 'merging again changed something'
[ "$(query "$tmp/all.db" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ] || complain 'merged: not whole'
fails 'OTHER results' 1 "$SOLAB" merge "$tmp/forged.db" -o "$tmp/g.db"
# Not only metrics are looked at.
for change in 'counter SET value = value + 1' 'stage SET mean_ns = mean_ns + 1' \
    "histogram SET v2 = x'00'"; do
	cp "$tmp/all.db" "$tmp/forged.db"
	query "$tmp/forged.db" "UPDATE $change"
	fails '6 runs of the same key have OTHER results' 1 "$SOLAB" merge "$tmp/forged.db" -o "$tmp/all.db"
done
# A store that lost its texts does not take those of today.
cp "$tmp/g.db" "$tmp/bare.db"
query "$tmp/bare.db" 'DELETE FROM source'
fails 'texts are gone' 1 "$SOLAB" rerun "$tmp/bare.db" 1 --rep 0
fails 'no such store' 2 "$SOLAB" merge "$tmp/none.db" -o "$tmp/new.db"
[ ! -e "$tmp/new.db" ] || complain 'merge wrote without a source'

# What another store has is not run again, and need not be here.
in_tmp sweep --set soavailconn=0,8,9 --reps 2 --db rest.db --except part1.db >/dev/null 2>"$tmp/err"
grep -q '^solab: 4 runs done$' "$tmp/err" || complain "--except: $(tail -n 1 "$tmp/err")"
(cd "$tmp" && "$SOLAB" merge part1.db part2.db part3.db rest.db -o all.db 2>"$tmp/err")
[ "$(query "$tmp/all.db" 'SELECT count(*) FROM run')" = 8 ] || complain '--except: other runs than wanted'

# Precision: until it is met, or the cap.
in_tmp sweep --set soavailconn=0,8 --reps 3 --precision throughput:2%,latency_mean:30% \
    --db p.db >"$tmp/out" 2>/dev/null
[ "$(query "$tmp/p.db" 'SELECT min(n) >= 5 FROM (SELECT count(*) AS n FROM run GROUP BY point)')" = 1 ] ||
    complain 'precision: too few replications'
grep -q '^>' "$tmp/out" && complain 'precision: not met'
in_tmp sweep --set soavailconn=0,8 --reps 3 --precision latency_p99:0.001% --max-reps 6 \
    --db p.db >"$tmp/out" 2>/dev/null
[ "$(query "$tmp/p.db" 'SELECT max(n) FROM (SELECT count(*) AS n FROM run GROUP BY point)')" -ge 6 ] &&
    grep -q '^>  less precise' "$tmp/out" || complain 'precision: the cap'

# CSV: every row has all columns.
"$SOLAB" export "$tmp/g.db" --csv | tr -d '\r' | awk -F, 'NR == 1 { n = NF } NF != n || NF < 80 { exit 1 }
    END { exit NR != 11 }' || complain 'CSV'
"$SOLAB" export "$tmp/g.db" --csv -o "$tmp/g.csv" && [ -s "$tmp/g.csv" ] || complain 'export -o'
ln -s g.db "$tmp/link.db"
fails 'is the store itself' 2 "$SOLAB" export "$tmp/g.db" --json -o "$tmp/link.db"
[ "$(query "$tmp/g.db" 'SELECT count(*) FROM run')" = 10 ] || complain 'export wrote over its store'

# Without a request there is no latency, and nothing is said of it.
in_tmp sweep --set soavailconn=8,9 --set server.nics.ix.latency=10s --reps 3 --db silent.db \
    >"$tmp/out" 2>/dev/null
grep -q 'soavailconn=8 .* none' "$tmp/out" && ! grep -q nan "$tmp/out" || complain 'no request: table'
[ "$(query "$tmp/silent.db" "SELECT count(*) FROM metric WHERE name LIKE 'latency%' AND value IS NOT NULL")" = 0 ] ||
    complain 'no request: a latency is stored'
"$SOLAB" compare "$tmp/silent.db" 1 2 >"$tmp/out"
sed '1,/^Not compared/d' "$tmp/out" | grep -q '^  latency_mean' || complain 'no request: compared'
in_tmp run --set server.nics.ix.latency=10s 2>/dev/null | grep -q '^latency, ms  none' || complain 'no request: run'

# What cannot be meant.
fails 'want a number from 1 to 256' 2 in_tmp sweep --jobs 257
fails 'want I/N' 2 in_tmp sweep --shard 0/3
fails 'want I/N' 2 in_tmp sweep --shard 4/3
fails 'want I/N' 2 in_tmp sweep --shard 1
fails 'not with --shard' 2 in_tmp sweep --shard 1/2 --precision throughput:1%
fails 'not with --except' 2 in_tmp sweep --except g.db --precision throughput:1%
fails 'no such store' 2 in_tmp sweep --except none.db --db new.db
[ ! -e "$tmp/new.db" ] || complain '--except: wrote without it'
fails '--resume without --db' 2 in_tmp sweep --resume
fails "did you mean 'latency_p99'" 2 in_tmp sweep --precision latencyp99:1%
fails 'want METRIC:PERCENT' 2 in_tmp sweep --precision throughput
fails 'want 0.001%..100%' 2 in_tmp sweep --precision throughput:0%
fails '--max-reps without' 2 in_tmp sweep --max-reps 3
fails '--max-reps: 3, want 5 or more' 2 in_tmp sweep --reps 5 --max-reps 3 --precision throughput:1%
fails "time" 2 in_tmp sweep --time-limit 3
fails 'more than 0' 2 in_tmp sweep --time-limit 0s
fails 'want --csv or --json' 2 "$SOLAB" export "$tmp/g.db"
fails 'want -o DB' 2 "$SOLAB" merge "$tmp/g.db"
[ "$(in_tmp sweep --set soavailconn=0,8 --list | wc -l)" = 2 ] || complain '--list'
exit $failed
