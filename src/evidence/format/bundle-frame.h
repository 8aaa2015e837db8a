/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_BUNDLE_FRAME_H
#define EVIDENCE_BUNDLE_FRAME_H

/* The bytes of a bundle on which packing and unpacking must agree. */

#include <stddef.h>
#include <stdint.h>

#include "evidence/format/bundle.h"

/*
 *	offset size
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
 *	24+n	5+m	0xc6 + m + body	zstd frame; m is 0 for a gap and for the closing
 */
#define BUNDLE_OPENING_SIZE 25
#define BUNDLE_OPENING_CRC  20
#define BUNDLE_TAG_SIZE	    14 /* of a frame: array mark, string mark, tag */
#define BUNDLE_EXHIBIT	    "\x94\xacINQ:EXHIBIT:"
#define BUNDLE_CLOSING	    "\x94\xacINQ:CLOSING:"
#define BUNDLE_FRAME_SIZE   24 /* up to the head's bytes */
#define BUNDLE_HEAD_CAP	    (64 * 1024)

enum { BUNDLE_UINT8 = 0xcc, BUNDLE_UINT32 = 0xce, BUNDLE_BIN32 = 0xc6 };

/* Kind of the frames that are gaps; of no exhibit. */
#define BUNDLE_GAP "gap"

/* The extra bytes of every bin32 and uint32. Numbers are big-endian. */
static inline uint32_t bundle_get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* CRC-32 as in zip and Ethernet. Heads are short: no table. */
static inline uint32_t bundle_crc(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint32_t crc = ~0u;

	for (; size; size--) {
		crc ^= *at++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

#endif
