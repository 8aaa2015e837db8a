/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a compile log of PyTorch (TORCH_TRACE): a line of glog's form for each event, whose words
 * are a document of JSON on that line, with what belongs to it indented behind. A compile begins
 * with "dynamo_start" and ends with "compilation_metrics" of the same ids:
 *
 *	V1121 10:43:51.191000 2998 torch/_dynamo/convert_frame.py:1002] {"dynamo_start": {...},
 *		"rank": 3, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}
 *
 * A graph that has no end here is told. The clock of the lines has neither year nor zone.
 */
#include <json.h>
#include <string.h>

#include "decode/exhibits/texts.h"
#include "evidence/format/json-get.h"

/* The log's latest compile. */
struct compiles {
	struct texts *texts;
	const struct exhibit *exhibit;
	int64_t rank, frame, again; /* of the last compile that began; -1: it has ended */
	int64_t line;
};

static bool has(const struct json_object *object, const char *key)
{
	return json_object_object_get_ex(object, key, NULL);
}

/* Takes the beginning or the end of a compile. */
static void take_event(struct compiles *compiles, const struct json_object *event, int64_t line)
{
	int64_t frame = -1, again = 0;

	json_get_int(event, "rank", &compiles->rank);
	if (!json_get_int(event, "frame_id", &frame))
		return;
	json_get_int(event, "frame_compile_id", &again);
	if (has(event, "dynamo_start")) {
		compiles->frame = frame;
		compiles->again = again;
		compiles->line = line;
	} else if (has(event, "compilation_metrics") && frame == compiles->frame &&
		   again == compiles->again) {
		compiles->frame = -1;
	}
}

static void take_line(void *with, const char *line, int64_t number)
{
	const char *words = strstr(line, "] {");
	struct exhibit document = {0};
	struct json_object *event;

	if (*line != 'V' || !words ||
		(!strstr(words, "\"dynamo_start\"") && !strstr(words, "\"compilation_metrics\"")))
		return;
	document.bytes = (uint8_t *)words + 2;
	document.len = strlen(words + 2);
	event = json_get_document(&document, NULL);
	if (event)
		take_event(with, event, number);
	json_object_put(event);
}

void texts_read_compiles(struct texts *texts, const struct exhibit *exhibit)
{
	struct compiles compiles = {
		.texts = texts, .exhibit = exhibit, .rank = JOB_NONE, .frame = -1};
	struct job_saying saying = {
		.kind = JOB_SAYS_COMPILE, .text2 = "", .a = JOB_UNKNOWN, .b = JOB_UNKNOWN};

	texts_each_line(texts_of(texts, exhibit), take_line, &compiles);
	if (compiles.frame < 0)
		return;
	/* Before torch.distributed is up, no line has the rank: the file's name may. */
	if (compiles.rank < 0 || compiles.rank > INT32_MAX)
		compiles.rank = roster_rank_of_name(exhibit->label);
	saying.text = arena_printf(&texts->context->arena, "%lld/%lld", (long long)compiles.frame,
		(long long)compiles.again);
	saying.cite = texts_cite(texts, exhibit, compiles.line);
	texts_say(texts, (int)compiles.rank, &saying);
}
