# For tests/repro/*.sh: cells SCENARIO N. `solab reproduce` has N published
# cells, and those outside their tolerance are just the ones that the scenario
# calls missed: a new miss fails, and so does one that is cured.
cells()
{
	out=$(mktemp)
	trap 'rm -f "$out"' EXIT
	"$SOLAB" reproduce "$SRCDIR/scenarios/$1.yaml" >"$out" || [ $? = 1 ]
	cat "$out"
	cells=$(grep -cE ' (fitted|predicted) ' "$out")
	unknown=$(grep -cE 'MISS$' "$out" || true)
	cured=$(grep -c 'was a known miss' "$out" || true)
	known=$(grep -c 'MISS (known' "$out" || true)
	echo "$cells cells: $known known misses, $unknown new, $cured cured"
	[ "$cells" = "$2" ] && [ "$unknown" = 0 ] && [ "$cured" = 0 ]
}
