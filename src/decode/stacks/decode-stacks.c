/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots are walked one by one, and each thread is held until no more samples of it come. The
 * latest stack is what is told, with how it compares to those before. One exception: a thread that
 * runs shows at most its Python frames to who does not stop it, so that a whole stack of an earlier
 * sample stays.
 */
#include "decode/stacks/decode-stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "decode/exhibits/samples.h"
#include "decode/kinds.h"
#include "decode/stacks/walking.h"
#include "evidence/format/stacks.h"

/* Samples further apart than this are of different looks. */
#define STACKS_LOOK (60 * CLOCK_NS_PER_S)

struct decode_stacks {
	struct arena arena; /* of the threads' frames and texts */
	struct decode_process *process;
	struct job_snapshot fact;
	int64_t first;
	int64_t reading;
	ARRAY(struct sampled_thread) threads; /* in the order in which they came */
	size_t *index; /* open addressing by tid: 1 + place in threads, 0 free */
	size_t index_size; /* a power of two */
};

/* --- Threads ---------------------------------------------------------------------------------- */

/* True if a thread of the snapshot has something to walk: most samples but the first have none. */
static bool has_news(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nthreads; i++)
		if (snapshot->threads[i].how != SNAPSHOT_UNMOVED)
			return true;
	return false;
}

/* Where a tid stands in the index, or would. */
static size_t *index_slot(const struct decode_stacks *held, uint32_t tid)
{
	size_t at = tid * 0x9e3779b1u & (held->index_size - 1);

	while (held->index[at] && held->threads.items[held->index[at] - 1].fact.tid != tid)
		at = (at + 1) & (held->index_size - 1);
	return &held->index[at];
}

/* The thread where samples before left it; NULL it is new. */
static struct sampled_thread *find_held(struct decode_stacks *held, uint32_t tid)
{
	size_t at = held->index_size ? *index_slot(held, tid) : 0;

	return at ? &held->threads.items[at - 1] : NULL;
}

/* The latest one is found from now on. */
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

static void take_thread(struct decode_stacks *all, struct walking *walking,
	const struct snapshot_thread *thread)
{
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
		walking_read(walking, thread, &new);
		if (held)
			samples_compare(held, &new, thread);
	}
	if (!held) {
		held = array_add(&all->threads);
		samples_begin(held, &new, thread);
	}
	held->fact.samples++;
	held->run_count = held->fact.runs = thread->run_count;
	walking_facts(walking, thread, held);
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
	const struct sampled_thread *thread;

	held->fact.stopped = held->fact.cut = 0;
	array_for_each (&held->threads, thread) {
		held->fact.stopped += thread->stopped;
		held->fact.cut += thread->hidden;
	}
}

/* The names of the files whose code is mapped, as job.h has them. */
static const char *modules_of(const struct stack_maps *maps, struct arena *arena)
{
	const struct stack_map *map;
	const char *before = "", *ret;
	struct str names = {0};

	array_for_each (&maps->all, map) {
		const char *name = strrchr(map->path, '/');

		if (!map->executable || !name || !strcmp(name, before))
			continue;
		str_add(&names, name);
		before = name;
	}
	if (names.len)
		str_add_char(&names, '/');
	ret = arena_text(arena, str_text(&names));
	str_release(&names);
	return ret;
}

static void take_snapshot(struct decode_context *context, struct job_builder *builder,
	struct decode_stacks *held, const struct snapshot *snapshot)
{
	struct walking walking = {
		.snapshot = snapshot, .arena = &held->arena, .process = held->process};
	bool news = has_news(snapshot);

	if (news)
		walking_begin(
			&walking, builder, context, context_host(context, held->process->who.host));
	for (size_t i = 0; i < snapshot->nthreads; i++) {
		const struct snapshot_thread *thread = &snapshot->threads[i];

		take_thread(held, &walking, thread);
		if (thread->stopped_ns <= INT64_MAX &&
			(int64_t)thread->stopped_ns > held->fact.longest_stop)
			held->fact.longest_stop = (int64_t)thread->stopped_ns;
	}
	if (news && walking.maps.all.nr)
		held->fact.modules = modules_of(&walking.maps, &held->arena);
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
		walking_lose(builder, context, held->process, snapshot->missing);
	if (snapshot->signo)
		tell_signal(builder, context, held->process, snapshot);
}

/* CPU time between the first and the last sample: exactly, or in ticks. */
static int64_t cpu_between(const struct decode_context *context, const struct decode_stacks *held,
	const struct sampled_thread *thread)
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
