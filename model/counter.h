#ifndef MODEL_COUNTER_H
#define MODEL_COUNTER_H

/* Names of all counters (model/counter.def). */
enum counter {
#define COUNTER(name, help) COUNTER_##name,
#define NETSTAT(name, help) COUNTER_##name,
#include "model/counter.def"
#undef COUNTER
#undef NETSTAT
	COUNTER_N
};

struct counter_info {
	const char *cn_name, *cn_help;
	int cn_netstat; /* the kernel's own */
};

extern const struct counter_info counter_infos[COUNTER_N];

#endif
