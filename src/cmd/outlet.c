/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/program.h"

#define PATIENCE_MS 2000

bool outlet_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/*
 * True if the stream's reader wants colour. By https://no-color.org any non-empty value counts; a
 * dumb terminal knows no colour.
 */
static bool wants_color(FILE *stream)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(fileno(stream)) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}

/*
 * Returns what somebody at that terminal types to have this program, if it is not just "inquest":
 * it was called by a path, and the shell finds none by that name. NULL: "inquest", as also for who
 * reads elsewhere.
 */
static const char *program_typed(FILE *stream)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789/._+-";
	const char *name = program_invocation_name;

	if (!isatty(fileno(stream)) || !strchr(name, '/') || name[strspn(name, plain)] ||
		program_is_here("inquest"))
		return NULL;
	return name;
}

struct report_options outlet_options(FILE *stream)
{
	return (struct report_options){
		.program = program_typed(stream),
		.color = wants_color(stream),
		.utf8 = outlet_is_utf8(),
	};
}

/*
 * Waits until the descriptor can be written, but not for long: where a pipe's reader sleeps we
 * would sleep, too, and signals for the job with us.
 */
static bool is_writable(int fd)
{
	struct pollfd outlet = {.fd = fd, .events = POLLOUT};
	int ready;

	do
		ready = poll(&outlet, 1, PATIENCE_MS);
	while (ready < 0 && errno == EINTR);
	return ready > 0 && (outlet.revents & POLLOUT);
}

/*
 * Opens stderr as a descriptor of our own that never blocks; -1: that is not possible, or not
 * needed. A pipe of the job's has more writers than us: the room that poll() saw may be gone before
 * we write, and then write() sleeps for as long as nobody reads. Setting O_NONBLOCK on fd 2 itself
 * would set it for the job, too.
 */
static int open_impatient(void)
{
	struct stat about;

	if (fstat(STDERR_FILENO, &about) != 0 || !S_ISFIFO(about.st_mode))
		return -1;
	return open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

/* Writes at most `most` bytes. Returns false once nothing goes any more. */
static bool write_piece(int fd, const struct str *text, size_t *done, size_t most)
{
	size_t left = text->len - *done;
	ssize_t n = write(fd, text->text + *done, left < most ? left : most);

	if (n < 0 && errno == EINTR)
		return true;
	if (n > 0)
		*done += (size_t)n;
	return n > 0;
}

void outlet_write(FILE *stream, const struct str *text)
{
	size_t done = 0;

	fflush(stream);
	while (done < text->len && write_piece(fileno(stream), text, &done, SIZE_MAX))
		;
}

void outlet_say(const struct str *text)
{
	int own = open_impatient(), fd = own < 0 ? STDERR_FILENO : own;
	size_t done = 0;

	fflush(stderr);
	while (done < text->len && is_writable(fd) && write_piece(fd, text, &done, PIPE_BUF))
		;
	if (own >= 0)
		close(own);
}
