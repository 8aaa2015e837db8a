/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the error file of torchrun's workers, JSON that may be forged:
 *
 *	{"message": {"message": "ValueError: no rows",
 *		     "extraInfo": {"py_callstack": "Traceback ...", "timestamp": "1795235031"}}}
 *
 * or {"message": "text"}. The time is in whole seconds, and taken as the end of that second: so of
 * two accounts of one death the other one, which has fractions, comes first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "decode/context.h"
#include "decode/exhibits/texts.h"
#include "decode/kinds.h"
#include "evidence/format/json-get.h"

/* At most so many bytes of a message are kept. */
#define ERROR_TEXT 512

/* Returns the time of the error, in ns; JOB_UNKNOWN if there is none, or no possible one. */
static int64_t errorfile_time(const struct json_object *extra)
{
	const char *text = json_get_text(extra, "timestamp");
	int64_t seconds = text ? strtoll(text, NULL, 10) : 0;

	if (!text && !json_get_int(extra, "timestamp", &seconds))
		return JOB_UNKNOWN;
	if (seconds <= 0 || seconds >= INT64_MAX / CLOCK_NS_PER_S)
		return JOB_UNKNOWN;
	return seconds * CLOCK_NS_PER_S + CLOCK_NS_PER_S - 1;
}

/* Returns the first line, bounded: the rest is the traceback's. */
static const char *errorfile_line(struct decode_context *context, const char *text)
{
	size_t len = strcspn(text, "\n");

	return arena_text_max(&context->arena, text, len < ERROR_TEXT ? len : ERROR_TEXT);
}

/* Adds a note of what the file says. Returns 0, or negative with words. */
static int errorfile_note(struct decode_context *context, struct job_builder *builder,
	const struct exhibit *exhibit, struct decode_process *process, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why);
	const struct json_object *inner;
	const char *text;

	if (!object)
		return -1;
	inner = json_get(object, "message", json_type_object);
	text = json_get_text(inner ? inner : object, "message");
	if (!text || !*text) {
		json_object_put(object);
		return complaint_set(why, "it has no message");
	}
	job_add_note(builder, process->who,
		&(const struct job_note){.text = errorfile_line(context, text),
			.exception = true,
			.by_file = true,
			.when = errorfile_time(json_get(inner, "extraInfo", json_type_object)),
			.cite = exhibit->pid ? arena_printf(&context->arena, "error-file:%s",
						       context_name(context, process))
					     : arena_text(&context->arena, exhibit->label)});
	json_object_put(object);
	return 0;
}

/*
 * Decodes a file of a known process. One that was found in a folder waits until it is known whose
 * folder that is.
 */
static int errorfile_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	if (!exhibit->pid)
		return texts_keep(exhibit, builder, context, why);
	return errorfile_note(context, builder, exhibit,
		context_process(context, exhibit->host, exhibit->pid, exhibit->start_time), why);
}

void texts_read_error(struct texts *texts, const struct exhibit *exhibit)
{
	size_t len = roster_folder(exhibit->label);
	const char *folder = arena_text_max(&texts->context->arena, exhibit->label, len);
	int rank = len ? roster_of_folder(&texts->roster, folder) : JOB_NONE;
	struct decode_process *process;

	if (len && rank == JOB_NONE)
		rank = roster_of_local(&texts->roster, folder);
	process = texts_process(texts, rank, TEXTS_ERROR_FILE);
	if (!process ||
		errorfile_note(texts->context, texts->builder, exhibit, process, NULL) < 0)
		return;
	context_end(process, &(const struct decode_end){WITNESS_ABSENCE, JOB_GONE, 0, JOB_UNKNOWN,
				     arena_text(&texts->context->arena, exhibit->label)});
}

const struct decoder decode_error_file = {EXHIBIT_ERROR_FILE, errorfile_decode};
