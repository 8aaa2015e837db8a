/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_bench: times of the whole program, as one who calls it sees them.
 *
 *	time ROUNDS NAME BAR COMMAND...	prints three figures: ms of one run, its own and its
 *					children's processor time, its largest process
 *	figure NAME UNIT BAR NUMBER...	prints the median as a figure
 *	changed FILE			prints the second at which it was written last
 *	kill PID			SIGKILL; prints the second at which
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure.h"

#define ROUNDS_MAX 1000

static int usage(void)
{
	fputs("usage: attach_bench time|figure|changed|kill ...\n", stderr);
	return 2;
}

static double tv_ms(const struct timeval *tv)
{
	return (double)tv->tv_sec * 1e3 + (double)tv->tv_usec / 1e3;
}

/*
 * Runs the command without output. Returns its processor time in ms, negative if it failed;
 * *ret_mib is the memory of the largest of its processes.
 */
static double run_once(char **command, double *ret_mib)
{
	struct rusage usage;
	int status, null;
	pid_t pid = fork();

	if (!pid) {
		null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) ||
		WEXITSTATUS(status) > 1)
		return -1;
	*ret_mib = (double)usage.ru_maxrss / 1024;
	return tv_ms(&usage.ru_utime) + tv_ms(&usage.ru_stime);
}

static int time_command(int rounds, const char *name, double bar, char **command)
{
	static double wall[ROUNDS_MAX], cpu[ROUNDS_MAX], memory[ROUNDS_MAX];

	if (rounds < 1 || rounds > ROUNDS_MAX)
		return usage();
	for (int i = 0; i < rounds; i++) {
		double begin = figure_now_ns();

		cpu[i] = run_once(command, &memory[i]);
		wall[i] = (figure_now_ns() - begin) / 1e6;
		if (cpu[i] < 0) {
			fprintf(stderr, "attach_bench: %s failed\n", command[0]);
			return 1;
		}
	}
	figure_print(&(struct figure){
		.name = name, .median = figure_median(wall, rounds), .unit = "ms", .bar = bar});
	figure_print(&(struct figure){.name = "  of it processor time",
		.median = figure_median(cpu, rounds),
		.unit = "ms"});
	figure_print(&(struct figure){.name = "  its largest process",
		.median = figure_median(memory, rounds),
		.unit = "MiB"});
	return 0;
}

static int print_figure(const char *name, const char *unit, double bar, char **numbers)
{
	double samples[ROUNDS_MAX];
	int nr = 0;

	for (; numbers[nr] && nr < ROUNDS_MAX; nr++)
		samples[nr] = strtod(numbers[nr], NULL);
	if (!nr)
		return usage();
	figure_print(&(struct figure){
		.name = name, .median = figure_median(samples, nr), .unit = unit, .bar = bar});
	return 0;
}

static int print_change(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		perror(path);
		return 1;
	}
	printf("%lld.%09ld\n", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return 0;
}

static int kill_now(pid_t pid)
{
	double now = figure_clock_ns(CLOCK_REALTIME);

	if (kill(pid, SIGKILL) < 0) {
		perror("kill");
		return 1;
	}
	printf("%.9f\n", now / 1e9);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 5 && !strcmp(argv[1], "time"))
		return time_command(atoi(argv[2]), argv[3], strtod(argv[4], NULL), argv + 5);
	if (argc > 5 && !strcmp(argv[1], "figure"))
		return print_figure(argv[2], argv[3], strtod(argv[4], NULL), argv + 5);
	if (argc == 3 && !strcmp(argv[1], "changed"))
		return print_change(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "kill") && atoi(argv[2]) > 1)
		return kill_now((pid_t)atoi(argv[2]));
	return usage();
}
