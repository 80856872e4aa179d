#!/usr/bin/env bash
# Every query of docs/results.md works, and but for the one about failures has
# an answer.
set -euo pipefail
cd "$SRCDIR"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
"$SOLAB" sweep scenarios/soavailconn.yaml \
    --set client0.connections=50 --set client1.connections=50 \
    --set run.start=smooth --set run.ramp=5ms --set object=1KiB --set soavailconn=0,8 \
    --warmup 10ms --measure 200ms --reps 2 --db "$tmp/s.db" >/dev/null 2>&1
awk -v dir="$tmp" '/^```sql$/ { n++; on = 1; next } /^```$/ { on = 0 }
    on { print > (dir "/q" n ".sql") }' docs/results.md
[ -e "$tmp/q7.sql" ] || failed=1
for q in "$tmp"/q*.sql; do
	sqlite3 "$tmp/s.db" <"$q" >"$tmp/out" 2>"$tmp/err" || failed=1
	if [ -s "$tmp/err" ] || [ ! -s "$tmp/out" ]; then
		cat "$q" "$tmp/err"
		echo 'this query has no answer'
		failed=1
	fi
done
[ "$(sqlite3 "$tmp/s.db" <"$tmp/q1.sql" | wc -l)" = 2 ] || failed=1

# The table of time series is the program's, and what a store has.
sed -En 's/^SERIES\((\w+), (\w+), "(.*)", [0-9], "(.*)"\)$/| `\1` | \L\2\E | \3 | \4 |/p' \
    sim/lab/series.def >"$tmp/want"
[ -s "$tmp/want" ] || failed=1
grep -xFf "$tmp/want" docs/results.md | cmp -s - "$tmp/want" || {
	echo 'docs/results.md has other time series than sim/lab/series.def'
	failed=1
}
sqlite3 "$tmp/s.db" "SELECT DISTINCT name FROM series" >"$tmp/names"
sed 's/| `\([a-z_]*\)`.*/\1/' "$tmp/want" | grep -vx token_wait_ns |
    cmp - "$tmp/names" || failed=1
[ "$(sqlite3 "$tmp/s.db" 'SELECT count(*) FROM cpu WHERE interrupt IS NULL
    OR interrupt <= 0 OR busy < netisr + interrupt')" = 0 ] || failed=1
exit $failed
