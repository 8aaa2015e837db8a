/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the stack that a dying thread's own handler wrote down. It gets names by the modules that
 * were gathered for it: found by build id if there is one on both sides, else by path.
 *
 * A process that lives has none: what it survived is not what it does.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/redact.h"
#include "base/str.h"
#include "decode/ring/ring-source.h"
#include "decode/stacks/decode-frames.h"
#include "decode/stacks/demangle.h"
#include "ring/ring-traceback.h"
#include "stack/merge.h"

/* One traceback on its way to a stack. */
struct trace_reading {
	struct ring_source *source;
	const struct ring_traceback *trace;
	struct arena *arena;
	struct stack_maps maps; /* its modules, for code that no module was gathered for */
	const struct module *modules[RING_TRACE_MODULES];
	struct unwind_stack native;
	struct python_thread python;
};

static bool trace_is_module(const struct ring_traceback *trace, const struct ring_trace_module *m,
	const struct module *module)
{
	if (m->build_id_len && module->build_id_len)
		return m->build_id_len == module->build_id_len &&
		       !memcmp(m->build_id, module->build_id, m->build_id_len);
	return !strcmp(trace->text + m->path, module->path);
}

/* Finds the gathered modules that are the traceback's. */
static void trace_find_modules(struct trace_reading *reading)
{
	const struct decode_host *host =
		context_host(reading->source->context, reading->source->who.host);
	size_t known = host->modules ? modules_count(host->modules) : 0;

	for (uint32_t i = 0; i < reading->trace->nmodules; i++) {
		for (size_t k = 0; k < known && !reading->modules[i]; k++) {
			const struct module *module = modules_at(host->modules, k);

			if (trace_is_module(reading->trace, reading->trace->module + i, module))
				reading->modules[i] = module;
		}
	}
}

static int trace_compare_modules(const void *va, const void *vb)
{
	const struct ring_trace_module *a = va, *b = vb;

	return (a->start > b->start) - (a->start < b->start);
}

/*
 * Writes the modules as /proc/PID/maps would have them, in order, and parses that; a path that
 * would break a line is left out.
 */
static void trace_map_modules(struct trace_reading *reading)
{
	struct ring_trace_module sorted[RING_TRACE_MODULES];
	struct str text = {0};

	memcpy(sorted, reading->trace->module, sizeof(sorted));
	qsort(sorted, reading->trace->nmodules, sizeof(*sorted), trace_compare_modules);
	for (uint32_t i = 0; i < reading->trace->nmodules; i++) {
		const char *path = reading->trace->text + sorted[i].path;

		if (!strchr(path, '\n'))
			str_printf(&text, "%llx-%llx r-xp 00000000 00:00 0 %s\n",
				(unsigned long long)sorted[i].start,
				(unsigned long long)sorted[i].end, path);
	}
	stack_maps_parse(&reading->maps, str_text(&text), text.len);
	str_release(&text);
}

static enum unwind_end trace_unwind_end(uint32_t end)
{
	switch (end) {
	case RING_TRACE_OUTERMOST:
		return UNWIND_OUTERMOST;
	case RING_TRACE_TOO_DEEP:
		return UNWIND_TOO_DEEP;
	case RING_TRACE_NO_INFO:
		return UNWIND_NO_INFO;
	default:
		return UNWIND_NO_MEMORY;
	}
}

static void trace_read_native(struct trace_reading *reading)
{
	const struct ring_traceback *trace = reading->trace;
	struct unwind_frame *frames = arena_new_many(reading->arena, struct unwind_frame,
		trace->nframes ? trace->nframes : 1);

	for (uint32_t i = 0; i < trace->nframes; i++) {
		const struct ring_trace_frame *f = trace->frame + i;

		frames[i].pc = f->pc;
		frames[i].sp = f->sp;
		frames[i].signal = f->flags & RING_TRACE_F_EXACT;
		frames[i].guessed = f->flags & RING_TRACE_F_GUESSED;
		if (!f->module || !reading->modules[f->module - 1])
			continue;
		frames[i].module = reading->modules[f->module - 1];
		frames[i].module_pc = f->pc - trace->module[f->module - 1].bias;
	}
	reading->native = (struct unwind_stack){
		.frames = frames,
		.nframes = trace->nframes,
		.end = trace_unwind_end(trace->end),
	};
}

static void trace_read_python(struct trace_reading *reading, uint32_t tid)
{
	const struct ring_traceback *trace = reading->trace;
	struct python_frame *frames = arena_new_many(
		reading->arena, struct python_frame, trace->npy ? trace->npy : 1);

	for (uint32_t i = 0; i < trace->npy; i++)
		frames[i] = (struct python_frame){
			.file = trace->text + trace->py[i].file,
			.function = trace->text + trace->py[i].function,
			.line = trace->py[i].line,
			.anchor = trace->py[i].anchor,
		};
	reading->python = (struct python_thread){
		.tid = tid,
		.frames = frames,
		.nframes = trace->npy,
		.cut = trace->python == RING_TRACE_PY_CUT ? "its frames were cut" : NULL,
	};
}

/* Returns what is missing, by the words of the walks; "" nothing. */
static const char *trace_cut(struct arena *arena, const struct ring_traceback *trace, int state)
{
	const char *native = "", *python = "";

	if (trace->end == RING_TRACE_NO_UNWINDER)
		native = "no native frames: libunwind is not installed where it ran";
	else if (state == 2 && trace->end == RING_TRACE_UNBEGUN)
		native = "its handler was interrupted";
	else
		native = unwind_end_text(trace_unwind_end(trace->end));
	if (trace->python == RING_TRACE_PY_CUT)
		python = "Python: its frames were cut";
	else if (trace->python == RING_TRACE_PY_UNKNOWN)
		python = "Python: an interpreter that is not known";
	return arena_printf(arena, "%s%s%s", native, *native && *python ? "; " : "", python);
}

static void trace_give(struct trace_reading *reading, const struct ring_fatal *fatal, int state)
{
	const struct ring_traceback *trace = reading->trace;
	const struct python_place place = {
		.version = trace->python_version,
		.eval_start = trace->eval_start,
		.eval_end = trace->eval_end,
	};
	struct ring_source *source = reading->source;
	struct decode_frames frames = {0};
	struct merged_stack merged = {0};
	struct job_stack stack = {
		.tid = fatal->tid,
		.main = fatal->tid == source->who.pid,
		.how = JOB_STACK_FATAL,
		.wchan = "",
		.syscall = "",
		.cpu_delta = JOB_UNKNOWN,
		.samples = 1,
		.when = ring_source_time(source, fatal->tsc),
	};

	merge_stacks(&reading->native, trace->npy ? &reading->python : NULL, &place, &merged);
	frames_add_merged(&frames, reading->arena, &reading->maps, &reading->native, &merged);
	frames_mark_plumbing(&frames, true);
	stack.thread = arena_text_max(reading->arena, fatal->thread, sizeof(fatal->thread));
	stack.merged = merged.merged;
	stack.cut = trace_cut(reading->arena, trace, state);
	stack.still = frames.all.nr;
	stack.cite = arena_printf(reading->arena, "fatal:%s", source->name);
	job_add_stack(source->builder, source->who, &stack, frames.all.items, frames.all.nr);
	merged_stack_release(&merged);
	array_release(&frames.all);
}

static void trace_decode(struct ring_source *source, const struct ring_fatal *fatal,
	const struct ring_traceback *trace, int state)
{
	struct trace_reading *reading = alloc_zeroed(1, sizeof(*reading));

	reading->source = source;
	reading->trace = trace;
	reading->arena = &source->context->arena;
	trace_find_modules(reading);
	trace_map_modules(reading);
	trace_read_native(reading);
	trace_read_python(reading, fatal->tid);
	trace_give(reading, fatal, state);
	stack_maps_release(&reading->maps);
	free(reading);
}

void ring_decode_tracebacks(struct ring_source *source)
{
	struct ring_traceback *trace;
	struct ring_fatal fatal;

	if (source->process->alive == JOB_YES)
		return;
	trace = alloc_zeroed(1, sizeof(*trace));
	for (uint64_t i = 0; i < ring_view_count(&source->view, RING_S_TRACES); i++) {
		int state = ring_view_traceback(&source->view, i, trace);

		if (state <= 0 || ring_view_fatal(&source->view, i, &fatal) <= 0)
			continue;
		if (trace->nframes || trace->npy || trace->end == RING_TRACE_NO_UNWINDER)
			trace_decode(source, &fatal, trace, state);
	}
	free(trace);
}

/* --- Last words ------------------------------------------------------------------------------- */

/*
 * Adds the name of an exception's type. A class is mangled as a function's name is, without the
 * prefix. Any other type (an int, a char const *) stays mangled.
 */
static void trace_add_type(struct str *into, const char *type)
{
	struct str symbol = {0}, readable = {0};

	str_printf(&symbol, "_Z%s", type);
	demangle_add(&readable, str_text(&symbol));
	str_add(into, strcmp(str_text(&readable), str_text(&symbol)) != 0 ? str_text(&readable)
									  : type);
	str_release(&symbol);
	str_release(&readable);
}

void ring_decode_last_words(struct ring_source *source)
{
	struct decode_log *log = &source->process->ring_log;
	struct ring_traceback *trace = alloc_zeroed(1, sizeof(*trace));
	struct str words = {0};

	for (uint64_t i = 0; i < ring_view_count(&source->view, RING_S_TRACES); i++) {
		if (ring_view_traceback(&source->view, i, trace) <= 0)
			continue;
		if (trace->message)
			str_printf(&words, "\n%s\n", trace->text + trace->message);
		if (trace->exception) {
			str_add(&words, "\nterminate called after throwing an instance of '");
			trace_add_type(&words, trace->text + trace->exception);
			str_add(&words, "'\n");
		}
	}
	if (words.len && source->process->alive != JOB_YES) {
		struct str all = {0};

		str_add_bytes(&all, log->len ? log->text : "", log->len);
		str_add_bytes(&all, str_text(&words), words.len);
		redact_text(all.text, all.len);
		log->text = arena_copy(&source->context->arena, str_text(&all), all.len);
		log->len = all.len;
		log->when = source->exhibit->when;
		str_release(&all);
	}
	str_release(&words);
	free(trace);
}
