/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/places.h"

#include <string.h>

#define PLACES_MOST 64 /* ranks of one node, at most */

/* The processes with places that one process started. */
struct family {
	const struct survey_process *parent;
	const struct survey_process *children[PLACES_MOST]; /* by place; NULL: there is none */
	struct rank_claim of;				    /* what all of them say */
	int n;						    /* places, the parent's included */
	bool odd; /* two have the same place, or they do not say the same world */
};

/*
 * Returns the beginning of the last word of a text that ends before `end`; NULL if there is none.
 */
static const char *last_word(const char *text, const char *end)
{
	const char *word = end;

	while (word > text && word[-1] != ' ')
		word--;
	return word < end ? word : NULL;
}

/* True if two words are the same, or name one file, one of them without its folder. */
static bool is_same_word(const char *a, const char *a_end, const char *b, const char *b_end)
{
	size_t a_len = (size_t)(a_end - a), b_len = (size_t)(b_end - b);
	size_t n = a_len < b_len ? a_len : b_len;
	const char *longer = a_len < b_len ? b : a;
	size_t more = a_len + b_len - 2 * n;

	if (memcmp(a_end - n, b_end - n, n) != 0)
		return false;
	return !more || longer[more - 1] == '/';
}

/*
 * True if the child's command is the parent's, but for the interpreter and the interpreter's
 * options.
 */
static bool runs_same(const struct survey_process *parent, const struct survey_process *child)
{
	const char *a_end = parent->command + strlen(parent->command);
	const char *b_end = child->command + strlen(child->command);
	size_t same = 0;

	for (;; same++) {
		const char *a = last_word(parent->command, a_end);
		const char *b = last_word(child->command, b_end);

		if (!b || b == child->command) /* that word is its interpreter */
			return b && a && same;
		if (!a || a == parent->command || !is_same_word(a, a_end, b, b_end))
			return false;
		a_end = a - 1;
		b_end = b - 1;
	}
}

/* True if two say the same world and node. */
static bool says_the_same(const struct rank_claim *a, const struct rank_claim *b)
{
	return a->world_size == b->world_size && a->node_rank == b->node_rank;
}

/* Adds a child by its place. */
static void add_child(struct family *family, const struct survey_process *child)
{
	const struct rank_claim *place = &child->claims.place;

	if (place->local_rank >= PLACES_MOST || family->children[place->local_rank] ||
		(family->n && !says_the_same(place, &family->of)) || child->claims.nr ||
		child->uid != family->parent->uid) {
		family->odd = true;
		return;
	}
	family->of = *place;
	family->children[place->local_rank] = child;
	family->n = place->local_rank >= family->n ? place->local_rank + 1 : family->n;
}

/* True if the children are 1 to n-1 of the n of a node, and nodes of that many make the world. */
static bool is_whole(const struct family *family)
{
	if (family->odd || family->n < 2 || family->children[0])
		return false;
	for (int i = 1; i < family->n; i++)
		if (!family->children[i])
			return false;
	return family->of.world_size % family->n == 0 &&
	       family->of.node_rank < family->of.world_size / family->n;
}

/* Gives all of a family their ranks, and the parent what its children say of the job. */
static void number(struct survey *survey, const struct family *family)
{
	uint32_t pids[PLACES_MOST] = {family->parent->stat.pid};
	struct survey_process *first;

	for (int i = 1; i < family->n; i++)
		pids[i] = family->children[i]->stat.pid;
	for (int i = 0; i < family->n; i++) {
		struct rank_claim claim = family->of;

		claim.local_rank = i;
		claim.rank = family->of.node_rank * family->n + i;
		claim.source = i ? "environ: LOCAL_RANK, NODE_RANK"
				 : "started the others of its script";
		survey_add_word(survey, pids[i], &claim, 0);
	}
	first = survey_find(survey, pids[0]);
	if (!*first->claims.master)
		strcpy(first->claims.master, family->children[1]->claims.master);
	if (!*first->claims.job)
		strcpy(first->claims.job, family->children[1]->claims.job);
}

/*
 * True if a process is one of the family. One that has a place and runs another program is a
 * helper, of the parent or of its compiler.
 */
static bool is_of_family(const struct survey *survey, size_t parent, size_t child)
{
	const struct survey_process *process = &survey->all.items[child];

	return process->parent == (int)parent && process->claims.has_place && !process->helper &&
	       runs_same(&survey->all.items[parent], process);
}

void places_number(struct survey *survey)
{
	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *parent = &survey->all.items[i];
		struct family family = {.parent = parent};

		if (!parent->python || parent->launcher || parent->wrapper || parent->inquest ||
			parent->helper || parent->claims.nr || parent->claims.has_place)
			continue;
		for (size_t k = 0; k < survey->all.nr && !family.odd; k++)
			if (is_of_family(survey, i, k))
				add_child(&family, &survey->all.items[k]);
		if (is_whole(&family))
			number(survey, &family);
	}
}
