/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk goes _PyRuntime -> interpreters -> threads -> frames -> code objects. Each of the three
 * lists is a stranger's: its length is bounded, and it is watched for circles by remembering one
 * element and comparing those that follow with it (at each power of two a newer one). That costs
 * nothing, and ends any circle after at most twice its length.
 *
 * A thread that runs meanwhile may show anything. What makes no sense ends the frames of that
 * thread, with words; it is never an error of the whole.
 */
#include "stack/python-frames.h"

#include <string.h>

#include "base/array.h"
#include "cpython/layout.h"
#include "cpython/lines.h"
#include "stack/python-code.h"
#include "stack/python-layout.h"
#include "stack/python-objects.h"

#define PYTHON_INTERPRETERS 1024
#define PYTHON_THREADS      4096   /* threads of all interpreters */
#define PYTHON_GIL_SIZE     208    /* of struct _gil_runtime_state, with its conditions */
#define PYTHON_STEPS        262144 /* frames walked, in all threads */

#define TID_MAX (1u << 22) /* the kernel's limit (PID_MAX_LIMIT) */

/*
 * Watches a list for circles: `mark` is an element seen earlier, the one number `next` becomes the
 * mark.
 */
struct python_steps {
	uint64_t mark;
	size_t taken, next;
};

/* Notes one element of a list. True if it is the marked one, so that the list goes in a circle. */
static bool python_step_again(struct python_steps *steps, uint64_t at)
{
	if (steps->taken && at == steps->mark)
		return true;
	if (steps->taken++ == steps->next) {
		steps->mark = at;
		steps->next = steps->next * 2 + 1;
	}
	return false;
}

/* What is being read, and what was found. */
struct python_walk {
	struct python_reader reader;
	struct python_layout layout;
	uint64_t runtime;
	ARRAY(struct python_thread) threads;
	ARRAY(uint64_t) states; /* address of each thread's state */
	ARRAY(struct python_frame) frames;
	size_t steps; /* from frame to frame, so far */
	struct python_stacks *ret;
};

/* Reads one word of the process. Returns 0 or -errno. */
static int python_u64(const struct python_walk *walk, uint64_t at, uint64_t *ret)
{
	return stack_memory_u64(walk->reader.memory, at, ret);
}

/*
 * A frame as its structure says: its caller, its code object, and where it is in the code (before
 * 3.11 the number of the instruction, later the address).
 */
struct python_raw {
	uint64_t back, code, at;
	uint8_t entry; /* is_entry or owner */
};

/* Reads a frame's structure. Returns 0, or negative if it cannot be read. */
static int python_raw_read(struct python_walk *walk, uint64_t frame, struct python_raw *raw)
{
	const struct python_offsets *of = &walk->layout.at;
	uint32_t lasti;

	raw->entry = 0;
	if (python_u64(walk, frame + of->frame_back, &raw->back) < 0 ||
		python_u64(walk, frame + of->frame_code, &raw->code) < 0)
		return -1;
	if (walk->layout.runs != PYTHON_RUNS_OF_ONE) {
		if (stack_memory_read(walk->reader.memory, frame + of->frame_entry, &raw->entry,
			    sizeof(raw->entry)) < 0)
			return -1;
		return python_u64(walk, frame + of->frame_at, &raw->at);
	}
	if (stack_memory_u32(walk->reader.memory, frame + of->frame_at, &lasti) < 0)
		return -1;
	raw->at = (uint64_t)(int32_t)lasti;
	return 0;
}

/* Returns which instruction a frame is at, in the units of its line table. */
static int64_t python_raw_at(const struct python_walk *walk, const struct python_raw *raw)
{
	uint64_t start = raw->code + walk->layout.at.code_start;

	if (walk->layout.runs == PYTHON_RUNS_OF_ONE)
		return (int64_t)raw->at;
	return (int64_t)(raw->at - start) >> 1;
}

/* The frames of one thread while they are walked. */
struct python_run {
	uint64_t cframe; /* the _PyCFrame of this run; 3.11 only */
	size_t first;    /* the run's first frame in walk->frames */
};

/* Ends a run: its outermost frame learns the address of what entered it. */
static void python_run_end(struct python_walk *walk, struct python_run *run, uint64_t anchor)
{
	if (walk->frames.nr > run->first)
		walk->frames.items[walk->frames.nr - 1].anchor = anchor;
	run->first = walk->frames.nr;
}

/*
 * Adds a function's frame to walk->frames, if it is none of the interpreter's own. Returns NULL, or
 * why the walk must end here.
 */
static const char *python_frame_add(
	struct python_walk *walk, uint64_t at, struct python_raw *raw)
{
	const struct python_code *code;
	struct python_frame *frame;

	code = python_code_at(&walk->reader, raw->code);
	if (!code)
		return "a frame that makes no sense";
	if (code->trampoline)
		return NULL;
	raw->code = code->at;
	frame = array_add(&walk->frames);
	frame->at = at;
	frame->file = code->file;
	frame->function = code->function;
	frame->line = python_line(walk->layout.lines, code->lines, code->lines_len,
		code->first_line, python_raw_at(walk, raw));
	return NULL;
}

/*
 * Takes the frame at `at` into walk->frames if it is a function's, and ends the run where it was
 * entered. Returns NULL, or why the walk must end here.
 */
static const char *python_frame_take(
	struct python_walk *walk, struct python_run *run, uint64_t at, struct python_raw *raw)
{
	const char *cut;

	if (python_raw_read(walk, at, raw) < 0)
		return "a frame that cannot be read";
	if (walk->layout.runs == PYTHON_RUNS_SHIMS) {
		if (raw->entry >= PYTHON_OWNERS)
			return "a frame that makes no sense";
		if (raw->entry >= PYTHON_SHIM) {
			python_run_end(walk, run, at);
			return NULL;
		}
	}
	cut = python_frame_add(walk, at, raw);
	if (cut || walk->layout.runs != PYTHON_RUNS_CFRAMES || !raw->entry)
		return cut;
	python_run_end(walk, run, run->cframe);
	if (python_u64(walk, run->cframe + walk->layout.at.cframe_previous, &run->cframe) < 0)
		return "a frame that cannot be read";
	return NULL;
}

/*
 * Takes all frames, from the innermost one at `at` outwards, into walk->frames. Returns NULL, or
 * why not all.
 */
static const char *python_frames_walk(struct python_walk *walk, uint64_t at, uint64_t cframe)
{
	struct python_run run = {.cframe = cframe};
	struct python_steps steps = {0};

	while (at) {
		struct python_raw raw;
		const char *cut;

		if (python_step_again(&steps, at))
			return "its frames go in a circle";
		if (walk->frames.nr == PYTHON_FRAMES)
			return "more than 4096 frames";
		if (walk->steps++ >= PYTHON_STEPS)
			return "too many frames in all threads";
		cut = python_frame_take(walk, &run, at, &raw);
		if (cut)
			return cut;
		at = raw.back;
	}
	return NULL;
}

/*
 * Takes a thread's frames into walk->frames; `state` is the address of its PyThreadState. Returns
 * NULL, or why not all.
 */
static const char *python_thread_frames(struct python_walk *walk, uint64_t state)
{
	uint64_t frame, cframe = 0;

	if (python_u64(walk, state + walk->layout.at.thread_frame, &frame) < 0)
		return "a frame that cannot be read";
	if (walk->layout.cframes) {
		cframe = frame;
		if (!cframe)
			return NULL;
		if (python_u64(walk, cframe + walk->layout.at.cframe_frame, &frame) < 0)
			return "a frame that cannot be read";
	}
	return python_frames_walk(walk, frame, cframe);
}

/*
 * Returns the thread's tid as its process knows it, from its state (3.11 on) or from glibc's struct
 * pthread; 0 not known.
 */
static uint64_t python_thread_tid(struct python_walk *walk, uint64_t state)
{
	const struct python_offsets *of = &walk->layout.at;
	uint64_t ident, tid = 0;
	uint32_t of_pthread;

	if (of->thread_tid) {
		if (python_u64(walk, state + of->thread_tid, &tid) < 0)
			return 0;
		return tid < TID_MAX ? tid : 0;
	}
	if (python_u64(walk, state + of->thread_ident, &ident) < 0)
		return 0;
	if (stack_memory_u32(walk->reader.memory, ident + PTHREAD_TID, &of_pthread) < 0)
		return 0;
	return of_pthread < TID_MAX ? of_pthread : 0;
}

/*
 * Offsets in an entry of the stack of handlers (_PyErr_StackItem). From 3.11 on it holds the
 * exception alone, before that the exception's type, too.
 */
#define HANDLER_VALUE	 (walk->layout.runs == PYTHON_RUNS_OF_ONE ? 8u : 0u)
#define HANDLER_PREVIOUS (walk->layout.runs == PYTHON_RUNS_OF_ONE ? 24u : 8u)
#define HANDLERS_MOST	 64 /* entries looked at: each generator that runs has its own */

/* Offsets in objects: an exception's arguments, which are a tuple; the tuple's size, first item. */
#define EXCEPTION_ARGS 24
#define TUPLE_SIZE     16
#define TUPLE_FIRST    24

/*
 * Returns the first argument of an exception if it is a str, which is what the exception says; else
 * NULL.
 */
static const char *python_exception_text(struct python_walk *walk, uint64_t value)
{
	uint64_t args, size, first;

	if (python_u64(walk, value + EXCEPTION_ARGS, &args) < 0 || !args ||
		python_u64(walk, args + TUPLE_SIZE, &size) < 0 || !size ||
		python_u64(walk, args + TUPLE_FIRST, &first) < 0)
		return NULL;
	return python_text(&walk->reader, first);
}

/*
 * Returns the exception that the thread handles, in words, and notes in `thread` where its text
 * lies; NULL if there is none.
 */
static const char *python_thread_handling(
	struct python_walk *walk, uint64_t state, struct python_thread *thread)
{
	char name[PYTHON_TYPE_NAME];
	const char *text;
	uint64_t handler, value;

	if (!walk->layout.at.thread_exc ||
		python_u64(walk, state + walk->layout.at.thread_exc, &handler) < 0)
		return NULL;
	for (size_t i = 0; handler && i < HANDLERS_MOST; i++) {
		if (python_u64(walk, handler + HANDLER_VALUE, &value) < 0)
			return NULL;
		if (value && python_type_name(walk->reader.memory, value, name) &&
			strcmp(name, "NoneType") != 0)
			break;
		if (python_u64(walk, handler + HANDLER_PREVIOUS, &handler) < 0)
			return NULL;
		value = 0;
	}
	if (!handler || !value)
		return NULL;
	text = python_exception_text(walk, value);
	if (text) {
		thread->said_at = walk->reader.text_at;
		thread->said_nr = walk->reader.text_nr;
		thread->said_kind = walk->reader.text_kind;
	}
	return arena_printf(&walk->ret->arena, "%s%s%.400s", name, text && *text ? ": " : "",
		text ? text : "");
}

/* Adds a thread with its frames. `interpreter` is the number of its interpreter. */
static void python_thread_add(struct python_walk *walk, uint64_t state, uint64_t interpreter)
{
	struct python_thread *thread = array_add(&walk->threads);

	*array_add(&walk->states) = state;
	walk->frames.nr = 0;
	thread->tid = python_thread_tid(walk, state);
	thread->interpreter = interpreter;
	thread->cut = python_thread_frames(walk, state);
	thread->handling = python_thread_handling(walk, state, thread);
	thread->nframes = walk->frames.nr;
	thread->frames = arena_copy(&walk->ret->arena, walk->frames.items,
		walk->frames.nr * sizeof(*walk->frames.items));
}

/*
 * Adds all threads of the interpreter at an address. Returns NULL, or why that is not in good
 * order.
 */
static const char *python_threads_walk(
	struct python_walk *walk, uint64_t interpreter, uint64_t number)
{
	const struct python_offsets *of = &walk->layout.at;
	struct python_steps steps = {0};
	uint64_t state, back;

	if (python_u64(walk, interpreter + of->interp_threads, &state) < 0)
		return "an interpreter that cannot be read";
	while (state) {
		if (python_step_again(&steps, state))
			return "a list of threads that goes in a circle";
		if (walk->threads.nr == PYTHON_THREADS)
			return "more than 4096 threads";
		if (python_u64(walk, state + of->thread_interp, &back) < 0)
			return "a thread that cannot be read";
		if (back != interpreter)
			return "a thread that does not lead back to its interpreter";
		python_thread_add(walk, state, number);
		if (python_u64(walk, state + of->thread_next, &state) < 0)
			return "a thread that cannot be read";
	}
	return NULL;
}

/*
 * An interpreter's GIL: its address (0 not known), and the PyThreadState of the thread that has it
 * (0 nobody). `known`: the holder could be read.
 */
struct python_gil {
	bool known;
	uint64_t at;
	uint64_t holder;
};

/* Reads an interpreter's GIL. Where the layout has `current`, there is one GIL in the runtime. */
static struct python_gil python_gil_read(const struct python_walk *walk, uint64_t interpreter)
{
	const struct python_offsets *of = &walk->layout.at;
	struct python_gil gil = {0};
	uint64_t at;
	uint32_t locked;

	if (of->current) {
		gil.at = walk->runtime + of->gil;
		gil.known = python_u64(walk, walk->runtime + of->current, &gil.holder) == 0;
		return gil;
	}
	if (python_u64(walk, interpreter + of->interp_gil, &at) < 0 || !at)
		return gil;
	if (stack_memory_u32(walk->reader.memory, at + of->gil_locked, &locked) < 0 || locked > 1)
		return gil;
	gil.at = at;
	gil.known = true;
	if (locked) /* else the field still names who had it last */
		gil.known = python_u64(walk, at + of->gil_holder, &gil.holder) == 0;
	return gil;
}

/* Marks which of the threads from number `first` on, those of one interpreter, has its GIL. */
static void python_gil_tell(struct python_walk *walk, const struct python_gil *gil, size_t first)
{
	for (size_t i = first; gil->holder && i < walk->threads.nr; i++)
		walk->threads.items[i].holds_gil = walk->states.items[i] == gil->holder;
}

/*
 * Writes the main interpreter's GIL into the result. Other interpreters may share it, so that one
 * of their threads may hold it.
 */
static void python_gil_give(struct python_walk *walk, const struct python_gil *gil)
{
	walk->ret->gil_known = gil->known;
	walk->ret->gil_locked = gil->holder != 0;
	walk->ret->gil_at = gil->at;
	walk->ret->gil_end = gil->at ? gil->at + PYTHON_GIL_SIZE : 0;
	for (size_t i = 0; gil->holder && i < walk->threads.nr; i++)
		if (walk->states.items[i] == gil->holder)
			walk->ret->gil_holder = walk->threads.items[i].tid;
}

/* Walks all interpreters. Returns NULL, or why they are not in good order. */
static const char *python_interpreters_walk(struct python_walk *walk)
{
	const struct python_offsets *of = &walk->layout.at;
	struct python_steps steps = {0};
	struct python_gil gil, main_gil = {0};
	const char *wrong = NULL;
	uint64_t at, number;
	size_t nr = 0;

	if (python_u64(walk, walk->runtime + of->interpreters, &at) < 0)
		return "a runtime that cannot be read";
	if (!at)
		return "no interpreter";
	while (at && !wrong) {
		size_t first = walk->threads.nr;

		if (python_step_again(&steps, at))
			return "a list of interpreters that goes in a circle";
		if (nr++ == PYTHON_INTERPRETERS)
			return "more than 1024 interpreters";
		if (python_u64(walk, at + of->interp_id, &number) < 0)
			return "an interpreter that cannot be read";
		wrong = python_threads_walk(walk, at, number);
		gil = python_gil_read(walk, at);
		python_gil_tell(walk, &gil, first);
		if (number == 0)
			main_gil = gil;
		if (!wrong && python_u64(walk, at + of->interp_next, &at) < 0)
			wrong = "an interpreter that cannot be read";
	}
	python_gil_give(walk, &main_gil);
	return wrong;
}

/* Hands what was found over to walk->ret, and frees the rest. */
static void python_walk_give(struct python_walk *walk)
{
	walk->ret->nthreads = walk->threads.nr;
	walk->ret->threads = arena_copy(&walk->ret->arena, walk->threads.items,
		walk->threads.nr * sizeof(*walk->threads.items));
	array_release(&walk->threads);
	array_release(&walk->states);
	array_release(&walk->frames);
	python_reader_release(&walk->reader);
}

int python_stacks_read(struct stack_memory *memory, const struct python_place *place,
	struct python_stacks *ret, struct complaint *why)
{
	struct python_walk walk = {.runtime = place->runtime, .ret = ret};
	const char *wrong;

	*ret = (struct python_stacks){0};
	ret->refused = python_layout_find(
		memory, place->runtime, place->version, &walk.layout, &ret->arena);
	ret->version = walk.layout.version;
	if (ret->refused)
		return 0;
	walk.reader = (struct python_reader){
		.memory = memory,
		.layout = &walk.layout,
		.arena = &ret->arena,
	};
	wrong = python_interpreters_walk(&walk);
	python_walk_give(&walk);
	if (wrong)
		return complaint_set(
			why, "Python at 0x%llx: %s", (unsigned long long)place->runtime, wrong);
	return 0;
}

bool python_place_holds(struct stack_memory *memory, const struct python_place *place,
	const char **refused, struct arena *arena)
{
	struct python_layout layout;
	const char *words;
	uint64_t interpreter, thread, back;

	words = python_layout_find(memory, place->runtime, place->version, &layout, arena);
	if (refused)
		*refused = words;
	if (words ||
		stack_memory_u64(memory, place->runtime + layout.at.interpreters, &interpreter) < 0)
		return false;
	if (!interpreter ||
		stack_memory_u64(memory, interpreter + layout.at.interp_threads, &thread) < 0)
		return false;
	return thread && stack_memory_u64(memory, thread + layout.at.thread_interp, &back) == 0 &&
	       back == interpreter;
}

void python_stacks_release(struct python_stacks *stacks)
{
	if (!stacks)
		return;
	arena_release(&stacks->arena);
	*stacks = (struct python_stacks){0};
}
