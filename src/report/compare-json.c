/* SPDX-License-Identifier: Apache-2.0 */
#include "report/compare-json.h"

#include <json.h>
#include <string.h>

#include "report/json-parts.h"
#include "words/drift-words.h"
#include "words/escape.h"

/* How json-c writes an object here: on one line, with plain slashes. */
#define HOW (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

/* Words of enum drift_how, of a comparison's class and of enum drift_pace, by number. */
static const char *const hows[] = {"same", "differs", "unknown"};
static const char *const classes[] = {"one-class", "drifted", "not-enough-known"};
static const char *const paces[] = {"unknown", "alike", "slower", "faster"};

/* Adds a text, made valid UTF-8. */
static void put_text(struct json_object *into, const char *key, const char *text)
{
	json_object_object_add(into, key, json_text(text));
}

/* Makes one difference: what differs, its values before and after, and what that usually breaks. */
static struct json_object *drift_object(
	const struct drift *drift, const struct receipt *before, const struct receipt *after)
{
	struct json_object *object = json_object_new_object();
	struct str was = {0}, is = {0};

	put_text(object, "what", drift_name(drift->kind));
	put_text(object, "how", hows[drift->how]);
	if (*drift->name)
		put_text(object, "name", drift->name);
	if (drift->how == DRIFT_DIFFERS) {
		drift_value(&was, drift, before, false);
		drift_value(&is, drift, after, true);
		put_text(object, "before", str_text(&was));
		put_text(object, "after", str_text(&is));
		put_text(object, "breaks", drift_breaks(drift));
	}
	str_release(&was);
	str_release(&is);
	return object;
}

/* Adds "paces": of each rank that both runs have, whether its steps became slower. */
static void put_paces(struct json_object *object, const struct receipt *before,
	const struct receipt *after)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < before->nranks; i++)
		for (size_t k = 0; k < after->nranks; k++) {
			struct json_object *one;

			if (before->ranks[i].number != after->ranks[k].number)
				continue;
			one = json_object_new_object();
			json_object_object_add(
				one, "rank", json_object_new_int64(before->ranks[i].number));
			put_text(one, "steps",
				paces[drift_pace(&before->ranks[i], &after->ranks[k])]);
			json_object_array_add(list, one);
		}
	json_object_object_add(object, "paces", list);
}

/* Makes one comparison with the first run. */
static struct json_object *pair_object(const struct drifts *drifts, const struct receipt *before,
	const struct receipt *after, const char *name)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();

	put_text(object, "with", name);
	put_text(object, "class", classes[drifts_class(drifts)]);
	for (size_t i = 0; i < drifts->all.nr; i++)
		json_object_array_add(list, drift_object(&drifts->all.items[i], before, after));
	json_object_object_add(object, "drifts", list);
	json_object_object_add(object, "firsts_comparable",
		json_object_new_boolean(drifts_allow_firsts(drifts)));
	json_object_object_add(object, "steps_comparable",
		json_object_new_boolean(drifts_allow_steps(drifts)));
	if (drifts_allow_steps(drifts))
		put_paces(object, before, after);
	return object;
}

void compare_json(struct str *into, const struct receipt *all, const char *const *names, size_t n,
	const struct drifts *drifts)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();

	put_text(object, "schema", "inquest-compare/1");
	put_text(object, "first", names[0]);
	for (size_t i = 1; i < n; i++)
		json_object_array_add(
			list, pair_object(&drifts[i - 1], &all[0], &all[i], names[i]));
	json_object_object_add(object, "runs", list);
	escape_json(into, json_object_to_json_string_ext(object, HOW));
	str_add_char(into, '\n');
	json_object_put(object);
}
