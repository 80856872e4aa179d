#!/usr/bin/env bash
# The 24 published cells of the listen-queue experiment.
set -euo pipefail
. "$SRCDIR/tests/repro.sh"
cells soavailconn 24
