/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the job was seen, as JSON. */
#ifndef REPORT_JSON_COVERAGE_H
#define REPORT_JSON_COVERAGE_H

#include <json-c/json.h>

#include "verdict/verdict.h"
#include "words/tense.h"

/*
 * Makes the coverage: ranks and hosts, each with how many are expected and by whose word (null:
 * nobody says), how many were seen, and which are missing; the kinds of evidence; from when to
 * when; how many records were lost; and how to get what lacks. `tense` is that of the remedy.
 */
struct json_object *json_coverage(const struct verdicts *verdicts, enum tense tense);

/* Makes "2026-11-22T10:25:31.123Z" of realtime ns; NULL for JOB_UNKNOWN. */
struct json_object *json_stamp(int64_t realtime);

#endif
