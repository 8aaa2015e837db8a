/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/live/live-stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "evidence/gather/liveness.h"
#include "evidence/gather/stacks-gather.h"
#include "proc/blocking-read.h"

/*
 * How many children are looked into: a pool of idle compile workers tells nothing; a stuck loader
 * is among the first.
 */
#define CHILDREN_MOST 64

/* True for a helper of the agent: these are its children, as the job is. */
static bool is_ours(const struct live_processes *processes, uint32_t here)
{
	for (size_t i = 0; i < processes->all.nr; i++) {
		const struct live_process *process = &processes->all.items[i];

		if (process->here && !strcmp(process->role, "agent"))
			return liveness_same_program(process->here, here);
	}
	return false;
}

/* True if stacks of this process are asked for, and it lives. */
static bool is_wanted(const struct live_options *options, const struct live_process *process)
{
	bool wanted = !options->stacks_of;

	for (size_t i = 0; i < options->nstacks_of; i++)
		wanted |= options->stacks_of[i] == process->pid;
	return process->here && wanted;
}

/*
 * Picks living ranks (and those that may become one), then children, as far as there is room.
 * Returns how many.
 */
static size_t choose(const struct live_processes *processes, const struct live_options *options,
	struct stacks_target *targets)
{
	size_t nr = 0, children = 0;

	for (size_t i = 0; i < processes->all.nr; i++) {
		const struct live_process *process = &processes->all.items[i];

		if (is_wanted(options, process) && process->threads)
			targets[nr++] = (struct stacks_target){
				{process->here, process->start_time}, process->rank, process->pid};
	}
	for (size_t i = 0; i < processes->all.nr && children < CHILDREN_MOST; i++) {
		const struct live_process *process = &processes->all.items[i];

		if (!is_wanted(options, process) || process->threads ||
			strcmp(process->role, "child") != 0 || is_ours(processes, process->here))
			continue;
		targets[nr++] = (struct stacks_target){
			{process->here, process->start_time}, process->rank, process->pid, true};
		children++;
	}
	return nr;
}

bool live_may_look(const struct live_processes *processes, size_t folder)
{
	for (size_t i = 0; i < processes->all.nr; i++) {
		const struct live_process *process = &processes->all.items[i];
		char path[32];
		int fd;

		if (!process->here || !process->threads || process->folder != folder)
			continue;
		/* Opening asks for the permission, and takes no lock of the process. */
		snprintf(path, sizeof(path), "/proc/%u/mem", process->here);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return errno != EACCES && errno != EPERM;
		close(fd);
		return true;
	}
	return true;
}

/* Keeps only the processes that answer; each of the others is a gap. Returns how many are left. */
static size_t ask(const struct live_proc_target *target, struct stacks_target *targets, size_t nr,
	int deadline_ms)
{
	struct blocking_read *reads = alloc_zeroed(nr + 1, sizeof(*reads));
	size_t left = 0;

	for (size_t i = 0; i < nr; i++)
		reads[i] = (struct blocking_read){.pid = targets[i].id.pid,
			.name = "cmdline",
			.what = BLOCKING_READ_FILE,
			.cap = 64};
	blocking_reads_run(reads, nr, deadline_ms);
	for (size_t i = 0; i < nr; i++) {
		if (reads[i].error == ETIMEDOUT)
			evidence_add_gap(target->into, target->host, targets[i].id.pid,
				"its stacks: its address space is held by a thread asleep in the "
				"kernel");
		else
			targets[left++] = targets[i];
		str_release(&reads[i].bytes);
	}
	free(reads);
	return left;
}

void live_take_stacks(const struct live_proc_target *target, const struct live_options *options,
	int64_t sampled)
{
	struct stacks_options with = options->stacks;
	int64_t until = sampled + options->sample_pause_ms * CLOCK_NS_PER_MS, now;

	with.no_logs |= options->no_logs;
	if (options->stacks.samples) {
		struct stacks_target *targets =
			alloc_zeroed(target->processes->all.nr + 1, sizeof(*targets));
		size_t nr = choose(target->processes, options, targets);

		if (options->wary)
			nr = ask(target, targets, nr, options->read_ms);
		if (nr)
			stacks_gather(target->into, target->host, targets, nr, &with);
		free(targets);
	}
	now = clock_monotonic_ns();
	if (now < until)
		usleep((useconds_t)((until - now) / 1000));
}
