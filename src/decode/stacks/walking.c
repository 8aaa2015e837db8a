/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the stacks of a snapshot. One that could not be walked to its end tells why in `cut`; one
 * that could not be had at all is a loss.
 */
#include "decode/stacks/walking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/redact.h"
#include "decode/stacks/decode-frames.h"

#define WALKING_THREADS_PYTHON 8 /* the most interpreters that know one thread */

/*
 * A snapshot may have so many frames, and one more for each so many bytes of memory that were kept.
 */
#define WALKING_FRAMES 65536
#define WALKING_BYTES  16

void walking_lose(struct job_builder *builder, struct decode_context *context,
	const struct decode_process *process, const char *what)
{
	const struct job_loss loss = {
		.what = what,
		.count = JOB_UNKNOWN,
		.cite = arena_printf(&context->arena, "stacks:%s", context_name(context, process)),
	};

	job_add_loss(builder, process->who, &loss);
}

static void read_python(struct walking *walking)
{
	const struct snapshot *snapshot = walking->snapshot;

	for (size_t i = 0; i < snapshot->nplaces && i < PYTHON_PLACES && snapshot->memory; i++) {
		struct complaint why = {0};
		int status = python_stacks_read(excerpt_memory(snapshot->memory),
			&snapshot->places[i], &walking->python[i], &why);
		const char *words = walking->python[i].refused;

		if (!words && status < 0)
			words = complaint_text(&why);
		if (words)
			walking->refused[i] =
				arena_printf(walking->arena, "Python frames: %s", words);
		complaint_release(&why);
	}
}

void walking_begin(struct walking *walking, const struct decode_host *host)
{
	const struct snapshot *snapshot = walking->snapshot;

	stack_maps_parse(&walking->maps, snapshot->maps, strlen(snapshot->maps));
	walking->modules = host->modules;
	if (!walking->modules)
		walking->modules = walking->none = modules_new();
	if (!snapshot->memory)
		walking->empty = excerpt_new(NULL);
	walking->unwinder = unwinder_new(&walking->maps, walking->modules,
		excerpt_memory(snapshot->memory ? snapshot->memory : walking->empty));
	read_python(walking);
	walking->frames_left = WALKING_FRAMES;
	if (snapshot->memory)
		walking->frames_left += excerpt_size(snapshot->memory) / WALKING_BYTES;
}

void walking_stop(struct walking *walking)
{
	unwinder_free(walking->unwinder);
	excerpt_free(walking->empty);
	modules_free(walking->none);
	stack_maps_release(&walking->maps);
	walking->unwinder = NULL;
	walking->empty = NULL;
	walking->none = walking->modules = NULL;
}

void walking_end(struct walking *walking)
{
	walking_stop(walking);
	for (size_t i = 0; i < PYTHON_PLACES; i++)
		python_stacks_release(&walking->python[i]);
}

/* --- One thread of it ------------------------------------------------------------------------- */

/* What Python knows of one thread, by one runtime, all of whose interpreters may know it. */
struct known_python {
	const struct python_thread *threads[WALKING_THREADS_PYTHON];
	size_t nr;
	const struct python_place *place;
	enum job_known holds_gil;
};

static void find_python(const struct walking *walking, const struct snapshot_thread *thread,
	struct known_python *ret)
{
	for (size_t i = 0; i < walking->snapshot->nplaces && i < PYTHON_PLACES && !ret->nr; i++) {
		const struct python_stacks *stacks = &walking->python[i];

		for (size_t k = 0; k < stacks->nthreads && ret->nr < WALKING_THREADS_PYTHON; k++) {
			const struct python_thread *known = &stacks->threads[k];

			if (known->tid != (thread->own ? thread->own : thread->tid))
				continue;
			ret->threads[ret->nr++] = known;
			ret->place = &walking->snapshot->places[i];
			if (known->holds_gil)
				ret->holds_gil = JOB_YES;
		}
		if (ret->holds_gil == JOB_MAYBE && stacks->gil_known)
			ret->holds_gil = JOB_NO;
	}
}

/*
 * True if the thread waits for Python's lock, by the futex that it sleeps in, whatever its frames
 * are called.
 */
static bool waits_for_gil(const struct walking *walking, const struct snapshot_thread *thread)
{
	if (!thread->in_syscall || strcmp(frames_syscall(thread->syscall), "futex") != 0)
		return false;
	for (size_t i = 0; i < walking->snapshot->nplaces && i < PYTHON_PLACES; i++) {
		const struct python_stacks *stacks = &walking->python[i];

		if (thread->args[0] >= stacks->gil_at && thread->args[0] < stacks->gil_end)
			return true;
	}
	return false;
}

static bool has_registers(const struct snapshot_thread *thread)
{
	const uint32_t needed = 1u << UNWIND_SP | 1u << UNWIND_IP;

	return (thread->regs.known & needed) == needed;
}

/*
 * Adds where a thread sits in the kernel; of one that waits for a device or a file server, all of
 * the way.
 */
static void add_kernel(
	struct decode_frames *into, struct arena *arena, const struct snapshot_thread *thread)
{
	if (thread->state == 'S' || thread->state == 'D')
		frames_add_kernel(into, arena, thread->kernel, thread->wchan, thread->state == 'D');
}

/* Returns why a thread could not be read. */
static const char *failure(struct arena *arena, int error)
{
	switch (error) {
	case ESRCH:
		return "it ended meanwhile";
	case EPERM:
	case EACCES:
		return "not allowed to look at it";
	case ETIMEDOUT:
		return "it did not stop in time";
	case 0:
		return "nothing was read of it";
	default:
		return arena_printf(arena, "it could not be read (error %d)", error);
	}
}

/* Walks a thread both ways, native and Python, into the new reading. */
static void walk_thread(struct walking *walking, const struct snapshot_thread *thread,
	const struct known_python *python, struct decode_frames *frames, struct sampled_thread *ret)
{
	struct arena *arena = walking->arena;
	struct merged_stack merged = {0};
	struct unwind_stack native = {0};

	unwinder_walk(walking->unwinder, &thread->regs, &native);
	merge_stacks_of_all(&native, python->threads, python->nr, python->place, &merged);
	add_kernel(frames, arena, thread);
	frames_add_merged(frames, arena, &walking->maps, &native, &merged);
	ret->fact.merged = merged.merged;
	ret->fact.cut = unwind_end_text(native.end);
	ret->hidden = unwind_wants_registers(&native);
	if (thread->deeper && !*ret->fact.cut) {
		ret->fact.cut = "it runs: frames further in only by stopping it";
		ret->hidden = true;
	}
	merged_stack_release(&merged);
	unwind_stack_release(&native);
}

/*
 * Takes the Python frames of a thread that ran, the most it has: they were read without stopping
 * it.
 */
static void take_python(struct walking *walking, const struct snapshot_thread *thread,
	const struct known_python *python, struct decode_frames *frames, struct sampled_thread *ret)
{
	struct arena *arena = walking->arena;

	for (size_t i = 0; i < python->nr; i++)
		for (size_t k = 0; k < python->threads[i]->nframes; k++)
			frames_add_python(frames, arena, &python->threads[i]->frames[k]);
	ret->partial = true;
	ret->fact.cut = thread->how == SNAPSHOT_RUNNING
				? "it ran: its native frames only by stopping it"
				: failure(arena, thread->error);
	ret->hidden = thread->how == SNAPSHOT_RUNNING;
}

/*
 * Walks a thread that runs. Its native frames count if they lead further in than Python's: others
 * only say what Python's say, and differ from one moment to the next.
 */
static void walk_runner(struct walking *walking, const struct snapshot_thread *thread,
	const struct known_python *python, struct decode_frames *frames, struct sampled_thread *ret)
{
	if (has_registers(thread)) {
		walk_thread(walking, thread, python, frames, ret);
		if (!python->nr || (ret->fact.merged && frames->all.nr &&
					   frames->all.items[0].kind == JOB_FRAME_NATIVE))
			return;
		array_release(&frames->all);
		ret->fact.merged = false;
	}
	take_python(walking, thread, python, frames, ret);
}

/* True if all of Python's frames are there, and no known frame stands further out. */
static bool is_rooted(const struct known_python *python, const struct decode_frames *frames)
{
	for (size_t i = 0; i < python->nr; i++)
		if (python->threads[i]->cut)
			return false;
	return frames->all.nr && frames->all.items[frames->all.nr - 1].kind == JOB_FRAME_PYTHON;
}

/* Adds Python's own words about frames that are missing, behind those about native ones. */
static void add_python_cut(
	struct arena *arena, const struct known_python *python, struct sampled_thread *ret)
{
	for (size_t i = 0; i < python->nr; i++) {
		const char *cut = python->threads[i]->cut;

		if (cut)
			ret->fact.cut = arena_printf(arena, "%s%sPython: %s", ret->fact.cut,
				*ret->fact.cut ? "; " : "", cut);
	}
}

/*
 * Returns what the thread handles, by the first of its interpreters' threads that handles anything.
 */
static const char *handling_of(struct arena *arena, const struct known_python *python)
{
	for (size_t i = 0; i < python->nr; i++)
		if (python->threads[i]->handling) {
			char *text = arena_text(arena, python->threads[i]->handling);

			redact_text(text, strlen(text));
			return text;
		}
	return "";
}

static enum job_stack_how how_of(const struct snapshot_thread *thread)
{
	switch (thread->how) {
	case SNAPSHOT_STOPPED:
		return JOB_STACK_STOPPED;
	case SNAPSHOT_CORE:
		return JOB_STACK_CORE;
	default:
		return JOB_STACK_PEEKED;
	}
}

void walking_read(
	struct walking *walking, const struct snapshot_thread *thread, struct sampled_thread *ret)
{
	struct arena *arena = walking->arena;
	struct known_python python = {.holds_gil = JOB_MAYBE};
	struct decode_frames frames = {0};

	if (!walking->frames_left) {
		ret->fact.cut = "more frames than what was kept of its memory can hold";
		ret->fact.how = JOB_STACK_NONE;
		return;
	}
	find_python(walking, thread, &python);
	if (thread->how == SNAPSHOT_RUNNING)
		walk_runner(walking, thread, &python, &frames, ret);
	else if (thread->how != SNAPSHOT_FAILED && has_registers(thread))
		walk_thread(walking, thread, &python, &frames, ret);
	else
		take_python(walking, thread, &python, &frames, ret);
	add_python_cut(arena, &python, ret);
	frames_mark_plumbing(&frames, thread->how == SNAPSHOT_CORE);
	ret->fact.rooted = is_rooted(&python, &frames);
	ret->frames =
		arena_copy(arena, frames.all.items, frames.all.nr * sizeof(*frames.all.items));
	ret->nframes = frames.all.nr;
	walking->frames_left -=
		ret->nframes < walking->frames_left ? ret->nframes : walking->frames_left;
	ret->fact.how = ret->nframes ? how_of(thread) : JOB_STACK_NONE;
	ret->fact.still = ret->nframes;
	ret->fact.holds_gil = python.holds_gil;
	ret->fact.handling = handling_of(arena, &python);
	array_release(&frames.all);
}

void walking_facts(const struct walking *walking, const struct snapshot_thread *thread,
	struct sampled_thread *ret)
{
	struct arena *arena = walking->arena;

	ret->fact.tid = thread->tid;
	ret->fact.main = thread->own ? thread->own == walking->snapshot->own
				     : thread->tid == walking->snapshot->pid;
	ret->fact.thread = arena_text_max(arena, thread->comm, sizeof(thread->comm));
	ret->fact.state = thread->state;
	ret->fact.wchan = strcmp(thread->wchan, "0") ? arena_text(arena, thread->wchan) : "";
	ret->fact.syscall = thread->in_syscall ? frames_syscall(thread->syscall) : "";
	memcpy(ret->fact.args, thread->args, sizeof(ret->fact.args));
	ret->fact.waits_gil = waits_for_gil(walking, thread);
	ret->fact.when = walking->snapshot->when;
	ret->stopped |= thread->how == SNAPSHOT_STOPPED || thread->stopped_ns;
	ret->fact.asleep = thread->asleep_ns <= INT64_MAX ? (int64_t)thread->asleep_ns : 0;
	ret->last_run_ns = thread->run_ns;
	ret->last_cpu_ticks = thread->cpu_ticks;
}
