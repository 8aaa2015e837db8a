/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/demo/expected.h"

#include <json-c/json.h>
#include <string.h>

#include "base/file.h"
#include "words/rank-names.h"

#define EXPECTED_CAP (1 << 20)

static const char *text_of(const struct expected *expected, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(expected->document, key, &value);
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static int64_t number_of(const struct expected *expected, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(expected->document, key, &value);
	return json_object_get_int64(value);
}

/* Returns how many items the list has; 0 where there is none. */
static size_t list_of(
	const struct expected *expected, const char *key, struct json_object **ret_list)
{
	*ret_list = NULL;
	json_object_object_get_ex(expected->document, key, ret_list);
	return json_object_is_type(*ret_list, json_type_array) ? json_object_array_length(*ret_list)
							       : 0;
}

/* True if the list has that rank. */
static bool lists(const struct expected *expected, const char *key, int rank)
{
	struct json_object *list;
	size_t nr = list_of(expected, key, &list);

	for (size_t i = 0; i < nr; i++)
		if (json_object_get_int(json_object_array_get_idx(list, i)) == rank)
			return true;
	return false;
}

int expected_read(struct expected *expected, const char *path, struct complaint *why)
{
	struct str text = {0};
	const char *look;
	int err = file_read(path, EXPECTED_CAP, &text, why);

	*expected = (struct expected){0};
	if (!err)
		expected->document = json_tokener_parse(str_text(&text));
	str_release(&text);
	if (err)
		return err;
	expected->scenario = text_of(expected, "scenario");
	expected->class = text_of(expected, "class");
	if (!expected->scenario || !expected->class) {
		expected_release(expected);
		return complaint_set(why, "%s is not what `draw' writes", path);
	}
	look = text_of(expected, "look");
	expected->over = look && !strcmp(look, "over");
	expected->cause = text_of(expected, "cause");
	expected->where = text_of(expected, "where");
	expected->outlook = text_of(expected, "outlook");
	expected->limit = text_of(expected, "limit");
	expected->seed = number_of(expected, "seed");
	expected->ranks = (int)number_of(expected, "ranks");
	expected->exit_status = (int)number_of(expected, "exit");
	expected->stands_s = (int)number_of(expected, "stands_s");
	expected->confine_mib = (int)number_of(expected, "confine_mib");
	expected->ends_s = (int)number_of(expected, "ends_s");
	return 0;
}

bool expected_blames_only(const struct expected *expected, int rank)
{
	struct json_object *list;

	return list_of(expected, "culprits", &list) == 1 && lists(expected, "culprits", rank);
}

static bool same_culprits(const struct expected *expected, const struct look *look)
{
	struct verdict_ranks culprits = look->verdicts->at[0].culprits;
	struct json_object *list;

	if (list_of(expected, "culprits", &list) != culprits.n)
		return false;
	for (size_t i = 0; i < culprits.n; i++)
		if (!lists(expected, "culprits", job_rank(look->job, culprits.at[i])->world_rank.n))
			return false;
	return true;
}

/* Notes a difference: what it is about, what must be, what is. */
static void differ(struct str *wrong, const char *what, const char *must, const char *is)
{
	str_printf(wrong, "%s%s %s, not %s", wrong->len ? "; " : "", what, is ? is : "none", must);
}

static void compare_name(struct str *wrong, const char *what, const char *must, const char *is)
{
	if (must && (!is || strcmp(must, is)))
		differ(wrong, what, must, is);
}

static void compare_culprits(
	const struct expected *expected, const struct look *look, struct str *wrong)
{
	struct json_object *list;
	struct str blamed = {0};

	if (same_culprits(expected, look))
		return;
	list_of(expected, "culprits", &list);
	ranks_add(&blamed, look->job, look->verdicts->at[0].culprits);
	differ(wrong, "culprits",
		list ? json_object_to_json_string_ext(list, JSON_C_TO_STRING_PLAIN) : "[]",
		blamed.len ? blamed.text : NULL);
	str_release(&blamed);
}

bool expected_is(const struct expected *expected, const struct look *look, struct str *ret_wrong)
{
	const struct verdict *verdict = &look->verdicts->at[0];
	size_t before = ret_wrong->len;
	struct str wrong = {0};

	compare_name(&wrong, "class", expected->class, verdict_class_name(verdict->class));
	compare_culprits(expected, look, &wrong);
	compare_name(&wrong, "cause", expected->cause, verdict_cause_name(verdict->cause));
	compare_name(&wrong, "where", expected->where, verdict_where_name(verdict->where));
	compare_name(&wrong, "outlook", expected->outlook, verdict_outlook_name(verdict->outlook));
	compare_name(&wrong, "limit", expected->limit, verdict_limit_name(verdict->watchdog));
	if (look_status(look) != expected->exit_status)
		str_printf(&wrong, "%sexit status %d, not %d", wrong.len ? "; " : "",
			look_status(look), expected->exit_status);
	str_add(ret_wrong, str_text(&wrong));
	str_release(&wrong);
	return ret_wrong->len == before;
}

int expected_innocent(const struct expected *expected, const struct look *look)
{
	for (size_t v = 0; v < look->verdicts->n; v++) {
		struct verdict_ranks culprits = look->verdicts->at[v].culprits;

		for (size_t i = 0; i < culprits.n; i++) {
			int rank = job_rank(look->job, culprits.at[i])->world_rank.n;

			if (!lists(expected, "involved", rank) &&
				!lists(expected, "culprits", rank))
				return rank;
		}
	}
	return -1;
}

void expected_release(struct expected *expected)
{
	json_object_put(expected->document);
	*expected = (struct expected){0};
}
