/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/json-get.h"

#include <limits.h>

#include "base/checked.h"
#include "evidence/format/json-scan.h"

struct json_object *json_get_document(const struct exhibit *exhibit, struct complaint *why)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_SCAN_DEPTH);
	struct json_object *object = NULL;
	bool light = json_scan_is_light((const char *)exhibit->bytes, exhibit->len);

	if (light && tokener && exhibit->len && exhibit->len < INT_MAX)
		object = json_tokener_parse_ex(
			tokener, (const char *)exhibit->bytes, (int)exhibit->len);
	if (tokener)
		json_tokener_free(tokener);
	if (object && !json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		object = NULL;
	}
	if (!light)
		complaint_set(why, "JSON that is nested too deep, or of too many parts for its "
				   "size: not read");
	else if (!object)
		complaint_set(why, "no valid JSON");
	return object;
}

struct json_object *json_get(
	const struct json_object *object, const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
		!json_object_object_get_ex(object, key, &value) ||
		!json_object_is_type(value, type))
		return NULL;
	return value;
}

bool json_get_int(const struct json_object *object, const char *key, int64_t *ret)
{
	struct json_object *value = json_get(object, key, json_type_int);

	if (!value)
		return false;
	*ret = json_object_get_int64(value);
	return true;
}

bool json_get_time(const struct json_object *object, const char *key, int64_t *ret)
{
	int64_t told;

	if (!json_get_int(object, key, &told) || checked_time(told, -1) < 0)
		return false;
	*ret = told;
	return true;
}

const char *json_get_text(const struct json_object *object, const char *key)
{
	return json_object_get_string(json_get(object, key, json_type_string));
}

struct json_object *json_get_list(const struct json_object *object, const char *key, size_t *nr)
{
	struct json_object *value = json_get(object, key, json_type_array);

	*nr = value ? json_object_array_length(value) : 0;
	return value;
}
