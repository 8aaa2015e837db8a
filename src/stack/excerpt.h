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
#define EXCERPT_CAP  (64u << 20) /* bytes; what would go beyond is refused with -ENOSPC */

struct excerpt;

/* An empty one, never NULL; excerpt_free() it. The source is borrowed and must outlive it. */
struct excerpt *excerpt_new(struct stack_memory *source);

/* Forgets all it has, to be read anew. */
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

/* How many bytes it holds. */
size_t excerpt_size(const struct excerpt *excerpt) __attribute__((nonnull));

/*
 * Appends it as bytes: for each run of adjacent bytes, by address, u64 address, u64 length, the
 * bytes; little-endian. The same content gives the same bytes.
 */
void excerpt_pack(const struct excerpt *excerpt, struct str *into) __attribute__((nonnull));

/* An excerpt without source from such bytes; NULL with words where they are none. */
struct excerpt *excerpt_unpack(const void *bytes, size_t len, struct complaint *why);

/* Takes NULL. */
void excerpt_free(struct excerpt *excerpt);

#endif
