#!/usr/bin/env bash
# A run is a function of scenario and seed: the same bytes again, also without
# look-ahead; another seed gives others. Only the `run` object may differ.
set -euo pipefail
cd "$SRCDIR"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -r scenarios "$tmp"
failed=0

# 4000 connections a client keep the queues of 24 x 257 full.
# simulate OUT ARGS...
simulate()
{
	out=$tmp/$1
	shift
	"$SOLAB" run "$tmp/scenarios/soavailconn.yaml" --json --db "$out.db" \
	    --set client0.connections=4000 --set client1.connections=4000 \
	    --set run.ramp=10ms --set run.slice=5ms \
	    --warmup 25ms --measure 25ms "$@" \
	    >"$out.whole" 2>"$out.err" || {
		cat "$out.err"
		exit 1
	}
	# What it printed, and all that it kept: time series too.
	sed 's/, "run": {.*//' "$out.whole" >"$out"
	[ -s "$out" ]
	"$SOLAB" export "$out.db" --json | sed 's/, "run": {.*//' >"$out.all"
	grep -q '"drop_syn_queue_full": \[' "$out.all"
}

same()
{
	for kind in '' .all; do
		cmp -s "$tmp/$1$kind" "$tmp/$2$kind" || {
			echo "$3: $1$kind and $2$kind differ"
			failed=1
		}
	done
}

point=0
while read -r args; do
	point=$((point + 1))
	# shellcheck disable=SC2086
	simulate ahead.$point $args &
	# shellcheck disable=SC2086
	simulate exact.$point $args --no-lookahead
	wait $!
	same ahead.$point exact.$point "$args"
done <<'END'
--set object=1KiB --set soavailconn=0
--set object=1KiB --set soavailconn=32
--set object=16KiB --set soavailconn=0
--set object=16KiB --set soavailconn=32
--set object=1KiB --set soavailconn=32 --set run.start=burst
--set object=1KiB --set soavailconn=32 --set polling=false
END

simulate again --set object=1KiB --set soavailconn=32
same ahead.2 again 'the same seed'
simulate other --set object=1KiB --set soavailconn=32 --seed 2
# Looking at it more often changes nothing.
"$SOLAB" run "$tmp/scenarios/soavailconn.yaml" --json --set run.slice=1ms \
    --set client0.connections=4000 --set client1.connections=4000 \
    --set run.ramp=10ms --warmup 25ms --measure 25ms \
    --set object=1KiB --set soavailconn=32 >"$tmp/often" 2>"$tmp/often.err"
part='s/.*"metrics"/"metrics"/; s/, "run": {.*//'
sed "$part" "$tmp/often" | cmp -s - <(sed "$part" "$tmp/ahead.2") || {
	echo 'slices change the result'
	failed=1
}
metrics='s/.*"metrics": \({[^}]*}\).*/\1/'
if [ "$(sed "$metrics" "$tmp/again")" = "$(sed "$metrics" "$tmp/other")" ]; then
	echo 'another seed gives the same numbers'
	failed=1
fi

# A replication does not hang on those that run beside it.
simulate two --set object=1KiB --set soavailconn=32 --reps 2 --jobs 2
head -n 1 "$tmp/two" >"$tmp/first"
head -n 1 "$tmp/two.all" >"$tmp/first.all"
same ahead.2 first 'replications'
[ "$(sed "$metrics" "$tmp/first")" != \
    "$(tail -n 1 "$tmp/two" | sed "$metrics")" ] || {
	echo 'both replications are the same'
	failed=1
}
exit $failed
