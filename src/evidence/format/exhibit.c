/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/format/exhibit.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/checked.h"
#include "base/meter.h"
#include "base/redact.h"
#include "base/str.h"

static const char *const kind_names[EXHIBIT_UNKNOWN_KIND] = {
#define EXHIBIT_NAME(id, name) [EXHIBIT_##id] = name,
	EXHIBIT_KINDS(EXHIBIT_NAME)
#undef EXHIBIT_NAME
};

const char *exhibit_kind_name(enum exhibit_kind kind)
{
	return (size_t)kind < EXHIBIT_UNKNOWN_KIND ? kind_names[kind] : "unknown";
}

enum exhibit_kind exhibit_kind_of(const char *name)
{
	for (int kind = 0; kind < EXHIBIT_UNKNOWN_KIND; kind++)
		if (!strcmp(kind_names[kind], name))
			return (enum exhibit_kind)kind;
	return EXHIBIT_UNKNOWN_KIND;
}

/*
 * True for an exhibit with text by the job or a user, or with arguments or variables, where secrets
 * may be.
 */
static bool exhibit_is_text(enum exhibit_kind kind)
{
	switch (kind) {
	case EXHIBIT_STDERR:
	case EXHIBIT_JOB_LOG:
	case EXHIBIT_SLURM_RECORD:
	case EXHIBIT_KERNEL_LOG:
	case EXHIBIT_STACK_TEXT:
	case EXHIBIT_RAS:
	case EXHIBIT_COMPILE_LOG:
	case EXHIBIT_ERROR_FILE:
	case EXHIBIT_RECEIPT:
	case EXHIBIT_MANIFEST:
	case EXHIBIT_HISTORY:
	case EXHIBIT_IDENTITY:
		return true;
	default:
		return false;
	}
}

struct exhibit *evidence_add(
	struct evidence *evidence, const struct exhibit *about, uint8_t *bytes, size_t len)
{
	const char *name = about->kind_name;
	struct exhibit *added;

	if (!name)
		name = exhibit_kind_name(about->kind);
	evidence->at = array_grow(
		evidence->at, evidence->n, 1, &evidence->room, sizeof(*evidence->at));
	added = &evidence->at[evidence->n++];
	*added = *about;
	added->kind = exhibit_kind_of(name);
	added->kind_name = alloc_text(name);
	added->host = alloc_text(about->host ? about->host : "");
	added->label = alloc_text(about->label ? about->label : "");
	added->bytes = bytes;
	added->len = len;
	if (exhibit_is_text(added->kind))
		redact_text((char *)bytes, len);
	added->when = checked_time(about->when, 0);
	return added;
}

void evidence_add_gap(struct evidence *evidence, const char *host, uint32_t pid, const char *what)
{
	struct exhibit_gap *gap;

	evidence->gaps = array_grow(evidence->gaps, evidence->ngaps, 1, &evidence->gaps_room,
		sizeof(*evidence->gaps));
	gap = &evidence->gaps[evidence->ngaps++];
	gap->host = alloc_text(host ? host : "");
	gap->pid = pid;
	gap->what = alloc_text(what);
}

void evidence_leave_out(
	struct evidence *evidence, const char *host, const char *what, const char *option)
{
	struct str words = {0};

	str_printf(&words, "%s" EXHIBIT_LEFT_OUT "%s asked", what, option);
	evidence_add_gap(evidence, host, 0, str_text(&words));
	str_release(&words);
}

size_t evidence_room(const struct evidence *evidence, size_t most)
{
	const struct meter *meter = evidence->meter;

	return meter && meter->most && meter->most / 2 < most ? (size_t)(meter->most / 2) : most;
}

void evidence_move(struct evidence *into, struct evidence *from)
{
	into->at = array_grow(into->at, into->n, from->n, &into->room, sizeof(*into->at));
	into->gaps = array_grow(
		into->gaps, into->ngaps, from->ngaps, &into->gaps_room, sizeof(*into->gaps));
	if (from->n)
		memcpy(into->at + into->n, from->at, from->n * sizeof(*from->at));
	if (from->ngaps)
		memcpy(into->gaps + into->ngaps, from->gaps, from->ngaps * sizeof(*from->gaps));
	into->n += from->n;
	into->ngaps += from->ngaps;
	free(from->at);
	free(from->gaps);
	*from = (struct evidence){.meter = from->meter};
}

void evidence_cut(struct evidence *evidence, size_t n)
{
	while (evidence->n > n) {
		struct exhibit *last = &evidence->at[--evidence->n];

		free(last->kind_name);
		free(last->host);
		free(last->label);
		free(last->bytes);
		/*
		 * The next exhibit that is added finds its place empty, as array_grow() promises.
		 */
		*last = (struct exhibit){0};
	}
}

void evidence_release(struct evidence *evidence)
{
	if (!evidence)
		return;
	evidence_cut(evidence, 0);
	for (size_t i = 0; i < evidence->ngaps; i++) {
		free(evidence->gaps[i].host);
		free(evidence->gaps[i].what);
	}
	free(evidence->at);
	free(evidence->gaps);
	*evidence = (struct evidence){0};
}
