/* SPDX-License-Identifier: Apache-2.0 */
/* make-bomb NAME FILE: a file that is small, or looks it, and wants to take much memory or time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/format/bundle-frame.h"
#include "evidence/format/bundle.h"
#include "ring/ring-make.h"

#define MIB ((size_t)1 << 20)

/* `head`, then `part` again and again until the text is so long, then `tail`. */
static void repeat(struct str *into, const char *head, const char *part, size_t len,
	const char *tail)
{
	str_add(into, head);
	while (into->len + strlen(part) < len)
		str_add(into, part);
	str_add(into, tail);
}

static void add(struct evidence *evidence, enum exhibit_kind kind, uint32_t pid, struct str *text)
{
	const struct exhibit about = {.kind = kind, .host = (char *)"h", .rank = -1, .pid = pid,
		.start_time = pid, .when = 1000, .label = (char *)"now"};
	size_t len = text->len;

	evidence_add(evidence, &about, (uint8_t *)str_detach(text), len);
}

/* -- in bundles -------------------------------------------------------------------------------- */

static void objects(struct evidence *evidence)
{
	struct str text = {0};

	repeat(&text, "{\"processes\":[{}", ",{}", 60 * MIB, "]}");
	add(evidence, EXHIBIT_HISTORY, 0, &text);
}

/* Of a size that an agent's file may have. */
static void small_objects(struct evidence *evidence)
{
	for (uint32_t i = 1; i <= 8; i++) {
		struct str text = {0};

		repeat(&text, "{\"processes\":[{}", ",{}", 8 * MIB - 16, "]}");
		add(evidence, EXHIBIT_EXIT, i, &text);
	}
}

static void deep(struct evidence *evidence)
{
	struct str text = {0};

	repeat(&text, "{\"a\":", "[", 8 * MIB - 16, "");
	add(evidence, EXHIBIT_RECEIPT, 0, &text);
}

/* Processes that nobody knows, each a few bytes. */
static void members(struct evidence *evidence)
{
	struct str text = {0};

	str_add(&text, "processes");
	for (unsigned i = 1; text.len < MIB - 32; i++)
		str_printf(&text, " %u:%u", i, i);
	add(evidence, EXHIBIT_CGROUP, 0, &text);
}

static void processes(struct evidence *evidence)
{
	struct str text = {0};

	str_add(&text, "{\"processes\":[");
	for (unsigned i = 1; text.len < 8 * MIB - 64; i++)
		str_printf(&text, "%s{\"pid\":%u,\"start_time\":%u}", i == 1 ? "" : ",", i, i);
	str_add(&text, "]}");
	add(evidence, EXHIBIT_HISTORY, 0, &text);
}

static void tiny(struct evidence *evidence)
{
	for (uint32_t i = 1; i <= 100000; i++) {
		struct str text = {0};

		str_add(&text, "x");
		add(evidence, EXHIBIT_PROC_WCHAN, i, &text);
	}
}

/* More ranks than any job has, each with a parent that is another's child. */
static void ranks(struct evidence *evidence)
{
	for (uint32_t i = 1; i <= 20000; i++) {
		struct str text = {0};

		str_printf(&text, "{\"role\": \"rank\", \"rank\": %u, \"here\": %u, "
				  "\"world_size\": 99999, \"job\": \"x%u\"}", i, i, i % 100);
		add(evidence, EXHIBIT_IDENTITY, i, &text);
		str_printf(&text, "%u (x) S %u 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 %u 0 9\n", i,
			i / 2, i);
		add(evidence, EXHIBIT_PROC_STAT, i, &text);
	}
}

static void zeros(struct evidence *evidence)
{
	for (uint32_t i = 1; i <= 6; i++) {
		const struct exhibit about = {.kind = EXHIBIT_RING, .host = (char *)"h",
			.rank = -1, .pid = i, .start_time = i, .when = 1000};

		evidence_add(evidence, &about, alloc_zeroed(1, 250 * MIB), 250 * MIB);
	}
}

/* A text of nothing but ends of lines. */
static void blanks(struct evidence *evidence)
{
	struct str text = {0};

	repeat(&text, "", "\n\n\n\n\n\n\n\n", 4 * MIB, "");
	add(evidence, EXHIBIT_RAS, 0, &text);
}

/* One event of a compile log, of parts that are nothing. */
static void events(struct evidence *evidence)
{
	struct str text = {0};

	repeat(&text, "V1 x] {\"dynamo_start\":[{}", ",{}", 8 * MIB, "]}\n");
	add(evidence, EXHIBIT_COMPILE_LOG, 0, &text);
}

/* Memory that is really taken, as many exhibits as it needs. */
static void letters(struct evidence *evidence)
{
	for (uint32_t i = 1; i <= 3; i++) {
		struct str text = {0};

		memset(str_room(&text, 100 * MIB), 'a', 100 * MIB);
		str_grow(&text, 100 * MIB);
		add(evidence, EXHIBIT_MODULE, i, &text);
	}
}

/* -- in msgpack -------------------------------------------------------------------------------- */

static void add_packed(struct evidence *evidence, enum exhibit_kind kind, const char *schema,
	const char *key, const char *mark, const char *part, size_t most)
{
	struct str text = {0};

	str_add_char(&text, (char)0x82);
	str_printf(&text, "%cschema%c%s%c%s", (char)(0xa0 + 6), (char)(0xa0 + strlen(schema)),
		schema, (char)(0xa0 + strlen(key)), key);
	str_add_bytes(&text, mark, 5);
	while (text.len < most)
		str_add(&text, part);
	add(evidence, kind, 1, &text);
}

/* Four billion of them are told, and each that is there is a byte. */
static void threads(struct evidence *evidence)
{
	add_packed(evidence, EXHIBIT_STACKS, "inquest-stacks/1", "threads", "\xdd\xff\xff\xff\xff",
		"\x80\x80\x80\x80\x80\x80\x80\x80", 16 * MIB);
}

static void symbols(struct evidence *evidence)
{
	add_packed(evidence, EXHIBIT_MODULE, "inquest-module/1", "symbols", "\xdd\xff\xff\xff\xff",
		"\x95\x01\x01\xa0\xa0\x01", 16 * MIB);
}

/* Lists in lists, under a name that is not known. */
static void nested(struct evidence *evidence)
{
	add_packed(evidence, EXHIBIT_STACKS, "inquest-stacks/1", "other", "\xdd\xff\xff\xff\xff",
		"\x91\x91\x91\x91\x91\x91\x91\x91", 16 * MIB);
	add_packed(evidence, EXHIBIT_MODULE, "inquest-module/1", "image", "\xc6\xff\xff\xff\xff",
		"\x91\x91\x91\x91\x91\x91\x91\x91", 16 * MIB);
}

/* -- rings ------------------------------------------------------------------------------------- */

/* All that its header and its tables do not say is the largest there is. */
static void ring(struct evidence *evidence)
{
	for (uint32_t i = 1; i <= 4; i++) {
		const struct exhibit about = {.kind = EXHIBIT_RING, .host = (char *)"h",
			.rank = (int)i, .pid = i, .start_time = i, .when = 1000};
		struct ring_layout layout;
		struct ring_header *head;
		uint8_t *bytes;

		ring_layout(0, RING_RANK, &layout);
		bytes = alloc_zeroed(1, layout.size);
		ring_format(bytes, &layout);
		memset(bytes + RING_HEADER_SIZE, 0xff, layout.size - RING_HEADER_SIZE);
		head = (struct ring_header *)(void *)bytes;
		head->magic = RING_MAGIC;
		head->pid = i;
		head->start_time = i;
		head->rank = (int32_t)i;
		head->world_size = INT32_MAX;
		evidence_add(evidence, &about, bytes, layout.size);
	}
}

/* -- dumps of the Flight Recorder -------------------------------------------------------------- */

static void dump(struct str *into, const char *part)
{
	repeat(into, "\x80\x02}X\x09", "", 0, "");
	str_add_bytes(into, "\0\0\0pg_config", 12);
	repeat(into, "", part, 6 * MIB, "");
}

static void nones(struct str *into)
{
	dump(into, "NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN");
}

static void tuples(struct str *into)
{
	dump(into, "N\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85");
}

static void memos(struct str *into)
{
	dump(into, "N\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94\x94");
}

static void lists(struct str *into)
{
	repeat(into, "{\"pg_config\": [", "[],", 6 * MIB, "");
}

/* -- in zstd ----------------------------------------------------------------------------------- */

/* Puts a number behind its mark, the largest byte first. */
static void put32(struct str *into, uint8_t mark, uint32_t value)
{
	const uint8_t bytes[] = {mark, (uint8_t)(value >> 24), (uint8_t)(value >> 16),
		(uint8_t)(value >> 8), (uint8_t)value};

	str_add_bytes(into, bytes, sizeof(bytes));
}

/* A ring of which each byte may lie 128 MiB behind its like: who unpacks it must have them all. */
static void window(struct str *into)
{
	static const char kind[] = "\xa4kind\xa4ring\xa4size\xce";
	size_t len = 200 * MIB, room = ZSTD_compressBound(len);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	struct str head = {0}, body = {0};
	struct evidence none = {0};
	char *bytes = alloc_zeroed(1, len);

	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i >> 12);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 27);
	str_room(&body, room);
	str_grow(&body, ZSTD_compress2(zstd, body.text, room, bytes, len));
	str_add_char(&head, (char)0x83);
	str_add_bytes(&head, kind, sizeof(kind) - 2);
	put32(&head, 0xce, (uint32_t)len);
	str_add(&head, "\xa6packed");
	put32(&head, 0xce, (uint32_t)body.len);
	bundle_pack(&none, into);
	str_cut(into, BUNDLE_OPENING_SIZE);
	str_add_bytes(into, BUNDLE_EXHIBIT, BUNDLE_TAG_SIZE);
	put32(into, BUNDLE_UINT32, bundle_crc((const uint8_t *)head.text, head.len));
	put32(into, BUNDLE_BIN32, (uint32_t)head.len);
	str_add_bytes(into, head.text, head.len);
	put32(into, BUNDLE_BIN32, (uint32_t)body.len);
	str_add_bytes(into, body.text, body.len);
	ZSTD_freeCCtx(zstd);
	free(bytes);
	str_release(&head);
	str_release(&body);
}

static const struct {
	const char *name;
	void (*of_evidence)(struct evidence *evidence);
	void (*of_bytes)(struct str *into);
} bombs[] = {
	{"objects", objects, NULL},
	{"small-objects", small_objects, NULL},
	{"deep", deep, NULL},
	{"members", members, NULL},
	{"processes", processes, NULL},
	{"tiny", tiny, NULL},
	{"ranks", ranks, NULL},
	{"zeros", zeros, NULL},
	{"blanks", blanks, NULL},
	{"events", events, NULL},
	{"letters", letters, NULL},
	{"threads", threads, NULL},
	{"symbols", symbols, NULL},
	{"nested", nested, NULL},
	{"ring", ring, NULL},
	{"window", NULL, window},
	{"nones", NULL, nones},
	{"tuples", NULL, tuples},
	{"memos", NULL, memos},
	{"lists", NULL, lists},
};

int main(int argc, char **argv)
{
	struct evidence evidence = {0};
	struct complaint why = {0};
	struct str bytes = {0};

	if (argc != 3)
		return 2;
	for (size_t i = 0; i < sizeof(bombs) / sizeof(*bombs); i++) {
		if (strcmp(bombs[i].name, argv[1]) != 0)
			continue;
		if (bombs[i].of_bytes)
			bombs[i].of_bytes(&bytes);
		else
			bombs[i].of_evidence(&evidence);
	}
	if (evidence.n)
		bundle_pack(&evidence, &bytes);
	if (file_write(argv[2], str_text(&bytes), bytes.len, 0600, &why) < 0) {
		fprintf(stderr, "make-bomb: %s\n", complaint_text(&why));
		return 1;
	}
	evidence_release(&evidence);
	str_release(&bytes);
	return 0;
}
