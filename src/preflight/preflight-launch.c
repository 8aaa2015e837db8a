/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/preflight-launch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MOST 6

/* Returns a number from 1 on; -1 where the text is none. */
static int number_of(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= DIGITS_MOST && !text[digits] && atoi(text) > 0 ? atoi(text)
										   : -1;
}

/*
 * Returns the value of the first of these options, as --name=N or --name N; '_' and '-' are alike.
 * -1 where none is there.
 */
static int number_behind(char *const *argv, const char *const *names)
{
	for (; *argv; argv++)
		for (size_t i = 0; names[i]; i++) {
			size_t len = strlen(names[i]), at = 0;

			while (at < len && ((*argv)[at] == names[i][at] ||
						   ((*argv)[at] == '_' && names[i][at] == '-')))
				at++;
			if (at == len && (*argv)[at] == '=')
				return number_of(*argv + at + 1);
			if (at == len && !(*argv)[at] && argv[1])
				return number_of(argv[1]);
		}
	return -1;
}

int launch_hosts(char *const *argv)
{
	static const char *const names[] = {"--nnodes", "--num-machines", "--nodes", NULL};

	return number_behind(argv, names);
}

int launch_ranks(char *const *argv)
{
	static const char *const per_host[] = {
		"--nproc-per-node", "--num-gpus", "--ntasks-per-node", NULL};
	static const char *const in_all[] = {"--num-processes", NULL};
	int ranks = number_behind(argv, per_host);

	if (ranks < 0 && launch_hosts(argv) <= 1)
		ranks = number_behind(argv, in_all);
	return ranks;
}
