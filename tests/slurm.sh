# For tests/slurm/*.sh: a Slurm of our own on loopback, with two nodes on this
# machine, in the folder $cluster. No systemd, nothing of the machine's own
# Slurm or MUNGE is touched. Sourcing it starts it; it ends with the script.

# skip WHY
skip()
{
	echo "skipped: $1"
	exit 77
}

die()
{
	echo "$1"
	for log in "$cluster"/log/*; do
		echo "== $log"
		tail -n 20 "$log"
	done
	exit 1
}

# stop PID: ask, then insist. It may be gone, or not ours yet.
stop()
{
	kill "$1" 2>/dev/null || return 0
	for _ in $(seq 50); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL "$1" 2>/dev/null || true
}

# steps [NODE]: what its slurmd has started, and Slurm's process above it, first.
# They are no children of ours: told by their environment.
steps()
{
	for environ in /proc/[0-9]*/environ; do
		pid=${environ#/proc/}
		pid=${pid%/environ}
		{ tr '\0' '\n' <"$environ" | grep -xE \
		    "SLURM_CONF=$SLURM_CONF|SLURMD_NODENAME=${1-.*}" | wc -l; } 2>/dev/null |
		    grep -qx 2 || continue
		ps -o ppid=,pid= -p "$pid"
	done | awk '$1 > 1 { print $1 } { task[$2] } END { for (t in task) print t }'
}

cluster_stop()
{
	status=$?
	trap - EXIT
	scancel --user="$(id -un)" --quiet 2>/dev/null
	for daemon in $daemons; do
		stop "$daemon"
	done
	# shellcheck disable=SC2046
	kill -KILL $(steps) 2>/dev/null
	rm -rf "$cluster"
	exit $status
}

# node_start NAME: its slurmd, of which node_$NAME is the process.
node_start()
{
	slurmd -D -N "$1" >"$cluster/log/$1.out" 2>&1 &
	eval "node_$1=$!"
	daemons="$! $daemons"
}

# until_is SECONDS WHAT COMMAND...: wait until the command succeeds.
until_is()
{
	limit=$((SECONDS + $1))
	what=$2
	shift 2
	until "$@"; do
		[ $SECONDS -lt $limit ] || die "waited in vain for: $what"
		sleep 0.2
	done
}

nodes_idle()
{
	[ "$(sinfo -h -N -o %T 2>/dev/null | sort | uniq -c | tr -s ' ')" = ' 2 idle' ]
}

[ "$(id -u)" = 0 ] || skip 'a Slurm of our own needs root'
for program in slurmctld slurmd sbatch munged mungekey runuser; do
	command -v $program >/dev/null ||
	    skip "no $program (Debian: slurm-wlm, munge)"
done
getent hosts "$(hostname -s)" >/dev/null || skip 'the host name has no address'

cluster=$(mktemp -d /tmp/solab-slurm.XXXXXX)
daemons=
export SLURM_CONF=$cluster/slurm.conf
trap cluster_stop EXIT
trap 'exit 1' INT TERM HUP
chmod 755 "$cluster"
mkdir "$cluster"/{ctld,n1,n2,run,log}
port=$((17000 + $$ % 1000 * 10))

install -d -o munge -g munge -m 755 "$cluster/munge"
mungekey --create --keyfile="$cluster/munge/key"
chown munge:munge "$cluster/munge/key"
runuser -u munge -- munged --foreground \
    --key-file="$cluster/munge/key" --socket="$cluster/munge/socket" \
    --pid-file="$cluster/munge/pid" --log-file="$cluster/munge/log" \
    --seed-file="$cluster/munge/seed" >"$cluster/log/munged" 2>&1 &
daemons=$!

cat >"$SLURM_CONF" <<CONF
ClusterName=solab
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$cluster/ctld
SlurmdSpoolDir=$cluster/%n
SlurmctldPidFile=$cluster/run/slurmctld.pid
SlurmdPidFile=$cluster/run/%n.pid
SlurmctldLogFile=$cluster/log/slurmctld
SlurmdLogFile=$cluster/log/%n
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
NodeName=n1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 RealMemory=500 State=UNKNOWN
NodeName=n2 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 RealMemory=500 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF

slurmctld -D >"$cluster/log/slurmctld.out" 2>&1 &
daemons="$! $daemons"
node_start n1
node_start n2
for _ in $(seq 150); do
	nodes_idle && break
	sleep 0.2
done
if ! nodes_idle; then
	(die 'Slurm does not start') || true
	skip 'Slurm does not start here'
fi
