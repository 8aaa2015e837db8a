/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/verdict.h"

#define NAME_OF(table, at) ((size_t)(at) < sizeof(table) / sizeof(*(table)) ? (table)[at] : NULL)

const char *verdict_class_name(enum verdict_class class)
{
	static const char *const names[] = {
#define CLASS(upper, name, ...) name,
#include "lists/class.def"
	};

	return NAME_OF(names, class);
}

const char *verdict_family_name(enum verdict_class class)
{
	static const char *const names[] = {
#define CLASS(upper, name, family, ...) family,
#include "lists/class.def"
#undef CLASS
	};

	return NAME_OF(names, class);
}

const char *verdict_confidence_name(enum verdict_confidence confidence)
{
	static const char *const names[] = {
		[VERDICT_UNKNOWN] = "unknown",
		[VERDICT_HYPOTHESIS] = "hypothesis",
		[VERDICT_SUPPORTED] = "supported",
		[VERDICT_ESTABLISHED] = "established",
	};

	return NAME_OF(names, confidence);
}

const char *verdict_outlook_name(enum verdict_outlook outlook)
{
	static const char *const names[] = {
		[VERDICT_OUTLOOK_UNKNOWN] = "unknown",
		[VERDICT_WAIT] = "wait",
		[VERDICT_KILL] = "kill",
		[VERDICT_OVER] = "over",
	};

	return NAME_OF(names, outlook);
}

const char *verdict_cause_name(enum verdict_cause cause)
{
	static const char *const names[] = {
		[VERDICT_BY_SIGNAL] = "signal",
		[VERDICT_BY_OOM_KILL] = "oom-kill",
		[VERDICT_BY_KILLED] = "killed",
		[VERDICT_BY_EXCEPTION] = "exception",
		[VERDICT_BY_CUDA_ERROR] = "cuda-error",
		[VERDICT_BY_ABORT] = "abort",
		[VERDICT_BY_EARLY_EXIT] = "early-exit",
		[VERDICT_BY_CHILD_DEATH] = "child-death",
		[VERDICT_BY_GROUP_CREATION] = "group-creation",
		[VERDICT_BY_SKIPPED] = "skipped",
		[VERDICT_BY_EXTRA] = "extra",
		[VERDICT_BY_LEFT_GROUP] = "left-group",
		[VERDICT_BY_ADDRESS] = "address",
		[VERDICT_BY_NUMBER] = "number",
		[VERDICT_BY_WORLD_SIZE] = "world-size",
	};

	return NAME_OF(names, cause);
}

const char *verdict_where_name(enum verdict_where where)
{
	static const char *const names[] = {
		[VERDICT_IN_INPUT] = "input",
		[VERDICT_IN_CHECKPOINT] = "checkpoint",
		[VERDICT_IN_LOCK] = "lock",
		[VERDICT_IN_GIL] = "gil",
		[VERDICT_IN_FROZEN] = "frozen",
		[VERDICT_IN_IO] = "io",
		[VERDICT_IN_USER_CODE] = "user-code",
		[VERDICT_WHERE_UNKNOWN] = "unknown",
	};

	return NAME_OF(names, where);
}

const char *verdict_limit_name(enum verdict_limit limit)
{
	static const char *const names[] = {
		[VERDICT_LIMIT_DEADLINE] = "deadline",
		[VERDICT_LIMIT_WATCHDOG] = "watchdog",
		[VERDICT_LIMIT_TIMEOUT] = "timeout",
		[VERDICT_LIMIT_STORE] = "store",
	};

	return NAME_OF(names, limit);
}

const char *verdict_stage_name(enum verdict_stage stage)
{
	static const char *const names[] = {
		[VERDICT_BOOTSTRAP] = "bootstrap",
		[VERDICT_FIRST_FORWARD] = "first-forward",
		[VERDICT_STEADY] = "steady",
		[VERDICT_TEARDOWN] = "teardown",
		[VERDICT_STAGE_UNKNOWN] = "unknown",
	};

	return NAME_OF(names, stage);
}
