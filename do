#!/bin/sh
# ./do run [ARGS] | ./do test | ./do slurm | ./do bench | ./do docs [--check]
#
# Each installs the Debian packages that are missing, configures and builds in
# build/, and then does what it says. See README.md.
set -eu
root=$(cd "$(dirname "$0")" && pwd)
build=$root/build

build_packages='gcc libc6-dev meson ninja-build pkg-config libsimgrid-dev
	libyaml-dev zlib1g-dev librandom123-dev libnlopt-dev
	libsqlite3-dev libmd-dev libjs-dygraphs scdoc'
slurm_packages='slurm-wlm munge procps'
test_packages='libcmocka-dev clang-format sqlite3 procps graphviz tshark'
browser_packages='chromium chromium-driver python3-selenium fonts-dejavu-core'

# -O2: the code of a request must fit the instruction cache (docs/architecture.md).
release='--buildtype=release -Doptimization=2'

main()
{
	case ${1-} in
	run) shift && do_run "$@" ;;
	test) do_test ;;
	slurm) do_slurm ;;
	bench) do_bench ;;
	docs) do_docs "${2-}" ;;
	*)
		sed -n '2,5s/^# \{0,1\}//p' "$root/do" >&2
		exit 2
		;;
	esac
}

do_run()
{
	build_program
	[ $# -gt 0 ] && exec "$build/solab" "$@"
	cd "$root"
	exec "$build/solab" reproduce scenarios/soavailconn.yaml
}

# The cheapest tests first; the last line is what CI counts.
do_test()
{
	# shellcheck disable=SC2086
	need $build_packages $test_packages $browser_packages
	setup_test
	failed=0
	meson test -C "$build" --no-rebuild --suite style \
	    --logbase style --print-errorlogs || failed=1
	if quiet ninja -C "$build"; then
		meson test -C "$build" --no-rebuild --no-suite style \
		    --no-suite repro --no-suite slurm --logbase quick \
		    --print-errorlogs || failed=1
		"$root/tests/count.sh" "$build/meson-logs/style.json" \
		    "$build/meson-logs/quick.json" || failed=1
	else
		say 'the build failed: counted as one failure'
		"$root/tests/count.sh" --failures 1 \
		    "$build/meson-logs/style.json" || failed=1
	fi
	return $failed
}

# A real Slurm on loopback; skipped where it cannot be had.
do_slurm()
{
	build_program
	# shellcheck disable=SC2086
	(need $slurm_packages) || say 'no Slurm: the suite will be skipped'
	quiet meson configure "$build" -Dslurm_tests=true
	quiet ninja -C "$build" solab
	meson test -C "$build" --no-rebuild --suite slurm --logbase slurm --verbose
}

do_bench()
{
	build_program bench
	cd "$root"
	exec sh tests/bench/bench.sh "$build"
}

do_docs()
{
	need graphviz
	# shellcheck disable=SC2086
	[ -z "${SLOW-}" ] || need $browser_packages # for the screenshots
	build_program
	cd "$root"
	exec sh docs/generate.sh "$build/solab" "$@"
}

# Build the program, and the further targets given.
build_program()
{
	# shellcheck disable=SC2086
	need $build_packages
	if [ ! -e "$build/build.ninja" ]; then
		say 'building (the first time: about a minute)'
		quiet meson setup "$build" "$root" $release
	fi
	quiet ninja -C "$build" solab "$@"
}

setup_test()
{
	if [ -e "$build/build.ninja" ]; then
		quiet meson setup --reconfigure "$build" "$root" -Dwerror=true
	else
		quiet meson setup "$build" "$root" $release -Dwerror=true
	fi
}

# Install those of the Debian packages given that are missing.
need()
{
	if ! command -v dpkg-query >/dev/null; then
		command -v meson >/dev/null && return
		say "this is not Debian: install what these packages hold, then" \
		    "run it again: $*"
		exit 1
	fi
	missing=
	for package; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" \
		    2>/dev/null) in
		installed) ;;
		*) missing="$missing $package" ;;
		esac
	done
	[ -n "$missing" ] || return 0

	sudo=
	if [ "$(id -u)" != 0 ]; then
		sudo=sudo
		if ! command -v sudo >/dev/null; then
			say "missing packages, and no right to install them." \
			    "As root: apt-get install$missing"
			exit 1
		fi
	fi
	say "installing$missing"
	# Package lists that are absent or old make the first try fail.
	apt_install >/dev/null 2>&1 && return
	quiet $sudo apt-get update
	quiet apt_install
}

apt_install()
{
	# shellcheck disable=SC2086
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y \
	    --no-install-recommends -o DPkg::Lock::Timeout=300 $missing </dev/null
}

# Run a command; print what it said only if it fails.
quiet()
{
	log=$(mktemp)
	if "$@" >"$log" 2>&1; then
		rm -f "$log"
	else
		cat "$log" >&2
		rm -f "$log"
		return 1
	fi
}

say()
{
	echo "do: $*" >&2
}

main "$@"
