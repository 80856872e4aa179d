#!/usr/bin/env bash
# The receive path of 2007: 28 rows of five numbers.
set -euo pipefail
. "$SRCDIR/tests/repro.sh"
cells soreceive 140
