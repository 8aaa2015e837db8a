/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/agent/agentfiles.h"

#include <json.h>
#include <string.h>

#include "base/file.h"
#include "evidence/agent/fellow.h"
#include "evidence/format/json-put.h"
#include "evidence/gather/unprobed.h"

int agent_file_write(const char *folder, const char *name, const struct str *text,
	struct complaint *why)
{
	struct str path = {0};
	int error;

	str_printf(&path, "%s/%s", folder, name);
	error = file_write(path.text, str_text(text), text->len, 0600, why);
	str_release(&path);
	return error;
}

/* Adds "unprobed": the ranks that have no probe at work, each with the reason. */
static void put_unprobed(struct json_object *object, const struct agent_manifest *manifest)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < manifest->nunprobed; i++) {
		const struct unprobed_rank *rank = &manifest->unprobed[i];
		struct json_object *one = json_object_new_object();

		json_put_int(one, "pid", rank->here);
		json_put_int(one, "start_time", (int64_t)rank->start_time);
		if (rank->rank >= 0)
			json_put_int(one, "rank", rank->rank);
		if (rank->world_size > 0)
			json_put_int(one, "world_size", rank->world_size);
		json_put_text(one, "why", rank->why);
		json_object_array_add(list, one);
	}
	json_object_object_add(object, "unprobed", list);
}

void agent_manifest_format(const struct agent_manifest *manifest, struct str *into)
{
	struct json_object *object = json_object_new_object();

	json_put_text(object, "schema", "inquest-manifest/1");
	json_put_text(object, "job", manifest->job);
	json_put_text(object, "name", manifest->name);
	json_put_text(object, "host", manifest->host);
	json_put_text(object, "status", manifest->status);
	json_put_args(object, "argv", manifest->argv);
	json_put_int(object, "agent_pid", manifest->agent_pid);
	json_put_int(object, "agent_start_time", (int64_t)manifest->agent_start_time);
	json_put_int(object, "launched", manifest->launched);
	json_put_int(object, "polled", manifest->polled);
	if (manifest->ended)
		json_put_int(object, "exit_status", manifest->exit_status);
	json_put_text(object, "bundle", manifest->bundle);
	json_put_text(object, "verdict", manifest->verdict);
	if (manifest->fellow)
		fellow_put(object, manifest->fellow);
	json_put_text(object, "said", manifest->said);
	if (manifest->hangs)
		json_put_int(object, "hangs", manifest->hangs);
	if (manifest->ending)
		json_put_int(object, "ending", manifest->ending);
	if (manifest->told)
		json_put_int(object, "told", manifest->told);
	if (manifest->no_logs)
		json_put_int(object, "no_logs", 1);
	json_put_text(object, "last_words", manifest->last_words);
	if (manifest->nunprobed)
		put_unprobed(object, manifest);
	json_put_end(object, into);
}

int agent_manifest_write(
	const char *folder, const struct agent_manifest *manifest, struct complaint *why)
{
	struct str text = {0};
	int error;

	agent_manifest_format(manifest, &text);
	str_add_char(&text, '\n');
	error = agent_file_write(folder, AGENT_MANIFEST_FILE, &text, why);
	str_release(&text);
	return error;
}

int agent_exits_write(
	const char *folder, const struct agent_exit *exits, size_t nr, struct complaint *why)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct str text = {0};
	int error;

	json_put_text(object, "schema", "inquest-exits/1");
	for (size_t i = 0; i < nr; i++) {
		struct json_object *one = json_object_new_object();

		json_put_int(one, "pid", exits[i].pid);
		json_put_int(one, "start_time", (int64_t)exits[i].start_time);
		json_put_int(one, "when", exits[i].when);
		if (exits[i].waited)
			json_put_int(one, "wait_status", exits[i].wait_status);
		json_object_array_add(list, one);
	}
	json_object_object_add(object, "exits", list);
	json_put_end(object, &text);
	error = agent_file_write(folder, AGENT_EXITS_FILE, &text, why);
	str_release(&text);
	return error;
}
