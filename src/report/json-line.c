/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does not fit is taken out in the order of a table: first what the bundle has anyway and
 * nobody reads in a log. If that does not suffice (ranks by the thousand, long names of a
 * stranger's), all lists and texts are shortened alike, harder each time, so that any document ends
 * up short enough.
 */
#include "report/json-line.h"

#include <json-c/json.h>
#include <stdint.h>
#include <string.h>

#include "words/escape.h"

#define CUT_KEY "cut"

/* One step: how many items of a list stay, be it the document's or each verdict's. */
struct json_line_step { /* each verdict's list, not the document's */
	const char *key;
	bool of_verdicts;
	size_t keep;
};

static const struct json_line_step json_line_steps[] = {
	{"ranks", false, 0},
	{"left_out", false, 0},
	{"losses", false, 3},
	{"not_judged", false, 3},
	{"verdicts", false, 4},
	{"ruled_out", true, 4},
	{"evidence", true, 8},
	{"verdicts", false, 2},
	{"ruled_out", true, 0},
	{"losses", false, 0},
	{"not_judged", false, 0},
	{"evidence", true, 4},
	{"verdicts", false, 1},
};

/* After the steps: no list is longer than so many items, and no text than so many bytes. */
static const struct {
	size_t items, bytes;
} json_line_squeezes[] = {{64, 1024}, {32, 400}, {16, 200}, {8, 120}, {4, 80}, {1, 40}, {0, 16}};

/* A document that is being shortened. */
struct json_line {
	struct json_object *document, *cut; /* cut: how many things were taken out, by key */
};

/* Counts `n` more things that were taken out under this key. */
static void json_line_count(struct json_line *line, const char *key, size_t n)
{
	struct json_object *before = NULL;
	int64_t had = 0;

	if (json_object_object_get_ex(line->cut, key, &before))
		had = json_object_get_int64(before);
	json_object_object_add(line->cut, key, json_object_new_int64(had + (int64_t)n));
}

/* Keeps only the first items of a list. */
static void json_line_keep(
	struct json_line *line, struct json_object *array, const char *key, size_t keep)
{
	size_t nr;

	if (!json_object_is_type(array, json_type_array))
		return;
	nr = json_object_array_length(array);
	if (nr <= keep)
		return;
	json_object_array_del_idx(array, keep, nr - keep);
	json_line_count(line, key, nr - keep);
}

/* Takes one step. */
static void json_line_take(struct json_line *line, const struct json_line_step *step)
{
	struct json_object *verdicts = NULL, *list = NULL;

	if (!step->of_verdicts) {
		if (json_object_object_get_ex(line->document, step->key, &list))
			json_line_keep(line, list, step->key, step->keep);
		return;
	}
	json_object_object_get_ex(line->document, "verdicts", &verdicts);
	for (size_t i = 0; verdicts && i < json_object_array_length(verdicts); i++)
		if (json_object_object_get_ex(
			    json_object_array_get_idx(verdicts, i), step->key, &list))
			json_line_keep(line, list, step->key, step->keep);
}

/* Returns the text's start: whole characters, at most so many bytes. */
static struct json_object *json_line_start_of(const char *text, size_t bytes)
{
	size_t end = 0;

	for (size_t size; text[end]; end += size) {
		(void)escape_decode(text + end, &size);
		if (end + size > bytes)
			break;
	}
	return json_object_new_string_len(text, (int)end);
}

/* True for a text of more bytes than that. */
static bool json_line_is_long(struct json_object *value, size_t bytes)
{
	return json_object_is_type(value, json_type_string) &&
	       (size_t)json_object_get_string_len(value) > bytes;
}

static void json_line_squeeze(struct json_line *line, struct json_object *value, const char *key,
	size_t items, size_t bytes);

/* Shortens a list, and what is in it. */
static void json_line_squeeze_list(struct json_line *line, struct json_object *list,
	const char *key, size_t items, size_t bytes)
{
	json_line_keep(line, list, key, items);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);

		if (json_line_is_long(item, bytes)) {
			item = json_line_start_of(json_object_get_string(item), bytes);
			json_object_array_put_idx(list, i, item);
			json_line_count(line, "texts", 1);
		}
		json_line_squeeze(line, item, key, items, bytes);
	}
}

/*
 * Shortens lists and texts in this value; `key` is where it stands. The bundle's path is left
 * whole.
 */
static void json_line_squeeze(struct json_line *line, struct json_object *value, const char *key,
	size_t items, size_t bytes)
{
	if (json_object_is_type(value, json_type_array))
		json_line_squeeze_list(line, value, key, items, bytes);
	if (!json_object_is_type(value, json_type_object))
		return;
	json_object_object_foreach(value, name, member)
	{
		if (member == line->cut || !strcmp(name, "bundle"))
			continue;
		if (json_line_is_long(member, bytes)) {
			member = json_line_start_of(json_object_get_string(member), bytes);
			json_object_object_add(value, name, member);
			json_line_count(line, "texts", 1);
		}
		json_line_squeeze(line, member, name, items, bytes);
	}
}

/*
 * Writes the document. Returns false where that is too long: escaped it is no shorter, so what is
 * too long already is not escaped, which takes longer than all else.
 */
static bool json_line_fits(const struct json_line *line, struct str *text, size_t most)
{
	size_t len;
	const char *plain = json_object_to_json_string_length(line->document,
		JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);

	str_cut(text, 0);
	if (len > most)
		return false;
	escape_json(text, plain);
	return text->len <= most;
}

/* Shortens the document until it fits. */
static void json_line_shorten(struct json_line *line, struct str *text, size_t most)
{
	size_t nsteps = sizeof(json_line_steps) / sizeof(json_line_steps[0]);
	size_t nsqueezes = sizeof(json_line_squeezes) / sizeof(json_line_squeezes[0]);

	for (size_t i = 0; i < nsteps; i++) {
		if (json_line_fits(line, text, most))
			return;
		json_line_take(line, &json_line_steps[i]);
	}
	for (size_t i = 0; i < nsqueezes; i++) {
		if (json_line_fits(line, text, most))
			return;
		json_line_squeeze(line, line->document, "", json_line_squeezes[i].items,
			json_line_squeezes[i].bytes);
	}
	if (json_line_fits(line, text, most))
		return;
	/* Only a path could leave no room for anything else, and half of one would lead nowhere. */
	json_object_object_add(line->document, "bundle", NULL);
	json_line_count(line, "bundle", 1);
	json_line_fits(line, text, SIZE_MAX);
}

void json_line_add(struct str *into, struct json_object *document, size_t most)
{
	struct json_line line = {document, json_object_new_object()};
	struct str text = {0};

	json_object_object_add(document, CUT_KEY, line.cut);
	json_line_shorten(&line, &text, most);
	str_add(into, str_text(&text));
	str_release(&text);
}
