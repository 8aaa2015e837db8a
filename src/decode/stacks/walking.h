/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_WALKING_H
#define DECODE_WALKING_H

/*
 * A snapshot being walked again, with the modules of its host, over the bytes that were kept of its
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

struct walking {
	const struct snapshot *snapshot;
	struct arena *arena; /* for frames and texts; borrowed */
	/* Its own: */
	struct stack_maps maps;
	struct modules *modules; /* the host's; or `none` */
	struct modules *none;
	struct excerpt *empty; /* where no memory was kept */
	struct unwinder *unwinder;
	struct python_stacks python[PYTHON_PLACES];
	const char *refused[PYTHON_PLACES]; /* why Python's frames could not be read; or NULL */
	size_t frames_left; /* all threads together: a forged stack may be that of each of them */
};

/* Reads maps and Python's frames. Of the host it reads the modules, as others may meanwhile. */
void walking_begin(struct walking *walking, const struct decode_host *host)
	__attribute__((nonnull));
/* Reads no more: frees all but what walking_facts() asks. */
void walking_stop(struct walking *walking) __attribute__((nonnull));
void walking_end(struct walking *walking) __attribute__((nonnull));

/* The stack of a thread as this snapshot alone has it, and why it ends where it ends. */
void walking_read(struct walking *walking, const struct snapshot_thread *thread,
	struct sampled_thread *ret) __attribute__((nonnull));

/* Tells what is known of a thread without a walk, also if none was begun. */
void walking_facts(const struct walking *walking, const struct snapshot_thread *thread,
	struct sampled_thread *ret) __attribute__((nonnull));

/* Says that something of a process' stacks could not be had. */
void walking_lose(struct job_builder *builder, struct decode_context *context,
	const struct decode_process *process, const char *what) __attribute__((nonnull));

#endif
