/* SPDX-License-Identifier: Apache-2.0 */
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/format/bundle-frame.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/flight-redact.h"

#define BUNDLE_LEVEL 3

static int str_append(void *into, const char *bytes, size_t size)
{
	str_add_bytes(into, bytes, size);
	return 0;
}

/* Appends a mark and a big-endian number. */
static void put32(struct str *into, uint8_t mark, uint32_t value)
{
	uint8_t bytes[5] = {mark};

	bundle_put32(bytes + 1, value);
	str_add_bytes(into, bytes, sizeof(bytes));
}

static void pack_text(msgpack_packer *packer, const char *text)
{
	msgpack_pack_str_with_body(packer, text, strlen(text));
}

static void pack_number(msgpack_packer *packer, const char *key, int64_t value)
{
	pack_text(packer, key);
	msgpack_pack_int64(packer, value);
}

static void pack_pair(msgpack_packer *packer, const char *key, const char *value)
{
	pack_text(packer, key);
	pack_text(packer, value);
}

/* Appends a frame. A NULL body is an empty one. */
static void bundle_put_frame(
	struct str *into, const char *tag, const struct str *head, const struct str *body)
{
	str_add_bytes(into, tag, BUNDLE_TAG_SIZE);
	put32(into, BUNDLE_UINT32, bundle_crc(str_text(head), head->len));
	put32(into, BUNDLE_BIN32, (uint32_t)head->len);
	str_add_bytes(into, str_text(head), head->len);
	put32(into, BUNDLE_BIN32, body ? (uint32_t)body->len : 0);
	if (body)
		str_add_bytes(into, str_text(body), body->len);
}

static void bundle_put_opening(struct str *into)
{
	const uint8_t version[4] = {
		BUNDLE_UINT8, BUNDLE_VERSION_MAJOR, BUNDLE_UINT8, BUNDLE_VERSION_MINOR};
	size_t start = into->len;

	str_add_bytes(into, "\x94\xae" BUNDLE_NAME, 2 + strlen(BUNDLE_NAME));
	str_add_bytes(into, version, sizeof(version));
	put32(into, BUNDLE_UINT32, bundle_crc(into->text + start, BUNDLE_OPENING_CRC));
}

/*
 * Appends one zstd frame with a checksum of its content. Aborts without memory, as base/alloc.h
 * does.
 */
static void bundle_compress_part(
	ZSTD_CCtx *zstd, const uint8_t *bytes, size_t len, struct str *body)
{
	size_t room = ZSTD_compressBound(len);
	size_t size = ZSTD_compress2(
		zstd, str_room(body, room), room, bytes ? (const void *)bytes : "", len);

	if (ZSTD_isError(size))
		abort(); /* impossible: the room suffices and the parameters are valid */
	str_grow(body, size);
}

/* Appends a hole of that many zeros. */
static void bundle_put_hole(struct str *body, uint64_t zeros)
{
	uint8_t hole[BUNDLE_HOLE_SIZE];

	memcpy(hole, BUNDLE_HOLE, BUNDLE_HOLE_TAG);
	for (int i = 0; i < BUNDLE_HOLE_CRC - BUNDLE_HOLE_TAG; i++)
		hole[BUNDLE_HOLE_TAG + i] = (uint8_t)(zeros >> 8 * i);
	bundle_put32(hole + BUNDLE_HOLE_CRC,
		bundle_crc(hole + BUNDLE_HOLE_TAG, BUNDLE_HOLE_CRC - BUNDLE_HOLE_TAG));
	str_add_bytes(body, hole, sizeof(hole));
}

/* Returns how many zero bytes follow `at`: whole pages of them, and the rest up to the end. */
static size_t zeros_from(const uint8_t *bytes, size_t at, size_t len)
{
	size_t zeros = 0;

	while (at + zeros < len) {
		size_t left = len - at - zeros, page = left < BUNDLE_PAGE ? left : BUNDLE_PAGE;

		if (!bundle_is_zero(bytes + at + zeros, page))
			break;
		zeros += page;
	}
	return zeros;
}

/*
 * Packs a body. A ring is mostly zeros, megabytes of them, and neither who packs nor who reads
 * shall have to go through them: long runs become holes, and what lies between two is a frame.
 */
static void bundle_compress(ZSTD_CCtx *zstd, const uint8_t *bytes, size_t len, struct str *body)
{
	size_t packed = 0;

	for (size_t at = 0; at < len;) {
		size_t zeros = zeros_from(bytes, at, len);

		if (zeros >= BUNDLE_HOLE_LEAST) {
			if (at > packed)
				bundle_compress_part(zstd, bytes + packed, at - packed, body);
			bundle_put_hole(body, zeros);
			packed = at + zeros;
		}
		at += zeros < BUNDLE_PAGE ? BUNDLE_PAGE : zeros;
	}
	if (packed < len || !len)
		bundle_compress_part(zstd, bytes + packed, len - packed, body);
}

/*
 * Packs the dump of a Flight Recorder. Dumps are kept as they were found, and leave the machine
 * without what is private in them, so this redacts a copy.
 */
static void bundle_compress_dump(
	ZSTD_CCtx *zstd, const struct exhibit *exhibit, struct str *body)
{
	uint8_t *bytes = alloc_copy(exhibit->bytes, exhibit->len);

	flight_redact(bytes, exhibit->len);
	bundle_compress(zstd, bytes, exhibit->len, body);
	free(bytes);
}

static void bundle_put_exhibit(ZSTD_CCtx *zstd, const struct exhibit *exhibit, struct str *into)
{
	struct str head = {0}, body = {0};
	msgpack_packer packer;

	if (exhibit->kind == EXHIBIT_FLIGHT && exhibit->len)
		bundle_compress_dump(zstd, exhibit, &body);
	else
		bundle_compress(zstd, exhibit->bytes, exhibit->len, &body);
	msgpack_packer_init(&packer, &head, str_append);
	msgpack_pack_map(&packer, 10);
	pack_pair(&packer, "kind", exhibit->kind_name);
	pack_pair(&packer, "host", exhibit->host);
	pack_pair(&packer, "label", exhibit->label);
	pack_number(&packer, "rank", exhibit->rank);
	pack_number(&packer, "pid", exhibit->pid);
	pack_number(&packer, "start_time", (int64_t)exhibit->start_time);
	pack_number(&packer, "when", exhibit->when);
	pack_number(&packer, "damaged", exhibit->damaged);
	pack_number(&packer, "size", (int64_t)exhibit->len);
	pack_number(&packer, "packed", (int64_t)body.len);
	bundle_put_frame(into, BUNDLE_EXHIBIT, &head, &body);
	str_release(&head);
	str_release(&body);
}

static void bundle_put_gap(const struct exhibit_gap *gap, struct str *into)
{
	struct str head = {0};
	msgpack_packer packer;

	msgpack_packer_init(&packer, &head, str_append);
	msgpack_pack_map(&packer, 5);
	pack_pair(&packer, "kind", BUNDLE_GAP);
	pack_pair(&packer, "host", gap->host);
	pack_pair(&packer, "label", gap->what);
	pack_number(&packer, "pid", gap->pid);
	pack_number(&packer, "packed", 0);
	bundle_put_frame(into, BUNDLE_EXHIBIT, &head, NULL);
	str_release(&head);
}

void bundle_pack(const struct evidence *evidence, struct str *into)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	struct str head = {0};
	msgpack_packer packer;

	if (!zstd)
		abort(); /* as base/alloc.h: out of memory */
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, BUNDLE_LEVEL);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	bundle_put_opening(into);
	for (size_t i = 0; i < evidence->n; i++)
		bundle_put_exhibit(zstd, &evidence->at[i], into);
	for (size_t i = 0; i < evidence->ngaps; i++)
		bundle_put_gap(&evidence->gaps[i], into);
	msgpack_packer_init(&packer, &head, str_append);
	msgpack_pack_map(&packer, 2);
	pack_number(&packer, "frames", (int64_t)(evidence->n + evidence->ngaps));
	pack_number(&packer, "packed", 0);
	bundle_put_frame(into, BUNDLE_CLOSING, &head, NULL);
	str_release(&head);
	ZSTD_freeCCtx(zstd);
}

int bundle_write(const struct evidence *evidence, const char *path, struct complaint *why)
{
	struct str bytes = {0};
	int error;

	bundle_pack(evidence, &bytes);
	error = file_write(path, bytes.text, bytes.len, 0600, why);
	str_release(&bytes);
	return error;
}
