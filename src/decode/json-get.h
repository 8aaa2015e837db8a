/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_JSON_GET_H
#define DECODE_JSON_GET_H

/* Reading JSON exhibits: whatever is missing or of another type is simply not there. */

#include <json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/complaint.h"
#include "evidence/format/exhibit.h"

/* The exhibit's document; NULL with words if it is none. json_object_put() it. */
struct json_object *json_get_document(const struct exhibit *exhibit, struct complaint *why);

/* A number of an object into *ret; false, and *ret untouched, where there is none. */
bool json_get_int(const struct json_object *object, const char *key, int64_t *ret);
/* The same for a time in ns (base/checked.h); an impossible time counts as missing. */
bool json_get_time(const struct json_object *object, const char *key, int64_t *ret);
/* A text of an object, valid as long as it is; NULL where there is none or it is no string. */
const char *json_get_text(const struct json_object *object, const char *key);

/* A list of an object and its length; NULL and 0 where there is none. */
struct json_object *json_get_list(const struct json_object *object, const char *key, size_t *nr);

#endif
