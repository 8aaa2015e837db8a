/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "evidence/format/json-put.h"
#include "evidence/gather/identity.h"
#include "evidence/gather/live/live-add.h"
#include "evidence/gather/live/live-proc.h"
#include "evidence/gather/live/live-stacks.h"
#include "proc/ns.h"
#include "proc/read.h"

/* One gathering. */
struct foreign {
	const struct foreign_target *target;
	struct evidence *into;
	char host[256];
	struct live_processes processes;
};

/* --- Who ------------------------------------------------------------------------------------- */

static bool is_listed(const struct foreign *foreign, uint32_t here)
{
	for (size_t i = 0; i < foreign->processes.all.nr; i++)
		if (foreign->processes.all.items[i].here == here)
			return true;
	return false;
}

/*
 * Lists a process, once. Processes are told apart by the pid that we see: ranks in containers of
 * their own may all be process 1 to themselves, and have begun in the same tick.
 */
static void list(struct foreign *foreign, const struct survey_process *found, const char *role)
{
	struct live_process *process;

	if (is_listed(foreign, found->stat.pid))
		return;
	process = array_add(&foreign->processes.all);
	*process = (struct live_process){.pid = found->stat.pid,
		.here = found->stat.pid,
		.start_time = found->stat.start_time,
		.rank = found->is_rank ? found->rank.rank : -1,
		.role = role,
		.threads = !strcmp(role, "rank")};
	if (process->threads && *found->claims.error_file)
		process->error_file = alloc_text(found->claims.error_file);
}

/*
 * Lists the ranks and what they started, then their launchers; what else these run is not of this
 * job.
 */
static void list_all(struct foreign *foreign)
{
	const struct foreign_target *target = foreign->target;
	struct survey *survey = target->survey;
	const struct survey_process *process;

	array_for_each(&survey->all, process)
		if (target->job != SURVEY_NONE && process->is_rank && process->job == target->job)
			list(foreign, process, "rank");
	for (size_t i = 0; i < target->npids; i++) {
		process = survey_find(survey, target->pids[i]);
		if (process)
			list(foreign, process, "rank");
	}
	live_processes_add_descendants(&foreign->processes);
	array_for_each(&survey->all, process)
		if (target->job != SURVEY_NONE && process->is_rank &&
			process->job == target->job && process->under != SURVEY_NONE)
			list(foreign, &survey->all.items[process->under], "launcher");
}

/* --- Who is who, as an exhibit --------------------------------------------------------------- */

/*
 * Says which rank the process is. One that was asked for by its pid may be of no job, and has no
 * number.
 */
static void put_rank(struct json_object *object, const struct foreign_target *target,
	const struct survey_process *found)
{
	const struct survey *survey = target->survey;
	const struct survey_job *job =
		found->job == SURVEY_NONE ? NULL : &survey->jobs.items[found->job];

	if (!found->is_rank) {
		char id[32];

		snprintf(id, sizeof(id), "pid-%u", target->pids[0]);
		json_put_text(object, "source", "asked for by its pid");
		json_put_text(object, "job", id);
		return;
	}
	identity_put_rank(object, found);
	if (*found->conflict)
		json_put_text(object, "conflict", found->conflict);
	if (job)
		json_put_text(object, "job", job->id);
}

static void add_identity(struct foreign *foreign, const struct live_process *process)
{
	struct survey_process *found = survey_find(foreign->target->survey, process->here);
	struct json_object *object = json_object_new_object();
	struct exhibit about = {.kind = EXHIBIT_IDENTITY,
		.host = foreign->host,
		.rank = process->rank,
		.pid = process->pid,
		.start_time = process->start_time,
		.when = clock_realtime_ns()};
	struct str text = {0};
	size_t len;

	json_put_text(object, "schema", "inquest-identity/1");
	json_put_text(object, "role", process->role);
	json_put_int(object, "here", process->here);
	if (found && !strcmp(process->role, "rank"))
		put_rank(object, foreign->target, found);
	if (found && found->launcher && strcmp(process->role, "rank") != 0)
		json_put_text(object, "launcher", found->launcher->name);
	if (found) {
		json_put_text(object, "comm", found->stat.comm);
		json_put_text(object, "command", found->command);
	}
	json_put_end(object, &text);
	len = text.len;
	evidence_add(foreign->into, &about, (uint8_t *)str_detach(&text), len);
}

/* --- All of it ------------------------------------------------------------------------------- */

static uid_t owner_of(const struct foreign_target *target)
{
	const struct survey_process *process;

	if (target->job != SURVEY_NONE)
		return target->survey->jobs.items[target->job].uid;
	process = target->npids ? survey_find(target->survey, target->pids[0]) : NULL;
	return process ? process->uid : geteuid();
}

/* Returns the pid by which an attach finds the same job again. */
static uint32_t pid_of(const struct foreign_target *target)
{
	if (target->job != SURVEY_NONE)
		return target->survey->jobs.items[target->job].first_pid;
	return target->npids ? target->pids[0] : 0;
}

struct live_options foreign_stretch(const struct live_options *options)
{
	struct live_options ret = *options;
	int gaps = (int)ret.stacks.samples - 1;

	if (gaps > 0 && ret.stacks.pause_ms * gaps < FOREIGN_SPAN_MS)
		ret.stacks.pause_ms = (FOREIGN_SPAN_MS + gaps - 1) / gaps;
	if (gaps > 0 && ret.sample_pause_ms < FOREIGN_SPAN_MS)
		ret.sample_pause_ms = FOREIGN_SPAN_MS;
	return ret;
}

/*
 * Gathers everything of the listed processes. Returns when the first sample of /proc was taken, by
 * CLOCK_MONOTONIC.
 */
static int64_t gather_all(struct foreign *foreign, const struct live_options *options)
{
	const struct live_proc_target target = {foreign->into, foreign->host,
		owner_of(foreign->target), &foreign->processes};
	int64_t sampled;

	for (size_t i = 0; i < foreign->processes.all.nr; i++) {
		const struct live_process *process = &foreign->processes.all.items[i];

		add_identity(foreign, process);
		live_take_liveness(foreign->into, foreign->host, process);
	}
	live_proc_take(&target, true);
	sampled = clock_monotonic_ns();
	live_proc_take_cgroups(&target, NULL, 0);
	live_leave_out(foreign->into, foreign->host, options);
	if (!options->no_logs)
		live_proc_take_words(&target, options->read_ms);
	live_take_stacks(&target, options, sampled);
	if (options->sample_pause_ms > 0)
		live_proc_take(&target, false);
	return sampled;
}

static void begin(
	struct foreign *foreign, const struct foreign_target *target, struct evidence *into)
{
	*foreign = (struct foreign){.target = target, .into = into};
	live_host(foreign->host, sizeof(foreign->host));
	list_all(foreign);
}

/* True if any of the processes is still there. */
static bool is_any_left(const struct foreign *foreign)
{
	for (size_t i = 0; i < foreign->processes.all.nr; i++) {
		const struct live_process *process = &foreign->processes.all.items[i];

		if (proc_start_time(process->here) == process->start_time)
			return true;
	}
	return false;
}

/* Lists and gathers. Returns what gather_all() does; negative with words where nobody is left. */
static int64_t gather(const struct foreign_target *target, struct live_options options,
	struct evidence *into, struct complaint *why)
{
	struct foreign foreign;
	int64_t sampled = -1;

	options.stacks.means = pid_of(target);
	begin(&foreign, target, into);
	if (is_any_left(&foreign)) {
		live_add_clocks(into, foreign.host, owner_of(target), NULL, 0);
		sampled = gather_all(&foreign, &options);
	} else {
		complaint_set(why, "its processes are gone");
	}
	live_processes_release(&foreign.processes);
	return sampled;
}

int foreign_gather(const struct foreign_target *target, const struct live_options *options,
	struct evidence *into, struct complaint *why)
{
	static const struct live_options usual = LIVE_OPTIONS_DEFAULT;

	return gather(target, foreign_stretch(options ? options : &usual), into, why) < 0 ? -1 : 0;
}

int foreign_gather_glance(const struct foreign_target *target, const struct live_options *options,
	int64_t *ret_began, struct evidence *into, struct complaint *why)
{
	struct live_options glance = *options;

	glance.stacks.samples = 2;
	glance.stacks.pause_ms = glance.sample_pause_ms = FOREIGN_QUICK_MS;
	*ret_began = gather(target, glance, into, why);
	return *ret_began < 0 ? -1 : 0;
}

void foreign_gather_rest(const struct foreign_target *target, const struct live_options *options,
	int64_t began, struct evidence *into)
{
	int64_t left = began + FOREIGN_SPAN_MS * CLOCK_NS_PER_MS - clock_monotonic_ns();
	struct live_options rest = *options;
	struct foreign foreign;
	struct live_proc_target of = {into, NULL, 0, NULL};

	if (left > 0)
		usleep((useconds_t)(left / 1000));
	rest.stacks.means = pid_of(target);
	rest.stacks.samples = 1;
	rest.stacks.first = 2;
	rest.sample_pause_ms = 0;
	begin(&foreign, target, into);
	of.host = foreign.host;
	of.owner = owner_of(target);
	of.processes = &foreign.processes;
	live_take_stacks(&of, &rest, 0);
	live_proc_take(&of, false);
	live_processes_release(&foreign.processes);
}
