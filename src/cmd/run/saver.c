/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/saver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/run/fds.h"
#include "proc/read.h"

/* Fits into a pipe at once, with its first byte. */
#define SAID_MOST 4000
#define TURN_NS	  (20 * CLOCK_NS_PER_MS)
/* How long a wait goes on at a stretch, and how long beyond what it was given, in all. */
#define STEP_NS	 (50 * CLOCK_NS_PER_MS)
#define SPARE_NS (5 * CLOCK_NS_PER_S)

/* --- The helper ------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* One of the folder's turns, as long as we have the file open: nobody forgets to give it back. */
static bool take_turn(int fd, const char *folder)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	off_t first = (off_t)hash_of(folder) * SAVER_MOST;

	for (lock.l_start = first; lock.l_start < first + SAVER_MOST; lock.l_start++)
		if (fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES))
			return true;
	return false;
}

/* Where the file cannot be had nobody is kept from working. */
static int wait_for_turn(const struct saver *saver, struct complaint *why)
{
	const struct timespec moment = {.tv_nsec = TURN_NS};
	int64_t until = clock_monotonic_ns() + SAVER_TURN_MS * CLOCK_NS_PER_MS;
	int fd = -1;

	if (saver->turns)
		fd = open(saver->turns, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
			0600);
	while (fd >= 0 && !take_turn(fd, saver->work)) {
		if (clock_monotonic_ns() > until)
			return complaint_set(why, "%d helpers of other jobs wait for it already",
				SAVER_MOST);
		nanosleep(&moment, NULL);
	}
	return 0;
}

/* What is said goes out in one write, if it ever does. */
static void work(const struct saver *saver, int fd, saver_act act, const void *what)
{
	struct str said = {0}, text = {0};
	struct complaint why = {0};

	prctl(PR_SET_NAME, "inquest-saver", 0, 0, 0);
	fds_keep(&fd, 1);
	fds_silence();
	if (wait_for_turn(saver, &why) == 0 && act(what, &said, &why) == 0) {
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

/* --- Who waits for it ------------------------------------------------------------------------- */

void saver_make(struct saver *saver, char *turns, const char *folder)
{
	*saver = (struct saver){.turns = turns, .work = folder};
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
		work(saver, ends[1], act, what);
	if (saver->helper < 0) {
		complaint_errno(why, errno, "cannot start a helper");
		saver->helper = 0;
		close(ends[0]);
	}
	close(ends[1]);
	saver->fd = ends[0];
	saver->begun = clock_monotonic_ns();
	saver->spare = SPARE_NS;
	return saver->helper > 0;
}

/* It runs, or waits for a processor, and not for a disk. */
static bool is_running(const struct saver *saver)
{
	const struct proc_id id = {.pid = (uint32_t)saver->helper};
	struct procstat stat;

	return proc_read_stat(id, &stat) == 0 && stat.state == 'R';
}

/* So much of a step that took so long counts; the rest is taken from what we have to spare. */
static int64_t counted(struct saver *saver, int64_t step, int64_t took)
{
	int64_t spared = is_running(saver) ? took : took - step;

	if (spared > saver->spare)
		spared = saver->spare;
	if (spared < 0)
		spared = 0;
	saver->spare -= spared;
	return took - spared;
}

/* The helper has spoken, or ended without a word. */
static bool has_news(struct saver *saver, int ms)
{
	int64_t left = ms * CLOCK_NS_PER_MS;
	struct pollfd fd = {.fd = saver->fd, .events = POLLIN};

	for (;;) {
		int64_t step = left < STEP_NS ? left : STEP_NS, begun = clock_monotonic_ns();

		if (poll(&fd, 1, (int)(step / CLOCK_NS_PER_MS)) > 0)
			return true;
		if (left > 0)
			left -= counted(saver, step, clock_monotonic_ns() - begun);
		if (left < CLOCK_NS_PER_MS)
			return false;
	}
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
	free(saver->turns);
	saver->turns = NULL;
}
