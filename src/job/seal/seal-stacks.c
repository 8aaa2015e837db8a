/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seals stacks and how they were taken. Each thread of a process keeps its latest stack; those of
 * an earlier attempt are left out. Frames get their numbers here, by first use in the sorted
 * stacks: while they were added, they had those of their arrival.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/seal/seal.h"

static int compare_frames(const struct job_frame *a, const struct job_frame *b)
{
	SEAL_ORDER(a->kind, b->kind);
	SEAL_ORDER_TEXT(a->function, b->function);
	SEAL_ORDER_TEXT(a->module, b->module);
	SEAL_ORDER_TEXT(a->file, b->file);
	SEAL_ORDER(a->line, b->line);
	SEAL_ORDER(a->offset, b->offset);
	SEAL_ORDER(a->plumbing, b->plumbing);
	SEAL_ORDER(a->guessed, b->guessed);
	return 0;
}

/* Makes the order of two readings of one moment total, by all that they say. */
static int compare_content(
	const struct job_stack *a, const struct job_stack *b, const struct job_frame *frames)
{
	SEAL_ORDER(a->nframes, b->nframes);
	for (size_t i = 0; i < a->nframes; i++) {
		int order = a->frames[i] == b->frames[i]
				    ? 0
				    : compare_frames(&frames[a->frames[i]], &frames[b->frames[i]]);

		if (order)
			return order;
	}
	for (int i = 0; i < 6; i++)
		SEAL_ORDER(a->args[i], b->args[i]);
	SEAL_ORDER(a->how, b->how);
	SEAL_ORDER(a->merged, b->merged);
	SEAL_ORDER(a->rooted, b->rooted);
	SEAL_ORDER(a->state, b->state);
	SEAL_ORDER(a->cpu_delta, b->cpu_delta);
	SEAL_ORDER(a->asleep, b->asleep);
	SEAL_ORDER(a->samples, b->samples);
	SEAL_ORDER(a->moved, b->moved);
	SEAL_ORDER(a->still, b->still);
	SEAL_ORDER(a->holds_gil, b->holds_gil);
	SEAL_ORDER(a->waits_gil, b->waits_gil);
	SEAL_ORDER_TEXT(a->thread, b->thread);
	SEAL_ORDER_TEXT(a->cut, b->cut);
	SEAL_ORDER_TEXT(a->wchan, b->wchan);
	SEAL_ORDER_TEXT(a->syscall, b->syscall);
	SEAL_ORDER_TEXT(a->cite, b->cite);
	return 0;
}

static int compare_stacks(const void *va, const void *vb)
{
	const struct raw_stack *a = va, *b = vb;

	SEAL_ORDER(a->fact.process, b->fact.process);
	SEAL_ORDER(a->fact.tid, b->fact.tid);
	SEAL_ORDER(a->fact.when, b->fact.when);
	SEAL_ORDER(a->about.when, b->about.when);
	SEAL_ORDER(a->fact.main, b->fact.main);
	return compare_content(&a->fact, &b->fact, a->among->list.items);
}

/* Orders ranks, and puts what is of no rank behind them. */
static int compare_ranks(struct rank_index a, struct rank_index b)
{
	SEAL_ORDER(a.i == JOB_NONE, b.i == JOB_NONE);
	SEAL_ORDER(a.i, b.i);
	return 0;
}

static int final_stacks(const void *va, const void *vb)
{
	const struct job_stack *a = va, *b = vb;
	int order = compare_ranks(a->rank, b->rank);

	if (order)
		return order;
	SEAL_ORDER(a->process, b->process);
	SEAL_ORDER(b->main, a->main);
	SEAL_ORDER(a->tid, b->tid);
	return 0;
}

/* Finds the process and rank of a fact; false: it is of nobody in the attempt under judgement. */
static bool find_place(
	struct seal *seal, const struct raw_about *about, int *process, struct rank_index *rank)
{
	*process = seal_find_process(seal, about->who);
	*rank = seal_rank_of(seal, *process);
	return *process != JOB_NONE && !seal->people[*process].stale;
}

/* Leaves in `raw` the stacks of the attempt under judgement; returns how many. */
static size_t place_stacks(struct seal *seal, struct raw_stack *raw, size_t nr)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!find_place(seal, &raw[i].about, &raw[i].fact.process, &raw[i].fact.rank))
			continue;
		if (!*raw[i].fact.cite)
			raw[i].fact.cite = seal->processes[raw[i].fact.process].cite;
		array_keep(raw, n, i);
	}
	return n;
}

/* Copies the latest stack of each thread; returns how many. */
static size_t take_latest(const struct raw_stack *raw, size_t nr, struct job_stack *stacks)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++)
		if (i + 1 == nr || raw[i].fact.process != raw[i + 1].fact.process ||
			raw[i].fact.tid != raw[i + 1].fact.tid)
			stacks[n++] = raw[i].fact;
	return n;
}

/* Numbers the frames that are used, and puts these numbers into the stacks. */
static void number_frames(struct seal *seal, struct job_stack *stacks, size_t nr)
{
	const struct raw_frames *raw = &seal->b->frames;
	uint32_t *number = alloc_zeroed(raw->list.nr + 1, sizeof(*number)); /* 1 +; 0 not yet */
	struct job_frame *frames = arena_new_many(seal->arena, struct job_frame, raw->list.nr + 1);
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t *used = arena_new_many(seal->arena, uint32_t, stacks[i].nframes + 1);

		for (size_t k = 0; k < stacks[i].nframes; k++) {
			uint32_t old = stacks[i].frames[k];

			if (!number[old]) {
				frames[n++] = raw->list.items[old];
				number[old] = (uint32_t)n;
			}
			used[k] = number[old] - 1;
		}
		stacks[i].frames = used;
	}
	seal->job->frames = frames;
	seal->job->nframes = n;
	free(number);
}

/* Marks the ranks whose own process has a stack as ranks whose stacks are known. */
static void note_knowledge(struct seal *seal)
{
	const struct job *job = seal->job;
	bool *has = alloc_zeroed(job->nprocesses + 1, sizeof(*has));

	for (size_t i = 0; i < job->nstacks; i++)
		has[job->stacks[i].process] |= job->stacks[i].nframes > 0;
	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->process != JOB_NONE && has[job_rank(job, rank)->process])
			seal->ranks[rank.i].knows |= JOB_KNOWS_STACKS;
	free(has);
}

static int compare_snapshots(const void *va, const void *vb)
{
	const struct raw_snapshot *a = va, *b = vb;
	int order = compare_ranks(a->fact.rank, b->fact.rank);

	if (order)
		return order;
	SEAL_ORDER(a->fact.process, b->fact.process);
	SEAL_ORDER(a->fact.when, b->fact.when);
	SEAL_ORDER(a->about.when, b->about.when);
	SEAL_ORDER(a->fact.mode, b->fact.mode);
	SEAL_ORDER(a->fact.samples, b->fact.samples);
	SEAL_ORDER(a->fact.threads, b->fact.threads);
	SEAL_ORDER(a->fact.stopped, b->fact.stopped);
	SEAL_ORDER(a->fact.cut, b->fact.cut);
	SEAL_ORDER(a->fact.longest_stop, b->fact.longest_stop);
	SEAL_ORDER(a->fact.span, b->fact.span);
	SEAL_ORDER_TEXT(a->fact.modules, b->fact.modules);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

static void seal_snapshots(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct job_snapshot *facts =
		arena_new_many(seal->arena, struct job_snapshot, b->snapshots.nr + 1);
	struct raw_snapshot *raw = b->snapshots.items;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < b->snapshots.nr; i++) {
		if (!find_place(seal, &raw[i].about, &raw[i].fact.process, &raw[i].fact.rank))
			continue;
		if (!*raw[i].fact.cite)
			raw[i].fact.cite = seal->processes[raw[i].fact.process].cite;
		array_keep(raw, n, i);
	}
	array_sort_items(raw, n, sizeof(*raw), compare_snapshots);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || raw[i].fact.process != raw[i + 1].fact.process)
			facts[kept++] = raw[i].fact;
	seal->job->snapshots = facts;
	seal->job->nsnapshots = kept;
}

void seal_stacks(struct seal *seal)
{
	struct raw_stack *raw = seal->b->stacks.items;
	size_t n = place_stacks(seal, raw, seal->b->stacks.nr);
	struct job_stack *stacks = arena_new_many(seal->arena, struct job_stack, n + 1);

	array_sort_items(raw, n, sizeof(*raw), compare_stacks);
	n = take_latest(raw, n, stacks);
	array_sort_items(stacks, n, sizeof(*stacks), final_stacks);
	seal->job->stacks = stacks;
	seal->job->nstacks = n;
	number_frames(seal, stacks, n);
	note_knowledge(seal);
	seal_snapshots(seal);
}
