#include "sim/lab/trace_record.h"

#include <stdio.h>
#include <string.h>

#include "model/kern/sched.h"
#include "model/net/pkt.h"

static void flags(char *, int64_t set);
static const char *thread_name(
    const struct model *, const struct sim_trace_rec *);

char *
trace_record_text(
    char *buf, const struct model *md, const struct sim_trace_rec *tr)
{
	const struct sim_trace_kind *tk = &trace_kinds[tr->tr_kind];
	long long a = (long long)tr->tr_a, b = (long long)tr->tr_b;
	char set[8];
	size_t n;

	switch (tr->tr_kind) {
	case TRACE_RX:
	case TRACE_TX:
		flags(set, tr->tr_a);
		snprintf(buf, TRACE_RECORD_MAX, "%s: %s len %lld", tk->tk_name,
		    set, b);
		break;
	case TRACE_SYSCALL:
		if (b < 0)
			snprintf(
			    buf, TRACE_RECORD_MAX, "%s(2)", trace_calls[a]);
		else
			snprintf(buf, TRACE_RECORD_MAX, "%s(2): fd %lld",
			    trace_calls[a], b);
		break;
	case TRACE_SYSRET:
		snprintf(buf, TRACE_RECORD_MAX, "%s(2): returns %lld",
		    trace_calls[a], b);
		break;
	case TRACE_WAKEUP:
		snprintf(buf, TRACE_RECORD_MAX, "%s: %s", tk->tk_name,
		    thread_name(md, tr));
		break;
	default:
		n = (size_t)snprintf(
		    buf, TRACE_RECORD_MAX, "%s: ", tk->tk_name);
		snprintf(buf + n, TRACE_RECORD_MAX - n, tk->tk_format, a, b);
	}
	n = strlen(buf);
	if (tr->tr_id != 0)
		snprintf(buf + n, TRACE_RECORD_MAX - n, " (client %u:%u)",
		    flow_addr(tr->tr_id), flow_port(tr->tr_id));
	return buf;
}

/* As tcpdump does: S, SA, PA. */
static void
flags(char *buf, int64_t set)
{
	static const char letters[] = "FSRPA";

	for (int i = 0; letters[i] != '\0'; i++) {
		if (set & 1 << i)
			*buf++ = letters[i];
	}
	*buf = '\0';
}

static const char *
thread_name(const struct model *md, const struct sim_trace_rec *tr)
{
	int machine = md->md_cpus[tr->tr_where].mc_machine;
	const char *name =
	    sched_thread_name(&md->md_machines[machine], tr->tr_a);

	return name != NULL ? name : "netisr";
}

const char *
trace_machine_name(const struct model *md, int machine)
{
	const struct setup *su = md->md_setup;

	return machine < su->su_nmachines
		   ? su->su_machines[machine].sm_name
		   : su->su_peers[machine - su->su_nmachines].pe_name;
}
