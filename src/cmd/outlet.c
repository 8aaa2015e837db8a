/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/outlet.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_MS 2000

bool outlet_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* https://no-color.org: any non-empty value counts. A dumb terminal knows no colour. */
static bool wants_color(FILE *stream)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(fileno(stream)) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}

struct report_options outlet_options(FILE *stream)
{
	return (struct report_options){
		.color = wants_color(stream),
		.utf8 = outlet_is_utf8(),
		.threads_stopped = -1,
	};
}

/* Where a pipe's reader sleeps we would too, and signals for the job with us: wait only so long. */
static bool is_writable(int fd)
{
	struct pollfd outlet = {.fd = fd, .events = POLLOUT};
	int ready;

	do
		ready = poll(&outlet, 1, PATIENCE_MS);
	while (ready < 0 && errno == EINTR);
	return ready > 0 && (outlet.revents & POLLOUT);
}

void outlet_write(FILE *stream, const struct str *text)
{
	size_t done = 0;

	fflush(stream);
	while (done < text->len && is_writable(fileno(stream))) {
		size_t left = text->len - done;
		ssize_t n =
			write(fileno(stream), text->text + done, left < PIPE_BUF ? left : PIPE_BUF);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		done += (size_t)n;
	}
}
