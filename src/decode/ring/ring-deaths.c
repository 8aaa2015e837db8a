/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the fatal area: what a process' own handler wrote down of its death. */
#include <string.h>

#include "decode/ring/ring-source.h"

/* True if a process sent the signal, and the hardware did not raise it. */
static bool fatal_was_sent(const struct ring_fatal *fatal)
{
	return fatal->code <= 0;
}

static void deaths_signal(
	struct ring_source *source, const struct ring_fatal *fatal, const char *cite)
{
	const struct job_signal signal = {
		.signo = fatal->signo,
		.code = fatal->code,
		.sender = fatal_was_sent(fatal) && fatal->sender_pid > 0
				  ? (uint32_t)fatal->sender_pid
				  : 0,
		.sender_role = JOB_NONE,
		.from_self = fatal_was_sent(fatal) && fatal->sender_pid == (int32_t)source->who.pid,
		.fatal = true,
		.abort_call = fatal->via_abort != 0,
		.thread = arena_text_max(
			&source->context->arena, fatal->thread, sizeof(fatal->thread)),
		.tid = fatal->tid,
		.when = ring_source_time(source, fatal->tsc),
		.cite = cite,
	};

	source->process->fatal_told = true;

	job_add_signal(source->builder, source->who, &signal);
}

void ring_decode_deaths(struct ring_source *source)
{
	uint64_t deaths = ring_view_count(&source->view, RING_S_FATAL);

	for (uint64_t i = 0; i < deaths; i++) {
		const char *cite =
			arena_printf(&source->context->arena, "fatal:%s", source->name);
		struct ring_fatal fatal;
		int state = ring_view_fatal(&source->view, i, &fatal);

		if (state <= 0 || fatal.signo <= 0 || fatal.signo > 64)
			continue;
		deaths_signal(source, &fatal, cite);
		context_end(source->process, &(const struct decode_end){
						     .witness = WITNESS_FATAL,
						     .end = JOB_SIGNALED,
						     .status = fatal.signo,
						     .when = ring_source_time(source, fatal.tsc),
						     .cite = cite,
					     });
	}
}
