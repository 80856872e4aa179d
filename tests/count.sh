#!/bin/sh
# count.sh [--failures N] TESTLOG...: sum up meson's JSON logs in one plain
# line. Fails when a test failed or none passed.
set -eu
failures=0
if [ "${1-}" = --failures ]; then
	failures=$2
	shift 2
fi
cat "$@" | awk -v failed="$failures" '
{
	if (!match($0, /"result": "[A-Z]+"/))
		next
	result = substr($0, RSTART + 11, RLENGTH - 12)
	if (result == "OK" || result == "EXPECTEDFAIL")
		passed++
	else if (result == "SKIP")
		skipped++
	else
		failed++
}
END {
	printf "%d passed, %d failed", passed, failed
	if (skipped > 0)
		printf ", %d skipped", skipped
	printf "\n"
	exit failed > 0 || passed == 0
}'
