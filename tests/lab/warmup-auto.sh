#!/usr/bin/env bash
# warmup: auto. Each replication cuts what its own pilot says, and is then the
# run that has this warm-up by hand, to the byte; with and without look-ahead.
# A pilot that dies is a run that fails, and no pilot outlives its run.
set -euo pipefail
cd "$SRCDIR"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
REPS=3

# simulate OUT ARGS...: all but the point and the `run` object.
simulate()
{
	out=$tmp/$1
	shift
	"$SOLAB" run scenarios/soavailconn.yaml --json --seed 5 \
	    --set client0.connections=300 --set client1.connections=300 \
	    --set run.ramp=15ms --set run.slice=1ms --measure 60ms "$@" \
	    >"$out.whole" 2>"$out.err" || {
		cat "$out.err"
		exit 1
	}
	sed 's/"point": {[^}]*}, //; s/, "run": {.*//' "$out.whole" >"$out"
}

complain()
{
	echo "$1"
	failed=1
}

simulate auto --warmup auto --reps $REPS
[ "$(wc -l <"$tmp/auto")" = $REPS ] || complain 'replications'
for rep in $(seq 0 $((REPS - 1))); do
	sed -n "$((rep + 1))p" "$tmp/auto" >"$tmp/auto.$rep"
	cut=$(sed 's/.*"warmup_ns": \([0-9]*\),.*/\1/' "$tmp/auto.$rep")
	# All connections are open after 15 ms; the pilot ends at 60 ms.
	[ "$cut" -ge 5000000 ] && [ "$cut" -le 30000000 ] &&
	    [ $((cut % 1000000)) = 0 ] || complain "rep $rep: cut at $cut ns"
	simulate hand --warmup "${cut}ns" --reps $((rep + 1))
	tail -n 1 "$tmp/hand" | cmp -s - "$tmp/auto.$rep" ||
	    complain "rep $rep: auto and --warmup ${cut}ns differ"
done
simulate exact --warmup auto --no-lookahead
cmp -s "$tmp/exact" "$tmp/auto.0" || complain 'look-ahead changes the result'
simulate again --warmup auto --reps $REPS --jobs 1
cmp -s "$tmp/again" "$tmp/auto" || complain 'another time, another result'

# What the pilot took is in the `run` object: 60 ms of it, the cut, 60 ms.
cut=$(sed 's/.*"warmup_ns": \([0-9]*\),.*/\1/' "$tmp/auto.0")
grep -q "\"simulated_ns\": $((cut + 120000000))," "$tmp/exact.whole" ||
    complain 'the time of the pilot is not counted'

# By hand or as a key, and only where there is enough to look at.
"$SOLAB" run soavailconn --set run.slice=1s --measure 59s --warmup auto \
    >"$tmp/out" 2>"$tmp/err" && complain '59 slices are enough'
grep -q 'at least 60 slices, there are 59 of 1s' "$tmp/err" ||
    complain 'no word of slices'

# Processes: solab, its child, the child's pilot.
start()
{
	"$SOLAB" run soavailconn --measure 1h --warmup auto --seed 77 \
	    >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	pilot=
	for _ in $(seq 100); do
		child=$(cat "/proc/$pid/task/$pid/children")
		child=${child% }
		[ -z "$child" ] ||
		    pilot=$(cat "/proc/$child/task/$child/children" 2>/dev/null || true)
		pilot=${pilot% }
		[ -z "$pilot" ] || break
		sleep 0.1
	done
	[ -n "$pilot" ] || complain 'no pilot'
}

gone()
{
	for _ in $(seq 50); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	complain 'a pilot is still there'
}

start
kill -KILL "$pilot"
status=0
wait "$pid" || status=$?
[ $status = 1 ] || complain "a killed pilot: status $status, want 1"
grep -q 'pilot: killed by signal 9' "$tmp/err" || complain 'no word of the pilot'
grep -q 'seed 77' "$tmp/err" || complain 'no seed'

start
kill -INT "$pid"
status=0
wait "$pid" || status=$?
[ $status = 130 ] || complain "interrupted: status $status, want 130"
gone "$pilot"

start
kill -KILL "$pid"
wait "$pid" || true
gone "$pilot"

exit $failed
