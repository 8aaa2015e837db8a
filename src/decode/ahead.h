/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_AHEAD_H
#define DECODE_AHEAD_H

/*
 * Preparing exhibits ahead of their decoding. Exhibits of one kind are decoded one after the other,
 * since what they tell is joined in an order; but what their decoder prepares of each
 * (decode/decode.h) needs none of the others. So a hundred of them are prepared at once, by several
 * threads where that is worth it.
 *
 *	struct ahead ahead = {.exhibits = sorted, .n = n};
 *
 *	for (i = 0; i < n; i++)
 *		if (ahead_has(&ahead, decoder, context, i, &why))
 *			decoder->decode(...)
 *	ahead_release(&ahead);
 */

#include "base/meter.h"
#include "decode/context.h"
#include "decode/decode.h"

/*
 * At most so many exhibits, and bytes of them, are prepared at once, but always one: what is made
 * of them has to stay in caches.
 */
#define AHEAD_MOST  128
#define AHEAD_BYTES (512u << 10)

/* One exhibit, from the admission of its memory to its decoder. */
struct ahead_slot {
	const struct decode_host *host;
	void *ready;
	struct meter meter;	  /* keeps what it was admitted until it is decoded */
	struct complaint refused; /* why it is not decoded; no words: it is */
};

/* What is prepared at the moment. Zero it, then set the first two. */
struct ahead {
	const struct exhibit **exhibits; /* in the order of decoding; borrowed */
	size_t n;
	/* ahead.c's own: */
	const struct decoder *decoder; /* the decoder of those prepared, */
	size_t from, to;	       /* which are [from, to) */
	size_t decoded;		       /* those before have taken what they were admitted */
	struct ahead_slot *slots;
};

/*
 * Prepares exhibit i, if its decoder prepares anything, and points context->ready to the result.
 * False with words if the exhibit is too large for its kind, or for the memory there may be; memory
 * is asked for in the order of exhibits. Call it in ascending order for each i whose exhibit is
 * undamaged.
 */
bool ahead_has(struct ahead *ahead, const struct decoder *decoder, struct decode_context *context,
	size_t i, struct complaint *why) __attribute__((nonnull));

/* Discards what no decoder took, and frees the slots. */
void ahead_release(struct ahead *ahead) __attribute__((nonnull));

#endif
