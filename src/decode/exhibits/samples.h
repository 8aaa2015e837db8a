/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_SAMPLES_H
#define DECODE_SAMPLES_H

/* How two samples of one thread's stack compare. Frames innermost first, as everywhere. */

#include "job/job.h"
#include "stack/snapshot.h"

/* One thread, as far as samples of it came. */
struct sampled_thread {
	struct job_stack fact; /* without frames and cite */
	struct job_frame *frames;
	size_t nframes;
	bool partial; /* only its Python frames, since it ran */
	bool hidden;  /* stopping it would have shown more */
	bool stopped;
	uint64_t run_count;
	uint64_t run_ns, cpu_ticks; /* of the first sample */
	uint64_t last_run_ns, last_cpu_ticks;
};

/*
 * How many outermost frames of `kept` are those of `other` too. `partial`: of one of the two only
 * the Python frames are known, so that native ones in between prove nothing; they count only where
 * a Python frame within them is equal.
 */
size_t samples_common(const struct job_frame *kept, size_t nkept, const struct job_frame *other,
	size_t nother, bool partial);

/* The first sample of a thread, `new`, which was made of `thread`. */
void samples_begin(struct sampled_thread *held, const struct sampled_thread *new,
	const struct snapshot_thread *thread) __attribute__((nonnull));

/* Another one of a thread that has earlier ones: whether it moved, and which stack is told. */
void samples_compare(struct sampled_thread *held, const struct sampled_thread *new,
	const struct snapshot_thread *thread) __attribute__((nonnull));

#endif
