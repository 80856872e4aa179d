/*
 * DragonFly BSD of 24 November 2011, around the commit that lets accept(2) ask
 * its predicate before it sends a message. How its sysctls differ from 2017's:
 * model/sysctl_2011.def.
 */
#include "model/kernel/kernel.h"

static const struct kernel_rules rules = {
	.kr_rcvd_async = false,
	.kr_sockopt_async = false,
	.kr_wakeup_mycpu = false,
	.kr_npoll_late = true,
	.kr_kqueue_held = true,
};

const struct kernel_ops kernel_dragonfly_2011 = {
	.ko_name = "dragonfly-2011",
	.ko_rules = &rules,
	KERNEL_DRAGONFLY_OPS,
};
