#!/usr/bin/env bash
# The command line: exit codes, what goes where, what is refused.
. "$SRCDIR/tests/try.sh"

# has FILE TEXT
has()
{
	grep -qF -- "$2" "$tmp/$1" || complain "std$1 lacks: $2"
}

silent()
{
	[ ! -s "$tmp/$1" ] || complain "std$1 is not empty"
}

# The text in 60 lines, the pictures in 40.
short_enough()
{
	lines=$(grep -n '^ *from, ms' "$tmp/out" | cut -d: -f1)
	[ -n "$lines" ] || complain 'no picture'
	[ "${lines:-0}" -le 62 ] || complain 'more than 60 lines'
	[ "$(wc -l <"$tmp/out")" -le $((${lines:-0} + 38)) ] ||
	    complain 'pictures of more than 40 lines'
}

scenario=scenarios/soavailconn.yaml
short='--set run.ramp=20ms --warmup 50ms --measure 100ms --set client0.connections=200 --set client1.connections=200'

try 2
has err 'usage: solab COMMAND'
silent out
for command in "" run sweep reproduce fit export merge rerun compare report graph seek \
    sensitivity costs list schema completion; do
	# shellcheck disable=SC2086
	try 0 $command --help
	has out 'usage: solab'
	silent err
done
try 0 --version
has out 'SimGrid 3'
try 0 run --version
has out 'SimGrid 3'
try 2 rum
has err "did you mean 'run'?"
try 2 --jsn
try 2 run $scenario --jsn
has err "did you mean '--json'?"

# A whole option only: a new one must not break a script.
try 2 run $scenario --js
has err "no option '--js'"
try 2 run $scenario --meas=1s
try 2 reproduce $scenario --hgrm x
has err "no option '--hgrm'"
try 2 run $scenario --ranges
has err "no option '--ranges'"
try 2 schema --json
try 2 run
has err 'want FILE'
try 2 run $scenario $scenario
try 2 run $scenario --seed
has err "wants a value"
try 2 run $scenario --jobs 0
try 2 run $scenario -q
try 2 completion tcsh

# Bad scenarios and parameters.
try 2 run nosuch
silent out
try 2 run "$tmp"
try 2 run $scenario --set soavailcon=8
has err "did you mean 'soavailconn'?"
try 2 run $scenario --seed -1
try 2 run $scenario --measure 5
try 2 run $scenario --seed 1,2
try 2 run $scenario --measure 10s --set slice=1ms
has err 'at most 4096 slices'
try 2 run $scenario --set slice=often
has err 'nor auto'
try 2 run $scenario --trace-window 1s..2s
has err 'without --trace'
try 2 run $scenario --trace "$tmp/t" --trace-window 2s..1s
try 2 costs nosuch
try 2 costs $scenario
printf 'title: t\n' >"$tmp/bad.yaml"
try 2 reproduce "$tmp/bad.yaml"
try 2 fit "$tmp/bad.yaml"
silent out

# Each command does something.
try 0 list
has out 'soavailconn.yaml'
grep -qF '(has errors)' "$tmp/out" && complain 'a scenario with errors'
silent err

# Every scenario loads, and loading resolves and checks all of its points.
for file in scenarios/*.yaml; do
	try 0 list "$file"
	grep -qE '^[1-9][0-9]* points? of the sweep$' "$tmp/out" ||
	    complain 'no points'
	silent err
done
try 0 list soavailconn
has out 'server.sysctl.kern.ipc.soavailconn'
try 0 schema
has out '"$schema"'
try 0 schema --markdown
has out 'latency_p99'
try 0 costs e5-2620v2-2way
has out 'ngx_request'
mv "$tmp/out" "$tmp/named"
try 0 costs scenarios/hardware/e5-2620v2-2way.yaml
cmp -s "$tmp/out" "$tmp/named" || complain 'by name and by file differ'
try 0 costs i7-2600
has out '192ns..640ns'
for shell in bash zsh fish; do
	try 0 completion $shell
	has out reproduce
	has out no-lookahead
done
try 0 completion bash
bash -n "$tmp/out" || complain 'not a script'

# shellcheck disable=SC2086
try 0 run soavailconn $short --hgrm "$tmp/h" --hlog "$tmp/l" \
    --trace "$tmp/t" --trace-window 50ms..50100us
has out 'throughput'
has out 'completion-queue'
has out "Little's law"
has out '= cycle'
grep -q '#\[Mean' "$tmp/h" || complain 'no percentiles'
[ "$(grep -o '^Tag=[a-z]*,[0-9.]*,[0-9.]*,' "$tmp/l" | tr '\n' ' ')" = \
    'Tag=latency,0.050,0.100, Tag=cycle,0.050,0.100, ' ] || complain 'no log'
grep -q 'server\.[0-9]* .* ngx_' "$tmp/t" || complain 'no trace'
short_enough
grep -q 'busiest' "$tmp/out" && complain 'tokens, but nothing is shared'

# CPUs that share: their tokens, and what they send each other.
try 0 run accept-predication --warmup 5ms --measure 20ms
has out "listener's knotes"
has out 'busiest'
has out ' domsgs, '
has out ' token collisions'
short_enough
try 0 run accept-predication --warmup 5ms --measure 20ms --verbose
has out 'domsgs'
has out 'a CPU was given up for a token'

# What cannot be written is an error, and is said.
# shellcheck disable=SC2086
try 1 run $scenario $short --hgrm /dev/full
has err '/dev/full'
# shellcheck disable=SC2086
try 1 run $scenario $short --hlog /dev/full
has err '/dev/full: No space left'
try 1 run $scenario --hlog "$tmp/no/such"
has err 'no/such: No such file'
silent out
# shellcheck disable=SC2086
try 1 run $scenario $short --trace /dev/full
has err '/dev/full'
try 1 run $scenario --trace "$tmp/no/such"
for command in --version --help 'list' 'schema' 'costs i7-3770' \
    "run $scenario $short --json"; do
	what="solab $command >/dev/full"
	# shellcheck disable=SC2086
	"$SOLAB" $command >/dev/full 2>"$tmp/err"
	[ $? = 1 ] || complain 'no error'
	has err 'No space left on device'
	what="solab $command >&-"
	# shellcheck disable=SC2086
	"$SOLAB" $command >&- 2>"$tmp/err"
	[ $? = 1 ] || complain 'no error'
	has err 'standard output'
done

# Other streams may be closed.
what='streams closed'
"$SOLAB" list >"$tmp/out" <&- 2>&- || complain 'failed'
has out soavailconn

# Interrupted: 130, at once, and no child stays.
what='SIGINT'
"$SOLAB" run $scenario --measure 1h >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 0.5
kill -USR1 $pid
sleep 0.3
children=$(cat /proc/$pid/task/$pid/children)
kill -TERM $pid
wait $pid
status=$?
[ $status = 130 ] || complain "status $status, want 130"
silent out
has err 's simulated'
for child in $children; do
	kill -0 "$child" 2>/dev/null && complain 'a child is still there'
done

# A child that dies is reported with its seed.
what='a killed child'
"$SOLAB" run $scenario --measure 1h --seed 77 >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 0.3
kill -KILL "$(cat /proc/$pid/task/$pid/children)"
wait $pid
status=$?
[ $status = 1 ] || complain "status $status, want 1"
has err 'seed 77'
has err 'signal 9'

# sweep: every point once, in their order; the same bytes one after the other.
# shellcheck disable=SC2086
try 0 sweep $scenario $short --set object=1KiB --set soavailconn=0,8,32
[ "$(wc -l <"$tmp/out")" = 5 ] || complain 'want two lines and one a point'
[ "$(grep -o 'soavailconn=[0-9]*' "$tmp/out" | tr '\n' ' ')" = \
    'soavailconn=0 soavailconn=8 soavailconn=32 ' ] || complain 'order of points'
cp "$tmp/out" "$tmp/swept"
# shellcheck disable=SC2086
try 0 sweep $scenario $short --set object=1KiB --set soavailconn=0,8,32 --jobs 1
cmp -s "$tmp/out" "$tmp/swept" || complain 'another number of jobs changes it'
# shellcheck disable=SC2086
try 0 sweep $scenario $short --set object=1KiB --set soavailconn=0,8 --reps 2 --json
[ "$(grep -c '^{"scenario"' "$tmp/out")" = 4 ] || complain 'want an object a run'
try 2 sweep
try 2 sweep $scenario --trace x

exit $failed
