/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost.c WAY PROGRAM: starts a program in one of all the ways that libc knows. The file
 * that LOST names, if it is set, is taken away before; where FULL is set, no descriptor is free.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int waited(pid_t child)
{
	int status = -1;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return 98;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

static int spawned(int along_path, char **argv)
{
	pid_t child;
	int err = along_path ? posix_spawnp(&child, argv[0], NULL, NULL, argv, environ)
			     : posix_spawn(&child, argv[0], NULL, NULL, argv, environ);

	return err ? err : waited(child);
}

static int opened(const char *command)
{
	FILE *pipe = popen(command, "r");
	char line[4096];

	while (pipe && fgets(line, sizeof(line), pipe))
		fputs(line, stdout);
	return pipe ? pclose(pipe) : 96;
}

static int vforked(char **argv)
{
	pid_t child = vfork();

	if (!child) {
		execve(argv[0], argv, environ);
		_exit(95);
	}
	return waited(child);
}

int main(int argc, char **argv)
{
	const char *way = argv[1], *lost = getenv("LOST");

	if (argc < 3 || (lost && unlink(lost)))
		return 99;
	while (getenv("FULL") && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
		;
	argv += 2;
	if (!strcmp(way, "execve"))
		execve(argv[0], argv, environ);
	else if (!strcmp(way, "execv"))
		execv(argv[0], argv);
	else if (!strcmp(way, "execvp"))
		execvp(argv[0], argv);
	else if (!strcmp(way, "execvpe"))
		execvpe(argv[0], argv, environ);
	else if (!strcmp(way, "execl"))
		execl(argv[0], argv[0], (char *)NULL);
	else if (!strcmp(way, "execlp"))
		execlp(argv[0], argv[0], (char *)NULL);
	else if (!strcmp(way, "execle"))
		execle(argv[0], argv[0], (char *)NULL, environ);
	else if (!strcmp(way, "fexecve"))
		fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), argv, environ);
	else if (!strcmp(way, "vfork"))
		return vforked(argv);
	else if (!strcmp(way, "posix_spawn") || !strcmp(way, "posix_spawnp"))
		return spawned(way[11] == 'p', argv);
	else if (!strcmp(way, "system"))
		return WEXITSTATUS(system(argv[0]));
	else if (!strcmp(way, "popen"))
		return opened(argv[0]);
	return errno;
}
