/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-snapshot.h: copying a living ring without being fooled by its writer.
 *
 * By pread only: no map that a truncating owner could make a SIGBUS of, nothing the writer can
 * notice. The sections that hold slots are read three times per 64 KiB chunk, A, B and C; the data
 * is B's, and a slot whose seq differs between A and C was written meanwhile: its copy gets an odd
 * seq, which every reader takes for "in flight". (One pass would mix the seq of one record with the
 * words of another. Two passes leave the words between them unguarded on one side.)
 *
 * Header and tables come first, boards before lanes (lanes are then at least as new as boards),
 * strings and texts last (so that every id that was read has its string). Parts of lanes and
 * tables that were never used are not read: a fresh ring costs some 200 KiB of reading, not 5 MiB.
 */
#ifndef RING_SNAPSHOT_H
#define RING_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/ring.h"

#define RING_FILE_MAX (64ul << 20) /* what claims to be larger is read up to here */

/*
 * Copies the file behind `fd`; what is no ring is copied as it is. Returns 0, and the bytes are the
 * caller's to free(); or a negative errno, and nothing is set. A file that shrinks meanwhile gives
 * what there was of it, an empty one 0 bytes. Blocks only as reading a file does. What is no
 * regular file is -EINVAL.
 */
int ring_snapshot(int fd, void **ret_bytes, size_t *ret_size);

/*
 * Reads group i of the ring behind `fd`, whose header is that: what it is and how far it has come,
 * without what follows `enqueue`. False behind the last one, and where it cannot be read; it may
 * be half written (an odd seq).
 */
bool ring_glance_group(
	int fd, const struct ring_header *header, uint64_t i, struct ring_group *ret);

#endif
