#!/bin/sh
# golden.sh EXPECTED COMMAND...: stdout must equal the file, to the byte.
# With BLESS=1 the file is rewritten instead.
set -eu
expected=$1
shift
got=$(mktemp)
trap 'rm -f "$got"' EXIT
"$@" >"$got"
if [ "${BLESS-}" = 1 ]; then
	cat "$got" >"$expected"
else
	diff -u --label expected --label got "$expected" "$got"
fi
