/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot is one msgpack map. Facts stand before bulk (maps, memory), so that a cut exhibit
 * loses its end first; what was read before the damage stays.
 */
#include "evidence/format/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "evidence/format/fields.h"

#define STACKS_SCHEMA	"inquest-stacks/1"
#define STACKS_THREADS	65536 /* the most threads of one snapshot that are read; no honest one
			       * has more */
#define STACKS_SHORTEST 32 /* bytes of a thread; we never write a shorter one */
#define STACKS_RUN_HEAD 16    /* bytes before a run of an excerpt: u64 address, u64 length */

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const char *const stacks_hows[] = {
	[SNAPSHOT_PEEKED] = "peeked",
	[SNAPSHOT_STOPPED] = "stopped",
	[SNAPSHOT_UNMOVED] = "unmoved",
	[SNAPSHOT_RUNNING] = "running",
	[SNAPSHOT_CORE] = "core",
	[SNAPSHOT_FAILED] = "failed",
};

static const char *const stacks_modes[] = {
	[SNAPSHOT_NEVER] = "never",
	[SNAPSHOT_BLOCKED_FALLBACK] = "blocked-fallback",
	[SNAPSHOT_CONSISTENT] = "consistent",
	[SNAPSHOT_OF_CORE] = "core",
};

/* A field that is an enum, written as its name in `list`. */
#define NAMED(struct_type, member, list)                                                           \
	{                                                                                          \
		.key = #member, .type = FIELD_NAMED,                                               \
		.offset = offsetof(struct struct_type, member), .names = (list), .nr = NR(list)    \
	}

static const struct field stacks_fields[] = {
	FIELD(snapshot, pid, FIELD_U32),
	FIELD(snapshot, own, FIELD_U32),
	FIELD(snapshot, start_time, FIELD_U64),
	FIELD(snapshot, sample, FIELD_U32),
	FIELD(snapshot, when, FIELD_I64),
	NAMED(snapshot, mode, stacks_modes),
	FIELD(snapshot, longest_stop, FIELD_I64),
	FIELD(snapshot, exe, FIELD_TEXT),
	FIELD(snapshot, missing, FIELD_TEXT),
	FIELD(snapshot, signo, FIELD_INT),
	FIELD(snapshot, fault_code, FIELD_INT),
	FIELD(snapshot, fault_addr, FIELD_U64),
	FIELD(snapshot, fault_tid, FIELD_U32),
	FIELD(snapshot, fault_sender, FIELD_U32),
};

static const struct field thread_fields[] = {
	FIELD(snapshot_thread, tid, FIELD_U32),
	FIELD(snapshot_thread, own, FIELD_U32),
	NAMED(snapshot_thread, how, stacks_hows),
	FIELD(snapshot_thread, error, FIELD_INT),
	FIELD(snapshot_thread, wchan, FIELD_TEXT),
	FIELD(snapshot_thread, kernel, FIELD_TEXT),
	FIELD(snapshot_thread, cpu_ticks, FIELD_U64),
	FIELD(snapshot_thread, run_count, FIELD_U64),
	FIELD(snapshot_thread, our_runs, FIELD_U64),
	FIELD(snapshot_thread, run_ns, FIELD_U64),
	FIELD(snapshot_thread, wait_ns, FIELD_U64),
	FIELD(snapshot_thread, asleep_ns, FIELD_U64),
	FIELD(snapshot_thread, stopped_ns, FIELD_U64),
	FIELD(snapshot_thread, moved, FIELD_BOOL),
	FIELD(snapshot_thread, deeper, FIELD_BOOL),
};

static const struct field place_fields[] = {
	FIELD(python_place, runtime, FIELD_U64),
	FIELD(python_place, version, FIELD_U32),
	FIELD(python_place, eval_start, FIELD_U64),
	FIELD(python_place, eval_end, FIELD_U64),
	FIELD(python_place, cold_start, FIELD_U64),
	FIELD(python_place, cold_end, FIELD_U64),
};

/* --- Writing ---------------------------------------------------------------------------------- */

/* Packs registers as [bits of the known ones, value of each known one, by its number]. */
static void put_regs(msgpack_packer *packer, const struct unwind_regs *regs)
{
	fields_put_text(packer, "regs");
	msgpack_pack_array(packer, 1 + (size_t)__builtin_popcount(regs->known));
	msgpack_pack_uint32(packer, regs->known);
	for (size_t i = 0; i < UNWIND_REGS; i++)
		if (regs->known >> i & 1)
			msgpack_pack_uint64(packer, regs->value[i]);
}

/* Packs [number of the call, its arguments]. */
static void put_syscall(msgpack_packer *packer, const struct snapshot_thread *thread)
{
	fields_put_text(packer, "syscall");
	msgpack_pack_array(packer, 1 + NR(thread->args));
	msgpack_pack_int64(packer, thread->syscall);
	for (size_t i = 0; i < NR(thread->args); i++)
		msgpack_pack_uint64(packer, thread->args[i]);
}

/* Packs one thread. Values that are not known are left out. */
static void put_thread(msgpack_packer *packer, const struct snapshot_thread *thread)
{
	size_t pairs = fields_count(thread_fields, NR(thread_fields), thread);

	pairs += (thread->comm[0] != 0) + (thread->state != 0) + thread->in_syscall +
		 (thread->regs.known != 0);
	msgpack_pack_map(packer, pairs);
	fields_put(packer, thread_fields, NR(thread_fields), thread);
	if (thread->comm[0]) {
		fields_put_text(packer, "comm");
		msgpack_pack_str_with_body(
			packer, thread->comm, strnlen(thread->comm, sizeof(thread->comm)));
	}
	if (thread->state) {
		fields_put_text(packer, "state");
		msgpack_pack_str_with_body(packer, &thread->state, 1);
	}
	if (thread->in_syscall)
		put_syscall(packer, thread);
	if (thread->regs.known)
		put_regs(packer, &thread->regs);
}

static void put_places(msgpack_packer *packer, const struct snapshot *snapshot)
{
	fields_put_text(packer, "places");
	msgpack_pack_array(packer, snapshot->nplaces);
	for (size_t i = 0; i < snapshot->nplaces; i++) {
		const struct python_place *place = &snapshot->places[i];

		msgpack_pack_map(packer, fields_count(place_fields, NR(place_fields), place));
		fields_put(packer, place_fields, NR(place_fields), place);
	}
}

static void put_memory(msgpack_packer *packer, const struct excerpt *memory)
{
	struct str bytes = {0};

	excerpt_pack(memory, &bytes);
	fields_put_text(packer, "memory");
	fields_put_bytes(packer, str_text(&bytes), bytes.len);
	str_release(&bytes);
}

static void stacks_pack(const struct snapshot *snapshot, struct str *into)
{
	bool has_maps = *snapshot->maps, has_places = snapshot->nplaces;
	msgpack_packer packer;

	msgpack_packer_init(&packer, into, fields_append);
	msgpack_pack_map(&packer, 2 + fields_count(stacks_fields, NR(stacks_fields), snapshot) +
					  has_places + has_maps + !!snapshot->memory);
	fields_put_text(&packer, "schema");
	fields_put_text(&packer, STACKS_SCHEMA);
	fields_put(&packer, stacks_fields, NR(stacks_fields), snapshot);
	fields_put_text(&packer, "threads");
	msgpack_pack_array(&packer, snapshot->nthreads);
	for (size_t i = 0; i < snapshot->nthreads; i++)
		put_thread(&packer, &snapshot->threads[i]);
	if (has_places)
		put_places(&packer, snapshot);
	if (has_maps) {
		fields_put_text(&packer, "maps");
		fields_put_bytes(&packer, snapshot->maps, strlen(snapshot->maps));
	}
	if (snapshot->memory)
		put_memory(&packer, snapshot->memory);
}

void stacks_add(
	struct evidence *into, const char *host, int rank, const struct snapshot *snapshot)
{
	char label[16];
	const struct exhibit about = {
		.kind = EXHIBIT_STACKS,
		.host = (char *)host,
		.rank = rank,
		.pid = snapshot->own,
		.start_time = snapshot->start_time,
		.when = snapshot->when,
		.label = label,
	};
	struct str bytes = {0};
	size_t len;

	snprintf(label, sizeof(label), "%u", snapshot->sample);
	stacks_pack(snapshot, &bytes);
	len = bytes.len;
	evidence_add(into, &about, (uint8_t *)str_detach(&bytes), len);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* What a reading goes through, and what it has found so far. */
struct stacks_reading {
	struct unpack unpack;
	struct snapshot *into;
	ARRAY(struct snapshot_thread) threads;
	ARRAY(struct python_place) places;
};

/*
 * Reads an array of numbers, at most `cap` of them. Returns how many there were, or SIZE_MAX where
 * it is no such array.
 */
static size_t read_numbers(
	struct unpack *unpack, const struct unpack_item *item, uint64_t *numbers, size_t cap)
{
	struct unpack_item number;

	if (item->type != UNPACK_ARRAY || item->len > cap) {
		unpack_skip(unpack, item);
		return SIZE_MAX;
	}
	for (size_t i = 0; i < item->len; i++) {
		if (!unpack_next(unpack, &number))
			return SIZE_MAX;
		numbers[i] = number.type == UNPACK_INT ? number.number : 0;
		unpack_skip(unpack, &number);
	}
	return item->len;
}

/* Takes registers over if their number is what the bits tell. */
static void read_regs(
	struct unpack *unpack, const struct unpack_item *item, struct unwind_regs *regs)
{
	uint64_t numbers[1 + UNWIND_REGS];
	size_t nr = read_numbers(unpack, item, numbers, NR(numbers)), next = 1;

	if (nr == SIZE_MAX || !nr || numbers[0] >> UNWIND_REGS ||
		nr != 1 + (size_t)__builtin_popcountll(numbers[0]))
		return;
	regs->known = (uint32_t)numbers[0];
	for (size_t i = 0; i < UNWIND_REGS; i++)
		if (regs->known >> i & 1)
			regs->value[i] = numbers[next++];
}

static void read_syscall(
	struct unpack *unpack, const struct unpack_item *item, struct snapshot_thread *thread)
{
	uint64_t numbers[1 + NR(thread->args)];

	if (read_numbers(unpack, item, numbers, NR(numbers)) != NR(numbers))
		return;
	thread->in_syscall = true;
	thread->syscall = (int64_t)numbers[0];
	memcpy(thread->args, numbers + 1, sizeof(thread->args));
}

/* Reads one pair of a thread's map; passes over what is unknown here. */
static void read_thread_pair(struct stacks_reading *reading, const struct unpack_item *key,
	const struct unpack_item *value, struct snapshot_thread *thread)
{
	if (unpack_is(key, "regs")) {
		read_regs(&reading->unpack, value, &thread->regs);
	} else if (unpack_is(key, "syscall")) {
		read_syscall(&reading->unpack, value, thread);
	} else if (unpack_is(key, "comm") && value->type == UNPACK_BYTES) {
		memset(thread->comm, 0, sizeof(thread->comm));
		memcpy(thread->comm, value->bytes,
			value->len < sizeof(thread->comm) ? value->len : sizeof(thread->comm) - 1);
	} else if (unpack_is(key, "state") && value->type == UNPACK_BYTES && value->len == 1) {
		thread->state = (char)value->bytes[0];
	} else {
		fields_take(thread_fields, NR(thread_fields), key, value, thread,
			&reading->into->arena);
		unpack_skip(&reading->unpack, value);
	}
}

/* Reads one thread, up to where its bytes are broken. */
static void read_thread(struct stacks_reading *reading, const struct unpack_item *map)
{
	struct snapshot_thread *thread = array_add(&reading->threads);
	struct unpack_item key, value;

	thread->wchan = thread->kernel = "";
	thread->how = SNAPSHOT_FAILED;
	for (size_t i = 0; i < map->len; i++) {
		if (!unpack_next(&reading->unpack, &key) ||
			!unpack_skip(&reading->unpack, &key) ||
			!unpack_next(&reading->unpack, &value))
			return;
		read_thread_pair(reading, &key, &value, thread);
	}
}

/* Reads threads; no more than the bytes that are left can be, whatever the array says. */
static void read_threads(struct stacks_reading *reading, const struct unpack_item *array)
{
	size_t left = (size_t)(reading->unpack.end - reading->unpack.at);
	size_t most = left / STACKS_SHORTEST + 64;
	struct unpack_item item;

	if (most > STACKS_THREADS)
		most = STACKS_THREADS;
	for (size_t i = 0; i < array->len && unpack_next(&reading->unpack, &item); i++) {
		if (item.type == UNPACK_MAP && reading->threads.nr < most)
			read_thread(reading, &item);
		else
			unpack_skip(&reading->unpack, &item);
	}
}

static void read_place(struct stacks_reading *reading, const struct unpack_item *map)
{
	struct python_place *place = array_add(&reading->places);
	struct unpack_item key, value;

	for (size_t i = 0; i < map->len; i++) {
		if (!unpack_next(&reading->unpack, &key) ||
			!unpack_skip(&reading->unpack, &key) ||
			!unpack_next(&reading->unpack, &value))
			return;
		fields_take(place_fields, NR(place_fields), &key, &value, place,
			&reading->into->arena);
		unpack_skip(&reading->unpack, &value);
	}
}

static void read_places(struct stacks_reading *reading, const struct unpack_item *array)
{
	struct unpack_item item;

	for (size_t i = 0; i < array->len && unpack_next(&reading->unpack, &item); i++) {
		if (item.type == UNPACK_MAP && reading->places.nr < PYTHON_PLACES)
			read_place(reading, &item);
		else
			unpack_skip(&reading->unpack, &item);
	}
}

/* Takes the memory over. Of a value that the exhibit repeats the first counts. */
static int read_memory(
	struct snapshot *snapshot, const uint8_t *bytes, size_t len, struct complaint *why)
{
	if (snapshot->memory)
		return 0;
	snapshot->memory = excerpt_unpack(bytes, len, why);
	return snapshot->memory ? 0 : -1;
}

/* Reads one pair of the snapshot's map; passes over what is unknown here. */
static int read_pair(struct stacks_reading *reading, const struct unpack_item *key,
	const struct unpack_item *value, struct complaint *why)
{
	struct snapshot *into = reading->into;

	if (unpack_is(key, "threads") && value->type == UNPACK_ARRAY)
		read_threads(reading, value);
	else if (unpack_is(key, "places") && value->type == UNPACK_ARRAY)
		read_places(reading, value);
	else if (unpack_is(key, "maps") && value->type == UNPACK_BYTES)
		into->maps = arena_text_max(
			&into->arena, (const char *)value->bytes, value->len);
	else if (unpack_is(key, "memory") && value->type == UNPACK_BYTES)
		return read_memory(into, value->bytes, value->len, why);
	else if (!fields_take(stacks_fields, NR(stacks_fields), key, value, into, &into->arena))
		unpack_skip(&reading->unpack, value);
	return 0;
}

/*
 * Takes over the whole runs of an excerpt that was cut. The reading stands at the mark of its
 * binary value.
 */
static void read_cut_memory(struct stacks_reading *reading)
{
	const uint8_t *at = reading->unpack.at, *end = reading->unpack.end, *start, *next;
	size_t head = at < end && at[0] >= 0xc4 && at[0] <= 0xc6 ? 1 + ((size_t)1 << (at[0] - 0xc4))
								  : SIZE_MAX;
	uint64_t len;

	if (reading->into->memory || (size_t)(end - at) < head)
		return;
	for (start = next = at + head; end - next >= STACKS_RUN_HEAD; next += len) {
		memcpy(&len, next + sizeof(uint64_t), sizeof(len));
		if (len > (uint64_t)(end - next) - STACKS_RUN_HEAD)
			break;
		next += STACKS_RUN_HEAD;
	}
	if (next > start)
		reading->into->memory = excerpt_unpack(start, (size_t)(next - start), NULL);
}

/*
 * Reads the exhibit. Returns 0, or negative with words; what came before the damage is in any case
 * in `reading`.
 */
static int stacks_parse(struct stacks_reading *reading, struct complaint *why)
{
	struct unpack *unpack = &reading->unpack;
	struct unpack_item map, key, value;
	int error = 0;

	if (!unpack_next(unpack, &map) || map.type != UNPACK_MAP || !unpack_next(unpack, &key) ||
		!unpack_is(&key, "schema") || !unpack_next(unpack, &value) ||
		!unpack_is(&value, STACKS_SCHEMA))
		return complaint_set(why, "no stacks that this inquest can read");
	for (size_t i = 1; i < map.len && !error && !unpack->broken; i++) {
		bool has_key = unpack_next(unpack, &key) && unpack_skip(unpack, &key);

		if (has_key && unpack_next(unpack, &value))
			error = read_pair(reading, &key, &value, why);
		else
			unpack->broken = true;
		if (has_key && unpack->broken && unpack_is(&key, "memory"))
			read_cut_memory(reading);
	}
	if (!error && unpack->broken)
		error = complaint_set(why, "stacks are cut or damaged");
	return error;
}

int stacks_read(const struct exhibit *exhibit, struct snapshot *ret, struct complaint *why)
{
	struct stacks_reading reading = {.into = ret};
	int error;

	memset(ret, 0, sizeof(*ret));
	ret->exe = ret->maps = ret->missing = "";
	reading.unpack = unpack_of(exhibit->bytes, exhibit->len);
	error = stacks_parse(&reading, why);
	ret->threads = arena_copy(&ret->arena, reading.threads.items,
		reading.threads.nr * sizeof(*reading.threads.items));
	ret->nthreads = reading.threads.nr;
	ret->places = arena_copy(&ret->arena, reading.places.items,
		reading.places.nr * sizeof(*reading.places.items));
	ret->nplaces = reading.places.nr;
	array_release(&reading.threads);
	array_release(&reading.places);
	return error;
}
