/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/json-scan.h"

#include <stdint.h>

/*
 * The most bytes that json-c 0.15 to 0.18 takes for each thing, those of malloc() itself included.
 */
#define OBJECT_COST 900 /* an object, whose table has 16 places at first, and twice as many when
			 * it is 2/3 full */
#define MEMBER_COST 160 /* a member: its key, and its share of a table that has grown */
#define ARRAY_COST  400 /* an array, which has 32 places at first */
#define VALUE_COST  112 /* a number or a short text, and its place in an array that has grown */
#define SMALL	    ((uint64_t)256 << 10)

/* The cost so far, in bytes, and how deep the text nests here. */
struct scan {
	uint64_t cost;
	int depth;
};

/* Returns where the string ends that begins with the quote at i. */
static size_t skip_string(const char *text, size_t len, size_t i)
{
	for (i++; i < len && text[i] != '"'; i++)
		if (text[i] == '\\')
			i++;
	return i;
}

static void take(struct scan *scan, char c)
{
	switch (c) {
	case '{':
		scan->cost += OBJECT_COST;
		scan->depth++;
		break;
	case '[':
		scan->cost += ARRAY_COST;
		scan->depth++;
		break;
	case '}':
	case ']':
		scan->depth--;
		break;
	case ':':
		scan->cost += MEMBER_COST;
		break;
	case ',':
		scan->cost += VALUE_COST;
		break;
	}
}

bool json_scan_is_light(const char *text, size_t len)
{
	uint64_t most = (uint64_t)len * JSON_SCAN_WEIGHT + SMALL;
	struct scan scan = {.cost = len}; /* the bytes of all texts together */

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			i = skip_string(text, len, i);
		else
			take(&scan, text[i]);
		if (scan.depth > JSON_SCAN_DEPTH || scan.cost > most)
			return false;
	}
	return true;
}
