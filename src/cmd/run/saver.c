/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/saver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "proc/read.h"

/* So much goes through a pipe at once, with its head and its first byte. */
#define SAID_MOST 4000
#define TURN_NS	  (20 * CLOCK_NS_PER_MS) /* between two tries for a turn */
/* How long a wait goes on at a stretch, and how long beyond what it was given, in all. */
#define STEP_NS	 (50 * CLOCK_NS_PER_MS)
#define SPARE_NS (5 * CLOCK_NS_PER_S)

/* --- The helper ------------------------------------------------------------------------------- */

/*
 * Takes one of the folder's turns, held as long as we have the file open: nobody forgets to give it
 * back. False where all are taken.
 */
static bool take_turn(int fd, const char *folder)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	off_t first = (off_t)(uint32_t)hash_text(HASH_START, folder) * SAVER_MOST;

	for (lock.l_start = first; lock.l_start < first + SAVER_MOST; lock.l_start++)
		if (fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES))
			return true;
	return false;
}

/*
 * Waits for a turn. Where the file cannot be had nobody is kept from working. 0, or negative with
 * words.
 */
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

/* What a helper is told. */
struct task {
	const struct saver *saver;
	saver_act act;
	const void *what;
};

/*
 * Works, in the helper. What is said goes out in one write, if it ever does: a sign whether it went
 * well, then words.
 */
static void work(int out, void *arg)
{
	const struct task *task = arg;
	struct str said = {0}, text = {0};
	struct complaint why = {0};

	helper_outlive("inquest-saver");
	if (wait_for_turn(task->saver, &why) == 0 && task->act(task->what, &said, &why) == 0) {
		str_add_char(&text, '+');
		str_add(&text, str_text(&said));
	} else {
		str_add_char(&text, '-');
		str_add(&text, complaint_text(&why));
	}
	if (text.len > SAID_MOST)
		str_cut(&text, SAID_MOST);
	(void)helper_send(out, NULL, 0, text.text, text.len);
}

/* --- Who waits for it ------------------------------------------------------------------------- */

void saver_make(struct saver *saver, char *turns, const char *folder)
{
	*saver = (struct saver){.turns = turns, .work = folder};
}

bool saver_begin(struct saver *saver, saver_act act, const void *what, struct complaint *why)
{
	struct task task = {saver, act, what};
	int error;

	if (saver->helper.pid) {
		complaint_set(why, "the last file is still being written");
		return false;
	}
	error = helper_start(&saver->helper, work, &task);
	if (error)
		complaint_errno(why, -error, "cannot start a helper");
	saver->spare = SPARE_NS;
	return !error;
}

/* True if the helper runs, or waits for a processor, and not for a disk. */
static bool is_running(const struct saver *saver)
{
	const struct proc_id id = {.pid = (uint32_t)saver->helper.pid};
	struct procstat stat;

	return proc_read_stat(id, &stat) == 0 && stat.state == 'R';
}

/*
 * Returns how much counts of a step that took so long; the rest is taken from what we have to
 * spare.
 */
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

/* Waits. True if the helper has spoken, or ended without a word. */
static bool has_news(struct saver *saver, int ms)
{
	int64_t left = ms * CLOCK_NS_PER_MS;
	struct pollfd fd = {.fd = saver->helper.fd, .events = POLLIN};

	for (;;) {
		int64_t step = left < STEP_NS ? left : STEP_NS, begun = clock_monotonic_ns();

		if (saver->until && begun + step > saver->until)
			step = begun < saver->until ? saver->until - begun : 0;
		if (poll(&fd, 1, (int)(step / CLOCK_NS_PER_MS)) > 0)
			return true;
		if (left > 0)
			left -= counted(saver, step, clock_monotonic_ns() - begun);
		if (left < CLOCK_NS_PER_MS || (saver->until && begun >= saver->until))
			return false;
	}
}

enum saver_news saver_wait(struct saver *saver, int ms, struct str *said, struct complaint *why)
{
	struct str text = {0};
	int64_t soon;
	enum saver_news news = SAVER_FAILED;

	if (!saver->helper.pid)
		return SAVER_IDLE;
	if (!has_news(saver, ms))
		return SAVER_BUSY;
	/* It is there, whole, or will never be. */
	soon = clock_monotonic_ns() + CLOCK_NS_PER_S;
	if (helper_receive(&saver->helper, soon, &text) != 1 || !text.len) {
		complaint_set(why, "the helper that writes it was killed");
	} else if (*text.text == '+') {
		str_add(said, text.text + 1);
		news = SAVER_DONE;
	} else {
		complaint_set(why, "%s", text.text + 1);
	}
	helper_end(&saver->helper);
	str_release(&text);
	return news;
}

void saver_hurry(struct saver *saver, int64_t until)
{
	saver->until = until;
}

void saver_release(struct saver *saver)
{
	helper_let_go(&saver->helper);
	free(saver->turns);
	saver->turns = NULL;
}
