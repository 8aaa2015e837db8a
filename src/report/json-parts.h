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
/* Seconds with one decimal, cut, as the text report cuts them. */
struct json_object *json_tenths(int64_t ns);
/* The number of a rank; null of none, and where nobody knows it. */
struct json_object *json_rank(const struct job *job, struct rank_index rank);

/* The numbers of a set, as an array; null for each whose number nobody knows. */
struct json_object *json_ranks(const struct job *job, struct verdict_ranks ranks);

#endif
