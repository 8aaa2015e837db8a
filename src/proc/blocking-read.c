/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper sends one message per read: how it went, then the bytes. It touches nothing of ours,
 * so that killing it at any moment, or leaving it behind in the kernel, costs no more than the
 * answer that it owed.
 */
#include "proc/blocking-read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "proc/helper.h"

#define STRIKES 5 /* helpers lost before the rest of the reads is given up */

/* The head of a helper's message; fields as in struct blocking_read. */
struct answer {
	int32_t error;
	uint32_t pad;
	uint64_t dev;
	uint64_t ino;
	uint64_t from;
	int64_t written;
};

/* Reads up to `cap` bytes from where `fd` stands. Returns how many, or -errno. */
static ssize_t read_fill(int fd, char *buffer, size_t cap)
{
	size_t len = 0;

	while (len < cap) {
		ssize_t got = read(fd, buffer + len, cap - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return (ssize_t)len;
}

/* Makes the path of the file to read. */
static void read_path(const struct blocking_read *one, char path[static PATH_MAX])
{
	if (one->pid)
		snprintf(path, PATH_MAX, "/proc/%u/%s", one->pid, one->name);
	else
		snprintf(path, PATH_MAX, "%s", one->name);
}

/*
 * Does one read into `buffer`, and fills in `answer`. Returns how many bytes it read. Everything in
 * here may block for ever.
 */
static size_t read_do(const struct blocking_read *one, char *buffer, struct answer *answer)
{
	char path[PATH_MAX];
	struct stat st;
	size_t got = 0;
	ssize_t len;
	int fd;

	read_path(one, path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		answer->error = errno;
		return 0;
	}
	if (fstat(fd, &st) < 0) {
		answer->error = errno;
	} else if (!S_ISREG(st.st_mode)) {
		answer->error = EINVAL;
	} else if (!one->pid && st.st_uid != one->owner) {
		answer->error = EPERM;
	} else {
		answer->dev = st.st_dev;
		answer->ino = st.st_ino;
		answer->written =
			(int64_t)st.st_mtim.tv_sec * CLOCK_NS_PER_S + st.st_mtim.tv_nsec;
		if (one->what == BLOCKING_READ_TAIL && st.st_size > (off_t)one->cap &&
			lseek(fd, st.st_size - (off_t)one->cap, SEEK_SET) > 0)
			answer->from = (uint64_t)st.st_size - one->cap;
		len = read_fill(fd, buffer, one->cap);
		answer->error = len < 0 ? (int)-len : 0;
		got = len < 0 ? 0 : (size_t)len;
	}
	close(fd);
	return got;
}

/*
 * True if a file may be opened. To open one that is no regular file may have effects of its own (a
 * TTY's, a FIFO's).
 */
static bool read_is_safe(const struct blocking_read *one)
{
	char path[PATH_MAX];
	struct stat st;

	if (one->what != BLOCKING_READ_TAIL)
		return true;
	read_path(one, path);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* What a helper is to do: the reads, and a buffer for the largest of them. */
struct round {
	const struct blocking_read *reads;
	size_t nr;
	char *buffer; /* has room for the largest cap */
};

/* Does all reads of a round. Runs in the helper. */
static void read_serve(int out, void *arg)
{
	const struct round *round = arg;

	for (size_t i = 0; i < round->nr; i++) {
		struct answer answer = {.error = EINVAL};
		size_t len = 0;

		if (read_is_safe(&round->reads[i])) {
			answer.error = 0;
			len = read_do(&round->reads[i], round->buffer, &answer);
		}
		if (!helper_send(out, &answer, sizeof(answer), round->buffer, len))
			return;
	}
}

/*
 * Waits for the answer to one read and takes it in. Returns false if it did not come. If it came,
 * the read may still have an error of its own.
 */
static bool read_await(struct blocking_read *one, struct helper *helper, int deadline_ms)
{
	int64_t until = clock_monotonic_ns() + deadline_ms * CLOCK_NS_PER_MS;
	struct str message = {0};
	struct answer answer;
	int got = helper_receive(helper, until, &message);
	bool came = got == 1 && message.len >= sizeof(answer) &&
		    message.len - sizeof(answer) <= one->cap;

	if (came) {
		str_room(&one->bytes, message.len + 1);
		memcpy(&answer, message.text, sizeof(answer));
		str_add_bytes(&one->bytes, message.text + sizeof(answer),
			message.len - sizeof(answer));
		one->error = answer.error;
		one->dev = answer.dev;
		one->ino = answer.ino;
		one->from = answer.from;
		one->written = answer.written;
	} else {
		one->error = got < 0 ? -got : EPIPE;
	}
	str_release(&message);
	return came;
}

void blocking_reads_run(struct blocking_read *reads, size_t nr, int deadline_ms)
{
	size_t done = 0, cap = 1;
	char *buffer;

	for (size_t i = 0; i < nr; i++) {
		reads[i].error = ETIMEDOUT;
		if (reads[i].cap > cap)
			cap = reads[i].cap;
	}
	buffer = alloc_zeroed(1, cap);
	for (int strikes = 0; done < nr && strikes < STRIKES; strikes++) {
		struct round round = {reads + done, nr - done, buffer};
		struct helper helper;

		if (helper_start(&helper, read_serve, &round))
			break;
		while (done < nr && read_await(&reads[done++], &helper, deadline_ms))
			;
		helper_end(&helper);
	}
	free(buffer);
}

void blocking_read_cut(struct blocking_read *read, uint64_t from)
{
	uint64_t drop = from - read->from;

	if (from <= read->from || drop > read->bytes.len)
		return;
	memmove(read->bytes.text, read->bytes.text + drop, read->bytes.len - drop);
	str_cut(&read->bytes, read->bytes.len - drop);
	read->from = from;
}
