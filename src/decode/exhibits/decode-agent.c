/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the agent's manifest, and its list of ends. */
#include <string.h>
#include <sys/wait.h>

#include "decode/context.h"
#include "decode/kinds.h"
#include "evidence/format/json-get.h"

static int manifest_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why);
	struct decode_host *host = context_host(context, exhibit->host);
	int64_t launched, status, ending;

	if (!object)
		return -1;
	job_add_identity(builder, context_job_id(host, json_get_text(object, "job")),
		json_get_text(object, "name"));
	if (json_get_time(object, "launched", &launched))
		job_add_launch(builder, launched);
	host->manifests++;
	if (json_get_time(object, "ending", &ending))
		job_add_order_to_end(builder, ending);
	if (json_get_int(object, "exit_status", &status)) {
		host->endings++;
		if ((status & 0xff) > host->exit_status)
			host->exit_status = (int)(status & 0xff);
	}
	json_object_put(object);
	return 0;
}

const struct decoder decode_manifest = {EXHIBIT_MANIFEST, manifest_decode};

/* Takes one end of the list. */
static void exits_one(struct decode_context *context, const struct exhibit *exhibit,
	const struct json_object *one)
{
	struct decode_end end = {WITNESS_ABSENCE, JOB_GONE, 0, JOB_UNKNOWN, ""};
	struct decode_process *process;
	int64_t pid, start_time, wait_status;

	if (!json_get_int(one, "pid", &pid) || pid <= 0 || pid > UINT32_MAX ||
		!json_get_int(one, "start_time", &start_time))
		return;
	process = context_process(context, exhibit->host, (uint32_t)pid, (uint64_t)start_time);
	json_get_time(one, "when", &end.when);
	if (json_get_int(one, "wait_status", &wait_status)) {
		bool signaled = WIFSIGNALED((int)wait_status);

		end.witness = WITNESS_PARENT;
		end.end = signaled ? JOB_SIGNALED : JOB_EXITED;
		end.status = signaled ? WTERMSIG((int)wait_status) : WEXITSTATUS((int)wait_status);
	}
	end.cite = arena_printf(&context->arena, "exit:%s", context_name(context, process));
	context_end_watched(process, &end);
}

static int exits_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why);
	struct json_object *list;
	size_t nr;

	(void)builder;
	if (!object)
		return -1;
	list = json_get_list(object, "exits", &nr);
	for (size_t i = 0; i < nr; i++)
		exits_one(context, exhibit, json_object_array_get_idx(list, i));
	json_object_put(object);
	return 0;
}

const struct decoder decode_exits = {EXHIBIT_EXIT, exits_decode};
