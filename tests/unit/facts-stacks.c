/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks made by hand, of one line each. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/facts.h"

/* One frame as facts_stack() has it; cuts the text. */
static struct job_frame frame_of(char *text)
{
	char *at = strchr(text, '@'), *line = at ? strrchr(at, ':') : NULL, *file;
	struct job_frame frame = {.function = text, .module = "", .file = ""};

	assert_non_null(at);
	*at++ = '\0';
	file = line ? strchr(at, '|') : NULL;
	if (file) {
		*file++ = '\0';
		frame.module = at;
		at = file;
	}
	if (line) {
		*line = '\0';
		frame.line = atoi(line + 1);
		frame.file = at;
		frame.kind = strstr(at, ".py") || *at == '<' ? JOB_FRAME_PYTHON : JOB_FRAME_NATIVE;
	} else if (!strcmp(at, "kernel")) {
		frame.kind = JOB_FRAME_KERNEL;
	} else {
		frame.module = at;
	}
	return frame;
}

void facts_give_stack(const struct facts *f, struct job_builder *b, struct job_who who,
	const struct facts_extra *e)
{
	struct job_stack stack = e->is.stack.fact;
	struct job_frame frames[32];
	char text[2048], *at = text, *next;
	size_t n = 0;

	assert_true(strlen(e->is.stack.frames) < sizeof(text));
	strcpy(text, e->is.stack.frames);
	for (; at && *at; at = next) {
		next = strstr(at, " < ");
		if (next) {
			*next = '\0';
			next += 3;
		}
		assert_true(n < 32);
		frames[n++] = frame_of(at);
	}
	if (stack.still > n)
		stack.still = n;
	job_add_stack(b, who, &stack, frames, n);
	if (e->is.stack.fact.main)
		job_add_snapshot(b, who,
			&(struct job_snapshot){.samples = e->is.stack.fact.samples,
				.threads = f->stack_threads,
				.span = (int64_t)(f->stack_span * 1e9),
				.when = facts_ns(FACTS_NOW),
				.cite = "stacks"});
}
