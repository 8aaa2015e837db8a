/* SPDX-License-Identifier: Apache-2.0 */
#include "report/receipt-json.h"

#include <json.h>
#include <string.h>

#include "words/escape.h"

/* How json-c writes an object here: on one line, with plain slashes. */
#define HOW (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

/* How much there is room for. */
struct room {
	size_t text;  /* bytes of one text */
	size_t ranks; /* of ranks */
	size_t list; /* items of any other list */
};

/* Rooms that are tried in turn, from all of it to what fits anywhere. */
static const struct room rooms[] = {{4096, 4096, 4096}, {512, 1024, 512}, {256, 256, 128},
	{128, 64, 64}, {64, 16, 24}, {32, 4, 8}};

/* -- parts ------------------------------------------------------------------------------------- */

/* Makes a text of at most that many bytes, with "..." behind it if it is cut. */
static struct json_object *string_of(const char *text, size_t most)
{
	struct str cut = {0}, safe = {0};
	struct json_object *string;

	str_add_bytes(&cut, text, strnlen(text, most));
	if (strlen(text) > most)
		str_add(&cut, "...");
	escape_to_utf8(&safe, str_text(&cut));
	string = json_object_new_string(str_text(&safe));
	str_release(&cut);
	str_release(&safe);
	return string;
}

/* Adds a text; nothing for "". */
static void put_text(struct json_object *into, const char *key, const char *text, size_t most)
{
	if (*text)
		json_object_object_add(into, key, string_of(text, most));
}

/* Adds a number; nothing for JOB_UNKNOWN. */
static void put_number(struct json_object *into, const char *key, int64_t n)
{
	if (n != JOB_UNKNOWN)
		json_object_object_add(into, key, json_object_new_int64(n));
}

/* Adds a list of texts. */
static void put_texts(struct json_object *into, const char *key, const struct launch_texts *texts,
	const struct room *room)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < texts->n && i < room->list; i++)
		json_object_array_add(list, string_of(texts->at[i], room->text));
	json_object_object_add(into, key, list);
}

/* Adds a list of caches, with how full each is. */
static void put_caches(struct json_object *into, const char *key, const struct launch_cache *caches,
	size_t n, const struct room *room)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n && i < room->list; i++) {
		struct json_object *one = json_object_new_object();

		put_text(one, "path", caches[i].path, 4096);
		put_number(one, "files", caches[i].files);
		put_number(one, "bytes", caches[i].bytes);
		put_number(one, "complete", !caches[i].cut);
		json_object_array_add(list, one);
	}
	json_object_object_add(into, key, list);
}

/* Adds the variables of the environment that are kept. */
static void put_env(struct json_object *into, const struct job_launch *launch,
	const struct room *room)
{
	struct json_object *env = json_object_new_object();

	for (size_t i = 0; i < launch->nenv; i++)
		put_text(env, launch->env[i].name, launch->env[i].value, room->text);
	/* A variable that is set to nothing is set. */
	for (size_t i = 0; i < launch->nenv; i++)
		if (!*launch->env[i].value)
			json_object_object_add(
				env, launch->env[i].name, json_object_new_string(""));
	json_object_object_add(into, "env", env);
}

/* Adds the state of the source tree; nothing where it is not known. */
static void put_git(struct json_object *into, const struct job_launch *launch)
{
	struct json_object *git;

	if (!*launch->revision)
		return;
	git = json_object_new_object();
	put_text(git, "revision", launch->revision, 128);
	put_text(git, "branch", launch->branch, 256);
	if (launch->dirty != JOB_MAYBE)
		put_number(git, "dirty", launch->dirty == JOB_YES);
	json_object_object_add(into, "git", git);
}

/* Adds storage with the types' names, from which a reader makes the summary again. */
static void put_storage(
	struct json_object *into, const struct job_launch *launch, const struct room *room)
{
	struct json_object *list;

	if (!launch->storage_known)
		return;
	list = json_object_new_array();
	for (size_t i = 0; i < launch->nstorage && i < room->list; i++) {
		struct json_object *one = json_object_new_object();

		put_text(one, "for", launch->storage[i].role, 32);
		put_text(one, "path", launch->storage[i].path, 4096);
		put_text(one, "type", launch->storage[i].type, 64);
		json_object_array_add(list, one);
	}
	json_object_object_add(into, "storage", list);
}

/* Adds what is known of the launch. */
static void put_launch(struct json_object *into, const struct job_launch *launch,
	const struct room *room)
{
	struct json_object *limits = json_object_new_object();

	put_text(into, "job", launch->job, 256);
	put_text(into, "name", launch->name, 256);
	put_text(into, "host", launch->host, 256);
	put_number(into, "launched", launch->launched);
	put_texts(into, "argv", &launch->argv, room);
	put_text(into, "cwd", launch->cwd, 4096);
	put_git(into, launch);
	put_text(into, "kernel", launch->kernel, 256);
	put_text(into, "machine", launch->machine, 256);
	put_text(into, "image", launch->image, 1024);
	put_text(into, "driver", launch->driver, 256);
	put_number(into, "memory", launch->memory);
	put_number(into, "cpus", launch->cpus);
	if (launch->gpus_known)
		put_texts(into, "gpus", &launch->gpus, room);
	for (size_t i = 0; i < launch->nlimits && i < room->list; i++)
		put_number(limits, launch->limits[i].name, launch->limits[i].n);
	json_object_object_add(into, "limits", limits);
	if (launch->env_known)
		put_env(into, launch, room);
	put_texts(into, "env_withheld", &launch->withheld, room);
	put_texts(into, "env_forced", &launch->forced, room);
	if (launch->caches_known)
		put_caches(into, "caches", launch->caches, launch->ncaches, room);
	put_storage(into, launch, room);
}

/* Adds the ranks that there is room for, and how many were left out. */
static void put_ranks(struct json_object *into, const struct receipt *receipt,
	const struct room *room)
{
	struct json_object *list = json_object_new_array();
	size_t n = receipt->nranks < room->ranks ? receipt->nranks : room->ranks;

	for (size_t i = 0; i < n; i++) {
		const struct receipt_rank *rank = &receipt->ranks[i];
		struct json_object *one = json_object_new_object();

#define NUMBER(member, key) put_number(one, key, rank->member);
#include "lists/receipt.def"
#undef NUMBER
		put_text(one, "cache", rank->cache, 4096);
		json_object_array_add(list, one);
	}
	json_object_object_add(into, "ranks", list);
	put_number(into, "ranks_left_out",
		receipt->left_out + (int64_t)(receipt->nranks - n));
}

/* Adds packages. Of one that lies there in several versions, all are told. */
static void put_packages(
	struct json_object *into, const struct receipt *receipt, const struct room *room)
{
	struct json_object *packages = json_object_new_object();
	size_t n = receipt->npackages < room->list ? receipt->npackages : room->list;

	for (size_t i = 0; i < n; i++) {
		const struct launch_variable *package = &receipt->packages[i];
		struct str versions = {0};

		str_add(&versions, package->value);
		for (; i + 1 < n && !strcmp(package[1].name, package->name); i++, package++)
			str_printf(&versions, ", %s", package[1].value);
		json_object_object_add(
			packages, package->name, string_of(str_text(&versions), room->text));
		str_release(&versions);
	}
	json_object_object_add(into, "packages", packages);
	if (n < receipt->npackages || receipt->packages_cut)
		json_object_object_add(into, "packages_more", json_object_new_int(1));
}

/* Adds what is known of the run: how it went, and how it ended. */
static void put_run(struct json_object *into, const struct receipt *receipt,
	const struct room *room)
{
	put_text(into, "state", receipt->state, 64);
	put_number(into, "seen", receipt->seen);
	put_number(into, "ended", receipt->ended);
	put_number(into, "exit_status", receipt->exit_status);
	put_number(into, "agent_pid", receipt->agent_pid);
	put_number(into, "agent_start_time", receipt->agent_start_time);
	put_number(into, "world_size", receipt->world_size);
	put_number(into, "attempts", receipt->attempts);
	put_number(into, "hangs", receipt->hangs);
	put_text(into, "framework", receipt->framework, 256);
	put_text(into, "backend", receipt->backend, 256);
	put_text(into, "mode", receipt->mode, 256);
	put_text(into, "python", receipt->python, 64);
	if (receipt->packages_known)
		put_packages(into, receipt, room);
	put_text(into, "verdict", receipt->verdict, 1024);
	put_text(into, "bundle", receipt->bundle, 4096);
	put_text(into, "last_words", receipt->last_words, 512);
	put_number(into, "any_compile_ns", receipt->compiled);
	put_ranks(into, receipt, room);
	if (receipt->after_known)
		put_caches(into, "caches_end", receipt->after, receipt->nafter, room);
}

/* -- all of it --------------------------------------------------------------------------------- */

void receipt_json(struct str *into, const struct receipt *receipt, size_t most)
{
	struct str text = {0};

	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "schema", json_object_new_string("inquest-receipt/1"));
		put_launch(object, &receipt->launch, &rooms[i]);
		put_run(object, receipt, &rooms[i]);
		str_cut(&text, 0);
		escape_json(&text, json_object_to_json_string_ext(object, HOW));
		json_object_put(object);
		if (text.len <= most)
			break;
	}
	str_add(into, str_text(&text));
	str_release(&text);
}
