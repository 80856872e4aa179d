#!/usr/bin/env bash
# CPUs that use objects of each other: a listener that several protocol CPUs
# feed, several workers at one, accept(2) that waits for a message. The results
# do not hang on look-ahead, to the byte; and each scenario does share.
set -euo pipefail
cd "$SRCDIR"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

complain()
{
	echo "$1: $2"
	cat "$tmp/err"
	failed=1
}

# both SCENARIO TOKEN COUNTER ARGS...: with look-ahead and without; the token
# (or -, none) must have been waited for, and the counter have counted.
both()
{
	scenario=$1
	token=$2
	counter=$3
	shift 3
	for mode in ahead exact; do
		option=
		[ $mode = ahead ] || option=--no-lookahead
		# shellcheck disable=SC2086
		rm -f "$tmp/$mode.db"
		"$SOLAB" run "scenarios/$scenario.yaml" --json "$@" $option \
		    --db "$tmp/$mode.db" \
		    2>"$tmp/err" | sed 's/, "run": {.*//' >"$tmp/$mode" ||
		    complain "$*" "$mode: failed"
		"$SOLAB" export "$tmp/$mode.db" --json |
		    sed 's/, "run": {.*//' >"$tmp/$mode.all"
	done
	cmp -s "$tmp/ahead" "$tmp/exact" ||
	    complain "$*" 'look-ahead changes the result'
	cmp -s "$tmp/ahead.all" "$tmp/exact.all" &&
	    grep -q '"token_wait_ns": \[[0-9]' "$tmp/ahead.all" ||
	    complain "$*" 'look-ahead changes what a store keeps'
	for want in '"requests": [1-9]' "\"$counter\": [1-9]"; do
		grep -q "$want" "$tmp/ahead" || complain "$*" "lacks $want"
	done
	want="\"token\": \"$token\", \"count\": [0-9]*, \"gets\": [0-9]*"
	[ "$token" = - ] || grep -q "$want, \"waits\": [1-9]" "$tmp/ahead" ||
	    complain "$*" "nobody waited for a token of $token"
}

# One worker and accepts from elsewhere; then many protocol CPUs.
for fast in 0 1; do
	both accept-predication "listener's knotes" domsgs \
	    --warmup 5ms --measure 25ms --set soaccept_pred_fast=$fast
done
# Looking at them more seldom changes nothing.
"$SOLAB" run scenarios/accept-predication.yaml --json --warmup 5ms --measure 25ms \
    --set soaccept_pred_fast=1 --set run.slice=25ms 2>"$tmp/err" >"$tmp/seldom"
part='s/.*"metrics"/"metrics"/; s/, "run": {.*//'
sed "$part" "$tmp/seldom" | cmp -s - <(sed "$part" "$tmp/ahead") ||
    complain 'run.slice=25ms' 'slices change the result'
short='--warmup 8ms --measure 8ms --set run.ramp=6ms --set run.slice=4ms
    --set client0.connections=1000 --set client1.connections=1000'
# shellcheck disable=SC2086
both soavailconn listener domsgs $short --set workers=8 \
    --set reuseport=false --set affinity=per-cpu --set soaccept_pred_fast=0
# With thread contexts, as under the sanitizers, minutes.
[ "${SIM_FACTORY-}" != thread ] || exit $failed
# shellcheck disable=SC2086
{
	both soavailconn "listener's knotes" ipis $short \
	    --set reuseport=false --set affinity=per-cpu
	both soavailconn - domsgs $short --set soaccept_pred_fast=0
	both soavailconn "listener's knotes" ipis $short --set workers=8
	both soavailconn "listener's knotes" ipis $short --set run.start=smooth \
	    --set reuseport=false --set affinity=per-cpu --set polling=false
}
exit $failed
