/* SPDX-License-Identifier: Apache-2.0 */
#include "job/seal/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "job/seal/raw.h"

/* --- Frames ----------------------------------------------------------------------------------- */

/*
 * The frames of a job in the making. Stacks of thousands of threads stand on the same few places in
 * code, so each frame is kept once, found by its hash, and stacks hold numbers.
 */

#define FRAMES_FIRST 1024

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/*
 * Hashes a frame. Its texts are interned, so their addresses stand for them, in this builder only.
 */
static uint64_t hash_frame(const struct job_frame *frame)
{
	uint64_t hash = mix(frame->kind, (uintptr_t)frame->function);

	hash = mix(hash, (uintptr_t)frame->module);
	hash = mix(hash, (uintptr_t)frame->file);
	hash = mix(hash, (uint64_t)frame->line << 2 | frame->plumbing << 1 | frame->guessed);
	return mix(hash, frame->offset);
}

static bool same_frame(const struct job_frame *a, const struct job_frame *b)
{
	return a->function == b->function && a->line == b->line && a->file == b->file &&
	       a->module == b->module && a->kind == b->kind && a->offset == b->offset &&
	       a->plumbing == b->plumbing && a->guessed == b->guessed;
}

/* Returns the slot of an equal frame, or the free slot where this one belongs. */
static uint32_t *frame_slot(const struct raw_frames *frames, const struct job_frame *frame)
{
	size_t at = hash_frame(frame) & (frames->nslots - 1);

	while (frames->slots[at] && !same_frame(&frames->list.items[frames->slots[at] - 1], frame))
		at = (at + 1) & (frames->nslots - 1);
	return &frames->slots[at];
}

static void grow(struct raw_frames *frames)
{
	free(frames->slots);
	frames->nslots = frames->nslots ? frames->nslots * 2 : FRAMES_FIRST;
	frames->slots = alloc_zeroed(frames->nslots, sizeof(*frames->slots));
	for (size_t i = 0; i < frames->list.nr; i++)
		*frame_slot(frames, &frames->list.items[i]) = (uint32_t)i + 1;
}

/* Returns the number of a frame; copies it if it is new. */
static uint32_t raw_intern_frame(struct job_builder *b, const struct job_frame *frame)
{
	struct raw_frames *frames = &b->frames;
	struct job_frame own = *frame;
	uint32_t *slot;

	own.function = raw_intern(b, frame->function);
	own.module = raw_intern(b, frame->module);
	own.file = raw_intern(b, frame->file);
	if (frames->list.nr * 2 >= frames->nslots)
		grow(frames);
	slot = frame_slot(frames, &own);
	if (!*slot) {
		*array_add(&frames->list) = own;
		*slot = (uint32_t)frames->list.nr;
	}
	return *slot - 1;
}

/* Frees the frames and their index. */
static void raw_frames_release(struct raw_frames *frames)
{
	array_release(&frames->list);
	free(frames->slots);
	*frames = (struct raw_frames){0};
}

const struct job_host job_host_unknown = {
	.name = "",
	.gathered = JOB_UNKNOWN,
	.agent_beat = JOB_UNKNOWN,
	.oom_kills = JOB_UNKNOWN,
	.clock_error = JOB_UNKNOWN,
	.cite = "",
	.cgroup_cite = "",
};

const struct job_process job_process_unknown = {
	.rank = NO_RANK,
	.comm = "",
	.was = "",
	.was_cite = "",
	.what = "",
	.born = JOB_UNKNOWN,
	.ended = JOB_UNKNOWN,
	.end_cite = "",
	.oom_cite = "",
	.sample_cite = "",
	.wchan = "",
	.call = "",
	.on = "",
	.on_cite = "",
	.lock = "",
	.lock_by = "",
	.lock_held = "",
	.lock_open = "",
	.lock_cite = "",
	.cpu_used = JOB_UNKNOWN,
	.cpu_delta = JOB_UNKNOWN,
	.sample_span = JOB_UNKNOWN,
	.idle_for = JOB_UNKNOWN,
	.runs = JOB_UNKNOWN,
	.asleep_since = JOB_UNKNOWN,
	.stopped_since = JOB_UNKNOWN,
	.write_delta = JOB_UNKNOWN,
	.rss = JOB_UNKNOWN,
	.rss_before = JOB_UNKNOWN,
	.rss_most = JOB_UNKNOWN,
	.seen = JOB_UNKNOWN,
	.looked = JOB_UNKNOWN,
	.cite = "",
};

const struct job_member job_member_unknown = {
	.group = JOB_NONE,
	.rank = NO_RANK,
	.init_since = JOB_UNKNOWN,
	.ready_at = JOB_UNKNOWN,
	.timeout = JOB_UNKNOWN,
	.cite = "",
};

struct job_builder *job_builder_new(void)
{
	struct job_builder *b = alloc_zeroed(1, sizeof(*b));

	b->reading = JOB_UNKNOWN;
	b->id = b->name = b->deadline_cite = "";
	b->world_at_least = JOB_NONE;
	b->ranks = b->expected_hosts = (struct job_expected){JOB_NONE, ""};
	b->launched = JOB_UNKNOWN;
	b->told_to_end = JOB_UNKNOWN;
	b->deadline = JOB_UNKNOWN;
	return b;
}

void job_builder_free(struct job_builder *b)
{
	if (!b)
		return;
	array_release(&b->host_names);
	array_release(&b->part_names);
	array_release(&b->launches);
	array_release(&b->hosts);
	array_release(&b->processes);
	array_release(&b->threads);
	array_release(&b->members);
	array_release(&b->ops);
	for (size_t i = 0; i < b->calls.nr; i++) {
		free(b->calls.items[i].at);
		free(b->calls.items[i].keys);
	}
	array_release(&b->calls);
	array_release(&b->spans);
	array_release(&b->shards);
	array_release(&b->steps);
	array_release(&b->notes);
	array_release(&b->traits);
	array_release(&b->signals);
	array_release(&b->logs);
	array_release(&b->sayings);
	array_release(&b->caches);
	array_release(&b->losses);
	array_release(&b->stacks);
	array_release(&b->snapshots);
	raw_frames_release(&b->frames);
	free(b->strings.slots);
	arena_release(&b->arena);
	free(b);
}

static struct raw_string string_of(const char *text)
{
	uint64_t hash = hash_text(HASH_START, text);

	return (struct raw_string){hash ^ hash >> 29, text};
}

static struct raw_string *find_slot(const struct raw_strings *strings, struct raw_string like)
{
	size_t at = like.hash & (strings->nslots - 1);

	while (strings->slots[at].text && (strings->slots[at].hash != like.hash ||
						  strcmp(strings->slots[at].text, like.text) != 0))
		at = (at + 1) & (strings->nslots - 1);
	return &strings->slots[at];
}

static void grow_strings(struct raw_strings *strings)
{
	const struct raw_strings old = *strings;

	strings->nslots = old.nslots ? old.nslots * 2 : 256;
	strings->slots = alloc_zeroed(strings->nslots, sizeof(*strings->slots));
	for (size_t i = 0; i < old.nslots; i++)
		if (old.slots[i].text)
			*find_slot(strings, old.slots[i]) = old.slots[i];
	free(old.slots);
}

const char *raw_intern(struct job_builder *b, const char *text)
{
	struct raw_string *slot, new;

	if (!text || !*text)
		return "";
	if (b->strings.used * 2 >= b->strings.nslots)
		grow_strings(&b->strings);
	new = string_of(text);
	slot = find_slot(&b->strings, new);
	if (!slot->text) {
		*slot = (struct raw_string){new.hash, arena_text(&b->arena, text)};
		b->strings.used++;
	}
	return slot->text;
}

static struct raw_about about(struct job_builder *b, struct job_who who)
{
	who.host = raw_intern(b, who.host);
	return (struct raw_about){.who = who, .when = b->reading};
}

/*
 * Returns the time, or JOB_UNKNOWN if no clock shows it before the year 2116: a stranger's clock
 * may say anything, and differences of times are taken.
 */
static int64_t known_time(int64_t when)
{
	return when > INT64_MAX / 2 || when < -(INT64_MAX / 2) ? JOB_UNKNOWN : when;
}

void job_add_reading(struct job_builder *b, int64_t when)
{
	b->reading = known_time(when);
}

/*
 * Keeps one of several texts, whatever their order of adding: the smaller one. *differ: they did.
 */
static void settle_text(struct job_builder *b, const char **held, const char *told, bool *differ)
{
	told = raw_intern(b, told);
	if (!*told || told == *held)
		return;
	if (**held)
		*differ = true;
	if (!**held || strcmp(told, *held) < 0)
		*held = told;
}

void job_add_identity(struct job_builder *b, const char *id, const char *name)
{
	bool names_differ = false;

	settle_text(b, &b->id, id, &b->ids_differ);
	settle_text(b, &b->name, name, &names_differ);
}

/*
 * Keeps the largest number with its witness; of equal ones that of the witness whose name is the
 * smaller text.
 */
static void settle_expected(struct job_builder *b, struct job_expected *held, int n, const char *by)
{
	by = raw_intern(b, by);
	if (n > held->n || (n == held->n && n != JOB_NONE && strcmp(by, held->by) < 0))
		*held = (struct job_expected){n, by};
}

void job_add_world_size(struct job_builder *b, int world_size, const char *by)
{
	job_add_world_size_since(b, world_size, by, 0);
}

void job_add_world_size_since(struct job_builder *b, int world_size, const char *by, int restart)
{
	if (world_size < 0 || restart < b->ranks_restart)
		return;
	if (restart > b->ranks_restart)
		b->ranks = (struct job_expected){JOB_NONE, ""};
	b->ranks_restart = restart;
	settle_expected(b, &b->ranks, world_size, by);
}

void job_add_expected_hosts(struct job_builder *b, int nhosts, const char *by)
{
	settle_expected(b, &b->expected_hosts, nhosts, by);
}

void job_add_expected_host(struct job_builder *b, const char *name)
{
	*array_add(&b->host_names) = raw_intern(b, name);
}

void job_add_part_host(struct job_builder *b, const char *name)
{
	*array_add(&b->part_names) = raw_intern(b, name);
}

void job_add_world_at_least(struct job_builder *b, int world_size)
{
	if (world_size > b->world_at_least)
		b->world_at_least = world_size;
}

void job_add_launch(struct job_builder *b, int64_t launched)
{
	launched = known_time(launched);
	if (launched == JOB_UNKNOWN)
		return;
	if (b->launched == JOB_UNKNOWN || launched < b->launched)
		b->launched = launched;
}

void job_add_ending(struct job_builder *b, int exit_status)
{
	if (!b->ended || exit_status > b->exit_status)
		b->exit_status = exit_status;
	b->ended = true;
}

void job_add_part_ending(struct job_builder *b, int exit_status)
{
	if (exit_status > b->exit_status)
		b->exit_status = exit_status;
}

void job_add_order_to_end(struct job_builder *b, int64_t when)
{
	when = known_time(when);
	if (when != JOB_UNKNOWN && (b->told_to_end == JOB_UNKNOWN || when > b->told_to_end))
		b->told_to_end = when;
}

void job_add_deadline(struct job_builder *b, int64_t deadline, const char *cite)
{
	const char *told = raw_intern(b, cite);

	deadline = known_time(deadline);
	if (deadline == JOB_UNKNOWN)
		return;
	if (b->deadline != JOB_UNKNOWN && deadline > b->deadline)
		return;
	if (b->deadline == deadline && strcmp(b->deadline_cite, told) <= 0)
		return;
	b->deadline = deadline;
	b->deadline_cite = told;
}

void job_add_census_seen(struct job_builder *b)
{
	b->census = true;
}

void job_add_host(struct job_builder *b, const struct job_host *host)
{
	struct raw_host *raw = array_add(&b->hosts);

	raw->about = about(b, (struct job_who){.host = host->name});
	raw->fact = *host;
	raw->fact.gathered = known_time(host->gathered);
	raw->fact.agent_beat = known_time(host->agent_beat);
	raw->fact.name = raw->about.who.host;
	raw->fact.cite = raw_intern(b, host->cite);
	raw->fact.cgroup_cite = raw_intern(b, host->cgroup_cite);
}

void job_add_process(struct job_builder *b, struct job_who who, const struct job_process *process,
	const struct job_identity *identity)
{
	struct raw_process *raw = array_add(&b->processes);

	raw->about = about(b, who);
	raw->fact = *process;
	raw->fact.born = known_time(process->born);
	raw->fact.ended = known_time(process->ended);
	raw->fact.seen = known_time(process->seen);
	raw->fact.looked = known_time(process->looked);
	raw->identity = *identity;
	raw->fact.comm = raw_intern(b, process->comm);
	raw->fact.was = raw_intern(b, process->was);
	raw->fact.was_cite = raw_intern(b, process->was_cite);
	raw->fact.what = raw_intern(b, process->what);
	raw->fact.wchan = raw_intern(b, process->wchan);
	raw->fact.call = raw_intern(b, process->call);
	raw->fact.on = raw_intern(b, process->on);
	raw->fact.on_cite = raw_intern(b, process->on_cite);
	raw->fact.lock = raw_intern(b, process->lock);
	raw->fact.lock_by = raw_intern(b, process->lock_by);
	raw->fact.lock_held = raw_intern(b, process->lock_held);
	raw->fact.lock_open = raw_intern(b, process->lock_open);
	raw->fact.lock_cite = raw_intern(b, process->lock_cite);
	raw->fact.cite = raw_intern(b, process->cite);
	raw->fact.end_cite = raw_intern(b, process->end_cite);
	raw->fact.oom_cite = raw_intern(b, process->oom_cite);
	raw->fact.sample_cite = raw_intern(b, process->sample_cite);
}

void job_add_thread(struct job_builder *b, struct job_who who, const struct job_thread *thread,
	uint64_t group_key)
{
	struct raw_thread *raw = array_add(&b->threads);

	raw->about = about(b, who);
	raw->fact = *thread;
	raw->fact.since = known_time(thread->since);
	raw->group_key = group_key;
	raw->fact.name = raw_intern(b, thread->name);
	raw->fact.call = raw_intern(b, thread->call);
	raw->fact.detail = raw_intern(b, thread->detail);
	raw->fact.cite = raw_intern(b, thread->cite);
}

void job_add_member(struct job_builder *b, struct job_who who, const struct job_group *group,
	const struct job_member *member)
{
	struct raw_member *raw = array_add(&b->members);

	raw->about = about(b, who);
	raw->group = *group;
	raw->fact = *member;
	raw->fact.init_since = known_time(member->init_since);
	raw->fact.ready_at = known_time(member->ready_at);
	raw->group.name = raw_intern(b, group->name);
	raw->group.maker = raw_intern(b, group->maker);
	raw->group.ranks = raw_intern(b, group->ranks ? group->ranks : "");
	raw->group.cite = raw_intern(b, group->cite);
	raw->fact.cite = raw_intern(b, member->cite);
}

void job_add_op(struct job_builder *b, struct job_who who, uint64_t group_key,
	struct group_rank seat, const struct job_op *op, uint32_t tid)
{
	struct raw_op *raw = array_add(&b->ops);

	raw->about = about(b, who);
	raw->seen.fact = *op;
	raw->seen.fact.entered = known_time(op->entered);
	raw->seen.group_key = group_key;
	raw->seen.seat = seat;
	raw->seen.tid = tid;
	raw->seen.fact.place = raw_intern(b, op->place);
	raw->seen.fact.parts = raw_intern(b, op->parts);
	raw->seen.fact.cite = raw_intern(b, op->cite);
}

void job_want_calls(struct job_builder *b)
{
	b->wants_calls = true;
}

bool job_wants_calls(const struct job_builder *b)
{
	return b->wants_calls;
}

void job_add_calls(struct job_builder *b, struct job_who who, const struct job_call *calls,
	size_t n, const uint64_t *keys, size_t nkeys)
{
	struct raw_calls *raw;

	if (!b->wants_calls || !n)
		return;
	raw = array_add(&b->calls);
	raw->about = about(b, who);
	raw->at = alloc_copy(calls, n * sizeof(*calls));
	raw->keys = nkeys ? alloc_copy(keys, nkeys * sizeof(*keys)) : NULL;
	raw->nkeys = nkeys;
	for (size_t i = 0; i < n; i++) {
		struct job_call *call = &raw->at[raw->n];

		*call = calls[i];
		call->entered = known_time(call->entered);
		call->returned = known_time(call->returned);
		/*
		 * A call without a begin cannot be drawn; one that ends before it began is damage.
		 */
		if (call->entered == JOB_UNKNOWN ||
			(call->returned != JOB_UNKNOWN && call->returned < call->entered))
			continue;
		call->name = raw_intern(b, call->name);
		call->cite = raw_intern(b, call->cite);
		raw->n++;
	}
}

/* Defines job_add_span() and so on: one function for each kind of fact that hangs on a process. */
#define TIME(field) raw->fact.field = known_time(fact->field);
#define TOLD(field) raw->fact.field = raw_intern(b, fact->field);
#define FACTS(kind, plural, taken, same, joined, sealed)                                           \
	void job_add_##kind(                                                                       \
		struct job_builder *b, struct job_who who, const struct job_##kind *fact)          \
	{                                                                                          \
		struct raw_##kind *raw = array_add(&b->plural);                                    \
                                                                                                   \
		raw->about = about(b, who);                                                        \
		raw->fact = *fact;                                                                 \
		taken                                                                              \
	}
#include "job/seal/fact-order.def"
#undef FACTS
#undef TOLD
#undef TIME

void job_add_stack(struct job_builder *b, struct job_who who, const struct job_stack *stack,
	const struct job_frame *frames, size_t nr)
{
	struct raw_stack *raw = array_add(&b->stacks);
	uint32_t *numbers = arena_new_many(&b->arena, uint32_t, nr + 1);

	for (size_t i = 0; i < nr; i++)
		numbers[i] = raw_intern_frame(b, &frames[i]);
	raw->about = about(b, who);
	raw->fact = *stack;
	raw->fact.when = known_time(stack->when);
	raw->among = &b->frames;
	raw->fact.frames = numbers;
	raw->fact.nframes = nr;
	raw->fact.thread = raw_intern(b, stack->thread);
	raw->fact.cut = raw_intern(b, stack->cut);
	raw->fact.handling = raw_intern(b, stack->handling);
	raw->fact.wchan = raw_intern(b, stack->wchan);
	raw->fact.syscall = raw_intern(b, stack->syscall);
	raw->fact.cite = raw_intern(b, stack->cite);
}

void job_add_snapshot(
	struct job_builder *b, struct job_who who, const struct job_snapshot *snapshot)
{
	struct raw_snapshot *raw = array_add(&b->snapshots);

	raw->about = about(b, who);
	raw->fact = *snapshot;
	raw->fact.when = known_time(snapshot->when);
	raw->fact.modules = raw_intern(b, snapshot->modules);
	raw->fact.cite = raw_intern(b, snapshot->cite);
}
