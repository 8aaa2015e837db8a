/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "decode/context.h"
#include "decode/kinds.h"
#include "evidence/format/json-get.h"

/*
 * Judges whether a process lives: dead only if its lock is free (or it has none) and it is gone or
 * a zombie. Of who is not seen, but may be there, nobody knows.
 */
static enum job_known liveness_judge(bool there, bool unseen, char state, const char *lock)
{
	if (there)
		return state == 'Z' || state == 'X' ? JOB_NO : JOB_YES;
	if (lock && !strcmp(lock, "held"))
		return JOB_YES;
	return unseen ? JOB_MAYBE : JOB_NO;
}

static int liveness_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why);
	struct decode_process *process;
	struct decode_host *host;
	int64_t there, here = 0, unseen = 0;
	const char *role, *state;

	(void)builder;
	if (!object)
		return -1;
	if (!json_get_int(object, "there", &there)) {
		json_object_put(object);
		return complaint_set(why, "it does not say whether the process is there");
	}
	process = context_process(context, exhibit->host, exhibit->pid, exhibit->start_time);
	state = json_get_text(object, "state");
	role = json_get_text(object, "role");
	json_get_int(object, "here", &here);
	json_get_int(object, "unseen", &unseen);
	process->here = here > 0 && here <= UINT32_MAX ? (uint32_t)here : 0;
	process->alive_at = exhibit->when > 0 ? exhibit->when : JOB_UNKNOWN;
	context_looked(context, process, exhibit->when);
	process->alive = liveness_judge(there != 0, unseen != 0, state ? state[0] : 0,
		json_get_text(object, "lock"));
	if (process->alive == JOB_NO)
		context_end(process, &(const struct decode_end){.witness = WITNESS_ABSENCE,
					     .end = JOB_GONE,
					     .when = JOB_UNKNOWN,
					     .cite = arena_printf(&context->arena, "liveness:%s",
						     context_name(context, process))});
	host = context_host(context, exhibit->host);
	/* Of several agents the living one counts: it knows the host as it is now. */
	if (role && !strcmp(role, "agent") && process->alive > host->agent_alive)
		host->agent_alive = process->alive;
	if (role && !strcmp(role, "child") && process->fact.role == JOB_ROLE_UNKNOWN)
		process->fact.role = JOB_ROLE_CHILD;
	json_object_put(object);
	return 0;
}

const struct decoder decode_liveness = {EXHIBIT_LIVENESS, liveness_decode};
