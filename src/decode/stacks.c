/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots become stacks by walking them again, with the modules of their host, over the bytes
 * that were kept. What a walk cannot do says the stack's `cut`, what could not be had at all is a
 * loss of the process.
 *
 * SAMPLES. The latest stack of a thread is what is told, with how it compares to those before. One
 * exception: a thread that runs shows at most its Python frames to who does not stop it, so that a
 * whole stack of an earlier sample stays.
 */
#include "decode/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "decode/frames.h"
#include "decode/kinds.h"
#include "decode/samples.h"
#include "evidence/stacks.h"

/* Samples further apart than this are of different looks. */
#define STACKS_LOOK           (60 * CLOCK_NS_PER_S)
#define STACKS_THREADS_PYTHON 8 /* interpreters that know one thread */

/* One thread, as far as samples of it came. */
struct held_thread {
	struct job_stack fact; /* without frames and cite */
	struct job_frame *frames;
	size_t nframes;
	bool partial; /* only its Python frames, since it ran */
	bool hidden;  /* stopping it would have shown more */
	bool stopped;
	uint64_t run_count;
	uint64_t run_ns, cpu_ticks; /* of the first sample */
	uint64_t last_run_ns, last_cpu_ticks;
};

struct decode_stacks {
	struct arena arena; /* of the threads' frames and texts */
	struct decode_process *process;
	struct job_snapshot fact;
	int64_t first;
	int64_t reading;
	ARRAY(struct held_thread) threads; /* in the order in which they came */
	size_t hint;                       /* where the next one is likely to be */
};

/* A snapshot being walked. */
struct walking {
	const struct snapshot *snapshot;
	struct decode_stacks *held;
	struct stack_maps maps;
	struct modules *modules; /* the host's; or `none` */
	struct modules *none;
	struct excerpt *empty; /* where no memory was kept */
	struct unwinder *unwinder;
	struct python_stacks python[PYTHON_PLACES];
};

/* --- One walk --------------------------------------------------------------------------------- */

static void lose(struct job_builder *builder, struct decode_context *context,
	const struct decode_process *process, const char *what)
{
	const struct job_loss loss = {
		.what = what,
		.count = JOB_UNKNOWN,
		.cite = arena_printf(&context->arena, "stacks:%s", context_name(context, process)),
	};

	job_add_loss(builder, process->who, &loss);
}

static void read_python(
	struct walking *walking, struct job_builder *builder, struct decode_context *context)
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
			lose(builder, context, walking->held->process,
				arena_printf(&context->arena, "Python frames: %s", words));
		complaint_release(&why);
	}
}

/* Whether a thread of the snapshot has something to walk: most samples but the first have none. */
static bool has_news(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nthreads; i++)
		if (snapshot->threads[i].how != SNAPSHOT_UNMOVED)
			return true;
	return false;
}

static void walking_begin(struct walking *walking, struct job_builder *builder,
	struct decode_context *context, const struct decode_host *host)
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
	read_python(walking, builder, context);
}

static void walking_end(struct walking *walking)
{
	unwinder_free(walking->unwinder);
	for (size_t i = 0; i < PYTHON_PLACES; i++)
		python_stacks_release(&walking->python[i]);
	excerpt_free(walking->empty);
	modules_free(walking->none);
	stack_maps_release(&walking->maps);
}

/* --- One thread of it ------------------------------------------------------------------------- */

/* What Python knows of one thread: of one runtime, all of whose interpreters may know it. */
struct known_python {
	const struct python_thread *threads[STACKS_THREADS_PYTHON];
	size_t nr;
	const struct python_place *place;
	enum job_known holds_gil;
};

static void find_python(const struct walking *walking, const struct snapshot_thread *thread,
	struct known_python *ret)
{
	for (size_t i = 0; i < walking->snapshot->nplaces && i < PYTHON_PLACES && !ret->nr; i++) {
		const struct python_stacks *stacks = &walking->python[i];

		for (size_t k = 0; k < stacks->nthreads && ret->nr < STACKS_THREADS_PYTHON; k++) {
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

/* By the futex that it sleeps in, whatever its frames are called. */
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

/* Where it sits in the kernel; of what waits for a device or a file server, all of the way. */
static void add_kernel(
	struct decode_frames *into, struct arena *arena, const struct snapshot_thread *thread)
{
	if (thread->state == 'S' || thread->state == 'D')
		frames_add_kernel(into, arena, thread->kernel, thread->wchan, thread->state == 'D');
}

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

/* Both walks of a thread into the new reading. */
static void walk_thread(struct walking *walking, const struct snapshot_thread *thread,
	const struct known_python *python, struct decode_frames *frames, struct held_thread *ret)
{
	struct arena *arena = &walking->held->arena;
	struct merged_stack merged = {0};
	struct unwind_stack native = {0};

	unwinder_walk(walking->unwinder, &thread->regs, &native);
	merge_stacks_of_all(&native, python->threads, python->nr, python->place, &merged);
	add_kernel(frames, arena, thread);
	frames_add_merged(frames, arena, &walking->maps, &native, &merged);
	ret->fact.merged = merged.merged;
	ret->fact.cut = unwind_end_text(native.end);
	ret->hidden = unwind_wants_registers(&native);
	merged_stack_release(&merged);
	unwind_stack_release(&native);
}

/* Of one that ran there are its Python frames, if any: they were read without stopping it. */
static void take_python(struct walking *walking, const struct snapshot_thread *thread,
	const struct known_python *python, struct decode_frames *frames, struct held_thread *ret)
{
	struct arena *arena = &walking->held->arena;

	for (size_t i = 0; i < python->nr; i++)
		for (size_t k = 0; k < python->threads[i]->nframes; k++)
			frames_add_python(frames, arena, &python->threads[i]->frames[k]);
	ret->partial = true;
	ret->fact.cut = thread->how == SNAPSHOT_RUNNING
				? "it ran: its native frames only by stopping it"
				: failure(arena, thread->error);
	ret->hidden = thread->how == SNAPSHOT_RUNNING;
}

/* Whether all of Python's frames are there, and nothing that is known stands further out. */
static bool is_rooted(const struct known_python *python, const struct decode_frames *frames)
{
	for (size_t i = 0; i < python->nr; i++)
		if (python->threads[i]->cut)
			return false;
	return frames->all.nr && frames->all.items[frames->all.nr - 1].kind == JOB_FRAME_PYTHON;
}

/* Python's own words about frames that are missing, behind those about native ones. */
static void add_python_cut(
	struct arena *arena, const struct known_python *python, struct held_thread *ret)
{
	for (size_t i = 0; i < python->nr; i++) {
		const char *cut = python->threads[i]->cut;

		if (cut)
			ret->fact.cut = arena_printf(arena, "%s%sPython: %s", ret->fact.cut,
				*ret->fact.cut ? "; " : "", cut);
	}
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

/* The thread as this snapshot alone has it. */
static void read_thread(
	struct walking *walking, const struct snapshot_thread *thread, struct held_thread *ret)
{
	struct arena *arena = &walking->held->arena;
	struct known_python python = {.holds_gil = JOB_MAYBE};
	struct decode_frames frames = {0};

	find_python(walking, thread, &python);
	if (thread->how != SNAPSHOT_FAILED && thread->how != SNAPSHOT_RUNNING &&
		has_registers(thread))
		walk_thread(walking, thread, &python, &frames, ret);
	else
		take_python(walking, thread, &python, &frames, ret);
	add_python_cut(arena, &python, ret);
	frames_mark_plumbing(&frames);
	if (thread->how == SNAPSHOT_CORE)
		frames_mark_own(&frames);
	ret->fact.rooted = is_rooted(&python, &frames);
	ret->frames =
		arena_copy(arena, frames.all.items, frames.all.nr * sizeof(*frames.all.items));
	ret->nframes = frames.all.nr;
	ret->fact.how = ret->nframes ? how_of(thread) : JOB_STACK_NONE;
	ret->fact.still = ret->nframes;
	ret->fact.holds_gil = python.holds_gil;
	array_release(&frames.all);
}

/* What does not need a walk. */
static void read_facts(const struct walking *walking, const struct snapshot_thread *thread,
	struct held_thread *ret)
{
	struct arena *arena = &walking->held->arena;

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
	ret->last_run_ns = thread->run_ns;
	ret->last_cpu_ticks = thread->cpu_ticks;
}

/* --- Samples ---------------------------------------------------------------------------------- */

/* The thread where samples before left it; NULL it is new. Snapshots have them in one order. */
static struct held_thread *find_held(struct decode_stacks *held, uint32_t tid)
{
	for (size_t i = 0; i < held->threads.nr; i++) {
		size_t at = (held->hint + i) % held->threads.nr;

		if (held->threads.items[at].fact.tid != tid)
			continue;
		held->hint = at + 1;
		return &held->threads.items[at];
	}
	return NULL;
}

static bool ran_between(const struct held_thread *held, const struct snapshot_thread *thread)
{
	return held->run_count && thread->run_count && held->run_count != thread->run_count;
}

static bool did_not_run_between(
	const struct held_thread *held, const struct snapshot_thread *thread)
{
	return held->run_count && held->run_count == thread->run_count;
}

/* Sample `new` of a thread that has earlier ones. */
static void compare_sample(struct held_thread *held, const struct held_thread *new,
	const struct snapshot_thread *thread)
{
	bool partial = held->partial || new->partial;
	bool keep = !new->nframes || (new->partial && !held->partial);
	const struct held_thread *kept = keep ? held : new, *other = keep ? new : held;
	size_t common =
		samples_common(kept->frames, kept->nframes, other->frames, other->nframes, partial);

	if (ran_between(held, thread) || thread->how == SNAPSHOT_RUNNING ||
		(held->nframes && new->nframes && !partial &&
			(common < held->nframes || common < new->nframes)))
		held->fact.moved = JOB_YES;
	else if (did_not_run_between(held, thread) && held->fact.moved == JOB_MAYBE)
		held->fact.moved = JOB_NO;
	if (held->fact.still > common)
		held->fact.still = common;
	if (keep)
		return;
	held->frames = new->frames;
	held->nframes = new->nframes;
	held->partial = new->partial;
	held->hidden = new->hidden;
	held->fact.how = new->fact.how;
	held->fact.cut = new->fact.cut;
	held->fact.merged = new->fact.merged;
	held->fact.rooted = new->fact.rooted;
	held->fact.holds_gil = new->fact.holds_gil;
	held->fact.waits_gil = new->fact.waits_gil;
}

static void first_sample(struct held_thread *held, const struct held_thread *new,
	const struct snapshot_thread *thread)
{
	*held = *new;
	held->run_ns = thread->run_ns;
	held->cpu_ticks = thread->cpu_ticks;
}

static void take_thread(struct walking *walking, const struct snapshot_thread *thread)
{
	struct held_thread *held = find_held(walking->held, thread->tid);
	struct held_thread new = {.fact = {.cut = ""}};

	if (thread->how == SNAPSHOT_UNMOVED && held) {
		if (held->fact.moved == JOB_MAYBE)
			held->fact.moved = JOB_NO;
	} else if (thread->how == SNAPSHOT_UNMOVED) {
		new.fact.cut = "it has not moved since a sample that is lost";
		new.fact.how = JOB_STACK_NONE;
	} else {
		read_thread(walking, thread, &new);
		if (held)
			compare_sample(held, &new, thread);
	}
	if (!held) {
		held = array_add(&walking->held->threads);
		first_sample(held, &new, thread);
	}
	held->fact.samples++;
	held->run_count = thread->run_count;
	read_facts(walking, thread, held);
}

/* --- Processes -------------------------------------------------------------------------------- */

static enum job_snapshot_mode mode_of(enum snapshot_mode mode)
{
	switch (mode) {
	case SNAPSHOT_BLOCKED_FALLBACK:
		return JOB_SNAPSHOT_FALLBACK;
	case SNAPSHOT_CONSISTENT:
		return JOB_SNAPSHOT_CONSISTENT;
	case SNAPSHOT_OF_CORE:
		return JOB_SNAPSHOT_CORE;
	default:
		return JOB_SNAPSHOT_NEVER;
	}
}

/* What ended the process of a core file, as the kernel wrote it there. */
static void tell_signal(struct job_builder *builder, struct decode_context *context,
	struct decode_process *process, const struct snapshot *snapshot)
{
	const char *cite = arena_printf(&context->arena, "core:%s", context_name(context, process));
	struct job_signal signal = {
		.signo = snapshot->signo,
		.code = snapshot->fault_code,
		.sender = snapshot->fault_sender,
		.sender_role = JOB_NONE,
		.from_self = snapshot->fault_sender == snapshot->own,
		.fatal = true,
		.thread = "",
		.tid = snapshot->fault_tid,
		.when = snapshot->when,
		.cite = cite,
	};
	const struct decode_end end = {
		.witness = WITNESS_FATAL,
		.end = JOB_SIGNALED,
		.status = snapshot->signo,
		.when = JOB_UNKNOWN,
		.cite = cite,
	};

	for (size_t i = 0; i < snapshot->nthreads; i++)
		if (snapshot->threads[i].tid == snapshot->fault_tid)
			signal.thread = arena_text_max(&context->arena, snapshot->threads[i].comm,
				sizeof(snapshot->threads[i].comm));
	context_end(process, &end);
	if (process->alive == JOB_MAYBE)
		process->alive = JOB_NO;
	if (!process->fatal_told)
		job_add_signal(builder, process->who, &signal);
}

static void count_threads(struct decode_stacks *held)
{
	const struct held_thread *thread;

	held->fact.stopped = held->fact.cut = 0;
	array_for_each (&held->threads, thread) {
		held->fact.stopped += thread->stopped;
		held->fact.cut += thread->hidden;
	}
}

static void take_snapshot(struct decode_context *context, struct job_builder *builder,
	struct decode_stacks *held, const struct snapshot *snapshot)
{
	struct walking walking = {.snapshot = snapshot, .held = held};
	bool news = has_news(snapshot);

	if (news)
		walking_begin(
			&walking, builder, context, context_host(context, held->process->who.host));
	for (size_t i = 0; i < snapshot->nthreads; i++) {
		const struct snapshot_thread *thread = &snapshot->threads[i];

		take_thread(&walking, thread);
		if (thread->stopped_ns <= INT64_MAX &&
			(int64_t)thread->stopped_ns > held->fact.longest_stop)
			held->fact.longest_stop = (int64_t)thread->stopped_ns;
	}
	if (news)
		walking_end(&walking);
	if (snapshot->longest_stop > held->fact.longest_stop)
		held->fact.longest_stop = snapshot->longest_stop;
	held->fact.samples++;
	held->fact.threads = (unsigned)snapshot->nthreads;
	held->fact.mode = mode_of(snapshot->mode);
	held->fact.when = snapshot->when;
	held->fact.span = snapshot->when - held->first;
	if (*snapshot->missing)
		lose(builder, context, held->process, snapshot->missing);
	if (snapshot->signo)
		tell_signal(builder, context, held->process, snapshot);
}

/* CPU time between the first and the last sample: exactly, or in ticks. */
static int64_t cpu_between(const struct decode_context *context, const struct decode_stacks *held,
	const struct held_thread *thread)
{
	const struct decode_host *host =
		context_host((struct decode_context *)context, held->process->who.host);
	const struct decode_gather *gather = context_gather(host, held->fact.when);
	int64_t tick = CLOCK_NS_PER_S / (gather && gather->clk_tck > 0 ? gather->clk_tck : 100);

	if (thread->fact.samples < 2)
		return JOB_UNKNOWN;
	if (thread->run_ns && thread->last_run_ns >= thread->run_ns)
		return (int64_t)(thread->last_run_ns - thread->run_ns);
	if (thread->last_cpu_ticks < thread->cpu_ticks ||
		thread->last_cpu_ticks - thread->cpu_ticks > INT64_MAX / (uint64_t)tick)
		return JOB_UNKNOWN;
	return (int64_t)(thread->last_cpu_ticks - thread->cpu_ticks) * tick;
}

void stacks_finish(struct decode_context *context, struct job_builder *builder)
{
	struct decode_stacks *held = context->stacks;
	struct held_thread *thread;
	const char *name;

	if (!held)
		return;
	name = context_name(context, held->process);
	job_add_reading(builder, held->reading);
	array_for_each (&held->threads, thread) {
		thread->fact.cpu_delta = cpu_between(context, held, thread);
		thread->fact.cite =
			arena_printf(&held->arena, "stack:%s:tid%u", name, thread->fact.tid);
		job_add_stack(builder, held->process->who, &thread->fact, thread->frames,
			thread->nframes);
	}
	count_threads(held);
	held->fact.cite = arena_printf(&held->arena, "stacks:%s", name);
	job_add_snapshot(builder, held->process->who, &held->fact);
	array_release(&held->threads);
	arena_release(&held->arena);
	free(held);
	context->stacks = NULL;
}

/* The samples that this one belongs to; NULL where it is older than those: of an earlier look. */
static struct decode_stacks *hold(struct decode_context *context, struct job_builder *builder,
	struct decode_process *process, const struct snapshot *snapshot)
{
	struct decode_stacks *held = context->stacks;

	if (held && held->process == process && snapshot->when < held->fact.when)
		return NULL;
	if (held && held->process == process && snapshot->when - held->fact.when < STACKS_LOOK &&
		snapshot->sample)
		return held;
	stacks_finish(context, builder);
	held = context->stacks = alloc_zeroed(1, sizeof(*held));
	held->process = process;
	held->first = held->fact.when = snapshot->when;
	return held;
}

/* A damaged exhibit gives what stood before the damage. */
static int stacks_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct decode_process *process =
		context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);
	struct snapshot snapshot = {0};
	int status = stacks_read(exhibit, &snapshot, why);
	struct decode_stacks *held;

	/* Texts of what could not be read at all are missing altogether. */
	if (status < 0 && !snapshot.nthreads) {
		snapshot_release(&snapshot);
		return status;
	}
	snapshot.when = exhibit->when;
	held = hold(context, builder, process, &snapshot);
	if (held) {
		held->reading = exhibit->when;
		take_snapshot(context, builder, held, &snapshot);
	}
	job_add_reading(builder, exhibit->when);
	snapshot_release(&snapshot);
	return status;
}

const struct decoder decode_stack_samples = {EXHIBIT_STACKS, stacks_decode};
