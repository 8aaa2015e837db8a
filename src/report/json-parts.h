/* SPDX-License-Identifier: Apache-2.0 */
/* json-parts.h: values of JSON documents, NULL (JSON's null) where nothing is known. */
#ifndef REPORT_JSON_PARTS_H
#define REPORT_JSON_PARTS_H

#include <json-c/json.h>

#include "verdict/verdict.h"

/* Text as valid UTF-8; NULL for NULL. */
struct json_object *json_text(const char *text);
/* NULL for JOB_UNKNOWN. */
struct json_object *json_number(int64_t number);
/* The number of a rank; null of none, and where nobody knows it. */
struct json_object *json_rank(const struct job *job, struct rank_index rank);

#endif
