#!/bin/sh
# bench.sh BUILD: how fast and how big, as ratios. Run by ./do bench, with the
# machine otherwise quiet. Nothing in the test suite depends on these numbers.
set -eu
build=$1
scenario=scenarios/soavailconn.yaml
matrix=scenarios/accept-matrix-30k.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# simulate OUT FILE ARGS...: one run; its result and its peak memory (KiB).
simulate()
{
	out=$work/$1
	file=$2
	shift 2
	"$build/tests/bench/peak" "$out.kib" "$build/solab" run "$file" \
	    --reps 1 --json "$@" \
	    >"$out.json" 2>"$out.log" || {
		cat "$out.log" >&2
		exit 1
	}
}

# field OUT NAME: a number from the result.
field()
{
	sed -nE 's/.*"'"$2"'": *(-?[0-9.eE+]+).*/\1/p' "$work/$1.json" | head -n 1
}

# row TEXT FORMAT EXPRESSION [GOAL]
row()
{
	awk "BEGIN { printf \"%-52s %12s%s\n\", \"$1\",
	    sprintf(\"$2\", $3), \"${4:+   ($4)}\" }"
}

# sharing OUT TEXT: where CPUs use objects of each other they keep in lockstep.
sharing()
{
	simulated=$(field "$1" simulated_ns)
	requests=$(field "$1" throughput_rps)*$simulated/1e9
	row "$2" '%.2f s/s, %.0f SimGrid calls, %.0f events a request' \
	    "$simulated / $(field "$1" wall_ns),
	    $(field "$1" engine_calls) / ($requests),
	    $(field "$1" events) / ($requests)"
}

# stream OUT TEXT: a stream into freebsd-2007.
stream()
{
	simulated=$(field "$1" simulated_ns)
	wall=$(field "$1" wall_ns)
	frames="$(field "$1" rx_frames) / $(field "$1" measure_ns) * $simulated"
	row "$2" '%.2f s/s, %.0f frames a wall s, %.1f SimGrid calls a frame' \
	    "$simulated / $wall, $frames / $wall * 1e9,
	    $(field "$1" engine_calls) / ($frames)"
}

# sweep JOBS: wall time in ns of nine points into a store.
sweep()
{
	begin=$(date +%s%N)
	"$build/solab" sweep $scenario --set object=1KiB \
	    --set soavailconn=0,1,4,8,16,32,64,128,256 \
	    --set client0.connections=2000 --set client1.connections=2000 \
	    --warmup 500ms --measure 1s --jobs "$1" --db "$work/$1.db" \
	    >"$work/sweep" 2>&1 || {
		cat "$work/sweep" >&2
		exit 1
	}
	echo $(($(date +%s%N) - begin))
}

alone='--set object=1KiB --set soavailconn=0'
# shellcheck disable=SC2086
simulate small $scenario $alone
simulated=$(field small simulated_ns)
wall=$(field small wall_ns)
events=$(field small events)
calls=$(field small engine_calls)
requests=$(field small requests)
rps=$(field small throughput_rps)
heap=$("$build/tests/bench/heap" "$events" 1000)
engine=$("$build/tests/bench/engine" "$calls")

echo "1K object, no limit, 30,000 connections, one thread"
row 'simulated seconds per wall second' '%.2f' "$simulated / $wall" \
    'at least 1.0, goal 2.0'
row 'events per wall second' '%.2f M' "$events / $wall * 1e3"
row 'events per request' '%.1f' "$events / ($rps * $simulated / 1e9)"
row 'SimGrid calls per request' '%.3f' "$calls / ($rps * $simulated / 1e9)"
row 'share of the time in SimGrid (calls x bare call)' '%.1f %%' \
    "$engine / $wall * 100"
row 'wall time / as many events of a bare binary heap' '%.2f' "$wall / $heap"
row 'requests measured' '%d' "$requests"

echo "CPUs in lockstep"
for mtu in 1500 9000; do
	simulate stream$mtu scenarios/soreceive.yaml --warmup 100ms \
	    --measure 1s --set mtu=${mtu}B --set rome.soreceive=stream-2007
	stream stream$mtu "one stream, MTU $mtu"
done
simulate predication scenarios/accept-predication.yaml --measure 1s
sharing predication 'accept predication'
if [ -e $matrix ]; then
	simulate shared $matrix --set soaccept_pred_fast=1 --set soavailconn=32 \
	    --set listener=shared --set workers=24 --set run.start=smooth \
	    --set run.ramp=200ms --warmup 300ms --measure 300ms
else
	simulate shared $scenario --set object=1KiB --set soavailconn=32 \
	    --set reuseport=false --set affinity=per-cpu \
	    --set run.start=smooth \
	    --set run.ramp=200ms --warmup 300ms --measure 300ms
fi
sharing shared '30,000 connections, one listener for 24 workers'

echo "a sweep of 9 points, $(nproc) CPUs"
row '--jobs 1 / a job a CPU' '%.2f' "$(sweep 1) / $(sweep "$(nproc)")" \
    'goal: nearly the number of CPUs'

echo "the page of a sweep of 54 points"
"$build/solab" sweep $scenario --set object=1KiB,16KiB \
    --set soavailconn=0..26+1 --set client0.connections=200 \
    --set client1.connections=200 --set run.ramp=20ms --set run.start=smooth \
    --warmup 100ms --measure 2s --db "$work/page.db" >"$work/sweep" 2>&1 || {
	cat "$work/sweep" >&2
	exit 1
}
"$build/solab" report "$work/page.db"
row 'size' '%.2f MB' "$(wc -c <"$work/page.html") / 1e6" 'goal: under 3 MB'
if /usr/bin/python3 -c 'import selenium' 2>/dev/null; then
	row 'loaded in' '%.0f ms' \
	    "$(/usr/bin/python3 tests/bench/page.py "$work/page.html")" \
	    'goal: under 2000 ms'
fi

echo "peak memory"
row '30,000 connections' '%.0f MB' "$(cat "$work/small.kib") * 1024 / 1e6" \
    'goal: under 100 MB'
# 500,000 connections a client need more local ports than one address has.
# shellcheck disable=SC2086
simulate large $scenario $alone --warmup 1s --measure 1s \
    --set client0.connections=500000 --set client0.addresses=16 \
    --set client1.connections=500000 --set client1.addresses=16
row '1,000,000 connections' '%.0f MB' "$(cat "$work/large.kib") * 1024 / 1e6" \
    'goal: under 1000 MB'
