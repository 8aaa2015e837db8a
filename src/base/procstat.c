/* SPDX-License-Identifier: Apache-2.0 */
#include "base/procstat.h"

#include <string.h>

#include "base/checked.h"

/* Fields are counted from 1, as proc(5) does; the third is the first behind the name. */
enum {
	FIELD_STATE = 3,
	FIELD_PPID = 4,
	FIELD_FLAGS = 9,
	FIELD_UTIME = 14,
	FIELD_STIME = 15,
	FIELD_CUTIME = 16,
	FIELD_CSTIME = 17,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_RSS = 24,
	FIELD_PROCESSOR = 39,
	FIELD_EXIT_CODE = 52,
	FIELDS,
};

#define KERNEL_THREAD 0x200000 /* of the flags: PF_KTHREAD */

/*
 * Reads one decimal number at *at, and moves behind it and the space that follows. Returns false if
 * there is none.
 */
static bool procstat_number(const char **at, const char *end, int64_t *ret)
{
	const char *p = *at;
	bool negative = p < end && *p == '-';
	uint64_t value = 0;

	p += negative;
	if (p == end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	if (p < end && (*p == ' ' || *p == '\n'))
		p++;
	*at = p;
	*ret = negative ? -(int64_t)(value & INT64_MAX) : (int64_t)(value & INT64_MAX);
	return true;
}

/*
 * Takes the name in parentheses and returns where the text goes on, or NULL. The name may hold any
 * byte, newlines as well: it ends at the last ')' of all.
 */
static const char *procstat_name(const char *at, const char *end, struct procstat *ret)
{
	const char *close;
	size_t len;

	if (at == end || *at != '(')
		return NULL;
	close = memrchr(at, ')', (size_t)(end - at));
	if (!close)
		return NULL;
	len = (size_t)(close - at) - 1;
	if (len >= sizeof(ret->comm))
		len = sizeof(ret->comm) - 1;
	memcpy(ret->comm, at + 1, len);
	return close + 1;
}

/*
 * True if the main thread alone has ended, by itself, and others go on: /proc calls such a process
 * a zombie, and it is none. One that a signal ends has threads that have not heard of it yet.
 */
static bool procstat_goes_on(const struct procstat *stat)
{
	return stat->state == 'Z' && stat->threads > 1 && !(stat->exit_code & 0x7f);
}

/* Fills in the numbers. `known` is the field that the text ended before. */
static void procstat_take(const int64_t field[FIELDS], int known, struct procstat *ret)
{
	ret->ppid = (uint32_t)field[FIELD_PPID];
	ret->kernel = field[FIELD_FLAGS] & KERNEL_THREAD;
	ret->cpu_ticks = (uint64_t)checked_add(field[FIELD_UTIME], field[FIELD_STIME]);
	ret->reaped_ticks = (uint64_t)checked_add(field[FIELD_CUTIME], field[FIELD_CSTIME]);
	ret->threads = (uint32_t)field[FIELD_THREADS];
	ret->start_time = (uint64_t)field[FIELD_START];
	ret->rss_pages = field[FIELD_RSS];
	ret->processor = (uint32_t)field[FIELD_PROCESSOR];
	ret->exit_code = (int)field[FIELD_EXIT_CODE];
	ret->task_state = ret->state;
	if (procstat_goes_on(ret))
		ret->state = 'S';
	ret->exit_code_known = known > FIELD_EXIT_CODE && ret->state == 'Z';
}

bool procstat_parse(const char *text, size_t len, struct procstat *ret)
{
	const char *end = text + len;
	int64_t field[FIELDS] = {0};
	const char *at = text;
	int64_t pid;
	int known;

	memset(ret, 0, sizeof(*ret));
	if (!procstat_number(&at, end, &pid) || pid <= 0)
		return false;
	at = procstat_name(at, end, ret);
	if (!at || end - at < 2 || at[0] != ' ')
		return false;
	ret->pid = (uint32_t)pid;
	ret->state = at[1];
	at += end - at > 2 ? 3 : 2;
	for (known = FIELD_PPID; known < FIELDS; known++)
		if (!procstat_number(&at, end, &field[known]))
			break;
	procstat_take(field, known, ret);
	return known > FIELD_START;
}

/* Returns the number on the line of that name, or -1 if there is none. */
static int64_t procstat_line(const char *text, const char *name)
{
	const char *line = strstr(text, name);
	int64_t value = -1;

	if (!line || (line != text && line[-1] != '\n'))
		return -1;
	line += strlen(name);
	line += strspn(line, " \t");
	return procstat_number(&line, text + strlen(text), &value) && value >= 0 ? value : -1;
}

int64_t procstat_written(const char *text)
{
	int64_t given = procstat_line(text, "wchar:"), stored = procstat_line(text, "write_bytes:");

	return given > stored ? given : stored;
}
