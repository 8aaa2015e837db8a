/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "decode/context.h"
#include "decode/exhibits/hostlist.h"
#include "decode/exhibits/launch-facts.h"
#include "decode/exhibits/slurm-step.h"
#include "decode/kinds.h"
#include "evidence/format/json-get.h"

#define RECEIPT_CACHES 64 /* at most so many are read, more than there are kinds */

/* Variables that tell when the job will be ended, in seconds since 1970. */
static const char *const deadline_variables[] = {"SLURM_JOB_END_TIME"};

/* Adds the deadline that these variables tell. */
static void receipt_deadline(const struct json_object *object, struct job_builder *builder,
	struct decode_context *context, const char *host)
{
	struct json_object *env;

	if (!json_object_object_get_ex(object, "env", &env))
		return;
	for (size_t i = 0; i < sizeof(deadline_variables) / sizeof(deadline_variables[0]); i++) {
		const char *value = json_get_text(env, deadline_variables[i]);
		long long seconds = value ? strtoll(value, NULL, 10) : 0;

		if (seconds > 0 && seconds < INT64_MAX / CLOCK_NS_PER_S)
			job_add_deadline(builder, seconds * CLOCK_NS_PER_S,
				arena_printf(&context->arena, "receipt:%s", host));
	}
}

/*
 * Witnesses of the job's hosts, the best first: variables with a list of names, and with their
 * number; "" none.
 */
static const struct {
	const char *by, *names, *number;
} host_witnesses[] = {
	/* srun(1): the step that this process is in; without one, the allocation. */
	{"Slurm step", "SLURM_STEP_NODELIST", "SLURM_STEP_NUM_NODES"},
	{"Slurm job", "SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES"},
	{"Slurm job", "SLURM_NODELIST", "SLURM_NNODES"},
};

static void expect_host(const char *name, void *builder)
{
	job_add_expected_host(builder, name);
}

/*
 * Returns how many nodes torchrun was told, "--nnodes=4" or "--nnodes 4"; of an elastic "2:4" the
 * fewest. JOB_NONE not told.
 */
static int nodes_by_argument(const struct json_object *object)
{
	static const char *const names[] = {"--nnodes", "--num_machines", "--num_nodes"};
	size_t nr;
	struct json_object *argv = json_get_list(object, "argv", &nr);

	for (size_t i = 0; i < nr; i++) {
		const char *word = json_object_get_string(json_object_array_get_idx(argv, i));

		for (size_t k = 0; word && k < sizeof(names) / sizeof(names[0]); k++) {
			size_t len = strlen(names[k]);
			const char *value = NULL;
			long nodes;

			if (strncmp(word, names[k], len) != 0)
				continue;
			if (word[len] == '=')
				value = word + len + 1;
			else if (!word[len] && i + 1 < nr)
				value = json_object_get_string(
					json_object_array_get_idx(argv, i + 1));
			nodes = value ? strtol(value, NULL, 10) : 0;
			if (nodes > 0 && nodes <= HOSTLIST_MOST)
				return (int)nodes;
		}
	}
	return JOB_NONE;
}

/* Adds on how many hosts, and on which, the job was launched, by the first witness that knows. */
static void receipt_hosts(const struct json_object *object, struct job_builder *builder)
{
	int nodes = nodes_by_argument(object);
	struct json_object *env;

	job_add_expected_hosts(builder, nodes, "command line");
	if (!json_object_object_get_ex(object, "env", &env))
		return;
	for (size_t i = 0; i < sizeof(host_witnesses) / sizeof(host_witnesses[0]); i++) {
		const char *names = json_get_text(env, host_witnesses[i].names);
		const char *number = json_get_text(env, host_witnesses[i].number);
		long told = number ? strtol(number, NULL, 10) : 0;
		size_t named;

		/* A job that was told to use fewer nodes does not run on all of an allocation. */
		if ((!names && !number) || (nodes != JOB_NONE && told != nodes))
			continue;
		named = names ? hostlist_expand(names, expect_host, builder) : 0;
		if (told <= 0 || told > HOSTLIST_MOST)
			told = (long)named;
		if (told > 0)
			job_add_expected_hosts(builder, (int)told, host_witnesses[i].by);
		return;
	}
}

void decode_caches_list(struct decode_context *context, const struct json_object *object,
	struct decode_caches *into)
{
	size_t nr;
	struct json_object *list = json_get_list(object, "caches", &nr);

	for (size_t i = 0; i < nr && i < RECEIPT_CACHES; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		const char *path = json_get_text(one, "path");
		struct decode_cache cache = {0};

		if (!path || !json_get_int(one, "files", &cache.files) ||
			!json_get_int(one, "bytes", &cache.bytes))
			continue;
		cache.path = arena_text(&context->arena, path);
		*array_add(&into->all) = cache;
	}
}

/* Adds the whole launch, for receipts and for their comparison. */
static void receipt_launch(const struct json_object *object, struct job_builder *builder,
	struct decode_context *context, const char *host)
{
	struct job_launch launch;

	launch_read(object, &context->arena, &launch);
	if (!*launch.host)
		launch.host = arena_text(&context->arena, host);
	launch.cite = arena_printf(&context->arena, "receipt:%s", host);
	job_add_launched(builder, &launch);
}

static int receipt_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why);
	struct decode_host *host = context_host(context, exhibit->host);
	const char *cgroup;
	int64_t launched;

	if (!object)
		return -1;
	job_add_identity(builder, context_job_id(host, json_get_text(object, "job")),
		json_get_text(object, "name"));
	if (json_get_time(object, "launched", &launched))
		job_add_launch(builder, launched);
	cgroup = json_get_text(object, "cgroup");
	if (cgroup)
		decode_cgroup_text(context, host, cgroup, true);
	/* Launches side by side have the same caches: the first counts. */
	if (!host->caches.all.nr)
		decode_caches_list(context, object, &host->caches);
	receipt_launch(object, builder, context, host->name);
	slurm_step_launched(context, host, object);
	receipt_hosts(object, builder);
	receipt_deadline(object, builder, context, host->name);
	json_object_put(object);
	return 0;
}

const struct decoder decode_receipt = {EXHIBIT_RECEIPT, receipt_decode};
