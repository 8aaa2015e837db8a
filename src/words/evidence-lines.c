/* SPDX-License-Identifier: Apache-2.0 */
#include "words/evidence-lines.h"

#include <string.h>

#include "words/wording.h"

/*
 * Makes one cite of two: "ring:2:g0" and "ring:3:g0" become "ring:*:g0". Where they differ behind
 * that, the rest is left out.
 */
static void merge_cite(struct str *cite, const char *other)
{
	const char *colon = strchr(str_text(cite), ':');
	size_t kind = colon ? (size_t)(colon - cite->text) : cite->len;
	const char *rest, *other_rest;
	struct str both = {0};

	if (!strcmp(str_text(cite), other) || !colon || strncmp(cite->text, other, kind + 1))
		return;
	str_add_bytes(&both, cite->text, kind);
	str_add(&both, ":*");
	rest = strchr(colon + 1, ':');
	other_rest = strchr(other + kind + 1, ':');
	if (rest && other_rest && !strcmp(rest, other_rest))
		str_add(&both, rest);
	str_release(cite);
	*cite = both;
}

/* Orders ranks by index. */
static int compare_ranks(const void *va, const void *vb)
{
	const struct rank_index *a = va, *b = vb;

	return a->i - b->i;
}

/* Sorts the ranks, and keeps each once. */
static void order_ranks(struct merged_fact *merged)
{
	size_t kept = 0;

	array_sort(&merged->ranks, compare_ranks);
	for (size_t i = 0; i < merged->ranks.nr; i++)
		if (!kept || !same_rank(merged->ranks.items[i], merged->ranks.items[kept - 1]))
			merged->ranks.items[kept++] = merged->ranks.items[i];
	merged->ranks.nr = kept;
}

/* Returns the fact that reads so and names ranks; NULL none. */
static struct merged_fact *find_same(struct merged *merged, const char *words)
{
	struct merged_fact *fact;

	array_for_each (&merged->facts, fact)
		if (fact->ranks.nr && !strcmp(str_text(&fact->words), words))
			return fact;
	return NULL;
}

void merge_facts(struct merged *into, const struct verdict_fact *facts, size_t nr)
{
	struct merged_fact *same;

	for (size_t i = 0; i < nr; i++) {
		struct str words = {0};

		wording_fact(&words, &facts[i]);
		same = facts[i].ranks.n ? find_same(into, str_text(&words)) : NULL;
		if (same) {
			merge_cite(&same->cite, facts[i].cite);
			str_release(&words);
		} else {
			same = array_add(&into->facts);
			same->words = words;
			str_add(&same->cite, facts[i].cite);
			same->first = &facts[i];
		}
		for (size_t k = 0; k < facts[i].ranks.n; k++)
			*array_add(&same->ranks) = facts[i].ranks.at[k];
	}
	array_for_each (&into->facts, same)
		order_ranks(same);
}

void merge_release(struct merged *merged)
{
	struct merged_fact *fact;

	array_for_each (&merged->facts, fact) {
		str_release(&fact->words);
		str_release(&fact->cite);
		array_release(&fact->ranks);
	}
	array_release(&merged->facts);
}
