#!/usr/bin/env bash
# The accept predication experiment of 2011: two rates, and the gain at three
# places of the worker, judged by the ranges of the costs.
set -euo pipefail
. "$SRCDIR/tests/repro.sh"
cells accept-predication 5
