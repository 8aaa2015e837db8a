/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json-parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "words/escape.h"

struct json_object *json_text(const char *text)
{
	struct str safe = {0};
	struct json_object *object;

	if (!text)
		return NULL;
	escape_to_utf8(&safe, text);
	object = json_object_new_string_len(str_text(&safe), (int)safe.len);
	str_release(&safe);
	return object;
}

struct json_object *json_number(int64_t number)
{
	return number == JOB_UNKNOWN ? NULL : json_object_new_int64(number);
}

struct json_object *json_rank(const struct job *job, struct rank_index rank)
{
	if (!is_rank(rank) || job_rank(job, rank)->numberless)
		return NULL;
	return json_object_new_int(job_rank(job, rank)->world_rank.n);
}
