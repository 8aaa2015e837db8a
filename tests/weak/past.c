/* SPDX-License-Identifier: Apache-2.0 */
#include "past.h"

#include <json.h>
#include <string.h>

#include "rewind.h"
#include "ring/census.h"
#include "ring/ring-read.h"

struct past {
	const struct whole *whole;
	struct heap *heap;
	int64_t moment;
};

/* --- JSON ------------------------------------------------------------------------------------- */

static int64_t number(struct json_object *object, const char *key, int64_t otherwise)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_int64(value)
							      : otherwise;
}

static void set_number(struct json_object *object, const char *key, int64_t value)
{
	json_object_object_add(object, key, json_object_new_int64(value));
}

static struct json_object *list_of(struct json_object *object, const char *key)
{
	struct json_object *list;

	return json_object_object_get_ex(object, key, &list) &&
			       json_object_is_type(list, json_type_array)
		       ? list
		       : NULL;
}

/* --- Ticks ------------------------------------------------------------------------------------ */

/* The tick at the moment, by the ring's own anchors; 0 where they do not tell. */
static uint64_t tick_at(const struct ring_view *view, int64_t moment)
{
	uint64_t low = view->header.birth_tsc, high = low + (1ull << 55), ns;

	if (ring_view_time(view, RING_TIME_REALTIME, low, &ns) < 0 || (int64_t)ns > moment)
		return 0;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (ring_view_time(view, RING_TIME_REALTIME, middle, &ns) == 0 &&
			(int64_t)ns <= moment)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The same for a host, by a ring of its; where it has none, by any. */
static uint64_t tick_of_host(const struct past *past, const char *host)
{
	const struct evidence *evidence = &past->whole->evidence;
	uint64_t tick = 0;

	for (size_t i = 0; i < evidence->n; i++) {
		struct ring_view view;

		if (evidence->at[i].kind != EXHIBIT_RING ||
			(tick && strcmp(evidence->at[i].host, host) != 0) ||
			ring_view_open(&view, evidence->at[i].bytes, evidence->at[i].len) ||
			view.header.clock == RING_CLOCK_MONOTONIC_NS)
			continue;
		whole_date(past->whole, &evidence->at[i], &view);
		tick = tick_at(&view, past->moment);
		if (tick && !strcmp(evidence->at[i].host, host))
			break;
	}
	return tick;
}

/* --- One kind each: false, and the exhibit is left out ---------------------------------------- */

static bool go_gather(struct past *past, struct exhibit *exhibit)
{
	static const char *const clocks[] = {"monotonic", "boottime"};
	struct json_object *gather = heap_open(exhibit);
	int64_t back = number(gather, "realtime", exhibit->when) - past->moment;
	uint64_t tick = tick_of_host(past, exhibit->host);

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		set_number(gather, clocks[i], number(gather, clocks[i], 0) - back);
	json_object_object_del(gather, "tsc");
	if (tick)
		set_number(gather, "tsc", (int64_t)tick);
	set_number(gather, "realtime", past->moment);
	heap_close(past->heap, exhibit, gather);
	return true;
}

static bool go_ring(struct past *past, struct exhibit *exhibit)
{
	struct ring_view view;
	uint64_t tick;

	if (ring_view_open(&view, exhibit->bytes, exhibit->len))
		return false;
	whole_date(past->whole, exhibit, &view);
	tick = tick_at(&view, past->moment);
	return tick && ring_rewind(heap_own(past->heap, exhibit), exhibit->len, tick) == 0;
}

/* True if the ring that made this process a rank was there. */
static bool was_rank(
	const struct past *past, const struct exhibit *census, const struct census_slot *slot)
{
	const struct evidence *evidence = &past->whole->evidence;
	struct ring_view view;

	for (size_t i = 0; i < evidence->n; i++) {
		const struct exhibit *ring = &evidence->at[i];

		if (ring->kind != EXHIBIT_RING || ring->pid != slot->pid ||
			ring->start_time != slot->start_time ||
			ring_view_open(&view, ring->bytes, ring->len) ||
			view.header.role != RING_RANK)
			continue;
		whole_date(past->whole, ring, &view);
		return tick_at(&view, past->moment) >= view.header.birth_tsc;
	}
	(void)census;
	return false;
}

static void go_slot(const struct past *past, const struct exhibit *census, struct census_slot *slot)
{
	if ((int64_t)slot->birth_realtime > past->moment) {
		memset(slot, 0, sizeof(*slot));
		return;
	}
	if (slot->state == CENSUS_EXITED && (int64_t)slot->end_realtime > past->moment) {
		slot->state = slot->flags & CENSUS_F_WAS_RANK ? CENSUS_RANK : CENSUS_CANDIDATE;
		slot->flags &= ~(uint32_t)(CENSUS_F_WAS_RANK | CENSUS_F_KILLED);
		slot->end_realtime = slot->end_tsc = 0;
		slot->exit_status = 0;
		slot->last_signal = slot->last_signal_pid = 0;
	}
	if (slot->state == CENSUS_RANK && !was_rank(past, census, slot)) {
		slot->state = CENSUS_CANDIDATE;
		slot->generation = 0;
	}
	if ((int64_t)slot->tools.latest > past->moment)
		slot->tools = (struct census_tools){.owner = slot->tools.owner};
}

static bool go_census(struct past *past, struct exhibit *exhibit)
{
	struct census_header *header = heap_own(past->heap, exhibit);
	struct census_slot *slots = (struct census_slot *)(header + 1);
	uint64_t beat_ago = 0;

	if (exhibit->len < sizeof(*header) || (int64_t)header->created_realtime > past->moment)
		return false;
	for (size_t i = 0; i < (exhibit->len - sizeof(*header)) / sizeof(*slots); i++)
		if (slots[i].state != CENSUS_FREE)
			go_slot(past, exhibit, &slots[i]);
	/* Its agent turned as often then as at the end. */
	beat_ago = (uint64_t)(exhibit->when - past->moment);
	if (header->agent_beat > beat_ago)
		header->agent_beat -= beat_ago;
	return true;
}

/* Alive, by what is known of its end; JOB_MAYBE where that has no time. */
static enum job_known was_alive(const struct past *past, const struct job_process *process)
{
	if (process->end == JOB_ALIVE)
		return JOB_YES;
	if (process->end == JOB_END_UNKNOWN || process->ended == JOB_UNKNOWN)
		return JOB_MAYBE;
	return process->ended > past->moment ? JOB_YES : JOB_NO;
}

static bool go_liveness(struct past *past, struct exhibit *exhibit)
{
	const struct job_process *process =
		whole_process(past->whole, NULL, exhibit->pid, exhibit->start_time);
	enum job_known alive = process ? was_alive(past, process) : JOB_MAYBE;
	struct json_object *liveness;

	if (alive == JOB_MAYBE || (process->born != JOB_UNKNOWN && process->born > past->moment))
		return false;
	liveness = heap_open(exhibit);
	if (alive == JOB_YES) {
		set_number(liveness, "there", 1);
		json_object_object_add(liveness, "state", json_object_new_string("S"));
		json_object_object_add(liveness, "lock", json_object_new_string("held"));
	}
	heap_close(past->heap, exhibit, liveness);
	return true;
}

static bool go_manifest(struct past *past, struct exhibit *exhibit)
{
	struct json_object *manifest = heap_open(exhibit);

	if (number(manifest, "polled", 0) > past->moment) {
		json_object_object_add(manifest, "status", json_object_new_string("running"));
		json_object_object_del(manifest, "exit_status");
		json_object_object_del(manifest, "verdict");
		json_object_object_del(manifest, "bundle");
		set_number(manifest, "polled", past->moment);
	}
	heap_close(past->heap, exhibit, manifest);
	return true;
}

static bool go_exits(struct past *past, struct exhibit *exhibit)
{
	struct json_object *exits = heap_open(exhibit);
	struct json_object *list = list_of(exits, "exits");

	for (size_t i = list ? json_object_array_length(list) : 0; i-- > 0;)
		if (number(json_object_array_get_idx(list, i), "when", 0) > past->moment)
			json_object_array_del_idx(list, i, 1);
	heap_close(past->heap, exhibit, exits);
	return true;
}

/* One process of the agent's samples; false: it was not there, or nothing was told of it. */
static bool go_sampled(const struct past *past, struct json_object *one)
{
	struct json_object *rows = list_of(one, "samples");
	bool any = false;

	if (number(one, "ended", 0) > past->moment) {
		json_object_object_del(one, "ended");
		json_object_object_del(one, "wait_status");
	}
	for (size_t i = rows ? json_object_array_length(rows) : 0; i-- > 0;) {
		struct json_object *when =
			json_object_array_get_idx(json_object_array_get_idx(rows, i), 0);

		if (json_object_get_int64(when) > past->moment)
			json_object_array_del_idx(rows, i, 1);
		else
			any = true;
	}
	return any;
}

static bool go_history(struct past *past, struct exhibit *exhibit)
{
	struct json_object *history = heap_open(exhibit);
	struct json_object *list = list_of(history, "processes");

	for (size_t i = list ? json_object_array_length(list) : 0; i-- > 0;)
		if (!go_sampled(past, json_object_array_get_idx(list, i)))
			json_object_array_del_idx(list, i, 1);
	list = list_of(history, "cgroups");
	for (size_t i = list ? json_object_array_length(list) : 0; i-- > 0;) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (number(one, "last_when", 0) > past->moment)
			json_object_object_del(one, "last");
		if (number(one, "first_when", 0) > past->moment)
			json_object_object_del(one, "first");
	}
	heap_close(past->heap, exhibit, history);
	return true;
}

static bool go_receipt(struct past *past, struct exhibit *exhibit)
{
	struct json_object *receipt = heap_open(exhibit);
	bool was_there = number(receipt, "launched", 0) <= past->moment;

	json_object_put(receipt);
	return was_there;
}

/* What never changes: whose process it is, what a module holds. */
static bool go_unchanged(struct past *past, struct exhibit *exhibit)
{
	(void)past;
	(void)exhibit;
	return true;
}

/* --- All of it -------------------------------------------------------------------------------- */

static const struct {
	enum exhibit_kind kind;
	bool (*go)(struct past *past, struct exhibit *exhibit);
} goes[] = {
	{EXHIBIT_GATHER, go_gather},
	{EXHIBIT_RING, go_ring},
	{EXHIBIT_CENSUS, go_census},
	{EXHIBIT_LIVENESS, go_liveness},
	{EXHIBIT_MANIFEST, go_manifest},
	{EXHIBIT_EXIT, go_exits},
	{EXHIBIT_HISTORY, go_history},
	{EXHIBIT_RECEIPT, go_receipt},
	{EXHIBIT_IDENTITY, go_unchanged},
	{EXHIBIT_MODULE, go_unchanged},
};

static bool exhibit_go(struct past *past, struct exhibit *exhibit)
{
	for (size_t i = 0; i < sizeof(goes) / sizeof(*goes); i++)
		if (goes[i].kind == exhibit->kind) {
			bool was_there = goes[i].go(past, exhibit);

			if (exhibit->when > past->moment || exhibit->kind == EXHIBIT_RING)
				exhibit->when = past->moment;
			return was_there;
		}
	return exhibit->when <= past->moment;
}

void past_go(const struct whole *whole, struct heap *heap, int64_t moment)
{
	struct past past = {whole, heap, moment};

	for (size_t i = heap->all.nr; i-- > 0;)
		if (!exhibit_go(&past, &heap->all.items[i]))
			heap_drop(heap, i);
}
