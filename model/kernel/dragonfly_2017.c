/*
 * DragonFly BSD of 5 October 2017, around the commit that limits what kevent
 * reports of a listening socket. Its sysctls: model/sysctl.def.
 */
#include "model/kernel/kernel.h"

static const struct kernel_rules rules = {
	.kr_rcvd_async = true,
	.kr_sockopt_async = true,
	.kr_wakeup_mycpu = true,
	.kr_npoll_late = false,
	.kr_kqueue_held = false,
};

const struct kernel_ops kernel_dragonfly_2017 = {
	.ko_name = "dragonfly-2017",
	.ko_rules = &rules,
	KERNEL_DRAGONFLY_OPS,
};
