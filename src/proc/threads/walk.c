/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/threads/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/redact.h"
#include "stack/python-frames.h"
#include "stack/unwind.h"

#define WALK_NEEDED (1u << UNWIND_SP | 1u << UNWIND_IP)

struct walk_pcs {
	ARRAY(uint64_t) all;
};

static int compare_pcs(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return (a > b) - (a < b);
}

/* Puts the addresses that were met, each once, into the snapshot. */
static void walk_keep_pcs(struct snapshot *snapshot, struct walk_pcs *pcs)
{
	size_t nr = 0;

	array_sort(&pcs->all, compare_pcs);
	for (size_t i = 0; i < pcs->all.nr; i++)
		if (!nr || pcs->all.items[nr - 1] != pcs->all.items[i])
			pcs->all.items[nr++] = pcs->all.items[i];
	snapshot->pcs = arena_copy(&snapshot->arena, pcs->all.items, nr * sizeof(uint64_t));
	snapshot->npcs = nr;
	array_release(&pcs->all);
}

/* Walks one thread and adds the addresses of its frames. */
static void walk_thread(struct unwinder *unwinder, const struct snapshot_thread *thread,
	struct walk_pcs *pcs)
{
	struct unwind_stack stack = {0};

	unwinder_walk(unwinder, &thread->regs, &stack);
	for (size_t i = 0; i < stack.nframes; i++)
		*array_add(&pcs->all) = unwind_lookup_pc(&stack, i);
	unwind_stack_release(&stack);
}

void walk_native(struct snapshot *snapshot, const struct stack_maps *maps, struct images *images)
{
	struct walk_pcs pcs = {0};
	struct unwinder *unwinder;

	if (snapshot->memory) {
		unwinder = unwinder_new(
			maps, images_modules(images), excerpt_memory(snapshot->memory));
		for (size_t i = 0; i < snapshot->nthreads; i++) {
			const struct snapshot_thread *thread = &snapshot->threads[i];

			if (thread->how != SNAPSHOT_FAILED && thread->how != SNAPSHOT_UNMOVED &&
				(thread->regs.known & WALK_NEEDED) == WALK_NEEDED)
				walk_thread(unwinder, thread, &pcs);
		}
		unwinder_free(unwinder);
	}
	walk_keep_pcs(snapshot, &pcs);
}

/*
 * Hides what an exception says: its secrets, or all of it if the snapshot is mute. Later walks read
 * what is left of it. Its characters may have several bytes each, and so may the stars.
 */
static void walk_hide_said(struct snapshot *snapshot, const struct python_thread *thread)
{
	size_t nr = thread->said_nr, kind = thread->said_kind;
	uint8_t *wide = alloc_zeroed(nr + 1, kind + 1);
	char *narrow = alloc_zeroed(nr + 1, 1);

	if (stack_memory_read(excerpt_memory(snapshot->memory), thread->said_at, wide, nr * kind) ==
		0) {
		for (size_t i = 0; i < nr; i++)
			narrow[i] = (char)(wide[i * kind] && wide[i * kind] < 0x80 ? wide[i * kind]
										   : '?');
		if (snapshot->mute)
			memset(narrow, REDACT_STAR, nr);
		else
			redact_text(narrow, nr);
		for (size_t i = 0; i < nr; i++) {
			if (narrow[i] != REDACT_STAR)
				continue;
			memset(wide + i * kind, 0, kind);
			wide[i * kind] = REDACT_STAR;
		}
		excerpt_overwrite(snapshot->memory, thread->said_at, wide, nr * kind);
	}
	free(wide);
	free(narrow);
}

bool walk_python(struct snapshot *snapshot)
{
	bool good = true;

	for (size_t i = 0; i < snapshot->nplaces && snapshot->memory; i++) {
		struct python_stacks stacks = {0};

		good &= python_stacks_read(excerpt_memory(snapshot->memory), &snapshot->places[i],
				&stacks, NULL) == 0;
		for (size_t k = 0; k < stacks.nthreads; k++)
			if (stacks.threads[k].said_nr)
				walk_hide_said(snapshot, &stacks.threads[k]);
		python_stacks_release(&stacks);
	}
	return good;
}

void walk_snapshot(
	struct snapshot *snapshot, const struct stack_maps *maps, struct images *images)
{
	(void)walk_python(snapshot);
	walk_native(snapshot, maps, images);
}
