/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what a job that nobody prepared has left in files: logs, error files, records of others.
 * Which file is what, remains.h says.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/meter.h"
#include "evidence/gather/log-sieve.h"
#include "evidence/gather/measure.h"
#include "evidence/gather/remains/remains-jobs.h"
#include "evidence/gather/source.h"

static enum log_sieve_family family_of(enum exhibit_kind kind)
{
	return kind == EXHIBIT_KERNEL_LOG    ? LOG_SIEVE_KERNEL
	       : kind == EXHIBIT_COMPILE_LOG ? LOG_SIEVE_COMPILES
					     : LOG_SIEVE_JOB;
}

/*
 * Returns the exhibit's label. Two files of one name below two folders stay two: the second is
 * called by its whole path.
 */
static const char *label_of(const struct evidence *into, const struct remains_file *file)
{
	for (size_t i = 0; i < into->n; i++)
		if (into->at[i].kind == file->kind->exhibit &&
			!strcmp(into->at[i].label, file->label))
			return file->path;
	return file->label;
}

static void note_lost(struct evidence *into, const char *label, int64_t lost)
{
	struct str what = {0};

	str_printf(&what, "%s: %lld lines that tell of errors, for which there was no room", label,
		(long long)lost);
	evidence_add_gap(into, "", 0, str_text(&what));
	str_release(&what);
}

/* Reads a file, sieved if its kind is. Returns 0, or an errno. */
static int read_file(int fd, const struct stat *st, const struct remains_file *file,
	struct evidence *into, struct str *ret)
{
	struct log_sieve found;
	int error;

	if (!file->kind->sieved)
		return file_drain(fd, measure_of(file->kind->exhibit)->most, st->st_size, ret);
	error = log_sieve(fd, st->st_size, family_of(file->kind->exhibit), ret, &found);
	if (!error && found.lost)
		note_lost(into, file->label, found.lost);
	return -error;
}

/* Returns the most bytes that are kept of the file. */
static uint64_t kept_of(const struct remains_file *file, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;
	uint64_t most = LOG_SIEVE_HEAD + LOG_SIEVE_MIDDLE + LOG_SIEVE_TAIL;

	return file->kind->sieved && size > most ? most : size;
}

/* Adds one file as an exhibit. Returns false, with words, if it cannot be read. */
static bool take(const struct remains_file *file, struct evidence *into, struct complaint *why)
{
	struct exhibit about = {.kind = file->kind->exhibit, .rank = -1};
	int fd = file_open(file->path), error = -fd;
	struct str bytes = {0};
	struct stat st;
	size_t len;

	if (fd >= 0) {
		if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
			error = EBADF;
		else if (!meter_admits(into->meter, kept_of(file, &st), METER_READING))
			error = ENOMEM;
		else
			error = read_file(fd, &st, file, into, &bytes);
		close(fd);
	}
	if (error) {
		if (error == ENOMEM)
			complaint_set(why, "%s: " METER_REFUSED, file->path);
		else
			complaint_errno(why, error, "cannot read %s", file->path);
		str_release(&bytes);
		return false;
	}
	about.label = (char *)label_of(into, file);
	about.when = file->when;
	len = bytes.len;
	evidence_add(into, &about, (uint8_t *)str_detach(&bytes), len);
	return true;
}

size_t remains_read(const struct remains *remains, struct evidence *into)
{
	size_t read = 0;

	for (size_t i = 0; i < remains->files.nr; i++) {
		struct complaint why = {0};

		if (!remains->files.items[i].kind)
			continue;
		if (take(&remains->files.items[i], into, &why))
			read++;
		else
			evidence_add_gap(into, "", 0, complaint_text(&why));
		complaint_release(&why);
	}
	return read;
}

static int log_gather(const char *path, struct evidence *into, struct complaint *why)
{
	struct remains remains = {0};
	size_t read;

	remains_look(&remains, path);
	remains_jobs_tell_apart(&remains, 0);
	read = remains_read(&remains, into);
	remains_release(&remains);
	return read ? 0 : complaint_set(why, "nothing that a job leaves in %s", path);
}

const struct source source_log = {
	.name = "log",
	.claims = remains_any,
	.gather = log_gather,
};
