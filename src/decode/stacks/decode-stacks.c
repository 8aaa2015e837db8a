/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes samples of stacks. Each snapshot is walked by itself (walked.h), and each thread is held
 * until no more samples of it come. The latest stack is told, and how it compares to those before.
 * One exception: a thread that runs shows at most its Python frames as long as it is not stopped,
 * so that a whole stack of an earlier sample stays.
 */
#include "decode/stacks/decode-stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "decode/exhibits/samples.h"
#include "decode/kinds.h"
#include "decode/stacks/walked.h"
#include "stack/unwind.h"

/* Samples further apart than this, ns, are of different looks. */
#define STACKS_LOOK (60 * CLOCK_NS_PER_S)

/* The samples of one process. */
struct decode_stacks {
	struct arena arena; /* holds texts; and for each sample those of its walks: */
	ARRAY(struct arena) walks;
	struct decode_process *process;
	struct job_snapshot fact;
	int64_t first;
	int64_t reading;
	ARRAY(struct sampled_thread) threads; /* in the order of their coming */
	size_t *index; /* open addressing by tid: 1 + place in threads, 0 free */
	size_t index_size; /* a power of two */
};

/* --- Threads ---------------------------------------------------------------------------------- */

/* Returns where a tid stands in the index, or would. */
static size_t *index_slot(const struct decode_stacks *held, uint32_t tid)
{
	size_t at = tid * 0x9e3779b1u & (held->index_size - 1);

	while (held->index[at] && held->threads.items[held->index[at] - 1].fact.tid != tid)
		at = (at + 1) & (held->index_size - 1);
	return &held->index[at];
}

/* Returns the thread as earlier samples left it; NULL it is new. */
static struct sampled_thread *find_held(struct decode_stacks *held, uint32_t tid)
{
	size_t at = held->index_size ? *index_slot(held, tid) : 0;

	return at ? &held->threads.items[at - 1] : NULL;
}

/* Adds the latest thread to the index. */
static void index_latest(struct decode_stacks *held)
{
	if (held->threads.nr * 2 > held->index_size) {
		free(held->index);
		held->index_size = held->index_size ? held->index_size * 2 : 64;
		held->index = alloc_zeroed(held->index_size, sizeof(*held->index));
		for (size_t i = 0; i + 1 < held->threads.nr; i++)
			*index_slot(held, held->threads.items[i].fact.tid) = i + 1;
	}
	*index_slot(held, held->threads.items[held->threads.nr - 1].fact.tid) = held->threads.nr;
}

/* Takes one thread of a sample over. */
static void take_thread(struct decode_stacks *all, const struct walked *walked, size_t i)
{
	const struct snapshot_thread *thread = &walked->snapshot.threads[i];
	struct sampled_thread *held = find_held(all, thread->tid);
	bool known = held != NULL;
	struct sampled_thread new = {.fact = {.cut = ""}};

	if (thread->how == SNAPSHOT_UNMOVED && held) {
		if (held->fact.moved == JOB_MAYBE)
			held->fact.moved = JOB_NO;
	} else if (thread->how == SNAPSHOT_UNMOVED) {
		new.fact.cut = "it has not moved since a sample that is lost";
		new.fact.how = JOB_STACK_NONE;
	} else {
		new = walked->threads[i];
		if (held)
			samples_compare(held, &new, thread);
	}
	if (!held) {
		held = array_add(&all->threads);
		samples_begin(held, &new, thread);
	}
	held->fact.samples++;
	held->run_count = held->fact.runs = thread->run_count;
	walking_facts(&walked->walking, thread, held);
	if (!known)
		index_latest(all);
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

/* Tells what ended the process of a core file, as the kernel wrote it there. */
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
	context_end_watched(process, &end);
	if (!process->fatal_told)
		job_add_signal(builder, process->who, &signal);
}

static void count_threads(struct decode_stacks *held)
{
	const struct sampled_thread *thread;

	held->fact.stopped = held->fact.cut = 0;
	array_for_each (&held->threads, thread) {
		held->fact.stopped += thread->stopped;
		held->fact.cut += thread->hidden;
	}
}

static void tell_refused(struct job_builder *builder, struct decode_context *context,
	const struct decode_process *process, const struct walking *walking)
{
	for (size_t i = 0; i < PYTHON_PLACES; i++)
		if (walking->refused[i])
			walking_lose(builder, context, process, walking->refused[i]);
}

/* Takes a sample over, with the memory of what was walked. */
static void take_walked(struct decode_context *context, struct job_builder *builder,
	struct decode_stacks *held, struct walked *walked)
{
	const struct snapshot *snapshot = &walked->snapshot;

	if (!(held->process->identity.knows & JOB_KNOWS_RING))
		context_looked(context, held->process, snapshot->when);
	tell_refused(builder, context, held->process, &walked->walking);
	for (size_t i = 0; i < snapshot->nthreads; i++) {
		const struct snapshot_thread *thread = &snapshot->threads[i];

		take_thread(held, walked, i);
		if (thread->stopped_ns <= INT64_MAX &&
			(int64_t)thread->stopped_ns > held->fact.longest_stop)
			held->fact.longest_stop = (int64_t)thread->stopped_ns;
	}
	if (walked->modules)
		held->fact.modules = walked->modules;
	if (snapshot->longest_stop > held->fact.longest_stop)
		held->fact.longest_stop = snapshot->longest_stop;
	held->fact.samples++;
	held->fact.threads = (unsigned)snapshot->nthreads;
	held->fact.mode = mode_of(snapshot->mode);
	held->fact.when = snapshot->when;
	held->fact.span = snapshot->when - held->first;
	if (*snapshot->missing)
		walking_lose(builder, context, held->process, snapshot->missing);
	if (snapshot->signo)
		tell_signal(builder, context, held->process, snapshot);
	*array_add(&held->walks) = walked->arena;
	walked->arena = (struct arena){0};
}

/*
 * Returns the CPU time between the first and the last sample, ns: exactly, or by ticks.
 * JOB_UNKNOWN.
 */
static int64_t cpu_between(const struct decode_context *context, const struct decode_stacks *held,
	const struct sampled_thread *thread)
{
	struct decode_host *host =
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
	struct sampled_thread *thread;
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
	free(held->index);
	for (size_t i = 0; i < held->walks.nr; i++)
		arena_release(&held->walks.items[i]);
	array_release(&held->walks);
	arena_release(&held->arena);
	free(held);
	context->stacks = NULL;
}

/*
 * Returns the samples that this one belongs to; NULL if it is older than those: of an earlier look.
 */
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

/* Decodes a sample; a damaged exhibit gives what stood before the damage. */
static int stacks_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct decode_process *process =
		context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);
	struct walked *walked = context->ready;
	struct decode_stacks *held;

	if (walked->status < 0)
		complaint_set(why, "%s", complaint_text(&walked->why));
	/* Of what could not be read at all, there are no texts either. */
	if (walked->status < 0 && !walked->snapshot.nthreads)
		return walked->status;
	held = hold(context, builder, process, &walked->snapshot);
	if (held) {
		held->reading = exhibit->when;
		take_walked(context, builder, held, walked);
	}
	job_add_reading(builder, exhibit->when);
	return walked->status;
}

static void *stacks_prepare(const struct exhibit *exhibit, const struct decode_host *host)
{
	return walked_new(exhibit, host);
}

static void stacks_discard(void *walked)
{
	walked_free(walked);
}

const struct decoder decode_stack_samples = {
	EXHIBIT_STACKS, stacks_decode, stacks_prepare, stacks_discard, unwinder_set_up};
