/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "decode/context.h"
#include "decode/kinds.h"
#include "decode/set-clocks.h"
#include "evidence/format/json-get.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a boot id as /proc writes it, 32 hex digits with dashes between; false if it is none. */
static bool boot_id_parse(const char *text, uint8_t ret[16])
{
	size_t digits = 0;

	for (; text && *text; text++) {
		int digit = hex_digit(*text);

		if (*text == '-')
			continue;
		if (digit < 0 || digits == 32)
			return false;
		ret[digits / 2] = (uint8_t)(ret[digits / 2] << 4 | digit);
		digits++;
	}
	return digits == 32;
}

#define GATHER_JOBS 4096 /* at most so many folders of one job on one host */

/* Joins the folders that the gatherer took for those of one job. */
static void gather_jobs(
	struct decode_context *context, struct decode_host *host, const struct json_object *object)
{
	const char *first = NULL;
	size_t nr;
	struct json_object *list = json_get_list(object, "jobs", &nr);

	for (size_t i = 0; i < nr && i < GATHER_JOBS && nr > 1; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (!json_object_is_type(one, json_type_string))
			continue;
		first = first ? first : json_object_get_string(one);
		context_join_ids(context, host, first, json_object_get_string(one));
	}
}

static int gather_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why);
	struct decode_gather gather = {.when = exhibit->when, .clock_error = JOB_UNKNOWN};
	int error = 0;

	(void)builder;
	if (!object)
		return -1;
	gather_jobs(context, context_host(context, exhibit->host), object);
	if (json_get_time(object, "realtime", &gather.realtime) &&
		json_get_time(object, "boottime", &gather.boottime)) {
		gather.realtime =
			set_clocks_move(context->clocks, exhibit->host, gather.realtime);
		json_get_time(object, "monotonic", &gather.monotonic);
		json_get_int(object, "tsc", &gather.tsc);
		json_get_int(object, "clk_tck", &gather.clk_tck);
		json_get_int(object, "page_size", &gather.page_size);
		json_get_time(object, "clock_error", &gather.clock_error);
		gather.has_boot_id =
			boot_id_parse(json_get_text(object, "boot_id"), gather.boot_id);
		context_add_gather(context_host(context, exhibit->host), &gather);
	} else {
		error = complaint_set(why, "it names no clocks");
	}
	json_object_put(object);
	return error;
}

const struct decoder decode_gather = {EXHIBIT_GATHER, gather_decode};
