/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank into which nobody may look but root, as into one whose file has capabilities; it is away
 * for ever.
 */
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return 1;
	puts("ready");
	fflush(stdout);
	return pause() + 2;
}
