#ifndef SIM_LAB_KERNELS_H
#define SIM_LAB_KERNELS_H

/*
 * What kernels have of the sysctls in the key table. The table's defaults are
 * those of dragonfly-2017; what another kernel has otherwise, or not at all, is
 * in model/sysctl_YEAR.def.
 */
#include "sim/lab/keys.h"

struct kernel_sysctl {
	enum setup_kernel ks_kernel;
	size_t ks_offset; /* in struct setup_machine */
	bool ks_absent;	  /* not there: behaves as with ks_value */
	int64_t ks_value;
};

/* Returns: what a kernel has other than the table says, or NULL. */
const struct kernel_sysctl *kernel_sysctl(
    enum setup_kernel, const struct key *);

/* Returns: whether a kernel lacks the sysctl. */
bool kernel_lacks(enum setup_kernel, const struct key *);

/* The default of a key that has one, in a machine with this kernel. */
void kernel_default(enum setup_kernel, const struct key *, struct key_value *);

/* Returns: "dragonfly-2011". */
const char *kernel_name(enum setup_kernel);

/* Returns: the kernels' choices; the first one's defaults are the table's. */
const struct key_choice *kernel_choices(void);

/*
 * The kernel that a machine's map names.
 * Returns: false when it names none that exists; *kernel is the first one then.
 */
bool kernel_of(const struct ynode *machine, enum setup_kernel *kernel);

/*
 * For the reference: "dragonfly-2011: 3", "dragonfly-2011: absent", with "; "
 * between kernels. Returns: buf, empty when all are as the table says.
 */
char *kernel_differences(const struct key *, char *buf, size_t size);

#endif
