/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_BUNDLE_H
#define EVIDENCE_BUNDLE_H

/*
 * A bundle: exhibits in one file (".inq"), one per node, to be read anywhere, any day.
 *
 * FORMAT (inquest-bundle(5); change it with this file). One stream of msgpack objects:
 *
 *	["inquest-bundle", major, minor, crc]			the opening
 *	["INQ:EXHIBIT:", crc, head, body]			one per exhibit or gap
 *	["INQ:CLOSING:", crc, head, body]			the last: how many there were
 *
 * where crc is a uint32, head a bin32 with a msgpack map of scalars (what the exhibit is, and the
 * length and checksum of its bytes), body a bin32 with its bytes: zstd frames, and between them
 * holes that say how many zeros there are (since 1.1; a body of 1.0 is one frame). All widths are
 * fixed, so that a frame behind damage can be found by looking for its first bytes. crc is the
 * CRC-32 of head.
 *
 * DAMAGE. A cut file yields every exhibit before the cut, and a gap. A flipped byte damages only
 * its exhibit: bytes that zstd can still unpack are kept and marked, a lost head becomes a gap.
 */

#include "base/complaint.h"
#include "base/file.h"
#include "base/str.h"
#include "evidence/format/exhibit.h"

#define BUNDLE_NAME	     "inquest-bundle"
#define BUNDLE_VERSION_MAJOR 1
#define BUNDLE_VERSION_MINOR 1
#define BUNDLE_SUFFIX	     ".inq"

/*
 * Against bombs: no exhibit unpacks to more than the first, all of one bundle to no more than the
 * second. In bytes.
 */
#define BUNDLE_EXHIBIT_CAP (256ull << 20)
#define BUNDLE_TOTAL_CAP   (4ull << 30)

/* Appends the bundle of this evidence to `into`. Never fails. */
void bundle_pack(const struct evidence *evidence, struct str *into) __attribute__((nonnull));

/*
 * Writes the bundle to `path`, atomically and synced to disk: a reader sees the old file or the new
 * one. Returns 0, or -errno with words; `path` is then untouched.
 */
int bundle_write(const struct evidence *evidence, const char *path, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Adds the exhibits of a bundle in memory. Returns 0, also if parts of it are damaged (marked
 * exhibits and gaps tell); negative with words if it is no bundle, empty, or of a later major
 * version.
 */
int bundle_unpack(const void *bytes, size_t size, struct evidence *into, struct complaint *why)
	__attribute__((nonnull(1, 3)));

/*
 * Puts a name into the words of the gaps of which only "the bundle" is known: so that among several
 * bundles it is told which one is cut or damaged.
 */
void bundle_name_gaps(struct evidence *evidence, const char *name) __attribute__((nonnull));

/* Adds the exhibits of a bundle in a file, likewise. */
int bundle_read(const char *path, struct evidence *into, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * True if the file is a bundle by its suffix, or by its first bytes. In a folder, a damaged one
 * with neither is not found.
 */
bool bundle_looks_like(const char *path) __attribute__((nonnull));

/*
 * Adds the paths of all files in a folder that may be bundles, sorted. Returns 0 or negative with
 * words.
 */
int bundle_find(const char *folder, struct file_names *into, struct complaint *why)
	__attribute__((nonnull(1, 2)));

/*
 * Adds the exhibits of every bundle in a folder, in the order of their names; files that are no
 * bundles are passed over. Returns 0, or negative with words if there is none at all.
 */
int bundle_read_folder(const char *path, struct evidence *into, struct complaint *why)
	__attribute__((nonnull(1, 2)));

#endif
