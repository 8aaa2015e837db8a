/* SPDX-License-Identifier: Apache-2.0 */
/* json-stacks.h: what the document of verdicts says about stacks; report_stacks_json has all. */
#ifndef REPORT_JSON_STACKS_H
#define REPORT_JSON_STACKS_H

#include <json-c/json.h>

#include "verdict/verdict.h"

/*
 * How stacks were taken, those of the culprits' main threads, and the classes of main threads, of
 * each a bounded part; NULL where no stacks are known.
 */
struct json_object *json_stacks(const struct verdicts *verdicts);

#endif
