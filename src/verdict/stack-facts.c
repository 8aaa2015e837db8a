/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks as facts: where a culprit stands, and where those stand who wait for it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/lock-holders.h"
#include "job/spans.h"
#include "verdict/rule.h"

/* What a function of the kernel belongs to, by its name: a file system, a driver, vfork(). */
struct kernel_part {
	const char *prefix;
	const char *name;
	enum verdict_next next; /* 0: look at the storage */
};

static const struct kernel_part kernel_parts[] = {
	{"nfs", "NFS", 0},
	{"rpc_", "NFS", 0},
	{"fuse_", "FUSE", 0},
	{"request_wait_answer", "FUSE", 0},
	{"ceph_", "Ceph", 0},
	{"ll_", "Lustre", 0},
	{"cl_", "Lustre", 0},
	{"osc_", "Lustre", 0},
	{"ptlrpc", "Lustre", 0},
	{"ldlm_", "Lustre", 0},
	{"gpfs", "GPFS", 0},
	{"mmfs", "GPFS", 0},
	{"cifs_", "SMB", 0},
	{"smb2_", "SMB", 0},
	{"ext4_", "ext4", 0},
	{"jbd2_", "ext4", 0},
	{"xfs_", "XFS", 0},
	{"btrfs_", "Btrfs", 0},
	{"zfs_", "ZFS", 0},
	{"txg_", "ZFS", 0},
	{"beegfs", "BeeGFS", 0},
	{"FhgfsOps", "BeeGFS", 0},
	{"p9_", "9p", 0},
	{"v9fs", "9p", 0},
	{"overlay", "overlayfs", 0},
	{"ovl_", "overlayfs", 0},
	{"nvidia", "nvidia", VERDICT_NEXT_CHECK_GPU},
	{"nv_", "nvidia", VERDICT_NEXT_CHECK_GPU},
	{"_nv0", "nvidia", VERDICT_NEXT_CHECK_GPU},
	{"rm_", "nvidia", VERDICT_NEXT_CHECK_GPU},
	{"os_acquire", "nvidia", VERDICT_NEXT_CHECK_GPU},
	{"uvm_", "nvidia", VERDICT_NEXT_CHECK_GPU},
	{"amdgpu_", "amdgpu", VERDICT_NEXT_CHECK_GPU},
	{"kfd_", "amdgpu", VERDICT_NEXT_CHECK_GPU},
	{"kernel_clone", "vfork", VERDICT_NEXT_LOOK_AT_CHILD},
};

/* Returns the part of the kernel that has a function; NULL: its name does not tell. */
static const struct kernel_part *part_of(const char *function)
{
	for (size_t i = 0; i < sizeof(kernel_parts) / sizeof(kernel_parts[0]); i++)
		if (!strncmp(function, kernel_parts[i].prefix, strlen(kernel_parts[i].prefix)))
			return &kernel_parts[i];
	return NULL;
}

/*
 * Returns the part of the kernel that the rank's kernel stack tells, and the function; NULL: no
 * part, and the innermost function.
 */
static const struct kernel_part *find_kernel(
	const struct inquiry *q, struct rank_index rank, const char **ret_function)
{
	const struct profile *p = &q->profiles[rank.i];
	const struct job_stack *stack = p->posture.stack;
	const char *function = stack ? stack->wchan : p->process->wchan;
	const struct kernel_part *part = part_of(function);

	for (size_t i = 0; stack && i < stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(q->job, stack, i);

		if (frame->kind != JOB_FRAME_KERNEL)
			break;
		if (!*function)
			function = frame->function;
		if (part || !part_of(frame->function))
			continue;
		function = frame->function;
		part = part_of(function);
	}
	*ret_function = function;
	return part;
}

enum verdict_next stacks_next_in_kernel(const struct inquiry *q, struct rank_index rank)
{
	const char *function;
	const struct kernel_part *part = find_kernel(q, rank, &function);

	return part && part->next ? part->next : VERDICT_NEXT_LOOK_AT_STORAGE;
}

static void tell_kernel(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const char *function;
	const struct kernel_part *part = find_kernel(q, rank, &function);
	struct verdict_fact *fact;

	if (!*function)
		return;
	fact = draft_fact(q, draft, FACT_IN_KERNEL, rank, q->profiles[rank.i].posture.stack->cite);
	fact->text = function;
	fact->text2 = part ? part->name : "";
}

/* Adds who has the GIL, and what it does with it. */
static void tell_gil(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	struct verdict_fact *fact;
	long at;

	if (!p->holder)
		return;
	fact = draft_fact(q, draft, FACT_GIL_HELD, rank, p->holder->cite);
	at = stackfacts_program(q->job, p->holder);
	if (at < 0)
		at = stackfacts_python(q->job, p->holder);
	fact->text = p->holder->thread;
	fact->thing2 = draft_frame(q, p->holder, at < 0 && p->holder->nframes ? 0 : at);
	fact->a = p->holder->tid;
}

/* True if the program's frame tells more than the telling one: of a dataset, or of any lock. */
static bool program_says_more(const struct inquiry *q, const struct posture *p)
{
	if (p->program < 0 || p->telling < 0 || p->activity == ACTIVITY_LOCK ||
		p->activity == ACTIVITY_GIL)
		return p->program >= 0;
	/*
	 * In C the program's frame is whatever helper is innermost; and save_checkpoint() tells why
	 * it is called.
	 */
	return p->program <= p->telling &&
	       stackfacts_frame(q->job, p->stack, (size_t)p->program)->kind == JOB_FRAME_PYTHON;
}

/* It is the telling frame, and the program's frame that led there; or the latter alone. */
bool stacks_tell_place(struct inquiry *q, struct rank_index rank, struct verdict_fact *fact)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	bool own = program_says_more(q, p);
	long at = own ? p->program : p->telling;

	if (at < 0)
		return false;
	fact->thing = draft_frame(q, p->stack, at);
	if (p->program > at)
		fact->thing2 = draft_frame(q, p->stack, p->program);
	return true;
}

static void tell_place(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	/* A rank that asks for a lock again and again moves, and gets nowhere. */
	bool moves = p->moved == JOB_YES && !(p->locked && p->lock_stands > 0) &&
		     !(p->activity == ACTIVITY_LOCK && p->stands > 0);
	struct verdict_fact *fact;

	if (p->telling < 0 && p->program < 0)
		return;
	fact = draft_fact(q, draft, moves ? FACT_AT_MOVING : FACT_AT, rank, p->stack->cite);
	stacks_tell_place(q, rank, fact);
	if (!moves && p->stands > 0)
		fact->a = p->stands;
}

/* True if the rank began or left a call after that look: it was somewhere else when it ended. */
static bool went_on_since(const struct inquiry *q, struct rank_index rank, int64_t looked)
{
	struct spans_range threads = threads_of(q->job, rank);

	by_rank_each(&q->seats, rank, i) {
		const struct job_member *m = &q->job->members[q->seats.at[i]];

		if (m->nops && m->ops[m->nops - 1].entered > looked)
			return true;
	}
	for (size_t i = threads.from; i < threads.to; i++)
		if (q->job->threads[i].since > looked)
			return true;
	return false;
}

/*
 * Adds where the program was when it was last looked at, though what ended it has nothing to do
 * with that.
 */
static void tell_last_place(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_stack *stack = stackfacts_main(q->job, rank);
	long at = stack && stack->nframes ? stackfacts_program(q->job, stack) : -1;
	struct verdict_fact *fact;

	if (at < 0 || stack->how == JOB_STACK_CORE || stack->how == JOB_STACK_FATAL ||
		went_on_since(q, rank, stack->when))
		return;
	fact = draft_fact(q, draft, FACT_WAS_AT, rank, stack->cite);
	fact->thing = draft_frame(q, stack, at);
	fact->a = activities_stood(q->job, stack);
}

/* Places in a child that serves its rank: what is further in, it does for the rank. */
static const struct stackfacts_place serves[] = {
	{NULL, "torch/utils/data/_utils/worker.py"},
	{"_process_worker", "concurrent/futures/process.py"},
	{"worker", "multiprocessing/pool.py"},
};

/*
 * Returns the number of the frame of the program in which such a child does something for its rank;
 * -1: it is no such child, or only waits to be told what to do. (A child that was forked has the
 * frames of its parent further out.)
 */
static long find_service(const struct inquiry *q, const struct job_stack *stack)
{
	long at, serving;

	if (!stack->main || q->job->processes[stack->process].role != JOB_ROLE_CHILD)
		return -1;
	serving = stackfacts_find(q->job, stack, 0, serves, sizeof(serves) / sizeof(*serves));
	at = stackfacts_program(q->job, stack);
	return at < serving ? at : -1;
}

/* Adds what a worker does for which the rank waits: of a loader, or of a pool of processes. */
static void tell_worker(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct job_stack *best = NULL;
	const struct job_process *worker;
	struct verdict_fact *fact;
	size_t from, to;

	stackfacts_of_rank(q->job, rank, &from, &to);
	for (size_t i = from; i < to && !best; i++)
		if (find_service(q, &q->job->stacks[i]) >= 0)
			best = &q->job->stacks[i];
	if (!best)
		return;
	worker = &q->job->processes[best->process];
	fact = draft_fact(q, draft, FACT_CHILD_AT, rank, best->cite);
	fact->thing = draft_frame(q, best, find_service(q, best));
	fact->text2 = worker->what;
	if (q->profiles[rank.i].posture.activity != ACTIVITY_INPUT && !*worker->what)
		fact->text2 = worker->comm;
	fact->a = worker->pid;
	fact->b = activities_stood(q->job, best);
}

/*
 * True if no process of the job has a lock on that host, nor a file open that is named as a lock
 * is, the rank's own processes left aside; and the locks of all living ranks were read.
 */
static bool nobody_has_lock(const struct job *job, int host, struct rank_index rank)
{
	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *process = &job->processes[i];

		if (process->host != host || process->end > JOB_ALIVE ||
			same_rank(process->rank, rank))
			continue;
		if (*process->lock_held || *process->lock_open ||
			(process->role == JOB_ROLE_RANK && !process->locks_read))
			return false;
	}
	return true;
}

/* Adds who has the lock of the file for which the rank waits. */
static void tell_holder(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	const struct job_process *process = &q->job->processes[p->stack->process];
	const struct waits_told *told = &q->waits->told[rank.i];
	struct verdict_fact *fact;

	if (told->lock_known && is_rank(told->lock_rank)) {
		fact = draft_fact(q, draft, FACT_LOCK_OF_RANK, rank, process->lock_cite);
		fact->text = told->lock;
		fact->a = job_rank(q->job, told->lock_rank)->world_rank.n;
	} else if (process->lock_pid) {
		fact = draft_fact(q, draft, FACT_LOCK_OF_OTHER, rank, process->lock_cite);
		fact->text = process->lock;
		fact->text2 = process->lock_by;
		fact->a = process->lock_pid;
	} else if (!*process->lock && process->locks_read &&
		   nobody_has_lock(q->job, process->host, rank)) {
		draft_fact(q, draft, FACT_LOCK_OF_NOBODY, rank, process->lock_cite);
	}
}

/* Returns the call in which a posture waits, as a thing. */
static const struct verdict_thing *call_of(struct inquiry *q, const struct posture *p)
{
	return draft_thing(q, (struct verdict_thing){.kind = THING_CALL,
				      .name = p->call,
				      .activity = (int)p->activity});
}

void stacks_tell_call(struct inquiry *q, const struct posture *p, struct verdict_fact *fact)
{
	fact->thing = call_of(q, p);
	fact->thing2 = draft_frame(q, p->stack, p->program >= 0 ? p->program : p->telling);
}

/* Adds the thread of the rank that stands in a collective, and so may have the lock. */
static void tell_aside(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	struct verdict_fact *fact;

	if (!p->own_lock || !p->aside)
		return;
	fact = draft_fact(q, draft, FACT_THREAD_WAITS, rank, p->aside->cite);
	fact->thing = draft_thing(q, (struct verdict_thing){.kind = THING_CALL,
					     .name = p->aside_call,
					     .activity = (int)ACTIVITY_COLLECTIVE});
	fact->thing2 = draft_frame(q, p->aside, p->aside_program);
	fact->a = p->aside_stands;
}

void stacks_tell(struct inquiry *q, struct rank_index rank, struct draft *draft)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	struct verdict_fact *fact;

	if (q->profiles[rank.i].ended)
		tell_last_place(q, rank, draft);
	if (!p->stack || q->profiles[rank.i].ended)
		return;
	if (p->activity == ACTIVITY_GIL)
		tell_gil(q, rank, draft);
	if (activities_waits(p->activity)) {
		fact = draft_fact(q, draft, FACT_WAITS_AT, rank, p->stack->cite);
		stacks_tell_call(q, p, fact);
		return;
	}
	if (p->holder != p->stack)
		tell_place(q, rank, draft);
	if (p->activity == ACTIVITY_INPUT || p->for_thread)
		tell_worker(q, rank, draft);
	if (p->activity == ACTIVITY_LOCK && *p->call) {
		fact = draft_fact(q, draft, FACT_LOCK_CALL, rank, p->stack->cite);
		fact->thing = call_of(q, p);
		tell_aside(q, rank, draft);
	}
	if (activities_in_file_lock(p))
		tell_holder(q, rank, draft);
	if (p->stack->state == 'D')
		tell_kernel(q, rank, draft);
}

/* Returns the frame of the program where the rank waits; without one the frame that tells; NULL. */
static const struct job_frame *site_of(const struct inquiry *q, struct rank_index rank)
{
	const struct posture *p = &q->profiles[rank.i].posture;
	long at = p->program >= 0 ? p->program : p->telling;

	return at < 0 ? NULL : stackfacts_frame(q->job, p->stack, (size_t)at);
}

bool stacks_same_site(const struct inquiry *q, struct rank_index a, struct rank_index b)
{
	const struct posture *pa = &q->profiles[a.i].posture, *pb = &q->profiles[b.i].posture;
	const struct job_frame *fa = site_of(q, a), *fb = site_of(q, b);

	if (pa->activity != pb->activity || strcmp(pa->call, pb->call) != 0 ||
		!fa != !fb)
		return false;
	return !fa || (fa->line == fb->line && !strcmp(fa->file, fb->file) &&
			      !strcmp(fa->function, fb->function));
}

/* True if the rank's wait is told by its stack alone. */
static bool by_stack(const struct inquiry *q, struct rank_index rank)
{
	const struct wait *wait = inquiry_longest_wait(q, rank);

	return activities_waits(q->profiles[rank.i].posture.activity) &&
	       (!wait || waits_is_told(wait));
}

void stacks_tell_waiters(struct inquiry *q, struct draft *draft)
{
	const struct rank_index *at = draft->victims.list.items;
	size_t n = draft->victims.list.nr, places = 0;
	bool *told = alloc_zeroed(n + 1, sizeof(*told));

	for (size_t i = 0; i < n && places < 6; i++) {
		const struct posture *p = &q->profiles[at[i].i].posture;
		struct rank_list ranks = {0};
		struct verdict_fact *fact;
		int64_t stands = JOB_UNKNOWN;

		if (told[i] || !by_stack(q, at[i]))
			continue;
		for (size_t k = i; k < n; k++) {
			if (!by_stack(q, at[k]) || !stacks_same_site(q, at[i], at[k]))
				continue;
			told[k] = true;
			rank_list_add(&ranks, at[k]);
			if (q->profiles[at[k].i].posture.stands > stands)
				stands = q->profiles[at[k].i].posture.stands;
		}
		fact = draft_fact_of(q, draft, FACT_WAITS_AT, &ranks, p->stack->cite);
		stacks_tell_call(q, p, fact);
		if (stands > 0)
			fact->a = stands;
		array_release(&ranks.list);
		places++;
	}
	free(told);
}
