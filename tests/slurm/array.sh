#!/usr/bin/env bash
# A sweep through a real Slurm: an array on two nodes and the job that merges.
# A node is killed under a running task; a point fails; a task is lost.
set -uo pipefail
. "$SRCDIR/tests/slurm.sh"
failed=0
work="$cluster/it's a \"50%a\" \$HOME"
mkdir "$work"
cp -r "$SRCDIR/scenarios" "$work"
cd "$work" || die 'no folder'

complain()
{
	echo "$*"
	failed=1
}

# sweep ARGS...: 12 points
sweep()
{
	"$SOLAB" sweep soavailconn \
	    --set client0.connections=200 --set client1.connections=200 \
	    --set run.ramp=20ms --set run.start=smooth --warmup 50ms \
	    --set object=1KiB,8KiB,16KiB --set soavailconn=0,4,16,64 "$@"
}

# submit DB ARGS...: and the job ids, $array and $merge.
submit()
{
	db=$1
	shift
	sweep --db "$db" --executor slurm "$@" >"$cluster/out" 2>&1 ||
	    die "not submitted: $(cat "$cluster/out")"
	array=$(sed -n 's/^tasks //p' "$db.slurm/manifest")
	merge=$(sed -n 's/^merge //p' "$db.slurm/manifest")
}

ended()
{
	[ -z "$(squeue --noheader --jobs="$1" 2>/dev/null)" ]
}

# The state and status of a job: "COMPLETED 0:0"
outcome()
{
	scontrol --oneliner show job "$1" |
	    sed -E 's/.*JobState=([A-Z_]*) .* ExitCode=([0-9:]*) .*/\1 \2/'
}

content()
{
	"$SOLAB" export "$1" --json | sed 's/, "run": {.*//'
}

# equal DB LOCAL WHAT
equal()
{
	content "$2" >"$cluster/want"
	[ -s "$cluster/want" ] || complain "$3: nothing to compare with"
	content "$1" | cmp -s - "$cluster/want" ||
	    complain "$3: not what a sweep here gives"
}

echo '== an array of 6 tasks'
sweep --measure 200ms --reps 2 --db local.db >local.out 2>/dev/null
submit s.db --measure 200ms --reps 2 --chunk 4
sweep --db s.db --executor slurm --measure 200ms --reps 2 >/dev/null 2>"$cluster/err"
[ $? = 1 ] && grep -q "in the queue already, as job $array" "$cluster/err" ||
    complain "submitted twice: $(cat "$cluster/err")"
until_is 120 'the merge' ended "$merge"
equal s.db local.db 'an array'
[ "$(outcome "$merge")" = 'COMPLETED 0:0' ] || complain "merge: $(outcome "$merge")"
grep -v '^solab' s.db.slurm/merge.out | cmp -s - local.out || complain 'another table'
[ "$(cd s.db.slurm && ls task-*.db | wc -l)" = 6 ] || complain 'not a store a task'
scontrol --oneliner show job "$array" | grep -o 'BatchHost=n[12]' | sort -u | wc -l |
    grep -qx 2 || complain 'not on both nodes'

echo '== a node dies under its task'
sweep --measure 1s --reps 1 --db long.db >/dev/null 2>&1
submit k.db --measure 1s --reps 1 --chunk 6
# runs_of DB: that are done
runs_of()
{
	"$SOLAB" export "$1" --csv 2>/dev/null | grep -c ',done,'
}
victim()
{
	task=$(squeue --noheader --array --nodelist=n2 --states=R --format=%K)
	[ -n "$task" ] && [ "$(runs_of "k.db.slurm/task-$task.db")" -ge 1 ]
}
until_is 60 'a task on n2 with a run done' victim
# shellcheck disable=SC2046,SC2154
kill -KILL "$node_n2" $(steps n2)
before=$(runs_of "k.db.slurm/task-$task.db")
scontrol update nodename=n2 state=down reason=killed
requeued()
{
	scontrol --oneliner show job "${array}_$task" | grep -q 'Restarts=1'
}
until_is 30 'the task in the queue again' requeued
echo "task $task had $before of 6 runs; now $(outcome "${array}_$task")"
[ "$before" -lt 6 ] || complain 'the task was done when its node died'
# Slurm lets it wait for two minutes.
scontrol update jobid="${array}_$task" StartTime=now
until_is 120 'the merge' ended "$merge"
equal k.db long.db 'a killed node'
[ "$(outcome "$merge")" = 'COMPLETED 0:0' ] || complain "merge: $(outcome "$merge")"
grep -q "$before were in" "k.db.slurm/task-$task.out" ||
    complain "the task began anew: $(cat "k.db.slurm/task-$task.out")"

echo '== a point that fails'
submit f.db --reps 1 --set object=1KiB --set soavailconn=0 \
    --set run.measure=200ms,1h --time-limit 5s --chunk 1
until_is 120 'the merge' ended "$merge"
[ "$(outcome "$merge")" = 'FAILED 3:0' ] || complain "merge: $(outcome "$merge")"
[ "$(outcome "${array}_2")" = 'FAILED 3:0' ] || complain "task: $(outcome "${array}_2")"
grep -q '1 of 2 runs are in .*, 1 failed' f.db.slurm/merge.out ||
    complain "$(cat f.db.slurm/merge.out)"

echo '== a task that is lost'
submit c.db --measure 1s --reps 1 --chunk 6
scancel "${array}_2"
until_is 120 'the merge' ended "$merge"
[ "$(outcome "$merge")" = 'FAILED 1:0' ] || complain "merge: $(outcome "$merge")"
grep -q '6 of 12 runs are in .*, 6 are MISSING' c.db.slurm/merge.out ||
    complain "$(cat c.db.slurm/merge.out)"
submit c.db --measure 1s --reps 1 --chunk 6
grep -q '^solab: 6 of 12 runs to do' "$cluster/out" || complain "$(cat "$cluster/out")"
until_is 120 'the merge' ended "$merge"
[ "$(scontrol --oneliner show job "$array" | wc -l)" = 1 ] || complain 'more than the lost task'
equal c.db long.db 'a lost task'

exit $failed
