/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of a job that nobody prepared: a file that a launcher collected, or a folder of them. What
 * is no text, or has no line that a launcher or a library writes, is no log of a job.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/meter.h"
#include "evidence/gather/log-sieve.h"
#include "evidence/gather/source.h"

#define LOOK_SIZE 4096

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A regular file, opened; -1 where it is none. */
static int open_regular(const char *path, struct stat *st)
{
	int fd = file_open(path);

	if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A document of JSON is told by others, and no log; nor is what begins as no text does. */
static bool is_text(const char *bytes, size_t len)
{
	return len && *bytes != '{' && *bytes != '\x80' && !memchr(bytes, '\0', len);
}

/* By its end, since a job's last lines tell of how it ended. */
static bool is_log(const char *path)
{
	struct log_sieve found = {0};
	char bytes[LOOK_SIZE];
	struct str lines = {0};
	struct stat st;
	int fd = open_regular(path, &st);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, bytes, sizeof(bytes));
	if (got > 0 && is_text(bytes, (size_t)got) &&
		lseek(fd, st.st_size > LOG_SIEVE_TAIL ? st.st_size - LOG_SIEVE_TAIL : 0,
			SEEK_SET) >= 0)
		log_sieve(fd, LOG_SIEVE_TAIL, &lines, &found);
	close(fd);
	str_release(&lines);
	return found.known;
}

static int gather_file(const char *path, struct evidence *into, struct complaint *why)
{
	struct exhibit about = {
		.kind = EXHIBIT_JOB_LOG, .rank = -1, .label = (char *)base_of(path)};
	struct log_sieve found;
	struct str lines = {0}, what = {0};
	struct stat st;
	int fd = open_regular(path, &st), error;
	size_t len;

	if (fd < 0)
		return complaint_set(why, "%s: no file that can be read", path);
	error = log_sieve(fd, st.st_size, &lines, &found);
	close(fd);
	if (error < 0) {
		str_release(&lines);
		return complaint_errno(why, -error, "cannot read %s", path);
	}
	about.when = st.st_mtim.tv_sec * CLOCK_NS_PER_S + st.st_mtim.tv_nsec;
	if (found.lost) {
		str_printf(&what, "%s: %lld lines that tell of errors, for which there was no room",
			about.label, (long long)found.lost);
		evidence_add_gap(into, "", 0, str_text(&what));
	}
	len = lines.len;
	evidence_add(into, &about, (uint8_t *)str_detach(&lines), len);
	str_release(&what);
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What another source takes is no log. */
static bool is_taken(const char *path)
{
	return source_core.claims(path) || source_flight.claims(path);
}

static int gather_folder(const char *path, struct evidence *into, struct complaint *why)
{
	struct file_names names = {0};
	int error = file_list(path, &names, why), read = 0;

	for (size_t i = 0; i < names.list.nr; i++)
		if (is_log(names.list.items[i]) && !is_taken(names.list.items[i]))
			read += gather_file(names.list.items[i], into, why) == 0;
	file_names_release(&names);
	return error < 0 ? error : read ? 0 : complaint_set(why, "no log in %s", path);
}

static int log_gather(const char *path, struct evidence *into, struct complaint *why)
{
	return is_folder(path) ? gather_folder(path, into, why) : gather_file(path, into, why);
}

static bool log_claims(const char *arg)
{
	struct file_names names = {0};
	bool is = false;

	if (!is_folder(arg))
		return is_log(arg) && !is_taken(arg);
	file_list(arg, &names, NULL);
	for (size_t i = 0; i < names.list.nr && !is; i++)
		is = is_log(names.list.items[i]) && !is_taken(names.list.items[i]);
	file_names_release(&names);
	return is;
}

const struct source source_log = {
	.name = "log",
	.claims = log_claims,
	.gather = log_gather,
};
