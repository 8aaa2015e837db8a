/* SPDX-License-Identifier: Apache-2.0 */
/* Values of JSON documents. NULL is JSON's null: nothing is known. */
#ifndef REPORT_JSON_PARTS_H
#define REPORT_JSON_PARTS_H

#include <json-c/json.h>

#include "verdict/verdict.h"

/* Makes a text valid UTF-8; NULL for NULL. */
struct json_object *json_text(const char *text);
/* Makes a number; NULL for JOB_UNKNOWN. */
struct json_object *json_number(int64_t number);
/* Makes a rank's number; NULL for no rank, and where nobody knows its number. */
struct json_object *json_rank(const struct job *job, struct rank_index rank);

#endif
