#!/usr/bin/env bash
# Settings at the edge of what is legal: something is answered, and the results
# do not depend on look-ahead.
set -euo pipefail
scenario=$SRCDIR/scenarios/soavailconn.yaml
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# edge NAME ARGS...
edge()
{
	name=$1
	shift
	for mode in '' --no-lookahead; do
		# shellcheck disable=SC2086
		"$SOLAB" run "$scenario" --json --warmup 0ms --measure 15ms \
		    --set client0.connections=16 --set client1.connections=16 \
		    "$@" $mode 2>"$tmp/err" | sed 's/, "run": .*//' >"$tmp/out$mode"
	done
	if ! cmp -s "$tmp/out" "$tmp/out--no-lookahead"; then
		echo "$name: look-ahead changes the result"
		bad=1
	fi
	if ! grep -q '"requests": [1-9]' "$tmp/out"; then
		echo "$name: nothing was answered"
		cat "$tmp/err"
		bad=1
	fi
}

edge 'a response larger than so_snd' --set object=256KiB
edge 'interrupts closer than the latency' --set polling=false \
    --set server.nics.ix.intr_rate=1000000/s
edge 'a request of two buffers' --set client0.request=1025B \
    --set client1.request=1025B
edge 'header and page larger than so_snd' \
    --set server.sysctl.net.inet.tcp.sendspace=2048 --set object=4KiB
edge 'the server closes first' --set keepalive=false \
    --set server.sysctl.net.inet.tcp.msl=1
edge 'rings of other CPUs' --set hw.ix.rxr=16
edge 'one event, one change' --set events=1 --set changes=1
exit $bad
