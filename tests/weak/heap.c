/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include <json.h>
#include <stdlib.h>
#include <string.h>

void heap_fill(struct heap *heap, const struct evidence *evidence)
{
	*heap = (struct heap){0};
	for (size_t i = 0; i < evidence->n; i++)
		*array_add(&heap->all) = evidence->at[i];
	heap->set.gaps = evidence->gaps;
	heap->set.ngaps = evidence->ngaps;
}

const struct evidence *heap_set(struct heap *heap)
{
	heap->set.at = heap->all.items;
	heap->set.n = heap->all.nr;
	return &heap->set;
}

void heap_drop(struct heap *heap, size_t i)
{
	memmove(&heap->all.items[i], &heap->all.items[i + 1],
		(heap->all.nr - i - 1) * sizeof(*heap->all.items));
	heap->all.nr--;
}

size_t heap_add_like(struct heap *heap, const struct exhibit *like)
{
	struct exhibit copy = *like;

	*array_add(&heap->all) = copy;
	return heap->all.nr - 1;
}

void *heap_own(struct heap *heap, struct exhibit *exhibit)
{
	void *bytes = aligned_alloc(64, (exhibit->len + 64) / 64 * 64);

	if (!bytes)
		abort();
	memcpy(bytes, exhibit->bytes, exhibit->len);
	*array_add(&heap->copies) = bytes;
	exhibit->bytes = bytes;
	return bytes;
}

struct json_object *heap_open(const struct exhibit *exhibit)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *document =
		json_tokener_parse_ex(tokener, (const char *)exhibit->bytes, (int)exhibit->len);

	json_tokener_free(tokener);
	return document;
}

void heap_close(struct heap *heap, struct exhibit *exhibit, struct json_object *document)
{
	size_t len;
	const char *text =
		json_object_to_json_string_length(document, JSON_C_TO_STRING_PLAIN, &len);

	exhibit->bytes = arena_copy(&heap->arena, text, len);
	exhibit->len = len;
	json_object_put(document);
}

char *heap_text(struct heap *heap, const char *text)
{
	return arena_text(&heap->arena, text);
}

void heap_release(struct heap *heap)
{
	for (size_t i = 0; i < heap->copies.nr; i++)
		free(heap->copies.items[i]);
	array_release(&heap->copies);
	array_release(&heap->all);
	arena_release(&heap->arena);
	*heap = (struct heap){0};
}
