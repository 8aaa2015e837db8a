/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bundles are changed one frame at a time: its exhibit is unpacked, its bytes or what is told of it
 * changed, and it is packed again with right checksums, in the place where it was.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "change.h"
#include "evidence/format/bundle-frame.h"

#define FRAMES 512
#define GROWTH 64 /* bytes at most that an exhibit becomes longer by at once */

struct span {
	uint8_t *at;
	size_t len;
};

/* One of the stretches from one frame's first bytes to the next one's. */
static int pick_frame(uint8_t *bytes, size_t size, uint32_t *chance, struct span *ret)
{
	uint8_t *begins[FRAMES + 1], *end = bytes + size, *at = bytes;
	size_t n = 0;

	while (n < FRAMES && (at = memmem(at, (size_t)(end - at), BUNDLE_EXHIBIT, BUNDLE_TAG_SIZE)))
		begins[n++] = at++;
	if (!n)
		return 0;
	begins[n] = memmem(
		begins[n - 1], (size_t)(end - begins[n - 1]), BUNDLE_CLOSING, BUNDLE_TAG_SIZE);
	if (!begins[n])
		begins[n] = end;
	n = draw_below(chance, (uint32_t)n);
	*ret = (struct span){begins[n], (size_t)(begins[n + 1] - begins[n])};
	return 1;
}

static void change_text(char **text)
{
	size_t len = strlen(*text), most = len + GROWTH;
	char *changed = alloc_zeroed(1, most + 1);

	memcpy(changed, *text, len);
	changed[LLVMFuzzerMutate((uint8_t *)changed, len, most)] = '\0';
	free(*text);
	*text = changed;
}

static void change_bytes(struct exhibit *exhibit)
{
	size_t most = exhibit->len + GROWTH;
	uint8_t *changed = alloc_zeroed(1, most + 1);

	if (exhibit->len)
		memcpy(changed, exhibit->bytes, exhibit->len);
	exhibit->len = LLVMFuzzerMutate(changed, exhibit->len, most);
	free(exhibit->bytes);
	exhibit->bytes = changed;
}

static void change_exhibit(struct exhibit *exhibit, uint32_t *chance)
{
	switch (draw_below(chance, 8)) {
	case 0:
		change_text(&exhibit->kind_name);
		break;
	case 1:
		change_text(&exhibit->host);
		break;
	case 2:
		change_text(&exhibit->label);
		break;
	case 3:
		LLVMFuzzerMutate((uint8_t *)&exhibit->when, sizeof(int64_t), sizeof(int64_t));
		break;
	case 4:
		LLVMFuzzerMutate((uint8_t *)&exhibit->pid, sizeof(uint32_t), sizeof(uint32_t));
		break;
	default:
		change_bytes(exhibit);
	}
}

/* The head's bytes themselves, with the checksum that they have then. */
static void change_head(const struct span *frame, struct str *into)
{
	uint8_t *head, *crc;
	uint32_t size, sum;

	str_add_bytes(into, frame->at, frame->len);
	size = frame->len < BUNDLE_FRAME_SIZE ? 0 : bundle_get32(frame->at + 20);
	if (!size || size > frame->len - BUNDLE_FRAME_SIZE)
		return;
	head = (uint8_t *)into->text + BUNDLE_FRAME_SIZE;
	crc = (uint8_t *)into->text + 15;
	LLVMFuzzerMutate(head, size, size);
	sum = bundle_crc(head, size);
	for (int i = 0; i < 4; i++)
		crc[i] = (uint8_t)(sum >> (24 - 8 * i));
}

/* The frame anew; empty where nothing could be made of it. */
static void change_frame(const struct span *frame, uint32_t *chance, struct str *into)
{
	struct evidence evidence = {0};
	struct str bundle = {0};
	const char *closing;

	if (!bundle_unpack(frame->at, frame->len, &evidence, NULL) && evidence.n) {
		struct evidence alone = {.at = evidence.at, .n = 1};

		change_exhibit(&evidence.at[0], chance);
		bundle_pack(&alone, &bundle);
		closing = memmem(bundle.text, bundle.len, BUNDLE_CLOSING, BUNDLE_TAG_SIZE);
		str_add_bytes(into, bundle.text + BUNDLE_OPENING_SIZE,
			(size_t)(closing - bundle.text) - BUNDLE_OPENING_SIZE);
	}
	str_release(&bundle);
	evidence_release(&evidence);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
	uint32_t chance = seed, how = draw_below(&chance, 16);
	struct str frame = {0};
	struct span old;
	size_t rest;

	if (!how || !pick_frame(bytes, size, &chance, &old))
		return LLVMFuzzerMutate(bytes, size, most);
	if (how < 4)
		change_head(&old, &frame);
	else
		change_frame(&old, &chance, &frame);
	if (!frame.len || size - old.len + frame.len > most) {
		str_release(&frame);
		return LLVMFuzzerMutate(bytes, size, most);
	}
	rest = size - old.len - (size_t)(old.at - bytes);
	memmove(old.at + frame.len, old.at + old.len, rest);
	memcpy(old.at, frame.text, frame.len);
	size = (size_t)(old.at - bytes) + frame.len + rest;
	str_release(&frame);
	return size;
}
