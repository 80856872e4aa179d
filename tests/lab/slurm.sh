#!/usr/bin/env bash
# The jobs of --executor slurm, with programs in place of Slurm's that run them
# at once. tests/slurm/ has the real one.
set -euo pipefail
cd "$SRCDIR"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
folder="$tmp/it's a \"50%a\" \$HOME"
mkdir -p "$folder/scenarios" "$tmp/bin"
cp -r scenarios/hardware "$folder/scenarios"
cp scenarios/soavailconn.yaml "$folder/scenarios/it's one.yaml"
cd "$folder"

complain()
{
	echo "$*"
	failed=1
}

# sweep ARGS...: 3 points
sweep()
{
	"$SOLAB" sweep "it's one" --set client0.connections=50 \
	    --set client1.connections=50 --set run.start=smooth \
	    --set run.ramp=5ms --warmup 10ms --measure 20ms \
	    --set 'object=1KiB' --set soavailconn=1,2,3 "$@"
}

# slurm ARGS...: with Slurm's programs; its standard error in $tmp/err.
slurm()
{
	PATH=$tmp/bin:$PATH sweep --executor slurm "$@" >"$tmp/out" 2>"$tmp/err"
}

nowhere()
{
	(PATH=/nowhere && sweep "$@")
}

# fails WORD STATUS COMMAND...
fails()
{
	word=$1 want=$2
	shift 2
	rc=0
	"$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	[ $rc = "$want" ] || complain "$*: status $rc, not $want: $(cat "$tmp/err")"
	grep -qF -- "$word" "$tmp/err" || complain "$*: no '$word': $(cat "$tmp/err")"
}

content()
{
	"$SOLAB" export "$1" --json | sed 's/, "run": {.*//'
}

says()
{
	grep -qF -- "$1" "$tmp/err" || complain "no '$1': $(cat "$tmp/err")"
}

# The array runs in the folder of nobody, as another machine would do it.
# $tmp/lose holds tasks that do not run, $tmp/queue what squeue prints.
cat >"$tmp/bin/sbatch" <<'SH'
#!/usr/bin/env bash
set -eu
here=$(dirname "$(dirname "$0")")
printf '%s\n' "$@" >>"$here/sbatch.log"
[ ! -e "$here/refuse" ] || { cat "$here/refuse" >&2; exit 1; }
array=0 output= SLURM_CPUS_PER_TASK=1
for arg; do
	case $arg in
	--array=*) array=${arg#*=} ;;
	--output=*) output=${arg#*=} ;;
	--cpus-per-task=*) SLURM_CPUS_PER_TASK=${arg#*=} ;;
	esac
done
export SLURM_CPUS_PER_TASK SLURM_ARRAY_TASK_ID
cd "$here"
for range in ${array//,/ }; do
	for SLURM_ARRAY_TASK_ID in $(seq "${range%-*}" "${range#*-}"); do
		! grep -qx "$SLURM_ARRAY_TASK_ID" "$here/lose" 2>/dev/null || continue
		file=${output//%%/$'\1'}
		file=${file//%a/$SLURM_ARRAY_TASK_ID}
		rc=0
		sh "${!#}" >>"${file//$'\1'/%}" 2>&1 </dev/null || rc=$?
		echo $rc >"$here/status"
	done
done
n=$(cat "$here/id" 2>/dev/null || echo 40)
echo $((n + 1)) >"$here/id"
echo "a word of the site"
echo "$((n + 1));cluster"
SH
printf '#!/bin/sh\ncat "%s/queue" 2>/dev/null || true\n' "$tmp" >"$tmp/bin/squeue"
chmod +x "$tmp/bin/"*

# Nothing is written where there is no Slurm, nor by a dry run.
fails 'no sbatch in PATH' 1 nowhere --reps 2 --db s.db --executor slurm
sweep --reps 2 --db s.db --executor slurm --chunk 2 --dry-run \
    --sbatch=--partition=long --sbatch '--comment=a b' >"$tmp/dry" 2>"$tmp/err"
[ ! -s "$tmp/err" ] || complain "dry run: $(cat "$tmp/err")"
for text in --array=1-3 --dependency=afterany:ARRAY_JOB "--partition=long '--comment=a b'" \
    '--shard "$SLURM_ARRAY_TASK_ID/3"' '6 runs in 3 points, 6 of them to do' --collect; do
	grep -qF -- "$text" "$tmp/dry" || complain "dry run: no $text"
done
[ "$(ls)" = scenarios ] || complain "dry run wrote: $(ls)"

# The array and the merge equal a sweep here.
sweep --reps 2 --db local.db >"$tmp/local.out" 2>/dev/null
content local.db >"$tmp/local"
slurm --reps 2 --db s.db --chunk 2 --jobs 2 --sbatch=--partition=long ||
    complain "submission: $(cat "$tmp/err")"
says '6 of 6 runs to do: job 41; then job 42'
[ "$(cat "$tmp/status")" = 0 ] || complain "merge: $(cat s.db.slurm/merge.out)"
content s.db | cmp -s - "$tmp/local" || complain 'other results than here'
grep -v '^solab' s.db.slurm/merge.out | cmp -s - "$tmp/local.out" || complain 'another table'
grep -q '^tasks 41$' s.db.slurm/manifest && grep -q '^merge 42$' s.db.slurm/manifest ||
    complain 'manifest: no jobs'
[ "$(grep -cP '^[123]\t[12]\tobject' s.db.slurm/manifest)" = 6 ] || complain 'manifest: runs'
[ "$(grep -cx -- --partition=long "$tmp/sbatch.log")" = 2 ] || complain 'an option of sbatch is lost'
[ "$("$SOLAB" export s.db.slurm/task-2.db --csv | grep -c ,done,)" = 2 ] || complain 'chunk'

# No log that is shared in memory: other machines open them too.
for db in s.db s.db.slurm/task-*.db; do
	[ "$(sqlite3 "$db" 'PRAGMA journal_mode')" = delete ] || complain "$db: a log"
done

# Once more: nothing is submitted, and the table is there.
slurm --reps 2 --db s.db || complain "again: $(cat "$tmp/err")"
cmp -s "$tmp/out" "$tmp/local.out" || complain 'again: another table'
says '6 of 6 runs are in s.db'
[ "$(cat "$tmp/id")" = 42 ] || complain 'again: submitted'

# More replications: only these, wherever the others came from; a lost task.
rm -r s.db.slurm
echo 2 >"$tmp/lose"
slurm --reps 4 --db s.db --chunk 4 || complain "grown: $(cat "$tmp/err")"
says '6 of 12 runs to do'
[ "$(cat "$tmp/status")" = 1 ] || complain "a lost task: status $(cat "$tmp/status")"
grep -q '10 of 12 runs are in .*s.db, 2 are MISSING' s.db.slurm/merge.out ||
    complain "a lost task: $(tail -n 1 s.db.slurm/merge.out)"
[ "$("$SOLAB" export s.db.slurm/task-1.db --csv | grep -c ,done,)" = 2 ] || complain 'ran what was there'
rm "$tmp/lose" "$tmp/sbatch.log"
# A store that a task left empty is no reason to stop.
: >s.db.slurm/task-2.db
slurm --reps 4 --db s.db --chunk 4 || complain "the rest: $(cat "$tmp/err")"
grep -qx -- --array=2 "$tmp/sbatch.log" || complain "the rest: $(grep array "$tmp/sbatch.log")"
[ "$(cat "$tmp/status")" = 0 ] || complain "the rest: $(cat s.db.slurm/merge.out)"
sweep --reps 4 --db local.db >/dev/null 2>&1
content local.db >"$tmp/local"
content s.db | cmp -s - "$tmp/local" || complain 'grown: other results than here'

# A run that fails does not keep the others from the store.
slurm --reps 1 --db f.db --time-limit 1ns || complain "failing: $(cat "$tmp/err")"
[ "$(cat "$tmp/status")" = 3 ] || complain "failing: status $(cat "$tmp/status")"
grep -q '0 of 3 runs are in .*f.db, 3 failed' f.db.slurm/merge.out || complain 'failing: not said'

# What must not be: two at a time, two sweeps in one folder.
echo 17 >"$tmp/queue"
fails 'in the queue already, as job 17' 1 slurm --reps 1 --db q.db
[ ! -e q.db.slurm ] && [ ! -e q.db ] || complain 'in the queue: written'
grep -q 'scancel --name=solab-it_s_one-' "$tmp/err" || complain "name: $(cat "$tmp/err")"
rm "$tmp/queue"
mkdir q.db.slurm
exec 8>q.db.slurm/lock
flock 8
fails 'another solab is submitting' 1 slurm --reps 1 --db q.db
exec 8>&-
fails 'of another sweep' 1 slurm --reps 2 --db s.db --set soavailconn=1,2
fails 'of another sweep' 1 slurm --reps 2 --db s.db --seed 2 --dry-run
fails 'of another sweep' 1 slurm --reps 2 --db s.db --seed 2 --collect
mkdir mine.db.slurm
touch mine.db.slurm/thesis
fails 'not the folder of a sweep' 1 slurm --db mine.db
fails 'no backslash' 1 slurm --db 'a\b.db'
fails 'no such folder' 2 slurm --db none.db --collect
fails 'no such store' 2 slurm --db none.db --resume
echo 'sbatch: error: Invalid account' >"$tmp/refuse"
fails 'Invalid account' 1 slurm --reps 1 --db r.db
says 'sbatch did not take it'
[ ! -e mine.db ] && [ ! -e none.db ] || complain 'a store was made'

# What cannot be meant.
fails "did you mean 'slurm'" 2 sweep --db s.db --executor slrm
fails 'want slurm' 2 sweep --db s.db --executor kubernetes
fails 'without --executor' 2 sweep --db s.db --dry-run
fails 'without --executor' 2 sweep --db s.db --sbatch=-n1
fails 'without --db' 2 slurm
fails '--precision cannot' 2 slurm --db s.db --precision throughput:1%
fails '--shard cannot' 2 slurm --db s.db --shard 1/2
fails 'want an option' 2 slurm --db s.db --sbatch long
fails "solab's to set" 2 slurm --db s.db --sbatch=--array=1-9

exit $failed
