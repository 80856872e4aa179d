#!/bin/sh
# model_version.sh [--list] ROOT: a C string that changes with every source that
# a result hangs on; or the list of them.
set -eu
list=
[ "$1" != --list ] || { list=1 && shift; }
cd "$1"
sources=$(
	export LC_ALL=C
	find sim/core model -name '*.[ch]' -o -name '*.def' | sort
	echo sim/lab/metric.c sim/lab/record.c sim/lab/result.c \
	    sim/lab/result_steady.c sim/lab/run_child.c sim/lab/run_pilot.c \
	    sim/lab/series.c sim/lab/series.def
)
if [ -n "$list" ]; then
	printf '%s\n' $sources
else
	# shellcheck disable=SC2086
	cat $sources | sha256sum | sed 's/^\(.\{12\}\).*/"\1"/'
fi
