/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rank a dump is of, by its name: that is all that tells it.
 *
 * PyTorch writes PREFIX and the rank's number. But people collect dumps: they add an ending, a
 * host or a time, or give each rank a folder. So the word "rank" before a number is believed
 * most: that of the file before that of a folder, of several the last one. "local_rank", "tp_rank"
 * and the like count something else; so does that of "lora_rank16_0", if all dumps have it.
 * Without that word the number at the end of the file's name tells it, and where there is none a
 * folder that is called by a number alone.
 */
#include "evidence/format/flight-name.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A number of more digits is no rank. */
#define RANK_DIGITS 6
/* So many folders above a file may tell its rank. */
#define FOLDERS 2

/* A part of a name: one folder, or the file. */
struct part {
	size_t from, to;
};

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

/* Returns the length of the name without an ending that only tells the format. */
static size_t stem_of(const char *name)
{
	static const char *const endings[] = {".json", ".pickle", ".pkl", ".bin", ".dump", ".dmp",
		".trace", ".fr", ".pt"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t end = strlen(endings[i]);

		if (len > end && !strcasecmp(name + len - end, endings[i]))
			return len - end;
	}
	return len;
}

/* Takes the number at text[at..to) as the rank; false if there is none. */
static bool take_number(const char *text, size_t at, size_t to, struct flight_name *ret)
{
	size_t end = at;
	int rank = 0;

	while (end < to && is_digit(text[end]) && end - at <= RANK_DIGITS)
		rank = rank * 10 + (text[end++] - '0');
	if (end == at || end - at > RANK_DIGITS)
		return false;
	ret->rank = rank;
	ret->digits = at;
	ret->behind = end;
	return true;
}

/* True if the word "rank" at `at` is about something else than the whole job. */
static bool is_other_rank(const char *text, size_t from, size_t at)
{
	static const char *const words[] = {"local", "node", "group", "machine", "role", "tp", "pp",
		"dp", "ep", "cp", "sp"};

	if (at > from && !isalnum((unsigned char)text[at - 1]))
		at--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		if (at - from >= len && !strncasecmp(text + at - len, words[i], len) &&
			(at - from == len || !isalnum((unsigned char)text[at - len - 1])))
			return true;
	}
	return false;
}

/* True if another number follows the rank's: "rank_0-7" is a folder of several. */
static bool is_range(const char *text, size_t at, size_t to)
{
	size_t next = at;

	while (next < to && !isalnum((unsigned char)text[next]))
		next++;
	return next > at && next < to && is_digit(text[next]);
}

/* Takes the last number behind the word "rank" in the part. */
static bool take_word(const char *text, const struct part *part, bool folder,
	struct flight_name *ret)
{
	for (size_t at = part->to; at-- > part->from;) {
		size_t number = at + strlen("rank");

		if (number >= part->to || strncasecmp(text + at, "rank", strlen("rank")) ||
			is_other_rank(text, part->from, at))
			continue;
		number += !isalnum((unsigned char)text[number]);
		if (take_number(text, number, part->to, ret) &&
			!(folder && is_range(text, ret->behind, part->to)))
			return true;
	}
	ret->rank = -1;
	return false;
}

/* Takes the number at the end of the part. */
static bool take_end(const char *text, const struct part *part, struct flight_name *ret)
{
	size_t at = part->to;

	while (at > part->from && is_digit(text[at - 1]))
		at--;
	return take_number(text, at, part->to, ret);
}

/* Returns the part before this one; an empty one if there is none. */
static struct part part_above(const char *text, const struct part *part)
{
	struct part above = {0};

	if (!part->from)
		return above;
	above.to = above.from = part->from - 1;
	while (above.from && text[above.from - 1] != '/')
		above.from--;
	return above;
}

/* Takes the rank that a folder tells, from the innermost one on: by the word, or by its number. */
static bool take_folder(const char *text, struct part part, bool word, struct flight_name *ret)
{
	for (int i = 0; i < FOLDERS; i++) {
		part = part_above(text, &part);
		ret->from = part.from;
		if (word ? take_word(text, &part, true, ret)
			 : take_end(text, &part, ret) && ret->digits == part.from)
			return true;
	}
	ret->rank = -1;
	return false;
}

void flight_name_read(const char *label, struct flight_name *ret)
{
	const char *slash = strrchr(label, '/');
	size_t base = slash ? (size_t)(slash + 1 - label) : 0;
	struct part stem = {base, stem_of(label)};

	*ret = (struct flight_name){.rank = -1, .from = base, .end = stem.to};
	if (take_word(label, &stem, false, ret) || take_folder(label, stem, true, ret))
		return;
	ret->from = base;
	if (take_end(label, &stem, ret) || take_folder(label, stem, false, ret))
		return;
	ret->from = base;
	ret->rank = -1;
}

void flight_name_by_end(const char *label, struct flight_name *ret)
{
	const char *slash = strrchr(label, '/');
	size_t base = slash ? (size_t)(slash + 1 - label) : 0;
	struct part stem = {base, stem_of(label)};

	*ret = (struct flight_name){.rank = -1, .from = base, .end = stem.to};
	if (!take_end(label, &stem, ret))
		ret->rank = -1;
}

bool flight_names_alike(const char *a, const struct flight_name *name_a, const char *b,
	const struct flight_name *name_b)
{
	size_t before = name_a->digits - name_a->from, behind = name_a->end - name_a->behind;

	return name_a->rank >= 0 && name_b->rank >= 0 &&
	       before == name_b->digits - name_b->from &&
	       behind == name_b->end - name_b->behind &&
	       !memcmp(a + name_a->from, b + name_b->from, before) &&
	       !memcmp(a + name_a->behind, b + name_b->behind, behind);
}

const char *flight_label_of(const char *path)
{
	struct flight_name name;
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	flight_name_read(path, &name);
	return name.rank >= 0 && path + name.from < base ? path + name.from : base;
}
