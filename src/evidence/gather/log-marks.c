/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each reader knows one kind of mark, and returns how many bytes of it stand at the begin of a
 * text, 0 where it is none. They are asked in turn until none finds anything more, since marks
 * stand in any order and number. Texts are short (one line) and end in NUL.
 */
#include "evidence/gather/log-marks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LOG_MARKS_MOST   8          /* marks that are read on one line */
#define LOG_MARKS_NUMBER 1000000000 /* no rank nor pid is as great as this */

static size_t marks_digits(const char *at)
{
	return strspn(at, "0123456789");
}

/* Returns the number there; -1 where it is none, or too great. */
static int64_t marks_number(const char *at)
{
	int64_t number = 0;

	if (!marks_digits(at))
		return -1;
	for (; isdigit((unsigned char)*at); at++)
		if ((number = number * 10 + (*at - '0')) >= LOG_MARKS_NUMBER)
			return -1;
	return number;
}

/* Returns the length of `start` if the text begins with it, in letters of any case; else 0. */
static size_t marks_start(const char *at, const char *start)
{
	return strncasecmp(at, start, strlen(start)) ? 0 : strlen(start);
}

/* Returns 1 for a blank behind a mark, which parts it from the words. */
static size_t marks_blank(const char *at)
{
	return *at == ' ';
}

static size_t marks_blanks(const char *at)
{
	return strspn(at, " ");
}

/* Notes whose line it is, unless a mark before has said so. */
static void marks_say(struct log_marks *marks, enum log_marks_by by, int64_t number)
{
	if (marks->by != LOG_MARKS_NOBODY || number < 0)
		return;
	marks->by = by;
	marks->number = number;
}

static void marks_say_of_launcher(struct log_marks *marks, enum log_marks_by by, int64_t number)
{
	marks->of_launcher |= marks->by == LOG_MARKS_NOBODY;
	marks_say(marks, by, number);
}

/*
 * Reads "[rank3]: ", "[Rank 3] ", "(rank 3/8) ", "rank 3: ". Of "rank 3 waits" the rank is noted,
 * and nothing is taken away. Behind a mark of c10's, "[E ProcessGroupNCCL.cpp:12] ", it is the rank
 * in some group of the process (WorkNCCL::logPrefix(), in all versions), and so tells nobody.
 */
static size_t marks_rank(const char *line, struct log_marks *marks)
{
	const char *at = line, close = *line == '[' ? ']' : *line == '(' ? ')' : '\0';
	int64_t number;

	at += close != '\0';
	if (!marks_start(at, "rank"))
		return 0;
	at += strlen("rank");
	at += *at && strchr(" =:-_", *at);
	number = marks_number(at);
	if (number < 0)
		return 0;
	at += marks_digits(at);
	if (*at == '/' && marks_digits(at + 1))
		at += 1 + marks_digits(at + 1);
	if (close && *at != close)
		return 0;
	at += close != '\0';
	/* It must be a word of its own: not "rank3d". */
	if (!close && (isalnum((unsigned char)*at) || *at == '_'))
		return 0;
	if (!marks->of_c10)
		marks_say(marks, LOG_MARKS_RANK, number);
	if (!close && *at != ':')
		return 0;
	at += *at == ':';
	return (size_t)(at - line) + marks_blank(at);
}

/* Reads torchrun's mark, which names the rank on its node: "[default3]:". */
static size_t marks_local(const char *line, struct log_marks *marks)
{
	static const char *const starts[] = {
		"[default", "[trainer", "[worker", "[local_rank", "[local rank "};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t len = marks_start(line, starts[i]);
		size_t digits = len ? marks_digits(line + len) : 0;

		if (!digits || strncmp(line + len + digits, "]:", 2))
			continue;
		marks_say_of_launcher(marks, LOG_MARKS_LOCAL, marks_number(line + len));
		return len + digits + 2;
	}
	return 0;
}

/* Reads Ray's mark: "(RankWorker pid=4711, ip=10.0.0.1) ", "(pid=4711) ". */
static size_t marks_actor(const char *line, struct log_marks *marks)
{
	size_t name = *line == '(' ? strcspn(line, " )") : 0;
	const char *end = name ? strchr(line, ')') : NULL, *pid = line + name;

	if (end && !strncmp(line, "(pid=", 5))
		pid = line;
	if (!end || strncmp(pid + 1, "pid=", 4))
		return 0;
	marks_say(marks, LOG_MARKS_PID, marks_number(pid + 5));
	end++;
	return (size_t)(end - line) + marks_blank(end);
}

/*
 * Reads the mark of mpirun --tag-output: "[1,3]<stderr>:", in SageMaker
 * "[1,mpirank:3,algo-1]<stderr>:".
 */
static size_t marks_mpirun(const char *line, struct log_marks *marks)
{
	static const char named[] = "mpirank:";
	size_t job = *line == '[' ? marks_digits(line + 1) : 0;
	const char *rank = line + 1 + job + 1, *at;

	if (!job || line[1 + job] != ',')
		return 0;
	rank += marks_start(rank, named);
	at = rank + marks_digits(rank);
	at += *at == ',' ? strcspn(at, "]") : 0;
	if (!marks_digits(rank) || strncmp(at, "]<std", 5) || !strstr(at, ">:"))
		return 0;
	marks_say_of_launcher(marks, LOG_MARKS_RANK, marks_number(rank));
	at = strstr(at, ">:") + 2;
	return (size_t)(at - line) + marks_blank(at);
}

int64_t log_marks_task(const char *line)
{
	const char *at = line + marks_blanks(line);
	int64_t number = marks_number(at);

	at += marks_digits(at);
	if (at[0] != ':' || (at[1] && !strchr(" \n", at[1])))
		return -1;
	return number;
}

/* Reads the mark of srun -l. */
static size_t marks_task(const char *line, struct log_marks *marks)
{
	size_t len = marks_blanks(line);

	if (log_marks_task(line) < 0)
		return 0;
	marks_say_of_launcher(marks, LOG_MARKS_RANK, log_marks_task(line));
	len += marks_digits(line + len) + 1;
	return len + marks_blank(line + len);
}

/*
 * Returns the length of srun's mark before that of PyTorch's hook or of torchrun, "3: [rank3]: ".
 * Where others than srun wrote into the log, too, as a batch script does, it tells no rank.
 */
static size_t marks_task_of_hook(const char *line)
{
	struct log_marks none = {0};
	size_t len = marks_task(line, &none);

	return len && (marks_start(line + len, "[rank") || marks_start(line + len, "[default"))
		       ? len
		       : 0;
}

/* Returns the length of a time of day, "10:43:51", with a fraction or not. */
static size_t marks_clock(const char *at)
{
	size_t len = 0;

	for (int part = 0; part < 3; part++) {
		size_t digits = marks_digits(at + len);

		if (digits < 1 || digits > 2 || (part && digits != 2))
			return 0;
		len += digits;
		if (part < 2 && at[len++] != ':')
			return 0;
	}
	if ((at[len] == '.' || at[len] == ',') && marks_digits(at + len + 1))
		len += 1 + marks_digits(at + len + 1);
	return len;
}

/* Returns the length of a time zone: "Z", "+00:00", "-0800", " UTC". */
static size_t marks_zone(const char *at)
{
	size_t digits;

	if (*at == 'Z')
		return 1;
	if (!strncmp(at, " UTC", 4))
		return 4;
	digits = *at == '+' || *at == '-' ? marks_digits(at + 1) : 0;
	if (digits == 4)
		return 5;
	return digits == 2 && at[3] == ':' && marks_digits(at + 4) == 2 ? 6 : 0;
}

/* Returns the length of a date: "2026-11-22", "11/22/2026", "11-22". */
static size_t marks_date(const char *at)
{
	char between = at[marks_digits(at)];
	size_t len = marks_digits(at);

	if (!len || len > 4 || (between != '-' && between != '/'))
		return 0;
	for (int part = 0; part < 2 && at[len] == between; part++) {
		size_t digits = marks_digits(at + len + 1);

		if (digits != 2 && digits != 4)
			return 0;
		len += 1 + digits;
	}
	return len;
}

/* Reads a time of day, with its date or not, in brackets or not, with the blanks behind it. */
static size_t marks_time(const char *line, struct log_marks *marks)
{
	bool bracket = *line == '[';
	const char *at = line + bracket;
	size_t date = marks_date(at), clock;

	(void)marks;
	if (date) {
		at += date;
		if (*at != 'T' && *at != ' ')
			return 0;
		at++;
	}
	clock = marks_clock(at);
	if (!clock)
		return 0;
	at += clock;
	at += marks_zone(at);
	if (bracket && *at != ']')
		return 0;
	at += bracket;
	at += *at == ':' || *at == ',';
	if (*at && *at != ' ' && *at != '[')
		return 0;
	at += marks_blanks(at);
	return (size_t)(at - line);
}

/*
 * Returns the length of a level with its day, "W1122", as glog writes it. c10 writes "E321" in
 * March, and before PyTorch 2.4 no time at all, only "E" before the file; both in brackets.
 */
static size_t marks_glog_day(const char *at, bool bracket)
{
	size_t digits;

	if (!*at || !strchr("DIWEFVC", *at))
		return 0;
	digits = marks_digits(at + 1);
	if (at[1 + digits] != ' ')
		return 0;
	return digits == 4 || (bracket && (digits == 3 || !digits)) ? 1 + digits : 0;
}

/*
 * Reads what glog and its kin write: "W1122 10:43:51.191000 2998 torch/x.py:12] ", and in brackets,
 * as c10 does, "[W1122 10:43:51.19 ProcessGroupNCCL.cpp:12] ", "[W ProcessGroupNCCL.cpp:12] ".
 */
static size_t marks_glog(const char *line, struct log_marks *marks)
{
	const char *at = line + (*line == '['), *end = strstr(at, "] "), *file;
	size_t day = end ? marks_glog_day(at, *line == '[') : 0;
	char level = *at;

	if (!day || memchr(at, '[', (size_t)(end - at)))
		return 0;
	file = strstr(at, ".cpp:");
	if (day == 1 && (!file || strcspn(at + 2, " ") <= (size_t)(file - at - 2)))
		return 0;
	marks->of_framework = true;
	marks->of_c10 |= *line == '[' && file && file < end;
	if (!marks->level)
		marks->level = level == 'V' ? 'D' : level == 'C' ? 'F' : level;
	end += 1;
	return (size_t)(end - line) + marks_blanks(end);
}

/*
 * Reads "[PG ID 0 PG GUID 0(default_pg) Rank 3] ", whose rank is a group's and so tells nobody.
 * "[Rank 3] " is for marks_rank().
 */
static size_t marks_group(const char *line, struct log_marks *marks)
{
	const char *end = strncmp(line, "[PG ", 4) ? NULL : strchr(line, ']');

	(void)marks;
	return end ? (size_t)(end + 1 - line) + marks_blanks(end + 1) : 0;
}

/* Returns the length of a level's word, and sets its initial; 0 where there is none. */
static size_t marks_level_word(const char *at, char *ret_level)
{
	static const struct {
		const char *word;
		char level;
	} words[] = {{"DEBUG", 'D'}, {"INFO", 'I'}, {"WARNING", 'W'}, {"WARN", 'W'}, {"ERROR", 'E'},
		{"CRITICAL", 'F'}, {"FATAL", 'F'}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].word);

		if (strncmp(at, words[i].word, len) || isalnum((unsigned char)at[len]))
			continue;
		*ret_level = words[i].level;
		return len;
	}
	return 0;
}

/*
 * Returns the length of a logger's or file's name, without blanks: "root", "torch.distributed",
 * "engine.py:12:step".
 */
static size_t marks_name(const char *at)
{
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || (at[len] && strchr("_.-/:<>", at[len])))
		len++;
	return len;
}

/*
 * Reads "[INFO] ", "[INFO|trainer.py:12] ", "INFO: ", "INFO:root:". A bare "ERROR: " stays, for who
 * reads the line.
 */
static size_t marks_level_shut(const char *line, struct log_marks *marks)
{
	bool bracket = *line == '[', named;
	const char *at = line + bracket, *colon;
	char level = '\0';
	size_t word = marks_level_word(at, &level);

	if (!word)
		return 0;
	at += word;
	named = bracket && *at == '|';
	if (named)
		at += 1 + marks_name(at + 1);
	if (*at != (bracket ? ']' : ':'))
		return 0;
	at++;
	if (!bracket && *at && *at != ' ') {
		colon = strchr(at, ':');
		if (!colon || strcspn(at, " ") < (size_t)(colon - at))
			return 0;
		at = colon + 1;
		named = true;
	}
	marks->level = marks->level ? marks->level : level;
	if (!named && (level == 'E' || level == 'F'))
		return 0;
	return (size_t)(at - line) + marks_blanks(at);
}

/* Returns the length of "- " or "| ", by which loggers part what they say; else 0. */
static size_t marks_bar(const char *at)
{
	return (*at == '-' || *at == '|') && at[1] == ' ' ? 1 + marks_blanks(at + 1) : 0;
}

/* Returns the length of a logger's name and the bar behind it. */
static size_t marks_named(const char *at)
{
	size_t name = marks_name(at), blanks = marks_blanks(at + name);
	size_t bar = name && blanks ? marks_bar(at + name + blanks) : 0;

	return bar ? name + blanks + bar : 0;
}

/* Reads "- INFO - root - ", "- root - INFO - ", "| INFO     | main:run:12 - ", "INFO ". */
static size_t marks_level_open(const char *line, struct log_marks *marks)
{
	const char *at = line + marks_bar(line);
	char level = '\0';
	size_t word = marks_level_word(at, &level), before = at > line ? marks_named(at) : 0;

	if (!word && before) {
		at += before;
		word = marks_level_word(at, &level);
	}
	if (!word || at[word] != ' ')
		return 0;
	at += word + marks_blanks(at + word);
	if (marks_bar(at)) {
		at += marks_bar(at);
		at += marks_named(at);
	}
	marks->level = marks->level ? marks->level : level;
	return (size_t)(at - line);
}

/* Reads a file with its line, "[engine.py:12:step] ", "engine.py:12] ", and transformers' ">> ". */
static size_t marks_source(const char *line, struct log_marks *marks)
{
	const char *at = line + (*line == '[');
	size_t name = marks_name(at);

	(void)marks;
	if (!strncmp(line, ">> ", 3))
		return 3;
	if (!name || at[name] != ']' || !memchr(at, ':', name) || !memchr(at, '.', name))
		return 0;
	at += name + 1;
	return (size_t)(at - line) + marks_blanks(at);
}

typedef size_t marks_reader(const char *line, struct log_marks *marks);

static marks_reader *const marks_readers[] = {marks_local, marks_actor, marks_mpirun, marks_rank,
	marks_glog, marks_time, marks_group, marks_level_shut, marks_level_open, marks_source};

/* Reads one mark, by whichever reader knows it. */
static size_t marks_one(const char *line, struct log_marks *marks)
{
	for (size_t i = 0; i < sizeof(marks_readers) / sizeof(marks_readers[0]); i++) {
		size_t len = marks_readers[i](line, marks);

		if (len)
			return len;
	}
	return 0;
}

size_t log_marks_read(const char *line, bool numbered, struct log_marks *ret_marks)
{
	size_t len = 0;

	*ret_marks = (struct log_marks){0};
	if (numbered)
		len = marks_task(line, ret_marks);
	else
		len = marks_task_of_hook(line);
	for (int i = 0; i < LOG_MARKS_MOST; i++) {
		size_t more = marks_one(line + len, ret_marks);

		if (!more)
			break;
		len += more;
	}
	return len ? len + marks_bar(line + len) : 0;
}

int log_marks_hook(const char *line, size_t before)
{
	const char *at = strstr(line, "[rank");

	for (; at && at < line + before; at = strstr(at + 1, "[rank"))
		if (isdigit((unsigned char)at[5]))
			return atoi(at + 5);
	return -1;
}
