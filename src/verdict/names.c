/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/verdict.h"

#define NAME_OF(table, at) ((size_t)(at) < sizeof(table) / sizeof(*(table)) ? (table)[at] : NULL)

const char *verdict_class_name(enum verdict_class class)
{
	static const char *const names[] = {
		[VERDICT_COMPILE_SKEW] = "compile-skew",
		[VERDICT_COMPILE_STUCK] = "compile-stuck",
		[VERDICT_GRAPH_DIVERGENCE] = "graph-divergence",
		[VERDICT_RANK_DEATH] = "rank-death",
		[VERDICT_EARLY_EXIT] = "early-exit",
		[VERDICT_NODE_LOSS] = "node-loss",
		[VERDICT_EMPTY_SHARD] = "empty-shard",
		[VERDICT_UNEVEN_SHARD] = "uneven-shard",
		[VERDICT_COLLECTIVE_MISMATCH] = "collective-mismatch",
		[VERDICT_ORDER_INVERSION] = "order-inversion",
		[VERDICT_HOST_STALL] = "host-stall",
		[VERDICT_GPU_STALL] = "gpu-stall",
		[VERDICT_TRANSPORT_STALL] = "transport-stall",
		[VERDICT_NOT_STARTED] = "not-started",
		[VERDICT_SLOW] = "slow",
		[VERDICT_HEALTHY] = "healthy",
		[VERDICT_INCONCLUSIVE] = "inconclusive",
		[VERDICT_TOO_EARLY] = "too-early",
	};

	return NAME_OF(names, class);
}

const char *verdict_family_name(enum verdict_class class)
{
	static const char *const names[] = {
		[VERDICT_COMPILE_SKEW] = "compile-divergence",
		[VERDICT_COMPILE_STUCK] = "compile-divergence",
		[VERDICT_GRAPH_DIVERGENCE] = "compile-divergence",
		[VERDICT_RANK_DEATH] = "rank-death",
		[VERDICT_EARLY_EXIT] = "rank-death",
		[VERDICT_NODE_LOSS] = "rank-death",
		[VERDICT_EMPTY_SHARD] = "shards",
		[VERDICT_UNEVEN_SHARD] = "shards",
		[VERDICT_COLLECTIVE_MISMATCH] = "program",
		[VERDICT_ORDER_INVERSION] = "program",
		[VERDICT_HOST_STALL] = "host",
		[VERDICT_GPU_STALL] = "device",
		[VERDICT_TRANSPORT_STALL] = "device",
		[VERDICT_NOT_STARTED] = "start",
		[VERDICT_SLOW] = "none",
		[VERDICT_HEALTHY] = "none",
		[VERDICT_INCONCLUSIVE] = "none",
		[VERDICT_TOO_EARLY] = "none",
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
		[VERDICT_BY_ADDRESS] = "address",
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
