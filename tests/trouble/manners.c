/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manners: the deeds of bare.py, in C: each that its words name, one after the other. Descriptors
 * 5, 6 and 7 are what bare.py says they are.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEASH = 5, READY = 6, LOCK = 7 };

static void put(int fd, const char *text)
{
	size_t len = strlen(text);

	if (write(fd, text, len) != (ssize_t)len)
		exit(99);
}

static void do_wait(void)
{
	char byte;

	(void)!read(LEASH, &byte, 1);
}

static void do_here(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	put(STDOUT_FILENO, text);
}

static void do_say(void)
{
	put(STDOUT_FILENO, "out\n\1\n");
	put(STDERR_FILENO, "err\n");
}

static void do_hush(void)
{
	close(STDOUT_FILENO);
}

static void do_deaf(void)
{
	close(STDIN_FILENO);
}

static void do_flood(void)
{
	for (;;)
		put(STDOUT_FILENO, "x\n");
}

static void do_ready(void)
{
	put(READY, "1");
	close(READY);
}

static void do_unlock(void)
{
	close(LOCK);
}

static const struct {
	const char *word;
	void (*act)(void);
} deeds[] = {
	{"here", do_here},
	{"wait", do_wait},
	{"say", do_say},
	{"hush", do_hush},
	{"deaf", do_deaf},
	{"flood", do_flood},
	{"ready", do_ready},
	{"unlock", do_unlock},
};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "exit"))
			return atoi(argv[i + 1]);
		if (!strcmp(argv[i], "die"))
			raise(atoi(argv[i + 1]));
		for (size_t k = 0; k < sizeof(deeds) / sizeof(deeds[0]); k++)
			if (!strcmp(argv[i], deeds[k].word))
				deeds[k].act();
	}
	return 0;
}
