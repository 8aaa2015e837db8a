/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/remains/remains-dumps.h"

#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "evidence/gather/remains/remains-runs.h"

/*
 * How long after a dump a log of the same run may still be written, and how long after a log's last
 * line its ranks may still answer. The server asks each minute, or as often as somebody wished.
 */
#define NO_MORE_ASKED  (3600 * CLOCK_NS_PER_S)
#define ANSWERED_AFTER (600 * CLOCK_NS_PER_S)

/*
 * The line that is read is "=== Rank 0: http://m1:57799/handler/dump_traceback? ===". The port is
 * another one in each run.
 */
void remains_dumps_read(struct remains_file *file, const char *head)
{
	const char *line = strstr(head, "=== Rank 0: http"), *at;
	size_t len = line ? strcspn(line, "\n") : 0;

	at = line ? memmem(line, len, "/handler/", 9) : NULL;
	if (at) {
		file->served = hash_bytes(HASH_START, line, (size_t)(at - line)) | 1;
		file->asked = hash_bytes(HASH_START, at, (size_t)(line + len - at));
	}
}

/*
 * Returns the time in a name such as "stacks_20261127_050712.txt", which no copy changes; NULL if
 * it has none.
 */
static const char *stamp_of(const struct remains_file *file)
{
	static const char form[] = "_dddddddd_dddddd.txt";
	size_t len = strlen(file->path), n = strlen(form);
	const char *at = len < n ? file->path + len : file->path + len - n;

	for (size_t i = 0; i < n; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)at[i]) : at[i] != form[i])
			return NULL;
	return at;
}

/* True if `a` is of a later time: by the names, else by when the files were written. */
static bool is_later(const struct remains_file *a, const struct remains_file *b)
{
	const char *one = stamp_of(a), *other = stamp_of(b);
	int order = one && other ? strcmp(one, other) : 0;

	return order ? order > 0 : a->when > b->when;
}

/*
 * Returns the last dump of all; with `like` the last of that run that asked for the same; NULL
 * none.
 */
static const struct remains_file *last_dump(
	const struct remains *remains, const struct remains_file *like)
{
	const struct remains_file *last = NULL, *file;

	array_for_each(&remains->files, file)
		if (file->kind && file->served &&
			(!like || (like->served == file->served && like->asked == file->asked)) &&
			(!last || is_later(file, last)))
			last = file;
	return last;
}

/*
 * Passes over logs of an earlier run than the dump: ranks that answer after a log has told of ends
 * are of a later one. Returns true if the dump is of an earlier run than some log, whose ranks
 * would have been asked to its end.
 */
static bool part_from_logs(struct remains *remains, const struct remains_file *dump)
{
	struct remains_file *file;
	bool older = false;

	array_for_each(&remains->files, file) {
		if (!remains_runs_is_log(file) || !file->report)
			continue;
		older |= file->when - dump->when > NO_MORE_ASKED;
		if (dump->when - file->when <= ANSWERED_AFTER)
			continue;
		file->kind = NULL;
		file->why = REMAINS_OF_UNKNOWN;
	}
	return older;
}

/* True if both lie in the same folder. */
static bool are_neighbours(const struct remains_file *a, const struct remains_file *b)
{
	const char *one = strrchr(a->path, '/'), *other = strrchr(b->path, '/');
	size_t len = one ? (size_t)(one - a->path) : 0;

	return len == (other ? (size_t)(other - b->path) : 0) && !memcmp(a->path, b->path, len);
}

/*
 * Passes over all tables of a folder but the last, since tables name no rank's address; and over
 * that if it is of another time than `said`, the last dump that names one.
 */
static void keep_tables(struct remains *remains, const struct remains_file *said)
{
	struct remains_file *file, *other;

	array_for_each(&remains->files, file) {
		if (!file->kind || file->kind->exhibit != EXHIBIT_SERVED || file->served)
			continue;
		if (said && (said->when - file->when > NO_MORE_ASKED ||
				    file->when - said->when > NO_MORE_ASKED))
			file->why = REMAINS_OF_UNKNOWN;
		array_for_each(&remains->files, other)
			if (other->kind && other->kind->exhibit == EXHIBIT_SERVED &&
				!other->served && are_neighbours(file, other) &&
				is_later(other, file))
				file->why = "an earlier dump";
	}
	array_for_each(&remains->files, file)
		if (file->why)
			file->kind = NULL;
}

void remains_dumps_keep(struct remains *remains)
{
	const struct remains_file *last = last_dump(remains, NULL), *latest = NULL;
	bool older = last && part_from_logs(remains, last);
	struct remains_file *file;

	keep_tables(remains, last);
	array_for_each(&remains->files, file) {
		if (!file->kind || !file->served)
			continue;
		if (!latest || latest->asked != file->asked)
			latest = last_dump(remains, &(const struct remains_file){
							    .served = last->served,
							    .asked = file->asked});
		if (file->served != last->served)
			file->why = REMAINS_OF_ANOTHER;
		else if (file != latest)
			file->why = "an earlier dump";
		else if (older)
			file->why = REMAINS_OF_UNKNOWN;
		if (file->why)
			file->kind = NULL;
	}
}

/* Reads "timestamp": "2026-11-28 12:42:00". */
void remains_polls_read(struct remains_file *file, const char *head)
{
	static const char form[] = "dddd-dd-dd dd:dd:dd", key[] = "\"timestamp\"";
	const char *at = strstr(head, key);

	at = at ? at + strlen(key) : "";
	at += strspn(at, ": \t\"");
	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)at[i]) : at[i] != form[i])
			return;
	memcpy(file->polled, at, strlen(form));
}

/* True if a later report lies in the same folder. */
static bool has_later(const struct remains *remains, const struct remains_file *file)
{
	const struct remains_file *other;

	array_for_each(&remains->files, other)
		if (strcmp(other->polled, file->polled) > 0 && are_neighbours(other, file))
			return true;
	return false;
}

void remains_polls_keep(struct remains *remains)
{
	struct remains_file *file;

	array_for_each(&remains->files, file) {
		if (!file->kind || !*file->polled || !has_later(remains, file))
			continue;
		file->kind = NULL;
		file->why = "an earlier report";
	}
}
