/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/samples.h"

#include <string.h>

static bool same_place(const struct job_frame *a, const struct job_frame *b)
{
	return a->kind == b->kind && a->line == b->line && a->offset == b->offset &&
	       !strcmp(a->function, b->function) && !strcmp(a->file, b->file) &&
	       !strcmp(a->module, b->module);
}

/* Returns how many outermost frames are equal, where both stacks are whole. */
static size_t common_whole(
	const struct job_frame *kept, size_t nkept, const struct job_frame *other, size_t nother)
{
	size_t n = 0;

	while (n < nkept && n < nother && same_place(&kept[nkept - 1 - n], &other[nother - 1 - n]))
		n++;
	return n;
}

/*
 * Returns how many of `left` frames are left up to the next Python frame inwards; 0: there is none.
 */
static size_t next_python(const struct job_frame *frames, size_t left)
{
	while (left && frames[left - 1].kind != JOB_FRAME_PYTHON)
		left--;
	return left;
}

size_t samples_common(const struct job_frame *kept, size_t nkept, const struct job_frame *other,
	size_t nother, bool partial)
{
	size_t mine = nkept, theirs = nother, common = 0;

	if (!partial)
		return common_whole(kept, nkept, other, nother);
	for (;;) {
		mine = next_python(kept, mine);
		theirs = next_python(other, theirs);
		if (!mine || !theirs || !same_place(&kept[mine - 1], &other[theirs - 1]))
			return common;
		mine--;
		theirs--;
		common = nkept - mine;
	}
}

/*
 * Returns how many outermost frames there are up to the `pythons`th of Python, counted from
 * outside.
 */
static size_t reach_of(const struct job_frame *frames, size_t n, size_t pythons)
{
	size_t left = n, at = n;

	for (size_t i = 0; i < pythons; i++) {
		left = next_python(frames, left);
		if (!left)
			break;
		at = --left;
	}
	return n - at;
}

/* --- Of one thread --------------------------------------------------------------------------- */

/* Returns how often the thread had run before it was stopped for this sample. */
static uint64_t own_runs(const struct snapshot_thread *thread)
{
	return thread->run_count - thread->our_runs;
}

static bool ran_between(const struct sampled_thread *held, const struct snapshot_thread *thread)
{
	return held->run_count && thread->run_count && held->run_count != own_runs(thread);
}

static bool did_not_run_between(
	const struct sampled_thread *held, const struct snapshot_thread *thread)
{
	return held->run_count && thread->run_count && held->run_count == own_runs(thread);
}

/*
 * True if `a` has only outermost frames of `b`, and more may be hidden: a thread that runs shows
 * more at one moment than at the next.
 */
static bool is_short_of(const struct sampled_thread *a, const struct sampled_thread *b)
{
	return a->hidden && !a->partial && !b->partial && a->nframes < b->nframes &&
	       samples_common(a->frames, a->nframes, b->frames, b->nframes, false) == a->nframes;
}

/*
 * Counts the frames that stood in all samples. Where one shows less of a stack than the other, the
 * frames that it hides need not differ: they count as those that it shows.
 */
static void count_still(struct sampled_thread *held, const struct sampled_thread *new,
	size_t common, bool keep)
{
	if (!is_short_of(new, held) && !is_short_of(held, new)) {
		if (held->fact.still > common)
			held->fact.still = common;
	} else if (!keep && held->fact.still == held->nframes) {
		held->fact.still = new->nframes;
	}
}

void samples_compare(struct sampled_thread *held, const struct sampled_thread *new,
	const struct snapshot_thread *thread)
{
	bool partial = held->partial || new->partial;
	bool keep = !new->nframes || (new->partial && !held->partial) || is_short_of(new, held);
	const struct sampled_thread *kept = keep ? held : new, *other = keep ? new : held;
	size_t common =
		samples_common(kept->frames, kept->nframes, other->frames, other->nframes, partial);

	if (ran_between(held, thread) || thread->how == SNAPSHOT_RUNNING ||
		(held->nframes && new->nframes && !partial &&
			(common < held->nframes || common < new->nframes)))
		held->fact.moved = JOB_YES;
	else if (did_not_run_between(held, thread) && held->fact.moved == JOB_MAYBE)
		held->fact.moved = JOB_NO;
	/* So far the count is of Python frames alone; now all frames are known. */
	if (!keep && held->partial && !new->partial)
		held->fact.still = reach_of(new->frames, new->nframes, held->fact.still);
	count_still(held, new, common, keep);
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
	held->fact.handling = new->fact.handling;
}

void samples_begin(struct sampled_thread *held, const struct sampled_thread *new,
	const struct snapshot_thread *thread)
{
	*held = *new;
	held->run_ns = thread->run_ns;
	held->cpu_ticks = thread->cpu_ticks;
}
