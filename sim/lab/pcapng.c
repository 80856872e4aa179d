#include "sim/lab/pcapng.h"

#include <stdlib.h>
#include <string.h>

#include "model/net/if.h"
#include "sim/core/alloc.h"
#include "sim/lab/text.h"

#define FRAME_MAX 65600
#define COMMENT_MAX 200
#define NAME_MAX_BYTES 100 /* two names of a scenario, and a number */
#define OPTION_MAX UINT16_MAX
#define PORT_HTTP 80

/* Block and option types of pcapng. */
enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_PACKET = 6,
	OPT_END = 0,
	OPT_COMMENT = 1,
	OPT_APPLICATION = 4, /* of a section */
	OPT_NAME = 2,	     /* of an interface */
	OPT_SPEED = 8,
	OPT_TSRESOL = 9,
	OPT_FLAGS = 2, /* of a packet */
	LINK_ETHERNET = 1,
};

/* What a port's capture is called and where its addresses are. */
struct tap {
	char tp_name[NAME_MAX_BYTES];
	int64_t tp_bps;
	uint32_t tp_server;	      /* IPv4 */
	int64_t tp_header, tp_object; /* of a response, bytes */
	char *tp_head;		      /* the header's */
};

struct writer {
	FILE *wr_fp;
	const struct capture *wr_ca;
	struct tap *wr_taps;
	int wr_ntaps;
	int64_t wr_written;
	uint16_t wr_id[2]; /* IP, by direction */
	uint8_t *wr_frame;
};

static void taps(struct writer *);
static void section(struct writer *);
static void interface(struct writer *, const struct tap *);
static void packet(struct writer *, const struct capture_frame *);
static size_t frame(struct writer *, const struct capture_frame *);
static size_t tcp_options(
    const struct writer *, const struct capture_frame *, uint8_t *);
static void payload(
    const struct writer *, const struct capture_frame *, uint8_t *);
static void comment(const struct capture_frame *, char *);
static char *response_header(int64_t n, int64_t object);

bool
pcapng_write(
    FILE *fp, const char *name, struct sim_trace *st, const struct model *md)
{
	struct capture ca;
	struct writer wr = { .wr_fp = fp, .wr_ca = &ca };

	(void)name;
	sim_trace_sort(st);
	capture_init(&ca, st, md);
	wr.wr_frame = sim_calloc(1, FRAME_MAX);
	taps(&wr);
	section(&wr);
	for (int i = 0; i < wr.wr_ntaps; i++)
		interface(&wr, &wr.wr_taps[i]);
	for (uint64_t i = 0; i < ca.ca_n && !ferror(fp); i++) {
		packet(&wr, &ca.ca_frames[i]);
		if (st->st_bytes > 0 && wr.wr_written > 2 * st->st_bytes)
			break; /* it will be written again, shorter */
	}
	sim_free(wr.wr_frame);
	for (int i = 0; i < wr.wr_ntaps; i++)
		sim_free(wr.wr_taps[i].tp_head);
	sim_free(wr.wr_taps);
	capture_fini(&ca);
	return true;
}

/* Ports in the order of the model's links. */
static void
taps(struct writer *wr)
{
	const struct model *md = wr->wr_ca->ca_model;
	const struct setup *su = md->md_setup;
	int n = 0;

	wr->wr_ntaps = md->md_nwires / 2;
	wr->wr_taps = sim_calloc((size_t)wr->wr_ntaps, sizeof(*wr->wr_taps));
	for (int i = 0; i < su->su_nmachines; i++) {
		const struct setup_machine *sm = &su->su_machines[i];
		int index = 0;

		for (int k = 0; k < sm->sm_nnics; k++)
			for (int p = 0; p < sm->sm_nics[k].sn_ports;
			     p++, n++, index++) {
				struct tap *tp = &wr->wr_taps[n];

				snprintf(tp->tp_name, sizeof(tp->tp_name),
				    "%s.%s%d", sm->sm_name,
				    sm->sm_nics[k].sn_name, p);
				tp->tp_bps = sm->sm_nics[k].sn_bps;
				tp->tp_server =
				    capture_ip(i, md->md_machines[i]
						      .m_ifnets[index]
						      ->if_addr);
				tp->tp_header = sm->sm_procs[0].sp_header;
				tp->tp_object = sm->sm_procs[0].sp_object;
				tp->tp_head = response_header(
				    tp->tp_header, tp->tp_object);
			}
	}
}

/* Blocks: little-endian words, their length before and after. */

static void
put(struct writer *wr, const void *bytes, size_t n)
{
	fwrite(bytes, 1, n, wr->wr_fp);
	wr->wr_written += (int64_t)n;
}

static void
put16(struct writer *wr, uint16_t v)
{
	uint8_t b[2] = { (uint8_t)v, (uint8_t)(v >> 8) };

	put(wr, b, sizeof(b));
}

static void
put32(struct writer *wr, uint32_t v)
{
	put16(wr, (uint16_t)v);
	put16(wr, (uint16_t)(v >> 16));
}

static size_t
padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Bytes, and what fills up a word. */
static void
put_padded(struct writer *wr, const void *bytes, size_t n)
{
	static const uint8_t zeros[4];

	put(wr, bytes, n);
	put(wr, zeros, padded(n) - n);
}

static size_t
option_size(size_t n)
{
	return 4 + padded(n);
}

static void
option(struct writer *wr, uint16_t type, const void *value, size_t n)
{
	put16(wr, type);
	put16(wr, (uint16_t)n);
	put_padded(wr, value, n);
}

/* Bytes of a text that an option holds, whole characters. */
static size_t
fitting(const char *text)
{
	const char *end = text + strlen(text), *s = text;
	uint32_t code;
	int n;

	while (s < end) {
		n = text_decode(s, end, &code);
		if (s + n - text > OPTION_MAX)
			break;
		s += n;
	}
	return (size_t)(s - text);
}

static void
section(struct writer *wr)
{
	static const char name[] = "solab " SOLAB_VERSION;
	const char *title = wr->wr_ca->ca_model->md_setup->su_title;
	size_t said = title != NULL ? fitting(title) : 0;
	uint32_t size = (uint32_t)(28 + (said > 0 ? option_size(said) : 0) +
				   option_size(strlen(name)) + 4);

	put32(wr, BLOCK_SECTION);
	put32(wr, size);
	put32(wr, 0x1a2b3c4d);
	put16(wr, 1); /* version 1.0 */
	put16(wr, 0);
	put32(wr, UINT32_MAX); /* its length is not said */
	put32(wr, UINT32_MAX);
	if (said > 0)
		option(wr, OPT_COMMENT, title, said);
	option(wr, OPT_APPLICATION, name, strlen(name));
	option(wr, OPT_END, "", 0);
	put32(wr, size);
}

static void
interface(struct writer *wr, const struct tap *tp)
{
	uint8_t resolution = 9, speed[8];
	size_t n = strlen(tp->tp_name);
	uint32_t size = (uint32_t)(20 + option_size(n) + option_size(8) +
				   option_size(1) + 4);

	for (int i = 0; i < 8; i++)
		speed[i] = (uint8_t)((uint64_t)tp->tp_bps >> 8 * i);
	put32(wr, BLOCK_INTERFACE);
	put32(wr, size);
	put16(wr, LINK_ETHERNET);
	put16(wr, 0);
	put32(wr, 0); /* no limit of a frame's length */
	option(wr, OPT_NAME, tp->tp_name, n);
	option(wr, OPT_SPEED, speed, sizeof(speed));
	option(wr, OPT_TSRESOL, &resolution, 1);
	option(wr, OPT_END, "", 0);
	put32(wr, size);
}

static void
packet(struct writer *wr, const struct capture_frame *cf)
{
	char text[COMMENT_MAX];
	uint8_t flags[4] = { cf->cf_out ? 2 : 1, 0, 0, 0 };
	size_t n = frame(wr, cf), said;
	uint32_t size;

	comment(cf, text);
	said = strlen(text);
	size = (uint32_t)(32 + padded(n) + option_size(sizeof(flags)) +
			  (said > 0 ? option_size(said) : 0) + 4);
	put32(wr, BLOCK_PACKET);
	put32(wr, size);
	put32(wr, cf->cf_port);
	put32(wr, (uint32_t)((uint64_t)cf->cf_time >> 32));
	put32(wr, (uint32_t)cf->cf_time);
	put32(wr, (uint32_t)n);
	put32(wr, (uint32_t)n);
	put_padded(wr, wr->wr_frame, n);
	option(wr, OPT_FLAGS, flags, sizeof(flags));
	if (said > 0)
		option(wr, OPT_COMMENT, text, said);
	option(wr, OPT_END, "", 0);
	put32(wr, size);
}

/* Numbers of the model only. */
static void
comment(const struct capture_frame *cf, char *text)
{
	static const char *const formats[CAPTURE_NNOTES] = {
		[CAPTURE_PLAIN] = "",
		[CAPTURE_SYN_AGAIN] = "SYN sent again",
		[CAPTURE_SYN_DROP] = "listen queue full: so_qlen %lld > %lld",
		[CAPTURE_REFUSED] =
		    "third ACK refused: so_qlen %lld > 3/2 of %lld",
		[CAPTURE_RING_DROP] =
		    "no receive descriptor: %lld of %lld taken",
		[CAPTURE_LOST] = "lost on the link",
		[CAPTURE_RESET] = "reset: the third ACK was refused",
	};
	size_t n = 0;

	text[0] = '\0';
	for (int i = CAPTURE_SYN_AGAIN; i < CAPTURE_NNOTES; i++) {
		if (!(cf->cf_notes >> i & 1))
			continue;
		n += (size_t)snprintf(
		    text + n, COMMENT_MAX - n, "%s", n > 0 ? "; " : "");
/* The formats are these above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		n += (size_t)snprintf(text + n, COMMENT_MAX - n, formats[i],
		    (long long)cf->cf_n, (long long)cf->cf_m);
#pragma GCC diagnostic pop
	}
}

/* Network order. */

static void
net16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void
net32(uint8_t *at, uint32_t v)
{
	net16(at, v >> 16);
	net16(at + 2, v & 0xffff);
}

uint32_t
pcapng_sum(const uint8_t *bytes, size_t n, uint32_t sum)
{
	for (size_t i = 0; i + 1 < n; i += 2)
		sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	return n % 2 != 0 ? sum + ((uint32_t)bytes[n - 1] << 8) : sum;
}

uint16_t
pcapng_checksum(uint32_t sum)
{
	while (sum > 0xffff)
		sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)~sum;
}

/* 02: made up by us, of a server's port (0) or a client (1). */
static void
mac(uint8_t *at, int client, uint32_t index)
{
	at[0] = 2;
	at[1] = 0;
	at[2] = (uint8_t)client;
	at[3] = (uint8_t)(index >> 16);
	at[4] = (uint8_t)(index >> 8);
	at[5] = (uint8_t)index;
}

/* Returns: its length. */
static size_t
frame(struct writer *wr, const struct capture_frame *cf)
{
	const struct tap *tp = &wr->wr_taps[cf->cf_port];
	uint8_t *eth = wr->wr_frame, *ip = eth + 14, *tcp = ip + 20;
	uint32_t client;
	bool out = cf->cf_out;
	size_t options, len;

	capture_peer(wr->wr_ca->ca_model, cf->cf_flow, &client);
	mac(eth, out, out ? flow_addr(cf->cf_flow) : cf->cf_port);
	mac(eth + 6, !out, out ? cf->cf_port : flow_addr(cf->cf_flow));
	net16(eth + 12, 0x0800);

	options = tcp_options(wr, cf, tcp + 20);
	len = 20 + options + cf->cf_len; /* of TCP */
	payload(wr, cf, tcp + 20 + options);
	ip[0] = 0x45;
	ip[1] = 0;
	net16(ip + 2, (uint32_t)(20 + len));
	net16(ip + 4, wr->wr_id[out]++);
	net16(ip + 6, 0x4000); /* do not fragment */
	ip[8] = 64;
	ip[9] = 6;
	net16(ip + 10, 0);
	net32(ip + 12, out ? tp->tp_server : client);
	net32(ip + 16, out ? client : tp->tp_server);
	net16(ip + 10, pcapng_checksum(pcapng_sum(ip, 20, 0)));

	net16(tcp, out ? PORT_HTTP : flow_port(cf->cf_flow));
	net16(tcp + 2, out ? flow_port(cf->cf_flow) : PORT_HTTP);
	net32(tcp + 4, cf->cf_seq);
	net32(tcp + 8, cf->cf_flags & TH_ACK ? cf->cf_ack : 0);
	tcp[12] = (uint8_t)((20 + options) / 4 << 4);
	tcp[13] = cf->cf_flags;
	if (cf->cf_flags & TH_SYN)
		net16(tcp + 14, cf->cf_win > 65535 ? 65535 : cf->cf_win);
	else if (cf->cf_win > 0 && cf->cf_win >> wr->wr_ca->ca_shift == 0)
		net16(tcp + 14, 1); /* it is not closed */
	else
		net16(tcp + 14, cf->cf_win >> wr->wr_ca->ca_shift);
	net16(tcp + 16, 0);
	net16(tcp + 18, 0);
	net16(tcp + 16, pcapng_checksum(pcapng_sum(ip + 12, 8,
			    pcapng_sum(tcp, len, 6 + (uint32_t)len))));
	return 34 + len;
}

/* What pkt_wire_bytes() counts: 12 bytes, 8 more on a SYN. */
static size_t
tcp_options(
    const struct writer *wr, const struct capture_frame *cf, uint8_t *at)
{
	size_t n = 0;

	if (cf->cf_flags & TH_SYN) {
		static const uint8_t mss[] = { 2, 4, 1460 >> 8, 1460 & 0xff, 1,
			3, 3 };

		memcpy(at, mss, sizeof(mss));
		at[sizeof(mss)] = (uint8_t)wr->wr_ca->ca_shift;
		n = sizeof(mss) + 1;
	}
	at[n++] = 1;
	at[n++] = 1;
	at[n++] = 8;
	at[n++] = 10;
	net32(at + n, cf->cf_tsval);
	net32(at + n + 4, cf->cf_tsecr);
	return n + 8;
}

/*
 * The byte at an offset of a request of n bytes: its path is as long as it
 * takes. A request too short for this is no HTTP.
 */
static char
request_byte(int64_t offset, int64_t n)
{
	static const char begin[] = "GET /", end[] = " HTTP/1.1\r\n\r\n";
	const int64_t nbegin = sizeof(begin) - 1, nend = sizeof(end) - 1;

	if (n < nbegin + nend)
		return 'x';
	if (offset < nbegin)
		return begin[offset];
	return offset < n - nend ? 'x' : end[offset - (n - nend)];
}

/*
 * Give a header that has the length it should. One too short for this is no
 * HTTP.
 */
static char *
response_header(int64_t n, int64_t object)
{
	static const char fill[] = "X-Fill: ", end[] = "\r\n\r\n";
	const int64_t nfill = sizeof(fill) - 1, nend = sizeof(end) - 1;
	char begin[80], *text = sim_calloc((size_t)n + 1, 1);
	int64_t nbegin = snprintf(begin, sizeof(begin),
	    "HTTP/1.1 200 OK\r\nContent-Length: %lld\r\n", (long long)object);

	memset(text, 'x', (size_t)n);
	if (n < nbegin + nfill + nend)
		return text;
	memcpy(text, begin, (size_t)nbegin);
	memcpy(text + nbegin, fill, (size_t)nfill);
	memcpy(text + n - nend, end, (size_t)nend);
	return text;
}

/* Without the SYN nobody knows where in its stream a segment is. */
static void
payload(const struct writer *wr, const struct capture_frame *cf, uint8_t *at)
{
	const struct tap *tp = &wr->wr_taps[cf->cf_port];
	const struct model *md = wr->wr_ca->ca_model;
	uint32_t ip;
	int64_t request = capture_peer(md, cf->cf_flow, &ip)->pe_request;
	int64_t response = tp->tp_header + tp->tp_object;

	memset(at, 'x', cf->cf_len);
	for (uint32_t i = 0; i < cf->cf_len && cf->cf_known; i++) {
		int64_t offset = (int64_t)cf->cf_offset + i;

		if (!cf->cf_out && request > 0)
			at[i] =
			    (uint8_t)request_byte(offset % request, request);
		else if (cf->cf_out && offset % response < tp->tp_header)
			at[i] = (uint8_t)tp->tp_head[offset % response];
	}
}
