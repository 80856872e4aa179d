#!/usr/bin/env bash
# Who may include and call what (docs/architecture.md).
set -euo pipefail
. tests/style/lib.sh

# Includes that break a rule for a reason: "file > included file".
exceptions='
'

includes()
{
	files 'sim/*.[ch]' 'model/*.[ch]' 'tests/*.[ch]' |
	    xargs -r awk '/^[ \t]*#[ \t]*include/ {
		if (match($0, /[<"][^>"]+/))
			print FILENAME " > " substr($0, RSTART + 1, RLENGTH - 1)
	}' | grep -vxF "$exceptions" || true
}

complain 'SimGrid outside sim/core/engine_*.c' < <(
	includes | grep -E '> (simgrid|xbt)' |
	    grep -vE '^sim/core/engine_[a-z_]+\.c ' || true)
complain 'sim/core includes model or sim/lab' < <(
	includes | grep -E '^sim/core/.* > (model|sim/lab)/' || true)
complain 'model includes sim/lab' < <(
	includes | grep -E '^model/.* > sim/lab/' || true)

# Inside model an include goes to the same folder or to a lower one. The packet
# is what all layers carry.
complain 'an upper layer of model is included' < <(
	includes | awk '
	BEGIN {
		n = split("hw kern net netinet dev peer user kernel", folders)
		for (i = 1; i <= n; i++)
			rank[folders[i]] = i < 6 ? i : 6
		rank["kernel"] = 7	# boots what peers and users are
		# Directly in model/: what all layers share is lowest,
		# what puts a machine together is on top.
		n = split("cost.c cost.h cost.def setup.h stage.h sysctl.def " \
		    "trace.c trace.h trace.def trace_call.def " \
		    "counter.c counter.h counter.def slice.h slice.def",
		    common)
		for (i = 1; i <= n; i++)
			rank[common[i]] = 0
	}
	function layer(path, parts) {
		split(path, parts, "/")
		return parts[2] in rank ? rank[parts[2]] : 8
	}
	function folder(path, parts) {
		split(path, parts, "/")
		return parts[2]
	}
	$3 == "model/net/pkt.h" {
		next
	}
	/^model\/.* > model\// {
		if (layer($3) > layer($1) ||
		    layer($3) == 6 && layer($1) == 6 && folder($1) != folder($3))
			print
	}')

complain 'results may not hang on these' < <(
	files 'sim/core/*.[ch]' 'model/*.[ch]' |
	    xargs -r grep -nwE '(s?rand|random|time|clock|gettimeofday|clock_gettime)\(|#if 0' || true)
complain 'memory without sim/core/alloc.h' < <(
	files 'model/*.[ch]' | xargs -r grep -nwE '(malloc|calloc|realloc|strdup)\(' || true)

complain 'named in no meson.build' < <(
	files 'sim/*.c' 'model/*.c' | while IFS= read -r file; do
		case $file in
		model/*) list=model/meson.build name=${file#model/} ;;
		sim/core/*) list=sim/core/meson.build name=${file#sim/core/} ;;
		sim/lab/main.c) continue ;;
		*) list=sim/lab/meson.build name=${file#sim/lab/} ;;
		esac
		grep -qE "'${name%.c}(\.c)?'" "$list" || echo "$file"
	done)

exit $bad
