/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the dumps of one job by their names.
 *
 * ONE JOB. A name's digits are the rank; what stands before them is the same for a job, or tells
 * the node. So names of several kinds are one job as long as no rank is in two of them. If one is,
 * they are jobs or attempts that were mixed: the kind with the most ranks is read, and a loss tells
 * that others were left aside.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decode/flight/decode-flight.h"
#include "evidence/format/flight-name.h"

/* One file, known by its name. */
struct named {
	const struct exhibit *exhibit;
	struct flight_name name;
	size_t kind; /* index into kinds */
};

/* Files whose names differ in their numbers only. */
struct kind {
	const char *label;
	struct flight_name name;
	size_t n;
	int64_t when; /* when the last of them was written */
	bool left; /* left aside */
};

/* All files, and their kinds. */
struct choice {
	ARRAY(struct named) files;
	ARRAY(struct kind) kinds;
};

/* A number at the end that is greater than that is a time, or a pid. */
static int most_likely(const struct decode_context *context)
{
	return 4 * (int)context->flights.nr + 16;
}

/*
 * True if all files' names tell one rank, and end in other numbers than that: the first number is
 * about something else then.
 */
static bool ends_tell(const struct decode_context *context)
{
	struct flight_name first, name, end, last = {.rank = -1};
	bool differ = false;

	for (size_t i = 0; i < context->flights.nr; i++) {
		flight_name_read(context->flights.items[i]->label, i ? &name : &first);
		flight_name_by_end(context->flights.items[i]->label, &end);
		if ((i && name.rank != first.rank) || end.rank < 0 ||
			end.rank > most_likely(context))
			return false;
		differ |= i && end.rank != last.rank;
		last = end;
	}
	return differ;
}

/* Finds the rank and the kind of each file. */
static void name_files(struct choice *choice, const struct decode_context *context)
{
	bool by_end = ends_tell(context);

	for (size_t i = 0; i < context->flights.nr; i++) {
		struct named file = {.exhibit = context->flights.items[i]};
		struct kind *kind;
		size_t k;

		if (by_end)
			flight_name_by_end(file.exhibit->label, &file.name);
		else
			flight_name_read(file.exhibit->label, &file.name);
		for (k = 0; k < choice->kinds.nr; k++)
			if (flight_names_alike(choice->kinds.items[k].label,
				    &choice->kinds.items[k].name, file.exhibit->label, &file.name))
				break;
		if (k == choice->kinds.nr)
			*array_add(&choice->kinds) = (struct kind){.label = file.exhibit->label,
				.name = file.name,
				.when = file.exhibit->when};
		kind = &choice->kinds.items[k];
		file.kind = k;
		kind->n++;
		if (file.exhibit->when > kind->when)
			kind->when = file.exhibit->when;
		*array_add(&choice->files) = file;
	}
}

/* Orders by rank; of one rank by name, then by time, the latest first. */
static int compare_files(const void *va, const void *vb)
{
	const struct named *a = va, *b = vb;
	int order;

	if (a->name.rank != b->name.rank)
		return a->name.rank < b->name.rank ? -1 : 1;
	order = strcmp(a->exhibit->label, b->exhibit->label);
	if (order)
		return order;
	return a->exhibit->when > b->exhibit->when ? -1 : a->exhibit->when < b->exhibit->when;
}

/* Orders kinds: the largest first, then the one written last, then by name. */
static int compare_kinds_of(const struct kind *a, const struct kind *b)
{
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	if (a->when != b->when)
		return a->when > b->when ? -1 : 1;
	return strcmp(a->label, b->label);
}

/* Returns the first kind by that order that is not settled. */
static size_t next_kind(const struct choice *choice, const bool *settled)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < choice->kinds.nr; i++) {
		if (!settled[i] && (best == SIZE_MAX ||
					   compare_kinds_of(&choice->kinds.items[i],
						   &choice->kinds.items[best]) < 0))
			best = i;
	}
	return best;
}

/* True if a kind that was taken before has one of this kind's ranks. */
static bool collides(const struct choice *choice, size_t kind, const bool *settled)
{
	for (size_t i = 0; i < choice->files.nr; i++) {
		if (choice->files.items[i].kind != kind)
			continue;
		for (size_t k = 0; k < choice->files.nr; k++) {
			const struct named *other = &choice->files.items[k];

			if (other->name.rank == choice->files.items[i].name.rank &&
				other->kind != kind && settled[other->kind] &&
				!choice->kinds.items[other->kind].left)
				return true;
		}
	}
	return false;
}

/* Settles the kinds, the largest first: those that collide are left aside. */
static void settle_kinds(struct choice *choice)
{
	bool *settled = alloc_zeroed(choice->kinds.nr + 1, sizeof(*settled));

	for (size_t i = 0; i < choice->kinds.nr; i++) {
		size_t kind = next_kind(choice, settled);

		choice->kinds.items[kind].left = i && collides(choice, kind, settled);
		settled[kind] = true;
	}
	free(settled);
}

static void tell_left(
	const struct choice *choice, struct decode_context *context, struct job_builder *b)
{
	for (size_t i = 0; i < choice->kinds.nr; i++) {
		const struct kind *kind = &choice->kinds.items[i];

		if (kind->left)
			flight_lose(b, flight_nobody, "flight", false,
				arena_printf(&context->arena,
					"%zu dump%s of another job or attempt left aside: "
					"%.*s*%.*s",
					kind->n, kind->n == 1 ? "" : "s",
					(int)(kind->name.digits - kind->name.from),
					kind->label + kind->name.from,
					(int)(kind->name.end - kind->name.behind),
					kind->label + kind->name.behind));
	}
}

/*
 * Returns the process of that rank that other evidence knows, if it is only one; else one of its
 * own.
 */
static struct job_who who_of(const struct decode_context *context, int rank)
{
	const struct decode_process *found = NULL;

	for (size_t i = 0; i < context->processes.nr; i++) {
		const struct decode_process *process = context->processes.items[i];

		if (process->identity.world_rank.n != rank || process->fact.role == JOB_ROLE_CHILD)
			continue;
		if (found)
			return (struct job_who){"", 0, (uint64_t)rank + 1};
		found = process;
	}
	return found ? found->who : (struct job_who){"", 0, (uint64_t)rank + 1};
}

void flight_choose_files(
	struct flights *flights, struct decode_context *context, struct job_builder *b)
{
	struct choice choice = {0};

	name_files(&choice, context);
	settle_kinds(&choice);
	tell_left(&choice, context, b);
	array_sort(&choice.files, compare_files);
	for (size_t i = 0; i < choice.files.nr; i++) {
		const struct named *file = &choice.files.items[i];

		if (choice.kinds.items[file->kind].left || file->name.rank < 0)
			continue;
		*array_add(&flights->ranks) = (struct flight_rank){.exhibit = file->exhibit,
			.rank = file->name.rank,
			.who = who_of(context, file->name.rank)};
	}
	array_release(&choice.files);
	array_release(&choice.kinds);
}
