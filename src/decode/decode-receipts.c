/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/decode-receipts.h"

#include <json.h>
#include <string.h>

#include "decode/exhibits/launch-facts.h"
#include "evidence/format/json-get.h"

/* At most so many ranks of a receipt are read. */
#define RANKS_MOST 65536

static void read_text(
	const struct json_object *object, const char *key, struct arena *arena, const char **ret)
{
	const char *text = json_get_text(object, key);

	*ret = text ? arena_text(arena, text) : "";
}

/* Reads a number; JOB_UNKNOWN if it is below zero, as nothing in a receipt is. */
static void read_number(const struct json_object *object, const char *key, int64_t *ret)
{
	int64_t n;

	*ret = json_get_int(object, key, &n) && n >= 0 ? n : JOB_UNKNOWN;
}

static void read_time(const struct json_object *object, const char *key, int64_t *ret)
{
	*ret = JOB_UNKNOWN;
	json_get_time(object, key, ret);
}

static void read_ranks(const struct json_object *object, struct arena *arena, struct receipt *ret)
{
	size_t nr, n = 0;
	struct json_object *list = json_get_list(object, "ranks", &nr);
	struct receipt_rank *ranks;

	if (nr > RANKS_MOST)
		nr = RANKS_MOST;
	ranks = arena_new_many(arena, struct receipt_rank, nr + 1);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		struct receipt_rank *rank = &ranks[n];

		if (!json_object_is_type(one, json_type_object))
			continue;
#define NUMBER(member, key) read_number(one, key, &rank->member);
#include "lists/receipt.def"
#undef NUMBER
		read_text(one, "cache", arena, &rank->cache);
		n++;
	}
	ret->ranks = ranks;
	ret->nranks = n;
	read_number(object, "ranks_left_out", &ret->left_out);
	if (ret->left_out == JOB_UNKNOWN)
		ret->left_out = 0;
}

/* Reads what is known of the run itself, beyond its launch. */
static void read_run(const struct json_object *object, struct arena *arena, struct receipt *ret)
{
	int64_t more;

	read_text(object, "state", arena, &ret->state);
	read_time(object, "seen", &ret->seen);
	read_time(object, "ended", &ret->ended);
	read_number(object, "exit_status", &ret->exit_status);
	read_number(object, "agent_pid", &ret->agent_pid);
	read_number(object, "agent_start_time", &ret->agent_start_time);
	read_number(object, "world_size", &ret->world_size);
	read_number(object, "attempts", &ret->attempts);
	read_number(object, "hangs", &ret->hangs);
	read_text(object, "framework", arena, &ret->framework);
	read_text(object, "backend", arena, &ret->backend);
	read_text(object, "mode", arena, &ret->mode);
	read_text(object, "python", arena, &ret->python);
	ret->packages = launch_variables_read(
		object, "packages", arena, &ret->npackages, &ret->packages_known);
	read_number(object, "packages_more", &more);
	ret->packages_cut = more > 0;
	read_text(object, "verdict", arena, &ret->verdict);
	read_text(object, "bundle", arena, &ret->bundle);
	read_text(object, "last_words", arena, &ret->last_words);
	read_number(object, "any_compile_ns", &ret->compiled);
	ret->after = launch_caches_read(
		object, "caches_end", arena, &ret->nafter, &ret->after_known);
}

int receipt_read(const char *bytes, size_t len, struct arena *arena, struct receipt *ret,
	struct complaint *why)
{
	const struct exhibit exhibit = {
		.kind = EXHIBIT_RECEIPT, .bytes = (unsigned char *)bytes, .len = len};
	struct json_object *object = json_get_document(&exhibit, why);
	const char *schema = object ? json_get_text(object, "schema") : NULL;

	if (!object)
		return -1;
	if (!schema || strcmp(schema, "inquest-receipt/1") != 0) {
		json_object_put(object);
		complaint_set(why, "no receipt: its schema is not inquest-receipt/1");
		return -1;
	}
	*ret = receipt_nothing();
	launch_read(object, arena, &ret->launch);
	read_run(object, arena, ret);
	read_ranks(object, arena, ret);
	json_object_put(object);
	return 0;
}
