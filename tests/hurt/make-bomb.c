/* SPDX-License-Identifier: Apache-2.0 */
/* make-bomb NAME FILE: a file that is small, or looks it, and wants to take much memory or time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/bundle.h"

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
	{"letters", letters, NULL},
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
