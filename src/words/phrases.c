/* SPDX-License-Identifier: Apache-2.0 */
#include "words/phrases.h"

/* Words by class, from lists/class.def. */
static const struct phrase phrases[VERDICT_CLASSES] = {
#define CLASS(upper, name, family, question, ...) {__VA_ARGS__},
#include "lists/class.def"
};

/* Words for a rank-death, by its cause. */
static const struct phrase deaths[VERDICT_CAUSES] = {
	[VERDICT_BY_SIGNAL] = {"died of a signal", "died of a signal", NULL},
	[VERDICT_BY_OOM_KILL] = {"was oom-killed", "were oom-killed", NULL},
	[VERDICT_BY_KILLED] = {"was killed", "were killed", NULL},
	[VERDICT_BY_EXCEPTION] = {"died of an exception", "died of exceptions", NULL},
	[VERDICT_BY_CUDA_ERROR] = {"died of a CUDA error", "died of CUDA errors", NULL},
	[VERDICT_BY_ABORT] = {"aborted", "aborted", NULL},
	[VERDICT_BY_CHILD_DEATH] = {"died with its child", "died with their children", NULL},
};

/* Words for a host-stall, by where it is. */
static const struct phrase stalls[VERDICT_WHERES] = {
	[VERDICT_IN_INPUT] = {"waits for input", "wait for input", NULL, "waited for input",
		"waited for input"},
	[VERDICT_IN_CHECKPOINT] = {"is busy with a checkpoint", "are busy with a checkpoint", NULL,
		"was busy with a checkpoint", "were busy with a checkpoint"},
	[VERDICT_IN_LOCK] = {"waits for a lock", "wait for a lock", NULL, "waited for a lock",
		"waited for a lock"},
	[VERDICT_IN_GIL] = {"is stuck at the GIL", "are stuck at the GIL", NULL,
		"was stuck at the GIL", "were stuck at the GIL"},
	[VERDICT_IN_FROZEN] = {"is stopped", "are stopped", NULL, "was stopped", "were stopped"},
	[VERDICT_IN_IO] = {"is stuck in the kernel", "are stuck in the kernel", NULL,
		"was stuck in the kernel", "were stuck in the kernel"},
	[VERDICT_IN_USER_CODE] = {"is in its own code", "are in their own code", NULL,
		"was in its own code", "were in their own code"},
};

/* Words for a collective-mismatch, by its cause. */
static const struct phrase shifts[VERDICT_CAUSES] = {
	[VERDICT_BY_SKIPPED] = {"skipped an operation", "skipped an operation", NULL},
	[VERDICT_BY_EXTRA] = {"issued an operation more", "issued an operation more", NULL},
	[VERDICT_BY_LEFT_GROUP] = {"left its group too early", "left their group too early", NULL},
};

/* Words for ranks that have not started, by the cause. */
static const struct phrase starts[VERDICT_CAUSES] = {
	[VERDICT_BY_ADDRESS] = {"looks for the others at another address",
		"look for the others at another address", NULL},
	[VERDICT_BY_NUMBER] = {"has no process", "have no processes", NULL}, /* add_given_twice() */
	[VERDICT_BY_WORLD_SIZE] = {"was given another world size",
		"were given another world size", "ranks were given different world sizes"},
};

/* For a rank that lives: a thread died that should have come. */
static const struct phrase thread_deaths = {"lost a thread to an exception",
	"lost threads to exceptions", NULL};

/* For a rank that exited by itself, as a signal had asked of it. */
static const struct phrase orders = {"was told to end", "were told to end", NULL};

/* For an order-inversion of groups that are made. */
static const struct phrase creations = {"makes groups in another order",
	"make groups in another order", "groups are made in different orders",
	"made groups in another order", "made groups in another order"};

/*
 * For ranks that wait for a key of the store which nobody sets, so that all others wait for them.
 */
static const struct phrase keys = {"waits for an unset key",
	"wait for unset keys", NULL, "waited for an unset key",
	"waited for unset keys"};

/* For a stall in servers, which stand still as long as nobody asks. */
static const struct phrase requests = {"waits for a request", "wait for requests", NULL,
	"waited for a request", "waited for requests"};

/* For a stall in an event loop: whether it asks, sleeps or serves is unknown. */
static const struct phrase events = {"waits in its event loop", "wait in their event loops", NULL,
	"waited in its event loop", "waited in their event loops"};

/* For a compile of which nothing says that it cannot end: it may wait for something outside. */
static const struct phrase quiet_compiles = {"is quiet compiling", "are quiet compiling",
	"a compile is quiet", "was quiet compiling", "were quiet compiling"};

const struct phrase *phrase_of(const struct verdict *verdict)
{
	const struct phrase *special = NULL;

	if (verdict->class == VERDICT_RANK_DEATH && verdict->headline.kind == FACT_THREAD_DIED)
		special = &thread_deaths;
	else if (verdict->class == VERDICT_RANK_DEATH &&
		 verdict->headline.kind == FACT_TOLD_TO_END)
		special = &orders;
	else if (verdict->class == VERDICT_RANK_DEATH)
		special = &deaths[verdict->cause];
	else if (verdict->headline.kind == FACT_AWAITS_REQUEST)
		special = &requests;
	else if (verdict->headline.kind == FACT_AWAITS_EVENT)
		special = &events;
	else if (verdict->class == VERDICT_HOST_STALL)
		special = &stalls[verdict->where];
	else if (verdict->headline.kind == FACT_KEY_UNSET)
		special = &keys;
	else if (verdict->class == VERDICT_COLLECTIVE_MISMATCH)
		special = &shifts[verdict->cause];
	else if (verdict->class == VERDICT_NOT_STARTED)
		special = &starts[verdict->cause];
	else if (verdict->cause == VERDICT_BY_GROUP_CREATION)
		special = &creations;
	else if (verdict->class == VERDICT_COMPILE_STUCK &&
		 verdict->outlook == VERDICT_OUTLOOK_UNKNOWN)
		special = &quiet_compiles;
	return special && special->one ? special : &phrases[verdict->class];
}

const char *phrase_of_nobody(enum verdict_class class)
{
	return phrases[class].nobody;
}

const char *phrase_words(const struct phrase *phrase, bool many, bool over)
{
	const char *then = many ? phrase->many_once : phrase->one_once;

	if (over && then)
		return then;
	return many ? phrase->many : phrase->one;
}
