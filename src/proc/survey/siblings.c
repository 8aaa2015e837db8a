/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/siblings.h"

#include <string.h>

#define INIT 1 /* who adopts processes started them not */

/* --- The same program ------------------------------------------------------------------------ */

/* Returns the word behind the next blank; the end of the text where there is none. */
static const char *next_word(const char *at)
{
	at += strcspn(at, " ");
	return at + strspn(at, " ");
}

/*
 * Returns what an interpreter runs: what stands behind its options, two of which take a word, or
 * the module behind "-m".
 */
static const char *what_runs(const char *command)
{
	const char *at = next_word(command);

	while (*at == '-' && strncmp(at, "-m ", 3) != 0 && strncmp(at, "-c ", 3) != 0) {
		bool takes_word = !strncmp(at, "-X ", 3) || !strncmp(at, "-W ", 3);

		at = next_word(at);
		at = takes_word ? next_word(at) : at;
	}
	return *at == '-' ? next_word(at) : at;
}

static bool is_same_word(const char *a, const char *b)
{
	size_t len = strcspn(a, " ");

	return len && len == strcspn(b, " ") && !memcmp(a, b, len);
}

bool siblings_run_same(const struct survey_process *a, const struct survey_process *b)
{
	return is_same_word(a->command, b->command) &&
	       is_same_word(what_runs(a->command), what_runs(b->command));
}

/* --- Who has not come yet -------------------------------------------------------------------- */

/* True if a process knows its number from JAX. */
static bool has_met(const struct survey_process *process)
{
	return process->is_rank && !strcmp(process->rank.launcher, "jax");
}

/* True if a process says nothing of a rank, and may be one. */
static bool may_come(const struct survey_process *process)
{
	return process->python && !process->is_rank && !process->claims.nr && !process->error &&
	       !process->ourselves && !process->launcher && !process->wrapper &&
	       !process->inquest && !process->helper && process->stat.state != 'Z' &&
	       process->stat.ppid != INIT && process->parent != SURVEY_NONE;
}

/* True if the same process started both, for the same user and with the same program. */
static bool is_sibling(const struct survey_process *a, const struct survey_process *b)
{
	return a != b && a->parent == b->parent && a->uid == b->uid && siblings_run_same(a, b);
}

/* True if two that have met say the same job. */
static bool is_same_job(const struct survey_process *a, const struct survey_process *b)
{
	return a->rank.world_size == b->rank.world_size &&
	       !strcmp(a->claims.master, b->claims.master) &&
	       !strcmp(a->claims.job, b->claims.job);
}

/* One process that has not come, and what its siblings say. */
struct gap {
	const struct survey_process *met; /* one that has met; NULL there is none */
	int nr;				  /* ranks that have met */
	int others;			  /* that have not, this one too */
	bool odd;			  /* those that have met are of several jobs */
};

static struct gap gap_of(const struct survey *survey, const struct survey_process *process)
{
	struct gap gap = {.others = 1};
	const struct survey_process *other;

	array_for_each(&survey->all, other) {
		if (!is_sibling(process, other))
			continue;
		if (has_met(other)) {
			gap.odd |= gap.met && !is_same_job(gap.met, other);
			gap.met = gap.met ? gap.met : other;
			gap.nr++;
		} else {
			gap.others += may_come(other);
		}
	}
	return gap;
}

/* Returns the one number that the siblings of a process lack; CLAIM_UNKNOWN if there are more. */
static int number_left(const struct survey *survey, const struct survey_process *process,
	const struct gap *gap)
{
	int64_t sum = (int64_t)gap->met->rank.world_size * (gap->met->rank.world_size - 1) / 2;
	const struct survey_process *other, *again;

	if (gap->others != 1 || gap->nr != gap->met->rank.world_size - 1)
		return CLAIM_UNKNOWN;
	array_for_each(&survey->all, other) {
		if (!has_met(other) || !is_sibling(process, other))
			continue;
		sum -= other->rank.rank;
		array_for_each(&survey->all, again)
			if (again != other && has_met(again) && is_sibling(process, again) &&
				again->rank.rank == other->rank.rank)
				return CLAIM_UNKNOWN;
	}
	return (int)sum;
}

/* Returns what is known of a process that has not come; its launcher is NULL if it is no rank. */
static struct rank_claim claim_of(
	const struct survey *survey, const struct survey_process *process, const struct gap *gap)
{
	struct rank_claim claim = {.local_rank = CLAIM_UNKNOWN,
		.world_size = CLAIM_UNKNOWN,
		.node_rank = CLAIM_UNKNOWN,
		.restart = CLAIM_UNKNOWN,
		.source = "started beside the others of its program",
		.trust = CLAIM_HYPOTHESIS};

	if (!gap->met || gap->odd || gap->nr + gap->others > gap->met->rank.world_size)
		return claim;
	claim.launcher = "jax";
	claim.world_size = gap->met->rank.world_size;
	claim.rank = number_left(survey, process, gap);
	if (claim.rank != CLAIM_UNKNOWN) {
		claim.source = "the number that the others of its program leave";
		claim.trust = CLAIM_SUPPORTED;
	}
	return claim;
}

void siblings_join(struct survey *survey)
{
	struct survey_process *process;
	ARRAY(struct rank_claim) found = {0};
	size_t i = 0;

	array_for_each(&survey->all, process) {
		struct rank_claim claim = {.launcher = NULL};

		if (may_come(process)) {
			struct gap gap = gap_of(survey, process);

			claim = claim_of(survey, process, &gap);
			if (claim.launcher && !*process->claims.master)
				strcpy(process->claims.master, gap.met->claims.master);
		}
		*array_add(&found) = claim;
	}
	array_for_each(&survey->all, process) {
		const struct rank_claim *claim = &found.items[i++];

		process->is_rank |= claim->launcher != NULL;
		if (claim->launcher)
			process->rank = *claim;
	}
	array_release(&found);
}
