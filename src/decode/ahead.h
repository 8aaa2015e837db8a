/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_AHEAD_H
#define DECODE_AHEAD_H

/*
 * Exhibits of one kind are decoded one after the other, since what they tell is joined in an order;
 * but what their decoder prepares of each (decode/decode.h) needs none of the others. So a
 * hundred of them are prepared at once, by several threads where that is worth it.
 *
 *	struct ahead ahead = {.exhibits = sorted, .n = n};
 *
 *	for (i = 0; i < n; i++)
 *		if (ahead_has(&ahead, decoder, context, i, &why))
 *			decoder->decode(...)
 *	ahead_release(&ahead);
 */

#include "decode/context.h"
#include "decode/decode.h"

/* So many exhibits, and bytes of them, but always one: what is made of them stays in caches. */
#define AHEAD_MOST  128
#define AHEAD_BYTES (512u << 10)

/* One of them, from the admission of its memory to its decoder. */
struct ahead_slot {
	const struct decode_host *host;
	void *ready;
	struct complaint refused; /* no words: it may be decoded */
};

struct ahead {
	const struct exhibit **exhibits; /* in the order of decoding; borrowed */
	size_t n;
	/* Its own: */
	const struct decoder *decoder; /* of those that are prepared, */
	size_t from, to;	       /* from this one to before that one */
	struct ahead_slot *slots;
};

/*
 * Prepares exhibit i for its decoder, where that prepares anything, and lets context->ready show
 * it. False with words where it is too large for its kind, or for the memory there may be: that is
 * asked for each in their order. Ask for each i but damaged ones' in ascending order.
 */
bool ahead_has(struct ahead *ahead, const struct decoder *decoder, struct decode_context *context,
	size_t i, struct complaint *why) __attribute__((nonnull));

void ahead_release(struct ahead *ahead) __attribute__((nonnull));

#endif
