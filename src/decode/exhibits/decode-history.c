/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "decode/context.h"
#include "decode/exhibits/child-kind.h"
#include "decode/exhibits/slurm-step.h"
#include "decode/kinds.h"
#include "evidence/format/json-get.h"

/* At most so many samples of a process are read. */
#define HISTORY_SAMPLES_CAP 1000

/* Returns the i-th number of a list; `otherwise` if there is none. */
static int64_t get_item(const struct json_object *list, size_t i, int64_t otherwise)
{
	struct json_object *value = i < json_object_array_length(list)
					    ? json_object_array_get_idx(list, i)
					    : NULL;

	return json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : otherwise;
}

/* Returns the i-th text of a list; "" if there is none. */
static const char *get_word(const struct json_object *list, size_t i)
{
	struct json_object *value = i < json_object_array_length(list)
					    ? json_object_array_get_idx(list, i)
					    : NULL;

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

/*
 * The samples of one process, read before the document's turn. Samples are nearly all of a
 * document, and heavy, so they are taken out of its tree.
 */
struct history_samples {
	ARRAY(struct decode_sample) all;
	bool any; /* whether there are rows, whatever is in them */
};

/* A document that was read before its turn. */
struct history {
	struct json_object *object; /* NULL: it is no document, with words in `why` */
	struct complaint why;
	struct history_samples *samples; /* by process, in the document's order */
	size_t n;
};

/* Adds a row of a process: time, CPU ticks, pages, state, children, bytes written, runs. */
static void history_row(struct history_samples *into, const struct json_object *row)
{
	const char *state = get_word(row, 3);
	struct decode_sample sample = {
		.when = checked_time(get_item(row, 0, JOB_UNKNOWN), JOB_UNKNOWN),
		.cpu_ticks = get_item(row, 1, JOB_UNKNOWN),
		.rss_pages = get_item(row, 2, JOB_UNKNOWN),
		.written = get_item(row, 5, JOB_UNKNOWN),
		.runs = get_item(row, 6, JOB_UNKNOWN),
		.state = *state,
	};

	if (sample.when == JOB_UNKNOWN || sample.cpu_ticks < 0)
		return;
	if (sample.rss_pages < 0)
		sample.rss_pages = JOB_UNKNOWN;
	if (sample.written < 0)
		sample.written = JOB_UNKNOWN;
	if (sample.runs < 0)
		sample.runs = JOB_UNKNOWN;
	*array_add(&into->all) = sample;
}

/* Moves the samples of a process out of the tree. */
static void take_samples(struct history_samples *into, struct json_object *one)
{
	size_t nr;
	struct json_object *rows = json_get_list(one, "samples", &nr);

	into->any = nr > 0;
	if (nr > HISTORY_SAMPLES_CAP)
		nr = HISTORY_SAMPLES_CAP;
	if (nr)
		array_reserve(&into->all, nr);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (json_object_is_type(row, json_type_array))
			history_row(into, row);
	}
	if (rows)
		json_object_object_del(one, "samples");
}

static void *history_prepare(const struct exhibit *exhibit, const struct decode_host *host)
{
	struct history *history = alloc_zeroed(1, sizeof(*history));
	struct json_object *list;

	(void)host;
	history->object = json_get_document(exhibit, &history->why);
	list = json_get_list(history->object, "processes", &history->n);
	history->samples = alloc_zeroed(history->n, sizeof(*history->samples));
	for (size_t i = 0; i < history->n; i++)
		take_samples(&history->samples[i], json_object_array_get_idx(list, i));
	return history;
}

static void history_discard(void *ready)
{
	struct history *history = ready;

	for (size_t i = 0; i < history->n; i++)
		array_release(&history->samples[i].all);
	free(history->samples);
	json_object_put(history->object);
	complaint_release(&history->why);
	free(history);
}

/* Takes how a child ended, as far as the agent could learn it; that it did end is certain. */
static void history_end(struct decode_context *context, struct decode_process *process,
	const struct json_object *one)
{
	struct decode_end end = {.witness = WITNESS_ABSENCE, .end = JOB_GONE};
	int64_t status;

	if (!json_get_time(one, "ended", &end.when))
		return;
	if (json_get_int(one, "wait_status", &status)) {
		bool signaled = WIFSIGNALED((int)status);

		end.witness = WITNESS_ZOMBIE;
		end.end = signaled ? JOB_SIGNALED : JOB_EXITED;
		end.status = signaled ? WTERMSIG((int)status) : WEXITSTATUS((int)status);
	}
	end.cite = arena_printf(&context->arena, "history:%s", context_name(context, process));
	context_end_watched(process, &end);
}

/* Adds where its launcher has PyTorch look for its store. */
static void history_master(struct decode_context *context, struct job_builder *builder,
	const struct decode_process *process, const struct json_object *one, int64_t when)
{
	struct json_object *env = NULL;
	const char *address, *port;

	if (!json_object_object_get_ex(one, "env", &env))
		return;
	address = json_get_text(env, "MASTER_ADDR");
	port = json_get_text(env, "MASTER_PORT");
	if (port)
		job_add_trait(builder, process->who,
			&(const struct job_trait){.key = "master",
				.text = arena_printf(
					&context->arena, "%s:%s", address ? address : "", port),
				.number = JOB_UNKNOWN,
				.when = when,
				.cite = arena_printf(&context->arena, "history:%s",
					context_name(context, process))});
}

/* Takes one process of the document over. */
static void history_process(struct decode_context *context, struct job_builder *builder,
	const struct exhibit *exhibit, const struct json_object *one,
	const struct history_samples *samples)
{
	struct decode_process *process;
	int64_t pid, start_time, ppid;
	const char *comm = json_get_text(one, "comm");

	if (!json_get_int(one, "pid", &pid) || pid <= 0 || pid > UINT32_MAX ||
		!json_get_int(one, "start_time", &start_time))
		return;
	process = context_process(context, exhibit->host, (uint32_t)pid, (uint64_t)start_time);
	if (comm && !*process->fact.comm)
		process->fact.comm = arena_text(&context->arena, comm);
	if (!process->ppid_here && json_get_int(one, "ppid", &ppid) && ppid > 0)
		process->ppid_here = (uint32_t)ppid;
	if (process->fact.role == JOB_ROLE_UNKNOWN && !is_world_rank(process->identity.world_rank))
		process->fact.role = JOB_ROLE_CHILD;
	if (process->fact.role == JOB_ROLE_CHILD || process->fact.role == JOB_ROLE_UNKNOWN ||
		process->fact.role == JOB_ROLE_CANDIDATE)
		process->fact.what = child_kind_name(comm, json_get_text(one, "command"));
	history_end(context, process, one);
	history_master(context, builder, process, one, exhibit->when);
	slurm_step_given(context, process, one);
	if (!process->caches.all.nr)
		decode_caches_list(context, one, &process->caches);
	if (samples->any)
		process->identity.knows |= JOB_KNOWS_PROC;
	if (samples->all.nr)
		memcpy(array_add_many(&process->samples, samples->all.nr), samples->all.items,
			samples->all.nr * sizeof(*samples->all.items));
}

static int history_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	const struct history *history = context->ready;
	struct json_object *object = history->object;
	struct decode_host *host = context_host(context, exhibit->host);
	struct json_object *list;
	size_t nr;

	if (!object)
		return complaint_set(why, "%s", complaint_text(&history->why));
	list = json_get_list(object, "processes", &nr);
	for (size_t i = 0; i < nr; i++)
		history_process(context, builder, exhibit, json_object_array_get_idx(list, i),
			&history->samples[i]);
	list = json_get_list(object, "cgroups", &nr);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		const char *first = json_get_text(one, "first");
		const char *last = json_get_text(one, "last");

		if (first)
			decode_cgroup_text(context, host, first, true);
		if (last)
			decode_cgroup_text(context, host, last, false);
	}
	return 0;
}

const struct decoder decode_history = {
	EXHIBIT_HISTORY, history_decode, history_prepare, history_discard};
