/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks processes that say nothing of a rank in their files, and may be one all the same. They are
 * few: what multiprocessing started, or what forked off, below a Python that says nothing either,
 * and Ray's workers. Their starter is asked, too: it knows how many there should be. Any other
 * Python is asked only what JAX knows, if it has JAX at all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "proc/survey/inside.h"
#include "proc/survey/survey.h"
#include "proc/helper.h"

#define ASKED_MOST 256 /* processes asked, at most */
#define RAY	   "ray::" /* how the names of Ray's workers begin */

/* Whom to ask: indices in survey->all. */
struct asking {
	struct survey *survey;
	int at[ASKED_MOST];
	bool only_jax[ASKED_MOST];
	size_t nr;
};

/* The head of an answer, behind which the variables follow. */
struct answer {
	uint64_t which; /* index in asking.at */
	int64_t place, places, process_id, num_processes;
	char coordinator[160];
};

/* True if a process has a claim that is no task's and no node's. */
static bool has_own_claim(const struct survey_process *process)
{
	for (size_t i = 0; i < process->claims.nr; i++)
		if (!process->claims.all[i].of_task && !process->claims.all[i].of_node)
			return true;
	return false;
}

/* True for a child that its parent, a Python, has spawned or forked off. */
static bool is_offspring(const struct survey *survey, const struct survey_process *process)
{
	const struct survey_process *parent =
		process->parent == SURVEY_NONE ? NULL : &survey->all.items[process->parent];

	if (!parent || !parent->python || parent->launcher || has_own_claim(parent))
		return false;
	return process->helper || !strcmp(process->command, parent->command);
}

/* True if a process says nothing and may be asked. */
static bool may_be_asked(const struct survey_process *process)
{
	return !process->error && !process->ourselves && !process->launcher && !process->wrapper &&
	       process->stat.state != 'Z' && !has_own_claim(process);
}

/* True if a process says nothing and may be a rank, whatever it runs. */
static bool may_be_rank(const struct survey *survey, const struct survey_process *process)
{
	if (!may_be_asked(process))
		return false;
	if (!strncmp(process->stat.comm, RAY, strlen(RAY)))
		return true;
	return process->python && is_offspring(survey, process);
}

/* Adds a process, once, to those to ask. */
static void ask_once(struct asking *asking, int at, bool only_jax)
{
	for (size_t i = 0; i < asking->nr; i++)
		if (asking->at[i] == at)
			return;
	if (asking->nr == ASKED_MOST)
		return;
	asking->only_jax[asking->nr] = only_jax;
	asking->at[asking->nr++] = at;
}

/*
 * Lists whom to ask. A process that starts others comes before them, so that its answer does, too.
 */
static void find_asked(struct survey *survey, struct asking *asking)
{
	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *process = &survey->all.items[i];

		if (!may_be_rank(survey, process))
			continue;
		if (process->helper && !survey->all.items[process->parent].error)
			ask_once(asking, process->parent, false);
		ask_once(asking, (int)i, false);
	}
	for (size_t i = 0; i < survey->all.nr; i++)
		if (survey->all.items[i].python && may_be_asked(&survey->all.items[i]))
			ask_once(asking, (int)i, true);
}

/* Reads all that are asked and sends the answers. Runs in the helper. */
static void ask_all(int out, void *arg)
{
	const struct asking *asking = arg;
	struct images *images = images_new();

	for (size_t i = 0; i < asking->nr; i++) {
		struct answer answer = {.which = i};
		struct inside inside;
		bool sent;

		(void)inside_read(images, asking->survey->all.items[asking->at[i]].stat.pid,
			asking->only_jax[i], &inside);
		answer.place = inside.place;
		answer.places = inside.places;
		answer.process_id = inside.process_id;
		answer.num_processes = inside.num_processes;
		snprintf(answer.coordinator, sizeof(answer.coordinator), "%s",
			str_text(&inside.coordinator));
		sent = helper_send(out, &answer, sizeof(answer), str_text(&inside.environ),
			inside.environ.len);
		inside_release(&inside);
		if (!sent)
			break;
	}
	images_free(images);
}

/* Returns how many a process' parent was told to start; CLAIM_UNKNOWN if nobody knows. */
static int places_of(const struct asking *asking, const int *places, int parent)
{
	for (size_t i = 0; i < asking->nr; i++)
		if (asking->at[i] == parent)
			return places[i];
	return CLAIM_UNKNOWN;
}

/* Adds what the variables say. A task's are those of whoever started it. */
static void add_variables(struct survey *survey, struct survey_process *process,
	const struct claims *found)
{
	for (size_t i = 0; i < found->nr; i++) {
		struct rank_claim claim = found->all[i];

		if (claim.of_task)
			continue;
		claim.source = arena_printf(&survey->arena, "%s, in its memory", claim.source);
		if (claim.trust > CLAIM_SUPPORTED)
			claim.trust = CLAIM_SUPPORTED;
		survey_add_word(survey, process->stat.pid, &claim, process->uid);
	}
}

/*
 * True if whoever started the process gave it that number; of how many, the program says, where
 * nobody else does.
 */
static bool is_known(struct survey_process *process, int rank, int world)
{
	for (size_t i = 0; i < process->claims.nr; i++) {
		struct rank_claim *claim = &process->claims.all[i];

		if (claim->of_node || claim->rank != rank ||
			(claim->world_size != world && claim->world_size != CLAIM_UNKNOWN))
			continue;
		claim->world_size = world;
		return true;
	}
	return false;
}

/*
 * Adds a number that the program gave the process. Returns false if it is known, or makes no sense.
 */
static bool add_number(struct survey *survey, struct survey_process *process,
	const struct rank_claim *claim)
{
	if (claim->rank < 0 || has_own_claim(process) ||
		(claim->world_size != CLAIM_UNKNOWN && claim->rank >= claim->world_size) ||
		is_known(process, claim->rank, claim->world_size))
		return false;
	survey_add_word(survey, process->stat.pid, claim, process->uid);
	return true;
}

void survey_add_inside(struct survey *survey, struct survey_process *process,
	const struct survey_inside *inside)
{
	const struct rank_claim by_place = {.rank = inside->place,
		.local_rank = inside->place,
		.world_size = inside->places,
		.node_rank = CLAIM_UNKNOWN,
		.restart = CLAIM_UNKNOWN,
		.launcher = "spawn",
		.source = "argument of torch.multiprocessing.spawn",
		.trust = CLAIM_SUPPORTED};
	const struct rank_claim by_jax = {.rank = inside->process_id,
		.local_rank = CLAIM_UNKNOWN,
		.world_size = inside->num_processes,
		.node_rank = CLAIM_UNKNOWN,
		.restart = CLAIM_UNKNOWN,
		.launcher = "jax",
		.source = "jax.distributed, in its memory",
		.trust = CLAIM_SUPPORTED};
	struct claims found;

	claims_read(&found, inside->environ, inside->len, "", 0);
	add_variables(survey, process, &found);
	if (!*process->claims.master)
		strcpy(process->claims.master, found.master);
	/* Others of a task may not have met yet, and have no such name: it is told of no task. */
	if (add_number(survey, process, &by_jax) && !*process->claims.master)
		snprintf(process->claims.master, sizeof(process->claims.master), "%s",
			inside->coordinator);
	(void)add_number(survey, process, &by_place);
	if (!*process->claims.job)
		strcpy(process->claims.job, found.job);
}

/* Takes in one answer. places[] collects how many each one was told to start. */
static void take(struct asking *asking, const struct str *message, int *places)
{
	struct survey_process *process;
	struct survey_inside inside;
	struct answer answer;

	if (message->len < sizeof(answer))
		return;
	memcpy(&answer, message->text, sizeof(answer));
	if (answer.which >= asking->nr)
		return;
	places[answer.which] = answer.places > 0 ? (int)answer.places : CLAIM_UNKNOWN;
	process = &asking->survey->all.items[asking->at[answer.which]];
	answer.coordinator[sizeof(answer.coordinator) - 1] = '\0';
	inside = (struct survey_inside){.environ = message->text + sizeof(answer),
		.place = CLAIM_UNKNOWN,
		.places = CLAIM_UNKNOWN,
		.process_id = (int)answer.process_id,
		.num_processes = (int)answer.num_processes,
		.coordinator = answer.coordinator};
	if (may_be_rank(asking->survey, process)) {
		inside.len = message->len - sizeof(answer);
		inside.place = answer.place < 0 ? CLAIM_UNKNOWN : (int)answer.place;
		inside.places = places_of(asking, places, process->parent);
	}
	if (may_be_asked(process))
		survey_add_inside(asking->survey, process, &inside);
}

void survey_ask_inside(struct survey *survey, int deadline_ms)
{
	struct asking asking = {.survey = survey};
	int places[ASKED_MOST];
	struct helper helper;
	struct str message = {0};

	find_asked(survey, &asking);
	for (size_t i = 0; i < asking.nr; i++)
		places[i] = CLAIM_UNKNOWN;
	if (!asking.nr || helper_start(&helper, ask_all, &asking) < 0)
		return;
	while (helper_receive(&helper,
		       clock_monotonic_ns() + deadline_ms * CLOCK_NS_PER_MS, &message) == 1)
		take(&asking, &message, places);
	helper_end(&helper);
	str_release(&message);
}
