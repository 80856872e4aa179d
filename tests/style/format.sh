#!/usr/bin/env bash
# How every file looks.
set -euo pipefail
. tests/style/lib.sh

files '*.c' '*.h' | xargs -r clang-format --dry-run -Werror || bad=1

complain 'white space at the end of a line' < <(
	files '*' | xargs -r grep -nIE '[[:blank:]]+$' || true)

complain 'longer than 600 lines' < <(
	files '*.c' '*.h' | xargs -r awk 'FNR == 601 { print FILENAME }')

# The brackets keep these patterns from finding themselves.
complain 'a path of one machine' < <(
	files '*' | xargs -r grep -nIE '/[w]ork/|/[h]ome/[a-z]|/[r]oot/' || true)
complain 'the host of a package registry' < <(
	files '*' | xargs -r grep -nIE \
	    '(deb|security|snapshot)[.]debian|registry[.](npmjs|yarnpkg)|[p]ypi[.]org|proxy[.]golang|crates[.]io' || true)

exit $bad
