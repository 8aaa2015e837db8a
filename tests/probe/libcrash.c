/* SPDX-License-Identifier: Apache-2.0 */
/* libcrash.c: a library whose constructor faults: within dlopen, with the loader's lock held. */
static volatile int *volatile nowhere = (volatile int *)16;

__attribute__((noinline, used)) static int constructor_faults(void)
{
	return *nowhere;
}

__attribute__((constructor)) static void begin(void)
{
	if (constructor_faults())
		*nowhere = 0;
}
