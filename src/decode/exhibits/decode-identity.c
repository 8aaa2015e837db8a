/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes which rank a process is in a job that has nothing of ours: what its environment,
 * arguments, launcher or Slurm said, as the gatherer weighed it. It is not known whether such a
 * rank has made a communicator. That it is taken for the rank at all is the gatherer's word, so it
 * counts as much as a census that says so.
 */
#include <string.h>

#include "decode/context.h"
#include "decode/exhibits/child-kind.h"
#include "decode/kinds.h"
#include "evidence/format/json-get.h"

/* Returns a number of the document that fits an int and is not negative; else JOB_NONE. */
static int identity_number(const struct json_object *object, const char *key)
{
	int64_t value;

	if (!json_get_int(object, key, &value) || value < 0 || value > INT32_MAX)
		return JOB_NONE;
	return (int)value;
}

/* Adds where its environment has PyTorch look for its store, and in which step of Slurm it is. */
static void identity_place(struct job_builder *builder, const struct decode_process *process,
	const struct json_object *object, const struct job_trait *like)
{
	static const char *const keys[] = {"master", "slurm"};
	struct job_trait trait = *like;

	trait.number = JOB_UNKNOWN;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		trait.key = keys[i];
		trait.text = json_get_text(object, keys[i]);
		if (trait.text)
			job_add_trait(builder, process->who, &trait);
	}
}

/* Adds which source tells the rank, and which one tells otherwise. */
static void identity_traits(struct decode_context *context, struct job_builder *builder,
	const struct decode_process *process, const struct json_object *object, int64_t when)
{
	const char *source = json_get_text(object, "source");
	const char *confidence = json_get_text(object, "confidence");
	const char *conflict = json_get_text(object, "conflict");
	struct world_rank rank = process->identity.world_rank;
	struct job_trait trait = {.key = "rank-source",
		.number = is_world_rank(rank) ? rank.n : JOB_UNKNOWN,
		.when = when,
		.cite = arena_printf(
			&context->arena, "identity:%s", context_name(context, process))};

	if (!source)
		return;
	identity_place(builder, process, object, &trait);
	trait.text = confidence ? arena_printf(&context->arena, "%s (%s)", source, confidence)
				: source;
	job_add_trait(builder, process->who, &trait);
	if (!conflict)
		return;
	trait.key = "rank-conflict";
	trait.text = conflict;
	trait.number = JOB_UNKNOWN;
	job_add_trait(builder, process->who, &trait);
}

/* Makes the process the rank that the document names. */
static void identity_rank(struct job_builder *builder, struct decode_process *process,
	const struct json_object *object)
{
	const char *source = json_get_text(object, "source");
	int restart = identity_number(object, "restart");
	int world_size = identity_number(object, "world_size");

	process->identity.world_rank = world_rank(identity_number(object, "rank"));
	process->identity.local_rank = identity_number(object, "local_rank");
	process->identity.promoted = true;
	process->fact.role = JOB_ROLE_RANK;
	if (restart > 0)
		process->fact.restart = restart;
	if (world_size > 0)
		job_add_world_size(builder, world_size, source ? source : "launcher");
}

static int identity_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why);
	struct decode_process *process;
	const char *role, *job, *command;
	int here;

	if (!object)
		return -1;
	role = json_get_text(object, "role");
	job = json_get_text(object, "job");
	command = json_get_text(object, "command");
	if (!role || !exhibit->pid) {
		json_object_put(object);
		return complaint_set(why, "it does not say who plays what part");
	}
	process = context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);
	here = identity_number(object, "here");
	if (here > 0)
		process->here = (uint32_t)here;
	if (!strcmp(role, "rank"))
		identity_rank(builder, process, object);
	else if (!strcmp(role, "child"))
		process->fact.role = JOB_ROLE_CHILD;
	if (!strcmp(role, "child") && command)
		process->fact.what = child_kind_name(json_get_text(object, "comm"), command);
	if (job)
		job_add_identity(builder, job, json_get_text(object, "name"));
	identity_traits(context, builder, process, object, exhibit->when);
	json_object_put(object);
	return 0;
}

const struct decoder decode_identity = {EXHIBIT_IDENTITY, identity_decode};
