/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JSON_GET_H
#define EVIDENCE_JSON_GET_H

/*
 * Reads JSON, of exhibits and of our own files: a member that is missing or of another type is not
 * there.
 */

#include <json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/complaint.h"
#include "evidence/format/exhibit.h"

/* Returns the exhibit's document, or NULL with words if it has none; json_object_put() it. */
struct json_object *json_get_document(const struct exhibit *exhibit, struct complaint *why);

/* Returns a member of an object that is of this type, valid as long as the object; else NULL. */
struct json_object *json_get(
	const struct json_object *object, const char *key, enum json_type type);

/* Reads a number of an object into *ret; false, and *ret untouched, if there is none. */
bool json_get_int(const struct json_object *object, const char *key, int64_t *ret);
/* Reads a time in ns (base/checked.h) the same way; an impossible time counts as missing. */
bool json_get_time(const struct json_object *object, const char *key, int64_t *ret);
/*
 * Returns a text of an object, valid as long as the object; NULL if there is none or it is no
 * string.
 */
const char *json_get_text(const struct json_object *object, const char *key);

/* Returns a list of an object, and its length in *nr; NULL and 0 if there is none. */
struct json_object *json_get_list(const struct json_object *object, const char *key, size_t *nr);

#endif
