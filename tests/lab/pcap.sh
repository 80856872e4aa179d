#!/usr/bin/env bash
# solab run --pcap: what tshark sees in a capture is what the simulator counts.
. tests/try.sh
command -v tshark >/dev/null || {
	echo 'skipped: no tshark'
	exit 77
}
scenario=scenarios/accept-predication.yaml

# What is asked of each frame, a column each.
columns='tcp.srcport tcp.flags.syn tcp.flags.ack tcp.flags.reset tcp.flags.fin
	tcp.len tcp.analysis.retransmission tcp.analysis.out_of_order
	frame.comment _ws.malformed tcp.checksum.status ip.checksum.status
	_ws.expert.severity http.request http.response.code
	frame.interface_name frame.packet_flags_direction frame.time_epoch
	tcp.port'

# look FILE ARGS...: a line for each frame in $tmp/frames. Frames that the link
# loses after they left are there, and so are those sent again for them, so
# tshark must be told to put streams together in order.
look()
{
	file=$1
	shift
	# shellcheck disable=SC2046
	tshark -n -r "$file" -o tcp.check_checksum:TRUE \
	    -o ip.check_checksum:TRUE -o tcp.reassemble_out_of_order:TRUE \
	    -T fields $(printf -- ' -e %s' $columns) "$@" \
	    >"$tmp/frames" 2>"$tmp/err"
}

# count CONDITION of awk's over the columns' last names: srcport == 80 && fin
count()
{
	awk -F'\t' '
	function yes(s) { return s ~ /^(1|True)/ }
	{
		srcport = $1; syn = yes($2); ack = yes($3); reset = yes($4)
		fin = yes($5); len = $6; again = $7 != "" || $8 != ""
		comment = $9; bad = $10 != "" || $11 == 0 || $12 == 0 ||
		    index($13, "8388608") > 0
		request = $14 != ""; code = $15; interface = $16
		direction = $17; time = $18; port = $19
	}
	'"$1"' { n++; bytes += len }
	END { print n + 0, bytes + 0 }' "$tmp/frames"
}

counter()
{
	sed -E "s/.*\"counters\": \{[^}]*\"$1\": ([0-9]+).*/\1/" "$tmp/json"
}

# equal WHAT CONDITION WANTED: how many frames are so.
equal()
{
	got=$(count "$2")
	[ "${got% *}" = "$3" ] || complain "$name: $1: ${got% *}, want $3"
}

# bytes WHAT CONDITION WANTED
bytes()
{
	got=$(count "$2")
	[ "${got#* }" = "$3" ] || complain "$name: $1: ${got#* }, want $3"
}

# twice ARGS...: of run, with and without look-ahead.
twice()
{
	try 0 run "$@" --pcap "$tmp/pcap" --json
	cp "$tmp/out" "$tmp/json"
	try 0 run "$@" --pcap "$tmp/exact" --no-lookahead
	cmp "$tmp/exact" "$tmp/pcap" ||
	    complain 'it is another capture without look-ahead'
	look "$tmp/pcap"
	equal 'frames that are not sound' bad 0
	equal 'of the wrong direction' \
	    '(srcport == 80) != (direction ~ /2$/)' 0
}

# capture NAME ARGS...: from the first instant until all is quiet.
capture()
{
	name=$1
	shift
	twice $scenario --reps 1 --warmup 0s "$@"
	equal SYNs 'syn && !ack' "$(counter syns)"
	equal SYN+ACKs 'syn && ack' "$(($(counter tcps_sc_added) +
	    $(counter tcps_sc_retransmitted) + $(counter tcps_sc_dupsyn)))"
	equal resets 'reset && srcport == 80' "$(counter rst_sent)"
	equal 'data frames' 'srcport == 80 && len > 0 && !again' \
	    "$(counter tcps_sndpack)"
	bytes 'data bytes' 'srcport == 80 && len > 0 && !again' \
	    "$(counter tcps_sndbyte)"
	equal 'sent again' 'srcport == 80 && len > 0 && again' \
	    "$(counter tcps_sndrexmitpack)"
	equal 'of other interfaces' 'interface != "server.em0"' 0
}

# Httperf spins through these seconds, which thread contexts make forty times
# as long.
contexts=${SIM_FACTORY-}
unset SIM_FACTORY

# Fifty connections to a queue of two.
capture queue --measure 5s --set processes=10 --set sessions=5 \
    --set kern.ipc.somaxconn=2
[ "$(counter client_connects)" = 50 ] || complain 'not fifty'
[ "$(counter drop_syn_queue_full)" -gt 0 ] || complain 'nothing was dropped'
equal 'SYNs of connects and retries' 'syn && !ack' \
    $((50 + $(counter client_syn_retries)))
equal 'SYNs again' 'comment ~ /SYN sent again/' "$(counter client_syn_retries)"
equal 'SYNs again, by tshark' 'syn && again' "$(counter client_syn_retries)"
equal 'SYNs dropped' 'comment ~ /listen queue full: so_qlen 3 > 2$/' \
    "$(counter drop_syn_queue_full)"
equal 'ACKs refused' 'comment ~ /third ACK refused: so_qlen [0-9]+ > 3\/2 of 2$/' \
    "$(counter drop_ack_queue_full)"
equal requests request 50
equal responses 'code == 200' "$(counter nginx_requests)"
equal 'FINs of the server' 'fin && srcport == 80' "$(counter sockets_accepted)"
equal 'FINs of clients' 'fin && srcport != 80' "$(counter sockets_accepted)"
bytes 'bytes of requests' 'srcport != 80' $((50 * 62))

# A link that loses frames.
capture loss --measure 8s --set processes=10 --set sessions=10 \
    --set object=20KiB --set client.loss=3%
[ "$(counter sockets_accepted)" = 100 ] || complain 'not quiet at the end'
equal 'whole responses' 'code == 200' 100
[ "$(counter tcps_sndrexmitpack)" -gt 50 ] || complain 'nothing was sent again'
lost=$(count 'comment ~ /lost on the link/')
[ "${lost% *}" -gt 10 ] || complain 'nothing is lost'
[ "${lost% *}" -lt "$(counter drop_wire)" ] ||
    complain 'frames that never came are in the capture'
[ -z "$contexts" ] || export SIM_FACTORY="$contexts"

# Two servers that know nothing of one another, three ports, segmentation by the
# card, rings and queues that are too small, all at once.
name=many
ln -s "$SRCDIR/scenarios/hardware" "$tmp/hardware"
cat >"$tmp/many.yaml" <<'END'
title: "</script>\"'\\ \U0001f421"
machines:
  a:
    kernel: dragonfly-2017
    hardware: e5-2620v2-2way
    nics: {ix: {model: x550, ports: 2, rate: 10Gbps, latency: 5us, polling: true}}
    sysctl: {kern.ipc.somaxconn: 32, hw.ix.rxd: 64, net.ifpoll.pollhz: 250, net.netisr.ncpus: 1}
    processes:
      nginx: {program: nginx, workers: 1, object: 20KiB}
  b:
    kernel: dragonfly-2011
    hardware: i7-2600
    nics: {em: {model: em, rate: 1Gbps, latency: 10us}}
    processes:
      nginx: {program: nginx, workers: 1, cpu: 1, object: 151B, header: 254B}
peers:
  c0: {hardware: e3-1230, link: a.ix0, tool: wrk, threads: 8, connections: 300, connreqs: 2, request: 62B}
  c1: {extends: c0, link: a.ix1, request: 100B}
  c2: {extends: c0, link: b.em0}
run: {start: burst, warmup: 0s, measure: 100ms, replications: 1, seed: 1}
END
twice "$tmp/many.yaml"
for of in a.ix0 a.ix1 b.em0; do
	got=$(count "interface == \"$of\" && syn")
	[ "${got% *}" -ge 300 ] || complain "$of: ${got% *} SYNs and SYN+ACKs"
done
equal SYNs 'syn && !ack' "$(counter client_connects)"
equal 'SYNs dropped' 'comment ~ /^listen queue full: so_qlen [0-9]+ > [0-9]+$/' \
    "$(counter drop_syn_queue_full)"
equal 'ACKs refused' \
    'comment ~ /^third ACK refused: so_qlen [0-9]+ > 3\/2 of [0-9]+$/' \
    "$(counter drop_ack_queue_full)"
equal 'without a descriptor' \
    'comment ~ /^no receive descriptor: 64 of 64 taken$/' \
    "$(counter drop_rx_ring)"
equal 'resets that say why' \
    'reset && comment ~ /^reset: the third ACK was refused$/' \
    "$(counter rst_sent)"
equal 'other comments' 'comment != "" && comment !~ /^(listen|third|no rec|reset)/' 0
equal 'sent again, by tshark' again 0
for kind in drop_syn_queue_full drop_ack_queue_full drop_rx_ring rst_sent; do
	[ "$(counter $kind)" -gt 0 ] || complain "no $kind"
done
capinfos -k "$tmp/pcap" | grep -qF "</script>\"'\\ 🐡" ||
    complain 'lacks its title'

# A window, and one connection.
name=window
try 0 run $scenario --reps 1 --warmup 0s --measure 50ms --pcap "$tmp/pcap" \
    --trace-window 10ms..20ms
look "$tmp/pcap"
equal 'frames outside' 'time < 0.01 || time >= 0.02' 0
client=$(awk -F'\t' 'NR == 1 { sub(/^80,/, "", $19); sub(/,80$/, "", $19)
    print $19 }' "$tmp/frames")
try 0 run $scenario --reps 1 --warmup 0s --measure 50ms --pcap "$tmp/pcap" \
    --trace-connection "0:$client"
look "$tmp/pcap"
equal 'other connections' "port !~ /$client/" 0
[ -s "$tmp/frames" ] || complain 'nothing of the connection'

# No larger than it may be; a word says where it ends.
try 0 run $scenario --reps 1 --warmup 0s --measure 100ms --pcap "$tmp/pcap" \
    --trace-limit 100KiB
says 'cut at'
[ "$(wc -c <"$tmp/pcap")" -le 102400 ] || complain 'it is too long'
look "$tmp/pcap"
equal 'frames of a cut file that are not sound' bad 0

# What it refuses.
try 2 run $scenario --trace-window 1s..2s
says 'without --trace or --pcap'
try 2 run $scenario --pcap "$tmp/x" --trace "$tmp/x"
[ ! -e "$tmp/x" ] || complain 'it wrote something'
try 1 run $scenario --pcap "$tmp/nowhere/x"
try 1 run $scenario --reps 1 --warmup 0s --measure 10ms --pcap /dev/full
says '/dev/full: No space left'

# Names that try to break out come to no file.
for bad in '"</script>' "a'b" '😀' 'a\nb' '%s%n' "$(printf 'x%.0s' {1..1000})"; do
	quoted=${bad//\'/\'\'}
	text=$(sed "s|^  b:|  '@NAME@':|; s|b\.em0|'@NAME@.em0'|" \
	    "$tmp/many.yaml")
	printf '%s\n' "${text//@NAME@/"$quoted"}" >"$tmp/bad.yaml"
	try 2 run "$tmp/bad.yaml" --pcap "$tmp/x"
	says 'is not a name'
	[ ! -e "$tmp/x" ] || complain 'it wrote something'
done
exit $failed
