/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REACH_FRAME_H
#define CMD_REACH_FRAME_H

/*
 * Bundles as lines of text, for ways that are not clean for bytes: terminals, launchers that put a
 * node's name before each line, shells that greet. A line of ours has "INQ:" in it, and all behind
 * that is ours; whatever else comes by is noise.
 *
 *	INQ:bundle SIZE SHA256	one begins, so long, with that sum
 *	INQ:+BASE64		48 bytes of it, or less in the last
 *	INQ:end			it is whole
 *	INQ:none WORDS		nothing matched here
 *	INQ:want SIZE		that program is not here: send so many bytes of it
 *	INQ:fail WORDS		it could not be done, and why
 *	INQ:done		nothing more will come
 *
 * What comes is a stranger's: cut, doubled, endless, wrong. frames_take() believes a bundle only
 * whole and with its sum.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/meter.h"
#include "base/str.h"

/* Appends a bundle in this form. */
void frame_add(struct str *into, const void *bytes, size_t size) __attribute__((nonnull(1)));

/* Bounds against those who send without end. */
#define FRAMES_BYTES_MOST ((size_t)1 << 30) /* of one node's bundles */
#define FRAMES_NOISE_MOST ((size_t)4 << 20) /* of what is none of ours */
#define FRAMES_LINE_MOST  8192
#define FRAMES_MOST       256 /* bundles of one node */

/* What has come from one node so far. {0} at first; frames_release() it. */
struct frames {
	ARRAY(struct str) bundles; /* whole ones */
	struct str wrong;          /* why what came is not to be believed; "" it is */
	struct str words; /* of "none" or "fail"; else the last line of noise, for who asks why */
	bool none, fail, done;
	size_t wanted; /* bytes of program that are asked for; 0 */
	struct meter *meter; /* of all nodes together; borrowed, NULL: no bound */
	/* Inside: */
	struct str line, coming; /* a line without its end so far; the bundle without its end */
	char sum[65]; /* what its first line promised, and its size */
	size_t size, noise, total; /* sizes: that bundle's, what is none of ours so far, all
				    * whole bundles together */
	bool in_bundle;
};

/* Takes some bytes from a node. False once reading on is useless: `wrong` says why. */
bool frames_take(struct frames *frames, const char *bytes, size_t size) __attribute__((nonnull));

/*
 * Stops waiting, though more may come, and drops a half-received part. True if that was a bundle,
 * of which *ret_came bytes of frames->size had come.
 */
bool frames_cut(struct frames *frames, size_t *ret_came) __attribute__((nonnull));

/* Notes that nothing more comes: a half-received part is wrong. */
void frames_end(struct frames *frames) __attribute__((nonnull));

/* Frees the bundles, after they were taken; all else stays. */
void frames_drop_bundles(struct frames *frames) __attribute__((nonnull));

/* Frees all that came. `meter` is the caller's. */
void frames_release(struct frames *frames) __attribute__((nonnull));

#endif
