/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwound.h: calls that may be left by an exception.
 *
 * A wrapper around C++ code has two ways out: the return, and an exception (or the end of the
 * thread: pthread_exit and pthread_cancel unwind as well) that passes through its frame. The
 * compiler's own means would tell us of the second, by a personality routine of libgcc; but the
 * object must need nothing beyond glibc, and an unwinder of ours would hijack the program's. So the
 * real function is called from one small frame of assembly, which has a personality routine of our
 * own: it asks nothing, catches nothing, closes the record, and lets the unwinder go on. There is
 * no landing pad: the program's exception is never touched.
 *
 * Only calls that are recorded get such a frame; one that is merely passed through has none.
 */
#ifndef PROBES_UNWOUND_H
#define PROBES_UNWOUND_H

#include <stdint.h>

#define UNWOUND_ARGS 7 /* integers or pointers; callees that take fewer never look at the rest */

#if defined(__x86_64__)
#define UNWOUND_HERE 1
#else
#define UNWOUND_HERE 0 /* no such frame: no function that may throw is wrapped */
#endif

/* A call under way; it lies on the stack of the wrapper. */
struct unwound {
	/* runs when the call is left by an exception, on the spot */
	void (*close)(struct unwound *self);
	struct unwound *outer;
};

/* The innermost call of this thread that was made by unwound_call(); NULL none. */
extern __thread struct unwound *unwound_innermost;

/*
 * Calls fn with the words of args as its arguments, by the rules of C for integers and pointers,
 * and returns what it returns. Where it is left by an exception, self->close runs instead, on the
 * same thread, while the wrapper's frame still stands; it must neither throw nor wait.
 */
uint64_t unwound_call(struct unwound *self, const void *fn, const uint64_t args[UNWOUND_ARGS]);

#endif
