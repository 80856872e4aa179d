#!/usr/bin/env bash
# Costs are named in model/cost.def, have their values and sources in
# scenarios/hardware/, and stand nowhere else.
set -euo pipefail
export LC_ALL=C
. tests/style/lib.sh

complain 'a time written into the model' < <(
	files 'model/*.[ch]' | xargs -r grep -nE \
	    'sim_(us|ms|s)\([0-9]|(=|[(,+-]|return) *[0-9]+ *\* *1000|_ns\b[^=<>]*= *[0-9]{3}' || true)

# lacking: names of model/cost.def that are not among the lines of stdin.
lacking()
{
	sort -u | comm -13 - <(
		sed -nE 's/^(HOST_)?COST\(([a-z0-9_]+),.*/\2/p' model/cost.def |
		    sort)
}

complain 'a cost that nothing charges' < <(
	files 'model/*.[ch]' | xargs -r grep -ohE 'COST_[a-z0-9_]+' |
	    sed 's/^COST_//' | lacking)
complain 'a cost without a value in any profile' < <(
	files 'scenarios/hardware/*.yaml' | xargs -r grep -ohE '^ *[a-z0-9_]+:' |
	    tr -d ' :' | lacking)

# An entry is one flow mapping, on one line or more.
complain 'a value without a kind and a source' < <(
	files 'scenarios/hardware/*.yaml' | xargs -r awk '
	{ sub(/^[ \t]*#.*/, "") }
	!inside && /\{.*(cost|value):|\{[ \t]*$/ { entry = ""; start = FNR; inside = 1 }
	inside { entry = entry " " $0 }
	inside && /\}[ \t]*(#.*)?$/ {
		inside = 0
		if (entry !~ /kind: *(measured|paper|datasheet|fitted|guess)[ ,}]/ ||
		    entry !~ /source: *["A-Za-z]/)
			print FILENAME ":" start ":" entry
	}')

exit $bad
