#!/usr/bin/env bash
# The accept predication experiment of 2011: two rates and the gain at three
# places of the worker, the gain judged by the ranges of the costs. What is out
# must be just what the scenario calls missed.
set -euo pipefail
out=$(mktemp)
trap 'rm -f "$out"' EXIT

"$SOLAB" reproduce "$SRCDIR/scenarios/accept-predication.yaml" >"$out" ||
    [ $? = 1 ]
cat "$out"
cells=$(grep -cE ' (fitted|predicted) ' "$out")
unknown=$(grep -cE 'MISS$' "$out" || true)
cured=$(grep -c 'was a known miss' "$out" || true)
known=$(grep -c 'MISS (known' "$out" || true)

echo "$cells cells: $known known misses, $unknown new, $cured cured"
[ "$cells" = 5 ] && [ "$unknown" = 0 ] && [ "$cured" = 0 ]
