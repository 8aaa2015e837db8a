/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_BUNDLE_FRAME_H
#define EVIDENCE_BUNDLE_FRAME_H

/*
 * The bytes of a bundle on which packing and unpacking must agree. Numbers of frames are
 * big-endian, as in msgpack; those of holes are little-endian, as in zstd, but for the crc.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "evidence/format/bundle.h"

/*
 * offset size
 *	opening
 *	0	1	0x94		array of 4
 *	1	15	0xae + name	BUNDLE_NAME
 *	16	2	0xcc + major
 *	18	2	0xcc + minor
 *	20	5	0xce + crc	of the 20 bytes before
 *	frame
 *	0	1	0x94		array of 4
 *	1	13	0xac + tag	BUNDLE_EXHIBIT or BUNDLE_CLOSING
 *	14	5	0xce + crc	of the head's bytes
 *	19	5+n	0xc6 + n + head	msgpack map
 *	24+n	5+m	0xc6 + m + body	frames of zstd, and holes; m is 0 for gap and closing
 *	hole
 *	0	4	0x184d2a5b	a frame that zstd skips
 *	4	4	12		how many bytes follow
 *	8	8	zeros		how many zeros the exhibit has here
 *	16	4	crc		of these eight bytes
 */
#define BUNDLE_OPENING_SIZE 25
#define BUNDLE_OPENING_CRC  20
#define BUNDLE_TAG_SIZE	    14 /* of a frame: array mark, string mark, tag */
#define BUNDLE_EXHIBIT	    "\x94\xacINQ:EXHIBIT:"
#define BUNDLE_CLOSING	    "\x94\xacINQ:CLOSING:"
#define BUNDLE_FRAME_SIZE   24 /* up to the head's bytes */
#define BUNDLE_HEAD_CAP	    (64 * 1024)
#define BUNDLE_ZSTD	    "\x28\xb5\x2f\xfd" /* how a frame begins that has bytes */
#define BUNDLE_HOLE	    "\x5b\x2a\x4d\x18\x0c\0\0\0" /* BUNDLE_HOLE_TAG bytes */
#define BUNDLE_HOLE_TAG	    8
#define BUNDLE_HOLE_CRC	    16
#define BUNDLE_HOLE_SIZE    20
#define BUNDLE_HOLE_LEAST   (64u << 10) /* a run of fewer zeros is packed like all else */
#define BUNDLE_PAGE	    4096 /* where the machine has larger pages, less is saved */

enum { BUNDLE_UINT8 = 0xcc, BUNDLE_UINT32 = 0xce, BUNDLE_BIN32 = 0xc6 };

/* Kind of a frame that is a gap; no exhibit has it. */
#define BUNDLE_GAP "gap"

/* Reads a big-endian number, as bin32 and uint32 have it behind their mark. */
static inline uint32_t bundle_get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* True if all bytes are 0, also where there are none. */
static inline bool bundle_is_zero(const uint8_t *bytes, size_t size)
{
	return size == 0 || (bytes[0] == 0 && !memcmp(bytes, bytes + 1, size - 1));
}

/* Writes a number as bundle_get32() reads it. */
static inline void bundle_put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/*
 * Returns the CRC-32 of zip and Ethernet. It works by half a byte at a time, since heads are short.
 */
static inline uint32_t bundle_crc(const void *bytes, size_t size)
{
	static const uint32_t of[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const uint8_t *at = bytes;
	uint32_t crc = ~0u;

	for (; size; size--) {
		crc ^= *at++;
		crc = crc >> 4 ^ of[crc & 15];
		crc = crc >> 4 ^ of[crc & 15];
	}
	return ~crc;
}

#endif
