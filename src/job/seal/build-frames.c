/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames of a job in the making. Stacks of thousands of threads stand on the same few places in
 * code, so each frame is kept once, found by its hash, and stacks hold numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/seal/raw.h"

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
static uint32_t *find_slot(const struct raw_frames *frames, const struct job_frame *frame)
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
		*find_slot(frames, &frames->list.items[i]) = (uint32_t)i + 1;
}

uint32_t raw_intern_frame(struct job_builder *b, const struct job_frame *frame)
{
	struct raw_frames *frames = &b->frames;
	struct job_frame own = *frame;
	uint32_t *slot;

	own.function = raw_intern(b, frame->function);
	own.module = raw_intern(b, frame->module);
	own.file = raw_intern(b, frame->file);
	if (frames->list.nr * 2 >= frames->nslots)
		grow(frames);
	slot = find_slot(frames, &own);
	if (!*slot) {
		*array_add(&frames->list) = own;
		*slot = (uint32_t)frames->list.nr;
	}
	return *slot - 1;
}

void raw_frames_release(struct raw_frames *frames)
{
	array_release(&frames->list);
	free(frames->slots);
	*frames = (struct raw_frames){0};
}
