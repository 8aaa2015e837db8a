/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the document of verdicts says about stacks. The report report_stacks_json has all of them.
 */
#ifndef REPORT_JSON_STACKS_H
#define REPORT_JSON_STACKS_H

#include <json-c/json.h>

#include "verdict/verdict.h"

/*
 * Makes three things: how stacks were taken; the culprits' main threads; the classes of main
 * threads. Lists and stacks are bounded. NULL where no stacks are known.
 */
struct json_object *json_stacks(const struct verdicts *verdicts);

#endif
