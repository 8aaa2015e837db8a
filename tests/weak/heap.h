/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_HEAP_H
#define WEAK_HEAP_H

/*
 * A heap of exhibits on its way to be judged: some of another's, some made anew. It borrows what it
 * was made of, which must outlive it; what is changed is copied into its arena first.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "evidence/format/exhibit.h"

struct json_object;

struct heap {
	ARRAY(struct exhibit) all;
	struct evidence set; /* of it; after heap_set() */
	ARRAY(void *) copies;
	struct arena arena;
};

/* Fills the heap with all of this evidence. heap_release() it. */
void heap_fill(struct heap *heap, const struct evidence *evidence);

/* Returns what is on the heap as evidence; valid until the heap changes. */
const struct evidence *heap_set(struct heap *heap);

/* Leaves out the exhibit `i`. */
void heap_drop(struct heap *heap, size_t i);

/* Adds an exhibit that is like another, and shares its bytes. Returns its place. */
size_t heap_add_like(struct heap *heap, const struct exhibit *like);

/* Returns the bytes of an exhibit, to be written over: a copy, aligned to 64. */
void *heap_own(struct heap *heap, struct exhibit *exhibit);

/* Returns an exhibit's JSON document, to be changed; NULL where it is none. */
struct json_object *heap_open(const struct exhibit *exhibit);
/* Puts the document into the exhibit and releases it. */
void heap_close(struct heap *heap, struct exhibit *exhibit, struct json_object *document);

/* Returns a copy of the text that the heap owns. */
char *heap_text(struct heap *heap, const char *text);

void heap_release(struct heap *heap);

#endif
