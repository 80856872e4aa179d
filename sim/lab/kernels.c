#include "sim/lab/kernels.h"

#include <string.h>

#define ROW(kernel, field, absent, value)                                \
	{                                                                \
		kernel, offsetof(struct setup_machine, sm_sysctl.field), \
		    absent, value                                        \
	}

static const struct kernel_sysctl differing[] = {
#define DEFAULT(field, value) ROW(KERNEL_DRAGONFLY_2011, field, false, value),
#define ABSENT(field, value) ROW(KERNEL_DRAGONFLY_2011, field, true, value),
#include "model/sysctl_2011.def"
#undef DEFAULT
#undef ABSENT
#define ABSENT(field, value)                            \
	ROW(KERNEL_DRAGONFLY_2011, field, true, value), \
	    ROW(KERNEL_DRAGONFLY_2017, field, true, value),
#include "model/sysctl_dragonfly.def"
#undef ABSENT
#define DEFAULT(field, value) ROW(KERNEL_FREEBSD_2007, field, false, value),
#define ABSENT(field, value) ROW(KERNEL_FREEBSD_2007, field, true, value),
#include "model/sysctl_freebsd.def"
#undef DEFAULT
#undef ABSENT
};

const struct kernel_sysctl *
kernel_sysctl(enum setup_kernel kernel, const struct key *k)
{
	size_t n = sizeof(differing) / sizeof(differing[0]);

	if (k->k_scope != KEY_OF_MACHINE)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (differing[i].ks_kernel == kernel &&
		    differing[i].ks_offset == k->k_offset)
			return &differing[i];
	}
	return NULL;
}

bool
kernel_lacks(enum setup_kernel kernel, const struct key *k)
{
	const struct kernel_sysctl *ks = kernel_sysctl(kernel, k);

	return ks != NULL && ks->ks_absent;
}

void
kernel_default(
    enum setup_kernel kernel, const struct key *k, struct key_value *kv)
{
	const struct kernel_sysctl *ks = kernel_sysctl(kernel, k);

	if (ks == NULL)
		key_default(k, kv);
	else
		*kv = (struct key_value){ ks->ks_value, (double)ks->ks_value,
			NULL };
}

const struct key_choice *
kernel_choices(void)
{
	return key_find("machines.*.kernel")->k_choices;
}

const char *
kernel_name(enum setup_kernel kernel)
{
	const struct key_choice *kc = kernel_choices();

	while (kc->kc_name != NULL && kc->kc_value != (int)kernel)
		kc++;
	return kc->kc_name;
}

bool
kernel_of(const struct ynode *machine, enum setup_kernel *kernel)
{
	const struct key_choice *kc = kernel_choices();
	const struct ynode *yn = NULL;

	*kernel = (enum setup_kernel)kc->kc_value;
	if (machine != NULL && machine->yn_kind == YNODE_MAP)
		yn = ynode_get(machine, "kernel", NULL);
	if (yn == NULL || yn->yn_kind != YNODE_SCALAR)
		return false;
	while (kc->kc_name != NULL && strcmp(kc->kc_name, yn->yn_text) != 0)
		kc++;
	if (kc->kc_name == NULL)
		return false;
	*kernel = (enum setup_kernel)kc->kc_value;
	return true;
}

char *
kernel_differences(const struct key *k, char *buf, size_t size)
{
	const struct kernel_sysctl *ks;
	size_t n = 0;

	buf[0] = '\0';
	for (const struct key_choice *kc = kernel_choices();
	     kc->kc_name != NULL && n < size; kc++) {
		ks = kernel_sysctl((enum setup_kernel)kc->kc_value, k);
		if (ks == NULL)
			continue;
		n += snprintf(buf + n, size - n, "%s%s: ", n > 0 ? "; " : "",
		    kc->kc_name);
		if (n < size && ks->ks_absent)
			n += snprintf(buf + n, size - n, "absent");
		else if (n < size)
			n += snprintf(
			    buf + n, size - n, "%lld", (long long)ks->ks_value);
	}
	return buf;
}
