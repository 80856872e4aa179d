#include "model/counter.h"

const struct counter_info counter_infos[COUNTER_N] = {
#define COUNTER(name, help) [COUNTER_##name] = { #name, help, 0 },
#define NETSTAT(name, help) [COUNTER_##name] = { #name, help, 1 },
#include "model/counter.def"
#undef COUNTER
#undef NETSTAT
};
