/* SPDX-License-Identifier: Apache-2.0 */
/*
 * children_bench.c: what a short-lived child costs, from its spawn to its end.
 *
 *	children_bench			ends at once: a child
 *	children_bench PROGRAM PROBE N
 *
 * Spawns PROGRAM N times without the probe and N times with it, alternating in blocks, and prints
 * the median of the differences of neighbouring blocks beside the unprobed child.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 25

extern char **environ;

/* CPU time of all children that were waited for: others have the processor, too. */
static double used_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), by_value);
	return values[n / 2];
}

/* Microseconds per child. */
static double block(char *program, char **env)
{
	char *argv[] = {program, NULL};
	double begun = used_us();

	for (int i = 0; i < BLOCK; i++) {
		pid_t child;
		int status;

		if (posix_spawn(&child, program, NULL, NULL, argv, env) ||
			waitpid(child, &status, 0) != child || status) {
			fprintf(stderr, "children_bench: cannot run %s\n", program);
			exit(1);
		}
	}
	return (used_us() - begun) / BLOCK;
}

/* Our environment with LD_PRELOAD. */
static char **with_probe(const char *probe)
{
	size_t n = 0, len = strlen(probe) + sizeof("LD_PRELOAD=");
	char **env, *preload = malloc(len);

	while (environ[n])
		n++;
	env = calloc(n + 2, sizeof(*env));
	snprintf(preload, len, "LD_PRELOAD=%s", probe);
	memcpy(env, environ, n * sizeof(*env));
	env[n] = preload;
	return env;
}

int main(int argc, char **argv)
{
	int blocks = argc == 4 ? atoi(argv[3]) / BLOCK : 0;
	double *plain, *more;
	char **env;

	if (argc == 1)
		return 0;
	if (blocks < 1) {
		fprintf(stderr, "usage: children_bench PROGRAM PROBE N\n");
		return 2;
	}
	plain = calloc((size_t)blocks, sizeof(*plain));
	more = calloc((size_t)blocks, sizeof(*more));
	env = with_probe(argv[2]);
	for (int i = 0; i < blocks; i++) {
		/* Both orders, so that a drift of the machine cancels out. */
		double probed = i % 2 ? block(argv[1], env) : 0;

		plain[i] = block(argv[1], environ);
		if (!(i % 2))
			probed = block(argv[1], env);
		more[i] = probed - plain[i];
	}
	printf("%.1f %.1f\n", median(plain, blocks), median(more, blocks));
	return 0;
}
