#!/usr/bin/env bash
# solab seek and solab sensitivity, end to end, on a server whose only cost is
# the stated work and whose answers are known: one client that waits 4 ms for
# the link makes 1 / (4 ms + work) requests a second; with arrivals at random
# and random work it is M/M/1, behind 2 ms of link.
. "$SRCDIR/tests/try.sh"

mkdir "$tmp/hardware"
cp tests/theory/station.yaml "$tmp"
cp tests/theory/zero.yaml tests/theory/zero-client.yaml "$tmp/hardware"
file=$tmp/station.yaml
fixed="--set work_distribution=fixed --warmup 100ms --measure 1s"

# 3 ms of latency beside the work: 9 ms from 7 ms on, to 1 %.
# shellcheck disable=SC2086
{
	try 0 seek "$file" work=1ms..20ms smallest 'latency_mean>=9.005ms' $fixed
	has '^smallest work in 1ms\.\.20ms that keeps latency_mean>=9005us$'
	has '^7110us +3  9\.11 \+- 0\.00 ms +keeps$'
	has '^smallest work that keeps .*: 7040us \(6980us does not\)$'
	try 0 seek "$file" work=1ms..20ms largest 'latency_mean<=9.005ms' $fixed \
	    --resolution 1ms --scan 2
	has '^largest work .*: 7ms \(8ms does not\)$'
	try 0 seek "$file" work=1ms..20ms largest 'throughput~10%' $fixed
	has '; the best is 1ms$'
	has '^largest work .*: 15[0-9]0us \(1[56][0-9]0us does not\)$'
	try 0 seek "$file" work=1ms..20ms smallest 'throughput~10%' $fixed
	has "^kept from this end on, and not at the other: 'largest' asks"
	has '^smallest work .*: 1ms \(the end of the range\)$'
	try 1 seek "$file" work=1ms..20ms largest 'throughput>=1k/s' $fixed
	has '^no work in 1ms\.\.20ms keeps throughput>=1000/s$'
}

# A store that has it all runs nothing; the answer is the same with any --jobs.
# shellcheck disable=SC2086
{
	ask="seek $file work=1ms..20ms largest latency_mean<=9ms $fixed"
	try 0 $ask --db "$tmp/s.db" --jobs 1
	cp "$tmp/out" "$tmp/first"
	runs=$("$SOLAB" export "$tmp/s.db" --csv | wc -l)
	try 0 $ask --db "$tmp/s.db" --jobs 3
	cmp -s "$tmp/out" "$tmp/first" || complain 'another answer from the store'
	[ "$runs" = "$("$SOLAB" export "$tmp/s.db" --csv | wc -l)" ] ||
	    complain 'the store has grown'
	try 0 $ask --json
	[ "$(wc -l <"$tmp/out")" = "$(($(grep -cE '(keeps|fails)$' "$tmp/first") + 1))" ] ||
	    complain 'not a line a value'
	has '^\{"value": 20000000, "reps": 3, "metric": "latency_mean_ns", "mean": 2200[0-9]+, "ci95": 0, "ratio": null, "ratio_ci95": null, "verdict": "fails", "contradicts": false, "steady": (true|false)\}$'
	has '"parameter": "server.processes.nginx.work", "side": "largest", "condition": "latency_mean<=9ms", "end": "found", "keeps": [67][0-9]+, "fails": 7[0-9]+, "best": null, "undecided": 0, "monotone": true, "failed": false, "runs": [0-9]+\}$'
}
json()
{
	if command -v node >/dev/null; then
		node -e 'require("fs").readFileSync(0, "utf8").trimEnd().split("\n").forEach(JSON.parse)'
	elif command -v python3 >/dev/null; then
		python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]'
	fi <"$tmp/out" || complain 'not JSON'
}
json

# M/M/1: 2 ms + 1 / (1000 - rate) is 6 ms at 750 /s. The answer leaves out what
# the replications cannot tell.
try 0 seek "$file" client.rate=100/s..950/s largest 'latency_mean<=6ms' \
    --set tool=open --set connections=0 --warmup 1s --measure 15s \
    --resolution 3% --max-reps 8
has '^largest client\.rate that keeps latency_mean<=6ms: (6[0-9]0|7[0-4]0)/s \((75[1-9]|7[6-9][0-9]|8[0-9]0)/s does not'
has '^ +950/s +[0-9]+  [0-9.]+ \+- [0-9.]+ ms +fails'

# -S / (Z + S) is -0.2, of the latency 1/3; to what whole requests can tell.
# shellcheck disable=SC2086
{
	try 0 sensitivity "$file" --param work=500us..2ms $fixed \
	    --measure 10s --metric throughput --metric latency_mean --morris 2 \
	    --reps 2
	has '^work +1ms  param   -0\.(19[5-9]|20[0-5]) \+- 0\.000 +\+0\.33[0-9] \+- 0\.000$'
	has '^not used here \(exactly 0\): smt_idle_speed, cache\.knee$'
	has '^0 or at a limit, so no elasticity: cache\.touch, intr, '
	has '^Morris, 2 trajectories: % of a metric for a whole range$'
	has '^work +500us\.\.2ms +[0-9.]+ +-[0-9.]+ +[0-9.]+ +[0-9.]+ +\+[0-9.]+ +[0-9.]+$'
	try 0 sensitivity "$file" --param work=500us..2ms $fixed --json \
	    --metric throughput
	json
	has '^\{"factor": "work", "profile": null, "paths": \["server\.processes\.nginx\.work"\], "kind": "param", "source": null, "value": 1000000, "low": 500000, "high": 2000000, "ranged": true, "used": true, "elasticity": \{"throughput": \{"ci95": 0, "mean": -0\.[0-9]+\}\}, "bends": \{"throughput": false\}, "morris": null\}$'
	has '^\{"scenario": "station", "ratio": \[\], "reps": 3, "trajectories": 0, "step_pct": 10, "base": '
	# Twice the work: a ratio of 5/6, which the work moves by 1/5 - 1/3.
	try 0 sensitivity "$file" --param client.connections=1..2 $fixed \
	    --ratio work=2ms --metric throughput
	has '^of the ratio of metrics: with work=2ms, over without$'
	has '^  throughput 0\.83[0-9]+ \+- 0\.0000$'
}

# A cost that takes all the time there is has -1.
sed -i 's/^ngx_request: {cost: 0ns/ngx_request: {cost: 1ms/' \
    "$tmp/hardware/zero.yaml"
try 0 sensitivity "$file" --set work=0ns --set connections=50 --warmup 500ms \
    --measure 1s --metric throughput --metric cycle_mean
has '^ngx_request +1ms  guess   -1\.00[0-9] \+- 0\.00[0-9] +\+(1\.0|0\.9)[0-9]+ '
has '^all times +-1\.00[0-9] '
has '^  ngx_request +theory'

# What fails is said, and counts.
try 1 seek "$file" work=1ms..20ms largest 'latency_mean<=9ms' \
    --time-limit 1ns
says 'took longer than --time-limit'
has '^runs failed: their values are undecided$'
try 1 sensitivity "$file" --param work=1ms..2ms --time-limit 1ns
says 'took longer than --time-limit'

# Bad usage: exit 2, before anything runs.
bad()
{
	words=$1
	shift
	try 2 "$@" --db "$tmp/none.db"
	says "$words"
	[ ! -e "$tmp/none.db" ] || complain 'a store was made'
}
bad 'want smallest or largest' seek "$file" work=1ms..2ms most 'throughput~1%'
bad "did you mean 'throughput'" seek "$file" work=1ms..2ms largest 'troughput~1%'
bad 'want LOW below HIGH' seek "$file" work=2ms..1ms largest 'throughput~1%'
bad 'work: .1. has no unit' seek "$file" work=1..2ms largest 'throughput~1%'
bad 'values between any two are not sought' seek "$file" \
    server.hardware.smt_idle_speed=1..2 largest 'throughput~1%'
bad 'one run has no interval' seek "$file" work=1ms..2ms largest \
    'throughput~1%' --reps 1
bad 'want 5 or more' seek "$file" work=1ms..2ms largest 'throughput~1%' \
    --reps 5 --max-reps 4
bad '.resolution: .1. has no unit' seek "$file" work=1ms..2ms largest \
    'throughput~1%' --resolution 1
bad "did you mean 'throughput'" sensitivity "$file" --metric troughput
bad 'more than 0%, up to 100%' sensitivity "$file" --step 0%
bad 'a number above 1, up to 100' sensitivity "$file" --factor 1
bad 'want PATH=LOW\.\.HIGH' sensitivity "$file" --param work
bad 'the base point is the same' sensitivity "$file" --ratio work=1ms
bad "unknown parameter 'wrok'" sensitivity "$file" --ratio wrok=1ms

exit $failed
