/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork.h: how we know, without asking the kernel, that this is a forked child.
 *
 * A ring is MAP_SHARED: what a child wrote would land in its parent's lanes. PyTorch's loaders fork
 * by the hundred, some runtimes by a raw clone that no atfork handler sees. So the epoch lives in a
 * page that the kernel empties in every child. Some old emulators accept any advice and do nothing:
 * a kernel that accepts a nonsense advice is not trusted, and an atfork handler is used instead.
 */
#ifndef PROBES_FORK_H
#define PROBES_FORK_H

#include <stdint.h>

/*
 * Returns the word that is 0 in every new child: in a page of its own, or `fallback` and an atfork
 * handler that clears it.
 */
uint64_t *fork_guard(uint64_t *fallback);

#endif
