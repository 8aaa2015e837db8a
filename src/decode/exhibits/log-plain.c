/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/log-plain.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/ansi.h"
#include "base/hash.h"
#include "evidence/gather/log-marks.h"

#define DIGITS	      "0123456789"
#define LETTERS	      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define NAMED	      LETTERS DIGITS "-_."
#define WRAPPERS_MOST 4 /* around one line */

/* -- what a terminal shows --------------------------------------------------------------------- */

/* Returns how many bytes of words a text begins with. */
static size_t plain_length(const char *at, size_t len)
{
	size_t n = 0;

	while (n < len && (at[n] == '\t' || (unsigned char)at[n] >= ' '))
		n++;
	return n;
}

void log_plain_shown(struct str *into, const char *line, size_t len, size_t most)
{
	size_t begin = into->len;
	const char *over;

	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	over = memrchr(line, '\r', len);
	if (over) {
		len -= (size_t)(over + 1 - line);
		line = over + 1;
	}
	while (len && into->len - begin < most) {
		size_t plain = plain_length(line, len);
		size_t more = escape_length(line + plain, len - plain);

		str_add_bytes(into, line, plain < most ? plain : most);
		more = plain + (plain == len ? 0 : more ? more : 1);
		line += more;
		len -= more;
	}
}

/* -- what stands around a line ----------------------------------------------------------------- */

/* Returns the length of what is like a pattern, in which 0 stands for a digit; else 0. */
static size_t like(const char *at, const char *pattern)
{
	size_t len = strlen(pattern);

	for (size_t i = 0; i < len; i++)
		if (pattern[i] == '0' ? !isdigit((unsigned char)at[i]) : at[i] != pattern[i])
			return 0;
	return len;
}

size_t log_plain_stamp(const char *line)
{
	size_t len = like(line, "0000-00-00T00:00:00"), zone;

	if (!len)
		return 0;
	if (line[len] == '.' || line[len] == ',')
		len += 1 + strspn(line + len + 1, DIGITS);
	zone = line[len] == 'Z' ? 1 : 0;
	if (line[len] == '+' || line[len] == '-')
		zone = like(line + len + 1, "00:00") ? 6 : like(line + len + 1, "0000") ? 5 : 0;
	return zone && line[len + zone] == ' ' ? len + zone + 1 : 0;
}

/*
 * Each of these returns the length of what some program puts before a line, 0 where it is not;
 * `stamped`: behind a time.
 */
typedef size_t wrapper(const char *at, bool stamped);

/* "stderr F ", of the files of Kubernetes' runtimes. */
static size_t of_runtime(const char *at, bool stamped)
{
	if (!stamped || (strncmp(at, "stdout ", 7) != 0 && strncmp(at, "stderr ", 7) != 0))
		return 0;
	return (at[7] == 'F' || at[7] == 'P') && (at[8] == ' ' || !at[8]) ? 8 + (at[8] == ' ') : 0;
}

/* "[pod/trainer-0/main] ". */
static size_t of_kubectl(const char *at, bool stamped)
{
	const char *end = strncmp(at, "[pod/", 5) ? NULL : strstr(at, "] ");

	(void)stamped;
	return end ? (size_t)(end + 2 - at) : 0;
}

/* "trainer-1  | ". A column of a table has no instance's number in front. */
static size_t of_compose(const char *at, bool stamped)
{
	size_t name = strspn(at, NAMED), bar = name + strspn(at + name, " "), digits = 0;

	(void)stamped;
	while (digits < name && isdigit((unsigned char)at[name - 1 - digits]))
		digits++;
	if (bar == name || at[bar] != '|' || !digits || name < digits + 2 ||
		!strchr("-_", at[name - 1 - digits]) || !strncmp(at, "rank", 4))
		return 0;
	return bar + 1 + (at[bar + 1] == ' ');
}

/* Returns the length of "Nov 22 10:43:51 ". */
static size_t syslog_time(const char *at)
{
	if (strspn(at, LETTERS) != 3 || at[3] != ' ')
		return 0;
	return like(at + 4, "00 00:00:00 ") || like(at + 4, " 0 00:00:00 ") ? 16 : 0;
}

/* "Nov 22 10:43:51 m1 python[4711]: ". Of Slurm's daemon the name stays, by which it is known. */
static size_t of_syslog(const char *at, bool stamped)
{
	const char *begin = at;
	size_t time = syslog_time(at), host, name, pid;

	host = time || stamped ? strspn(at + time, NAMED) : 0;
	if (!host || at[time + host] != ' ')
		return 0;
	at += time + host + 1;
	if (!strncmp(at, "slurmstepd", 10))
		return (size_t)(at - begin);
	name = strspn(at, NAMED "/");
	pid = name && at[name] == '[' ? strspn(at + name + 1, DIGITS) : 0;
	at += name + 1 + pid;
	return pid && !strncmp(at, "]: ", 3) ? (size_t)(at + 3 - begin) : 0;
}

/*
 * "m1: ", before the mark of a rank. A mere number is srun's, and tells a rank; a word without any
 * number is an error's or a logger's, "RuntimeError: [rank3]: ...", that quotes another rank.
 */
static size_t of_pdsh(const char *at, bool stamped)
{
	size_t host = strspn(at, NAMED), number = strcspn(at, DIGITS);

	(void)stamped;
	return host > strspn(at, DIGITS) && number < host && !strncmp(at + host, ": [rank", 7)
		       ? host + 2
		       : 0;
}

/* " 20%|## | 2/10 [00:02<00:08, 1.03it/s]", a bar of progress, which ends no line. */
static size_t of_bar(const char *at, bool stamped)
{
	const char *end = strstr(at, "%|");

	(void)stamped;
	end = end ? strstr(end, "][rank") : NULL;
	return end ? (size_t)(end + 1 - at) : 0;
}

static const struct {
	wrapper *length;
	bool names; /* it names a pod, a container or a host */
} wrappers[] = {{of_runtime, false}, {of_kubectl, true}, {of_compose, true}, {of_syslog, true},
	{of_pdsh, true}, {of_bar, false}};

/* Returns the hash of the name that such a wrapper has: of a pod, whatever its container is. */
static uint64_t name_of(const char *at)
{
	if (!strncmp(at, "[pod/", 5))
		return hash_bytes(HASH_START, at + 5, strcspn(at + 5, "/]"));
	at += syslog_time(at);
	return hash_bytes(HASH_START, at, strspn(at, NAMED));
}

static size_t wrapped(const char *at, bool stamped, uint64_t *name)
{
	size_t len = 0;

	for (size_t i = 0; !len && i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		len = wrappers[i].length(at, stamped);
		if (len && wrappers[i].names && !*name)
			*name = name_of(at);
	}
	return len;
}

/* Returns the length of a time, and of srun's mark behind it. */
static size_t kept_length(const char *text)
{
	size_t len = log_plain_stamp(text);

	if (log_marks_task(text + len) >= 0) {
		len += strspn(text + len, " ");
		len += strspn(text + len, DIGITS) + 1;
		len += text[len] == ' ';
	}
	return len;
}

/*
 * Takes away what stands around a line; times and srun's marks stay. Returns the hash of the first
 * name in it, 0 none.
 */
static uint64_t unwrap(struct str *line)
{
	uint64_t name = 0;

	for (int i = 0; i < WRAPPERS_MOST; i++) {
		const char *text = str_text(line);
		size_t kept = kept_length(text);
		size_t len = wrapped(text + kept, log_plain_stamp(text) > 0, &name);

		if (!len)
			break;
		memmove(line->text + kept, line->text + kept + len, line->len - kept - len);
		str_cut(line, line->len - len);
	}
	return name;
}

/*
 * Adds the marks that a launcher has put before a line that its process draws over: "3: " of
 * "3: \r 10%\r 20%". Returns how many bytes of the line they are, 0 there are none.
 */
static size_t keep_marks(struct str *into, const char *line, size_t len, uint64_t *name)
{
	const char *over = memchr(line, '\r', len);
	size_t n = over ? (size_t)(over - line) : 0, stamp;
	struct str before = {0};
	struct log_marks marks;

	if (!n)
		return 0;
	str_add_bytes(&before, line, n);
	*name = unwrap(&before);
	stamp = log_plain_stamp(str_text(&before));
	if (log_marks_read(str_text(&before) + stamp, true, &marks) == before.len - stamp)
		str_add(into, str_text(&before));
	else
		n = 0;
	str_release(&before);
	return n;
}

/*
 * Adds what a terminal would show of a line, and the marks of a launcher. Returns the hash of a
 * name that stands before what is drawn over, 0 none.
 */
static uint64_t add_drawn(struct str *into, const char *line, size_t len)
{
	uint64_t name = 0;
	size_t marks;

	while (len && strchr("\r\n", line[len - 1]))
		len--;
	marks = keep_marks(into, line, len, &name);
	log_plain_shown(into, line + marks, len - marks, len);
	return name;
}

/* -- docker's files ---------------------------------------------------------------------------- */

/* Adds a character as UTF-8, where it is one of those that JSON must not leave as they are. */
static const char *add_escaped(struct str *into, const char *at)
{
	static const char names[] = "nrtbf", chars[] = "\n\r\t\b\f";
	const char *name = *at ? strchr(names, *at) : NULL;
	char digits[5] = {0};
	long code;

	if (*at != 'u') {
		str_add_char(into, name ? chars[name - names] : *at);
		return at + 1;
	}
	if (strspn(at + 1, DIGITS "abcdefABCDEF") < 4)
		return at + 1;
	memcpy(digits, at + 1, 4);
	code = strtol(digits, NULL, 16);
	str_add_char(into, code > 0 && code < 0x80 ? (char)code : '?');
	return at + 5;
}

/* Adds what stands in quotes, up to the second one; returns what follows, NULL: it has no end. */
static const char *add_quoted(struct str *into, const char *at)
{
	while (*at && *at != '"')
		if (*at == '\\' && at[1])
			at = add_escaped(into, at + 1);
		else
			str_add_char(into, *at++);
	return *at ? at + 1 : NULL;
}

/* Takes a line out of docker's file; returns false if it is of none. */
static bool add_docker(struct str *into, const char *line)
{
	static const char begin[] = "{\"log\":\"", time[] = "\"time\":\"";
	struct str words = {0};
	const char *behind, *at;
	size_t stamp;

	if (strncmp(line, begin, strlen(begin)) != 0)
		return false;
	behind = add_quoted(&words, line + strlen(begin));
	at = behind ? strstr(behind, time) : NULL;
	at = at ? at + strlen(time) : "";
	stamp = strcspn(at, "\"");
	if (behind) {
		str_add_bytes(into, at, stamp);
		str_add(into, stamp ? " " : "");
		add_drawn(into, str_text(&words), words.len);
	}
	str_release(&words);
	return behind != NULL;
}

uint64_t log_plain_line(struct str *into, const char *line, size_t len)
{
	/* Windows marks the begin of a file so. */
	static const char begin[] = "\xef\xbb\xbf";
	size_t n = strlen(begin), before = len > n && !memcmp(line, begin, n) ? n : 0;
	struct str shown = {0}, whole = {0};
	uint64_t name = add_drawn(&shown, line + before, len - before), behind;

	if (add_docker(&whole, str_text(&shown)))
		str_cut(&shown, 0);
	str_add(&shown, str_text(&whole));
	behind = unwrap(&shown);
	str_add(into, str_text(&shown));
	str_release(&shown);
	str_release(&whole);
	return name ? name : behind;
}
