/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_hot.h: the writer's hot path behind a shared object's border, as the probe has it: found by
 * dlsym, thread-local lane, fork guard. Every function is looked up by its name.
 */
#ifndef BENCH_RING_HOT_H
#define BENCH_RING_HOT_H

#include <stdint.h>

/* Gives the object a formatted ring; the calling threads then claim lanes by themselves. */
typedef int hot_open_fn(void *base);

/* Records one event; with a board also what the thread is doing now. */
typedef void hot_record_fn(uint64_t meta, uint64_t index, uint64_t count, uint64_t sig);

#endif
