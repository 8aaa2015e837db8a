/* SPDX-License-Identifier: Apache-2.0 */
#include "clocks.h"

#include <json.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "ring/census.h"
#include "ring/ring-read.h"

/* Fields of documents that are realtime ns. */
static const char *const times[] = {
	"realtime", "launched", "polled", "when", "ended", "first_when", "last_when"};

static void shift_rows(struct json_object *rows, int64_t by)
{
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (!json_object_is_type(row, json_type_array) || !json_object_array_length(row))
			continue;
		json_object_array_put_idx(row, 0,
			json_object_new_int64(
				json_object_get_int64(json_object_array_get_idx(row, 0)) + by));
	}
}

static void shift_object(struct json_object *object, int64_t by)
{
	struct json_object *value;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (json_object_object_get_ex(object, times[i], &value) &&
			json_object_is_type(value, json_type_int))
			json_object_object_add(object, times[i],
				json_object_new_int64(json_object_get_int64(value) + by));
	if (json_object_object_get_ex(object, "samples", &value) &&
		json_object_is_type(value, json_type_array))
		shift_rows(value, by);
	json_object_object_foreach(object, key, member)
	{
		(void)key;
		for (size_t i = 0; json_object_is_type(member, json_type_array) &&
				   i < json_object_array_length(member);
			i++) {
			struct json_object *one = json_object_array_get_idx(member, i);

			if (json_object_is_type(one, json_type_object))
				shift_object(one, by);
		}
	}
}

static void shift_document(struct heap *heap, struct exhibit *exhibit, int64_t by)
{
	struct json_object *document = heap_open(exhibit);

	if (!document)
		return;
	shift_object(document, by);
	heap_close(heap, exhibit, document);
}

static void move(uint64_t *time, int64_t by)
{
	if (*time)
		*time += (uint64_t)by;
}

static void shift_census(struct heap *heap, struct exhibit *exhibit, int64_t by)
{
	struct census_header *header = heap_own(heap, exhibit);
	struct census_slot *slots = (struct census_slot *)(header + 1);

	if (exhibit->len < sizeof(*header))
		return;
	move(&header->created_realtime, by);
	for (size_t i = 0; i < (exhibit->len - sizeof(*header)) / sizeof(*slots); i++) {
		move(&slots[i].birth_realtime, by);
		move(&slots[i].end_realtime, by);
		move(&slots[i].tools.latest, by);
	}
}

static void shift_ring(struct heap *heap, struct exhibit *exhibit, int64_t by)
{
	uint8_t *bytes = heap_own(heap, exhibit);
	struct ring_slot *anchors;
	struct ring_view view;

	if (ring_view_open(&view, bytes, exhibit->len))
		return;
	anchors = (void *)(bytes + (view.part[RING_S_ANCHORS].at - bytes));
	for (uint64_t i = 0; i < view.part[RING_S_ANCHORS].count; i++)
		if (anchors[i].seq)
			move(&anchors[i].count, by);
}

/* What torch's worker left: seconds, as text or number. */
static void shift_error(struct heap *heap, struct exhibit *exhibit, int64_t by)
{
	struct json_object *document = heap_open(exhibit), *at = document;
	static const char *const path[] = {"message", "extraInfo"};
	struct json_object *stamp;
	char text[32];

	for (size_t i = 0; i < sizeof(path) / sizeof(*path); i++)
		if (!json_object_object_get_ex(at, path[i], &at))
			at = NULL;
	if (json_object_object_get_ex(at, "timestamp", &stamp)) {
		snprintf(text, sizeof(text), "%lld",
			(long long)(json_object_get_int64(stamp) + by / CLOCK_NS_PER_S));
		json_object_object_add(at, "timestamp", json_object_new_string(text));
		heap_close(heap, exhibit, document);
	} else {
		json_object_put(document);
	}
}

void clocks_shift(struct heap *heap, const char *host, int64_t by_ns)
{
	for (size_t i = 0; i < heap->all.nr; i++) {
		struct exhibit *exhibit = &heap->all.items[i];

		if (strcmp(exhibit->host, host) != 0)
			continue;
		exhibit->when += by_ns;
		if (exhibit->kind == EXHIBIT_RING)
			shift_ring(heap, exhibit, by_ns);
		else if (exhibit->kind == EXHIBIT_CENSUS)
			shift_census(heap, exhibit, by_ns);
		else if (exhibit->kind == EXHIBIT_ERROR_FILE)
			shift_error(heap, exhibit, by_ns);
		else if (exhibit->kind == EXHIBIT_GATHER || exhibit->kind == EXHIBIT_HISTORY ||
			 exhibit->kind == EXHIBIT_EXIT || exhibit->kind == EXHIBIT_MANIFEST ||
			 exhibit->kind == EXHIBIT_RECEIPT)
			shift_document(heap, exhibit, by_ns);
	}
}
