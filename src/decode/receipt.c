/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "decode/context.h"
#include "decode/json-get.h"
#include "decode/kinds.h"

#define RECEIPT_CACHES 64 /* more than there are kinds */

/* Variables that tell when the job will be ended, in seconds since 1970. */
static const char *const deadline_variables[] = {"SLURM_JOB_END_TIME"};

static void receipt_deadline(const struct json_object *object, struct job_builder *builder,
	struct decode_context *context, const char *host)
{
	struct json_object *env;

	if (!json_object_object_get_ex(object, "env", &env))
		return;
	for (size_t i = 0; i < sizeof(deadline_variables) / sizeof(deadline_variables[0]); i++) {
		const char *value = json_get_text(env, deadline_variables[i]);
		long long seconds = value ? strtoll(value, NULL, 10) : 0;

		if (seconds > 0 && seconds < INT64_MAX / CLOCK_NS_PER_S)
			job_add_deadline(builder, seconds * CLOCK_NS_PER_S,
				arena_printf(&context->arena, "receipt:%s", host));
	}
}

void decode_caches_list(struct decode_context *context, const struct json_object *object,
	struct decode_caches *into)
{
	size_t nr;
	struct json_object *list = json_get_list(object, "caches", &nr);

	for (size_t i = 0; i < nr && i < RECEIPT_CACHES; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		const char *path = json_get_text(one, "path");
		struct decode_cache cache = {0};

		if (!path || !json_get_int(one, "files", &cache.files) ||
			!json_get_int(one, "bytes", &cache.bytes))
			continue;
		cache.path = arena_text(&context->arena, path);
		*array_add(&into->all) = cache;
	}
}

static int receipt_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why);
	struct decode_host *host = context_host(context, exhibit->host);
	const char *cgroup;
	int64_t launched;

	if (!object)
		return -1;
	job_add_identity(builder, json_get_text(object, "job"), json_get_text(object, "name"));
	if (json_get_int(object, "launched", &launched))
		job_add_launch(builder, launched);
	cgroup = json_get_text(object, "cgroup");
	if (cgroup)
		decode_cgroup_text(context, host, cgroup, true);
	decode_caches_list(context, object, &host->caches);
	receipt_deadline(object, builder, context, host->name);
	json_object_put(object);
	return 0;
}

const struct decoder decode_receipt = {EXHIBIT_RECEIPT, receipt_decode};
