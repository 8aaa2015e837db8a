/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_EXCERPT_H
#define STACK_EXCERPT_H

/*
 * An excerpt holds those bytes of a memory that a walk has read, to walk again later, elsewhere.
 *
 * It is a memory itself. With a source behind it, it records: bytes that are asked for and not
 * there yet are taken from the source in lines of EXCERPT_LINE bytes and kept, so that every later
 * read of a line sees the first one's bytes. Without a source it gives what it has. So a walk over
 * a recording excerpt and the same walk over its packed copy read the same bytes, and end alike.
 *
 * WHAT IS PRIVATE. Around the words of a stack that a walk wants lies whatever the program has put
 * there. A reticent excerpt packs no byte but those that somebody has read from it, whatever else
 * was put or taken. The bytes of a barred range can neither be read from any excerpt nor be packed.
 *
 *	struct excerpt *excerpt = excerpt_new(source);	it records; without a source it would not
 *	... walk over excerpt_memory(excerpt) ...
 *	excerpt_pack(excerpt, &bytes);
 *	...
 *	struct excerpt *again = excerpt_unpack(bytes.text, bytes.len, &why);
 */

#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/str.h"
#include "stack/memory.h"

#define EXCERPT_LINE 64 /* bytes of a line: one for each bit of a mask */
#define EXCERPT_BARS 8 /* ranges that can be barred */
/* bytes of all lines; what would go beyond is refused with -ENOSPC */
#define EXCERPT_CAP  (64u << 20)

struct excerpt;

/*
 * Returns an empty excerpt, never NULL; excerpt_free() it. A source is borrowed and must outlive
 * it, or its closing; NULL: it does not record.
 */
struct excerpt *excerpt_new(struct stack_memory *source);

/* Makes the excerpt pack, from now on, nothing but the bytes that are read from it. */
void excerpt_be_reticent(struct excerpt *excerpt) __attribute__((nonnull));

/*
 * Bars [from, to). There are at most EXCERPT_BARS ranges; a further one widens the last one to hold
 * both.
 */
void excerpt_bar(struct excerpt *excerpt, uint64_t from, uint64_t to) __attribute__((nonnull));

/* Forgets all bytes, to be read anew. Bars stay. */
void excerpt_forget(struct excerpt *excerpt) __attribute__((nonnull));

/* Ends the recording: from now on the excerpt gives what it has, and the source may go. */
void excerpt_close(struct excerpt *excerpt) __attribute__((nonnull));

/* Returns the excerpt as a memory, which lives as long as the excerpt does. */
struct stack_memory *excerpt_memory(struct excerpt *excerpt) __attribute__((nonnull));

/*
 * Puts in `len` bytes by hand (a copied stack), of whole lines and of parts. Bytes that are there
 * already stay. Returns 0 or -ENOSPC.
 */
int excerpt_put(struct excerpt *excerpt, uint64_t at, const void *bytes, size_t len)
	__attribute__((nonnull(1)));

/*
 * Replaces the bytes that the excerpt holds of [at, at + len) by these, which are then read and
 * packed in their place. Bytes that it does not hold it does not get.
 */
void excerpt_overwrite(struct excerpt *excerpt, uint64_t at, const void *bytes, size_t len)
	__attribute__((nonnull));

/* Returns how many bytes of memory excerpt_pack() would write, without the heads of runs. */
size_t excerpt_size(const struct excerpt *excerpt) __attribute__((nonnull));

/*
 * Appends the excerpt to `into` as bytes: for each run of adjacent bytes, in the order of
 * addresses, a u64 address, a u64 length and the bytes; all little-endian. The same content gives
 * the same bytes.
 */
void excerpt_pack(const struct excerpt *excerpt, struct str *into) __attribute__((nonnull));

/*
 * Returns an excerpt without source from packed bytes, to be freed by excerpt_free(); NULL and
 * words if they are damaged. Several threads may read it at once, as long as it is not made
 * reticent.
 */
struct excerpt *excerpt_unpack(const void *bytes, size_t len, struct complaint *why);

/* Takes NULL. */
void excerpt_free(struct excerpt *excerpt);

#endif
