/* SPDX-License-Identifier: Apache-2.0 */
/*
 * last-words.h: what a rank's last words are about: itself, a child of it, or others. Where one
 * rank fails, frameworks end the rest of the job, and each of these ranks says so; their phrases
 * are one table, with the source of each.
 */
#ifndef VERDICT_LAST_WORDS_H
#define VERDICT_LAST_WORDS_H

#include <stdbool.h>

/*
 * True if a line tells that others failed, or that a supervisor ended the rank, and not of a
 * failure of its own.
 */
bool words_are_echo(const char *text);

/* True if a line tells that the process at the other end of a connection is gone. */
bool words_tell_of_gone(const char *text);

/* True if a line says that a wait for others lasted until it was given up. */
bool words_tell_of_vain_wait(const char *text);

/* True if a line names an error of the GPU or its runtime. */
bool words_tell_cuda_error(const char *text);

/*
 * True if a rank ended the job by a call for that, as the probe or a log says: it has no traceback.
 */
bool words_tell_abort_call(const char *text);

/* True if a line says that memory, of the GPU or not, did not suffice. */
bool words_tell_no_memory(const char *text);

/*
 * True if a line says why its process aborted, of itself: its heap or stack is spoilt, what it
 * asserts does not hold, or nobody caught an exception of C++.
 */
bool words_tell_own_abort(const char *text);

/* True if a line is from a watchdog that could not get the GIL. */
bool words_lack_gil(const char *text);

/* What a note of the probe is about (probes/shim/). */
enum words_note {
	WORDS_OTHER,
	WORDS_THREAD,   /* a thread of the rank died of an exception */
	WORDS_HANDLING, /* the rank came to a collective while it handled an exception */
	WORDS_POOL      /* the rank's compile workers are gone */
};
enum words_note words_of_note(const char *text);

/* True if a line says that a child, a loader's worker, was killed or went away. */
bool words_blame_child(const char *text);

/* Returns the signal by which such words say that the child died; 0 where they do not. */
int words_child_signal(const char *text);

/* True if a line says that ranks brought different operations together: not which of them. */
bool words_tell_mismatch(const char *text);
/* True if a line may say that, or something else: it only has the class of what was thrown. */
bool words_may_tell_mismatch(const char *text);

#endif
