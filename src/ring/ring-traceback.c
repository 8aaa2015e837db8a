/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-traceback.h"

#include <string.h>

#include "ring/ring-read.h"

static uint32_t trace_at_most(uint32_t n, uint32_t most)
{
	return n < most ? n : most;
}

/* Returns `at` if a text begins there, else 0. */
static uint32_t trace_text(const struct ring_traceback *t, uint32_t at)
{
	return at && at < t->text_len && !t->text[at - 1] ? at : 0;
}

/*
 * Cuts counts and enums of a copied traceback to what its arrays hold, and ends its texts with a
 * NUL.
 */
static void trace_bound_counts(struct ring_traceback *t)
{
	t->nframes = trace_at_most(t->nframes, RING_TRACE_FRAMES);
	t->nmodules = trace_at_most(t->nmodules, RING_TRACE_MODULES);
	t->npy = trace_at_most(t->npy, RING_TRACE_PYTHON);
	t->text_len = trace_at_most(t->text_len, RING_TRACE_TEXT);
	t->text[0] = 0;
	if (t->text_len)
		t->text[t->text_len - 1] = 0;
	t->text[RING_TRACE_TEXT - 1] = 0;
	if (t->end >= RING_TRACE_ENDS)
		t->end = RING_TRACE_UNBEGUN;
	if (t->python >= RING_TRACE_PYS)
		t->python = RING_TRACE_PY_UNKNOWN;
}

/* Clears each index and text offset that leads nowhere. Call it after trace_bound_counts(). */
static void trace_bound_entries(struct ring_traceback *t)
{
	t->message = trace_text(t, t->message);
	t->exception = trace_text(t, t->exception);
	for (uint32_t i = 0; i < t->nframes; i++)
		if (t->frame[i].module > t->nmodules)
			t->frame[i].module = 0;
	for (uint32_t i = 0; i < t->nmodules; i++) {
		struct ring_trace_module *m = t->module + i;

		m->path = trace_text(t, m->path);
		m->build_id_len = trace_at_most(m->build_id_len, RING_TRACE_ID);
	}
	for (uint32_t i = 0; i < t->npy; i++) {
		t->py[i].file = trace_text(t, t->py[i].file);
		t->py[i].function = trace_text(t, t->py[i].function);
	}
}

int ring_view_traceback(const struct ring_view *view, uint64_t i, struct ring_traceback *ret)
{
	const struct ring_part *part = &view->part[RING_S_TRACES];
	const uint8_t *at;

	if (i >= part->count)
		return -1;
	at = part->at + i * part->elem_size;
	if (ring_is_unused(at))
		return 0;
	memcpy(ret, at, sizeof(*ret));
	trace_bound_counts(ret);
	trace_bound_entries(ret);
	return ret->seq == 2 ? 1 : 2;
}

const char *ring_trace_end_name(unsigned end)
{
	static const char *const names[RING_TRACE_ENDS] = {
		[RING_TRACE_UNBEGUN] = "unbegun",
		[RING_TRACE_OUTERMOST] = "outermost",
		[RING_TRACE_NO_INFO] = "no-unwind-info",
		[RING_TRACE_NO_MEMORY] = "no-memory",
		[RING_TRACE_TOO_DEEP] = "too-deep",
		[RING_TRACE_NO_UNWINDER] = "no-libunwind",
	};

	return end < RING_TRACE_ENDS ? names[end] : NULL;
}

const char *ring_trace_python_name(unsigned python)
{
	static const char *const names[RING_TRACE_PYS] = {
		[RING_TRACE_PY_NONE] = "none",
		[RING_TRACE_PY_WHOLE] = "whole",
		[RING_TRACE_PY_CUT] = "cut",
		[RING_TRACE_PY_UNKNOWN] = "unknown-interpreter",
	};

	return python < RING_TRACE_PYS ? names[python] : NULL;
}
