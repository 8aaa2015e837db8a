/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/demo/truth.h"

#include <json-c/json.h>
#include <string.h>

#include "base/file.h"
#include "words/ranks.h"

#define TRUTH_CAP (1 << 20)

static const char *text_of(const struct truth *truth, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(truth->document, key, &value);
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

static int64_t number_of(const struct truth *truth, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(truth->document, key, &value);
	return json_object_get_int64(value);
}

static size_t list_of(const struct truth *truth, const char *key, struct json_object **ret_list)
{
	*ret_list = NULL;
	json_object_object_get_ex(truth->document, key, ret_list);
	return json_object_is_type(*ret_list, json_type_array) ? json_object_array_length(*ret_list)
							       : 0;
}

static bool lists(const struct truth *truth, const char *key, int rank)
{
	struct json_object *list;
	size_t nr = list_of(truth, key, &list);

	for (size_t i = 0; i < nr; i++)
		if (json_object_get_int(json_object_array_get_idx(list, i)) == rank)
			return true;
	return false;
}

int truth_read(struct truth *truth, const char *path, struct complaint *why)
{
	struct str text = {0};
	const char *look;
	int err = file_read(path, TRUTH_CAP, &text, why);

	*truth = (struct truth){0};
	if (!err)
		truth->document = json_tokener_parse(str_text(&text));
	str_release(&text);
	if (err)
		return err;
	truth->scenario = text_of(truth, "scenario");
	truth->class = text_of(truth, "class");
	if (!truth->scenario || !truth->class) {
		truth_release(truth);
		return complaint_set(why, "%s is not what `draw' writes", path);
	}
	look = text_of(truth, "look");
	truth->over = look && !strcmp(look, "over");
	truth->cause = text_of(truth, "cause");
	truth->where = text_of(truth, "where");
	truth->outlook = text_of(truth, "outlook");
	truth->limit = text_of(truth, "limit");
	truth->seed = number_of(truth, "seed");
	truth->ranks = (int)number_of(truth, "ranks");
	truth->exit_status = (int)number_of(truth, "exit");
	truth->stands_s = (int)number_of(truth, "stands_s");
	truth->confine_mib = (int)number_of(truth, "confine_mib");
	truth->ends_s = (int)number_of(truth, "ends_s");
	return 0;
}

bool truth_blames_only(const struct truth *truth, int rank)
{
	struct json_object *list;

	return list_of(truth, "culprits", &list) == 1 && lists(truth, "culprits", rank);
}

static bool same_culprits(const struct truth *truth, const struct look *look)
{
	struct verdict_ranks culprits = look->verdicts->at[0].culprits;
	struct json_object *list;

	if (list_of(truth, "culprits", &list) != culprits.n)
		return false;
	for (size_t i = 0; i < culprits.n; i++)
		if (!lists(truth, "culprits", look->job->ranks[culprits.at[i]].world_rank.n))
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

static void compare_culprits(const struct truth *truth, const struct look *look, struct str *wrong)
{
	struct json_object *list;
	struct str blamed = {0};

	if (same_culprits(truth, look))
		return;
	list_of(truth, "culprits", &list);
	ranks_add(&blamed, look->job, look->verdicts->at[0].culprits);
	differ(wrong, "culprits",
		list ? json_object_to_json_string_ext(list, JSON_C_TO_STRING_PLAIN) : "[]",
		blamed.len ? blamed.text : NULL);
	str_release(&blamed);
}

bool truth_is(const struct truth *truth, const struct look *look, struct str *ret_wrong)
{
	const struct verdict *verdict = &look->verdicts->at[0];
	size_t before = ret_wrong->len;
	struct str wrong = {0};

	compare_name(&wrong, "class", truth->class, verdict_class_name(verdict->class));
	compare_culprits(truth, look, &wrong);
	compare_name(&wrong, "cause", truth->cause, verdict_cause_name(verdict->cause));
	compare_name(&wrong, "where", truth->where, verdict_where_name(verdict->where));
	compare_name(&wrong, "outlook", truth->outlook, verdict_outlook_name(verdict->outlook));
	compare_name(&wrong, "limit", truth->limit, verdict_limit_name(verdict->watchdog));
	if (look_status(look) != truth->exit_status)
		str_printf(&wrong, "%sexit status %d, not %d", wrong.len ? "; " : "",
			look_status(look), truth->exit_status);
	str_add(ret_wrong, str_text(&wrong));
	str_release(&wrong);
	return ret_wrong->len == before;
}

int truth_innocent(const struct truth *truth, const struct look *look)
{
	for (size_t v = 0; v < look->verdicts->n; v++) {
		struct verdict_ranks culprits = look->verdicts->at[v].culprits;

		for (size_t i = 0; i < culprits.n; i++) {
			int rank = look->job->ranks[culprits.at[i]].world_rank.n;

			if (!lists(truth, "involved", rank) && !lists(truth, "culprits", rank))
				return rank;
		}
	}
	return -1;
}

void truth_release(struct truth *truth)
{
	json_object_put(truth->document);
	*truth = (struct truth){0};
}
