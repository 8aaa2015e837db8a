/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_WALKING_H
#define DECODE_WALKING_H

/*
 * Walks a snapshot again, with the modules of its host, over the bytes that were kept of its
 * memory. It asks no process and no file.
 *
 *	struct walking walking = {.snapshot = ..., .arena = ...};
 *
 *	walking_begin(&walking, host);
 *	walking_read(&walking, thread, &stack);
 *	walking_stop(&walking);
 *	walking_facts(&walking, thread, &stack);
 *	walking_end(&walking);
 */

#include "decode/context.h"
#include "decode/exhibits/samples.h"
#include "evidence/format/stacks.h"
#include "stack/python-frames.h"
#include "stack/unwind.h"

/* A walk. The caller sets the first two members. */
struct walking {
	const struct snapshot *snapshot;
	struct arena *arena; /* holds frames and texts; borrowed */
	/* walking.c's own: */
	struct stack_maps maps;
	struct modules *modules; /* the host's, or `none` */
	struct modules *none;
	struct excerpt *empty; /* stands in where no memory was kept */
	struct unwinder *unwinder;
	struct python_stacks python[PYTHON_PLACES];
	const char *refused[PYTHON_PLACES]; /* why Python's frames could not be read; NULL they
					     * could */
	size_t frames_left; /* of all threads together: a forged stack may be given to each of
			     * them */
};

/*
 * Reads maps and Python's frames. It only reads the host's modules, which other threads may do at
 * the same time.
 */
void walking_begin(struct walking *walking, const struct decode_host *host)
	__attribute__((nonnull));
/* Ends the reading: frees all but what walking_facts() needs. */
void walking_stop(struct walking *walking) __attribute__((nonnull));
/* Frees the rest. */
void walking_end(struct walking *walking) __attribute__((nonnull));

/* Reads the stack of a thread as this snapshot alone has it, and why it ends where it ends. */
void walking_read(struct walking *walking, const struct snapshot_thread *thread,
	struct sampled_thread *ret) __attribute__((nonnull));

/* Tells what is known of a thread without a walk, even if none was begun. */
void walking_facts(const struct walking *walking, const struct snapshot_thread *thread,
	struct sampled_thread *ret) __attribute__((nonnull));

/* Adds a loss: something of a process' stacks could not be had. */
void walking_lose(struct job_builder *builder, struct decode_context *context,
	const struct decode_process *process, const char *what) __attribute__((nonnull));

#endif
