/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/saver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/fds.h"

/* Fits into a pipe at once, with its first byte. */
#define SAID_MOST 4000

/* In the helper: what is said goes out in one write, if it ever does. */
static void work(int fd, saver_act act, const void *what)
{
	struct str said = {0}, text = {0};
	struct complaint why = {0};

	prctl(PR_SET_NAME, "inquest-saver", 0, 0, 0);
	fds_keep(&fd, 1);
	fds_silence();
	if (act(what, &said, &why) == 0) {
		str_add_char(&text, '+');
		str_add(&text, str_text(&said));
	} else {
		str_add_char(&text, '-');
		str_add(&text, complaint_text(&why));
	}
	if (text.len > SAID_MOST)
		str_cut(&text, SAID_MOST);
	_exit(write(fd, text.text, text.len) < 0);
}

bool saver_begin(struct saver *saver, saver_act act, const void *what, struct complaint *why)
{
	int ends[2];

	if (saver->helper) {
		complaint_set(why, "the last file is still being written");
		return false;
	}
	if (pipe2(ends, O_CLOEXEC) < 0) {
		complaint_errno(why, errno, "cannot make a pipe");
		return false;
	}
	saver->helper = fork();
	if (saver->helper == 0)
		work(ends[1], act, what);
	if (saver->helper < 0) {
		complaint_errno(why, errno, "cannot start a helper");
		saver->helper = 0;
		close(ends[0]);
	}
	close(ends[1]);
	saver->fd = ends[0];
	saver->begun = clock_monotonic_ns();
	return saver->helper > 0;
}

/* The helper has spoken, or ended without a word. */
static bool has_news(const struct saver *saver, int ms)
{
	int64_t until = clock_monotonic_ns() + ms * CLOCK_NS_PER_MS, left;
	struct pollfd fd = {.fd = saver->fd, .events = POLLIN};
	int ready;

	do {
		left = (until - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
		ready = poll(&fd, 1, left < 0 ? 0 : (int)left);
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

enum saver_news saver_wait(struct saver *saver, int ms, struct str *said, struct complaint *why)
{
	char text[SAID_MOST + 1];
	ssize_t len;

	if (!saver->helper)
		return SAVER_IDLE;
	if (!has_news(saver, ms))
		return SAVER_BUSY;
	len = read(saver->fd, text, sizeof(text) - 1);
	close(saver->fd);
	while (waitpid(saver->helper, NULL, 0) < 0 && errno == EINTR)
		;
	saver->helper = 0;
	if (len > 0 && *text == '+') {
		str_add_bytes(said, text + 1, (size_t)len - 1);
		return SAVER_DONE;
	}
	text[len > 0 ? len : 0] = 0;
	complaint_set(why, "%s", len > 0 ? text + 1 : "the helper that writes it was killed");
	return SAVER_FAILED;
}

void saver_release(struct saver *saver)
{
	if (saver->helper) {
		close(saver->fd);
		waitpid(saver->helper, NULL, WNOHANG);
	}
	saver->helper = 0;
}
