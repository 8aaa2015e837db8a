/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_SAMPLES_H
#define DECODE_SAMPLES_H

/* Compares two samples of one thread's stack. Frames are innermost first, as everywhere. */

#include "job/job.h"
#include "stack/snapshot.h"

/* One thread, by the samples so far. */
struct sampled_thread {
	struct job_stack fact; /* without frames and cite */
	struct job_frame *frames;
	size_t nframes;
	bool partial; /* only its Python frames are known, since it ran */
	bool hidden;  /* stopping it would have shown more */
	bool stopped;
	uint64_t run_count;
	uint64_t run_ns, cpu_ticks; /* of the first sample */
	uint64_t last_run_ns, last_cpu_ticks;
};

/*
 * Returns how many outermost frames of `kept` are also those of `other`. If `partial`, one of the
 * two has only Python frames, so that native ones in between prove nothing: they count only where a
 * Python frame within them is equal.
 */
size_t samples_common(const struct job_frame *kept, size_t nkept, const struct job_frame *other,
	size_t nother, bool partial);

/* Takes the first sample of a thread, `new`, which was made of `thread`. */
void samples_begin(struct sampled_thread *held, const struct sampled_thread *new,
	const struct snapshot_thread *thread) __attribute__((nonnull));

/* Takes a later sample of a thread: decides whether it moved, and which stack is told. */
void samples_compare(struct sampled_thread *held, const struct sampled_thread *new,
	const struct snapshot_thread *thread) __attribute__((nonnull));

#endif
