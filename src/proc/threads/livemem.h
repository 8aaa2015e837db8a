/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_LIVEMEM_H
#define PROC_LIVEMEM_H

/*
 * Reads the memory of a living process, by process_vm_readv, or by /proc/PID/mem if that call is
 * not to be had (gVisor, seccomp). Nothing in the process notices; but both take its address
 * space's lock, which somebody may hold for ever: see proc/helper.h.
 *
 * Pieces that were copied at one moment (stacks) are given from the copy. All else goes page by
 * page through a cache, so that many small reads cost few calls. The cache ages: call
 * livemem_forget() before each look.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stack/memory.h"

struct livemem;

/* A piece to copy: `len` bytes from `at` on, as far as they can be read. */
struct livemem_piece {
	uint64_t at;
	size_t len;
	uint8_t *bytes; /* owned by livemem; NULL: none could be read */
	/* how many were; fewer than `len` where memory ends, or the next piece begins */
	size_t got;
};

/* Returns a reader for a process, never NULL, which has read nothing yet; livemem_free() it. */
struct livemem *livemem_new(uint32_t pid);

/* Returns it as a memory, which lives as long. */
struct stack_memory *livemem_memory(struct livemem *livemem) __attribute__((nonnull));

/*
 * Copies these pieces at once, in as few calls as can be. Fills in `bytes` and `got`, which are
 * valid until livemem_forget(); later reads there see the copy. Returns 0, or -errno (-EPERM,
 * -ESRCH) if nothing at all could be read.
 */
int livemem_copy(struct livemem *livemem, struct livemem_piece *pieces, size_t nr)
	__attribute__((nonnull(1)));

/* Reads past all copies and the cache. Returns how many bytes, or -errno. */
ssize_t livemem_again(struct livemem *livemem, uint64_t at, void *to, size_t len)
	__attribute__((nonnull));

/* Makes reads at [at, at + len) see these bytes from now on, as if they had been copied now. */
void livemem_put(struct livemem *livemem, uint64_t at, const void *bytes, size_t len)
	__attribute__((nonnull));

/* Makes reads at `at` see the memory again: the whole copy that holds it is dropped. */
void livemem_drop(struct livemem *livemem, uint64_t at) __attribute__((nonnull));

/* Forgets all copies and the cache. */
void livemem_forget(struct livemem *livemem) __attribute__((nonnull));

/* Forgets the cache only. */
void livemem_refresh(struct livemem *livemem) __attribute__((nonnull));

/* Returns the errno of the first read that was not allowed; 0 none. */
int livemem_refused(const struct livemem *livemem) __attribute__((nonnull));

/* Takes NULL. */
void livemem_free(struct livemem *livemem);

#endif
