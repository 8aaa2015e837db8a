/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_WALKED_H
#define DECODE_WALKED_H

/*
 * A snapshot that was read and walked: all that can be known of it without those before it. Several
 * threads make many at once, each of its own exhibit; of a host they only read the modules.
 */

#include "decode/stacks/walking.h"

struct walked {
	int status; /* 0; or negative with words, then the rest is what stood before the damage */
	struct complaint why;
	struct snapshot snapshot; /* without memory, if it was walked */
	bool news; /* some thread has something to walk: most samples but the first have none */
	struct walking walking;		/* begun if there is news, and stopped */
	struct sampled_thread *threads; /* by number in the snapshot; blank if nothing is new */
	const char *modules;		/* names of the files whose code is mapped; NULL unknown */
	struct arena arena; /* holds the threads' frames and texts; may be taken */
};

/* Reads and walks a snapshot. Never NULL; walked_free() it. The exhibit must outlive it. */
struct walked *walked_new(const struct exhibit *exhibit, const struct decode_host *host)
	__attribute__((nonnull, returns_nonnull));
void walked_free(struct walked *walked);

#endif
