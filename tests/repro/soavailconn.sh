#!/usr/bin/env bash
# The 24 published cells of the listen-queue experiment: those outside their
# tolerance must be just the ones that the scenario calls missed. A new miss
# fails, and so does one that is cured.
set -euo pipefail
out=$(mktemp)
trap 'rm -f "$out"' EXIT

"$SOLAB" reproduce "$SRCDIR/scenarios/soavailconn.yaml" >"$out" || [ $? = 1 ]
cat "$out"
cells=$(grep -cE ' (fitted|predicted) ' "$out")
unknown=$(grep -cE 'MISS$' "$out" || true)
cured=$(grep -c 'was a known miss' "$out" || true)
known=$(grep -c 'MISS (known' "$out" || true)

echo "$cells cells: $known known misses, $unknown new, $cured cured"
[ "$cells" = 24 ] && [ "$unknown" = 0 ] && [ "$cured" = 0 ]
