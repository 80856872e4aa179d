#include "sim/lab/capture.h"

#include <stdlib.h>
#include <string.h>

#include "model/netinet/tcp_timer.h"
#include "sim/core/alloc.h"

const uint64_t capture_kinds = 1ull << TRACE_FRAME | 1ull << TRACE_RING_DROP |
			       1ull << TRACE_SYN_DROP | 1ull << TRACE_REFUSED;

/* A connection, or what came after it on the same flow. */
struct flow_state {
	uint32_t fs_flow;
	bool fs_used;
	bool fs_syn_seen[2]; /* by direction: in, out */
	uint32_t fs_iss[2];
	uint32_t fs_tsval[2]; /* the last seen */
	/* Frames to the server, as their index plus 1; 0: none. */
	uint64_t fs_syn; /* its last SYN that found a descriptor */
	uint64_t fs_syn_before;
	uint64_t fs_last;      /* the last one */
	uint64_t fs_unrefused; /* all up to this are no longer to be refused */
	bool fs_refused;       /* since its last SYN */
};

struct builder {
	struct capture *bu_ca;
	struct flow_state *bu_flows; /* open addressing */
	uint64_t bu_nflows, bu_cap;
	uint64_t *bu_next; /* by frame to the server: its flow's next one */
	uint64_t bu_nnext;
};

static void frame(struct builder *, const struct sim_trace_rec *);
static void segment(struct builder *, const struct sim_trace_rec *,
    const struct pkt *, int index, uint64_t *left);
static void remember(
    struct builder *, struct capture_frame *, const struct pkt *);
static bool is_whole(
    const struct model *, const struct capture_frame *, const struct pkt *);
static void drop(struct builder *, const struct sim_trace_rec *);
static void refuse(struct builder *, const struct sim_trace_rec *);
static void ring_drop(struct builder *, const struct sim_trace_rec *);
static struct flow_state *flow_of(struct builder *, uint32_t flow);
static struct capture_frame *frame_add(struct capture *);
static uint64_t *next_of(struct builder *, uint64_t frame);
static int frame_compare(const void *, const void *);
static void timestamps(struct builder *);
static int shift(const struct setup *);

/*
 * Frames are taken in the order of the trace, and what became of one later in
 * the trace finds it through its flow. Timestamps need the order of segments in
 * time, and come last.
 */
void
capture_init(
    struct capture *ca, const struct sim_trace *st, const struct model *md)
{
	struct builder bu = { .bu_ca = ca };

	*ca =
	    (struct capture){ .ca_model = md, .ca_shift = shift(md->md_setup) };
	for (uint64_t i = 0; i < st->st_n; i++) {
		const struct sim_trace_rec *tr = &st->st_recs[i];

		if (tr->tr_kind == TRACE_FRAME)
			frame(&bu, tr);
		else if (tr->tr_kind == TRACE_SYN_DROP)
			drop(&bu, tr);
		else if (tr->tr_kind == TRACE_REFUSED)
			refuse(&bu, tr);
		else if (tr->tr_kind == TRACE_RING_DROP)
			ring_drop(&bu, tr);
	}
	if (ca->ca_n > 0)
		qsort(ca->ca_frames, ca->ca_n, sizeof(*ca->ca_frames),
		    frame_compare);
	timestamps(&bu);
	sim_free(bu.bu_flows);
	sim_free(bu.bu_next);
}

/*
 * Of the run and not of the trace, so that a SYN is the same in each window of
 * it. No window is larger than the space to receive, nor than TCP_MAXWIN <<
 * TCP_WINSHIFT.
 */
static int
shift(const struct setup *su)
{
	int64_t most = 0;
	int n = 0;

	for (int i = 0; i < su->su_nmachines; i++)
		if (su->su_machines[i].sm_sysctl.recvspace > most)
			most = su->su_machines[i].sm_sysctl.recvspace;
	for (int i = 0; i < su->su_npeers; i++)
		if (su->su_peers[i].pe_sysctl.recvspace > most)
			most = su->su_peers[i].pe_sysctl.recvspace;
	while (n < TCP_WINSHIFT && most >> n > TCP_MAXWIN)
		n++;
	return n;
}

void
capture_fini(struct capture *ca)
{
	sim_free(ca->ca_frames);
	*ca = (struct capture){ 0 };
}

static int
frame_compare(const void *va, const void *vb)
{
	const struct capture_frame *a = va, *b = vb;

	if (a->cf_time != b->cf_time)
		return a->cf_time < b->cf_time ? -1 : 1;
	return (a->cf_order > b->cf_order) - (a->cf_order < b->cf_order);
}

static void
frame(struct builder *bu, const struct sim_trace_rec *tr)
{
	int wire = tr->tr_where - bu->bu_ca->ca_model->md_ncpus;
	struct pkt p = trace_frame_pkt(tr);
	uint64_t left = p.p_nseg;

	if (wire % 2 == 0 && trace_frame_lost(tr))
		return;
	for (int i = 0; i < p.p_nseg; i++)
		segment(bu, tr, &p, i, &left);
}

/* The last segment's last bit leaves at the packet's time. */
static void
segment(struct builder *bu, const struct sim_trace_rec *tr, const struct pkt *p,
    int index, uint64_t *left)
{
	const struct model *md = bu->bu_ca->ca_model;
	int wire = tr->tr_where - md->md_ncpus;
	uint32_t first = (uint32_t)index * PKT_MSS;
	bool last = --*left == 0;
	uint32_t after = last ? 0 : p->p_len - first - PKT_MSS;
	struct pkt rest = { .p_len = (uint16_t)after,
		.p_nseg = (uint8_t)*left };
	struct capture_frame *cf = frame_add(bu->bu_ca);

	*cf = (struct capture_frame){
		.cf_time = tr->tr_time -
			   (last ? 0
				 : pkt_wire_bytes(&rest) * 8 * 1000000000 /
				       md->md_wires[wire]->w_bps),
		.cf_order = (uint32_t)bu->bu_ca->ca_n,
		.cf_flow = p->p_flow,
		.cf_seq = p->p_seq + first,
		.cf_ack = p->p_ack,
		.cf_win = p->p_win,
		.cf_len = (uint16_t)(last ? p->p_len - first : PKT_MSS),
		.cf_port = (uint16_t)(wire / 2),
		/* The card puts these on the last one only. */
		.cf_flags =
		    last ? p->p_flags : p->p_flags & ~(TH_FIN | TH_PUSH),
		.cf_out = wire % 2 != 0,
	};
	if (trace_frame_lost(tr))
		cf->cf_notes |= 1u << CAPTURE_LOST;
	remember(bu, cf, p);
}

/* What the flow's later frames are told by. */
static void
remember(struct builder *bu, struct capture_frame *cf, const struct pkt *p)
{
	struct flow_state *fs = flow_of(bu, cf->cf_flow);
	uint64_t index = (uint64_t)(cf - bu->bu_ca->ca_frames);

	if (cf->cf_flags & TH_SYN) {
		if (!cf->cf_out && fs->fs_syn_seen[0] &&
		    fs->fs_iss[0] == cf->cf_seq)
			cf->cf_notes |= 1u << CAPTURE_SYN_AGAIN;
		fs->fs_iss[cf->cf_out] = cf->cf_seq;
		fs->fs_syn_seen[cf->cf_out] = true;
		if (!cf->cf_out) {
			fs->fs_syn_before = fs->fs_syn;
			fs->fs_syn = fs->fs_unrefused = index + 1;
			fs->fs_refused = false;
		}
	}
	if (cf->cf_out && (cf->cf_flags & TH_RST) && fs->fs_refused)
		cf->cf_notes |= 1u << CAPTURE_RESET;
	if (!cf->cf_out) {
		if (fs->fs_last != 0)
			*next_of(bu, fs->fs_last - 1) = index + 1;
		fs->fs_last = index + 1;
	}
	if (!fs->fs_syn_seen[cf->cf_out] &&
	    is_whole(bu->bu_ca->ca_model, cf, p)) {
		fs->fs_syn_seen[cf->cf_out] = true;
		fs->fs_iss[cf->cf_out] = p->p_seq - 1;
	}
	cf->cf_known = fs->fs_syn_seen[cf->cf_out];
	cf->cf_offset = cf->cf_seq - fs->fs_iss[cf->cf_out] - 1;
}

/* Without the SYN one can tell what a packet holds by its length. */
static bool
is_whole(
    const struct model *md, const struct capture_frame *cf, const struct pkt *p)
{
	uint32_t ip;
	const struct setup_peer *pe = capture_peer(md, cf->cf_flow, &ip);
	const struct setup_process *sp =
	    &md->md_setup->su_machines[pe->pe_machine].sm_procs[0];

	return p->p_len > 0 &&
	       p->p_len == (cf->cf_out ? sp->sp_header + sp->sp_object
				       : pe->pe_request);
}

/* A listener that is full dropped the flow's last SYN. */
static void
drop(struct builder *bu, const struct sim_trace_rec *tr)
{
	struct flow_state *fs = flow_of(bu, tr->tr_id);
	struct capture_frame *cf;

	if (fs->fs_syn == 0)
		return;
	cf = &bu->bu_ca->ca_frames[fs->fs_syn - 1];
	cf->cf_notes |= 1u << CAPTURE_SYN_DROP;
	cf->cf_n = tr->tr_a;
	cf->cf_m = tr->tr_b;
}

/*
 * Segments of a flow are taken in their order: the first one since its SYN that
 * has an ACK, got as far as memory and was not refused yet.
 */
static void
refuse(struct builder *bu, const struct sim_trace_rec *tr)
{
	struct flow_state *fs = flow_of(bu, tr->tr_id);
	uint64_t i;

	if (fs->fs_syn == 0)
		return;
	for (i = fs->fs_unrefused; (i = *next_of(bu, i - 1)) != 0;) {
		struct capture_frame *cf = &bu->bu_ca->ca_frames[i - 1];

		if ((cf->cf_flags & (TH_SYN | TH_RST | TH_ACK)) != TH_ACK ||
		    (cf->cf_notes >> CAPTURE_RING_DROP & 1) != 0)
			continue;
		cf->cf_notes |= 1u << CAPTURE_REFUSED;
		cf->cf_n = tr->tr_a;
		cf->cf_m = tr->tr_b;
		fs->fs_unrefused = i;
		fs->fs_refused = true;
		return;
	}
}

/* It has the time of its frame, and comes after it in the trace. */
static void
ring_drop(struct builder *bu, const struct sim_trace_rec *tr)
{
	struct flow_state *fs = flow_of(bu, tr->tr_id);
	struct capture_frame *cf;

	SIM_ASSERT(fs->fs_last != 0);
	cf = &bu->bu_ca->ca_frames[fs->fs_last - 1];
	SIM_ASSERT(cf->cf_time == tr->tr_time);
	cf->cf_notes |= 1u << CAPTURE_RING_DROP;
	cf->cf_n = tr->tr_a;
	cf->cf_m = tr->tr_b;
	if (fs->fs_syn == fs->fs_last)
		fs->fs_syn = fs->fs_syn_before;
}

/*
 * In ms, never 0; each side echoes what reached it last of the other.
 *
 * Differs: what is under way counts as there.
 */
static void
timestamps(struct builder *bu)
{
	struct capture *ca = bu->bu_ca;

	for (uint64_t i = 0; i < ca->ca_n; i++) {
		struct capture_frame *cf = &ca->ca_frames[i];
		struct flow_state *fs = flow_of(bu, cf->cf_flow);

		cf->cf_tsval = (uint32_t)(cf->cf_time / 1000000) + 1;
		if ((cf->cf_flags & TH_SYN) && !cf->cf_out)
			fs->fs_tsval[1] = 0;
		cf->cf_tsecr =
		    cf->cf_flags & TH_ACK ? fs->fs_tsval[!cf->cf_out] : 0;
		if ((cf->cf_notes &
			(1u << CAPTURE_LOST | 1u << CAPTURE_RING_DROP)) == 0)
			fs->fs_tsval[cf->cf_out] = cf->cf_tsval;
	}
}

static struct capture_frame *
frame_add(struct capture *ca)
{
	if (ca->ca_n == ca->ca_cap) {
		ca->ca_cap = ca->ca_cap != 0 ? 2 * ca->ca_cap : 1024;
		ca->ca_frames = sim_realloc(
		    ca->ca_frames, ca->ca_cap, sizeof(*ca->ca_frames));
	}
	return &ca->ca_frames[ca->ca_n++];
}

/* 0 at first. */
static uint64_t *
next_of(struct builder *bu, uint64_t frame)
{
	if (frame >= bu->bu_nnext) {
		uint64_t n = bu->bu_nnext;

		bu->bu_nnext = bu->bu_ca->ca_cap;
		bu->bu_next = sim_realloc(
		    bu->bu_next, bu->bu_nnext, sizeof(*bu->bu_next));
		memset(bu->bu_next + n, 0,
		    (bu->bu_nnext - n) * sizeof(*bu->bu_next));
	}
	return &bu->bu_next[frame];
}

static void
flows_grow(struct builder *bu)
{
	struct flow_state *old = bu->bu_flows;
	uint64_t cap = bu->bu_cap;

	bu->bu_cap = cap != 0 ? 2 * cap : 256;
	bu->bu_flows = sim_calloc(bu->bu_cap, sizeof(*bu->bu_flows));
	bu->bu_nflows = 0;
	for (uint64_t i = 0; i < cap; i++)
		if (old[i].fs_used)
			*flow_of(bu, old[i].fs_flow) = old[i];
	sim_free(old);
}

/* The flow's state, made when it is the first time. */
static struct flow_state *
flow_of(struct builder *bu, uint32_t flow)
{
	uint64_t i;

	if (2 * bu->bu_nflows >= bu->bu_cap)
		flows_grow(bu);
	i = flow * 0x9e3779b97f4a7c15ull >> 20 & (bu->bu_cap - 1);
	while (bu->bu_flows[i].fs_used && bu->bu_flows[i].fs_flow != flow)
		i = (i + 1) & (bu->bu_cap - 1);
	if (!bu->bu_flows[i].fs_used) {
		bu->bu_flows[i].fs_used = true;
		bu->bu_flows[i].fs_flow = flow;
		bu->bu_nflows++;
	}
	return &bu->bu_flows[i];
}

const struct setup_peer *
capture_peer(const struct model *md, uint32_t flow, uint32_t *ip)
{
	const struct setup *su = md->md_setup;
	const struct host *h = NULL;
	int i = 0;

	for (; i < su->su_npeers; i++) {
		h = md->md_peers[i]->pp_host;
		if (flow_addr(flow) - h->h_addr0 <
		    (uint32_t)su->su_peers[i].pe_addresses)
			break;
	}
	SIM_ASSERT(i < su->su_npeers);
	*ip = capture_ip(su->su_peers[i].pe_machine,
	    h->h_ip0 + flow_addr(flow) - h->h_addr0);
	return &su->su_peers[i];
}
