/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/slurm-step.h"

#include <string.h>

#include "evidence/format/json-get.h"

/*
 * No number has more digits. Numbers of special steps (a batch script's, an interactive one's) have
 * more, and do not count.
 */
#define DIGITS_MOST 9

/* Returns the digits of a variable: NULL not told, "" no number that counts. */
static const char *number_in(
	struct decode_context *context, const struct json_object *object, const char *name)
{
	struct json_object *env = NULL;
	const char *text =
		json_object_object_get_ex(object, "env", &env) ? json_get_text(env, name) : NULL;

	if (!text)
		return NULL;
	if (!*text || strlen(text) > DIGITS_MOST || strspn(text, "0123456789") != strlen(text))
		return "";
	return arena_text(&context->arena, text);
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

void slurm_step_launched(
	struct decode_context *context, struct decode_host *host, const struct json_object *receipt)
{
	const char *job = number_in(context, receipt, "SLURM_JOB_ID");
	const char *step = number_in(context, receipt, "SLURM_STEP_ID");

	if (host->launches++ && !is_same(job, host->slurm.job))
		job = "";
	if (host->launches > 1 && !is_same(step, host->slurm.step))
		step = "";
	host->slurm = (struct decode_slurm){job, step};
}

void slurm_step_given(struct decode_context *context, struct decode_process *process,
	const struct json_object *object)
{
	const char *job = number_in(context, object, "SLURM_JOB_ID");
	const char *step = number_in(context, object, "SLURM_STEP_ID");

	process->slurm.job = job ? job : process->slurm.job;
	process->slurm.step = step ? step : process->slurm.step;
}

void slurm_step_finish(struct decode_context *context, struct job_builder *builder,
	const struct decode_process *process)
{
	const struct decode_slurm *launch = &context_host(context, process->who.host)->slurm;
	const char *job = process->slurm.job ? process->slurm.job : launch->job;
	const char *step = process->slurm.step ? process->slurm.step : launch->step;
	bool has_step = step && *step, own = process->slurm.job || process->slurm.step;

	if (!job || !*job || !is_world_rank(process->identity.world_rank))
		return;
	job_add_trait(builder, process->who,
		&(const struct job_trait){.key = "slurm",
			.text = arena_printf(&context->arena, "%s%s%s", job, has_step ? "." : "",
				has_step ? step : ""),
			.number = JOB_UNKNOWN,
			.when = process->fact.born,
			.cite = arena_printf(&context->arena, "%s:%s", own ? "history" : "receipt",
				own ? context_name(context, process) : process->who.host)});
}
