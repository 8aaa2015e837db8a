/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/ring-redact.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/redact.h"
#include "ring/ring-read.h"
#include "ring/ring-traceback.h"

/* How notes of errors begin. The type of the error follows, then ": " and its text. */
static const char *const errors[] = {"exception: ", "thread exception: ", "interrupted: "};

/* A ring, and the same bytes to write to, as a view only reads. */
struct redacting {
	struct ring_view view;
	uint8_t *bytes;
	const struct ring_redact_options *options;
};

/* Returns where to write what the view shows at that place. */
static uint8_t *writable(const struct redacting *redacting, const void *at)
{
	return redacting->bytes + ((const uint8_t *)at - redacting->view.bytes);
}

/* Makes stars of the text of an error. */
static void hide_error(char *text)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		size_t len = strlen(errors[i]);
		char *value;

		if (strncmp(text, errors[i], len) != 0)
			continue;
		value = strstr(text + len, ": ");
		if (value)
			memset(value + 2, REDACT_STAR, strlen(value + 2));
	}
}

/* Redacts the ring's table of strings. */
static void redact_strings(const struct redacting *redacting)
{
	const struct ring_view *view = &redacting->view;

	for (uint32_t id = ring_view_next_string(view, 0); id;
		id = ring_view_next_string(view, id)) {
		char *text = (char *)writable(redacting, ring_view_string(view, id));

		if (redacting->options->no_logs)
			hide_error(text);
		redact_text(text, strlen(text));
	}
}

/*
 * Redacts what passed write(2). That is a ring of bytes: it is laid straight to be redacted, and
 * put back as it lay.
 */
static void redact_written(const struct redacting *redacting)
{
	const struct ring_part *part = &redacting->view.part[RING_S_STDERR];
	struct ring_text head;
	uint8_t *bytes;
	size_t size, from;
	char *straight;

	if (part->count <= sizeof(head))
		return;
	if (redacting->options->no_logs) {
		memset(writable(redacting, part->at), 0, (size_t)part->count);
		return;
	}
	bytes = writable(redacting, part->at) + sizeof(head);
	size = (size_t)part->count - sizeof(head);
	memcpy(&head, part->at, sizeof(head));
	/* Where the lines of one that is cut begin nobody knows. */
	from = head.head > size && part->count == part->declared ? (size_t)(head.head % size) : 0;
	straight = alloc_zeroed(1, size);
	memcpy(straight, bytes + from, size - from);
	memcpy(straight + size - from, bytes, from);
	redact_text(straight, size);
	memcpy(bytes + from, straight, size - from);
	memcpy(bytes, straight + size - from, from);
	free(straight);
}

/* Removes copies of stacks, if they are not asked for. */
static void redact_deaths(const struct redacting *redacting)
{
	const struct ring_part *part = &redacting->view.part[RING_S_FATAL];

	for (uint64_t i = 0; i < part->count && !redacting->options->raw_stacks; i++) {
		uint8_t *death = writable(redacting, part->at + i * part->elem_size);

		memset(death + offsetof(struct ring_fatal, stack_len), 0, sizeof(uint32_t));
		memset(death + offsetof(struct ring_fatal, stack), 0, RING_FATAL_STACK);
	}
}

/* Redacts tracebacks; with no_logs also the messages of their errors. */
static void redact_tracebacks(const struct redacting *redacting)
{
	const struct ring_part *part = &redacting->view.part[RING_S_TRACES];

	for (uint64_t i = 0; i < part->count; i++) {
		uint8_t *at = writable(redacting, part->at + i * part->elem_size);
		char *text = (char *)at + offsetof(struct ring_traceback, text);
		uint32_t said;

		memcpy(&said, at + offsetof(struct ring_traceback, message), sizeof(said));
		if (redacting->options->no_logs && said && said < RING_TRACE_TEXT)
			memset(text + said, REDACT_STAR,
				strnlen(text + said, RING_TRACE_TEXT - said));
		redact_text(text, RING_TRACE_TEXT);
	}
}

void ring_redact(void *bytes, size_t size, const struct ring_redact_options *options)
{
	struct redacting redacting = {.bytes = bytes, .options = options};

	if (ring_view_open(&redacting.view, bytes, size) < 0) {
		if (size > RING_HEADER_SIZE)
			memset((uint8_t *)bytes + RING_HEADER_SIZE, 0, size - RING_HEADER_SIZE);
		return;
	}
	redact_strings(&redacting);
	redact_written(&redacting);
	redact_deaths(&redacting);
	redact_tracebacks(&redacting);
}
