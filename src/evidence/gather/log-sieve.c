/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is read in blocks that end with a line. In the middle of a large file a block is first
 * searched as a whole for any known word: most blocks have none, and their lines are only counted.
 */
#include "evidence/gather/log-sieve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/wordset.h"

#define BLOCK (1 << 20) /* bytes */

static const char *const job_words[] = {
#define JOB_TELLS(text) text,
#include "lists/log-words.def"
};
static const char *const job_marks[] = {
#define JOB_MARKS(text) text,
#include "lists/log-words.def"
};
static const char *const kernel_words[] = {
#define KERNEL_TELLS(text) text,
#include "lists/log-words.def"
};
static const char *const compile_words[] = {
#define COMPILE_TELLS(text) text,
#include "lists/log-words.def"
};

#define LIST(of) of, sizeof(of) / sizeof(of[0])

/* The words and marks of a kind of log, and how much is kept of it. */
static const struct family {
	const char *const *words;
	size_t nwords;
	const char *const *marks;
	size_t nmarks;
	size_t line; /* bytes that are kept of one line */
	int following; /* how many lines are kept behind one that tells: a traceback, a report */
} families[LOG_SIEVE_FAMILIES] = {
	[LOG_SIEVE_JOB] = {LIST(job_words), LIST(job_marks), LOG_SIEVE_LINE, 60},
	[LOG_SIEVE_KERNEL] = {LIST(kernel_words), NULL, 0, LOG_SIEVE_LINE, 0},
	[LOG_SIEVE_COMPILES] = {LIST(compile_words), NULL, 0, 16 * LOG_SIEVE_LINE, 0},
};

/* A reading of one file. */
struct sieve {
	const struct family *family;
	struct wordset words, marks;
	struct str *into;
	struct log_sieve *ret;
	int64_t tail;	 /* offset from which on all is kept */
	int64_t offset;	 /* where the next line begins */
	size_t middle;	 /* bytes kept of what lies between head and tail */
	int following;	 /* how many more lines are kept, since a line before them told of an
			  * error */
	bool unended;	 /* true if the line is the last, and has no end */
	bool within;	 /* true inside of a line whose begin was dealt with: up to its end all
			  * is left out */
};

/* Appends a line with its number. NULs become blanks. */
static void keep(struct sieve *sieve, const char *line, size_t len)
{
	size_t from;

	str_printf(sieve->into, "%lld\t", (long long)sieve->ret->lines);
	from = sieve->into->len;
	str_add_bytes(sieve->into, line, len < sieve->family->line ? len : sieve->family->line);
	for (size_t i = from; i < sieve->into->len; i++)
		if (!sieve->into->text[i])
			sieve->into->text[i] = ' ';
	if (!sieve->unended)
		str_add_char(sieve->into, '\n');
}

/*
 * Returns what a terminal would show of a line for which there is no room: what is behind the last
 * thing that was drawn over, as a bar of progress draws itself.
 */
static const char *shown_of(const struct sieve *sieve, const char *line, size_t *len)
{
	size_t most = *len;
	const char *over;

	while (most && line[most - 1] == '\r')
		most--;
	over = most > sieve->family->line ? memrchr(line, '\r', most) : NULL;
	if (!over)
		return line;
	*len -= (size_t)(over + 1 - line);
	return over + 1;
}

/* Keeps a line if it is of the head or the tail, tells of an error, or follows one that does. */
static void take_line(struct sieve *sieve, const char *line, size_t len)
{
	size_t whole = len;
	bool at_end = sieve->offset < LOG_SIEVE_HEAD || sieve->offset >= sieve->tail;
	size_t most;
	bool is_known;

	line = shown_of(sieve, line, &len);
	most = len < sieve->family->line ? len : sieve->family->line;
	is_known = wordset_find(&sieve->words, line, most, NULL) != NULL;
	sieve->ret->lines++;
	sieve->ret->known |= is_known || (!sieve->ret->known &&
					    wordset_find(&sieve->marks, line, most, NULL));
	sieve->offset += (int64_t)whole + 1;
	if (is_known)
		sieve->following = sieve->family->following;
	else if (!at_end && sieve->following == 0)
		return;
	else if (sieve->following)
		sieve->following--;
	if (!at_end && sieve->middle + most > LOG_SIEVE_MIDDLE) {
		sieve->ret->lost += is_known;
		return;
	}
	sieve->middle += at_end ? 0 : most;
	keep(sieve, line, len);
}

/* Counts lines without looking into them. */
static void pass_lines(struct sieve *sieve, const char *at, size_t len)
{
	const char *end = at + len;

	sieve->offset += (int64_t)len;
	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		sieve->ret->lines++;
		at++;
	}
}

/* Takes whole lines: the last byte is a newline. */
static void take_lines(struct sieve *sieve, const char *at, size_t len)
{
	const char *end = at + len;

	if (sieve->offset >= LOG_SIEVE_HEAD && sieve->offset + (int64_t)len < sieve->tail &&
		!sieve->following && !wordset_find(&sieve->words, at, len, NULL)) {
		pass_lines(sieve, at, len);
		return;
	}
	while (at < end) {
		size_t line = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at);

		take_line(sieve, at, line);
		at += line + 1;
	}
}

/* Leaves out the rest of a line whose begin was taken. Returns how much of the block that is. */
static size_t leave_out(struct sieve *sieve, const char *block, size_t len)
{
	const char *end = sieve->within ? memchr(block, '\n', len) : NULL;
	size_t nr = !sieve->within ? 0 : end ? (size_t)(end - block) + 1 : len;

	sieve->offset += (int64_t)nr;
	sieve->within = sieve->within && !end;
	return nr;
}

/*
 * Returns how many bytes of a line that fills the block were drawn over: a bar of progress may draw
 * itself for days, and what tells of an error follows on the same line.
 */
static size_t drawn_over(const char *block, size_t len)
{
	const char *over = memrchr(block, '\r', len);

	return over ? (size_t)(over - block) : 0;
}

/*
 * Takes the whole lines of a block, and returns how many bytes that was. A line that fills a block,
 * and the last one, are taken though they have no end.
 */
static size_t take_block(struct sieve *sieve, const char *block, size_t len, bool last)
{
	size_t from = leave_out(sieve, block, len);
	const char *end = memrchr(block + from, '\n', len - from);

	if (end) {
		take_lines(sieve, block + from, (size_t)(end + 1 - block) - from);
		from = (size_t)(end + 1 - block);
	}
	if (from == 0 && len == BLOCK && !last && drawn_over(block, len)) {
		from = drawn_over(block, len);
		sieve->offset += (int64_t)from;
	} else if (from < len && (last || (from == 0 && len == BLOCK))) {
		sieve->unended = last;
		take_line(sieve, block + from, len - from);
		sieve->offset--;
		sieve->within = true;
		from = len;
	}
	return from;
}

bool log_sieve_knows(enum log_sieve_family family, const char *bytes, size_t len)
{
	const struct family *of = &families[family];
	struct wordset words, marks;
	bool knows;

	wordset_make(&words, of->words, of->nwords);
	wordset_make(&marks, of->marks, of->nmarks);
	knows = wordset_find(&words, bytes, len, NULL) || wordset_find(&marks, bytes, len, NULL);
	wordset_release(&words);
	wordset_release(&marks);
	return knows;
}

/*
 * Returns how much may be read now, up to the size that the file had. What is written behind that
 * meanwhile is no part of it: else a log that grows would be read for ever.
 */
static size_t room_for(int64_t left, size_t most)
{
	return left < (int64_t)most ? (size_t)(left > 0 ? left : 0) : most;
}

int log_sieve(int fd, int64_t size, enum log_sieve_family family, struct str *into,
	struct log_sieve *ret)
{
	struct sieve sieve = {.family = &families[family],
		.into = into,
		.ret = ret,
		.tail = size - LOG_SIEVE_TAIL};
	char *block = alloc_zeroed(1, BLOCK);
	int64_t left = size;
	size_t have = 0;
	ssize_t got;

	*ret = (struct log_sieve){0};
	wordset_make(&sieve.words, sieve.family->words, sieve.family->nwords);
	wordset_make(&sieve.marks, sieve.family->marks, sieve.family->nmarks);
	while ((got = read(fd, block + have, room_for(left, BLOCK - have))) > 0) {
		size_t taken = take_block(&sieve, block, have + (size_t)got, false);

		have += (size_t)got - taken;
		left -= got;
		memmove(block, block + taken, have);
	}
	if (got < 0)
		got = -errno;
	else
		take_block(&sieve, block, have, true);
	free(block);
	wordset_release(&sieve.words);
	wordset_release(&sieve.marks);
	return (int)got;
}
