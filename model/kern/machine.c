#include "model/kern/machine.h"

int
machine_netisr_ncpus(const struct setup_machine *sm)
{
	int n = (int)sm->sm_sysctl.netisr_ncpus;

	if (n > 0)
		return n;
	for (n = 1; n * 2 <= sm->sm_hw.hw_ncpus;)
		n *= 2;
	return n;
}
