/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_WALKS_H
#define BENCH_WALKS_H

#include <string.h>

#include "proc/threads/walk.h"
#include "stack/unwind.h"

/*
 * The native walks of a snapshot alone, over the bytes that it has taken. Returns how many frames
 * there were.
 */
static inline size_t walks_of(const struct snapshot *snapshot, struct images *images)
{
	struct stack_maps maps = {0};
	struct unwinder *unwinder;
	size_t frames = 0;

	stack_maps_parse(&maps, snapshot->maps, strlen(snapshot->maps));
	unwinder = unwinder_new(&maps, images_modules(images), excerpt_memory(snapshot->memory));
	for (size_t i = 0; i < snapshot->nthreads; i++) {
		const struct snapshot_thread *thread = &snapshot->threads[i];
		struct unwind_stack stack = {0};

		if (thread->how == SNAPSHOT_FAILED || thread->how == SNAPSHOT_RUNNING)
			continue;
		unwinder_walk(unwinder, &thread->regs, &stack);
		frames += stack.nframes;
		unwind_stack_release(&stack);
	}
	unwinder_free(unwinder);
	stack_maps_release(&maps);
	return frames;
}

#endif
