/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STACK_EXCERPT_H
#define STACK_EXCERPT_H

/*
 * An excerpt: those bytes of a memory that a walk has read, to walk again later, elsewhere.
 *
 * It is a memory itself. With a source behind it, it records: what is asked for and not there yet
 * is taken from the source in lines of EXCERPT_LINE bytes and kept, so that every later reading of
 * a line sees the first one's bytes. Without a source it gives what it has. So a walk over a
 * recording excerpt and the same walk over its packed copy read the same bytes, and end alike.
 *
 * WHAT IS PRIVATE. Around the words of a stack that a walk wants lies whatever the program has put
 * there. A reticent excerpt packs no byte but those that somebody has read from it, whatever else
 * was put or taken; the bytes of a barred range can neither be read nor packed in any.
 *
 *	struct excerpt *excerpt = excerpt_new(source);	recording; NULL source: not
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

#define EXCERPT_LINE 64
#define EXCERPT_BARS 8
#define EXCERPT_CAP  (64u << 20) /* bytes; what would go beyond is refused with -ENOSPC */

struct excerpt;

/* An empty one, never NULL; excerpt_free() it. The source is borrowed and must outlive it. */
struct excerpt *excerpt_new(struct stack_memory *source);

/* From now on it packs nothing but the bytes that are read from it. */
void excerpt_be_reticent(struct excerpt *excerpt) __attribute__((nonnull));

/* Bars [from, to), at most EXCERPT_BARS ranges: what would be one more is joined to the last. */
void excerpt_bar(struct excerpt *excerpt, uint64_t from, uint64_t to) __attribute__((nonnull));

/* Forgets all it has, to be read anew. Bars stay. */
void excerpt_forget(struct excerpt *excerpt) __attribute__((nonnull));

/* Records no more: from now on it gives what it has, and the source may go. */
void excerpt_close(struct excerpt *excerpt) __attribute__((nonnull));

/* The excerpt as a memory; lives as long as it does. */
struct stack_memory *excerpt_memory(struct excerpt *excerpt) __attribute__((nonnull));

/*
 * Puts bytes in by hand (a copied stack), whole lines and parts of them; what is there already
 * stays. 0 or -ENOSPC.
 */
int excerpt_put(struct excerpt *excerpt, uint64_t at, const void *bytes, size_t len)
	__attribute__((nonnull(1)));

/* Puts other bytes in the place of those that it holds there, to be read and packed for them. */
void excerpt_overwrite(struct excerpt *excerpt, uint64_t at, const void *bytes, size_t len)
	__attribute__((nonnull));

/* How many bytes it would pack. */
size_t excerpt_size(const struct excerpt *excerpt) __attribute__((nonnull));

/*
 * Appends it as bytes: for each run of adjacent bytes, by address, u64 address, u64 length, the
 * bytes; little-endian. The same content gives the same bytes.
 */
void excerpt_pack(const struct excerpt *excerpt, struct str *into) __attribute__((nonnull));

/*
 * An excerpt without source from such bytes; NULL with words where they are none. Several threads
 * may read it at once, as long as it is not made reticent.
 */
struct excerpt *excerpt_unpack(const void *bytes, size_t len, struct complaint *why);

/* Takes NULL. */
void excerpt_free(struct excerpt *excerpt);

#endif
