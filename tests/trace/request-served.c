/*
 * A connection on which one request of 1 KiB is served, from its accept(2) to
 * TIME_WAIT on the client, which closes first: everything that the server is
 * charged. Each asynchronous message makes the protocol thread run when its
 * system call returns. A new connection of the same client comes in between.
 */
#include "tests/trace/story.h"

#include "model/netinet/tcp_var.h"

/*
 * The client's end points, by local port. CPUs may be some us ahead of `now`;
 * nothing happens near these times.
 */
static void
ports(FILE *f, const struct model *md, sim_ns now)
{
	const struct host *h = md->md_peers[0]->pp_host;
	int nports = 0;

	fprintf(f, "client at %lld ms:", (long long)(now / 1000000));
	for (int port = 0; port < 65536; port++) {
		const struct host_conn *hc = h->h_ports[0][port];

		if (hc == NULL)
			continue;
		nports++;
		if (nports <= 3)
			fprintf(f, " port %d %s", port,
			    tcp_state_names[hc->hc_tp.t_state]);
	}
	fprintf(f, "\n");
}

int
main(void)
{
	static const struct story sy = {
		.sy_file = "one.yaml",
		.sy_sets = { "polling=false", "work=55ms",
		    "client.sysctl.net.inet.tcp.msl=30", "measure=200ms" },
		.sy_from = 160000,
		.sy_to = 55420000,
		.sy_kinds = STORY_ALL & ~STORY_KIND(POLL),
		.sy_watch = ports,
		.sy_every = 50000000,
	};

	story_print(&sy);
	return 0;
}
