/* SPDX-License-Identifier: Apache-2.0 */
#include "whole.h"

#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "decode/decode.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/source.h"
#include "ring/ring-read.h"

/* --- Reading ---------------------------------------------------------------------------------- */

static uint64_t clock_of(const struct exhibit *gather, const char *name)
{
	struct json_object *document = heap_open(gather), *value;
	uint64_t time = 0;

	if (json_object_object_get_ex(document, name, &value))
		time = (uint64_t)json_object_get_int64(value);
	json_object_put(document);
	return time;
}

/* The gathering that it was read in; of hosts that a job was spread over, that of the one it was.
 */
static const struct exhibit *gather_of(const struct whole *whole, const struct exhibit *ring)
{
	const struct exhibit *found = NULL;

	for (size_t i = 0; i < whole->evidence.n; i++) {
		const struct exhibit *gather = &whole->evidence.at[i];

		if (gather->kind != EXHIBIT_GATHER || gather->when > ring->when)
			continue;
		if (!strcmp(gather->host, ring->host))
			return gather;
		found = gather;
	}
	return found;
}

void whole_date(const struct whole *whole, const struct exhibit *ring, struct ring_view *view)
{
	const char *tick = view->header.clock == RING_CLOCK_MONOTONIC_NS ? "monotonic" : "tsc";
	const struct exhibit *gather = gather_of(whole, ring);

	if (gather)
		ring_view_add_anchor(view, clock_of(gather, tick), clock_of(gather, "monotonic"),
			clock_of(gather, "realtime"));
}

/* Birth of the oldest ring, by its own clock. */
static int64_t first_record(const struct whole *whole)
{
	const struct evidence *evidence = &whole->evidence;
	int64_t first = JOB_UNKNOWN;

	for (size_t i = 0; i < evidence->n; i++) {
		const struct exhibit *exhibit = &evidence->at[i];
		struct ring_view view;
		uint64_t born;

		if (exhibit->kind != EXHIBIT_RING ||
			ring_view_open(&view, exhibit->bytes, exhibit->len))
			continue;
		whole_date(whole, exhibit, &view);
		if (ring_view_time(&view, RING_TIME_REALTIME, view.header.birth_tsc, &born) < 0)
			continue;
		if (first == JOB_UNKNOWN || (int64_t)born < first)
			first = (int64_t)born;
	}
	return first;
}

static struct json_object *open_truth(const char *path, const char *truths)
{
	const char *slash = strrchr(path, '/');
	struct json_object *truth;
	struct str name = {0};

	if (truths)
		str_printf(&name, "%s/%s.truth.json", truths, slash ? slash + 1 : path);
	else
		str_printf(&name, "%s.truth.json", path);
	truth = json_object_from_file(str_text(&name));
	str_release(&name);
	return truth || !truths ? truth : open_truth(path, NULL);
}

static void read_truth(struct whole *whole, const char *truths)
{
	struct json_object *truth = open_truth(whole->path, truths), *involved, *class;

	if (!truth)
		return;
	if (json_object_object_get_ex(truth, "class", &class) &&
		json_object_is_type(class, json_type_string))
		whole->is_well = !strcmp(json_object_get_string(class),
			verdict_class_name(VERDICT_HEALTHY));
	if (json_object_object_get_ex(truth, "involved", &involved)) {
		size_t n = json_object_array_length(involved);

		whole->involved = alloc_zeroed(n + 1, sizeof(*whole->involved));
		for (size_t i = 0; i < n; i++)
			whole->involved[whole->ninvolved++] =
				json_object_get_int(json_object_array_get_idx(involved, i));
	}
	json_object_put(truth);
}

int whole_read(struct whole *whole, const char *path, const char *truths, struct complaint *why)
{
	const struct source *source = source_of(path);
	int error;

	*whole = (struct whole){.path = path};
	if (!source || source == &source_live)
		return complaint_set(why, "%s: no evidence", path);
	error = source->gather(path, &whole->evidence, why);
	if (error < 0)
		return error;
	whole->job = decode_job(&whole->evidence);
	whole->verdicts = verdicts_of(whole->job);
	whole->first = first_record(whole);
	read_truth(whole, truths);
	return 0;
}

void whole_release(struct whole *whole)
{
	verdicts_free(whole->verdicts);
	job_free(whole->job);
	evidence_release(&whole->evidence);
	free(whole->involved);
	*whole = (struct whole){0};
}

/* --- Who is who ------------------------------------------------------------------------------- */

const struct job_process *whole_process(
	const struct whole *whole, const char *host, uint32_t pid, uint64_t start_time)
{
	const struct job *job = whole->job;

	for (size_t i = 0; pid && i < job->nprocesses; i++) {
		const struct job_process *process = &job->processes[i];

		if (process->pid != pid || process->start_time != start_time)
			continue;
		if (!host || (process->host != JOB_NONE &&
				     !strcmp(job->hosts[process->host].name, host)))
			return process;
	}
	return NULL;
}

int whole_rank_of_process(
	const struct whole *whole, const char *host, uint32_t pid, uint64_t start_time)
{
	const struct job_process *process = whole_process(whole, host, pid, start_time);

	/* Hosts that a job was spread over are not in it. */
	process = process ? process : whole_process(whole, NULL, pid, start_time);
	return process && is_rank(process->rank) ? job_rank(whole->job, process->rank)->world_rank.n
						    : -1;
}

bool whole_is_rank(const struct whole *whole, uint32_t pid, uint64_t start_time)
{
	const struct job *job = whole->job;

	for (size_t i = 0; i < job->nranks; i++) {
		const struct job_process *process =
			job->ranks[i].process == JOB_NONE ? NULL
							  : &job->processes[job->ranks[i].process];

		if (process && process->pid == pid && process->start_time == start_time)
			return true;
	}
	return false;
}

int whole_rank_of(const struct whole *whole, const struct exhibit *exhibit)
{
	if (exhibit->kind == EXHIBIT_FLIGHT)
		return exhibit->rank;
	return whole_rank_of_process(whole, exhibit->host, exhibit->pid, exhibit->start_time);
}

bool whole_names(const struct whole *whole, int world_rank)
{
	for (size_t i = 0; i < whole->verdicts->n; i++) {
		const struct verdict *verdict = &whole->verdicts->at[i];

		for (size_t k = 0; k < verdict->culprits.n; k++)
			if (job_rank(whole->job, verdict->culprits.at[k])->world_rank.n ==
				world_rank)
				return true;
	}
	for (size_t i = 0; i < whole->ninvolved; i++)
		if (whole->involved[i] == world_rank)
			return true;
	return false;
}
