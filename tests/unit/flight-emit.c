/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/flight-emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

size_t emit_group(struct emit_dump *dump, const char *name, const char *desc, const char *ranks)
{
	struct emit_group *group = array_add(&dump->groups);

	*group = (struct emit_group){name, desc, ranks, (int64_t)dump->groups.nr - 1};
	return dump->groups.nr - 1;
}

void emit_status(
	struct emit_dump *dump, int64_t pg, int64_t enqueued, int64_t started, int64_t completed)
{
	*array_add(&dump->statuses) = (struct emit_status){pg, enqueued, started, completed};
}

struct emit_entry *emit_entry(struct emit_dump *dump, size_t group, const char *name, int64_t seq)
{
	struct emit_entry *entry = array_add(&dump->entries);
	int64_t record = (int64_t)dump->entries.nr - 1;

	*entry = (struct emit_entry){.group = group,
		.record = record,
		.seq = seq,
		.op = seq,
		.name = name,
		.state = "scheduled",
		.inputs = "[[1024]]",
		.outputs = "[[1024]]",
		.dtype = "Float",
		.created = 1758610505880883597 + record * 1000000,
		.timeout = 600000,
		.thread = "python",
		.thread_id = "140737353972544"};
	return entry;
}

/* What an entry is built with. */
struct emit_making {
	struct arena *arena;
	const struct emit_dump *dump;
	enum emit_writer writer;
	int minor;
	ARRAY(struct emit_made_frame {
		const struct emit_frame *frame;
		struct emit_node *node;
	})
	frames;
};

static struct emit_node *emit_frame_node(struct emit_making *making, const struct emit_frame *frame)
{
	struct emit_made_frame *made;
	struct emit_node *node;

	array_for_each (&making->frames, made)
		if (made->frame == frame)
			return made->node;
	node = emit_node(making->arena, EMIT_DICT);
	emit_set(making->arena, node, "name", emit_text(making->arena, frame->name));
	emit_set(making->arena, node, "filename", emit_text(making->arena, frame->file));
	emit_set(making->arena, node, "line", emit_int(making->arena, frame->line));
	*array_add(&making->frames) = (struct emit_made_frame){frame, node};
	return node;
}

static void emit_entry_frames(
	struct emit_making *making, const struct emit_entry *entry, struct emit_node *dict)
{
	struct emit_node *list = emit_node(making->arena, EMIT_LIST);

	if (!entry->nframes || making->writer == EMIT_JSON)
		return;
	for (size_t i = 0; i < entry->nframes; i++)
		emit_add(making->arena, list, emit_frame_node(making, &entry->frames[i]));
	emit_set(making->arena, dict, "frames", list);
}

static struct emit_node *emit_digits(
	struct emit_making *making, const struct emit_entry *entry, int64_t number)
{
	if (!entry->digits)
		return emit_int(making->arena, number);
	return emit_text(making->arena, arena_printf(making->arena, "%" PRId64, number));
}

static void emit_tensors(struct emit_making *making, const char *key, const char *dtypes_key,
	const char *sizes, const char *dtype, struct emit_node *dict)
{
	struct emit_node *list, *dtypes = emit_node(making->arena, EMIT_LIST);

	if (!sizes)
		return;
	list = emit_list(making->arena, sizes);
	emit_set(making->arena, dict, key, list);
	for (size_t i = 0; dtype && i < emit_nr(list); i++)
		emit_add(making->arena, dtypes, emit_text(making->arena, dtype));
	if (dtype)
		emit_set(making->arena, dict, dtypes_key, dtypes);
}

static void emit_optional(
	struct emit_making *making, struct emit_node *dict, const char *key, const char *text)
{
	if (text)
		emit_set(making->arena, dict, key, emit_text(making->arena, text));
}

/* A time that may not have come: None, or 0 in JSON. */
static void emit_time(
	struct emit_making *making, struct emit_node *dict, const char *key, int64_t time)
{
	bool none = !time && making->writer != EMIT_JSON;

	emit_set(making->arena, dict, key,
		none ? emit_node(making->arena, EMIT_NONE) : emit_int(making->arena, time));
}

static void emit_entry_whence(
	struct emit_making *making, const struct emit_entry *entry, struct emit_node *dict)
{
	const struct emit_group *group = &making->dump->groups.items[entry->group];
	struct arena *arena = making->arena;
	struct emit_node *pair =
		emit_node(arena, making->writer == EMIT_JSON ? EMIT_LIST : EMIT_PAIR);

	emit_entry_frames(making, entry, dict);
	emit_set(arena, dict, "record_id", emit_int(arena, entry->record));
	emit_set(arena, dict, "pg_id", emit_int(arena, group->pg));
	emit_add(arena, pair, emit_text(arena, group->name));
	emit_add(arena, pair, emit_text(arena, group->desc));
	emit_set(arena, dict, "process_group", pair);
	if (making->minor >= 9) {
		emit_optional(making, dict, "thread_name", entry->thread);
		emit_optional(making, dict, "thread_id", entry->thread_id);
	}
	emit_set(arena, dict, "collective_seq_id", emit_digits(making, entry, entry->seq));
	emit_set(arena, dict, "p2p_seq_id", emit_digits(making, entry, entry->p2p_seq));
	emit_set(arena, dict, "op_id", emit_digits(making, entry, entry->op));
	emit_optional(making, dict, "profiling_name", entry->name);
}

static struct emit_node *emit_entry_node(struct emit_making *making, const struct emit_entry *entry)
{
	struct arena *arena = making->arena;
	struct emit_node *dict = emit_node(arena, EMIT_DICT);

	emit_entry_whence(making, entry, dict);
	emit_set(arena, dict, "time_created_ns", emit_int(arena, entry->created));
	if (entry->duration > 0)
		emit_set(arena, dict, "duration_ms", emit_real(arena, entry->duration));
	emit_tensors(making, "input_sizes", "input_dtypes", entry->inputs, entry->dtype, dict);
	emit_tensors(making, "output_sizes", "output_dtypes", entry->outputs, entry->dtype, dict);
	emit_optional(making, dict, "state", entry->state);
	emit_time(making, dict, "time_discovered_started_ns", entry->started);
	emit_time(making, dict, "time_discovered_completed_ns", entry->completed);
	emit_set(arena, dict, "retired", emit_bool(arena, entry->retired));
	if (making->minor >= 4)
		emit_set(arena, dict, "timeout_ms", emit_int(arena, entry->timeout));
	emit_set(arena, dict, "is_p2p", emit_bool(arena, entry->p2p));
	return dict;
}

static struct emit_node *emit_groups_node(struct emit_making *making)
{
	struct emit_node *groups = emit_node(making->arena, EMIT_DICT);
	const struct emit_group *group;

	array_for_each (&making->dump->groups, group) {
		struct emit_node *dict = emit_node(making->arena, EMIT_DICT);

		emit_optional(making, dict, "name", group->name);
		emit_optional(making, dict, "desc", group->desc);
		emit_optional(making, dict, "ranks", group->ranks);
		emit_set(making->arena, groups, group->name, dict);
	}
	return groups;
}

static struct emit_node *emit_status_node(struct emit_making *making, int64_t number)
{
	if (making->writer != EMIT_JSON)
		return emit_int(making->arena, number);
	return emit_text(making->arena, arena_printf(making->arena, "%" PRId64, number));
}

static struct emit_node *emit_statuses_node(struct emit_making *making)
{
	struct emit_node *statuses = emit_node(making->arena, EMIT_DICT);
	const struct emit_status *status;

	array_for_each (&making->dump->statuses, status) {
		struct emit_node *dict = emit_node(making->arena, EMIT_DICT);

		emit_set(making->arena, dict, "last_enqueued_collective",
			emit_status_node(making, status->enqueued));
		emit_set(making->arena, dict, "last_started_collective",
			emit_status_node(making, status->started));
		emit_set(making->arena, dict, "last_completed_collective",
			emit_status_node(making, status->completed));
		emit_set(making->arena, statuses,
			arena_printf(making->arena, "%" PRId64, status->pg), dict);
	}
	return statuses;
}

struct str emit_bytes(struct emit_dump *dump, enum emit_writer writer)
{
	const char *dot = dump->version ? strchr(dump->version, '.') : NULL;
	struct emit_making making = {.arena = &dump->arena,
		.dump = dump,
		.writer = writer,
		.minor = dot ? atoi(dot + 1) : 10};
	struct emit_node *root = emit_node(&dump->arena, EMIT_DICT);
	struct emit_node *entries = emit_node(&dump->arena, EMIT_LIST);

	emit_optional(&making, root, "version", dump->version);
	emit_set(&dump->arena, root, "pg_config", emit_groups_node(&making));
	if (making.minor >= 7)
		emit_optional(&making, root,
			making.minor >= 10 ? "comm_lib_version" : "nccl_version", dump->library);
	if (making.minor >= 3)
		emit_set(&dump->arena, root, "pg_status", emit_statuses_node(&making));
	for (size_t i = 0; i < dump->entries.nr; i++)
		emit_add(&dump->arena, entries, emit_entry_node(&making, &dump->entries.items[i]));
	if (!dump->no_entries && (emit_nr(entries) || writer != EMIT_JSON))
		emit_set(&dump->arena, root, "entries", entries);
	array_release(&making.frames);
	return emit_document(root, writer);
}

void emit_release(struct emit_dump *dump)
{
	array_release(&dump->groups);
	array_release(&dump->statuses);
	array_release(&dump->entries);
	arena_release(&dump->arena);
}

static const struct emit_frame frames[] = {
	{"all_reduce", "/torch/distributed/distributed_c10d.py", 2810},
	{"step", "train.py", 41},
	{"main", "train.py", 7},
};

struct emit_dump emit_sample(const char *version)
{
	struct emit_dump dump = {.version = version, .library = "2.27.3"};
	struct emit_entry *entry;

	emit_group(&dump, "0", "default_pg", "[0, 1, 2, 3]");
	emit_group(&dump, "17", "mesh_tp", "[1, 3]");
	emit_status(&dump, 0, 5000000000, -1, 4);
	emit_status(&dump, 1, 2, -1, -1);
	entry = emit_entry(&dump, 0, "nccl:all_reduce", 4);
	*entry = (struct emit_entry){.group = 0,
		.record = 70000,
		.seq = 4,
		.p2p_seq = 1,
		.op = 5,
		.name = "nccl:all_reduce",
		.state = "completed",
		.inputs = "[[4096, 1, 5120], [7]]",
		.outputs = "[[]]",
		.dtype = "BFloat16",
		.created = 1758610505880883597,
		.started = 1758610505880883600,
		.completed = 1758610505880883700,
		.duration = 0.125,
		.timeout = 180000,
		.retired = true,
		.thread = "pt_autograd_4",
		.thread_id = "23437656749760",
		.frames = frames,
		.nframes = 3};
	entry = emit_entry(&dump, 1, "nccl:_all_gather_base", 2);
	entry->frames = frames;
	entry->nframes = 3;
	emit_entry(&dump, 1, "nccl:send 0->1", 2)->p2p = true;
	return dump;
}
