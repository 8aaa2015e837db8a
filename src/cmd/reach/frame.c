/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/sha256.h"

#define MARK       "INQ:" /* begins each line of ours */
#define PER_LINE   48 /* bytes of a bundle, as 64 characters */
#define WORDS_MOST 200 /* that are kept of a node's words, in bytes */

void frame_add(struct str *into, const void *bytes, size_t size)
{
	const char *at = bytes;
	char sum[SHA256_TEXT_SIZE];

	sha256_text(bytes, size, sum);
	str_printf(into, MARK "bundle %zu %s\n", size, sum);
	for (size_t i = 0; i < size; i += PER_LINE) {
		str_add(into, MARK "+");
		base64_add(into, at + i, size - i < PER_LINE ? size - i : PER_LINE);
		str_add_char(into, '\n');
	}
	str_add(into, MARK "end\n");
}

/* Believes no more of this node, for the first such reason. Always false. */
static bool refuse(struct frames *frames, const char *why)
{
	if (!frames->wrong.len)
		str_add(&frames->wrong, why);
	frames->in_bundle = false;
	return false;
}

/* Takes "INQ:bundle SIZE SHA256", its words behind the first. False if refused. */
static bool begin(struct frames *frames, const char *words)
{
	char *end;

	if (frames->in_bundle)
		return refuse(frames, "its answer is cut: another begins within it");
	frames->size = strtoull(words, &end, 10);
	if (*end != ' ' || strlen(end + 1) != 64 || strspn(end + 1, "0123456789abcdef") != 64)
		return refuse(frames, "its answer begins with nonsense");
	if (frames->size > FRAMES_BYTES_MOST - frames->total)
		return refuse(frames, "its answer is too large to be one");
	/* What is in it is taken out while it is still here. */
	if (!meter_admits(frames->meter, 2 * (uint64_t)frames->size, METER_READING))
		return refuse(frames, METER_REFUSED);
	if (frames->bundles.nr >= FRAMES_MOST)
		return refuse(frames, "it answers without end");
	memcpy(frames->sum, end + 1, sizeof(frames->sum));
	frames->in_bundle = true;
	str_cut(&frames->coming, 0);
	return true;
}

/* Takes 48 bytes of a bundle, as base64. False if refused. */
static bool add_line(struct frames *frames, const char *text, size_t len)
{
	if (!frames->in_bundle)
		return refuse(frames, "its answer is cut: it has no beginning");
	if (!base64_read(&frames->coming, text, len))
		return refuse(frames, "its answer is damaged on the way");
	if (frames->coming.len > frames->size)
		return refuse(frames, "its answer is longer than it says");
	return true;
}

/* Takes "INQ:end": the bundle is kept if its size and its sum are as promised. False if refused. */
static bool end_bundle(struct frames *frames)
{
	char sum[SHA256_TEXT_SIZE];

	if (!frames->in_bundle)
		return refuse(frames, "its answer is cut: it has no beginning");
	if (frames->coming.len != frames->size)
		return refuse(frames, "its answer is cut");
	sha256_text(str_text(&frames->coming), frames->coming.len, sum);
	if (strcmp(sum, frames->sum) != 0)
		return refuse(frames, "its answer is damaged on the way: the sum is wrong");
	frames->in_bundle = false;
	frames->total += frames->size;
	*array_add(&frames->bundles) = frames->coming;
	frames->coming = (struct str){0};
	return true;
}

/* Keeps the beginning of what a node says. */
static void keep_words(struct frames *frames, const char *text, size_t len)
{
	str_cut(&frames->words, 0);
	str_add_bytes(&frames->words, text, len < WORDS_MOST ? len : WORDS_MOST);
}

/* Returns what stands behind such a word; NULL: it is another. */
static const char *behind(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncmp(text, word, len) ? NULL : text + len;
}

/* Takes a line of ours, its mark left out. False if it was refused. */
static bool take_ours(struct frames *frames, const char *text)
{
	const char *words;

	if (*text == '+')
		return add_line(frames, text + 1, strlen(text + 1));
	if ((words = behind(text, "bundle ")))
		return begin(frames, words);
	if (!strcmp(text, "end"))
		return end_bundle(frames);
	if ((words = behind(text, "want "))) {
		frames->wanted = strtoull(words, NULL, 10);
		return true;
	}
	if (behind(text, "none") || behind(text, "fail ")) {
		frames->none = *text == 'n';
		frames->fail = *text == 'f';
		frames->in_bundle = false; /* who was ended within one says so */
		keep_words(frames, text + 4 + strspn(text + 4, " "), strlen(text + 4));
		return true;
	}
	if (!strcmp(text, "done")) {
		frames->done = true;
		return true;
	}
	return refuse(frames, "it speaks another language: is another inquest there?");
}

/*
 * Returns where ours begins in a line; NULL: it is none. Of two marks the first was cut within,
 * since nothing of ours but somebody's words may have the mark in it.
 */
static const char *find_mark(const struct str *line)
{
	size_t len = strlen(MARK);
	const char *mark = line->len ? memmem(line->text, line->len, MARK, len) : NULL;
	const char *rest = mark ? mark + len : NULL, *next;

	if (!mark || behind(rest, "none") || behind(rest, "fail"))
		return mark;
	next = memmem(rest, line->len - (size_t)(rest - line->text), MARK, len);
	return next ? next : mark;
}

/* Takes one line, without its end. False if it was refused. */
static bool take_line(struct frames *frames)
{
	struct str *line = &frames->line;
	const char *mark;

	while (line->len && (line->text[line->len - 1] == '\r'))
		str_cut(line, line->len - 1);
	mark = find_mark(line);
	if (mark && !memchr(mark, '\0', line->len - (size_t)(mark - line->text)))
		return take_ours(frames, mark + strlen(MARK));
	if (line->len && !frames->none && !frames->fail)
		keep_words(frames, line->text, line->len);
	frames->noise += line->len + 1;
	if (frames->noise > FRAMES_NOISE_MOST)
		return refuse(frames, "it sends without end, and nothing that was asked for");
	return true;
}

bool frames_take(struct frames *frames, const char *bytes, size_t size)
{
	for (size_t at = 0; at < size && !frames->wrong.len;) {
		const char *end = memchr(bytes + at, '\n', size - at);
		size_t n = end ? (size_t)(end - bytes) - at : size - at;

		/* No line of ours is so long: of another the beginning will do. */
		if (frames->line.len + n > FRAMES_LINE_MOST) {
			frames->noise += n;
			n = n > 16 ? 16 : n;
			str_cut(&frames->line, 0);
			str_add_bytes(&frames->line, bytes + at, n);
			if (frames->noise > FRAMES_NOISE_MOST)
				return refuse(frames,
					"it sends without end, and nothing that was asked for");
		} else {
			str_add_bytes(&frames->line, bytes + at, n);
		}
		if (!end)
			break;
		if (!take_line(frames))
			return false;
		str_cut(&frames->line, 0);
		at = (size_t)(end - bytes) + 1;
	}
	return !frames->wrong.len;
}

bool frames_cut(struct frames *frames, size_t *ret_came)
{
	bool cut = frames->in_bundle;

	*ret_came = frames->coming.len;
	str_cut(&frames->line, 0);
	frames->in_bundle = false;
	return cut;
}

/* Takes a last line without its end if it is whole; else it was cut, whatever is left of it. */
void frames_end(struct frames *frames)
{
	if (frames->line.len && !frames->wrong.len && !take_line(frames)) {
		str_cut(&frames->wrong, 0);
		refuse(frames, "its answer is cut");
	}
	str_cut(&frames->line, 0);
	if (frames->in_bundle)
		refuse(frames, "its answer is cut");
}

void frames_drop_bundles(struct frames *frames)
{
	struct str *bundle;

	array_for_each (&frames->bundles, bundle)
		str_release(bundle);
	array_release(&frames->bundles);
}

void frames_release(struct frames *frames)
{
	frames_drop_bundles(frames);
	str_release(&frames->wrong);
	str_release(&frames->words);
	str_release(&frames->line);
	str_release(&frames->coming);
}
