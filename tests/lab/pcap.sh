#!/usr/bin/env bash
# solab run --pcap: what tshark sees in a capture is what the simulator counts.
. tests/try.sh
command -v tshark >/dev/null || {
	echo 'skipped: no tshark'
	exit 77
}
scenario=scenarios/accept-predication.yaml

# capture NAME ARGS...: from the first instant until all is quiet, with and
# without look-ahead.
capture()
{
	name=$1
	shift
	try 0 run $scenario --reps 1 --warmup 0s "$@" --pcap "$tmp/$name.pcapng" --json
	cp "$tmp/out" "$tmp/$name.json"
	try 0 run $scenario --reps 1 --warmup 0s "$@" --pcap "$tmp/exact" \
	    --no-lookahead
	cmp "$tmp/exact" "$tmp/$name.pcapng" ||
	    complain 'it is another capture without look-ahead'
}

shark()
{
	tshark -n -r "$tmp/$name.pcapng" -o tcp.check_checksum:TRUE \
	    -o ip.check_checksum:TRUE -o tcp.desegment_tcp_streams:FALSE "$@" \
	    2>"$tmp/err"
}

# frames FILTER: how many.
frames()
{
	shark -Y "$1" | wc -l
}

counter()
{
	sed -E "s/.*\"counters\": \{[^}]*\"$1\": ([0-9]+).*/\1/" "$tmp/$name.json"
}

# equal WHAT GOT WANT
equal()
{
	what="$name: $1"
	[ "$2" = "$3" ] || complain "$2, want $3"
}

comments()
{
	shark -Y 'frame.comment' -T fields -e frame.comment | grep -cE "$1"
}

# Bytes and frames of data from the server, and what of it was sent before.
data()
{
	shark -Y 'tcp.srcport==80 && tcp.len>0' -T fields -e tcp.len \
	    -e tcp.analysis.retransmission -e tcp.analysis.out_of_order |
	    awk -F'\t' '{
		if ($2 != "" || $3 != "")
			again++
		else {
			first++
			bytes += $1
		}
	    } END { print first + 0, bytes + 0, again + 0 }'
}

sound()
{
	equal 'frames that are not sound' "$(frames '_ws.malformed ||
	    tcp.checksum.status==0 || ip.checksum.status==0 ||
	    _ws.expert.severity==8388608')" 0
	equal SYNs "$(frames 'tcp.flags.syn==1 && tcp.flags.ack==0 && tcp.dstport==80')" \
	    "$(counter syns)"
	equal SYN+ACKs "$(frames 'tcp.flags.syn==1 && tcp.flags.ack==1')" \
	    "$(($(counter tcps_sc_added) + $(counter tcps_sc_retransmitted) +
		$(counter tcps_sc_dupsyn)))"
	equal resets "$(frames 'tcp.flags.reset==1 && tcp.srcport==80')" \
	    "$(counter rst_sent)"
	read -r first bytes again <<<"$(data)"
	equal 'data frames' "$first" "$(counter tcps_sndpack)"
	equal 'data bytes' "$bytes" "$(counter tcps_sndbyte)"
	equal 'retransmissions' "$again" "$(counter tcps_sndrexmitpack)"
}

# Fifty connections to a queue of two.
capture queue --measure 20s --set processes=10 --set sessions=5 \
    --set kern.ipc.somaxconn=2
sound
equal 'connect(2)' "$(counter client_connects)" 50
equal requests "$(frames http.request)" 50
equal responses "$(frames http.response.code==200)" "$(counter nginx_requests)"
equal 'SYNs from clients' "$(counter syns)" \
    "$(($(counter client_connects) + $(counter client_syn_retries)))"
equal 'SYNs sent again' "$(comments 'SYN sent again')" \
    "$(counter client_syn_retries)"
equal 'SYNs sent again, as tshark sees it' \
    "$(frames 'tcp.analysis.retransmission && tcp.flags.syn==1')" \
    "$(counter client_syn_retries)"
equal 'SYNs dropped' "$(comments '^listen queue full: so_qlen 3 > 2$|; listen queue full: so_qlen 3 > 2$')" \
    "$(counter drop_syn_queue_full)"
equal 'ACKs refused' "$(comments 'third ACK refused: so_qlen [0-9]+ > 3/2 of 2')" \
    "$(counter drop_ack_queue_full)"
[ "$(counter drop_syn_queue_full)" -gt 0 ] || complain 'nothing was dropped'
for side in srcport dstport; do
	equal "FINs, $side" "$(frames "tcp.flags.fin==1 && tcp.$side==80")" \
	    "$(counter sockets_accepted)"
done
equal 'bytes of requests' "$(shark -Y 'tcp.dstport==80' -T fields -e tcp.len |
    awk '{ sum += $1 } END { print sum }')" $((50 * 62))
equal 'the interface' "$(shark -c 1 -T fields -e frame.interface_name)" server.em0
equal 'directions' "$(shark -Y 'frame.packet_flags_direction==1 && tcp.srcport==80' | wc -l)" 0

# A link that loses a frame in thirty, and segmentation by the card.
capture loss --measure 40s --set processes=10 --set sessions=20 \
    --set object=20KiB --set client.loss=3%
sound
[ "$(counter tcps_sndrexmitpack)" -gt 100 ] || complain 'nothing was sent again'
[ "$(comments 'lost on the link')" -lt "$(counter drop_wire)" ] ||
    complain 'frames that never came are in the capture'

# A ring of few descriptors is not to be had; windows and one connection.
name=window
try 0 run $scenario --reps 1 --warmup 0s --measure 50ms --pcap "$tmp/window.pcapng" \
    --trace-window 10ms..20ms
outside=$(shark -T fields -e frame.time_epoch |
    awk '$1 < 0.01 || $1 >= 0.02 { n++ } END { print n + 0 }')
equal 'frames outside' "$outside" 0
port=$(shark -c 1 -T fields -e tcp.port | tr , '\n' | grep -v '^80$')
try 0 run $scenario --reps 1 --warmup 0s --measure 50ms --pcap "$tmp/window.pcapng" \
    --trace-connection "0:$port"
equal 'other connections' "$(frames "!(tcp.port==$port)")" 0
[ "$(frames "tcp.port==$port")" -gt 0 ] || complain 'nothing of the connection'

# No larger than it may be; the word says where it ends.
try 0 run $scenario --reps 1 --warmup 0s --measure 100ms --pcap "$tmp/window.pcapng" \
    --trace-limit 100KiB
says 'cut at'
[ "$(wc -c <"$tmp/window.pcapng")" -le 102400 ] || complain 'it is too long'
equal 'frames of a cut file' "$(frames '_ws.malformed')" 0

# What it refuses.
try 2 run $scenario --trace-window 1s..2s
says 'without --trace or --pcap'
try 2 run $scenario --pcap "$tmp/x" --trace "$tmp/x"
try 1 run $scenario --pcap "$tmp/nowhere/x"
exit $failed
