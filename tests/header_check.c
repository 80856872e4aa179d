#include HEADER

int
main(void)
{
	return 0;
}
