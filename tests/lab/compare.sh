#!/usr/bin/env bash
# solab compare: two points of a store, in words and as JSON, and what it does
# not claim.
set -euo pipefail
cd "$SRCDIR"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

complain()
{
	echo "$*"
	failed=1
}

# sweep REPS ARGS...: small settings
sweep()
{
	reps=$1
	shift
	"$SOLAB" sweep scenarios/soavailconn.yaml \
	    --set client0.connections=400 --set client1.connections=400 \
	    --set run.start=smooth --set run.ramp=5ms --warmup 10ms \
	    --measure 60ms --reps "$reps" --db "$tmp/s.db" "$@" >/dev/null 2>"$tmp/err" || {
		cat "$tmp/err"
		exit 1
	}
}

# compare STATUS A B [ARGS...]
compare()
{
	want=$1
	shift
	rc=0
	"$SOLAB" compare "$tmp/s.db" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	[ $rc = "$want" ] || complain "compare $*: status $rc, want $want: $(cat "$tmp/err")"
}

has()
{
	grep -qF -- "$1" "$tmp/$2" || complain "no '$1' in $2: $(cat "$tmp/$2")"
}

# Two is too few: said, and nothing else.
sweep 2 --set object=1KiB,16KiB --set soavailconn=8
compare 2 1 2
has 'at least 3 replications of both points are needed' err
has 'A has 2, B has 2, and both have 2' err
[ ! -s "$tmp/out" ] || complain 'a claim from two replications'

# Of four and five that were added, those count that both have.
sweep 5 --set object=1KiB --set soavailconn=8
sweep 4 --set object=16KiB --set soavailconn=8
compare 0 object=1KiB object=16KiB
has '4 pairs of replications' out
has 'A  point 1 of soavailconn, model ' out
has ': object=16KiB ' out
awk '/^Difference at 95.0% confidence$/ { on = 1 }
    /^No difference/ { on = 0 }
    on && /^  throughput, \/s / && / -[0-9]/ { found = 1 }
    END { exit !found }' "$tmp/out" || complain "throughput: $(cat "$tmp/out")"
has 'Shape of the latency: ' out
has 'latency_p999, ms*' out
has 'Pairs: without them' out
sed '/^[AB]  point/d' "$tmp/out" | awk 'length > 100 { exit 1 }' || complain 'too wide'

# With itself: the same in everything.
compare 0 1 1
has 'Identical in all replications' out
has 'no change of p50, p90 or p99 proven' out
grep -q 'ifference.*at 95' "$tmp/out" && complain 'differs from itself'

# JSON: an object a question, and one on the shape. Ratio and difference agree.
compare 0 1 2 --json
[ "$(wc -l <"$tmp/out")" -ge 30 ] || complain 'JSON: few lines'
head -n 1 "$tmp/out" | grep -q '^{"a": 1, "b": 2, "pairs": 4, "kind": "metric", "name": "throughput_rps", "verdict": "difference", "a_mean": ' ||
    complain "JSON: $(head -n 1 "$tmp/out")"
grep -q '"kind": "stage", "name": "completion-queue", "counted": true, ' "$tmp/out" || complain 'JSON: no stage'
tail -n 1 "$tmp/out" | grep -q '"kind": "latency", "verdict": "' || complain 'JSON: no shape'
if command -v python3 >/dev/null; then
	python3 - "$tmp/out" <<'END' || complain 'JSON: what it says'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
for r in rows:
	if r.get("p") is None or r["ratio_low"] is None:
		continue
	none = abs(r["difference"]) <= r["difference_ci95"]
	assert none == (r["ratio_low"] <= 1 <= r["ratio_high"]), r
	assert none == (r["p"] >= 0.05), r
	assert abs(r["b_mean"] - r["a_mean"] - r["difference"]) <= 1e-6 * abs(r["b_mean"]), r
	if r["verdict"] == "difference":
		assert r["p"] <= r["p_holm"] < 0.05, r
	elif r["verdict"] == "no difference proven":
		assert r["p_holm"] >= 0.05, r
END
fi

# What cannot be meant.
compare 2 1 soavailconn=9
has 'no point is' err
compare 2 1 soavailconn=8
has 'several points' err
compare 2 1
has 'DB A B' err
rc=0
"$SOLAB" compare "$tmp/none.db" 1 2 2>"$tmp/err" || rc=$?
[ $rc = 2 ] || complain 'no such store'
[ ! -e "$tmp/none.db" ] || complain 'a store was made'
exit $failed
