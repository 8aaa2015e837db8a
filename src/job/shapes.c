/* SPDX-License-Identifier: Apache-2.0 */
#include "job/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"

/* A group, as it is compared with others by its shape. */
struct shape {
	const struct job *job;
	int group;
};

static const struct job_group *group_of(const struct shape *s)
{
	return &s->job->groups[s->group];
}

/* Returns the rank in that seat; NO_RANK where it is not known. */
static struct rank_index sitter(const struct shape *s, uint32_t seat)
{
	return s->job->members[group_of(s)->first_member + (int)seat].rank;
}

/*
 * Returns how far the world rank in that seat is from the one in the first seat. All must be known.
 */
static int64_t distance(const struct shape *s, uint32_t seat)
{
	return (int64_t)job_rank(s->job, sitter(s, seat))->world_rank.n -
	       job_rank(s->job, sitter(s, 0))->world_rank.n;
}

/* True if the group has a shape: several seats, and the rank in each is known. */
static bool has_shape(const struct shape *s)
{
	for (uint32_t seat = 0; seat < group_of(s)->size; seat++)
		if (!is_rank(sitter(s, seat)))
			return false;
	return group_of(s)->size > 1;
}

/* Orders groups by maker, size and the distances of their seats; equal ones have one shape. */
static int compare_shapes(const void *va, const void *vb)
{
	const struct shape *a = va, *b = vb;
	const struct job_group *x = group_of(a), *y = group_of(b);
	int order = strcmp(x->maker, y->maker);

	if (order || x->size != y->size)
		return order ? order : x->size < y->size ? -1 : 1;
	for (uint32_t seat = 1; seat < x->size; seat++)
		if (distance(a, seat) != distance(b, seat))
			return distance(a, seat) < distance(b, seat) ? -1 : 1;
	return 0;
}

bool shapes_alike(const struct job *job, int a, int b)
{
	const struct shape one = {job, a}, other = {job, b};

	return has_shape(&one) && has_shape(&other) && !compare_shapes(&one, &other);
}

/*
 * True if no two of these groups begin with the same rank. `seen`: one per rank, all false, as it
 * is left.
 */
static bool begin_apart(const struct shape *shapes, size_t n, bool *seen)
{
	bool apart = true;

	for (size_t i = 0; i < n; i++) {
		bool *first = &seen[sitter(&shapes[i], 0).i];

		apart &= !*first;
		*first = true;
	}
	for (size_t i = 0; i < n; i++)
		seen[sitter(&shapes[i], 0).i] = false;
	return apart;
}

void shapes_find_kinds(const struct job *job, int *kinds)
{
	bool *seen = alloc_zeroed(job->nranks + 1, sizeof(*seen));
	ARRAY(struct shape) all = {0};

	for (int group = 0; group < (int)job->ngroups; group++) {
		struct shape shape = {job, group};

		kinds[group] = group;
		if (has_shape(&shape))
			*array_add(&all) = shape;
	}
	array_sort(&all, compare_shapes);
	for (size_t from = 0, to; from < all.nr; from = to) {
		for (to = from + 1;
			to < all.nr && !compare_shapes(&all.items[from], &all.items[to]); to++)
			;
		if (!begin_apart(&all.items[from], to - from, seen))
			continue;
		for (size_t i = from; i < to; i++)
			kinds[all.items[i].group] = all.items[from].group;
	}
	array_release(&all);
	free(seen);
}
